/** What the runtime asks of a language model: an `AsyncIterable` of text and usage under an `AbortSignal`. */

/** One request. A model answers it from `prompt` alone; the other fields seed sampling and name the request. */
export interface ModelRequest {
  readonly prompt: string;
  /** t, from 0. */
  readonly step: number;
  /** 1 for the first attempt of a step, 2 and more for retries. */
  readonly attempt: number;
  /** The run's seed; a provider that samples derives its own from (seed, step, attempt). */
  readonly seed: number;
  /** 0 by default, as in the paper. */
  readonly temperature: number;
  /** 1 by default, as in the paper. */
  readonly topP: number;
}

/** Token counts as a provider reports them; `cached` is the part of `prompt` that was read from its cache. */
export interface ReportedUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  /** Why generation ended, in the provider's word (`stop`, `length`, …). */
  | { readonly type: 'finish'; readonly reason: string };

export interface Model {
  /** As the user names it: `scripted`, `manual`, `openai:gpt-…`. */
  readonly name: string;
  /** Price in US dollars for 1,000,000 tokens; undefined means unknown, never zero. */
  readonly price?: { readonly prompt: number; readonly completion: number };
  /** Starts generating. Ends early, by throwing the signal's reason, once `signal` is aborted. Failures are {@link ModelFailure}s. */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model that could not answer. `message` is for the user: what failed and what to do. */
export class ModelFailure extends Error {
  override readonly name: string = 'ModelFailure';
  /** True where the same request may succeed later. */
  readonly retryable: boolean;

  constructor(message: string, options: { readonly retryable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}
