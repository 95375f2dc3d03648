/** One run, and what every view of it says it took: the same, whoever adds up. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runReport, summaryLines } from '../../../client/src/commandLine/runReport';
import { traceShow } from '../../../client/src/commandLine/traceShow';
import { summaryOf } from '../../../client/src/debug/runOutput';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { type Model, ModelFailure } from '../../../client/src/runtime/model';
import type { RunState } from '../../../client/src/runtime/runState';
import { spendingOf } from '../../../client/src/runtime/spending';
import type { TraceReader } from '../../../client/src/runtime/traceReader';
import { comparisonText } from '../../../client/src/views/comparison/comparisonText';
import { compareRuns } from '../../../client/src/views/comparison/runComparison';
import { numbersCsv } from '../../../client/src/views/runPanel/numbersCsv';
import { runOverview } from '../../../client/src/views/runPanel/runOverview';
import { graphBins, stepRow } from '../../../client/src/views/runPanel/stepRows';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { temporaryFolder } from '../../support/commandLine';
import { memoryRun, scriptedModel, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const name = 'openai:hosted';
const busy = { class: 'server-error', message: 'Overloaded.', wait: 0 } as const;
const taken = { prompt: 5_000, completion: 1_000, cached: 300, thinking: 80 };

/**
 * Step 0: requests that failed, then an answer of known cost. 1: nobody knows what was written to the cache. 2: a rejected
 * reply, and one that is estimated. 3: requests that failed, the last of them for good.
 */
function hosted(): { readonly environment: ReturnType<typeof createWarehouse>; readonly model: Model } {
  const environment = createWarehouse();
  const scripted = scriptedModel(environment);
  const model: Model = {
    name,
    price: { prompt: 2, completion: 10, cached: 0.5, cacheWritten: 2.5 },
    async *generate(request, signal) {
      const { step, attempt } = request;
      if (step === 0 || step === 3) {
        yield { type: 'usage', usage: { ...taken, cacheWritten: 0 } };
        yield { type: 'retry', failure: busy };
        yield { type: 'retry', failure: busy };
      }
      if (step === 3) {
        yield { type: 'usage', usage: taken };
        throw new ModelFailure('Withheld.', { class: 'content-filter', retryable: false });
      }
      yield { type: 'thinking', text: 'four words of thought' };
      if (step === 2 && attempt === 1) yield { type: 'text', text: 'No block.' };
      else yield* scripted.generate(request, signal);
      const usage = { prompt: 1_000, completion: 100, cached: 600, thinking: 40 };
      if (step === 0) yield { type: 'usage', usage: { ...usage, cacheWritten: 100 } };
      if (step === 1) yield { type: 'usage', usage };
    },
  };
  return { environment, model };
}

/** What `trace show --json` has of a step. */
interface ShownStep {
  readonly tokens: Readonly<
    Record<'total' | 'prompt' | 'cached' | 'thinking' | 'estimated' | 'failed', number>
  >;
  readonly cost: number | null;
  readonly knownCost: number;
  readonly costAtMost: number | null;
}

let run: RunState;
let records: readonly TraceRecord[];
let reader: TraceReader;
beforeAll(async () => {
  const made = await memoryRun(hosted());
  await expect(made.finish()).rejects.toThrow('Withheld.');
  if (made.execution.run === undefined) throw new Error('No run');
  ({ run } = made.execution);
  ({ records } = made);
  reader = await readerOf(traceText(records));
});

async function shown(json: boolean): Promise<string> {
  const path = join(folder.path, 'run.skilltrace.jsonl');
  writeFileSync(path, traceText(records));
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const { signal } = new AbortController();
  await traceShow(path, { json }, { stdin: Readable.from([]), stdout: stream, stderr: stream, signal });
  return text;
}

const sum = (values: readonly (number | string | undefined)[]) =>
  values.reduce<number>((total, value) => total + Number(value ?? 0), 0);

