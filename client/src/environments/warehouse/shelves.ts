/** 500 shelves, each holding one item or nothing. Every operation takes constant time and no memory that grows. */
import type { JsonArray } from '../../../../schemas/json/jsonValue';
import { type Item, type Shelf, shelfCount } from './names';

const wordBits = 32;
const empty = -1;

export class Shelves {
  readonly #items = new Int32Array(shelfCount).fill(empty);
  readonly #shelfOf = new Map<Item, Shelf>();
  /** A bit for each shelf, set where it is occupied; bits past the last shelf stay set, so that none is found empty. */
  readonly #occupied = new Uint32Array(Math.ceil(shelfCount / wordBits));

  constructor() {
    for (let bit = shelfCount; bit < this.#occupied.length * wordBits; bit++) this.#setBit(bit, true);
  }

  /** How many shelves are occupied. */
  get occupiedCount(): number {
    return this.#shelfOf.size;
  }

  itemOn(shelf: Shelf): Item | undefined {
    const item = this.#items[shelf];
    return item === empty ? undefined : item;
  }

  shelfOf(item: Item): Shelf | undefined {
    return this.#shelfOf.get(item);
  }

  lowestEmpty(): Shelf | undefined {
    for (const [index, word] of this.#occupied.entries()) {
      const free = ~word >>> 0;
      // `free & -free` keeps the lowest set bit alone.
      if (free !== 0) return index * wordBits + 31 - Math.clz32(free & -free);
    }
    return undefined;
  }

  /** Puts an item on an empty shelf. */
  put(item: Item, shelf: Shelf): void {
    this.#items[shelf] = item;
    this.#shelfOf.set(item, shelf);
    this.#setBit(shelf, true);
  }

  /** Takes the item off a shelf, if there is one. */
  clear(shelf: Shelf): void {
    const item = this.itemOn(shelf);
    if (item === undefined) return;
    this.#items[shelf] = empty;
    this.#shelfOf.delete(item);
    this.#setBit(shelf, false);
  }

  /** Occupied shelves in ascending order. */
  *occupied(): Generator<readonly [Shelf, Item]> {
    for (const [shelf, item] of this.#items.entries()) {
      if (item !== empty) yield [shelf, item];
    }
  }

  /** The occupied shelf that has `rank` occupied ones below it. */
  occupiedAt(rank: number): readonly [Shelf, Item] | undefined {
    let left = rank;
    for (const entry of this.occupied()) {
      if (left === 0) return entry;
      left--;
    }
    return undefined;
  }

  /** Pairs of shelf and item, ascending. */
  toJson(): JsonArray {
    return [...this.occupied()];
  }

  #setBit(bit: number, value: boolean): void {
    const index = Math.floor(bit / wordBits);
    const mask = 1 << (bit % wordBits);
    const word = this.#occupied[index] ?? 0;
    this.#occupied[index] = value ? word | mask : word & ~mask;
  }
}
