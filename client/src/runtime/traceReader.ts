/**
 * A trace of any length, read a piece at a time: its first steps are there before the rest is read, compact columns
 * answer for every step, and the records themselves are read again when somebody looks at them.
 */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Sha256 } from '../../../schemas/text/digest';
import type {
  AttemptRecord,
  ChainedRecord,
  CommitRecord,
  EditRecord,
  EndRecord,
  IntentRecord,
  OutcomeRecord,
  RecordedFile,
  RejectionRecord,
  RunRecord,
  TraceProblem,
  WarningRecord,
} from '../../../schemas/trace/trace';
import type { ActingChange } from './acting';
import { IndexedTrace } from './indexedTrace';
import type { Interruption } from './interruptions';
import type { MergePolicies } from './merge';
import type { Prompt } from './prompt';
import type { RejectionClass } from './rejection';
import type { Totals } from './runState';
import type { SumSource } from './tokens';
import type { WarningClass } from './warnings';

export { TraceGap } from './traceGap';

/** The bytes of a trace; hosts/node/traceBytes.ts gives them from a file. */
export interface TraceBytes {
  /** How many there are now; a live run adds to them. */
  size(): Promise<number>;
  /** At most `length` bytes from `offset` on; fewer where the trace ends, or where the host gives fewer at once. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Lets others have their turn. Needed where `read` answers without waiting for a device. */
  pause?(): Promise<void>;
}

/** How far reading has come, in bytes. */
export interface TraceProgress {
  readonly bytesRead: number;
  /** The file's size when it was looked at last. */
  readonly bytes: number;
  /** True where everything that was there has been read. A file that has grown since can be read on. */
  readonly complete: boolean;
}

/** A line of history: the original run (branch 0), or what a fork began. */
export interface TraceBranch {
  readonly id: number;
  /** The line it leaves, and in which of its steps; undefined for branch 0, or where the fork's record can't be read. */
  readonly parent: { readonly branch: number; readonly step: number } | undefined;
  /** How many steps there are along its line, those before the fork included: they are 0 to `steps - 1`. */
  readonly steps: number;
  /** Its first own step; those before it are its parent's. */
  readonly ownFrom: number;
  /** Why it ended; undefined for one that was killed, left, or is going on. */
  readonly end: EndRecord | undefined;
  /** The skill's files, where the branch goes on with another skill than its parent. */
  readonly skill: readonly RecordedFile[] | undefined;
  /** Where others than those of the run record act along its line, oldest first; left out where nobody else does. */
  readonly acting?: readonly ActingChange[] | undefined;
}

/**
 * How a step stands. `skipped`: its attempts ran out and the world moved on without an action. `failed`: they ran out
 * and nothing was done. `running`: nothing has ended it yet. `unreadable`: the trace has lost it.
 */
export type StepStatus = 'accepted' | 'refused' | 'skipped' | 'failed' | 'running' | 'unreadable';

/** The tokens of a step, all attempts added up. */
export interface StepTokenSums {
  readonly instructions: number;
  readonly state: number;
  readonly observation: number;
  readonly scaffold: number;
  readonly completion: number;
  readonly cached: number;
  /** The part of `completion` that a reasoning model thought with. */
  readonly thinking: number;
  /** What of `prompt` and `completion` went into requests that failed, as far as it was reported. */
  readonly failed: number;
  /** What of them went into rejected attempts, prompts and replies together. */
  readonly retried: number;
  /** Who counted them; `estimated` without attempts. The split of the prompt is always an estimate. */
  readonly source: SumSource;
  /** How many of `prompt` and `completion` are estimated. */
  readonly estimated: number;
  /** How many of those the extension counted that has the model, and no tokenizer of the run's. */
  readonly byExtension: number;
  /** The prompts as the provider reported them, those of failed requests too; where it did not, the sum of the split. */
  readonly prompt: number;
}

/** A step at a glance. */
export interface StepSummary {
  /** The branch that was asked for. */
  readonly branch: number;
  readonly step: number;
  readonly status: StepStatus;
  /** a_t on its way to the environment, cut off after 120 characters; undefined where it came to none. */
  readonly action: string | undefined;
  /** a_t of a reply that was not rejected, before it is on its way to the environment; cut off as `action` is. */
  readonly chosen: string | undefined;
  /** The first top-level keys of Σ that the step's commits and edits wrote, long ones cut off. */
  readonly changedKeys: readonly string[];
  /** How many top-level keys of Σ they wrote. */
  readonly changedCount: number;
  readonly attempts: number;
  /** Requests to the model that failed and were made again; they are no attempts. */
  readonly failedRequests: number;
  readonly rejections: number;
  /** Of the rejected replies, those that were cut at a limit of tokens. */
  readonly cutReplies: number;
  /** Without repetitions. */
  readonly rejectionClasses: readonly RejectionClass[];
  readonly warnings: number;
  /** Without repetitions. */
  readonly warningClasses: readonly WarningClass[];
  readonly tokens: StepTokenSums;
  /** US dollars; undefined where no price is known for one of its attempts. */
  readonly cost: number | undefined;
  /** US dollars of those attempts of which it is known. */
  readonly knownCost: number;
  /** US dollars: no more than so much; undefined where nobody knows that of one attempt. */
  readonly costAtMost: number | undefined;
  readonly accepted: boolean;
  /** The environment said that the episode is over. */
  readonly done: boolean;
  /** Somebody changed the state, the patch, the action or the observation by hand. */
  readonly edited: boolean;
  /** The branches that begin in this step. */
  readonly forks: readonly number[];
}

