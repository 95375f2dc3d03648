/** What the runtime asks of an environment: the world in which actions are executed and scored. */
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import type { RunOptions } from './options';

export interface ResetOptions {
  /** A non-negative integer from which the whole episode follows. */
  readonly seed: number;
  /** T, how many events the episode has; undefined lets the environment decide. */
  readonly horizon: number | undefined;
  /**
   * With `commit: on-accept` a refused action leaves Σ, so the next observation carries the event it did not
   * serve once more, between the result and the next event.
   */
  readonly repeatUnserved: boolean;
}

/** How the episodes of a run start. */
export function resetOptionsOf({
  seed,
  horizon,
  commit,
}: Pick<RunOptions, 'seed' | 'horizon' | 'commit'>): ResetOptions {
  return { seed, horizon, repeatUnserved: commit === 'on-accept' };
}

/** What an action led to. `observation` is O_{t+1}; `facts` is a merge patch to fields that only the environment writes. */
export interface Outcome {
  readonly observation: string;
  /** False where the environment refused the action and nothing changed. */
  readonly accepted: boolean;
  /** True when the episode is over and no further step follows. */
  readonly done: boolean;
  readonly facts?: JsonObject;
}

/** Score = successful actions / actionable events, against the environment's own world (paper, SkillExecBench). */
export interface Score {
  readonly actionable: number;
  readonly successful: number;
}

export interface Environment {
  /** As the user names it: `warehouse`, `manual`, … */
  readonly name: string;
  /**
   * True where `reset` and the same actions give the same outcomes, so that a resumed run may execute them again.
   * Of any other environment a resumed run takes the recorded outcomes, and never executes an action twice silently.
   */
  readonly deterministic: boolean;
  /** True where executing an action a second time does no harm, since a person is asked what it led to. */
  readonly harmless?: boolean;
  /** T where nobody says one; undefined where the environment has no horizon of its own. */
  readonly defaultHorizon?: number;
  /** Starts an episode; gives O_0. May be called again. */
  reset(
    options: ResetOptions,
    signal: AbortSignal,
  ): Promise<{ readonly observation: string; readonly done: boolean }>;
  /** Executes a_t. */
  execute(action: string, signal: AbortSignal): Promise<Outcome>;
  /** A step without action (`onExhausted: continue`): the world moves on, and `Rejected: <reason>` takes the place of the result. */
  skip(reason: string, signal: AbortSignal): Promise<Outcome>;
  /** The whole world as JSON, and back. */
  snapshot?(): JsonValue;
  restore?(snapshot: JsonValue): void;
  /**
   * For an environment without a world of its own, such as a person: goes on as after so many observations, O_0 among
   * them, wherever it stood.
   */
  standAfter?(observations: number): void;
  /** The world projected on Σ's schema, for comparison with Σ. */
  truth?(): JsonObject;
  /** The score so far. */
  score?(): Score;
  /** Signatures of the actions it knows, such as `Store <item_id> <empty_shelf_id>`. */
  readonly actions?: readonly string[];
  /** Whether a name lies in a range that the environment declares, such as `shelf_0` to `shelf_499`. */
  declares?(name: string): boolean;
  /** Actions that complete what has been typed so far, at a terminal. */
  complete?(typed: string): readonly string[];
}

/** An environment that could not carry out what was asked, as opposed to refusing an action. */
export class EnvironmentFailure extends Error {
  override readonly name: string = 'EnvironmentFailure';
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
  }
}
