/** The sums that a run keeps: steps, attempts, rejections, warnings, tokens, cost, prompt sizes. */
import type { RejectionClass } from './rejection';
import type { Attempt, RunState, Totals } from './runState';
import { sourceOfSum } from './tokens';
import type { Warning } from './warnings';

export const noTotals: Totals = {
  steps: 0,
  attempts: 0,
  rejected: {},
  warnings: {},
  retries: 0,
  failedSteps: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  thinkingTokens: 0,
  tokenSource: undefined,
  estimatedTokens: 0,
  cost: 0,
  knownCost: 0,
  costAtMost: 0,
  promptCharacters: { sum: 0, min: 0, max: 0 },
  activeMilliseconds: 0,
};

/** One more reply, whether it is taken over or not. The cost is unknown as soon as one attempt's is. */
export function countAttempt(totals: Totals, attempt: Attempt): Totals {
  const { tokens, cost, costAtMost } = attempt;
  const { sum, min, max } = totals.promptCharacters;
  const characters = attempt.prompt.text.length;
  return {
    ...totals,
    attempts: totals.attempts + 1,
    retries: totals.retries + (attempt.attempt > 1 ? 1 : 0),
    promptTokens: totals.promptTokens + tokens.prompt,
    completionTokens: totals.completionTokens + tokens.completion,
    cachedTokens: totals.cachedTokens + (tokens.cached ?? 0),
    thinkingTokens: totals.thinkingTokens + (tokens.thinking ?? 0),
    tokenSource: sourceOfSum(totals.tokenSource, tokens.source),
    estimatedTokens:
      totals.estimatedTokens + (tokens.source === 'estimated' ? tokens.prompt + tokens.completion : 0),
    cost: sumOf(totals.cost, cost),
    knownCost: totals.knownCost + (cost ?? 0),
    costAtMost: sumOf(totals.costAtMost, cost ?? costAtMost),
    promptCharacters: {
      sum: sum + characters,
      min: totals.attempts === 0 ? characters : Math.min(min, characters),
      max: Math.max(max, characters),
    },
  };
}

/** Unknown as soon as a part of it is. */
function sumOf(sum: number | undefined, added: number | undefined): number | undefined {
  return sum === undefined || added === undefined ? undefined : sum + added;
}

/** One more reply that was not taken over. */
export function countRejection(totals: Totals, rejectionClass: RejectionClass): Totals {
  return {
    ...totals,
    rejected: { ...totals.rejected, [rejectionClass]: (totals.rejected[rejectionClass] ?? 0) + 1 },
  };
}

export function countWarnings(totals: Totals, warnings: readonly Warning[]): Totals {
  const counts = { ...totals.warnings };
  for (const { class: warningClass } of warnings) counts[warningClass] = (counts[warningClass] ?? 0) + 1;
  return { ...totals, warnings: counts };
}

/** A step is over; `failed` where its attempts ran out. */
export function countStep(totals: Totals, failed: boolean): Totals {
  return { ...totals, steps: totals.steps + 1, failedSteps: totals.failedSteps + (failed ? 1 : 0) };
}

/** The run, after it spent so many milliseconds in a phase. */
export function withActiveTime(run: RunState, milliseconds: number): RunState {
  const activeMilliseconds = run.totals.activeMilliseconds + milliseconds;
  return { ...run, totals: { ...run.totals, activeMilliseconds } };
}
