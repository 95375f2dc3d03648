/** Values by key in layers of which the uppermost that has a key counts. Free of VS Code, for its tests. */
export class Layers<Value> {
  readonly #layers: Map<string, Value>[] = [];

  /** Adds a layer above all others. */
  add(): Layer<Value> {
    const values = new Map<string, Value>();
    this.#layers.push(values);
    return {
      values,
      remove: () => {
        const index = this.#layers.indexOf(values);
        if (index >= 0) this.#layers.splice(index, 1);
      },
    };
  }

  /** What counts; undefined where no layer has the key. */
  get(key: string): Value | undefined {
    return this.#layers.findLast((values) => values.has(key))?.get(key);
  }

  get isEmpty(): boolean {
    return this.#layers.length === 0;
  }
}

export interface Layer<Value> {
  readonly values: Map<string, Value>;
  remove(): void;
}
