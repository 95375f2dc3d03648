/** Sets of strings that grow together: union-find with path halving. */
export class DisjointSets {
  readonly #parents = new Map<string, string>();

  has(element: string): boolean {
    return this.#parents.has(element);
  }

  /** Puts elements into one set. */
  join(elements: readonly string[]): void {
    const [first] = elements;
    if (first === undefined) return;
    const root = this.representative(first);
    for (const element of elements) {
      const other = this.representative(element);
      // The earliest stays the representative.
      if (other !== root) this.#parents.set(other, root);
    }
  }

  /** The element that stands for a set; one not seen before is a set of its own from now on. */
  representative(element: string): string {
    let current = element;
    for (;;) {
      const parent = this.#parents.get(current);
      if (parent === undefined) {
        this.#parents.set(current, current);
        return current;
      }
      if (parent === current) return current;
      const grandparent = this.#parents.get(parent) ?? parent;
      this.#parents.set(current, grandparent);
      current = grandparent;
    }
  }
}
