/** Recorded runs with which somebody else goes on: their traces say who, and who goes on next is that one. */
import {
  appendFileSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../../client/src/commandLine/terminal';
import { traceShow } from '../../../client/src/commandLine/traceShow';
import { tryStep } from '../../../client/src/commandLine/tryStep';
import { openReplay, type ReplayRequest } from '../../../client/src/hosts/node/openJourney';
import { openRun, resumeRun } from '../../../client/src/hosts/node/openRun';
import { redactionOf } from '../../../client/src/hosts/node/participants';
import { openTraceReader } from '../../../client/src/hosts/node/traceBytes';
import { actingAfter, actingAtEnd, modelOfStep, modelStretches } from '../../../client/src/runtime/acting';
import type { Execution } from '../../../client/src/runtime/execution';
import { runOverview } from '../../../client/src/views/runPanel/runOverview';
import { describeStep } from '../../../client/src/views/steps/stepTexts';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { temporaryFolder } from '../../support/commandLine';
import { replyOf, repository } from '../../support/memoryRun';
import { type OpenAiServer, startOpenAiServer } from '../../support/openaiServer';

const skill = join(repository, 'samples', 'warehouse');
const callbacks = { asker: { ask: async () => undefined } };
const { signal } = new AbortController();
const prices = new Map([['test-model', { prompt: 10, completion: 10 }]]);

let folder: ReturnType<typeof temporaryFolder>;
let trace: string;
let server: OpenAiServer;
beforeEach(async () => {
  folder = temporaryFolder();
  trace = join(folder.path, 'run.skilltrace.jsonl');
  const answer = { kind: 'reply', text: replyOf({}, 'Wait') } as const;
  server = await startOpenAiServer({ models: ['test-model'], answer: () => answer });
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

const records = (): readonly TraceRecord[] => readTrace(readFileSync(trace)).records;

async function advance(execution: Execution, phases: number): Promise<void> {
  if (execution.run === undefined) await execution.start(signal);
  for (let phase = 0; phase < phases; phase++) await execution.advance(signal);
}

const cancelled = { outcome: 'cancelled', reason: 'Cancelled.', resumable: true } as const;

/** A run of the scripted model that is interrupted in its third step. */
async function record(): Promise<void> {
  const run = await openRun({
    ...{ skill, callbacks, environment: 'warehouse', model: 'scripted' },
    trace: { file: trace },
    options: { horizon: 6 },
  });
  await advance(run.execution, 16);
  run.execution.end(cancelled);
  run.close();
}

/** What `trace show` prints. */
const shownTrace = (json = false) => printed((terminal) => traceShow(trace, { json }, terminal));

async function printed(command: (terminal: Terminal) => Promise<unknown>): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(piece, _encoding, done) {
      text += String(piece);
      done();
    },
  });
  await command({ stdin: Readable.from([]), stdout: stream, stderr: stream, signal });
  return text;
}

const own = () => ({ baseUrl: server.baseUrl, decoding: 'free' }) as const;
const asked = () => server.requests.filter(({ method }) => method === 'POST').length;

/** Goes on with the trace for some phases, from its end. @returns what the user is told of it */
async function goOn(request: Partial<ReplayRequest>, phases: number): Promise<readonly string[]> {
  const replay = await openReplay({ replay: trace, callbacks, models: { prices }, ...request });
  try {
    await replay.execution.start(signal);
    while (!replay.execution.position.live) await replay.execution.advance(signal);
    await advance(replay.execution, phases);
    replay.execution.end(cancelled);
    return replay.notes;
  } finally {
    replay.close();
  }
}

