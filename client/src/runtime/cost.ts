/** What attempts cost. What can't be told is unknown, never zero. */
import type { ModelPrice, ReportedUsage } from './model';
import type { TokenSource } from './tokens';

/** The tokens of one attempt, and who counted them. */
export interface PricedTokens extends ReportedUsage {
  readonly source: TokenSource;
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
  if (price.largestPrompt !== undefined && prompt > price.largestPrompt) return undefined;
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
