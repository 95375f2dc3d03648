/** Answers from recordings: the same story again, and what is said where it no longer is the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createReplayModel, parseRecordingName, recordedReplayName } from '../../../client/src/models/replay';
import type { Model, ModelEvent, ModelRequest } from '../../../client/src/runtime/model';
import type { RunOptions } from '../../../client/src/runtime/options';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { createRedaction, redactedEnvironment } from '../../../client/src/runtime/redaction';
import type { RunState } from '../../../client/src/runtime/runState';
import type { TraceReader } from '../../../client/src/runtime/traceReader';
import { createTraceReader } from '../../../client/src/runtime/traceReader';
import { loadSkill } from '../../../schemas/skill/skill';
import type { TraceRecord } from '../../../schemas/trace/trace';
import { memoryJourney } from '../../support/memoryJourney';
import {
  type MemoryRunOptions,
  memoryRun,
  replyingModel,
  replyOf,
  sampleFiles,
  skillOf,
  traceText,
} from '../../support/memoryRun';
import { bytesOf, growingBytes, readerOf } from '../../support/memoryTrace';
import { modelRequest } from '../../support/modelRequest';

const { signal } = new AbortController();
const fileName = 'a.skilltrace.jsonl';

function replayOf(trace: string | TraceReader, branch = ''): Model {
  const opened = typeof trace === 'string' ? readerOf(trace) : Promise.resolve(trace);
  return createReplayModel({ provider: 'replay', model: `/runs/${fileName}${branch}` }, 'unused', {
    openRecording: async (path) => {
      expect(path).toBe(`/runs/${fileName}`);
      return opened;
    },
    sha256,
  });
}

async function recordedRun(settings: MemoryRunOptions) {
  const run = await memoryRun(settings);
  const last = await run.finish();
  return { ...run, last, text: traceText(run.records) };
}

/** The same run from its recording. */
async function replayed(text: string, settings: MemoryRunOptions = {}, branch = '') {
  return recordedRun({ ...settings, model: replayOf(text, branch) });
}

/** Σ at every phase. */
const states = (phases: readonly RunState[]) => phases.map(({ state }) => state);

/** Records but for who answered. */
const story = (records: readonly TraceRecord[]) =>
  records.map((record) => (record.kind === 'run' ? { ...record, model: undefined } : record));

async function failureOf(
  model: Model,
  request: Partial<ModelRequest> & { readonly prompt: string },
): Promise<unknown> {
  try {
    for await (const _ of model.generate(modelRequest(request), signal));
  } catch (error) {
    return error;
  }
  throw new Error('It answered');
}

