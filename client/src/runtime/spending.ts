/** What attempts used, added up: tokens by who counted them, and cost as far as it is known. */
import {
  type Cost,
  costText,
  isUnknown,
  share,
  sourceText,
  wholeNumber,
} from '../../../schemas/text/spending';
import type { FailedRequest, RequestTokens } from './model';
import type { Attempt, Totals } from './runState';
import { type AttemptTokens, type SumSource, sourceOfSum } from './tokens';

export interface Spending {
  readonly prompt: number;
  readonly completion: number;
  /** The part of `prompt` that the provider read from its cache. */
  readonly cached: number;
  /** The part of `completion` that a reasoning model thought with. */
  readonly thinking: number;
  /** What of `prompt` and `completion` requests took that failed. */
  readonly failed: number;
  /** Undefined where there was no attempt. */
  readonly source: SumSource | undefined;
  /** How many of `prompt` and `completion` are estimated. */
  readonly estimated: number;
  /** How many of those the extension counted that has the model. */
  readonly byExtension: number;
  /** US dollars; undefined where what one attempt cost is unknown. */
  readonly cost: number | undefined;
  /** US dollars of those attempts of which it is known. */
  readonly knownCost: number;
  /** US dollars: they cost no more than so much; undefined where nobody knows that of one attempt. */
  readonly costAtMost: number | undefined;
}

/** Adds attempts up, with the requests that failed before they were answered, and others that failed. */
export function spendingOf(
  attempts: readonly (Pick<Attempt, 'tokens' | 'cost' | 'costAtMost'> & Partial<Pick<Attempt, 'failures'>>)[],
  failed: readonly FailedRequest[] = [],
): Spending {
  let source: SumSource | undefined;
  let isPriced = true;
  let costAtMost: number | undefined = 0;
  const sums = {
    prompt: 0,
    completion: 0,
    cached: 0,
    thinking: 0,
    failed: 0,
    estimated: 0,
    byExtension: 0,
    knownCost: 0,
  };
  const requests = attempts.flatMap(({ failures = [], tokens, cost, costAtMost: most }) => [
    ...reported(failures),
    { tokens, cost, most, isFailed: false },
  ]);
  for (const { tokens, cost, most = cost, isFailed } of [...requests, ...reported(failed)]) {
    if (isFailed) sums.failed += tokens.prompt + tokens.completion;
    sums.prompt += tokens.prompt;
    sums.completion += tokens.completion;
    sums.cached += tokens.cached ?? 0;
    sums.thinking += tokens.thinking ?? 0;
    if (tokens.source === 'estimated') sums.estimated += tokens.prompt + tokens.completion;
    if (tokens.estimatedBy !== undefined) sums.byExtension += tokens.prompt + tokens.completion;
    source = sourceOfSum(source, tokens.source);
    if (cost === undefined) isPriced = false;
    else sums.knownCost += cost;
    costAtMost = costAtMost === undefined || most === undefined ? undefined : costAtMost + most;
  }
  return { ...sums, source, cost: isPriced ? sums.knownCost : undefined, costAtMost };
}

/** Requests that failed, of which it was reported what they took. */
function reported(failures: readonly FailedRequest[]) {
  return failures.flatMap(({ tokens, cost, costAtMost: most }) =>
    tokens === undefined ? [] : [{ tokens: reportedTokens(tokens), cost, most, isFailed: true }],
  );
}

function reportedTokens(
  tokens: RequestTokens,
): RequestTokens & Pick<AttemptTokens, 'source' | 'estimatedBy'> {
  return { ...tokens, source: 'reported' };
}

/** What a run has used so far. */
export function spendingOfTotals(totals: Totals): Spending {
  return {
    prompt: totals.promptTokens,
    completion: totals.completionTokens,
    cached: totals.cachedTokens,
    thinking: totals.thinkingTokens,
    failed: totals.failedTokens.prompt + totals.failedTokens.completion,
    source: totals.tokenSource,
    estimated: totals.estimatedTokens,
    byExtension: totals.extensionTokens,
    cost: totals.cost,
    knownCost: totals.knownCost,
    costAtMost: totals.costAtMost,
  };
}

/**
 * What is worth saying behind a number of tokens: who counted them, the share of the prompt that was cached, and what a
 * model thought with, and what requests took that failed: `reported, 83 % of the prompt cached, 120 thinking`.
 */
export function spendingDetail({
  prompt,
  cached,
  thinking,
  failed,
  source,
  estimated,
  byExtension,
}: Spending): string {
  return [
    ...(source === undefined ? [] : [sourceText(source, estimated, byExtension)]),
    ...(cached > 0 ? [`${share(cached, prompt)} of the prompt cached`] : []),
    ...(thinking > 0 ? [`${wholeNumber(thinking)} thinking`] : []),
    ...(failed > 0 ? [`${wholeNumber(failed)} in failed requests`] : []),
  ].join(', ');
}

/**
 * A cost, or what is known of it, as a further part of a line: ` · $0.0012`, ` · cost unknown`. Nothing where nothing was
 * asked, and of models that cost nothing by their nature.
 */
export function costPart(spent: Cost & Pick<Spending, 'source'>, isFree: boolean): string {
  const { source } = spent;
  if (source === undefined || (isUnknown(spent) && isFree)) return '';
  return isUnknown(spent) ? ' · cost unknown' : ` · ${costText(spent, source)}`;
}
