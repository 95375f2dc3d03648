/** Sets of strings that grow together: union-find with path halving. */
export class DisjointSets {
  readonly #parents = new Map<string, string>();

  /** True for what was joined with something, or with itself alone. */
  has(element: string): boolean {
    return this.#parents.has(element);
  }

  /** Puts elements into one set. */
  join(elements: readonly string[]): void {
    const [first] = elements;
    if (first === undefined) return;
    const root = this.representative(first);
    // The earliest stays the representative.
    for (const element of elements) this.#parents.set(this.representative(element), root);
  }

  /** The element that stands for a set; one that was never joined is a set of its own. */
  representative(element: string): string {
    let current = element;
    for (;;) {
      const parent = this.#parents.get(current);
      if (parent === undefined || parent === current) return current;
      const grandparent = this.#parents.get(parent) ?? parent;
      this.#parents.set(current, grandparent);
      current = grandparent;
    }
  }
}
