/** What models need of their host: a person, keys, the network, recordings, the editor's own models. */
import type { Sha256 } from '../../../schemas/text/digest';
import type { Asker } from '../runtime/asker';
import type { ModelEvent, ModelPrice, ModelRequest } from '../runtime/model';
import type { TraceReader } from '../runtime/traceReader';
import type { ProbeStore } from './decoding/probe';
import type { Fetch } from './http/fetch';
import type { ModelSettings } from './modelSettings';

/** Whose key is wanted. */
export interface KeyOwner {
  readonly provider: 'openai' | 'gemini';
  /** The origin that the key is sent to, such as `https://api.openai.com`: a key goes nowhere else. */
  readonly origin: string;
  /**
   * Whether requests can't be made without one: hosted services, and servers that asked for one. Others may do without, and
   * get none that wasn't given for them.
   */
  readonly required: boolean;
}

/** Where keys come from: the environment's variables, or the editor's secret storage. */
export interface KeySource {
  /**
   * A key, asked for where there is none and somebody can be asked. Undefined where there is none.
   *
   * @throws the signal's reason
   */
  get(owner: KeyOwner, signal: AbortSignal): Promise<string | undefined>;
  /** What to do about a missing or refused key, a sentence for the user. */
  advice(owner: KeyOwner): string;
  /**
   * A key was not taken: it isn't used again, and another is asked for where somebody can be asked.
   *
   * @param key the one that was sent, which need not be the latest that was given out; undefined where one was wanted and none sent
   */
  refused?(owner: KeyOwner, key: string | undefined): Promise<void>;
}

/** A language model of the editor's; see hosts/vscode. */
export interface EditorModel {
  readonly vendor: string;
  readonly family: string;
  readonly id: string;
  readonly name: string;
  readonly maxInputTokens: number;
}

export interface EditorModels {
  list(signal: AbortSignal): Promise<readonly EditorModel[]>;
  /**
   * The model that a name means, the first where there are several.
   *
   * @param name what follows `vscode:`: `vendor/family/id`, with `*` or nothing for any
   * @throws ModelFailure where there is none; the signal's reason
   */
  find(name: string, signal: AbortSignal): Promise<EditorModel>;
  /**
   * @param name as above
   * @param timeout seconds without anything from the model after which it is given up. Failures are ModelFailures.
   */
  generate(
    name: string,
    request: ModelRequest,
    signal: AbortSignal,
    timeout?: number,
  ): AsyncIterable<ModelEvent>;
}

/** Time and chance, for waiting between requests; a test's go by hand. */
export interface Waiting {
  /** Settles after so many milliseconds. @throws the signal's reason */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What some models need; the others leave it alone. */
export interface ModelResources {
  /** Who types the replies of `manual`. */
  readonly asker: Asker;
  /** The name of the environment for which `scripted` acts. */
  readonly environment: string;
  readonly sha256: Sha256;
  readonly settings?: ModelSettings | undefined;
  readonly keys?: KeySource | undefined;
  /** By default the global one at the time of each request, which an editor may have replaced. */
  readonly fetch?: Fetch | undefined;
  readonly waiting?: Waiting | undefined;
  /** What is known of servers already. */
  readonly probes?: ProbeStore | undefined;
  /** Told before a server is asked what it can be held to, which may take minutes. */
  readonly onProbe?: ((server: string, model: string) => void) | undefined;
  /** Prices that the user gave, by a model's name with or without its provider; they win over the built-in ones. */
  readonly prices?: ReadonlyMap<string, ModelPrice> | undefined;
  /** Undefined where there is no editor. */
  readonly editorModels?: EditorModels | undefined;
  /** Opens a recording for `replay:<path>`. */
  readonly openRecording?: ((path: string) => Promise<TraceReader>) | undefined;
}
