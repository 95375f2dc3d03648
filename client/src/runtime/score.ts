/** The score as one number. */
import type { Score } from './environment';

/** Successful / actionable; null where nothing was actionable, and where an environment keeps no score. */
export function scoreValue(score: Score | undefined): number | null {
  if (score === undefined || score.actionable === 0) return null;
  return score.successful / score.actionable;
}
