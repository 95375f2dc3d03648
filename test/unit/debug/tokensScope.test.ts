/** The Tokens scope: the run's sums with who counted them, shares of cache and thinking, cost, and the latest attempt. */
import { expect, it } from 'vitest';
import { rootValue } from '../../../client/src/debug/view';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Model, ReportedUsage } from '../../../client/src/runtime/model';
import type { RunState } from '../../../client/src/runtime/runState';
import { memoryRun, scriptedModel } from '../../support/memoryRun';

const usage: ReportedUsage = { prompt: 1_000, completion: 100, cached: 830, thinking: 40 };

/** The run after so many steps, whose answers report usage where `reports` says so. */
async function runOf(
  steps: number,
  reports: (answer: number) => boolean,
  priced: boolean,
): Promise<RunState> {
  const environment = createWarehouse();
  const scripted = scriptedModel(environment);
  let answers = 0;
  const model: Model = {
    name: 'openai:x',
    price: priced ? { prompt: 10, completion: 10, cached: 1, largestPrompt: 10_000 } : undefined,
    async *generate(request, signal) {
      yield* scripted.generate(request, signal);
      if (reports(answers++)) yield { type: 'usage', usage };
    },
  };
  const run = await memoryRun({ environment, model, options: { horizon: 20 } });
  const { signal } = new AbortController();
  let state = await run.execution.start(signal);
  while (state.step < steps) state = (await run.execution.advance(signal)).after;
  // Where the latest attempt is still that of a step.
  while (state.phase !== 'act') state = (await run.execution.advance(signal)).after;
  return state;
}

function tokensOf(run: RunState) {
  return rootValue('tokens', {
    run,
    underWay: false,
    partialReply: '',
    rejected: undefined,
    exhausted: false,
  });
}

it('shows reported counts, the share that was cached, thinking, and the cost', async () => {
  const cost = (170 * 10 + 830 + 100 * 10) / 1_000_000;
  expect(tokensOf(await runOf(1, () => true, true))).toEqual({
    total: 2_200,
    prompt: 2_000,
    completion: 200,
    cached: 1_660,
    cachedShare: 0.83,
    thinking: 80,
    source: 'reported',
    cost: expect.closeTo(2 * cost, 12),
    latest: {
      prompt: 1_000,
      completion: 100,
      cached: 830,
      cachedShare: 0.83,
      thinking: 40,
      source: 'reported',
      cost: expect.closeTo(cost, 12),
      split: expect.any(Object),
    },
  });
});

it('tells how much of a sum is estimated, and never shows an unknown cost as nothing', async () => {
  const mixed = tokensOf(await runOf(1, (answer) => answer === 0, false));
  expect(mixed).toMatchObject({ source: 'mixed', estimated: expect.any(Number) });
  expect(mixed).not.toHaveProperty('cost');
  expect(mixed).not.toHaveProperty('costAtLeast');
  expect(mixed).not.toHaveProperty('latest.cost');
  expect(tokensOf(await runOf(1, () => false, false))).toMatchObject({
    source: 'estimated',
    latest: { source: 'estimated' },
  });
});
