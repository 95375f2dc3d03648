/** Where each goal stops, over whole runs of the warehouse sample. */
import { describe, expect, it } from 'vitest';
import { type Goal, noStops, type StopRules, stopAfter } from '../../../client/src/debug/stopPolicy';
import { type MemoryRunOptions, memoryRun, replyingModel, replyOf } from '../../support/memoryRun';

/** What a run stops at after each phase, given a goal from its beginning on: `t phase kind`. */
async function stops(
  goal: Goal,
  rules: Partial<StopRules> = {},
  settings: MemoryRunOptions = {},
): Promise<string[]> {
  const { execution } = await memoryRun({
    ...settings,
    options: { horizon: 3, seed: 42, ...settings.options },
  });
  const { signal } = new AbortController();
  let run = await execution.start(signal);
  const found: string[] = [];
  let origin = run.step;
  while (!run.end) {
    const report = await execution.advance(signal);
    run = report.after;
    const reason = stopAfter(report, { goal, origin, rules: { ...noStops, ...rules } });
    if (reason === undefined) continue;
    found.push(`${run.step} ${run.phase} ${reason.kind}`);
    origin = run.step;
  }
  return found;
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
    const found = await stops('stepIn', {}, { options: { horizon: 1 } });
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

describe('rules', () => {
  const actionHits: StopRules['actionHits'] = (run) => (run.matched?.signature.name === 'Ship' ? [7] : []);

  it('hit before the act and before the merge, whatever the goal', async () => {
    expect(await stops('continue', { actionHits })).toEqual(['1 act breakpoint']);
    expect(await stops('stepOut', { actionHits })).toEqual([
      '1 observe step',
      '1 act breakpoint',
      '2 observe step',
    ]);
    expect(await stops('continue', { propertyHits: () => [1] })).toEqual([
      '0 merge breakpoint',
      '1 merge breakpoint',
      '2 merge breakpoint',
    ]);
  });

  it('tell the last rejection of a step from the others', async () => {
    const model = () => replyingModel([bad, bad, good]);
    const options = { maxRetries: 1, onExhausted: 'continue' as const, horizon: 2 };
    expect(await stops('continue', { rejected: true, exhausted: true }, { model: model(), options })).toEqual(
      ['0 prompt rejected', '0 act exhausted'],
    );
    expect(await stops('continue', { exhausted: true }, { model: model(), options })).toEqual([
      '0 act exhausted',
    ]);
    expect(await stops('continue', { rejected: true }, { model: model(), options })).toEqual([
      '0 prompt rejected',
      '0 act rejected',
    ]);
  });

  it('stop at the last rejection of a run, after which nothing comes', async () => {
    const settings = {
      model: replyingModel([bad]),
      options: { maxRetries: 0, onExhausted: 'stop' as const },
    };
    expect(await stops('continue', { exhausted: true }, settings)).toEqual(['0 parse exhausted']);
  });

  it('stop at the next step where the observation comes again', async () => {
    const settings = { model: replyingModel([bad, good]), options: { maxRetries: 0, horizon: 1 } };
    expect(await stops('next', { exhausted: true }, settings)).toEqual(['1 observe exhausted', '1 act step']);
  });
});
