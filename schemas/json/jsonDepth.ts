/** How deep a JSON value nests, found without recursion: what nests too deep would overflow the stack of those who recurse. */
import type { JsonValue } from './jsonValue';

/** True where the value nests arrays and objects deeper than `depth`; a primitive has depth 0, `{}` has 1. */
export function isDeeperThan(value: JsonValue, depth: number): boolean {
  let level: JsonValue[] = [value];
  for (let nesting = 0; ; nesting++) {
    const inner: JsonValue[] = [];
    let hasContainer = false;
    for (const current of level) {
      if (typeof current !== 'object' || current === null) continue;
      hasContainer = true;
      for (const child of Object.values(current))
        if (typeof child === 'object' && child !== null) inner.push(child);
    }
    if (!hasContainer) return false;
    if (nesting === depth) return true;
    level = inner;
  }
}
