/** Where the lines of a text were before it was edited. */

/**
 * For two versions of a text, gives for a line of the later one its number in the earlier; undefined for lines between
 * the first and the last that differ. Lines count from 0.
 */
export function movedLines(earlier: string, later: string): (line: number) => number | undefined {
  if (earlier === later) return (line) => line;
  const before = earlier.split(/\r?\n/);
  const after = later.split(/\r?\n/);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return (line) => {
    if (line < head) return line;
    const fromEnd = after.length - line;
    return fromEnd >= 1 && fromEnd <= tail ? before.length - fromEnd : undefined;
  };
}
