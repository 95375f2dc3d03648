/** Tokens and costs over a run: what was reported and what was estimated, cached, thought with, and paid. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Model, ModelPrice, ReportedUsage } from '../../../client/src/runtime/model';
import { createTraceReader } from '../../../client/src/runtime/traceReader';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { memoryRun, scriptedModel, traceText } from '../../support/memoryRun';

/** The scripted model, which reports what `usageOf` says of each of its answers, counted from 0. */
function reporting(
  usageOf: (answer: number) => ReportedUsage | undefined,
  price?: ModelPrice,
): { readonly environment: ReturnType<typeof createWarehouse>; readonly model: Model } {
  const environment = createWarehouse();
  const scripted = scriptedModel(environment);
  let answers = 0;
  const model: Model = {
    name: 'openai:reporting',
    price,
    async *generate(request, signal) {
      const usage = usageOf(answers++);
      yield* scripted.generate(request, signal);
      if (usage !== undefined) yield { type: 'usage', usage };
    },
  };
  return { environment, model };
}

async function readerOf(records: readonly TraceRecord[]) {
  const bytes = new TextEncoder().encode(traceText(records));
  const reader = createTraceReader({
    bytes: {
      size: async () => bytes.length,
      read: async (offset, length) => bytes.slice(offset, offset + length),
    },
  });
  await reader.read();
  return reader;
}

const usage = { prompt: 1_000, completion: 100, cached: 800, thinking: 40 };
const price = { prompt: 2, completion: 10, cached: 0.5 };
const cost = (200 * 2 + 800 * 0.5 + 100 * 10) / 1_000_000;

describe('accounting', () => {
  it('keeps reported figures, and prices the cached part apart', async () => {
    const run = await memoryRun({ ...reporting(() => usage, price), options: { budget: { steps: 5 } } });
    const { totals } = await run.finish();
    expect(totals).toMatchObject({
      promptTokens: 5_000,
      completionTokens: 500,
      cachedTokens: 4_000,
      thinkingTokens: 200,
      tokenSource: 'reported',
      estimatedTokens: 0,
    });
    expect(totals.cost).toBeCloseTo(5 * cost, 12);
    expect(totals.knownCost).toBe(totals.cost);
    const attempt = run.records.find(({ kind }) => kind === 'attempt');
    expect(attempt).toMatchObject({ tokens: { cached: 800, thinking: 40, source: 'reported' } });
  });

  it('tells a run of which some attempts are reported from others, in the run and in its trace', async () => {
    const half = reporting((answer) => (answer % 2 === 0 ? usage : undefined), price);
    const run = await memoryRun({ ...half, options: { budget: { steps: 6 } } });
    const { totals } = await run.finish();
    expect(totals.tokenSource).toBe('mixed');
    expect(totals.estimatedTokens).toBe(totals.promptTokens + totals.completionTokens - 3 * 1_100);
    const reader = await readerOf(run.records);
    const sums = [0, 1].map((step) => reader.summary(0, step).tokens);
    expect(sums.map(({ source }) => source)).toEqual(['reported', 'estimated']);
    expect(sums[0]?.estimated).toBe(0);
    expect(sums[1]?.estimated).toBe((sums[1]?.prompt ?? 0) + (sums[1]?.completion ?? 0));
    const { activeMilliseconds: _, ...recorded } = reader.totals(0, 6);
    expect(totals).toMatchObject({
      ...recorded,
      cost: expect.closeTo(recorded.cost ?? 0, 12),
      knownCost: expect.closeTo(recorded.knownCost, 12),
    });
    const [bin] = reader.bins(0, 0, 6, 1);
    expect(bin?.tokens).toMatchObject({
      source: 'mixed',
      estimated: totals.estimatedTokens,
      cached: 2_400,
      thinking: 120,
    });
  });

  it('tells a step of which some attempts are reported, and how much of it is estimated', async () => {
    const environment = createWarehouse();
    let answers = 0;
    const scripted = scriptedModel(environment);
    const model: Model = {
      name: 'openai:reporting',
      async *generate(request, signal) {
        answers++;
        if (answers === 1) {
          yield { type: 'text', text: 'No block.' };
          yield { type: 'usage', usage };
        } else yield* scripted.generate(request, signal);
      },
    };
    const run = await memoryRun({ environment, model, options: { budget: { steps: 2 } } });
    const { totals } = await run.finish();
    const reader = await readerOf(run.records);
    const { tokens } = reader.summary(0, 0);
    expect(tokens.source).toBe('mixed');
    expect(tokens.estimated).toBe(tokens.prompt + tokens.completion - 1_100);
    expect(reader.totals(0, 2).estimatedTokens).toBe(totals.estimatedTokens);
  });

  it('knows at least what is known of a cost', async () => {
    const longPrompts = reporting((answer) => ({ ...usage, prompt: answer < 2 ? 1_000 : 300_000 }), {
      ...price,
      largestPrompt: 200_000,
    });
    const run = await memoryRun({ ...longPrompts, options: { budget: { steps: 4 } } });
    const { totals } = await run.finish();
    expect(totals.cost).toBeUndefined();
    expect(totals.knownCost).toBeCloseTo(2 * cost, 12);
    const reader = await readerOf(run.records);
    expect(reader.totals(0, 4)).toMatchObject({ cost: undefined, knownCost: expect.closeTo(2 * cost, 12) });
    expect(reader.summary(0, 0).cost).toBeCloseTo(cost, 12);
    expect(reader.summary(0, 3)).toMatchObject({ cost: undefined, knownCost: 0 });
  });

  it('ends a run whose known cost alone has reached the cap', async () => {
    const half = reporting((answer) => ({ ...usage, prompt: answer === 0 ? 300_000 : 1_000 }), {
      ...price,
      largestPrompt: 200_000,
    });
    const run = await memoryRun({ ...half, options: { horizon: 20, budget: { cost: 3.5 * cost } } });
    const { end, totals } = await run.finish();
    expect(end).toMatchObject({ outcome: 'capped', reason: expect.stringContaining('at least') });
    expect(totals.steps).toBe(5);
  });

  it('knows no cost where there is no price, and never nothing', async () => {
    const run = await memoryRun({ ...reporting(() => usage), options: { budget: { steps: 2 } } });
    const { totals } = await run.finish();
    expect(totals).toMatchObject({ cost: undefined, knownCost: 0 });
    expect(run.records.every((record) => !('cost' in record))).toBe(true);
  });
});
