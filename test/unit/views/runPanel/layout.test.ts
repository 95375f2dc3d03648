import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphBins } from '../../../../client/src/views/runPanel/stepRows';
import type { GraphContent } from '../../../../client/webview/runPanel/graph/layout';
import { layOut, placeOf, shortNumber, stepAt } from '../../../../client/webview/runPanel/graph/layout';
import {
  clamped,
  panned,
  revealing,
  showsAll,
  stepsPerBar,
  wholeRun,
  zoomed,
  zoomedAround,
} from '../../../../client/webview/runPanel/graph/viewport';
import { syntheticRun } from '../../../support/syntheticRun';

const size = { width: 1000, height: 300 };

function contentOf(steps: number, barSize: number, parts: Partial<GraphContent> = {}): GraphContent {
  const stretch = graphBins(syntheticRun(steps), { branch: 0, from: 0, to: steps, size: barSize });
  return { ...stretch, view: wholeRun(steps), size, cumulative: false, filter: 'all', ...parts };
}

/** The boxes of a path of boxes. */
function boxes(path: string): readonly string[] {
  return path.split('z').filter((box) => box !== '');
}

describe('the viewport', () => {
  const views = fc.tuple(
    fc.double({ min: -50, max: 2e5, noNaN: true }),
    fc.double({ min: 0, max: 2e5, noNaN: true }),
  );

  it('keeps the step around which it is zoomed', () => {
    const factors = fc.array(fc.constantFrom(0.5, 2), { maxLength: 30 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(), factors, (steps, seed, zooms) => {
        const step = seed % steps;
        let view = wholeRun(steps);
        for (const factor of zooms) {
          view = zoomedAround(view, factor, step, steps);
          expect(view.from).toBeLessThanOrEqual(step + 1e-6);
          expect(view.to).toBeGreaterThanOrEqual(step + 1 - 1e-6);
        }
      }),
    );
    const view = { from: 100, to: 200 };
    expect(zoomedAround(view, 0.5, 20, 1000)).toEqual({ from: 125, to: 175 });
    expect(zoomedAround(view, 0.5, undefined, 1000)).toEqual({ from: 125, to: 175 });
  });

  it('stays within the run, however it is zoomed and moved', () => {
    fc.assert(
      fc.property(
        views,
        fc.integer({ min: 0, max: 120_000 }),
        fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0.01, max: 50, noNaN: true })), { maxLength: 20 }),
        ([from, span], steps, moves) => {
          let view = clamped({ from, to: from + span }, steps);
          for (const [zooms, by] of moves) {
            const anchor = (view.from + view.to) / 2;
            view = zooms ? zoomed(view, by, anchor, steps) : panned(view, by - 25, steps);
            expect(view.from).toBeGreaterThanOrEqual(0);
            expect(view.to).toBeLessThanOrEqual(wholeRun(steps).to + 1e-6);
            expect(view.to).toBeGreaterThan(view.from);
          }
        },
      ),
    );
  });

  it('keeps the step under the pointer where it is when it zooms', () => {
    const view = zoomed({ from: 100, to: 300 }, 0.5, 150, 1000);
    expect((150 - view.from) / (view.to - view.from)).toBeCloseTo(0.25);
    expect(view.to - view.from).toBeCloseTo(100);
  });

  it('moves no more than a step needs to be seen', () => {
    const view = { from: 100, to: 200 };
    expect(revealing(view, 150, 1000)).toBe(view);
    expect(revealing(view, 205, 1000).to).toBeGreaterThanOrEqual(206);
    expect(revealing(view, 3, 1000).from).toBeLessThanOrEqual(3);
    expect(revealing(view, 999, 1000).to).toBe(1000);
  });

  it('makes bars of 1, 2, 5, 10 … steps, none narrower than asked', () => {
    expect([50, 100, 101, 400, 1000, 100_000].map((to) => stepsPerBar({ from: 0, to }, 400, 4))).toEqual([
      1, 1, 2, 5, 10, 1000,
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: 4000 }), (to, pixels) => {
        const perBar = stepsPerBar({ from: 0, to }, pixels, 4);
        expect((pixels / to) * perBar).toBeGreaterThanOrEqual(4 - 1e-9);
      }),
    );
  });

  it('knows when nothing lies outside', () => {
    expect(showsAll(wholeRun(500), 500)).toBe(true);
    expect(showsAll({ from: 1, to: 500 }, 500)).toBe(false);
  });
});

