/** Bars that are kept are those that would be made anew, however the run has grown between. */
import { describe, expect, it } from 'vitest';
import type { TraceBranch, TraceReader } from '../../../../client/src/runtime/traceReader';
import { GraphBars } from '../../../../client/src/views/runPanel/graphBars';
import { graphBins } from '../../../../client/src/views/runPanel/stepRows';
import { syntheticRun } from '../../../support/syntheticRun';

/** A run that grows, and counts the steps that are summed up. */
function growingRun() {
  let run = syntheticRun(0);
  const summed = { steps: 0 };
  const reader: Pick<TraceReader, 'bins' | 'totals' | 'branches'> = {
    get branches() {
      return run.branches;
    },
    bins(branch, from, to, count) {
      summed.steps += to - from;
      return run.bins(branch, from, to, count);
    },
    totals: (branch, step) => run.totals(branch, step),
  };
  return {
    reader,
    summed,
    grow(steps: number, branches: readonly TraceBranch[] = []) {
      run = syntheticRun(steps, branches);
    },
  };
}

describe('the bars of a run that goes on', () => {
  it.each([1, 10, 50])('are the same as made anew, %i steps wide', (size) => {
    const { reader, grow } = growingRun();
    const bars = new GraphBars(reader);
    for (let steps = 0; steps <= 1_300; steps += 37) {
      grow(steps);
      for (const from of [0, size, Math.floor(steps / 2 / size) * size]) {
        if (from > steps) continue;
        const query = { branch: 0, from, to: steps, size };
        expect(bars.of(query)).toEqual(graphBins(reader, query));
      }
    }
  });

  it('are summed up once', () => {
    const { reader, summed, grow } = growingRun();
    const bars = new GraphBars(reader);
    for (let steps = 100; steps <= 10_000; steps += 100) {
      grow(steps);
      bars.of({ branch: 0, from: 0, to: steps, size: 50 });
    }
    expect(summed.steps).toBeLessThan(2 * 10_000);
  });

  it('show a branch that has begun in one of them', () => {
    const { reader, grow } = growingRun();
    const bars = new GraphBars(reader);
    const query = { branch: 0, from: 0, to: 200, size: 20 };
    grow(200);
    bars.of(query);
    grow(200, [
      { id: 1, parent: { branch: 0, step: 45 }, steps: 60, ownFrom: 45, end: undefined, skill: undefined },
    ]);
    expect(bars.of(query).bins.map(({ forks }) => forks)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  });
});
