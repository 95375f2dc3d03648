/** Tokens and costs over a run: what was reported and what was estimated, cached, thought with, and paid. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createReplayModel } from '../../../client/src/models/replay';
import {
  type Model,
  ModelFailure,
  type ModelPrice,
  type ReportedUsage,
} from '../../../client/src/runtime/model';
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

  it("keeps apart what the model's extension counted: in the trace, in sums, in a run from its recording", async () => {
    const counted = { prompt: 1_000, completion: 100, estimatedBy: 'extension' } as const;
    const half = reporting((answer) => (answer === 0 ? undefined : counted), price);
    const run = await memoryRun({ ...half, options: { budget: { steps: 3 } } });
    const { totals } = await run.finish();
    const attempts = run.records.filter((record) => record.kind === 'attempt');
    expect(attempts.map(({ tokens }) => [tokens.source, tokens.estimatedBy])).toEqual([
      ['estimated', undefined],
      ['estimated', 'extension'],
      ['estimated', 'extension'],
    ]);
    expect(totals).toMatchObject({ tokenSource: 'estimated', extensionTokens: 2_200 });
    expect(totals.estimatedTokens).toBe(totals.promptTokens + totals.completionTokens);
    const reader = await readerOf(run.records);
    expect(reader.totals(0, 3)).toMatchObject({
      extensionTokens: 2_200,
      estimatedTokens: totals.estimatedTokens,
    });
    expect(reader.summary(0, 1).tokens).toMatchObject({
      source: 'estimated',
      estimated: 1_100,
      byExtension: 1_100,
    });
    const name = { provider: 'replay', model: 'a' } as const;
    const replay = createReplayModel(name, 'replay:a', {
      openRecording: async () => readerOf(run.records),
      sha256,
    });
    const again = await memoryRun({
      environment: createWarehouse(),
      model: replay,
      options: { budget: { steps: 3 } },
    });
    expect((await again.finish()).totals).toMatchObject({ extensionTokens: 2_200 });
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

  const budget = { cost: 3.5 * cost };
  const written = { ...price, cacheWritten: 2.5 };
  const atMost = (1_000 * 2.5 + 100 * 10) / 1_000_000;

  it('ends a run whose known cost alone has reached the cap', async () => {
    // What is written to the cache has a price, and of the first answer nobody knows how much was.
    const half = reporting((answer) => ({ ...usage, ...(answer > 0 && { cacheWritten: 0 }) }), written);
    const run = await memoryRun({ ...half, options: { horizon: 20, budget: { cost: 0.02 } } });
    const { end, totals } = await run.finish();
    expect(end).toMatchObject({
      outcome: 'capped',
      reason: expect.stringMatching(/may be used up.* between \$.* and \$/),
    });
    expect(totals.knownCost + atMost).toBeGreaterThanOrEqual(0.02);
    expect(totals.knownCost - cost + atMost).toBeLessThan(0.02);
  });

  it.each([
    ['known', price, usage, 3.5 * cost, 4, 'is used up: $0.0072 were spent.'],
    [
      'bounded, since some may be written to the cache',
      written,
      usage,
      3.5 * atMost,
      4,
      'between $0.00 and $0.014 were spent',
    ],
    ['bounded, and estimated', written, undefined, 0.000_001, 1, 'between $0.00 and $'],
    ['not even bounded', { ...price, largestPrompt: 999 }, usage, 1_000, 1, 'can no longer be watched'],
  ])('holds a cap in dollars where the cost is %s', async (_, price, usage, cap, steps, reason) => {
    const run = await memoryRun({
      ...reporting(() => usage, price),
      options: { horizon: 20, budget: { cost: cap } },
    });
    const { end, totals } = await run.finish();
    expect(end).toMatchObject({ outcome: 'capped', reason: expect.stringContaining(reason) });
    expect(totals.steps).toBe(steps);
  });

  it('keeps what a request cost at most in the trace, so that a resumed run is held to the cap as well', async () => {
    const run = await memoryRun({ ...reporting(() => usage, written), options: { horizon: 20, budget } });
    const { totals } = await run.finish();
    const attempts = run.records.filter((record) => record.kind === 'attempt');
    expect(attempts.every((record) => record.costAtMost === atMost && !('cost' in record))).toBe(true);
    const reader = await readerOf(run.records);
    expect(reader.totals(0, totals.steps)).toMatchObject({
      cost: undefined,
      knownCost: 0,
      costAtMost: expect.closeTo(totals.steps * atMost, 12),
    });
    const again = await memoryRun({
      ...reporting(() => usage, written),
      options: { horizon: 20, budget },
      recorded: run.records.slice(0, run.records.indexOf(attempts[1] as TraceRecord) + 1),
    });
    expect((await again.finish()).totals).toMatchObject({
      steps: totals.steps,
      costAtMost: totals.costAtMost,
    });
  });

  it('knows no cost where there is no price, and never nothing', async () => {
    const run = await memoryRun({ ...reporting(() => usage), options: { budget: { steps: 2 } } });
    const { totals } = await run.finish();
    expect(totals).toMatchObject({ cost: undefined, knownCost: 0 });
    expect(run.records.every((record) => !('cost' in record))).toBe(true);
  });
});

describe('an estimate', () => {
  it('has what was thought as well as the reply', async () => {
    const environment = createWarehouse();
    const model: Model = {
      name: 'openai:thinking',
      async *generate() {
        yield { type: 'thinking', text: 'thought '.repeat(250) };
        yield { type: 'thinking', text: 'thought '.repeat(250) };
        yield { type: 'text', text: 'three words only' };
      },
    };
    const run = await memoryRun({ environment, model, options: { maxRetries: 0, budget: { steps: 1 } } });
    const { totals } = await run.finish();
    const attempt = run.records.find((record) => record.kind === 'attempt');
    expect(attempt).toMatchObject({ tokens: { completion: 503, thinking: 500, source: 'estimated' } });
    expect(totals).toMatchObject({ completionTokens: 503, thinkingTokens: 500 });
  });
});

describe('requests that failed', () => {
  const wasted = { prompt: 5_000, completion: 1_000, cached: 2_000, thinking: 300 };
  const paid = (3_000 * 2 + 2_000 * 0.5 + 1_000 * 10) / 1_000_000;
  const failed = { class: 'server-error', message: 'Overloaded.', wait: 0 } as const;

  /** Each answer of it comes after two requests that failed, one of which says what it took; the last one never comes. */
  function failing({ price, last = Number.POSITIVE_INFINITY }: { price?: ModelPrice; last?: number }) {
    const { environment, model } = reporting(() => usage, price);
    let answers = 0;
    const unreliable: Model = {
      ...model,
      async *generate(request, signal) {
        yield { type: 'usage', usage: wasted };
        if (answers++ >= last)
          throw new ModelFailure('Withheld.', { class: 'content-filter', retryable: false });
        yield { type: 'retry', failure: failed };
        yield { type: 'retry', failure: failed };
        yield* model.generate(request, signal);
      },
    };
    return { environment, model: unreliable };
  }

  it('count with what was reported of them: in the trace, in sums, in cost', async () => {
    const run = await memoryRun({ ...failing({ price }), options: { budget: { steps: 3 } } });
    const { totals } = await run.finish();
    const [attempt] = run.records.filter((record) => record.kind === 'attempt');
    expect(attempt?.failures).toEqual([
      { ...failed, tokens: wasted, cost: expect.closeTo(paid, 12) },
      failed,
    ]);
    expect(attempt?.tokens.prompt).toBe(1_000);
    expect(totals).toMatchObject({
      promptTokens: 3 * 6_000,
      completionTokens: 3 * 1_100,
      cachedTokens: 3 * 2_800,
      thinkingTokens: 3 * 340,
      failedTokens: { prompt: 15_000, completion: 3_000 },
      tokenSource: 'reported',
      cost: expect.closeTo(3 * (cost + paid), 12),
    });
    const reader = await readerOf(run.records);
    const { activeMilliseconds: _, ...recorded } = reader.totals(0, 3);
    expect(totals).toMatchObject({
      ...recorded,
      cost: expect.closeTo(recorded.cost ?? 0, 12),
      knownCost: expect.anything(),
      costAtMost: expect.anything(),
    });
    expect(reader.summary(0, 0)).toMatchObject({
      failedRequests: 2,
      tokens: { prompt: 6_000, failed: 6_000 },
    });
    expect(reader.bins(0, 0, 3, 1)[0]?.tokens).toMatchObject({ prompt: 18_000, failed: 18_000 });
  });

  it('count against every cap', async () => {
    const tokens = await memoryRun({ ...failing({ price }), options: { budget: { tokens: 7_000 } } });
    expect((await tokens.finish()).totals.steps).toBe(1);
    const dollars = await memoryRun({ ...failing({ price }), options: { budget: { cost: paid } } });
    expect((await dollars.finish()).totals.steps).toBe(1);
    const written = { ...price, cacheWritten: 2.5 };
    const bounded = await memoryRun({ ...failing({ price: written }), options: { budget: { cost: 0.022 } } });
    expect((await bounded.finish()).end?.reason).toContain('may be used up');
  });

  it('count once where the run ends by one, and where it is resumed then', async () => {
    const run = await memoryRun({ ...failing({ price, last: 1 }), options: { budget: { steps: 2 } } });
    await expect(run.finish()).rejects.toThrow('Withheld.');
    const totals = run.execution.run?.totals;
    expect(totals).toMatchObject({ promptTokens: 6_000 + 5_000, failedTokens: { prompt: 10_000 } });
    const reader = await readerOf(run.records);
    expect(reader.totals(0, 2)).toMatchObject({
      promptTokens: 11_000,
      failedTokens: { prompt: 10_000 },
      costAtMost: expect.closeTo(totals?.costAtMost ?? 0, 12),
    });
    const resumed = await memoryRun({
      ...failing({ price }),
      options: { budget: { steps: 2 } },
      recorded: run.records,
    });
    const after = await resumed.finish();
    expect(after.totals).toMatchObject({
      promptTokens: 6_000 + 5_000 + 6_000,
      failedTokens: { prompt: 15_000 },
    });
    const whole = await readerOf([...run.records, ...resumed.records]);
    expect(whole.totals(0, 2)).toMatchObject({ promptTokens: 17_000, failedTokens: { prompt: 15_000 } });
  });

  it('leave what they cost unknown where it is', async () => {
    const run = await memoryRun({
      ...failing({ price: { ...price, largestPrompt: 4_000 } }),
      options: { budget: { steps: 1 } },
    });
    const { totals } = await run.finish();
    expect(totals).toMatchObject({
      cost: undefined,
      knownCost: expect.closeTo(cost, 12),
      costAtMost: undefined,
    });
    expect((await readerOf(run.records)).summary(0, 0)).toMatchObject({
      cost: undefined,
      knownCost: expect.closeTo(cost, 12),
    });
  });
});