it('comes to the same sums everywhere', async () => {
  const { totals } = run;
  const failed = totals.failedTokens.prompt + totals.failedTokens.completion;
  expect(failed).toBe(3 * 6_000);
  expect(totals).toMatchObject({ attempts: 4, tokenSource: 'mixed', cost: undefined });
  expect(totals.knownCost).toBeGreaterThan(0);
  const spent = totals.promptTokens + totals.completionTokens;
  const known = expect.closeTo(totals.knownCost, 12);

  const steps = reader.branches[0]?.steps ?? 0;
  const { activeMilliseconds: _, steps: __, ...recorded } = reader.totals(0, steps);
  expect(totals).toMatchObject({
    ...recorded,
    knownCost: known,
    costAtMost: expect.closeTo(recorded.costAtMost ?? 0, 12),
  });

  const report = runReport(run, { skill: '', environment: '', model: name, seed: 0, horizon: 9, trace: '' });
  expect(report).toMatchObject({
    tokens: { prompt: totals.promptTokens, completion: totals.completionTokens, total: spent, failed },
    cost: null,
    knownCost: totals.knownCost,
  });

  const csv = [...numbersCsv(reader, 0)]
    .join('')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const [head = [], ...lines] = csv;
  const column = (title: string) => lines.map((line) => line[head.indexOf(title)]);
  const { steps: shownSteps }: { readonly steps: readonly ShownStep[] } = JSON.parse(await shown(true));
  const rows = lines.map((_, step) => stepRow(reader, 0, step));
  const bins = graphBins(reader, { branch: 0, from: 0, to: steps, size: steps }).bins;
  const { spending } =
    runOverview({ trace: '', reader, failure: undefined, session: undefined }).branches[0] ?? {};
  const ofShown = (of: (step: ShownStep) => number) => sum(shownSteps.map(of));
  const figures = (all: readonly unknown[], expected: unknown) =>
    expect(all).toEqual(all.map(() => expected));
  figures(
    [
      sum(column('total_tokens')),
      ofShown(({ tokens }) => tokens.total),
      sum(rows.map(({ tokens }) => tokens.spent)),
      bins[0]?.tokens.spent,
      spending?.spent,
    ],
    spent,
  );
  figures(
    [sum(column('prompt_tokens')), ofShown(({ tokens }) => tokens.prompt), spending?.prompt],
    totals.promptTokens,
  );
  figures(
    [
      sum(column('cached_tokens')),
      ofShown(({ tokens }) => tokens.cached),
      spending?.cached,
      report.tokens.cached,
    ],
    totals.cachedTokens,
  );
  figures(
    [
      sum(column('thinking_tokens')),
      ofShown(({ tokens }) => tokens.thinking),
      spending?.thinking,
      report.tokens.thinking,
    ],
    totals.thinkingTokens,
  );
  figures(
    [
      sum(column('estimated_tokens')),
      ofShown(({ tokens }) => tokens.estimated),
      spending?.estimated,
      report.tokens.estimated,
    ],
    totals.estimatedTokens,
  );
  figures(
    [
      sum(column('failed_tokens')),
      ofShown(({ tokens }) => tokens.failed),
      reader.bins(0, 0, steps, 1)[0]?.tokens.failed,
    ],
    failed,
  );
  figures(
    [
      sum(column('known_cost_usd')),
      ofShown(({ knownCost }) => knownCost),
      reader.bins(0, 0, steps, 1)[0]?.knownCost,
    ],
    known,
  );
  figures(
    [
      sum(column('cost_at_most_usd')),
      ofShown(({ costAtMost }) => costAtMost ?? Number.NaN),
      reader.bins(0, 0, steps, 1)[0]?.costAtMost,
      report.costAtMost,
    ],
    expect.closeTo(totals.costAtMost ?? Number.NaN, 12),
  );
  figures([column('cost_usd')[1], column('cost_usd')[2], column('cost_usd')[3]], '');
  figures([shownSteps[1]?.cost, shownSteps[2]?.cost, shownSteps[3]?.cost], null);
});

it('says the same of it in words', async () => {
  const { totals } = run;
  const cost = spending();
  const told = [
    summaryOf(run, run.end ?? { outcome: 'stopped', reason: '', resumable: true }, undefined, false)
      .map(({ text }) => text)
      .join('\n'),
    summaryLines(
      runReport(run, { skill: '', environment: '', model: name, seed: 0, horizon: 9, trace: '' }),
      [],
      80,
    ).join('\n'),
    await shown(false),
    `cost ${runOverview({ trace: '', reader, failure: undefined, session: undefined }).branches[0]?.spending?.cost}`,
  ];
  for (const text of told) expect(text).toContain(cost);
  for (const text of told.slice(0, 3)) {
    expect(text.replaceAll(',', '')).toContain(String(totals.promptTokens));
    expect(text.replaceAll(',', '')).toMatch(/18000 in failed requests|18000 of the tokens/);
    expect(text).toContain('of them estimated');
  }

  function spending(): string {
    const shown = (dollars = Number.NaN) =>
      `≈$${dollars.toLocaleString('en-US', { maximumSignificantDigits: 3 })}`;
    return `between ${shown(totals.knownCost)} and ${shown(totals.costAtMost)}`;
  }
});

it('is compared by the same sums, and with a run that cost nothing by its nature', async () => {
  const scripted = await memoryRun({ options: { budget: { steps: 2 } } });
  await scripted.finish();
  const other = await readerOf(traceText(scripted.records));
  const { signal } = new AbortController();
  const [left, right] = [
    { reader, branch: 0 },
    { reader: other, branch: 0 },
  ];
  const compared = await compareRuns(left, right, { pause: async () => undefined, signal });
  const { text } = comparisonText(compared, { left: 'hosted', right: 'scripted' });
  const cells = (row: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`| ${row} `));
    return line
      ?.split('|')
      .map((cell) => cell.trim())
      .slice(2, 4);
  };
  expect(cells('cost')).toEqual([expect.stringMatching(/^between ≈\$/), 'none']);
  const { promptTokens } = run.totals;
  expect(cells('· of prompts')?.[0]).toBe(`≈${promptTokens.toLocaleString('en-US')}`);
});

it('adds up attempts as the run does', async () => {
  const step = await reader.step(0, 0);
  const { failed, prompt, cost } = spendingOf(
    step.attempts.map(({ record }) => ({
      tokens: record.tokens,
      cost: record.cost,
      failures: record.failures ?? [],
    })),
  );
  expect({ failed, prompt }).toEqual({ failed: 6_000, prompt: 6_000 });
  expect(cost).toBeCloseTo(reader.summary(0, 0).cost ?? 0, 12);
});
