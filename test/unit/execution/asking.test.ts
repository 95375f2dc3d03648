/** What comes of a request to a model beside its reply, told, recorded, and the same again when a run is resumed or replayed. */
import { describe, expect, it } from 'vitest';
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelNotice,
  modelFailureClasses,
} from '../../../client/src/runtime/model';
import type { RunOptions } from '../../../client/src/runtime/options';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import { createRedaction } from '../../../client/src/runtime/redaction';
import { planResume } from '../../../client/src/runtime/resume';
import { formatRecord, readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import traceSchema from '../../../schemas/trace/trace.schema.json';
import { memoryJourney, seen } from '../../support/memoryJourney';
import { memoryRun, replyOf, scriptedModel, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const busy = { class: 'rate-limit', message: 'The server is busy.', wait: 20 } as const;
const lost = { class: 'malformed-stream', message: 'The answer was cut off.', wait: 40 } as const;
const options: Partial<RunOptions> = {
  horizon: 6,
  seed: 3,
  keyframeEvery: 3,
  maxTokens: 500,
  retryTemperature: 0.7,
};
const faults = { faults: 0.4, faultSeed: 2 };
const warehouse = { name: 'warehouse' };

/** The scripted model as a hosted one that reasons: it fails now and then, thinks, and reports what it took. */
function networkModel(price?: Model['price']): Model {
  const scripted = scriptedModel(warehouse, faults);
  return {
    name: 'openai:test',
    price,
    async *generate(request, signal): AsyncGenerator<ModelEvent> {
      yield {
        type: 'request',
        request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: {}, body: '{}' },
      };
      if (request.step % 2 === 1) {
        yield { type: 'thinking', text: 'void' };
        yield { type: 'text', text: 'void' };
        yield { type: 'usage', usage: { prompt: 9, completion: 9 } };
        yield { type: 'finish', reason: 'void' };
        yield { type: 'retry', failure: busy };
        yield { type: 'retry', failure: lost };
      }
      yield { type: 'thinking', text: 'Hm' };
      yield { type: 'thinking', text: `, step ${request.step}.` };
      yield* scripted.generate(request, signal);
      if (request.step % 3 === 2) return;
      const usage = { prompt: 100 + request.step, completion: 20, cached: 50, thinking: 7 };
      yield { type: 'usage', usage };
    },
  };
}

const withoutResumed = (records: readonly TraceRecord[]) =>
  records.filter(({ kind }) => kind !== 'resumed').map(formatRecord);

function attempts(records: readonly TraceRecord[]) {
  return records.filter((record) => record.kind === 'attempt');
}

describe('a run with a model that thinks and fails now and then', () => {
  it('records thinking, tokens and the requests that failed, and nothing of what was void', async () => {
    const notices: ModelNotice[] = [];
    const run = await memoryRun({
      model: networkModel(),
      options,
      onNotice: (notice, at) => {
        expect(at.phase).toBe('generate');
        if (at.step === 1 && at.attempt === 1) notices.push(notice);
      },
    });
    await run.finish();
    const [first, second] = attempts(run.records);
    expect(first).toMatchObject({ step: 0, thinking: 'Hm, step 0.', finish: 'stop' });
    expect(first).not.toHaveProperty('failures');
    expect(first?.tokens).toMatchObject({ prompt: 100, completion: 20, cached: 50, thinking: 7 });
    expect(second).toMatchObject({ step: 1, thinking: 'Hm, step 1.', failures: [busy, lost] });
    expect(second?.tokens).toMatchObject({ prompt: 101, source: 'reported' });
    expect(second?.finish).toBe('stop');
    const third = attempts(run.records).find(({ step }) => step === 2);
    expect(third?.tokens.source).toBe('estimated');
    expect(traceText(run.records)).not.toContain('void');
    expect(notices.map(({ type }) => type)).toEqual([
      'request',
      'thinking',
      'retry',
      'retry',
      'thinking',
      'thinking',
    ]);
    const [header] = run.records;
    expect(header).toMatchObject({ options: { maxTokens: 500, retryTemperature: 0.7 } });
    expect(readTrace(new TextEncoder().encode(traceText(run.records))).problems).toEqual([]);
  });

  it('is resumed after any record to the same records, whatever a token costs by then', async () => {
    const unbroken = await memoryRun({ model: networkModel({ prompt: 1, completion: 2 }), options });
    await unbroken.finish();
    expect(attempts(unbroken.records).some(({ attempt }) => attempt > 1)).toBe(true);
    const expected = unbroken.records.map(formatRecord);
    for (let length = 1; length < unbroken.records.length; length++) {
      const prefix = unbroken.records.slice(0, length);
      const plan = planResume(readTrace(new TextEncoder().encode(traceText(prefix))));
      expect(plan.options).toMatchObject({ maxTokens: 500, retryTemperature: 0.7 });
      const more = { options: plan.options, recorded: plan.recorded };
      const same = await memoryRun({ model: networkModel({ prompt: 1, completion: 2 }), ...more });
      const last = await same.finish();
      expect(withoutResumed([...prefix, ...same.records])).toEqual(expected);
      expect(last.totals).toEqual(unbroken.execution.run?.totals);
      const dearer = await memoryRun({ model: networkModel({ prompt: 5, completion: 5 }), ...more });
      await dearer.finish();
    }
  });

  it('shows the same when it is replayed, and on a branch', async () => {
    const live = await memoryJourney({ model: networkModel(), options });
    const runs: unknown[] = [];
    await live.run(0);
    while (!live.journey.position.atEndOfRecord) runs.push(seen(await live.run(1)));
    const reader = await readerOf(traceText(live.records));
    if (reader.header === undefined) throw new Error('The trace has no header');
    const replayed = await memoryJourney({
      environment: 'none',
      options,
      recorded: recordedRun(reader, reader.header),
    });
    const again: unknown[] = [];
    await replayed.run(0);
    while (!replayed.journey.position.atEndOfRecord) again.push(seen(await replayed.run(1)));
    expect(again).toEqual(runs);
    expect(replayed.journey.deviation).toBeUndefined();

    const { journey, records } = live;
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(await journey.fork()).toMatchObject({ ok: true, branch: 1 });
    const report = (await journey.reportsOf(1, 1)).find(({ phase }) => phase === 'generate');
    expect(report?.after.attempts.at(-1)).toMatchObject({
      thinking: 'Hm, step 1.',
      failures: [busy, lost],
      tokens: { thinking: 7 },
    });
    await live.run(4);
    expect(attempts(records).at(-1)).toMatchObject({ branch: 1, step: 2, thinking: 'Hm, step 2.' });
  });

  it('keeps what was recorded where this program would decide otherwise', async () => {
    const run = await memoryRun({ model: networkModel(), options });
    await run.finish();
    // Another program has named its prompts otherwise.
    const others = run.records.map((record) =>
      record.kind === 'attempt'
        ? { ...record, prompt: { ...record.prompt, sha256: 'f'.repeat(64) } }
        : record,
    );
    const reader = await readerOf(traceText(others));
    if (reader.header === undefined) throw new Error('The trace has no header');
    const replayed = await memoryJourney({
      environment: 'none',
      options,
      recorded: recordedRun(reader, reader.header),
    });
    await replayed.run();
    expect(replayed.journey.deviation).toBeDefined();
    const report = (await replayed.journey.reportsOf(0, 1)).find(({ phase }) => phase === 'generate');
    expect(report?.after.attempts.at(-1)).toMatchObject({
      thinking: 'Hm, step 1.',
      failures: [busy, lost],
      tokens: { thinking: 7 },
    });
  });
});

/** Fails for good after one request that failed for a while. */
function dying(): Model {
  return {
    name: 'dying',
    async *generate() {
      yield { type: 'text', text: 'half' };
      yield { type: 'retry', failure: busy };
      yield { type: 'text', text: 'again half' };
      throw new ModelFailure('Nothing listens there.', { class: 'connection', retryable: true });
    },
  };
}

const gone = { class: 'connection', message: 'Nothing listens there.' };

describe('a run whose model fails for good', () => {
  it('ends with all requests that failed, and goes on once there is a model again', async () => {
    const scripted = scriptedModel(warehouse);
    let isUp = false;
    const model: Model = {
      name: 'openai:test',
      generate: (request, signal) =>
        isUp || request.step < 3 ? scripted.generate(request, signal) : dying().generate(request, signal),
    };
    const run = await memoryRun({ model, options });
    await expect(run.finish()).rejects.toThrow('Nothing listens there.');
    expect(run.records.at(-1)).toMatchObject({
      kind: 'end',
      outcome: 'stopped',
      reason: 'Nothing listens there.',
      resumable: true,
      failures: [busy, gone],
      steps: 3,
    });
    expect(run.execution.partialReply).toBe('');
    const plan = planResume(readTrace(new TextEncoder().encode(traceText(run.records))));
    isUp = true;
    const resumed = await memoryRun({ model, options: plan.options, recorded: plan.recorded });
    expect((await resumed.finish()).end?.outcome).toBe('completed');
  });

  it('shows its end when it is replayed, and goes on from there', async () => {
    const live = await memoryJourney({ model: dying(), options });
    await expect(live.run()).rejects.toThrow('Nothing listens there.');
    expect(live.records.at(-1)).toMatchObject({ kind: 'end', failures: [busy, gone] });
    const reader = await readerOf(traceText(live.records));
    if (reader.header === undefined) throw new Error('The trace has no header');
    const recorded = recordedRun(reader, reader.header);
    const replayed = await memoryJourney({ environment: 'none', options, recorded });
    await replayed.run();
    expect(replayed.journey.run?.end).toMatchObject({ outcome: 'stopped', failures: [busy, gone] });
    const { signal } = new AbortController();
    await expect(live.journey.advance(signal)).rejects.toThrow('Nothing listens there.');
    expect(live.records.filter(({ kind }) => kind === 'end')).toHaveLength(2);
  });

  it('tells of requests that failed before somebody had enough of it, and of no others', async () => {
    const cancelling = new AbortController();
    const model: Model = {
      name: 'waiting',
      async *generate(request) {
        yield { type: 'retry', failure: busy };
        if (request.step === 1) cancelling.abort(new Error('enough'));
        yield { type: 'text', text: replyOf({}, 'Wait') };
      },
    };
    const run = await memoryRun({ model, options });
    await run.execution.start(cancelling.signal);
    const phases = async () => {
      for (;;) await run.execution.advance(cancelling.signal);
    };
    await expect(phases()).rejects.toThrow('enough');
    run.execution.end({ outcome: 'cancelled', reason: 'Cancelled.', resumable: true });
    expect(run.records.at(-1)).toMatchObject({ outcome: 'cancelled', failures: [busy] });

    const later = await memoryRun({ model, options });
    await later.execution.start(new AbortController().signal);
    for (let phase = 0; phase < 4; phase++) await later.execution.advance(new AbortController().signal);
    later.execution.end({ outcome: 'cancelled', reason: 'Cancelled.', resumable: true });
    expect(later.records.at(-1)).not.toHaveProperty('failures');
  });
});

describe('a request under way', () => {
  it('shows what came so far, and nothing of what became void', async () => {
    const seenParts: (readonly [string, string])[] = [];
    const model: Model = {
      name: 'slow',
      async *generate() {
        for (const event of [
          { type: 'thinking', text: 'a' },
          { type: 'text', text: 'b' },
          { type: 'retry', failure: busy },
          { type: 'thinking', text: 'c' },
          { type: 'text', text: 'd' },
        ] as const) {
          yield event;
          seenParts.push([run.execution.partialThinking, run.execution.partialReply]);
        }
      },
    };
    const run = await memoryRun({ model, options });
    const { signal } = new AbortController();
    await run.execution.start(signal);
    for (let phase = 0; phase < 3; phase++) await run.execution.advance(signal);
    expect(seenParts).toEqual([
      ['a', ''],
      ['a', 'b'],
      ['', ''],
      ['c', ''],
      ['c', 'd'],
    ]);
    expect([run.execution.partialThinking, run.execution.partialReply]).toEqual(['', '']);
  });

  it('is cut where the model thinks without end', async () => {
    let closed = false;
    const model: Model = {
      name: 'endless',
      async *generate() {
        try {
          for (;;) yield { type: 'thinking', text: 'on and on ' };
        } finally {
          closed = true;
        }
      },
    };
    const limits = { replyCharacters: 95, depth: 9, stateCharacters: 1_000 };
    const run = await memoryRun({
      model,
      options: { ...options, limits, maxRetries: 0, onExhausted: 'stop' },
    });
    await run.finish();
    const [attempt] = attempts(run.records);
    expect(attempt?.thinking).toHaveLength(96);
    expect(attempt).toMatchObject({ reply: '', finish: 'cut' });
    expect(closed).toBe(true);
    const rejection = run.records.find(({ kind }) => kind === 'rejection');
    expect(rejection).toMatchObject({
      class: 'limit',
      message: 'What was thought before the reply is longer than 95 characters.',
    });
    const plan = planResume(readTrace(new TextEncoder().encode(traceText(run.records))));
    const again = await memoryRun({ model, options: plan.options, recorded: plan.recorded });
    expect((await again.finish()).totals.rejected).toEqual({ limit: 1 });
  });

  it.each([
    ['thinking', 'secret '.repeat(20)],
    ['text', 'secret '.repeat(20)],
  ] as const)('is over its limit where its %s was, though redaction makes it shorter', async (type, text) => {
    const model: Model = {
      name: 'long',
      async *generate() {
        yield { type, text };
        yield { type: 'text', text: replyOf({}, 'Wait') };
      },
    };
    const made = createRedaction(['(secret )+'], () => 0);
    if (!made.ok || made.redaction === undefined) throw new Error('No redaction');
    const { redaction } = made;
    const limits = { replyCharacters: 95, depth: 9, stateCharacters: 1_000 };
    const more = { limits, maxRetries: 0, onExhausted: 'stop' } as const;
    const run = await memoryRun({ model, redaction, options: { ...options, ...more } });
    expect((await run.finish()).totals.rejected).toEqual({ limit: 1 });
  });

  it('is asked at the temperature of its attempt', async () => {
    const asked: unknown[] = [];
    const model: Model = {
      name: 'asked',
      async *generate({ attempt, temperature, maxTokens, topP }) {
        asked.push({ attempt, temperature, maxTokens, topP });
        yield { type: 'text', text: 'no block' };
      },
    };
    const more = { maxRetries: 2, onExhausted: 'stop', temperature: 0.2, topP: 0.9 } as const;
    await (await memoryRun({ model, options: { ...options, ...more } })).finish();
    expect(asked).toEqual(
      [0.2, 0.7, 0.7].map((temperature, index) => ({
        attempt: index + 1,
        temperature,
        maxTokens: 500,
        topP: 0.9,
      })),
    );
  });

  it.each([
    { prompt: Number.NaN, completion: 1 },
    { prompt: 1, completion: -1 },
    { prompt: 1.5, completion: 1 },
    { prompt: 1, completion: Number.POSITIVE_INFINITY },
  ])('estimates where a provider reports what is no count: %o', async (usage) => {
    const model: Model = {
      name: 'lying',
      async *generate() {
        yield { type: 'text', text: replyOf({}, 'Wait') };
        yield { type: 'usage', usage };
      },
    };
    const run = await memoryRun({ model, options: { ...options, horizon: 1 } });
    await run.finish();
    expect(attempts(run.records)[0]?.tokens.source).toBe('estimated');
    expect(readTrace(new TextEncoder().encode(traceText(run.records))).problems).toEqual([]);
  });

  it('leaves out parts of a usage that are no counts', async () => {
    const model: Model = {
      name: 'lying',
      async *generate() {
        yield { type: 'text', text: replyOf({}, 'Wait') };
        yield { type: 'usage', usage: { prompt: 5, completion: 4, cached: -1, thinking: 0.5 } };
      },
    };
    const run = await memoryRun({ model, options: { ...options, horizon: 1 } });
    await run.finish();
    const { split: _, ...tokens } = attempts(run.records)[0]?.tokens ?? {};
    expect(tokens).toEqual({ prompt: 5, completion: 4, source: 'reported' });
  });
});

describe('a budget of seconds', () => {
  /** Answers with a word and no end; once it is given up it has closed. */
  function endless() {
    let isClosed = false;
    const model: Model = {
      name: 'endless',
      async *generate(_, signal) {
        try {
          yield { type: 'retry', failure: busy };
          yield { type: 'text', text: 'Well' };
          await new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('Given up')), { once: true }),
          );
        } finally {
          isClosed = true;
        }
      },
    };
    return { model, isClosed: () => isClosed };
  }

  /** Rings when it is told to, or the moment it is set. */
  function alarm(rings: 'at once' | 'never') {
    const set: number[] = [];
    let putOff = 0;
    const start = (milliseconds: number, ring: () => void) => {
      set.push(milliseconds);
      if (rings === 'at once') setImmediate(ring);
      return () => {
        putOff++;
      };
    };
    return { start, set, putOff: () => putOff };
  }

  const { signal } = new AbortController();
  const ending = {
    outcome: 'capped',
    reason: 'The budget of 2 seconds is used up.',
    failures: [busy],
  };

  it('ends a run in the midst of a reply', async () => {
    const { model, isClosed } = endless();
    const { start, set, putOff } = alarm('at once');
    const run = await memoryRun({ model, alarm: start, options: { ...options, budget: { seconds: 2 } } });
    await expect(run.finish()).rejects.toThrow('The budget of 2 seconds is used up.');
    expect(run.execution.run?.end).toEqual({ ...ending, resumable: false });
    expect(run.records.at(-1)).toMatchObject({ kind: 'end', ...ending });
    expect(isClosed()).toBe(true);
    expect({ set, putOff: putOff() }).toEqual({ set: [2_000], putOff: 1 });
    expect(readTrace(new TextEncoder().encode(traceText(run.records))).problems).toEqual([]);
    const reader = await readerOf(traceText(run.records));
    expect(reader.branches[0]).toMatchObject({ end: { outcome: 'capped' } });
  });

  it('ends a journey there, too', async () => {
    const { model, isClosed } = endless();
    const { start } = alarm('at once');
    const settings = { model, alarm: start, options: { ...options, budget: { seconds: 2 } } };
    const { journey, run, records } = await memoryJourney(settings);
    await expect(run()).rejects.toThrow('The budget of 2 seconds is used up.');
    expect(journey.run?.end).toEqual({ ...ending, resumable: false });
    expect(records.at(-1)).toMatchObject({ kind: 'end', ...ending });
    expect(isClosed()).toBe(true);
  });

  it('counts what the run took, and is put off with each reply', async () => {
    let now = 0;
    const { start, set, putOff } = alarm('never');
    const run = await memoryRun({
      model: scriptedModel(warehouse),
      alarm: start,
      now: () => (now += 10),
      options: { ...options, budget: { seconds: 60 } },
    });
    await run.finish();
    expect(set).toHaveLength(6);
    expect(putOff()).toBe(6);
    expect(set[0]).toBeLessThan(60_000);
    for (const [index, left] of set.slice(1).entries()) expect(left).toBeLessThan(set[index] ?? 0);
    const { execution } = await memoryRun({ alarm: start, options: { ...options, horizon: 1 } });
    await execution.start(signal);
    while (!execution.run?.end) await execution.advance(signal);
    expect(set).toHaveLength(6);
  });

  it('leaves a run that is given up by its user before the phase', async () => {
    const { model } = endless();
    const { start } = alarm('never');
    const leaving = new AbortController();
    const run = await memoryRun({ model, alarm: start, options: { ...options, budget: { seconds: 2 } } });
    await run.execution.start(signal);
    await run.execution.advance(signal);
    await run.execution.advance(signal);
    const asked = run.execution.advance(leaving.signal);
    setImmediate(() => leaving.abort(new Error('Enough')));
    await expect(asked).rejects.toThrow('Enough');
    expect(run.execution.run?.end).toBeUndefined();
  });
});

it('the trace knows every class of failures', () => {
  expect(traceSchema.$defs.failedRequest.properties.class.enum).toEqual(modelFailureClasses);
});
