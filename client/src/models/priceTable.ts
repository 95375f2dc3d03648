/**
 * Documented prices of hosted models, in US dollars for 1,000,000 tokens of text, paid as one goes.
 *
 * Source: the npm package `@pydantic/genai-prices` 0.1.8 (MIT), published on 23 September 2026, which takes them from
 * https://developers.openai.com/api/docs/pricing and https://ai.google.dev/gemini-api/docs/pricing; those of Gemini agree
 * with what was transcribed from Google's page on 20 September and 7 October 2026. Models that came later, are answered
 * for by other interfaces than chats, or bill by other things than text are left out: their price is unknown. The price
 * data of `gpt-tokenizer` 4.0.0 is not used: it has one and the same price for most models.
 */
import type { ModelPrice } from '../runtime/model';

export interface PriceRow {
  readonly ids: readonly string[];
  readonly price: ModelPrice;
  /** The first day (UTC) on which it holds; always where it is left out. */
  readonly from?: string | undefined;
}

/** Up to so many tokens of a prompt; above, OpenAI and Google ask for more. */
const openaiLong = 271_999;
const geminiLong = 200_000;

/** The ids of a family; prices of prompt, completion and cached prompt; what else there is. */
type Row = readonly [
  ids: string,
  prompt: number,
  completion: number,
  cached?: number,
  more?: Pick<ModelPrice, 'cacheWritten' | 'largestPrompt'> & { readonly from?: string },
];

const openai: readonly Row[] = [
  ['gpt-3.5-turbo gpt-3.5-turbo-0125', 0.5, 1.5],
  ['gpt-3.5-turbo-1106', 1, 2],
  ['gpt-3.5-turbo-16k gpt-3.5-turbo-16k-0613', 3, 4],
  ['gpt-4 gpt-4-0314 gpt-4-0613', 30, 60],
  ['gpt-4-turbo gpt-4-turbo-preview gpt-4-0125-preview gpt-4-1106-preview', 10, 30],
  ['gpt-4.1', 2, 8, 0.5],
  ['gpt-4.1-mini', 0.4, 1.6, 0.1],
  ['gpt-4.1-nano', 0.1, 0.4, 0.025],
  ['gpt-4o', 2.5, 10, 1.25],
  ['gpt-4o-2024-05-13', 5, 15],
  ['gpt-4o-mini', 0.15, 0.6, 0.075],
  ['chatgpt-4o-latest', 5, 15],
  ['gpt-5 gpt-5-chat-latest', 1.25, 10, 0.125],
  ['gpt-5-mini', 0.25, 2, 0.025],
  ['gpt-5-nano', 0.05, 0.4, 0.005],
  ['gpt-5.1 gpt-5.1-chat-latest', 1.25, 10, 0.125],
  ['gpt-5.2 gpt-5.2-chat-latest', 1.75, 14, 0.175],
  ['gpt-5.3 gpt-5.3-chat-latest', 1.75, 14, 0.175],
  ['gpt-5.4', 2.5, 15, 0.25, { largestPrompt: openaiLong }],
  ['gpt-5.4-mini', 0.75, 4.5, 0.075],
  ['gpt-5.4-nano', 0.2, 1.25, 0.02],
  ['gpt-5.5 gpt-5.5-chat-latest', 5, 30, 0.5, { largestPrompt: openaiLong }],
  ['gpt-5.6 gpt-5.6-sol', 4, 20, 0.4, { cacheWritten: 5, largestPrompt: openaiLong }],
  ['gpt-5.6-terra', 2, 12, 0.2, { cacheWritten: 2.5, largestPrompt: openaiLong }],
  ['gpt-5.6-luna', 0.2, 1.2, 0.02, { cacheWritten: 0.25, largestPrompt: openaiLong }],
  ['gpt-6-astra', 10, 50, 1, { cacheWritten: 12.5, largestPrompt: openaiLong }],
  ['gpt-6-sol', 2, 10, 0.2, { cacheWritten: 2.5, largestPrompt: openaiLong }],
  ['gpt-6-luna', 0.1, 0.5, 0.01, { cacheWritten: 0.125, largestPrompt: openaiLong }],
  ['o1', 15, 60, 7.5],
  ['o3', 2, 8, 0.5],
  ['o3-mini', 1.1, 4.4, 0.55],
  ['o4-mini', 1.1, 4.4, 0.275],
];

const flashes = 'gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash';

const gemini: readonly Row[] = [
  ['gemini-2.0-flash', 0.1, 0.4, 0.025],
  ['gemini-2.0-flash-lite', 0.075, 0.3],
  ['gemini-2.5-flash', 0.3, 2.5, 0.03],
  ['gemini-2.5-flash-lite', 0.1, 0.4, 0.01],
  ['gemini-2.5-pro', 1.25, 10, 0.125, { largestPrompt: geminiLong }],
  ['gemini-3-flash-preview', 0.5, 3, 0.05],
  ['gemini-3-pro-preview', 2, 12, 0.2, { largestPrompt: geminiLong }],
  ['gemini-3.1-pro-preview', 2, 12, 0.2, { largestPrompt: geminiLong }],
  ['gemini-3.1-flash-lite gemini-3.1-flash-lite-preview', 0.25, 1.5, 0.025],
  ['gemini-3.5-flash gemini-3.5-flash-preview', 1.5, 9, 0.15],
  ['gemini-3.5-flash-lite', 0.3, 2.5, 0.03],
  [flashes, 0.75, 3.75, 0.075],
  [flashes, 1.5, 7.5, 0.15, { from: '2027-01-01' }],
];

/** Of OpenAI's own service. Of several rows for a model the last one holds whose day has come. */
export function openaiPrices(): readonly PriceRow[] {
  return openai.map(priceRow);
}

/** Of the Gemini API; Vertex AI has prices by region. */
export function geminiPrices(): readonly PriceRow[] {
  return gemini.map(priceRow);
}

function priceRow([ids, prompt, completion, cached, { from, ...more } = {}]: Row): PriceRow {
  const price = { prompt, completion, ...(cached !== undefined && { cached }), ...more };
  return { ids: ids.split(' '), price, from };
}
