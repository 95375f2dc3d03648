/** What a model is set to beside its name. It is recorded in traces as plain settings, so nothing of it is secret. */
import type { Settings } from '../runtime/options';

/** How a reply is held to its format while it is written; `auto` leaves the choice to a probe of the server. */
export const decodings = ['auto', 'free', 'json-schema', 'operations', 'grammar'] as const;

export type Decoding = (typeof decodings)[number];

/**
 * How a reply travels. `free`: as the prompt asks. `json-schema`: one JSON object of `reasoning`, `state_patch` and
 * `action`. `operations`: the same with the patch as a list of set and delete. `grammar`: prose and the fenced block,
 * as the prompt asks, held to it by a grammar.
 */
export type Encoding = Exclude<Decoding, 'auto'>;

/** Where in a request the constraint stands; each provider has its own names for that. */
export type Placement = string;

export interface ModelSettings {
  /** Of a server that speaks OpenAI's protocol, such as `http://127.0.0.1:8080/v1`; without user name and password. */
  readonly baseUrl?: string | undefined;
  readonly decoding?: Decoding | undefined;
  /** What `auto` came to. */
  readonly encoding?: Encoding | undefined;
  readonly placement?: Placement | undefined;
  /** Parameters that requests do without, since the model was found not to take them: `temperature, seed`. */
  readonly without?: string | undefined;
  /** Of a pattern such as `vscode:copilot`: the model that it came to, as `vendor/family/id`. */
  readonly editorModel?: string | undefined;
  /** In the provider's words: `minimal`, `low`, `medium`, `high`. */
  readonly reasoningEffort?: string | undefined;
  /** Gemini: the most tokens it may think; 0 for none, -1 leaves it to the model. */
  readonly thinkingBudget?: number | undefined;
  /** Seconds without anything from the server after which a request is given up. */
  readonly timeout?: number | undefined;
  /** How often a request that failed is made again. */
  readonly requestRetries?: number | undefined;
  /** Gemini on Vertex AI. */
  readonly vertexProject?: string | undefined;
  readonly vertexLocation?: string | undefined;
  /** The scripted model's: the share of replies that have a fault, from 0 to 1. */
  readonly faults?: number | undefined;
  readonly faultSeed?: number | undefined;
}

/** In seconds. */
export const defaultTimeout = 120;
export const defaultRequestRetries = 4;

/** As they are recorded: without what isn't set. */
export function recordedSettings(settings: ModelSettings): Settings {
  return Object.fromEntries(
    Object.entries(settings).filter(
      (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
    ),
  );
}

/**
 * From a recording; what isn't known, or can't be such a value, is left out. What says to whom requests go stays, whatever it
 * is: left out, it would send them to somebody else, and who makes the model refuses what is no address.
 */
export function readSettings(settings: Settings): ModelSettings {
  const address = (name: string) => {
    const value = settings[name];
    return value === undefined ? undefined : String(value);
  };
  const text = (name: string) => {
    const value = settings[name];
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string) => {
    const value = settings[name];
    return typeof value === 'number' ? value : undefined;
  };
  const timeout = number('timeout');
  const decoding = decodings.find((one) => one === settings.decoding);
  const encoding = decodings.find((one): one is Encoding => one !== 'auto' && one === settings.encoding);
  return {
    baseUrl: address('baseUrl'),
    decoding,
    encoding,
    placement: text('placement'),
    without: text('without'),
    editorModel: text('editorModel'),
    reasoningEffort: text('reasoningEffort'),
    thinkingBudget: number('thinkingBudget'),
    timeout: timeout !== undefined && timeout > 0 ? timeout : undefined,
    requestRetries: number('requestRetries'),
    vertexProject: address('vertexProject'),
    vertexLocation: address('vertexLocation'),
    faults: number('faults'),
    faultSeed: number('faultSeed'),
  };
}
