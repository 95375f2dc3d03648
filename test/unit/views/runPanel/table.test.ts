import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxHeight, rowWindow, scrollTopFor } from '../../../../client/webview/runPanel/table/rowWindow';

const rowHeight = 22;

describe('the rows of the table', () => {
  it('are few, whatever the list and the scroll position', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000_000 }),
        fc.integer({ min: 0, max: 40_000_000 }),
        fc.integer({ min: 50, max: 2000 }),
        (rows, scrollTop, height) => {
          const { from, to, above, below } = rowWindow({ rows, rowHeight, scrollTop, height });
          expect(to - from).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 25);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(rows);
          expect(above).toBeGreaterThanOrEqual(0);
          expect(below).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it.each([50, 5_000, 100_000, 1_000_000])('can all be reached: %i', (rows) => {
    const height = 400;
    let scrollTop = 0;
    const go = (row: number) => {
      scrollTop = scrollTopFor(row, { rows, rowHeight, scrollTop, height });
      const { from, to } = rowWindow({ rows, rowHeight, scrollTop, height });
      expect(row).toBeGreaterThanOrEqual(from);
      expect(row).toBeLessThan(to);
    };
    for (const row of [0, 1, 40, rows - 1, rows - 30, Math.floor(rows / 2), Math.floor(rows / 2) + 1, 0])
      go(row);
  });

  it('keep the list as high as it is, up to what browsers can lay out', () => {
    const height = 400;
    for (const scrollTop of [0, 30_000, 2_000_000]) {
      const { from, to, above, below } = rowWindow({ rows: 100_000, rowHeight, scrollTop, height });
      expect(above + (to - from) * rowHeight + below).toBe(2_200_000);
    }
    const long = rowWindow({ rows: 1_000_000, rowHeight, scrollTop: 4_000_000, height });
    expect(long.above + (long.to - long.from) * rowHeight + long.below).toBeCloseTo(maxHeight);
    expect(long.from).toBeGreaterThan(490_000);
    expect(long.from).toBeLessThan(510_000);
  });

  it('stay where they are when the row can be seen already', () => {
    const list = { rows: 1000, rowHeight, scrollTop: 2200, height: 440 };
    expect(scrollTopFor(110, list)).toBe(2200);
    expect(scrollTopFor(99, list)).toBe(99 * rowHeight);
    expect(scrollTopFor(120, list)).toBe(121 * rowHeight - 440);
  });
});
