/** Keeps what was read of texts, by what the texts are; what was not asked for longest goes first. */

/** How many UTF-16 units the texts of one kind may have together whose readings are kept. */
const maxWeight = 10_000_000;

/** What the reading of an empty text counts. */
const leastWeight = 5_000;

interface Kept<Value> {
  readonly text: string;
  readonly value: Value;
}

export class Readings<Value> {
  /** The one that was asked for last is the last. */
  readonly #kept = new Map<string, Kept<Value>>();
  #weight = 0;

  /** How many readings are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** What `read` made of the text of this key, or makes of it now. */
  get(key: string, text: string, read: () => Value): Value {
    const known = this.#kept.get(key);
    const kept = known?.text === text ? known : { text, value: read() };
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#weight += weightOf(kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= maxWeight || oldest === key) break;
      this.#forget(oldest);
    }
    return kept.value;
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#weight -= weightOf(kept);
  }
}

function weightOf({ text }: Kept<unknown>): number {
  return leastWeight + text.length;
}
