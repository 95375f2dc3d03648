/** What the debug adapter needs of the world around it: a run made ready from a launch configuration, and time. */
import type { CompleteLaunchConfiguration } from '../../../schemas/launch/launchConfiguration';
import type { WantedModel } from '../../../schemas/messages/samplingMessages';
import type { Skill } from '../../../schemas/skill/skill';
import type { Asker } from '../runtime/asker';
import type { Journey } from '../runtime/journey';
import type { Model, ModelNotice } from '../runtime/model';
import type { RunOptions } from '../runtime/options';
import type { Redaction } from '../runtime/redaction';
import type { RunState } from '../runtime/runState';
import type { Tokenizer } from '../runtime/tokens';
import type { TraceProgress } from '../runtime/traceReader';

/** A run with everything that it needs, not yet started. */
export interface OpenedRun {
  /** What is gone through; its `skill` is the one at the place where the run stands. */
  readonly execution: Journey;
  /** Their names, as recorded. */
  readonly environment: string;
  readonly model: string;
  /** The skill's folder, absolute; undefined for a recorded run whose folder nobody knows. */
  readonly folder: string | undefined;
  /** Where the trace is, absolute; undefined where there is none. Another file may be written with the first branch. */
  tracePath(): string | undefined;
  /** True for a run that was recorded before. */
  readonly isReplay: boolean;
  readonly options: RunOptions;
  /** How many requests an attempt may make of the model, the first one included; undefined where nobody knows. */
  readonly mostRequests?: number | undefined;
  /** Where models of which samples are drawn come from; left out where there are none. */
  readonly sampling?: SamplingHost | undefined;
  /** What is worth knowing of it, such as what is wrong in a record as far as that was read; a sentence each. */
  readonly notes: readonly string[];
  /** Where a record is read on while it is gone through already. */
  readonly reading?: RecordInProgress | undefined;
  /** The text that a file of the skill has now; undefined where it is gone. `path` is relative to the folder. */
  readText(path: string): Promise<string | undefined>;
  /**
   * The skill as its files are now.
   *
   * @throws LaunchFailure where it can't run
   */
  loadEdited(): Promise<Skill>;
  /** Makes what is recorded so far survive the machine; called at every stop. */
  sync(): void;
  /** Lets go of files. Called once, after the execution has come to rest. */
  close(): Promise<void>;
}

/** Makes models of which samples are drawn: nobody else asks them, and the run's own is left alone. */
export interface SamplingHost {
  /**
   * By default the session's own, set as it is.
   *
   * @throws LaunchFailure where there is none, or nobody can draw samples of it
   */
  model(wanted: WantedModel | undefined): Promise<{
    readonly model: Model;
    /** How many samples are asked for at once. */
    readonly concurrency: number;
  }>;
  tokenizer(): Promise<Tokenizer>;
  /** What is kept out of replies. */
  readonly redaction?: Redaction | undefined;
}

/** A record that is being read. */
export interface RecordInProgress {
  /** In bytes. */
  readonly progress: TraceProgress;
  /** Settles when nothing more will be read; never rejects. */
  readonly ended: Promise<void>;
  /** Reads no further; what has been read can be gone through. */
  stop(): void;
}

/** What a run asks of the session that debugs it. */
export interface RunCallbacks {
  /** Answers for the manual model and the manual environment. */
  readonly asker: Asker;
  /** Aborted when the session ends. */
  readonly signal?: AbortSignal;
  /** The reply that is under way grew. */
  onText?(): void;
  /** Something was told of the request that is under way. */
  onNotice?(notice: ModelNotice, run: RunState): void;
}

/** Time as the adapter uses it; a test's goes by hand. */
export interface Clock {
  /** Calls back once after so many milliseconds; what it returns takes that back. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Settles once messages that have arrived meanwhile were handled. */
  yieldToMessages(): Promise<void>;
}

/** Waits for work, no longer than so many milliseconds; it goes on then. @throws what it fails with until then */
export async function waitAtMost(clock: Clock, milliseconds: number, work: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const forget = clock.after(milliseconds, resolve);
    work.then(() => resolve(), reject).finally(forget);
  });
}

/** After so many phases without a pause, messages that arrived get their turn. */
export const phasesInARow = 14;

export interface DebugHost {
  readonly clock: Clock;
  /** @throws LaunchFailure for whatever a user can put right. */
  open(configuration: CompleteLaunchConfiguration, callbacks: RunCallbacks): Promise<OpenedRun>;
  /**
   * Told of what was thrown by mistake of whoever wrote this, and of which users see the message alone. May be told of the
   * host's own failures too, which it knows.
   */
  readonly onBug?: ((error: unknown, during: string) => void) | undefined;
}

/** What a client offers beside a message, as DAP's `Message` has it: a label, and what it opens. */
export interface Remedy {
  readonly label: string;
  readonly url: string;
}

/** Why a run could not be made ready: one or more sentences for the user that name file, line and what to do. */
export class LaunchFailure extends Error {
  override readonly name: string = 'LaunchFailure';
  readonly remedy: Remedy | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly remedy?: Remedy | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
  }
}