/** A stretch of steps in a graph. */
export interface Bin {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Sums over the stretch. */
  readonly tokens: StepTokenSums;
  /** The largest sum of prompt split and completion that one of its steps has. */
  readonly peak: number;
  readonly attempts: number;
  readonly rejections: number;
  readonly warnings: number;
  /** How many of its steps were refused, failed or skipped. */
  readonly refused: number;
  readonly failed: number;
  /** How many branches begin in it. */
  readonly forks: number;
  /** US dollars; undefined where one of its attempts has no known price. */
  readonly cost: number | undefined;
  /** US dollars of those attempts of which it is known. */
  readonly knownCost: number;
  /** US dollars: no more than so much; undefined where nobody knows that of one attempt. */
  readonly costAtMost: number | undefined;
}

/** One step, as its records tell it. */
export interface RecordedStep {
  readonly step: number;
  /** O_t, as the step began. */
  readonly observation: string;
  readonly attempts: readonly {
    readonly record: AttemptRecord;
    readonly rejection: RejectionRecord | undefined;
  }[];
  /** In order: the model's, then the environment's facts. */
  readonly commits: readonly CommitRecord[];
  readonly intent: IntentRecord | undefined;
  readonly outcome: OutcomeRecord | undefined;
  readonly warnings: readonly WarningRecord[];
  /** What was changed by hand, in order. */
  readonly edits: readonly EditRecord[];
  /** Σ_t, where the step's record holds it whole. */
  readonly keyframe: JsonObject | undefined;
  /** All of its records along the line of history, in order. */
  readonly records: readonly ChainedRecord[];
}

/** A prompt as it was sent, made again from what the trace holds. */
export interface RecordedPrompt {
  readonly prompt: Prompt;
  /** False where it isn't the one that the trace names by its hash; undefined where nobody can tell (no `sha256`). */
  readonly matches: boolean | undefined;
}

/** Steps and states of a trace. A step or branch that isn't there is a RangeError. */
export interface TraceReader {
  /** There as soon as the first page is. */
  readonly header: RunRecord | undefined;
  /** What is wrong with the trace, at most 200 findings; more may come as reading goes on. */
  readonly problems: readonly TraceProblem[];
  /** How many more there are. */
  readonly problemsLeftOut: number;
  readonly progress: TraceProgress;
  /**
   * Reads on until the end of the file as it is now; call again when it has grown (a live run). While it reads, others
   * have their turn; further calls wait for the one under way.
   *
   * @throws what `signal` was aborted with, and whatever the host's `read` throws
   */
  read(signal?: AbortSignal): Promise<void>;
  /** Calls `listener` after each piece that was read, never in the middle of one. Returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** In the order of their ids; branch 0 is there as soon as one record is. */
  readonly branches: readonly TraceBranch[];
  /** From columns, without reading the trace again. */
  summary(branch: number, step: number): StepSummary;
  /** Sums over the steps before `step`, from 0 to the branch's `steps`. */
  totals(branch: number, step: number): Totals;
  /** The steps `from` to `to` (exclusive) in stretches of equal length, the last one perhaps shorter: at most `count`. */
  bins(branch: number, from: number, to: number, count: number): readonly Bin[];
  /** The records of a step along the branch's line of history, read again from the trace. */
  recordsOf(branch: number, step: number): Promise<readonly ChainedRecord[]>;
  step(branch: number, step: number): Promise<RecordedStep>;
  /** The requests by which the run ended in a step, oldest first, whether it has gone on or not; from memory. */
  interruptions(branch: number, step: number): readonly Interruption[];
  /** Σ_t, from 0 to the branch's `steps` (the state after the last one). */
  stateAt(branch: number, step: number): Promise<JsonObject>;
  /** False where lines that can't be read may have changed Σ_t since the last state that was recorded whole. */
  isStateCertain(branch: number, step: number): boolean;
  /** The exact prompt of an attempt, from 1. */
  promptOf(branch: number, step: number, attempt: number): Promise<RecordedPrompt>;
  /** The array policies under which the patches of a step were merged. */
  policiesAt(branch: number, step: number): Promise<MergePolicies>;
  /** False where the step has surely not written at, below or above `path`; from columns. */
  mayWrite(branch: number, step: number, path: JsonPath): boolean;
}

export interface TraceReaderOptions {
  readonly bytes: TraceBytes;
  /** With it, recorded hashes are checked. */
  readonly sha256?: Sha256;
}

/** Makes a reader; nothing is read before `read`. */
export function createTraceReader(options: TraceReaderOptions): TraceReader {
  return new IndexedTrace(options);
}
