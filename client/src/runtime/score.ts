/** The score as one number. */
import type { Score } from './environment';

/** Successful / actionable; 1 where nothing was actionable, null where an environment keeps no score. */
export function scoreValue(score: Score | undefined): number | null {
  if (score === undefined) return null;
  return score.actionable === 0 ? 1 : score.successful / score.actionable;
}
