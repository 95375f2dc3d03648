/**
 * What models cost. Hosted ones have a price where one is documented; the user's own table wins. A server of the user's
 * own has no price unless that table names it: unknown, never zero.
 */
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { nearestName } from '../../../schemas/text/nearestName';
import { wholeNumber } from '../../../schemas/text/spending';
import type { ModelPrice } from '../runtime/model';
import { type ModelName, parseModelName } from './modelName';
import type { ModelSettings } from './modelSettings';
import { geminiPrices, openaiPrices, type PriceRow } from './priceTable';
import { serviceOrigins } from './services';

/** Prices by a model's name, with or without its provider. */
export type PriceTable = ReadonlyMap<string, ModelPrice>;

export interface PriceQuery {
  readonly settings?: Pick<ModelSettings, 'baseUrl' | 'vertexProject'> | undefined;
  /** The user's prices. */
  readonly prices?: PriceTable | undefined;
  /** Milliseconds since 1970: some prices change on a day that is known. */
  readonly now: number;
}

/**
 * What a model costs; undefined where nobody knows. A dated id such as `gpt-4.1-2025-04-14` has the price of its family
 * where it has none of its own.
 *
 * @param fullName as the user typed it
 */
export function priceOf(fullName: string, { settings, prices, now }: PriceQuery): ModelPrice | undefined {
  const name = parseModelName(fullName);
  const model = name === undefined || !('model' in name) ? fullName : name.model;
  const prefix = fullName.slice(0, fullName.length - model.length);
  const ids = [model, familyOf(model)];
  for (const id of ids) {
    const own = prices?.get(prefix + id) ?? prices?.get(id);
    if (own !== undefined) return own;
  }
  const rows = name === undefined ? undefined : documented(name, settings);
  if (rows === undefined) return undefined;
  for (const id of ids) {
    const row = rows.findLast(({ ids, from = '' }) => ids.includes(id) && Date.parse(from || '1970') <= now);
    if (row !== undefined) return row.price;
  }
  return undefined;
}

/** The table that holds for a model: of a provider's own service alone, as regional hosts and gateways have other prices. */
function documented(
  { provider }: ModelName,
  settings: PriceQuery['settings'],
): readonly PriceRow[] | undefined {
  const { baseUrl, vertexProject } = settings ?? {};
  const isAt = (origin: string) => baseUrl === undefined || originOf(baseUrl) === origin;
  if (provider === 'openai') return isAt(serviceOrigins.openai) ? openaiPrices() : undefined;
  const isGemini = provider === 'gemini' && vertexProject === undefined;
  return isGemini && isAt(serviceOrigins.gemini) ? geminiPrices() : undefined;
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A model's id without `models/` before it and its date or version behind it. */
export function familyOf(id: string): string {
  return id
    .replace(/^models\//, '')
    .replace(/-(?:\d{4}-\d{2}-\d{2}|preview-\d{2}-(?:\d{4}|\d{2})|\d{3})$/, '');
}

const amounts = ['prompt', 'completion', 'cached', 'cacheWritten'] as const;
const fields: readonly string[] = [...amounts, 'largestPrompt'];

/** In US dollars for 1,000,000 tokens: what lies outside is a slip of the pen, and comes to sums that nobody can read. */
const smallestAmount = 0.000_001;
const largestAmount = 1_000_000;

function isAmount(dollars: number): boolean {
  return dollars === 0 || (dollars >= smallestAmount && dollars <= largestAmount);
}

function isTokens(count: number): boolean {
  return Number.isSafeInteger(count) && count > 0;
}

/** A table that the user gave, or what is wrong with it, a sentence each. */
export type ReadPrices =
  | { readonly ok: true; readonly prices: PriceTable }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the user's prices: an object of `{prompt, completion, cached?, cacheWritten?, largestPrompt?}` by the names of
 * models, in US dollars for 1,000,000 tokens.
 */
export function readPrices(value: JsonValue): ReadPrices {
  if (!isJsonObject(value)) {
    return { ok: false, problems: ['Prices are an object that has a price by the name of each model.'] };
  }
  const prices = new Map<string, ModelPrice>();
  const problems: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const read = readPrice(given, name.trim());
    if ('problem' in read) problems.push(read.problem);
    else prices.set(name.trim(), read.price);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, prices };
}

function readPrice(
  value: JsonValue,
  model: string,
): { readonly price: ModelPrice } | { readonly problem: string } {
  if (model === '') return { problem: 'A price stands under the name of its model, and one name is empty.' };
  const name = JSON.stringify(model);
  if (!isJsonObject(value)) {
    return {
      problem: `The price of ${name} has to be an object of prompt and completion, in US dollars for 1,000,000 tokens.`,
    };
  }
  for (const [field, amount] of Object.entries(value)) {
    if (!fields.includes(field)) return { problem: unknownField(name, field) };
    const isCount = field === 'largestPrompt';
    if (typeof amount !== 'number' || !(isCount ? isTokens(amount) : isAmount(amount))) {
      const wanted = isCount
        ? 'a whole number of tokens above 0'
        : `0, or a number of US dollars from 0.000001 to ${wholeNumber(largestAmount)}`;
      return { problem: `${field} in the price of ${name} has to be ${wanted}.` };
    }
  }
  const { prompt, completion, cached, cacheWritten, largestPrompt } = value;
  if (typeof prompt !== 'number' || typeof completion !== 'number') {
    const missing = typeof prompt === 'number' ? 'completion' : 'prompt';
    return { problem: `The price of ${name} has no ${missing}.` };
  }
  return {
    price: {
      prompt,
      completion,
      ...(typeof cached === 'number' && { cached }),
      ...(typeof cacheWritten === 'number' && { cacheWritten }),
      ...(typeof largestPrompt === 'number' && { largestPrompt }),
    },
  };
}

function unknownField(name: string, field: string): string {
  const meant = nearestName(field, fields);
  const hint = meant === undefined ? `there are ${fields.join(', ')}` : `${meant} may be meant`;
  return `${JSON.stringify(field)} in the price of ${name} is unknown; ${hint}.`;
}
