/** How counts of tokens, shares of caches and costs read, wherever they are shown. */

/** Who counted tokens: a provider reported them, somebody estimated them, or the one some and the other the others. */
export type CountSource = 'reported' | 'estimated' | 'mixed';

/** A whole number with its thousands apart: `12,345`. */
export function wholeNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A number of tokens; `≈` stands before it where not all of them were reported. */
export function tokenCount(tokens: number, source: CountSource): string {
  return `${source === 'reported' ? '' : '≈'}${wholeNumber(tokens)}`;
}

/**
 * Who counted them, in words: `reported`, `estimated`, or `1,200 of them estimated`; where the extension did that has the
 * model, `estimated by the model's extension`.
 *
 * @param byExtension how many of the estimated ones it has counted
 */
export function sourceText(source: CountSource, estimated: number, byExtension = 0): string {
  const words = source === 'mixed' ? `${wholeNumber(estimated)} of them estimated` : source;
  if (source === 'reported' || byExtension === 0) return words;
  const some = byExtension < estimated ? `, ${wholeNumber(byExtension)}` : '';
  return `${words}${some} by the model's extension`;
}

/** Which part of prompts came from the provider's cache: `1,024 cached (83 %)`. */
export function cachedText(cached: number, prompt: number): string {
  return `${wholeNumber(cached)} cached (${share(cached, prompt)})`;
}

/** A part of a whole, in whole per cent; neither 0 nor 100 where it is less or more than that. */
export function share(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  const percent = (100 * part) / whole;
  if (percent >= 100) return '100 %';
  return percent < 1 ? '<1 %' : `${Math.min(99, Math.round(percent))} %`;
}

/** US dollars in cents; smaller sums with the digits that they need: `$12.30`, `$0.00042`. */
export function money(dollars: number): string {
  const isSmall = dollars !== 0 && Math.abs(dollars) < 0.1;
  const digits = isSmall
    ? { maximumSignificantDigits: 3 }
    : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `$${dollars.toLocaleString('en-US', digits)}`;
}

/** A cost in US dollars, as far as it is known. */
export interface Cost {
  /** Undefined where a part of it is unknown. */
  readonly cost?: number | undefined;
  /** The part that is known. */
  readonly knownCost: number;
  /** It is no more than this; undefined where nobody knows that either. */
  readonly costAtMost?: number | undefined;
}

/** Whether nothing at all is known of a cost. */
export function isUnknown({ cost, knownCost, costAtMost }: Cost): boolean {
  return cost === undefined && knownCost === 0 && costAtMost === undefined;
}

/**
 * A cost of which some may be unknown: `$0.12`, `between $0.12 and $0.15`, `at most $0.15`, `at least $0.12`, or `unknown`;
 * `≈$0.12` where tokens were estimated.
 *
 * @param source who counted the tokens that it is made of
 */
export function costText(spent: Cost, source: CountSource = 'reported'): string {
  const { cost, knownCost, costAtMost } = spent;
  if (isUnknown(spent)) return 'unknown';
  const amount = (dollars: number) => `${source === 'reported' ? '' : '≈'}${money(dollars)}`;
  const known = amount(knownCost);
  if (cost !== undefined) return known;
  if (costAtMost === undefined) return `at least ${known}`;
  const most = amount(costAtMost);
  if (most === known) return known;
  return knownCost === 0 ? `at most ${most}` : `between ${known} and ${most}`;
}