describe('a recorded run with which another model goes on', () => {
  it('says who, and is resumed and replayed with that one', async () => {
    await record();
    const notes = await goOn({ model: 'openai:test-model', modelSettings: own() }, 7);
    expect(notes).toEqual([expect.stringContaining('Decoding: free')]);
    const requests = asked();
    expect(requests).toBe(1);
    const settings = { ...own(), encoding: 'free' };
    const other = { model: { name: 'openai:test-model', settings } };
    expect(records().filter(({ kind }) => kind === 'resumed')).toEqual([
      { kind: 'resumed', after: expect.any(Number), ...other, time: expect.any(Number) },
    ]);

    // What was told when this model began isn't told again.
    expect(await goOn({}, 7)).toEqual([]);
    expect(asked()).toBe(2);
    const resumed = await resumeRun({ trace, callbacks, models: { prices } });
    expect(resumed.model).toBe('openai:test-model');
    await advance(resumed.execution, 0);
    while (!resumed.execution.run?.end) await resumed.execution.advance(signal);
    resumed.close();
    expect(asked()).toBeGreaterThan(2);
    // Nobody else went on.
    expect(records().filter((one) => one.kind === 'resumed' && one.model !== undefined)).toHaveLength(1);

    const reader = openTraceReader(trace);
    await reader.read();
    const { header, branches } = reader;
    expect(header?.model.name).toBe('scripted');
    const overview = runOverview({ trace, reader, failure: undefined, session: undefined });
    expect(overview.model).toBe(`scripted; openai:test-model at ${server.baseUrl} from step 2 on`);
    const tooltip = (step: number) =>
      describeStep(reader.summary(0, step), {
        ...{ isHere: false, isFree: false },
        model: header && modelOfStep(header, branches[0]?.acting ?? [], step),
      }).tooltip;
    expect(tooltip(1)).toContain('\nAnswered by: scripted\n');
    expect(tooltip(2)).toContain(`\nAnswered by: openai:test-model at ${server.baseUrl}\n`);
    const shown = await shownTrace();
    expect(shown).toContain(
      `\nanswered by scripted from step 0, openai:test-model at ${server.baseUrl} from step 2\n`,
    );
    expect(shown).toMatch(/, cost /);
    expect(JSON.parse(await shownTrace(true))).toMatchObject({
      run: {
        model: 'scripted',
        models: [
          { from: 0, name: 'scripted' },
          { from: 2, ...other.model },
        ],
      },
    });
    for (const [step, model] of [
      [1, 'scripted'],
      [2, 'openai:test-model'],
    ] as const) {
      const tried = await printed((terminal) => tryStep(trace, { step, samples: 1, json: true }, terminal));
      expect(JSON.parse(tried)).toMatchObject({ models: [{ model }] });
    }
    expect(header && modelStretches(header, branches[0]?.acting ?? [])).toEqual([
      { from: 0, model: { name: 'scripted', settings: header?.model.settings } },
      { from: 2, ...other },
    ]);
  });

  it('says so on a branch too, and what came of the line that it leaves stays whose it was', async () => {
    await record();
    const replay = await openReplay({
      ...{ replay: trace, callbacks, models: { prices } },
      model: 'openai:test-model',
      modelSettings: own(),
    });
    await replay.execution.start(signal);
    await replay.execution.advance(signal);
    expect(await replay.execution.fork()).toMatchObject({ ok: true, branch: 1 });
    await advance(replay.execution, 8);
    replay.execution.end(cancelled);
    // Within a session nobody else goes on.
    await replay.execution.goTo({ branch: 1, step: 0, index: 1 });
    expect(await replay.execution.fork()).toMatchObject({ ok: true, branch: 2 });
    replay.execution.end(cancelled);
    replay.close();
    const forks = records().filter(({ kind }) => kind === 'fork');
    expect(forks).toHaveLength(2);
    expect(forks[0]).toMatchObject({ branch: 1, model: { name: 'openai:test-model' } });
    expect(forks[0]).not.toHaveProperty('environment');
    const reader = openTraceReader(trace);
    await reader.read();
    expect(reader.branches.map(({ acting }) => acting?.map(({ model }) => model?.name))).toEqual([
      undefined,
      ['openai:test-model'],
      ['openai:test-model'],
    ]);
    const { header } = reader;
    if (header === undefined) throw new Error('No header');
    for (const { id, acting = [] } of reader.branches)
      expect(actingAtEnd(header, records(), id)).toEqual(actingAfter(header, acting));
    const { model } = runOverview({ trace, reader, failure: undefined, session: undefined });
    const title = `openai:test-model at ${server.baseUrl}`;
    expect(model).toBe(`scripted; ${title} from step 0 of branch 1 on; ${title} from step 0 of branch 2 on`);
    const again = await openReplay({ replay: trace, callbacks });
    expect(again.model).toBe('openai:test-model');
    again.close();
  });

  it('records what a resumed run is set to anew, finds out, and is told', async () => {
    const first = await openRun({
      ...{ skill, callbacks, environment: 'warehouse', model: 'openai:test-model' },
      modelSettings: own(),
      trace: { file: trace },
      options: { horizon: 4 },
    });
    await advance(first.execution, 3);
    first.execution.end(cancelled);
    first.close();
    const answer = { kind: 'reply', text: replyOf({}, 'Wait') } as const;
    const elsewhere = await startOpenAiServer({ models: ['test-model'], answer: () => answer });
    try {
      const request = { trace, callbacks, modelSettings: { baseUrl: elsewhere.baseUrl } };
      await expect(resumeRun({ ...request, redaction: redactionOf(['127\\.0\\.0\\.1']) })).rejects.toThrow(
        "What is redacted matches the model's setting baseUrl",
      );
      const resumed = await resumeRun(request);
      expect(resumed.remarks.length).toBeGreaterThan(0);
      await resumed.execution.start(signal);
      while (!resumed.execution.run?.end) await resumed.execution.advance(signal);
      resumed.close();
      expect(records().find(({ kind }) => kind === 'resumed')).toMatchObject({
        model: {
          name: 'openai:test-model',
          settings: { baseUrl: elsewhere.baseUrl, decoding: 'free', encoding: 'free' },
        },
      });
    } finally {
      await elsewhere.close();
    }
  });

  it('is read, resumed and replayed as before where nobody else went on', async () => {
    await record();
    await goOn({}, 5);
    const resumed = await resumeRun({ trace, callbacks });
    await resumed.execution.start(signal);
    while (!resumed.execution.run?.end) await resumed.execution.advance(signal);
    resumed.close();
    expect(readFileSync(trace, 'utf8')).not.toMatch(/"kind":"resumed"[^}]*"(model|environment)"/);
    expect(readTrace(readFileSync(trace)).problems).toEqual([]);
  });

  it('is gone on with after it was killed as soon as somebody else had begun', async () => {
    await record();
    const last = records().findLast((one) => one.kind !== 'resumed' && one.kind !== 'end');
    const model = { name: 'openai:test-model', settings: own() };
    const after = last !== undefined && 'id' in last ? last.id : 0;
    appendFileSync(trace, `${JSON.stringify({ kind: 'resumed', after, model, time: 1 })}\n`);
    const resumed = await resumeRun({ trace, callbacks });
    expect(resumed.model).toBe('openai:test-model');
    resumed.close();
    const replay = await openReplay({ replay: trace, callbacks });
    expect(replay.model).toBe('openai:test-model');
    replay.close();
  });
});

