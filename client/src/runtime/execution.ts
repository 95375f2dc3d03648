/** The one loop that performs effects: each `advance` carries out exactly one phase, and everything hangs on that. */
import type { Skill } from '../../../schemas/skill/skill';
import type { Sha256 } from '../../../schemas/text/digest';
import type { TraceRecord } from '../../../schemas/trace/trace.generated';
import type { Environment } from './environment';
import type { Model } from './model';
import type { RunOptions, RunSettings } from './options';
import type { Rejection } from './rejection';
import type { Phase, RunEnd, RunState } from './runState';
import type { Tokenizer } from './tokens';

/** What the runtime needs of its host. Each has a real and an in-memory implementation. */
export interface RunHost {
  readonly sha256: Sha256;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Takes one record, in order; called before the next effect starts. Throws where it can't be written. */
  record(record: TraceRecord): void;
  /** The reply so far grew by `text`. */
  onText?(text: string): void;
}

export interface ExecutionOptions {
  readonly skill: Skill;
  readonly environment: Environment;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  readonly options: RunOptions;
  /** Recorded with the run: what model and environment were set to, beside their names. */
  readonly settings: RunSettings;
  readonly host: RunHost;
  /** The records of an interrupted run, to be repeated before going on live; see resume.ts. */
  readonly recorded?: readonly TraceRecord[];
}

/** What one phase did. */
export interface PhaseReport {
  readonly phase: Phase;
  readonly before: RunState;
  readonly after: RunState;
  /** Set where this phase rejected the reply. */
  readonly rejection: Rejection | undefined;
  /** The records written by this phase. */
  readonly records: readonly TraceRecord[];
}

export interface Execution {
  /** Between two phases. Undefined before `start`. */
  readonly run: RunState | undefined;
  /** While `generate` runs: what the model said so far. Else empty. */
  readonly partialReply: string;
  /** Resets the environment, takes O_0 and Σ_0 and writes the `run` record. */
  start(signal: AbortSignal): Promise<RunState>;
  /**
   * Carries out the next phase. Where `signal` is aborted, throws its reason and the run stays before that phase.
   * A {@link ModelFailure} or {@link EnvironmentFailure} ends the run as `stopped` and is thrown.
   */
  advance(signal: AbortSignal): Promise<PhaseReport>;
  /** Ends the run from outside (cancelled by its user) and records that; does nothing once it has ended. */
  end(end: RunEnd): void;
}
