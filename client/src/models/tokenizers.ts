/** How tokens are estimated where a model's provider doesn't report them, and whether that is the model's own way. */
import { parseModelName } from './modelName';
import { familyOf } from './prices';

/** The only tokenizer whose table is shipped: the others would take the package beyond its limit. */
export const shippedTokenizer = 'o200k_base';

export interface TokenEstimate {
  /** The tokenizer by which tokens are estimated; recorded in traces. */
  readonly tokenizer: string;
  /** The one that the model itself uses; undefined where no library here knows. */
  readonly own: string | undefined;
}

/**
 * By which tokenizer the tokens of a model are estimated. The families are those of `gpt-tokenizer`'s map of models.
 *
 * @param fullName as the user typed it
 */
export function estimateFor(fullName: string): TokenEstimate {
  const name = parseModelName(fullName);
  const model = name === undefined || !('model' in name) ? '' : name.model;
  // Hosted ones and, on whatever server, OpenAI's open weights.
  const isOpenAi = name?.provider === 'openai' && /^(?:gpt|chatgpt|o\d)/.test(model);
  const own = isOpenAi || /(?:^|\/)gpt-oss/.test(model) ? encodingOf(familyOf(model)) : undefined;
  return { tokenizer: shippedTokenizer, own };
}

/** The encoding of a model of OpenAI's: what came before GPT-4o has an older one. */
function encodingOf(model: string): string {
  const isOld = /^(?:gpt-3\.5|gpt-4(?:$|-))/.test(model);
  return isOld ? 'cl100k_base' : shippedTokenizer;
}

/** What an estimate is worth, the rest of a sentence: `o200k_base, the model's own tokenizer`. */
export function estimateText({ tokenizer, own }: TokenEstimate): string {
  if (own === tokenizer) return `${tokenizer}, the model's own tokenizer`;
  return own === undefined
    ? `${tokenizer}, which need not be the model's own tokenizer`
    : `${tokenizer}; the model's own tokenizer is ${own}`;
}