/** Whether this process has a file open to write to it; undefined where the system doesn't tell. */
function isOpenToWrite(path: string): boolean | undefined {
  const own = '/proc/self';
  if (!existsSync(own)) return undefined;
  return readdirSync(join(own, 'fd')).some((descriptor) => {
    try {
      if (readlinkSync(join(own, 'fd', descriptor)) !== path) return false;
      const [, flags = ''] =
        /flags:\s*(\d+)/.exec(readFileSync(join(own, 'fdinfo', descriptor), 'utf8')) ?? [];
      return (Number.parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    } catch {
      // The one of the listing itself, which is closed by now.
      return false;
    }
  });
}

describe('a recorded run that can not be gone on with', () => {
  it.each([
    ['resumed', 0],
    ['of which a branch is resumed', 2],
  ])('leaves its trace as it was, %s, neither open nor locked', async (_name, step) => {
    await record();
    if (step > 0) {
      const { execution, close } = await openReplay({ replay: trace, callbacks });
      await execution.start(signal);
      await execution.read('whole', signal);
      await execution.goTo({ branch: 0, step: 1, index: 0 });
      expect(await execution.fork()).toMatchObject({ ok: true });
      execution.end(cancelled);
      close();
    }
    // Its budget in US dollars can't be kept with a model that has no price.
    const text = readFileSync(trace, 'utf8').replace('"budget":{', '"budget":{"cost":1');
    const [header = ''] = text.split('\n');
    expect(JSON.parse(header)).toMatchObject({ options: { budget: { cost: 1 } } });
    const torn = `${text.replace('"name":"scripted"', '"name":"openai:test-model"')}{"torn`;
    writeFileSync(trace, torn);
    const resuming = resumeRun({ trace, callbacks, modelSettings: own() });
    await expect(resuming).rejects.toThrow('no price is known for the model openai:test-model');
    expect(readFileSync(trace, 'utf8')).toBe(torn);
    expect(existsSync(`${trace}.lock`)).toBe(false);
    expect(isOpenToWrite(trace)).not.toBe(true);
  });
});
