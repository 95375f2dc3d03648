/** Caps: what a run may spend before it ends as `capped`. */
import { money } from '../../../schemas/text/spending';
import type { Budget } from './options';
import type { Totals } from './runState';

/**
 * Which cap has been reached, in a sentence; undefined while the run is within its budget. Against a cap in US dollars
 * counts what the run has cost at most: where what a request cost isn't known, the dearest that its tokens may have been.
 * A cap that can no longer be watched counts as reached.
 */
export function capReached(totals: Totals, budget: Budget): string | undefined {
  const tokens = totals.promptTokens + totals.completionTokens;
  if (budget.steps !== undefined && totals.steps >= budget.steps) {
    return `The budget of ${budget.steps} steps is used up.`;
  }
  if (budget.tokens !== undefined && tokens >= budget.tokens) {
    return `The budget of ${budget.tokens} tokens is used up: ${tokens} were spent.`;
  }
  const costs = budget.cost === undefined ? undefined : costReached(totals, budget.cost);
  if (costs !== undefined) return costs;
  if (budget.seconds !== undefined && totals.activeMilliseconds >= budget.seconds * 1000) {
    return secondsUsedUp(budget.seconds);
  }
  return undefined;
}

/** The same for a cap in US dollars. */
function costReached({ cost, knownCost, costAtMost }: Totals, cap: number): string | undefined {
  const isKnown = cost !== undefined;
  if (knownCost >= cap)
    return `The budget of ${cap} US dollars is used up: ${isKnown ? '' : 'at least '}${money(knownCost)} were spent.`;
  if (costAtMost === undefined)
    return `The budget of ${cap} US dollars can no longer be watched: what a request cost is unknown, and at least ${money(knownCost)} were spent.`;
  if (costAtMost >= cap)
    return `The budget of ${cap} US dollars may be used up: what some requests cost is unknown, and between ${money(knownCost)} and ${money(costAtMost)} were spent.`;
  return undefined;
}

/** The seconds of the budget were over while the model answered; the run ends as `capped`. */
export class TimeUsedUp extends Error {
  override readonly name: string = 'TimeUsedUp';

  constructor(seconds: number) {
    super(secondsUsedUp(seconds));
  }
}

function secondsUsedUp(seconds: number): string {
  return `The budget of ${seconds} seconds is used up.`;
}