describe('a replay', () => {
  it('has the same state at every step, and the same records, whatever was recorded', async () => {
    const options = fc.record({
      seed: fc.nat(1_000),
      horizon: fc.integer({ min: 1, max: 12 }),
      commit: fc.constantFrom('on-propose' as const, 'on-accept' as const),
      maxRetries: fc.nat(2),
      onExhausted: fc.constantFrom('reobserve' as const, 'continue' as const),
      keyframeEvery: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(
        options,
        fc.constantFrom(0, 0.3, 0.8),
        fc.nat(50),
        async (given, faults, faultSeed) => {
          const first = await recordedRun({ options: given, faults, faultSeed });
          const again = await replayed(first.text, { options: given });
          expect(states(again.phases)).toEqual(states(first.phases));
          expect(story(again.records)).toEqual(story(first.records));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('gives usage, finish and thoughts as they were recorded', async () => {
    const events = (nth: number): readonly ModelEvent[] => [
      { type: 'thinking', text: 'Hm, ' },
      { type: 'thinking', text: 'ok.' },
      { type: 'text', text: replyOf({ nth }, 'wait') },
      { type: 'usage', usage: { prompt: 10, completion: 7, cached: 4, thinking: 3 } },
      { type: 'finish', reason: 'MAX_TOKENS' },
    ];
    let nth = 0;
    const hosted: Model = {
      name: 'hosted',
      async *generate() {
        yield* events(nth++);
      },
    };
    const plain = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
    const settings = { skill: plain, options: { horizon: 3 } };
    const first = await recordedRun({ ...settings, model: hosted });
    const again = await replayed(first.text, settings);
    expect(story(again.records)).toEqual(story(first.records));
    const [attempt] = again.records.filter((record) => record.kind === 'attempt');
    expect(attempt).toMatchObject({
      thinking: 'Hm, ok.',
      finish: 'MAX_TOKENS',
      tokens: { prompt: 10, completion: 7, cached: 4, thinking: 3, source: 'reported' },
    });
  });

  it('gives an empty reply, one that was cut, and one without a finish', async () => {
    const replies = ['', 'x'.repeat(500), replyOf({}, 'wait')];
    const limits = { replyCharacters: 100, depth: 64, stateCharacters: 1_000 };
    const settings = {
      skill: await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' }),
      options: { horizon: 2, limits },
    };
    const first = await recordedRun({ ...settings, model: replyingModel(replies) });
    const again = await replayed(first.text, settings);
    expect(story(again.records)).toEqual(story(first.records));
  });

  it('takes the main line, or that of a branch, or of the last one', async () => {
    const options = { horizon: 6, seed: 5 };
    const { journey, run, runTo, records } = await memoryJourney({ options, faults: 0.5, faultSeed: 3 });
    await runTo({ step: 4, index: 0 });
    await run();
    const main = journey.run;
    await journey.goTo({ branch: 0, step: 2, index: 1 });
    await journey.fork();
    const edit = { target: 'observation', value: 'Shipment arrived with item_900.' } as const;
    expect(await journey.edit(edit)).toMatchObject({ ok: true, branch: 1 });
    await run();
    const text = traceText(records);
    expect((await replayed(text, { options })).last.state).toEqual(main?.state);
    for (const name of ['#1', '#last']) {
      // The branch has an observation by hand, which no environment gives.
      const model = replayOf(text, name);
      const reader = await readerOf(text);
      for (let step = 0; step < (reader.branches[1]?.steps ?? 0); step++) {
        const { attempts } = await reader.step(1, step);
        for (const { record } of attempts) {
          const { prompt } = await reader.promptOf(1, step, record.attempt);
          let reply = '';
          const request = modelRequest({ prompt: prompt.text, step, attempt: record.attempt });
          for await (const event of model.generate(request, signal))
            if (event.type === 'text') reply += event.text;
          expect(reply).toBe(record.reply);
        }
      }
    }
    const { message } = (await replayed(text, { options }, '#last').catch((error) => error)) as Error;
    expect(message).toMatch(
      /no longer fits at step 2, attempt 1: the observation differs in line 1: "Shipment arrived with item_900\." is recorded, and here it is ".*"\. The recording was edited by hand at step 2, which a replay doesn't repeat\.$/,
    );
    await expect(replayOf(text, '#7').prepare?.(signal)).rejects.toThrow(/has no branch 7: it has 0, 1\.$/);
  });

  it('answers a run that goes on while it is recorded', async () => {
    const { text } = await recordedRun({ options: { horizon: 4 } });
    const lines = text.split(/(?<=\n)/);
    const bytes = growingBytes(lines.slice(0, 6).join(''));
    const reader = createTraceReader({ bytes, sha256 });
    const model = replayOf(reader);
    const run = await memoryRun({ options: { horizon: 4 }, model });
    await run.execution.start(signal);
    bytes.append(bytesOf(lines.slice(6).join('')));
    expect((await run.finish()).end).toMatchObject({ outcome: 'completed' });
  });
});

describe('a replay that no longer fits', () => {
  const refusal = (message: string | RegExp) => ({
    class: 'no-reply',
    retryable: false,
    message: expect.stringMatching(message),
  });

  async function stopped(text: string, settings: MemoryRunOptions): Promise<unknown> {
    const run = await memoryRun({ ...settings, model: replayOf(text) });
    return run.finish().catch((error) => error);
  }

  it('says which part differs: the observation, in another world', async () => {
    const { text } = await recordedRun({ options: { horizon: 3, seed: 1 } });
    expect(await stopped(text, { options: { horizon: 3, seed: 2 } })).toMatchObject(
      refusal(
        /^The recording "a\.skilltrace\.jsonl" no longer fits at step 1, attempt 1: the observation differs in line 2: ".*Maintenance.*" is recorded, and here it is ".*Customer.*"\. Run it with the skill, environment, seed and options of the recording\.$/,
      ),
    );
  });

  it('says which part differs: the instructions, of another skill', async () => {
    const { text } = await recordedRun({ options: { horizon: 3 } });
    const files = sampleFiles('warehouse');
    const skill = await loadSkill({
      ...files,
      read: async (path) => (await files.read(path))?.replace('## Actions', '## Actions\n\nBe quick.'),
    });
    expect(await stopped(text, { skill, options: { horizon: 3 } })).toMatchObject(
      refusal(
        /at step 0, attempt 1: the instructions differ in line \d+: ".*" is recorded, and here it is ".*Be quick/,
      ),
    );
  });

  it('says which part differs: the state, by its pointer and both values', async () => {
    const { text } = await recordedRun({ options: { horizon: 3 } });
    const files = sampleFiles('warehouse');
    const skill = await loadSkill({
      ...files,
      read: async (path) =>
        path === 'state.initial.yaml' ? 'inventory: {shelf_9: item_9}\n' : files.read(path),
    });
    expect(await stopped(text, { skill, options: { horizon: 3 } })).toMatchObject(
      refusal(
        /at step 0, attempt 1: the state differs at \/inventory\/shelf_9: nothing is recorded, and here it is "item_9"\. Run it/,
      ),
    );
  });

  it('says which part differs: the correction', async () => {
    const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
    const model = replyingModel(['nothing', replyOf({}, 'wait')]);
    const { text, records } = await recordedRun({ skill, options: { horizon: 2 }, model });
    const second = records.find((record) => record.kind === 'attempt' && record.attempt === 2);
    if (second?.kind !== 'attempt') throw new Error('No second attempt');
    const reader = await readerOf(text);
    const { prompt } = await reader.promptOf(0, second.step, 2);
    const at = { step: second.step, attempt: 2 };
    const whole = prompt.text;
    expect(
      await failureOf(replayOf(text), { ...at, prompt: whole.replace('Your previous reply', 'That reply') }),
    ).toMatchObject(
      refusal(
        /attempt 2: the correction differs: "Your previous reply .*" is recorded, and here it is "That reply/,
      ),
    );
    expect(
      await failureOf(replayOf(text), { ...at, prompt: whole.slice(0, whole.lastIndexOf('\n\n')) }),
    ).toMatchObject(
      refusal(
        /attempt 2: the correction differs: "Your previous reply .*" is recorded, and here there is none\. Run it/,
      ),
    );
    expect(await failureOf(replayOf(text), { ...at, prompt: 'Hello' })).toMatchObject(
      refusal(/this prompt is none of a run: run it/),
    );
  });

  it('says that the state was edited by hand there', async () => {
    const { journey, run, runTo, records } = await memoryJourney({ options: { horizon: 6 } });
    await runTo({ step: 2, index: 0 });
    await journey.edit({ target: 'state', pointer: '/inventory/shelf_400', value: 'item_77' });
    await run();
    expect(await stopped(traceText(records), { options: { horizon: 6 } })).toMatchObject(
      refusal(
        /at step 2, attempt 1: the state differs at \/inventory\/shelf_400: "item_77" is recorded, and here there is nothing\. The recording was edited by hand at step 2, which a replay doesn't repeat\.$/,
      ),
    );
  });

  it('says that texts are redacted in one of the two alone', async () => {
    const result = createRedaction(['item_\\d+'], () => 0);
    const redaction = result.ok ? result.redaction : undefined;
    if (redaction === undefined) throw new Error('No redaction');
    const environment = () => redactedEnvironment(createWarehouse(), redaction);
    const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
    const settings = { skill, options: { horizon: 2 } };
    const model = () => replyingModel([replyOf({}, 'wait')]);
    const { text } = await recordedRun({ ...settings, environment: environment(), model: model() });
    expect(await stopped(text, settings)).toMatchObject(
      refusal(
        /the observation differs: .*\[redacted\].* One of the two has texts redacted: run it with the patterns of the recording\.$/,
      ),
    );
    expect((await replayed(text, { ...settings, environment: environment() })).last.end).toMatchObject({
      outcome: 'completed',
    });
  });

  it('says that the recording ends, and after which step', async () => {
    const { text } = await recordedRun({ options: { horizon: 3 } });
    expect(await stopped(text, { options: { horizon: 5 } })).toMatchObject(
      refusal(
        /^The recording "a\.skilltrace\.jsonl" ends after 3 steps \(.*\) and has no reply for step 3, attempt 1: limit the run to as many steps \(--budget-steps, budget\.steps\), or go on from its trace with another model, by "replay" and "model" in launch\.json\.$/,
      ),
    );
    const killed = text
      .split(/(?<=\n)/)
      .slice(0, 3)
      .join('');
    expect(await stopped(killed, { options: { horizon: 5 } })).toMatchObject(
      refusal(
        /^The recording "a\.skilltrace\.jsonl" ends after \d steps? and has no reply for step \d, attempt 1: /,
      ),
    );
  });

  it('says that there are no further attempts', async () => {
    const options: Partial<RunOptions> = {
      horizon: 4,
      maxRetries: 0,
      onExhausted: 'reobserve',
      exhaustedInARow: 9,
    };
    const bad = () => replyingModel(['nothing']);
    const { text } = await recordedRun({ options, model: bad() });
    expect(await stopped(text, { options: { ...options, maxRetries: 2 } })).toMatchObject(
      refusal(
        /has no reply for step 0, attempt 2: 1 attempt is recorded there: allow as few retries as the recording did\.$/,
      ),
    );
    const taken = await recordedRun({ options: { horizon: 2 } });
    const reader = await readerOf(taken.text);
    const { prompt } = await reader.promptOf(0, 0, 1);
    expect(await failureOf(replayOf(taken.text), { attempt: 2, prompt: prompt.text })).toMatchObject(
      refusal(
        /has no reply for step 0, attempt 2: the last one recorded there was taken, and here it was rejected/,
      ),
    );
  });

  it('says what is lost of a recording', async () => {
    const { text, records } = await recordedRun({ options: { horizon: 6 } });
    const lines = text.split(/(?<=\n)/);
    const at = records.findIndex((record) => record.kind === 'commit' && record.step === 1);
    const broken = lines.with(at, '{"kind":"com\n').join('');
    const reader = await readerOf(text);
    const { prompt } = await reader.promptOf(0, 2, 1);
    // The prompt still tells that it is the recorded one.
    const model = replayOf(broken);
    let reply = '';
    for await (const event of model.generate(modelRequest({ prompt: prompt.text, step: 2 }), signal))
      if (event.type === 'text') reply += event.text;
    expect(reply).toBe((await reader.step(0, 2)).attempts[0]?.record.reply);
    const parts = { instructions: 'Other.', state: {}, observation: 'O' };
    expect(await failureOf(model, { prompt: composePrompt(parts).text, step: 2 })).toMatchObject(
      refusal(/at step 2, attempt 1: its prompt there can no longer be put together|has lost/),
    );
    const without = lines.filter((_, index) => records[index]?.kind !== 'attempt').join('');
    expect(await failureOf(replayOf(without), { prompt: prompt.text, step: 2 })).toMatchObject(
      refusal(/has no reply for step 2, attempt 1/),
    );
  });

  it('refuses what is no trace, before a run', async () => {
    await expect(replayOf('').prepare?.(signal)).rejects.toMatchObject(
      refusal(/is no trace of a run \(.*\): name one/),
    );
    await expect(replayOf('{"a":1}\n').prepare?.(signal)).rejects.toMatchObject(
      refusal(/is no trace of a run \(line 1: /),
    );
    const model = createReplayModel({ provider: 'replay', model: '/secret-folder/x' }, 'unused', {
      openRecording: async () => {
        throw new Error('EACCES: /secret-folder/x');
      },
      sha256,
    });
    await expect(model.prepare?.(signal)).rejects.toMatchObject(
      refusal(/^The recording "x" can't be read: look at the file/),
    );
    expect(() => createReplayModel({ provider: 'replay', model: 'x' }, 'replay:x', { sha256 })).toThrow(
      /can't be opened here/,
    );
  });
});

describe('the name of a recording', () => {
  it.each([
    ['a.skilltrace.jsonl', 'a.skilltrace.jsonl', 0],
    ['/b/a.skilltrace.jsonl#2', '/b/a.skilltrace.jsonl', 2],
    ['C:\\b\\a.skilltrace.jsonl#last', 'C:\\b\\a.skilltrace.jsonl', 'last'],
    ['a#b.skilltrace.jsonl', 'a#b.skilltrace.jsonl', 0],
    ['a#', 'a#', 0],
  ])('%s is %s', (text, path, branch) => {
    expect(parseRecordingName(text)).toEqual({ path, branch });
  });

  it('is recorded without the folders of a machine', async () => {
    expect(recordedReplayName('/home/somebody/a.skilltrace.jsonl#2')).toBe('replay:a.skilltrace.jsonl#2');
    expect(recordedReplayName('C:\\Users\\somebody\\a.skilltrace.jsonl')).toBe('replay:a.skilltrace.jsonl');
    const { text } = await recordedRun({ options: { horizon: 1 }, environment: createWarehouse() });
    const again = await replayed(text, { options: { horizon: 1 } });
    expect(again.text).toContain(`"model":{"name":"replay:${fileName}"`);
    expect(again.text).not.toContain('/runs/');
  });
});
