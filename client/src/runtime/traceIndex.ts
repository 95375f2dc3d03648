/** Puts the records of a trace in their places as they are read: branches, steps, stretches of the file. */
import type {
  ChainedRecord,
  ForkRecord,
  ResumedRecord,
  RunRecord,
  TraceRecord,
} from '../../../schemas/trace/trace';
import { BranchLine } from './branchLine';
import { FileStretches } from './fileStretches';
import { Column, Flag, type StepInProgress, StepRows, statusOf } from './stepRows';

/** So many steps may be missing beyond what the lines of the file could have held. */
const maxMissingSteps = 100_000;

/** What became of a record. */
export interface Placed {
  /** What is wrong with its place; undefined where nothing is. */
  readonly problem: string | undefined;
  /** Set for a fork in the middle of a step: its new step begins with those records of `row` whose ids are at most `upTo`. */
  readonly inherits:
    | { readonly step: StepInProgress; readonly row: number; readonly upTo: number }
    | undefined;
}

const placed: Placed = { problem: undefined, inherits: undefined };

type StepRecord = Exclude<ChainedRecord, { kind: 'run' | 'end' | 'fork' }>;

export class TraceIndex {
  readonly rows = new StepRows();
  readonly stretches = new FileStretches();
  readonly branches = new Map<number, BranchLine>();
  /** What steps begin with that a fork in their middle made. */
  readonly inherited = new Map<number, { readonly row: number; readonly upTo: number }>();
  header: RunRecord | undefined;
  /** The trace has a version from the future, of which what is known is read. */
  isNewer = false;
  /** How many lines were taken or lost. */
  #lines = 0;
  #time: number | undefined;
  /** The branch of the record before. */
  #latest: BranchLine | undefined;
  /** Lines were lost since the last record that was taken. */
  #lost = false;
  /** Where ends stand, which a fork may follow. */
  readonly #ends = new Map<number, { readonly line: BranchLine; readonly step: number }>();

  /** Takes a record whose line is the bytes from `start` to `end`, line end included. */
  add(record: TraceRecord, start: number, end: number): Placed {
    this.#lines += 1;
    if (record.kind === 'resumed') {
      this.#resume(record);
      this.#time = record.time;
      return placed;
    }
    const { nextId } = this.stretches;
    if (record.id < nextId) {
      return refused(`There is another record ${record.id}: two programs have written to this file.`);
    }
    let problem: string | undefined;
    if (record.id > nextId + this.#lines + maxMissingSteps) {
      this.#lost = true;
      return refused(`Record ${record.id} stands where record ${nextId} has to be.`);
    }
    if (record.id > nextId) {
      if (!this.#lost) problem = `Record ${record.id} stands where record ${nextId} has to be.`;
      this.stretches.lose(record.id - nextId);
      this.#lost = true;
    }
    if (record.kind !== 'run' && record.parent >= record.id)
      problem ??= `Record ${record.id} follows record ${record.parent}, which is missing.`;
    const result = this.#place(record, start, end);
    this.#lost = false;
    this.#time = record.time;
    return problem === undefined || result.problem !== undefined ? result : { ...result, problem };
  }

  /** Notes a line that holds no record. `id` is what it has for one, if anything. */
  lose(id: number | undefined): void {
    this.#lines += 1;
    this.#lost = true;
    const { nextId } = this.stretches;
    if (id === nextId) this.stretches.lose(1);
  }

  /** Takes the records that a step inherits, which have been read meanwhile. */
  inherit(step: StepInProgress, records: readonly ChainedRecord[]): void {
    let time: number | undefined;
    for (const record of records) {
      this.rows.add(step, record);
      this.rows.table.increase(
        step.row,
        Column.milliseconds,
        Math.max(0, record.time - (time ?? record.time)),
      );
      time = record.time;
    }
  }

  #place(record: ChainedRecord, start: number, end: number): Placed {
    switch (record.kind) {
      case 'run':
        this.header = record;
        this.#original();
        this.stretches.add(undefined, start, end);
        return placed;
      case 'end': {
        const line = this.#lineOf(record, record.steps);
        line.end = record;
        if (line.open !== undefined) this.rows.add(line.open, record);
        this.stretches.add(undefined, start, end);
        this.#ends.set(record.id, { line, step: line.steps });
        return placed;
      }
      case 'fork':
        return this.#fork(record, start, end);
      default:
        return this.#addToStep(record, start, end);
    }
  }

  #addToStep(record: StepRecord, start: number, end: number): Placed {
    const known = this.#latest?.id === record.branch ? this.#latest : this.branches.get(record.branch);
    const line = known ?? this.#lineOf(record, record.step);
    this.#latest = line;
    const next = line.steps;
    const isNew = line.open === undefined || record.step >= next;
    let problem =
      known || record.branch === 0
        ? undefined
        : `Record ${record.id} belongs to branch ${record.branch}, whose beginning is missing.`;
    if (record.step < next - 1 || (isNew && record.step < next)) {
      this.stretches.lose(1);
      return refused(
        `Record ${record.id} belongs to step ${record.step}, and its branch is at step ${next - 1}.`,
      );
    }
    if (record.step > next + this.#lines + maxMissingSteps) {
      this.stretches.lose(1);
      return refused(
        `Record ${record.id} belongs to step ${record.step}, and its branch has ${next} steps so far.`,
      );
    }
    if (record.step > next && !this.#lost)
      problem ??= `Step ${record.step} stands where step ${next} has to be.`;
    const before = line.open;
    const step = isNew ? this.#begin(line, record.step) : before;
    if (!step) throw new Error('A step that is not new is open');
    line.end = undefined;
    this.#take(step, record, start, end);
    if (this.#lost) {
      this.rows.mark(step.row, Flag.incomplete);
      if (before) this.rows.mark(before.row, Flag.incomplete);
    }
    return problem === undefined ? placed : { problem, inherits: undefined };
  }

