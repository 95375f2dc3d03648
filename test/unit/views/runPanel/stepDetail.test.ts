/** What is told of a step of a trace that has lost a part of it. */
import { expect, it } from 'vitest';
import { stepDetail } from '../../../../client/src/views/runPanel/stepDetail';
import { memoryRun, traceText } from '../../../support/memoryRun';
import { readerOf } from '../../../support/memoryTrace';

it('is all that is left, where its state is lost', async () => {
  const { records, finish } = await memoryRun({ options: { budget: { steps: 4 }, keyframeEvery: 100 } });
  await finish();
  const detailOf = async (lost: (record: (typeof records)[number]) => boolean, step: number) => {
    const reader = await readerOf(traceText(records.filter((record) => !lost(record))));
    return stepDetail(reader, 0, step, () => undefined);
  };
  const whole = await detailOf(() => false, 2);
  expect(whole.changesLost).toBeUndefined();
  const headless = await detailOf(({ kind }) => kind === 'run', 2);
  expect(headless.changesLost?.text).toContain('the trace has lost');
  expect(headless).toMatchObject({ changes: [], changesLeftOut: 0 });
  const { observation, action, outcome, attempts } = whole;
  expect(attempts).toHaveLength(1);
  // Nobody knows the model, and whether it is one that nobody charges for.
  const unknown = attempts.map((attempt) => ({ ...attempt, cost: 'unknown' }));
  expect(headless).toMatchObject({ observation, action, outcome, attempts: unknown });
});
