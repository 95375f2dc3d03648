/** Makes shapes that say the same one shape, so that a thousand objects of Σ that are alike are written once. */
import type { Shape } from './shapes';

/** Keeps shapes whose parts are kept already. */
export class SameShapes {
  readonly #ids = new WeakMap<object, number>();
  readonly #known = new Map<string, Shape>();
  #next = 0;

  /** The first shape that says the same. Objects that list keys of Σ stay apart. */
  of(shape: Shape): Shape {
    const key = this.#key(shape);
    if (key === undefined) return shape;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Shapes of states that are long past aren't needed any more.
    if (this.#known.size > 5_000) this.#known.clear();
    this.#known.set(key, shape);
    return shape;
  }

  #id(part: object): number {
    let id = this.#ids.get(part);
    if (id === undefined) {
      id = this.#next++;
      this.#ids.set(part, id);
    }
    return id;
  }

  #key(shape: Shape): string | undefined {
    switch (shape.kind) {
      case 'union':
        return `union ${shape.options.map((option) => this.#id(option)).join()}`;
      case 'array': {
        const { first, items, minItems, maxItems, isUnique, length, pointer } = shape;
        const parts = [...first, items].map((part) => this.#id(part)).join();
        return `array ${pointer} ${parts} ${minItems} ${maxItems} ${isUnique} ${length}`;
      }
      case 'object': {
        if (shape.known.length > 0) return undefined;
        const { members, groups, names, excluded, minEntries, maxNew, isChange, pointer } = shape;
        const parts = members.map(
          (member) =>
            `${JSON.stringify(member.key)}${this.#id(member.shape)}${member.isRequired}${member.isNew}`,
        );
        const keys = `${this.#id(groups)} ${names === undefined ? '' : this.#id(names)} ${JSON.stringify([...excluded])}`;
        return `object ${pointer} ${isChange} ${keys} ${minEntries} ${maxNew} ${parts.join()}`;
      }
      default:
        return undefined;
    }
  }
}