describe('the layout', () => {
  it('stacks the parts from the axis up without holes', () => {
    const layout = layOut(contentOf(1, 1));
    const ends = (path: string) =>
      [...path.matchAll(/^M[\d.]+ ([\d.]+)V([\d.]+)/g)].map(([, low, high]) => [Number(low), Number(high)]);
    const [instructions, scaffold, state, observation, output] = (
      ['instructions', 'scaffold', 'state', 'observation', 'output'] as const
    ).map((part) => ends(layout.parts[part])[0] ?? []);
    expect(instructions?.[0]).toBe(layout.plot.bottom);
    expect([scaffold?.[0], state?.[0], observation?.[0], output?.[0]]).toEqual([
      instructions?.[1],
      scaffold?.[1],
      state?.[1],
      observation?.[1],
    ]);
    expect(output?.[1]).toBe(layout.bars[0]?.top);
  });

  it('names no steps of a run that has none', () => {
    expect(layOut(contentOf(0, 1)).steps).toEqual([]);
    expect(layOut(contentOf(3, 1)).steps.length).toBeGreaterThan(0);
  });

  it('draws only what is in view, however long the run is', () => {
    const layout = layOut(contentOf(1000, 1, { view: { from: 200, to: 240 } }));
    expect(layout.bars.map(({ bin }) => bin.from)).toEqual(
      Array.from({ length: 40 }, (_, index) => 200 + index),
    );
    for (const { x, width } of layout.bars) {
      expect(x).toBeGreaterThanOrEqual(layout.plot.left);
      expect(x + width).toBeLessThanOrEqual(layout.plot.right + 0.01);
    }
    expect(boxes(layout.parts.instructions)).toHaveLength(40);
  });

  it('keeps the heights of bars when steps are drawn together', () => {
    const single = layOut(contentOf(1000, 1));
    const together = layOut(contentOf(1000, 10));
    const mean = (tops: readonly number[]) => tops.reduce((sum, top) => sum + top, 0) / tops.length;
    const barsOf = ({ bars }: typeof single) => mean(bars.map(({ top }) => top));
    expect(barsOf(together)).toBeCloseTo(barsOf(single), 0);
    expect(together.peaks).not.toBe('');
    expect(single.peaks).toBe('');
  });

  it('marks what was rejected on top of the bar and below the axis', () => {
    const layout = layOut(contentOf(10, 1));
    expect(boxes(layout.retried)).toHaveLength(1);
    expect(layout.marks.map(({ kind }) => kind)).toEqual(['rejected', 'warned']);
    const narrow = layOut(contentOf(1000, 5));
    expect(narrow.marks).toEqual([]);
    expect(boxes(narrow.markBoxes.rejected).length).toBeGreaterThan(50);
  });

  it('lets bars step back that a filter leaves out', () => {
    const layout = layOut(contentOf(22, 1, { filter: 'rejections' }));
    expect(boxes(layout.faint)).toHaveLength(20);
    expect(boxes(layout.parts.state)).toHaveLength(2);
    const either = layOut(contentOf(22, 1, { filter: 'either' }));
    expect(boxes(either.faint)).toHaveLength(17);
  });

  it('draws the running total within the plot', () => {
    const content = contentOf(1000, 5, { cumulative: true, view: { from: 103.3, to: 198.1 } });
    const { line, plot } = layOut(content);
    const places = line
      .slice(1)
      .split('L')
      .map((point) => Number(point.split(' ')[0]));
    expect(places[0]).toBe(plot.left);
    expect(places.at(-1)).toBe(plot.right);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('lets the running total begin with what was spent before the view', () => {
    const run = syntheticRun(100);
    const whole = layOut(contentOf(100, 1, { cumulative: true }));
    const stretch = graphBins(run, { branch: 0, from: 50, to: 100, size: 1 });
    const half = layOut({
      ...contentOf(100, 1, { cumulative: true }),
      ...stretch,
      view: { from: 50, to: 100 },
    });
    const last = (line: string) => line.slice(line.lastIndexOf('L'));
    expect(last(half.line)).toBe(last(whole.line));
    expect(half.line.split('L')).toHaveLength(51);
    expect(layOut(contentOf(100, 1)).line).toBe('');
  });

  it('finds the step under a place, and the place of a step', () => {
    const { plot } = layOut(contentOf(100, 1));
    const view = { from: 12.5, to: 61.25 };
    fc.assert(
      fc.property(fc.integer({ min: 13, max: 61 }), (step) => {
        expect(stepAt(placeOf(step, view, plot), view, plot)).toBeCloseTo(step, 6);
      }),
    );
  });

  it('labels whole steps and round numbers', () => {
    const layout = layOut(contentOf(3, 1));
    expect(layout.steps.map(({ label }) => label)).toEqual(['0', '1', '2', '3', '4', '5']);
    expect([0, 950, 1500, 20_000, 123_456, 3e6, 12.34].map(shortNumber)).toEqual([
      '0',
      '950',
      '1.5k',
      '20k',
      '123k',
      '3M',
      '12',
    ]);
  });

  it('has a layout for a run without steps and for a page without room', () => {
    expect(layOut(contentOf(0, 1)).bars).toEqual([]);
    const tiny = layOut(contentOf(10, 1, { size: { width: 10, height: 5 } }));
    expect(JSON.stringify(tiny)).not.toMatch(/NaN|Infinity/);
  });
});
