/**
 * Token counts: reported by the provider where it does; where not, estimated by a tokenizer, or by the extension that has a
 * model of the editor's; always marked which.
 */

/** Counts the tokens of a text. Deterministic; safe for any text, however long or repetitive. */
export interface Tokenizer {
  /** Such as `o200k_base`. */
  readonly name: string;
  count(text: string): number;
}

export type TokenSource = 'reported' | 'estimated';

/** Who counted the tokens of several attempts: `mixed` where some were reported and others estimated. */
export type SumSource = TokenSource | 'mixed';

/** The source of a sum to which another count, or another sum, is added; undefined for a sum of nothing. */
export function sourceOfSum(sum: SumSource | undefined, added: SumSource): SumSource {
  return sum === undefined || sum === added ? added : 'mixed';
}

/** The estimated split of one prompt. */
export interface PromptTokens {
  readonly instructions: number;
  readonly state: number;
  readonly observation: number;
  /** The template's own text, and the correction where there is one. */
  readonly scaffold: number;
}

/** One attempt's tokens. `prompt` is the provider's figure where it reported one, else the sum of the split. */
export interface AttemptTokens {
  readonly prompt: number;
  readonly completion: number;
  /** The part of `prompt` that the provider read from its cache. */
  readonly cached?: number;
  /** The part of `completion` that a reasoning model thought with before it answered. */
  readonly thinking?: number;
  readonly source: TokenSource;
  /** Who estimated, where it wasn't the run's tokenizer: the extension that has the model, which counted the texts. */
  readonly estimatedBy?: 'extension';
  readonly split: PromptTokens;
}
