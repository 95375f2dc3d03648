/** What the debug adapter needs of the world around it: a run made ready from a launch configuration, and time. */
import type { CompleteLaunchConfiguration } from '../../../schemas/launch/launchConfiguration';
import type { Skill } from '../../../schemas/skill/skill';
import type { Asker } from '../runtime/asker';
import type { Execution } from '../runtime/execution';

/** A skill with everything that its run needs, not yet started. */
export interface OpenedRun {
  readonly execution: Execution;
  readonly skill: Skill;
  /** Their names, as recorded. */
  readonly environment: string;
  readonly model: string;
  /** The skill's folder, absolute. */
  readonly folder: string;
  /** Where the trace is written, as a person would write it; undefined where none is. */
  readonly tracePath: string | undefined;
  /** T, where the run has one from the start. */
  readonly horizon: number | undefined;
  /** The text that a file of the skill has now; undefined where it is gone. `path` is relative to the folder. */
  readText(path: string): Promise<string | undefined>;
  /** Makes what is recorded so far survive the machine; called at every stop. */
  sync(): void;
  /** Lets go of files. Called once, after the execution has come to rest. */
  close(): Promise<void>;
}

/** What a run asks of the session that debugs it. */
export interface RunCallbacks {
  /** Answers for the manual model and the manual environment. */
  readonly asker: Asker;
}

/** Time as the adapter uses it; a test's goes by hand. */
export interface Clock {
  /** Calls back once after so many milliseconds; what it returns takes that back. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Settles once messages that have arrived meanwhile were handled. */
  yieldToMessages(): Promise<void>;
}

export interface DebugHost {
  readonly clock: Clock;
  /** @throws LaunchFailure for whatever a user can put right. */
  open(configuration: CompleteLaunchConfiguration, callbacks: RunCallbacks): Promise<OpenedRun>;
}

/** Why a run could not be made ready: one or more sentences for the user that name file, line and what to do. */
export class LaunchFailure extends Error {
  override readonly name: string = 'LaunchFailure';
}
