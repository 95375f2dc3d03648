/** What a constraint leaves out of a state schema, each keyword of a subschema once. */
import type { DroppedKeyword } from './replyConstraint';

export class Notes {
  readonly #found = new Map<string, DroppedKeyword>();

  get all(): readonly DroppedKeyword[] {
    return [...this.#found.values()];
  }

  /** Of two reasons for the same keyword the first one stays. */
  readonly add = (pointer: string, keyword: string, reason: string): void => {
    const key = `${pointer}\n${keyword}`;
    if (!this.#found.has(key)) this.#found.set(key, { pointer, keyword, reason });
  };
}
