/** What requests cost. What can't be told is unknown, never zero, and bounded where a price is known. */
import type { ModelPrice, ReportedUsage } from './model';
import type { TokenSource } from './tokens';

/** The tokens of one request, and who counted them. */
export interface PricedTokens extends ReportedUsage {
  readonly source: TokenSource;
}

/** US dollars: what a request cost; where that can't be told, what it cost at most; neither where nobody knows. */
export interface RequestCost {
  readonly cost?: number | undefined;
  readonly costAtMost?: number | undefined;
}

/** What a request cost, or at most. Of estimated tokens either is an estimate. */
export function costOf(
  tokens: PricedTokens,
  price: ModelPrice | undefined,
): { readonly cost?: number; readonly costAtMost?: number } {
  const cost = attemptCost(tokens, price);
  if (cost !== undefined) return { cost };
  const costAtMost = boundOf(tokens, price);
  return costAtMost === undefined ? {} : { costAtMost };
}

/** All of the prompt at the dearest rate that may apply to a part of it; undefined where no rate is known. */
function boundOf({ prompt, completion }: PricedTokens, price: ModelPrice | undefined): number | undefined {
  if (price === undefined || isTooLong(prompt, price)) return undefined;
  const dearest = Math.max(price.prompt, price.cached ?? 0, price.cacheWritten ?? 0);
  return (prompt * dearest + completion * price.completion) / 1_000_000;
}

/** What a longer prompt costs is not known. */
function isTooLong(prompt: number, { largestPrompt }: ModelPrice): boolean {
  return largestPrompt !== undefined && prompt > largestPrompt;
}

/**
 * What an attempt cost, in US dollars. Estimated tokens give an estimated cost.
 *
 * @returns undefined where no price is known, where the prompt is longer than the price holds for, and where written
 *   cache tokens have a price of their own and the provider doesn't tell how many there were.
 */
export function attemptCost(tokens: PricedTokens, price: ModelPrice | undefined): number | undefined {
  if (price === undefined) return undefined;
  const { prompt, completion, cached = 0, cacheWritten } = tokens;
  if (isTooLong(prompt, price)) return undefined;
  if (price.cacheWritten !== undefined && cacheWritten === undefined) return undefined;
  const read = Math.min(cached, prompt);
  const written = price.cacheWritten === undefined ? 0 : Math.min(cacheWritten ?? 0, prompt - read);
  return (
    ((prompt - read - written) * price.prompt +
      read * (price.cached ?? price.prompt) +
      written * (price.cacheWritten ?? price.prompt) +
      completion * price.completion) /
    1_000_000
  );
}
