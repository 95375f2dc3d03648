/** Where the records of a trace stand in the file: stretches of lines that follow each other and belong to one step. */
import { NumberTable } from './numberTable';

enum Column {
  start,
  length,
  /** The row of the step, plus 1; 0 where the records belong to no step or are lost. */
  row,
  firstId,
  count,
}

/** A stretch of the file: byte offset, length, line end included, and the ids in it. */
export interface Stretch {
  readonly start: number;
  readonly length: number;
  readonly firstId: number;
  readonly count: number;
}

/** Stretches in file order; the ids of their records grow with it, without gaps. */
export class FileStretches {
  readonly #table = new NumberTable(Object.keys(Column).length / 2);
  /** Of rows that have several stretches: those after the first. */
  readonly #further = new Map<number, number[]>();

  /** Of the last stretch: its row, plus 1, and where it ends. */
  #lastMark = 0;
  #lastEnd = 0;
  #nextId = 0;

  /** The id that comes next. */
  get nextId(): number {
    return this.#nextId;
  }

  /** Adds the next record, which takes the bytes from `start` to `end`. Returns its stretch. */
  add(row: number | undefined, start: number, end: number): number {
    const mark = row === undefined ? 0 : row + 1;
    if (mark === 0 || mark !== this.#lastMark || start !== this.#lastEnd)
      return this.#begin(mark, start, end, 1);
    const last = this.#table.rows - 1;
    this.#table.increase(last, Column.length, end - start);
    this.#table.increase(last, Column.count, 1);
    this.#lastEnd = end;
    this.#nextId += 1;
    return last;
  }

  /** Ids that nothing readable stands for. */
  lose(count: number): void {
    this.#begin(0, 0, 0, count);
  }

  /** Notes that a row has one more stretch than its first. */
  continueRow(row: number, stretch: number): void {
    const further = this.#further.get(row);
    if (!further) this.#further.set(row, [stretch]);
    else if (further.at(-1) !== stretch) further.push(stretch);
  }

  /** All stretches of a row whose first one is `first`. */
  of(row: number, first: number): readonly Stretch[] {
    return [first, ...(this.#further.get(row) ?? [])].map((stretch) => this.#get(stretch));
  }

  /** The row of a record's step; undefined where it belongs to none, is lost, or isn't there. */
  rowOf(id: number): number | undefined {
    let low = 0;
    let high = this.#table.rows - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#table.get(middle, Column.firstId) <= id) low = middle;
      else high = middle - 1;
    }
    if (high < 0 || id >= this.nextId) return undefined;
    const mark = this.#table.get(low, Column.row);
    return mark === 0 ? undefined : mark - 1;
  }

  #get(stretch: number): Stretch {
    return {
      start: this.#table.get(stretch, Column.start),
      length: this.#table.get(stretch, Column.length),
      firstId: this.#table.get(stretch, Column.firstId),
      count: this.#table.get(stretch, Column.count),
    };
  }

  #begin(mark: number, start: number, end: number, count: number): number {
    const stretch = this.#table.add();
    this.#table.set(stretch, Column.start, start);
    this.#table.set(stretch, Column.length, end - start);
    this.#table.set(stretch, Column.row, mark);
    this.#table.set(stretch, Column.firstId, this.#nextId);
    this.#table.set(stretch, Column.count, count);
    this.#lastMark = mark;
    this.#lastEnd = end;
    this.#nextId += count;
    return stretch;
  }
}
