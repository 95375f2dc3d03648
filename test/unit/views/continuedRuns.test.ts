/** A run that one model began and another goes on with: every view says of its steps who answered them, and what they cost. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { traceShow } from '../../../client/src/commandLine/traceShow';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Model, ModelPrice } from '../../../client/src/runtime/model';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import { comparisonText } from '../../../client/src/views/comparison/comparisonText';
import { compareRuns } from '../../../client/src/views/comparison/runComparison';
import { askedModel, modelAt } from '../../../client/src/views/models/sessionModel';
import { runOverview } from '../../../client/src/views/runPanel/runOverview';
import { stepDetail } from '../../../client/src/views/runPanel/stepDetail';
import { stepRow } from '../../../client/src/views/runPanel/stepRows';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { temporaryFolder } from '../../support/commandLine';
import { memoryJourney } from '../../support/memoryJourney';
import { memoryRun, scriptedModel, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** 1,000 tokens of a prompt at $200 for a million are $0.20. */
const price = { prompt: 200, completion: 0 };

function answering(name: string, prices?: ModelPrice) {
  const environment = createWarehouse();
  const scripted = scriptedModel(environment);
  const model: Model = {
    name,
    price: prices,
    async *generate(request, signal) {
      yield* scripted.generate(request, signal);
      yield { type: 'usage', usage: { prompt: 1_000, completion: 10 } };
    },
  };
  return { environment, model };
}

const models = {
  scripted: answering('scripted'),
  replay: answering('replay:a.skilltrace.jsonl'),
  priced: answering('openai:priced', price),
  unpriced: answering('ollama:unpriced'),
  bounded: answering('openai:bounded', { ...price, cacheWritten: 300 }),
};
type Name = keyof typeof models;

/** Two steps by one, and two by another who resumes the run. */
async function resumed(first: Name, second: Name): Promise<readonly TraceRecord[]> {
  const began = await memoryRun({ ...models[first], options: { budget: { steps: 4 } } });
  await began.finish();
  const at = began.records.findIndex((record) => record.kind === 'step' && record.step === 2);
  const recorded = began.records.slice(0, at);
  const went = await memoryRun({ ...models[second], options: { budget: { steps: 4 } }, recorded });
  await went.finish();
  return [...recorded, ...went.records];
}

/** Two steps by one, and two by another on a branch. */
async function forked(first: Name, second: Name): Promise<readonly TraceRecord[]> {
  const began = await memoryRun({ ...models[first], options: { budget: { steps: 4 } } });
  await began.finish();
  const reader = await readerOf(traceText(began.records));
  if (reader.header === undefined) throw new Error('The trace has no header');
  const journey = await memoryJourney({
    ...models[second],
    options: { budget: { steps: 4 } },
    recorded: recordedRun(reader, reader.header),
  });
  await journey.runTo({ step: 2, index: 0 });
  await journey.journey.fork();
  await journey.run();
  return [...began.records, ...journey.records];
}

/** What each view says of a branch: of its steps one by one, and of all of them. */
async function toldOf(records: readonly TraceRecord[], branch: number) {
  const reader = await readerOf(traceText(records));
  const steps = reader.branches[branch]?.steps ?? 0;
  expect(steps).toBe(4);
  const rows = Array.from({ length: steps }, (_, step) => stepRow(reader, branch, step).cost);
  const attempts = await Promise.all(
    rows.map(async (_, step) => (await stepDetail(reader, branch, step, () => undefined)).attempts[0]?.cost),
  );
  expect(attempts).toEqual(rows);
  const overview = runOverview({ trace: '', reader, failure: undefined, session: undefined });
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
  await traceShow(path, { branch }, { stdin: Readable.from([]), stdout: stream, stderr: stream, signal });
  const side = { reader, branch };
  const compared = await compareRuns(side, side, { pause: async () => undefined, signal });
  const cell = /^\| cost +\| (.*?) +\|/m.exec(comparisonText(compared, { left: 'a', right: 'b' }).text)?.[1];
  const whole = overview.branches[branch]?.spending?.cost;
  expect(cell).toBe(whole ?? 'none');
  expect(/tokens \(reported\)(?:, cost (.*))?$/m.exec(text)?.[1]).toBe(whole);
  return [...rows, whole];
}

describe.each([
  ['scripted', 'priced', [undefined, undefined, '$0.20', '$0.20', '$0.40']],
  ['scripted', 'unpriced', [undefined, undefined, 'unknown', 'unknown', 'unknown']],
  ['scripted', 'bounded', [undefined, undefined, 'at most $0.30', 'at most $0.30', 'at most $0.60']],
  ['priced', 'scripted', ['$0.20', '$0.20', undefined, undefined, '$0.40']],
  ['unpriced', 'scripted', ['unknown', 'unknown', undefined, undefined, 'unknown']],
  ['priced', 'bounded', ['$0.20', '$0.20', 'at most $0.30', 'at most $0.30', 'between $0.40 and $1.00']],
  ['priced', 'unpriced', ['$0.20', '$0.20', 'unknown', 'unknown', 'at least $0.40']],
  ['scripted', 'replay', [undefined, undefined, undefined, undefined, undefined]],
] as const)('a run begun by %s and gone on with by %s', (first, second, expected) => {
  it('says what it costs where it was resumed', async () => {
    expect(await toldOf(await resumed(first, second), 0)).toEqual(expected);
  });

  it('says what it costs where that is a branch', async () => {
    expect(await toldOf(await forked(first, second), 1)).toEqual(expected);
  });
});

describe('a session on a run that another model went on with', () => {
  it('has the model that answers where it stands, and asks the one that went on', async () => {
    for (const records of [await resumed('scripted', 'priced'), await forked('scripted', 'priced')]) {
      const reader = await readerOf(traceText(records));
      const branch = reader.branches.length - 1;
      const named = (step: number) => modelAt(reader, { branch, step })?.name;
      expect([0, 1, 2, 3, 4].map(named)).toEqual([
        ...['scripted', 'scripted'],
        ...['openai:priced', 'openai:priced', 'openai:priced'],
      ]);
      expect(modelAt(reader, undefined)?.name).toBe('scripted');
      expect(askedModel(reader, {})).toBe('openai:priced');
      expect(askedModel(reader, { replay: 'a', model: 'openai:other' })).toBe('openai:other');
      // A pattern of VS Code's models is not the name of the one that it led to.
      expect(askedModel(reader, { model: 'vscode:copilot' })).toBe('openai:priced');
    }
    const branched = await readerOf(traceText(await forked('scripted', 'priced')));
    expect(modelAt(branched, { branch: 0, step: 3 })?.name).toBe('scripted');
    const unread = { header: undefined, branches: [] };
    expect([modelAt(unread, { branch: 0, step: 0 }), askedModel(unread, {})]).toEqual([undefined, undefined]);
  });

  it('is compared by who acted last on either line', async () => {
    const reader = await readerOf(traceText(await forked('scripted', 'priced')));
    const { signal } = new AbortController();
    const options = { pause: async () => undefined, signal };
    const { setup } = await compareRuns({ reader, branch: 0 }, { reader, branch: 1 }, options);
    expect(setup).toContainEqual({ name: 'model', left: 'scripted', right: 'openai:priced' });
  });
});