  #fork(record: ForkRecord, start: number, end: number): Placed {
    if (this.branches.has(record.branch)) {
      this.stretches.lose(1);
      return refused(`Record ${record.id} begins branch ${record.branch}, which is there already.`);
    }
    const row = this.stretches.rowOf(record.parent);
    const left = this.#leftBy(record, row);
    const inMiddle = left && row !== undefined && left.at === record.step;
    const fits = left && (inMiddle || left.at + 1 === record.step);
    const problem = fits
      ? undefined
      : `Record ${record.id} begins branch ${record.branch} at step ${record.step}, which record ${record.parent} does not lead to.`;
    if (record.step > (left?.line.steps ?? this.#lines) + maxMissingSteps) {
      this.stretches.lose(1);
      return refused(problem ?? '');
    }
    const line = new BranchLine({
      id: record.branch,
      parent: left && { line: left.line, step: record.step },
      ownFrom: record.step,
      fork: record,
      rows: this.rows,
    });
    this.branches.set(line.id, line);
    if (left) {
      const forks = left.line.forks.get(record.step);
      if (forks) forks.push(line.id);
      else left.line.forks.set(record.step, [line.id]);
    }
    const step = this.#begin(line, record.step);
    const open = left?.line.open;
    // Nothing has come after the record that the fork follows: what the step has had is known.
    const isTip = inMiddle && open?.row === row && open.lastId === record.parent;
    if (isTip) this.rows.copy(open, step);
    this.#take(step, record, start, end);
    if (!inMiddle) return { problem, inherits: undefined };
    this.inherited.set(step.row, { row, upTo: record.parent });
    if (isTip) return placed;
    return { problem, inherits: { step, row, upTo: record.parent } };
  }

  /** The line that a fork leaves, and the last step of it that has something before the fork. */
  #leftBy(
    record: ForkRecord,
    row: number | undefined,
  ): { readonly line: BranchLine; readonly at: number } | undefined {
    if (row !== undefined) {
      const line = this.branches.get(this.rows.table.get(row, Column.branch));
      return line && { line, at: this.rows.table.get(row, Column.step) };
    }
    const ended = this.#ends.get(record.parent);
    if (ended) return { line: ended.line, at: ended.step - 1 };
    return record.parent === this.header?.id ? { line: this.#original(), at: -1 } : undefined;
  }

  #begin(line: BranchLine, step: number): StepInProgress {
    const open = this.rows.begin(line.id, step, 0);
    line.add(step, open);
    return open;
  }

  #take(step: StepInProgress, record: StepRecord | ForkRecord, start: number, end: number): void {
    const { table } = this.rows;
    const stretch = this.stretches.add(step.row, start, end);
    const first = table.get(step.row, Column.segment);
    // Stretch 0 has no step: the column holds the number plus 1 once it is known.
    if (first === 0) table.set(step.row, Column.segment, stretch + 1);
    else if (first !== stretch + 1) this.stretches.continueRow(step.row, stretch);
    const since = this.#time ?? record.time;
    table.increase(step.row, Column.milliseconds, Math.max(0, record.time - since));
    this.rows.add(step, record);
    step.lastId = record.id;
  }

  #lineOf(record: ChainedRecord, firstStep: number): BranchLine {
    const known = this.branches.get(record.branch);
    if (known) return known;
    if (record.branch === 0) return this.#original();
    const line = new BranchLine({
      id: record.branch,
      parent: undefined,
      ownFrom: Math.min(firstStep, this.#lines + maxMissingSteps),
      fork: undefined,
      rows: this.rows,
    });
    this.branches.set(line.id, line);
    return line;
  }

  #original(): BranchLine {
    let line = this.branches.get(0);
    if (!line) {
      line = new BranchLine({ id: 0, parent: undefined, ownFrom: 0, fork: undefined, rows: this.rows });
      this.branches.set(0, line);
    }
    return line;
  }

  #resume(record: ResumedRecord): void {
    const row = this.stretches.rowOf(record.after);
    const line = this.branches.get(row === undefined ? 0 : this.rows.table.get(row, Column.branch));
    if (!line) return;
    line.end = undefined;
    const { table } = this.rows;
    const isOver = row !== undefined && statusOf(table.get(row, Column.flags)) !== 'running';
    line.goOnWith(
      record,
      record.after,
      row === undefined ? 0 : table.get(row, Column.step) + (isOver ? 1 : 0),
    );
  }
}

function refused(problem: string): Placed {
  return { problem: `${problem} It is left out.`, inherits: undefined };
}
