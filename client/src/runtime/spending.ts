/** What attempts used, added up: tokens by who counted them, and cost as far as it is known. */
import { costText, share, sourceText, wholeNumber } from '../../../schemas/text/spending';
import type { Attempt, Totals } from './runState';
import { type SumSource, sourceOfSum } from './tokens';

export interface Spending {
  readonly prompt: number;
  readonly completion: number;
  /** The part of `prompt` that the provider read from its cache. */
  readonly cached: number;
  /** The part of `completion` that a reasoning model thought with. */
  readonly thinking: number;
  /** Undefined where there was no attempt. */
  readonly source: SumSource | undefined;
  /** How many of `prompt` and `completion` are estimated. */
  readonly estimated: number;
  /** US dollars; undefined where what one attempt cost is unknown. */
  readonly cost: number | undefined;
  /** US dollars of those attempts of which it is known. */
  readonly knownCost: number;
}

/** Adds attempts up. */
export function spendingOf(attempts: readonly Pick<Attempt, 'tokens' | 'cost'>[]): Spending {
  let source: SumSource | undefined;
  let isPriced = true;
  const sums = { prompt: 0, completion: 0, cached: 0, thinking: 0, estimated: 0, knownCost: 0 };
  for (const { tokens, cost } of attempts) {
    sums.prompt += tokens.prompt;
    sums.completion += tokens.completion;
    sums.cached += tokens.cached ?? 0;
    sums.thinking += tokens.thinking ?? 0;
    if (tokens.source === 'estimated') sums.estimated += tokens.prompt + tokens.completion;
    source = sourceOfSum(source, tokens.source);
    if (cost === undefined) isPriced = false;
    else sums.knownCost += cost;
  }
  return { ...sums, source, cost: isPriced ? sums.knownCost : undefined };
}

/** What a run has used so far. */
export function spendingOfTotals(totals: Totals): Spending {
  return {
    prompt: totals.promptTokens,
    completion: totals.completionTokens,
    cached: totals.cachedTokens,
    thinking: totals.thinkingTokens,
    source: totals.tokenSource,
    estimated: totals.estimatedTokens,
    cost: totals.cost,
    knownCost: totals.knownCost,
  };
}

/**
 * What is worth saying behind a number of tokens: who counted them, the share of the prompt that was cached, and what a
 * model thought with: `reported, 83 % of the prompt cached, 120 thinking`.
 */
export function spendingDetail({ prompt, cached, thinking, source, estimated }: Spending): string {
  return [
    ...(source === undefined ? [] : [sourceText(source, estimated)]),
    ...(cached > 0 ? [`${share(cached, prompt)} of the prompt cached`] : []),
    ...(thinking > 0 ? [`${wholeNumber(thinking)} thinking`] : []),
  ].join(', ');
}

/** A known cost, or what is known of it, as a further part of a line: ` · $0.0012`. Nothing where nothing is known. */
export function costPart({ cost, knownCost, source }: Spending): string {
  return knownCost > 0 ? ` · ${costText(cost, knownCost, source)}` : '';
}
