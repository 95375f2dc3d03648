/** The options of a run, their defaults, and the caps that end it. */

export type CommitOrder = 'on-propose' | 'on-accept';
export type OnExhausted = 'reobserve' | 'continue' | 'stop';

/** What a run may spend; a run that reaches one ends as `capped`. */
export interface Budget {
  readonly steps?: number;
  readonly tokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly seconds?: number;
  /** Serialised bytes of Σ above which a warning is given. Not a cap. */
  readonly stateBytes?: number;
}

/** Sizes beyond which a reply is rejected as `limit`, whatever the schema says. */
export interface Limits {
  /** UTF-16 units of one reply; generation is cut there. */
  readonly replyCharacters: number;
  /** Nesting of the patch, and of Σ. */
  readonly depth: number;
  /** Serialised UTF-16 units of Σ' after a merge. */
  readonly stateCharacters: number;
}

export interface RunOptions {
  readonly seed: number;
  readonly horizon: number | undefined;
  readonly commit: CommitOrder;
  /** Further attempts after a rejected one. */
  readonly maxRetries: number;
  readonly onExhausted: OnExhausted;
  /** With `reobserve`, the run stops after so many exhausted steps in a row. */
  readonly exhaustedInARow: number;
  readonly budget: Budget;
  readonly limits: Limits;
  readonly temperature: number;
  readonly topP: number;
  /** The temperature from a step's second attempt on; by default the same: at 0 a model repeats its mistake. */
  readonly retryTemperature?: number | undefined;
  /** The most tokens of one reply; undefined leaves it to the provider. */
  readonly maxTokens?: number | undefined;
  /** Σ is written whole every so many steps. */
  readonly keyframeEvery: number;
}

/** What a model or an environment was set to, beside its name; recorded. Never a key or a header. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface RunSettings {
  readonly environment: Settings;
  readonly model: Settings;
}

export const defaultRunOptions: RunOptions = {
  seed: 0,
  horizon: undefined,
  commit: 'on-propose',
  maxRetries: 2,
  onExhausted: 'reobserve',
  exhaustedInARow: 3,
  budget: {},
  limits: { replyCharacters: 1_000_000, depth: 64, stateCharacters: 1_000_000 },
  temperature: 0,
  topP: 1,
  keyframeEvery: 64,
};
