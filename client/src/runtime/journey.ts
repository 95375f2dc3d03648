/**
 * A run that can be gone through in both directions: a cursor over the steps of all its branches. In the past it repeats
 * what was recorded; at the tip of a branch the run is live. What differs from the past becomes a branch of its own.
 */
import type { ReplyCheck } from '../../../schemas/messages/questionMessages';
import type { Skill } from '../../../schemas/skill/skill';
import type { ChainedRecord, RecordedFile } from '../../../schemas/trace/trace';
import type { Acting } from './acting';
import type { EditRefusal, StateEdit } from './edits';
import type { Environment } from './environment';
import type { Execution, PhaseReport, RunHost } from './execution';
import type { MemorySteps } from './memorySteps';
import type { MergePolicies } from './merge';
import type { Model } from './model';
import type { RunOptions, RunSettings } from './options';
import type { RunEnd, RunState } from './runState';
import type { Tokenizer } from './tokens';

/** Who acts in a live run. */
export interface Participants {
  readonly environment: Environment;
  readonly model: Model;
}

/** A line of history. */
export interface Branch {
  readonly id: number;
  /** The line it leaves, and the step in which it does; undefined for the original run. */
  readonly parent: { readonly branch: number; readonly step: number } | undefined;
  /** Its first own step. */
  readonly from: number;
  /** How many steps there are along its line. */
  readonly steps: number;
  readonly end: RunEnd | undefined;
  /** True where it goes on with another skill than the branch that it leaves. */
  readonly skillChanged: boolean;
}

/** A place between two phases. */
export interface JourneyPlace {
  readonly branch: number;
  readonly step: number;
  /** How many phases of the step lie before it. */
  readonly index: number;
}

export interface JourneyPosition extends JourneyPlace {
  /** True where the phase that comes next is new, not one that was recorded. */
  readonly live: boolean;
  /** True where nothing comes next: the run has ended for good, or its record has and nobody is there to go on. */
  readonly atEndOfRecord: boolean;
}

export type ForkResult =
  | { readonly ok: true; readonly branch: number }
  | (EditRefusal & { readonly ok: false });

export type EditResult =
  | {
      readonly ok: true;
      readonly branch: number;
      /** Whether a branch began for it. */
      readonly forked: boolean;
    }
  | (EditRefusal & { readonly ok: false });

export interface Journey extends Execution {
  readonly branches: readonly Branch[];
  readonly position: JourneyPosition;
  /** The skill of the branch at the cursor. */
  readonly skill: Skill;
  /** Why no branch can begin at the cursor; undefined where one can. */
  readonly forkObstacle: string | undefined;
  /** What going back will leave as it is, for the user; undefined where everything goes back. */
  readonly notUndone: string | undefined;
  /** True where an action that is under way may be given up: a person is asked what it led to. */
  readonly mayGiveUpActions: boolean;
  /** Why steps are shown that this program would have decided otherwise, once such a step was seen. */
  readonly deviation: string | undefined;
  /** All phases carried out in a step, in order. @throws RangeError */
  reportsOf(branch: number, step: number): Promise<readonly PhaseReport[]>;
  /** The records of a step on a branch's line, in order. @throws RangeError */
  recordsOf(branch: number, step: number): Promise<readonly ChainedRecord[]>;
  /** The run at the start of a step. @throws RangeError */
  startOf(branch: number, step: number): Promise<RunState>;
  /** The array policies under which the patches of a step on a branch's line are merged. */
  policiesAt(branch: number, step: number): Promise<MergePolicies>;
  /** Moves the cursor. The end of a complete step is the start of the next. @throws RangeError */
  goTo(target: JourneyPlace): Promise<void>;
  /** Begins a branch at the cursor, or, with another skill, at the start of its step. */
  fork(options?: { readonly skill?: Skill }): Promise<ForkResult>;
  /** Why an edit would be refused where the cursor is, whatever its branch; undefined where it wouldn't. */
  refusalOf(edit: StateEdit): EditRefusal | undefined;
  /** What would become of a text as the reply that comes next; undefined where none does. Changes nothing. */
  checkReply(text: string): ReplyCheck | undefined;
  /** Changes something by hand; in the past on a branch that begins for it. */
  edit(edit: StateEdit): Promise<EditResult>;
  /** True while a record is gone through of which not everything has been read. */
  readonly isReading: boolean;
  /**
   * Waits for a part of a record, until it is read or nothing more will be read.
   *
   * @throws what `signal` was aborted with
   */
  read(part: RecordPart, signal: AbortSignal): Promise<void>;
}

/** What of a record is waited for: what the phase that comes next needs, a step as it stays, or everything. */
export type RecordPart = 'next' | 'whole' | Pick<JourneyPlace, 'branch' | 'step'>;

/** The reading of a record that is gone through already. */
export interface RecordReading {
  /** True where nothing more will be read. */
  readonly isOver: boolean;
  /** Settles as soon as something is there, or nothing more will be read. @throws what `signal` was aborted with */
  until(isThere: () => boolean, signal: AbortSignal): Promise<void>;
  /** Why nobody can go on from the record, as everything that was read tells it; undefined where somebody can. */
  readonly missing: string | undefined;
}

/** The part of a host that a journey needs beside that of an execution. */
export interface JourneyHost extends RunHost {
  /**
   * Makes ready for the first record that is added to a recorded run.
   *
   * @throws RunFailure where nothing can be added
   */
  beginRecording?(): Promise<void>;
  /** Lets others have their turn, where many steps are made again. */
  pause?(): Promise<void>;
}

/** What was recorded before, where a record is opened. */
export interface RecordedRun {
  readonly steps: MemorySteps;
  /** The id of the run record, and the highest one there is. */
  readonly headerId: number;
  lastId(): Promise<number>;
  /** Who acted on a branch until after a record, or, with `inclusive`, when the branch went on after it last. */
  actingAt(branch: number, id: number, inclusive?: boolean): Acting;
  /** The skill that recorded files make. */
  skillOf(files: readonly RecordedFile[]): Promise<Skill>;
  /** Where not everything has been read yet: more steps and branches may come, and none goes away. */
  readonly reading?: RecordReading;
  /** The branch on whose line the journey begins, where there is such a one; else it is the last one. */
  readonly branch?: number;
}

export interface JourneyOptions {
  readonly skill: Skill;
  /** Who goes on where the record ends; else why nobody does, as a sentence for the user. */
  readonly participants: Participants | { readonly missing: string };
  readonly tokenizer: Tokenizer;
  readonly options: RunOptions;
  readonly settings: RunSettings;
  readonly host: JourneyHost;
  /** Whether branches may begin in an environment that can't be taken back. */
  readonly forkWithoutRewind?: boolean;
  readonly recorded?: RecordedRun;
}
