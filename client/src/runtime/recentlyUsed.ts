/** What was used last, kept up to a limit. */

export class RecentlyUsed<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly size: number }>();
  #size = 0;

  /** @param limit of the sizes of all values together; one that is larger is kept alone */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, size: number): void {
    this.#size += size - (this.#entries.get(key)?.size ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, size });
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#limit || oldest === key) break;
      this.#entries.delete(oldest);
      this.#size -= entry.size;
    }
  }
}
