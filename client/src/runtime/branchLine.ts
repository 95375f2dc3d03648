/** A branch of a trace: where it leaves which other, the rows of its own steps, and sums along its line of history. */
import type { EndRecord, ForkRecord } from '../../../schemas/trace/trace';
import type { ActingChange } from './acting';
import type { StepInProgress, StepRows } from './stepRows';
import { StepSum } from './stepSums';

/** So many steps lie between sums that are kept. */
const sumEvery = 128;

/** Steps that follow each other in rows that follow each other. */
interface Stretch {
  readonly step: number;
  readonly row: number;
  count: number;
}

export interface BranchOptions {
  readonly id: number;
  readonly parent: { readonly line: BranchLine; readonly step: number } | undefined;
  readonly ownFrom: number;
  readonly fork: ForkRecord | undefined;
  readonly rows: StepRows;
}

export class BranchLine {
  readonly id: number;
  readonly parent: { readonly line: BranchLine; readonly step: number } | undefined;
  readonly ownFrom: number;
  readonly fork: ForkRecord | undefined;
  /** The branches that begin in its own steps. */
  readonly forks = new Map<number, number[]>();
  end: EndRecord | undefined;
  /** Those of its own steps, oldest first. */
  readonly #acting: ActingChange[] = [];
  /** Its last step, while records may come for it. */
  open: StepInProgress | undefined;
  readonly #rows: StepRows;
  readonly #stretches: Stretch[] = [];
  /** The first is that of what comes before its own steps; each further one has `sumEvery` steps more. */
  readonly #sums: StepSum[];

  constructor({ id, parent, ownFrom, fork, rows }: BranchOptions) {
    this.id = id;
    this.parent = parent;
    this.ownFrom = ownFrom;
    this.fork = fork;
    this.#rows = rows;
    if (fork !== undefined) this.goOnWith(fork, fork.parent, ownFrom);
    this.#sums = [parent ? parent.line.sumBefore(Math.min(ownFrom, parent.line.steps)) : new StepSum()];
  }

  /** Where others than those of the run record act along its line, oldest first. */
  get acting(): readonly ActingChange[] {
    const changes: ActingChange[] = [];
    let line: BranchLine | undefined = this;
    let before = Number.POSITIVE_INFINITY;
    while (line !== undefined) {
      for (const change of line.#acting.toReversed()) if (change.after < before) changes.push(change);
      before = Math.min(before, line.fork?.parent ?? 0);
      line = line.parent?.line;
    }
    return changes.reverse();
  }

  /** Others act from a step on, where a record names some. */
  goOnWith(
    { model, environment }: Pick<ActingChange, 'model' | 'environment'>,
    after: number,
    from: number,
  ): void {
    if (model === undefined && environment === undefined) return;
    this.#acting.push({ after, from, ...(model && { model }), ...(environment && { environment }) });
  }

  /** How many steps its line has. */
  get steps(): number {
    const last = this.#stretches.at(-1);
    return last ? last.step + last.count : this.ownFrom;
  }

  /** Takes the next step, which has the row. Steps may be left out where the trace has lost them. */
  add(step: number, open: StepInProgress): void {
    const last = this.#stretches.at(-1);
    if (last && last.step + last.count === step && last.row + last.count === open.row) last.count += 1;
    else this.#stretches.push({ step, row: open.row, count: 1 });
    this.open = open;
  }

  /** The branch on this line that has the step for its own; undefined where the trace doesn't tell. */
  ownerOf(step: number): BranchLine | undefined {
    let line: BranchLine | undefined = this;
    while (line && step < line.ownFrom) line = line.parent?.line;
    return line;
  }

  /** The row of a step along the line; undefined where the trace has lost it. */
  rowOf(step: number): number | undefined {
    return this.ownerOf(step)?.ownRow(step);
  }

  ownRow(step: number): number | undefined {
    const stretches = this.#stretches;
    let low = 0;
    let high = stretches.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((stretches[middle]?.step ?? 0) <= step) low = middle;
      else high = middle - 1;
    }
    const stretch = stretches[low];
    if (!stretch || step < stretch.step || step >= stretch.step + stretch.count) return undefined;
    return stretch.row + step - stretch.step;
  }

  /** The sum over the steps before one; a value of the caller's own. */
  sumBefore(step: number): StepSum {
    const owner = this.ownerOf(step);
    if (owner !== this && owner) return owner.sumBefore(step);
    if (step <= this.ownFrom) return StepSum.from(this.#sums[0] ?? new StepSum());
    const wanted = Math.floor((step - this.ownFrom) / sumEvery);
    // The last step may still grow, so that no sum is kept that it is in.
    while (this.#sums.length <= wanted && this.ownFrom + this.#sums.length * sumEvery < this.steps)
      this.#sums.push(this.#sumOn(this.#sums.length - 1, this.ownFrom + this.#sums.length * sumEvery));
    return this.#sumOn(Math.min(wanted, this.#sums.length - 1), step);
  }

  /** From a kept sum to the steps before `step`. */
  #sumOn(index: number, step: number): StepSum {
    const sum = StepSum.from(this.#sums[index] ?? new StepSum());
    for (let at = this.ownFrom + index * sumEvery; at < step; at++) {
      const row = this.ownRow(at);
      if (row !== undefined) sum.add(this.#rows, row);
    }
    return sum;
  }
}
