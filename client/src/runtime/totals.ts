/** The sums that a run keeps: steps, attempts, rejections, warnings, tokens, cost, prompt sizes. */
import type { RequestCost } from './cost';
import type { FailedRequest, RequestTokens } from './model';
import type { RejectionClass } from './rejection';
import type { Attempt, RunState, Totals } from './runState';
import { type AttemptTokens, sourceOfSum } from './tokens';
import type { Warning } from './warnings';

export const noTotals: Totals = {
  steps: 0,
  attempts: 0,
  rejected: {},
  cutReplies: 0,
  warnings: {},
  retries: 0,
  failedSteps: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  thinkingTokens: 0,
  failedTokens: { prompt: 0, completion: 0 },
  tokenSource: undefined,
  estimatedTokens: 0,
  extensionTokens: 0,
  cost: 0,
  knownCost: 0,
  costAtMost: 0,
  promptCharacters: { sum: 0, min: 0, max: 0 },
  activeMilliseconds: 0,
};

/** One more reply, whether it is taken over or not, and the requests that failed before it. */
export function countAttempt(before: Totals, attempt: Attempt): Totals {
  const { tokens, cost, costAtMost, failures } = attempt;
  const totals = countFailures(spent(before, { ...tokens, cost, costAtMost }), failures);
  const { sum, min, max } = totals.promptCharacters;
  const characters = attempt.prompt.text.length;
  return {
    ...totals,
    attempts: totals.attempts + 1,
    retries: totals.retries + (attempt.attempt > 1 ? 1 : 0),
    promptCharacters: {
      sum: sum + characters,
      min: totals.attempts === 0 ? characters : Math.min(min, characters),
      max: Math.max(max, characters),
    },
  };
}

/** What requests took that failed, as far as it was reported. */
export function countFailures(before: Totals, failures: readonly FailedRequest[]): Totals {
  let totals = before;
  for (const { tokens, ...costs } of failures) {
    if (tokens === undefined) continue;
    const { prompt, completion } = totals.failedTokens;
    totals = {
      ...spent(totals, { ...costs, ...tokens, source: 'reported' }),
      failedTokens: { prompt: prompt + tokens.prompt, completion: completion + tokens.completion },
    };
  }
  return totals;
}

/** What one more request took. The cost is unknown as soon as that of one is. */
function spent(
  totals: Totals,
  request: RequestTokens & RequestCost & Pick<AttemptTokens, 'source' | 'estimatedBy'>,
): Totals {
  const { prompt, completion, cached = 0, thinking = 0, source, estimatedBy, cost, costAtMost } = request;
  return {
    ...totals,
    promptTokens: totals.promptTokens + prompt,
    completionTokens: totals.completionTokens + completion,
    cachedTokens: totals.cachedTokens + cached,
    thinkingTokens: totals.thinkingTokens + thinking,
    tokenSource: sourceOfSum(totals.tokenSource, source),
    estimatedTokens: totals.estimatedTokens + (source === 'estimated' ? prompt + completion : 0),
    extensionTokens: totals.extensionTokens + (estimatedBy === undefined ? 0 : prompt + completion),
    cost: sumOf(totals.cost, cost),
    knownCost: totals.knownCost + (cost ?? 0),
    costAtMost: sumOf(totals.costAtMost, cost ?? costAtMost),
  };
}

/** Unknown as soon as a part of it is. */
function sumOf(sum: number | undefined, added: number | undefined): number | undefined {
  return sum === undefined || added === undefined ? undefined : sum + added;
}

/**
 * One more reply that was not taken over.
 *
 * @param isCut whether the reply was cut at a limit of tokens
 */
export function countRejection(totals: Totals, rejectionClass: RejectionClass, isCut: boolean): Totals {
  return {
    ...totals,
    cutReplies: totals.cutReplies + (isCut ? 1 : 0),
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
