/** What one evaluation of an expression may spend, and what looking at values of a given size costs. */

/** How many steps one evaluation may take: each part of the expression is one every time, and so is every item it looks at. */
export const maxSteps = 3_000_000;

/** How many UTF-16 units of a text one step looks at. */
const unitsPerStep = 16;

/** What a value costs in full that JSON has no type for, such as a duration: it is written out by the host's formatters. */
const foreignSteps = 1_000;

/** Thrown where an evaluation has spent its budget. */
class StepsExceeded extends Error {
  override readonly name: string = 'StepsExceeded';
  constructor() {
    super(`It takes too many steps (more than ${maxSteps}).`);
  }
}

/** The one budget of an evaluation; whatever depends on the size of data draws on it. */
export class StepBudget {
  #left = 0;
  #exceeded: StepsExceeded | undefined;
  readonly #seen = new Set<string>();

  /** Begins another evaluation. */
  refill(): void {
    this.#left = maxSteps;
    this.#exceeded = undefined;
    this.#seen.clear();
  }

  /** The error of an evaluation that has spent everything, also where its expression has absorbed it. */
  get exceeded(): StepsExceeded | undefined {
    return this.#exceeded;
  }

  /** @throws StepsExceeded where so many steps are not left; from then on always. */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    this.#exceeded ??= new StepsExceeded();
    throw this.#exceeded;
  }

  /** True for the first time in this evaluation that a text is named. */
  isNew(text: string): boolean {
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    return true;
  }

  /** Takes what looking at a value costs, but not at what its items and entries hold. */
  takeShallow(value: unknown): void {
    this.take(shallowSteps(value));
  }

  /**
   * Takes what looking at everything in a value costs, `factor` times over. What occurs in it twice counts twice, as
   * it does for those who compare or convert it.
   */
  takeDeep(value: unknown, factor = 1): void {
    const pending: unknown[] = [value];
    while (pending.length > 0) {
      const current = pending.pop();
      this.take((isForeign(current) ? foreignSteps : shallowSteps(current)) * factor);
      if (typeof current !== 'object' || current === null || ArrayBuffer.isView(current)) continue;
      for (const part of partsOf(current)) pending.push(part);
    }
  }
}

function isForeign(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  return value instanceof Map ? value.values() : Object.values(value);
}

/** The steps that copying or searching a value takes: by a text's length, a list's or a map's size. */
export function shallowSteps(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / unitsPerStep;
  if (typeof value !== 'object' || value === null) return 1;
  if (ArrayBuffer.isView(value)) return 1 + value.byteLength / unitsPerStep;
  if (Array.isArray(value)) return 1 + value.length;
  if (value instanceof Map || value instanceof Set) return 1 + value.size;
  return 1 + Object.keys(value).length;
}
