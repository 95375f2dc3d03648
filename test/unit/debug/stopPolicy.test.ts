/** Where each goal stops, over whole runs of the warehouse sample. */
import { describe, expect, it } from 'vitest';
import type { Goal } from '../../../client/src/debug/stopPolicy';
import { noStopPoints } from '../../../client/src/debug/stopRules';
import { type MemoryRunOptions, replyingModel, replyOf } from '../../support/memoryRun';
import { notedStops, walkedRun } from '../../support/stoppedRun';

async function stops(
  goal: Goal,
  filters: readonly string[] = [],
  settings: MemoryRunOptions = {},
): Promise<readonly string[]> {
  const points = noStopPoints();
  points.exceptions.set({ filters: [...filters] });
  return (await notedStops(await walkedRun(settings), points, { goal })).stops;
}

const bad = 'No block.';
const good = replyOf({}, 'Wait');

describe('goals', () => {
  it('continue stops nowhere', async () => expect(await stops('continue')).toEqual([]));

  it('next stops before each act', async () =>
    expect(await stops('next')).toEqual(['0 act step', '1 act step', '2 act step']));

  it('stepOut stops at each next observation', async () =>
    expect(await stops('stepOut')).toEqual(['1 observe step', '2 observe step']));

  it('stepIn stops after each phase but the last', async () => {
    const found = await stops('stepIn', [], { options: { horizon: 1 } });
    expect(found).toEqual([
      '0 prompt step',
      '0 generate step',
      '0 parse step',
      '0 validate step',
      '0 merge step',
      '0 act step',
    ]);
  });
});

describe('breakpoints', () => {
  it('hit before the act, whatever the goal', async () => {
    const points = noStopPoints();
    points.functions.set([{ name: 'Ship' }]);
    const run = await walkedRun();
    expect((await notedStops(run, points)).stops).toEqual(['1 act function breakpoint']);
    expect((await notedStops(run, points, { goal: 'stepOut' })).stops).toEqual([
      '1 observe step',
      '1 act function breakpoint',
      '2 observe step',
    ]);
  });
});

describe('filters of rejections', () => {
  it('tell the last rejection of a step from the others', async () => {
    const model = () => replyingModel([bad, bad, good]);
    const options = { maxRetries: 1, onExhausted: 'continue' as const, horizon: 2 };
    expect(await stops('continue', ['rejected', 'exhausted'], { model: model(), options })).toEqual([
      '0 prompt rejected',
      '0 act exhausted',
    ]);
    expect(await stops('continue', ['exhausted'], { model: model(), options })).toEqual(['0 act exhausted']);
    expect(await stops('continue', ['rejected'], { model: model(), options })).toEqual([
      '0 prompt rejected',
      '0 act rejected',
    ]);
  });

  it('stop at the last rejection of a run, after which nothing comes', async () => {
    const settings = {
      model: replyingModel([bad]),
      options: { maxRetries: 0, onExhausted: 'stop' as const },
    };
    expect(await stops('continue', ['exhausted'], settings)).toEqual(['0 parse exhausted']);
  });

  it('stop at the next step where the observation comes again', async () => {
    const settings = { model: replyingModel([bad, good]), options: { maxRetries: 0, horizon: 1 } };
    expect(await stops('next', ['exhausted'], settings)).toEqual(['1 observe exhausted', '1 act step']);
  });
});
