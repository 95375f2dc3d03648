/** The 500 shelves against a plain array. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shelfCount } from '../../../client/src/environments/warehouse/names';
import { Shelves } from '../../../client/src/environments/warehouse/shelves';

describe('shelves', () => {
  it('behave as a plain array of items does', () => {
    const operation = fc.record({
      shelf: fc.nat({ max: shelfCount - 1 }),
      fillBelow: fc.boolean(),
      clear: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const shelves = new Shelves();
        const plain = new Array<number | undefined>(shelfCount).fill(undefined);
        let items = 0;
        const put = (shelf: number) => {
          if (plain[shelf] !== undefined) return;
          plain[shelf] = items;
          shelves.put(items++, shelf);
        };
        for (const { shelf, fillBelow, clear } of operations) {
          if (clear) {
            plain[shelf] = undefined;
            shelves.clear(shelf);
          } else if (fillBelow) for (let below = 0; below <= shelf; below++) put(below);
          else put(shelf);

          const occupied = [...plain.entries()].filter(([, item]) => item !== undefined);
          expect([...shelves.occupied()]).toEqual(occupied);
          expect(shelves.occupiedCount).toBe(occupied.length);
          expect(shelves.lowestEmpty()).toBe(
            plain.includes(undefined) ? plain.indexOf(undefined) : undefined,
          );
          expect(shelves.itemOn(shelf)).toBe(plain[shelf]);
          expect(shelves.occupiedAt(occupied.length)).toBeUndefined();
          if (occupied.length > 0) expect(shelves.occupiedAt(occupied.length - 1)).toEqual(occupied.at(-1));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('know when all of them are occupied', () => {
    const shelves = new Shelves();
    for (let shelf = 0; shelf < shelfCount; shelf++) {
      expect(shelves.lowestEmpty()).toBe(shelf);
      shelves.put(shelf, shelf);
    }
    expect(shelves.lowestEmpty()).toBeUndefined();
    shelves.clear(499);
    expect(shelves.lowestEmpty()).toBe(499);
    expect(shelves.shelfOf(499)).toBeUndefined();
    expect(shelves.shelfOf(498)).toBe(498);
  });
});
