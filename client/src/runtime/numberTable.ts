/** Rows of whole numbers, four bytes each: what has to be known about every step of a long trace. */

/** A power of two, so that a row's page is found by shifting. */
const pageBits = 10;
const pageRows = 1 << pageBits;
const pageMask = pageRows - 1;
/** Stands where a number is too large for four bytes, and is kept aside. */
const large = 0xffff_ffff;

/** A table that grows by pages, so that growing copies nothing. Numbers are whole and not negative; new rows hold 0. */
export class NumberTable {
  readonly #columns: number;
  readonly #pages: Uint32Array[] = [];
  readonly #large = new Map<number, number>();
  #rows = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a row; returns its number. */
  add(): number {
    if ((this.#rows & pageMask) === 0) this.#pages.push(new Uint32Array(pageRows * this.#columns));
    return this.#rows++;
  }

  get(row: number, column: number): number {
    const value = this.#pages[row >>> pageBits]?.[(row & pageMask) * this.#columns + column] ?? 0;
    return value === large ? (this.#large.get(row * this.#columns + column) ?? large) : value;
  }

  set(row: number, column: number, value: number): void {
    const page = this.#pages[row >>> pageBits];
    if (!page) throw new RangeError(`There is no row ${row}`);
    if (value < large) page[(row & pageMask) * this.#columns + column] = value;
    else {
      page[(row & pageMask) * this.#columns + column] = large;
      this.#large.set(row * this.#columns + column, value);
    }
  }

  increase(row: number, column: number, by: number): void {
    if (by !== 0) this.set(row, column, this.get(row, column) + by);
  }
}

/** One column of doubles that takes memory only once a number other than 0 is in it. */
export class SparseDoubles {
  readonly #pages = new Map<number, Float64Array>();

  get(row: number): number {
    return this.#pages.get(row >>> pageBits)?.[row & pageMask] ?? 0;
  }

  increase(row: number, by: number): void {
    if (by === 0) return;
    const number = row >>> pageBits;
    let page = this.#pages.get(number);
    if (!page) {
      page = new Float64Array(pageRows);
      this.#pages.set(number, page);
    }
    page[row & pageMask] = (page[row & pageMask] ?? 0) + by;
  }
}
