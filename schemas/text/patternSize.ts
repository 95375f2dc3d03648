/**
 * How large the program of a pattern is on an engine that does not backtrack, which writes `(ab){3}` out as `ababab`:
 * an estimate, for bounds on what compiling and running it costs.
 */

/** What a Unicode property, such as `\\p{L}`, counts as: the engine builds a table of its characters. */
const propertySize = 20;

/** Looks at each character once. Brackets that don't match make the estimate rough, but never an error. */
export function patternSize(source: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  let inClass = false;
  const add = (size: number): void => {
    total += size;
    last = size;
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') {
      at++;
      add(/[pP]/.test(source[at] ?? '') ? propertySize : 1);
    } else if (inClass) {
      inClass = character !== ']';
    } else if (character === '[') {
      inClass = true;
      add(1);
    } else if (character === '(') {
      outer.push(total);
      total = 0;
    } else if (character === ')') {
      const inner = total + 1;
      total = outer.pop() ?? 0;
      add(inner);
    } else if (character === '{') {
      const { count, length } = repetitionAt(source, at);
      total += last * (count - 1);
      last *= count;
      at += length - 1;
    } else {
      add(1);
    }
  }
  return outer.reduce((sum, size) => sum + size, total);
}

/** How often at most `{2,5}` repeats, and its length; once where no such thing stands there. */
function repetitionAt(source: string, at: number): { readonly count: number; readonly length: number } {
  const counts = /\{(\d+)(?:,(\d*))?\}/y;
  counts.lastIndex = at;
  const [written = '{', least = '1', most = ''] = counts.exec(source) ?? [];
  return { count: Math.max(1, Number(least), Number(most)), length: written.length };
}
