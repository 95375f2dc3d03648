/** Caps: what a run may spend before it ends as `capped`. */
import type { Budget } from './options';
import type { Totals } from './runState';

/** Which cap has been reached, in a sentence; undefined while the run is within its budget. */
export function capReached(totals: Totals, budget: Budget): string | undefined {
  const tokens = totals.promptTokens + totals.completionTokens;
  if (budget.steps !== undefined && totals.steps >= budget.steps) {
    return `The budget of ${budget.steps} steps is used up.`;
  }
  if (budget.tokens !== undefined && tokens >= budget.tokens) {
    return `The budget of ${budget.tokens} tokens is used up: ${tokens} were spent.`;
  }
  if (budget.cost !== undefined && totals.knownCost >= budget.cost) {
    return `The budget of ${budget.cost} US dollars is used up: ${totals.cost === undefined ? 'at least ' : ''}${totals.knownCost} were spent.`;
  }
  if (budget.seconds !== undefined && totals.activeMilliseconds >= budget.seconds * 1000) {
    return secondsUsedUp(budget.seconds);
  }
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
