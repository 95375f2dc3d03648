/** What the runtime asks of a language model: an `AsyncIterable` of text and usage under an `AbortSignal`. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';

/** What a reply has to fit, for models that can be held to it while they write. The runtime checks every reply anyway. */
export interface ExpectedReply {
  readonly stateSchema: Skill['stateSchema'];
  readonly actions: Skill['actions'];
  /** Σ_t. */
  readonly state: JsonObject;
}

/** One request. A model answers it from `prompt` alone; the other fields seed sampling, bound the reply and name the request. */
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
  /** The most tokens that a reply may have; undefined leaves it to the provider. */
  readonly maxTokens?: number | undefined;
  readonly expected: ExpectedReply;
}

/**
 * Token counts as a provider reports them, or as the extension that has a model of the editor's counts the texts of prompt
 * and reply. `cached` is the part of `prompt` that was read from its cache, `cacheWritten` the part that was written to it,
 * `thinking` the part of `completion` that a reasoning model used before it answered.
 */
export interface ReportedUsage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWritten?: number;
  readonly thinking?: number;
  /** Set where they aren't what the request took: the extension that has the model has counted texts. */
  readonly estimatedBy?: 'extension';
}

/** A request as it was sent, without what is secret: a key stands in it as the name of its variable. */
export interface SentRequest {
  /** An HTTP method, or `sendRequest` for a model of the editor's. */
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response as it came, its body as far as it was read. */
export interface ReceivedResponse {
  /** The HTTP status; undefined for a model of the editor's, and where the connection failed. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a request took, as its provider reported it. */
export type RequestTokens = Pick<ReportedUsage, 'prompt' | 'completion' | 'cached' | 'thinking'>;

/**
 * A request that failed and is made again, or that ended a run. Where its provider reported tokens, they were taken as
 * those of an answer are; where it reported none, as for what it refused at once, nothing is counted.
 */
export interface FailedRequest {
  readonly class: ModelFailureClass;
  /** One sentence for the user. */
  readonly message: string;
  /** How long is waited before the next request, in milliseconds; undefined where none follows. */
  readonly wait?: number;
  readonly tokens?: RequestTokens;
  /** US dollars; undefined where no tokens were reported, or what they cost is unknown. */
  readonly cost?: number;
  /** US dollars: where the cost is unknown, what it is at most; undefined where that is unknown too. */
  readonly costAtMost?: number;
}

/** What is told of a request beside its answer. */
export type ModelNotice =
  | {
      readonly type: 'request';
      readonly request: SentRequest;
      /**
       * What came of the answer so far: a request that is given up, or cut at a limit, has no `response`. Undefined where
       * nothing has come; left out where that isn't kept.
       */
      readonly received?: (() => ReceivedResponse | undefined) | undefined;
    }
  | { readonly type: 'response'; readonly response: ReceivedResponse }
  /** What a reasoning model thinks before it answers, where the provider sends it apart from the reply; piece by piece. */
  | { readonly type: 'thinking'; readonly text: string }
  /** The request failed and is made again after a while: what came of this reply so far is void. */
  | { readonly type: 'retry'; readonly failure: FailedRequest };

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  /** Why generation ended, in the provider's word (`stop`, `length`, …). */
  | { readonly type: 'finish'; readonly reason: string }
  | ModelNotice;

/** Prices in US dollars for 1,000,000 tokens. */
export interface ModelPrice {
  readonly prompt: number;
  readonly completion: number;
  /** Of the part of a prompt that was read from the provider's cache; the price of `prompt` where it is left out. */
  readonly cached?: number;
  /** Of the part of a prompt that was written to the cache, where that has a price of its own. */
  readonly cacheWritten?: number;
  /** The most tokens that a prompt may have at these prices; what a longer one costs is unknown. */
  readonly largestPrompt?: number;
}

export interface Model {
  /** As the user names it: `scripted`, `manual`, `openai:gpt-…`. */
  readonly name: string;
  /** Undefined means unknown, never zero. */
  readonly price?: ModelPrice | undefined;
  /**
   * What was found out while making ready, such as which encoding the server enforces; recorded with the model's settings,
   * from which a resumed run has it again. Known once `prepare` has settled.
   */
  readonly found?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Names of parameters that requests do without by now, since the model was found not to take them: `temperature`. */
  readonly without?: readonly string[] | undefined;
  /**
   * What a user should know of how this model is asked about such replies, a sentence each: which format it is held to and
   * why, what of the state schema it isn't held to, and what of the run's options doesn't suit it. Known once `prepare` has
   * settled.
   */
  readonly remarks?:
    | ((expected: ExpectedReply, options: Pick<ModelRequest, 'temperature'>) => readonly string[])
    | undefined;
  /** Makes ready before a run begins, so that a missing key is said then; called at most once. @throws ModelFailure */
  readonly prepare?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Starts generating. Ends early, by throwing the signal's reason, once `signal` is aborted. Failures are {@link ModelFailure}s. */
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Why a model could not answer. */
export const modelFailureClasses = [
  /** No key, or one that is not taken. */
  'authentication',
  /** The key is good, and may not do this. */
  'permission',
  'no-such-model',
  'rate-limit',
  /** The account's money or allowance is used up: waiting doesn't help. */
  'quota',
  'context-length',
  'content-filter',
  /** The provider refused the request as wrong. */
  'bad-request',
  'server-error',
  /** What came is no answer of the protocol, or was cut off. */
  'malformed-stream',
  /** Refused, reset, not found, or not to be trusted (certificates). */
  'connection',
  'timeout',
  /** Given up by somebody else than the run, such as the editor's user. */
  'cancelled',
  /** The replies of a person, a file or a recording are used up, or fit no longer. */
  'no-reply',
  'unavailable',
] as const;

export type ModelFailureClass = (typeof modelFailureClasses)[number];

export interface ModelFailureOptions {
  readonly class: ModelFailureClass;
  /** True where the same request may succeed later. */
  readonly retryable: boolean;
  readonly cause?: unknown;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

/** A model that could not answer. `message` is for the user: what failed and what to do; it has no key in it. */
export class ModelFailure extends Error {
  override readonly name: string = 'ModelFailure';
  readonly class: ModelFailureClass;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;

  constructor(message: string, options: ModelFailureOptions) {
    super(message, { cause: options.cause });
    this.class = options.class;
    this.retryable = options.retryable;
    this.retryAfter = options.retryAfter;
  }
}

/** A model that can't be asked as its settings say, whatever its server does: whoever gave them has to correct them. */
export class ModelSettingFailure extends ModelFailure {
  override readonly name: string = 'ModelSettingFailure';

  constructor(message: string, failureClass: 'bad-request' | 'no-such-model' = 'bad-request') {
    super(message, { class: failureClass, retryable: false });
  }
}
