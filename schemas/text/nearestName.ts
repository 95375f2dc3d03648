/** What a misspelt name was probably meant to be. */

/**
 * The known name nearest to one that isn't known, upper and lower case alike; undefined where none is near: at most
 * one slip for every three characters, and two in all. A slip is a character too many, too few, wrong, or swapped.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = name.toLowerCase();
  let nearest: string | undefined;
  let least = 3;
  for (const candidate of known) {
    const limit = Math.min(2, Math.max(1, Math.floor(candidate.replace(/^x-/, '').length / 3)));
    const slips = slipsBetween(written, candidate.toLowerCase(), Math.min(limit, least - 1));
    if (slips === undefined) continue;
    nearest = candidate;
    least = slips;
  }
  return nearest;
}

/** The optimal string alignment distance; undefined where it is above `limit`. */
function slipsBetween(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit) return undefined;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let slips = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) slips = Math.min(slips, at(beforeLast, column - 2) + 1);
      current.push(slips);
    }
    beforeLast = last;
    last = current;
  }
  const slips = at(last, b.length);
  return slips <= limit ? slips : undefined;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
