/** Where a journey has its steps from: their records, and the runs at the starts of some of them. */
import type { ChainedRecord, EndRecord, RecordedFile } from '../../../schemas/trace/trace';
import type { Interruption } from './interruptions';
import type { RunState } from './runState';

/** A line of history up to its tip. */
export interface SourceBranch {
  readonly id: number;
  /** The line it leaves, and the step in which it does. */
  readonly parent: { readonly branch: number; readonly step: number } | undefined;
  /** Its first own step, that of the fork. */
  readonly from: number;
  /** The last step that has records. */
  readonly last: number;
  readonly end: EndRecord | undefined;
  /** The skill's files, where it goes on with another skill than its parent. */
  readonly skill: readonly RecordedFile[] | undefined;
}

export interface StepSource {
  /** In the order of their ids. */
  readonly branches: readonly SourceBranch[];
  branch(id: number): SourceBranch | undefined;
  /** A step's records along a branch's line, in order; none for the step after the last one. */
  records(branch: number, step: number): Promise<readonly ChainedRecord[]>;
  /** The requests by which the run ended in a step before it went on there, oldest first. */
  interruptions(branch: number, step: number): readonly Interruption[];
  /** The run at the start of the step, or of the nearest one before it that is known. */
  checkpoint(branch: number, step: number): Promise<RunState>;
  /** The first step from one on, up to a branch's last, of which the record has something. */
  nextRecorded(branch: number, step: number): Promise<number>;
  /** The run at the start of a step before which the record has lost something, as far as it can be told. */
  startAfterGap(branch: number, step: number): Promise<RunState>;
  /** Milliseconds that the run was active before a step; undefined where nobody has kept them. */
  activeMilliseconds(branch: number, step: number): number | undefined;
}

/** The branch on which a step of a line was recorded. */
export function ownerOf(source: Pick<StepSource, 'branch'>, branch: number, step: number): number {
  let id = branch;
  for (;;) {
    const found = source.branch(id);
    if (found?.parent === undefined || step >= found.from || found.parent.branch >= id) return id;
    id = found.parent.branch;
  }
}
