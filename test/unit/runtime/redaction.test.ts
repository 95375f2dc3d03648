/** What the user wants left out of runs: found whatever the text, and nowhere in what a run shows or records. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { EnvironmentFailure } from '../../../client/src/runtime/environment';
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelNotice,
} from '../../../client/src/runtime/model';
import type { RunOptions } from '../../../client/src/runtime/options';
import { redactedFile, redactedFiles } from '../../../client/src/runtime/redactedFiles';
import {
  createRedaction,
  type Redaction,
  redactedEnvironment,
  redactedNotice,
} from '../../../client/src/runtime/redaction';
import { planResume } from '../../../client/src/runtime/resume';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { loadSkill } from '../../../schemas/skill/skill';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { memoryJourney } from '../../support/memoryJourney';
import { memoryRun, replyOf, sampleFiles, scriptedModel, skillOf, traceText } from '../../support/memoryRun';

function redactionOf(...patterns: string[]): Redaction {
  const result = createRedaction(patterns, () => 0);
  if (!result.ok || result.redaction === undefined) throw new Error('No redaction');
  return result.redaction;
}

describe('a redaction', () => {
  it('replaces every match of every pattern', () => {
    const { text } = redactionOf('sk-\\w+', '\\b\\d{4}-\\d{4}\\b');
    expect(text('a sk-1 b sk-2, 1234-5678; 12345-6789')).toBe(
      'a [redacted] b [redacted], [redacted]; 12345-6789',
    );
    expect(text('nothing')).toBe('nothing');
    expect(text('')).toBe('');
    expect(text('😀sk-x😀')).toBe('😀[redacted]😀');
    expect(text('sk-x')).toBe('[redacted]');
    expect(text('sk-a\r\nsk-b')).toBe('[redacted]\r\n[redacted]');
  });

  it('takes no match that is empty', () => {
    expect(redactionOf('x*').text('axxb')).toBe('a[redacted]b');
    expect(redactionOf('^|$|\\b').text('a b')).toBe('a b');
  });

  it('is none where there is no pattern, and says which pattern it can not use', () => {
    expect(createRedaction([], () => 0)).toEqual({ ok: true, redaction: undefined });
    for (const pattern of ['(', '(?=a)b', 'a{2000}', '(a)\\1']) {
      const result = createRedaction(['a', pattern], () => 0);
      expect(result.ok).toBe(false);
      if (result.ok) continue;
      expect(result.message).toMatch(/^What to redact can't be found by ".*": .*\.$/);
      expect(result.message).not.toContain('x-invariants');
    }
  });

  it('leaves out the rest of a text in which a pattern finds too much to go on', () => {
    const slow = (pattern: string) => {
      let time = 0;
      const result = createRedaction([pattern], () => (time += 100));
      return result.ok ? result.redaction?.text : undefined;
    };
    // Ten searches are within the second that it is given.
    expect(slow('b(?:[^]*c)?')?.('ab'.repeat(20))).toBe('a[redacted]'.repeat(11));
    expect(slow('x*')?.('a'.repeat(20))).toBe('[redacted]');
  });

  it('goes through values, keys included, however deep', () => {
    const { value } = redactionOf('secret\\d*');
    expect(value({ a: 'secret1', secret2: ['x secret3', 4, null, true, { secret: {} }] })).toEqual({
      a: '[redacted]',
      '[redacted]': ['x [redacted]', 4, null, true, { '[redacted]': {} }],
    });
    expect(value('secret')).toBe('[redacted]');
    expect(value([{ secret1: 1, secret2: 2, secret3: 3, '[redacted] 2': 4 }])).toEqual([
      { '[redacted]': 1, '[redacted] 2': 2, '[redacted] 3': 3, '[redacted] 2 2': 4 },
    ]);
    const hostile = JSON.parse('{"__proto__":"secret","constructor":{"__proto__":["secret"]}}');
    expect(JSON.stringify(value(hostile))).toBe(
      '{"__proto__":"[redacted]","constructor":{"__proto__":["[redacted]"]}}',
    );
    let deep: JsonValue = 'secret';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    let at: JsonValue | undefined = value(deep);
    while (Array.isArray(at)) at = at[0];
    expect(at).toBe('[redacted]');
  });

  it('finds what is escaped, however often, and stays as it is when done again', () => {
    const { text } = redactionOf('Müller', 'C:\\\\Users\\\\ann', 'sk-\\w+\\b');
    const written = (given: string, times: number): string =>
      times === 0 ? given : written(JSON.stringify(given), times - 1);
    for (let times = 0; times < 4; times++) {
      expect(text(written('by "Müller", C:\\Users\\ann\\x', times))).toBe(
        written('by "[redacted]", [redacted]\\x', times),
      );
    }
    for (const name of ['M\\u00FCller', '\\u004d\\u00fcller', '\\xfcller M\\xfcller', 'M\\U000000fcller'])
      expect(text(name)).toMatch(/\[redacted\]$/);
    expect(text('\\u12 \\Uffffffff \\q \\')).toBe('\\u12 \\Uffffffff \\q \\');
    expect(redactionOf('redacted|a+').text('aa [redacted]')).toBe('[redacted] [redacted]');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Müller', 'M\\u00fcller', '\\', 'sk-a', ' ', '"', '[')),
        (parts) => {
          const once = text(parts.join(''));
          expect(text(once)).toBe(once);
        },
      ),
    );
  });

  it('takes numbers for what they are printed as, and makes texts of them', () => {
    const { value } = redactionOf('\\d{16}', '^-7$');
    expect(value({ card: 4111111111111111, list: [4.111111111111111e15, 41, -7, -71] })).toEqual({
      card: '[redacted]',
      list: ['[redacted]', 41, '[redacted]', -71],
    });
    expect(value(-7)).toBe('[redacted]');
  });

  it('leaves it out of addresses and headers of what is sent and answered', () => {
    const redaction = redactionOf('corp-\\w+', 'ORG-\\w+');
    const headers = { 'openai-organization': 'ORG-1', accept: 'text/plain' };
    const told = { 'openai-organization': '[redacted]', accept: 'text/plain' };
    const request = {
      method: 'POST',
      url: 'https://corp-internal.example/v1?a=corp-b',
      headers,
      body: 'corp-c',
    };
    // What has come so far could end in the middle of what is to be left out.
    const received = () => ({ status: 200, headers: {}, body: 'corp-' });
    expect(redactedNotice({ type: 'request', request, received }, redaction)).toEqual({
      type: 'request',
      request: {
        method: 'POST',
        url: 'https://[redacted].example/v1?a=[redacted]',
        headers: told,
        body: '[redacted]',
      },
    });
    const hidden = { ...request, url: 'https://a.example/c%6frp%2Dx%ff' };
    expect(redactedNotice({ type: 'request', request: hidden }, redaction).request.url).toBe('[redacted]');
    expect(
      redactedNotice({ type: 'response', response: { status: 200, headers, body: '' } }, redaction),
    ).toEqual({ type: 'response', response: { status: 200, headers: told, body: '' } });
  });

  it('keeps values that have nothing to leave out as they are', () => {
    const { value } = redactionOf('\u0000');
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const json: JsonValue = JSON.parse(JSON.stringify(given).replaceAll('\\u0000', ''));
        expect(value(json)).toEqual(json);
      }),
    );
  });
});

describe("a skill's files", () => {
  const redaction = redactionOf('sk-\\w+');

  it('stay YAML that says the same', () => {
    for (const [before, after] of [
      ['a: sk-1 # sk-2\n', 'a: "[redacted]" # [redacted]\n'],
      ['a: [sk-1, "sk-2", x sk-3]\n', 'a: ["[redacted]", "[redacted]", "x [redacted]"]\n'],
      [
        'a: |\n  sk-1\nb: >-\n  x sk-2\nc: sk-3\n',
        'a: |\n  [redacted]\nb: >-\n  x [redacted]\nc: "[redacted]"\n',
      ],
      ['a: |\nb: sk-1\n', 'a: |\nb: "[redacted]"\n'],
      ['a: one\n  sk-2 "q" \\n\n', 'a: "one\n  [redacted] \\"q\\" \\\\n"\n'],
      ['sk-key: 1\r\n', '"[redacted]": 1\r\n'],
      ['\uFEFFa: sk-1', '\uFEFFa: "[redacted]"'],
      ['a: 1\n', 'a: 1\n'],
    ])
      expect(redactedFile('state.initial.yaml', before ?? '', redaction)).toBe(after);
    expect(redactedFile('state.initial.json', '{"a":"sk-1"}', redaction)).toBe('{"a":"[redacted]"}');
    expect(redactedFile('references/a.md', 'a: sk-1', redaction)).toBe('a: [redacted]');
    expect(redactedFile('SKILL.md', '---\nname: sk-1\n---\na: sk-2\n', redaction)).toBe(
      '---\nname: "[redacted]"\n---\na: [redacted]\n',
    );
  });

  it('make a skill whose instructions and initial state have nothing of it', async () => {
    const files: Readonly<Record<string, string>> = {
      'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nUse sk-instructions.\n',
      'state.schema.yaml': 'type: object\nproperties:\n  key: { type: string }\n',
      'state.initial.yaml': 'key: sk-state\n',
    };
    const skill = await loadSkill(
      redactedFiles({ folderName: 'skill', read: async (path) => files[path] }, redaction),
    );
    expect(skill.problems).toEqual([]);
    expect(skill.initialState).toEqual({ key: '[redacted]' });
    expect(skill.instructions).toContain('Use [redacted].');
    expect(JSON.stringify(skill.files)).not.toContain('sk-');
  });
});

const planted = /item_\d+/;
const options: Partial<RunOptions> = { horizon: 8, seed: 3, keyframeEvery: 3 };

/** A warehouse run in which every item's name is left out, with a model that streams letter by letter. */
async function redactedRun(more: Parameters<typeof memoryRun>[0] = {}, patterns = ['item_\\d+']) {
  const redaction = redactionOf(...patterns);
  const scripted = scriptedModel({ name: 'warehouse' });
  const notices: ModelNotice[] = [];
  const model: Model = {
    name: 'letters',
    async *generate(request, signal): AsyncGenerator<ModelEvent> {
      const sent = { method: 'POST', url: 'u', headers: {}, body: request.prompt };
      yield { type: 'request', request: sent };
      yield { type: 'thinking', text: 'item' };
      yield { type: 'retry', failure: { class: 'server-error', message: 'item_99 is down.', wait: 1 } };
      yield { type: 'thinking', text: 'About ite' };
      yield { type: 'thinking', text: 'm_12.' };
      let body = '';
      for await (const event of scripted.generate(request, signal)) {
        if (event.type !== 'text') continue;
        // What the policy can't find in its prompt any more it makes up.
        const text = `${event.text.replaceAll('[redacted]', 'item_7')}`;
        for (const letter of text) yield { type: 'text', text: letter };
        body += JSON.stringify([...text]);
      }
      yield { type: 'response', response: { status: 200, headers: {}, body } };
    },
  };
  const skill = await loadSkill(sampleFiles('warehouse'));
  const run = await memoryRun({
    skill,
    environment: redactedEnvironment(createWarehouse(), redaction),
    model,
    options,
    redaction,
    onNotice: (notice) => notices.push(notice),
    ...more,
  });
  return { run, notices };
}

const plain = (records: readonly TraceRecord[]) => traceText(records.filter(({ kind }) => kind !== 'run'));

describe('a run with redaction', () => {
  it('records and tells nothing of what matches, streamed in whatever pieces', async () => {
    const { run, notices } = await redactedRun();
    const last = await run.finish();
    expect(last.end?.outcome).toBe('completed');
    expect(plain(run.records)).toContain('[redacted]');
    expect(plain(run.records)).not.toMatch(planted);
    const attempt = run.records.find((record) => record.kind === 'attempt');
    expect(attempt).toMatchObject({
      thinking: 'About [redacted].',
      failures: [{ message: '[redacted] is down.' }],
    });
    expect(notices.map(({ type }) => type)).toContain('response');
    // The instructions name items of their own, which were not read by way of redaction here.
    for (const notice of notices) {
      if (notice.type !== 'request') expect(JSON.stringify(notice)).not.toMatch(planted);
      if (notice.type === 'response') expect(notice.response.body).toBe('[redacted]');
      if (notice.type === 'thinking') expect(notice.text).toBe('About [redacted].');
    }
  });

  it('is resumed by the same patterns to the same records, and refused without', async () => {
    const { run } = await redactedRun();
    await run.finish();
    for (let length = 1; length < run.records.length; length += 5) {
      const prefix = run.records.slice(0, length);
      const { recorded } = planResume(readTrace(new TextEncoder().encode(traceText(prefix))));
      const { run: resumed } = await redactedRun({ recorded });
      await resumed.finish();
      const all = [...prefix, ...resumed.records].filter(({ kind }) => kind !== 'resumed');
      expect(traceText(all)).toBe(traceText(run.records));
    }
    const { recorded } = planResume(readTrace(new TextEncoder().encode(traceText(run.records.slice(0, 9)))));
    const { run: without } = await redactedRun({ recorded }, ['nothing']);
    await expect(without.finish()).rejects.toThrow(
      'the recorded run left something out, so go on with the same patterns of what is redacted.',
    );
  });

  it('shows nothing of it while a reply is under way', async () => {
    const seen: string[] = [];
    const model: Model = {
      name: 'letters',
      async *generate() {
        for (const letter of 'The item_12 goes.') {
          yield { type: 'text', text: letter };
          seen.push(run.execution.partialReply);
        }
      },
    };
    const { run } = await redactedRun({ model });
    const { signal } = new AbortController();
    await run.execution.start(signal);
    for (let phase = 0; phase < 3; phase++) await run.execution.advance(signal);
    expect(seen.at(-1)).toBe('The [redacted] goes.');
    for (const text of seen) expect(text).not.toMatch(planted);
  });

  it('tells that a reply grows, and not by what: a piece may be part of what is left out', async () => {
    const told: unknown[][] = [];
    const model: Model = {
      name: 'letters',
      async *generate() {
        for (const letter of 'The item_12 goes.') yield { type: 'text', text: letter };
      },
    };
    const onText = (...some: unknown[]) => told.push(some);
    const redaction = redactionOf('item_\\d+');
    const { run } = await memoryJourney({ model, redaction, callbacks: { onText } });
    await run(3);
    expect(told).toHaveLength(17);
    for (const some of told) expect(some).toEqual([]);
  });

  it('tells failures of model and environment without it', async () => {
    const model: Model = {
      name: 'failing',
      // biome-ignore lint/correctness/useYield: it fails at once
      async *generate() {
        throw new ModelFailure('item_5 is unknown.', { class: 'bad-request', retryable: false });
      },
    };
    const { run } = await redactedRun({ model });
    await expect(run.finish()).rejects.toThrow('[redacted] is unknown.');
    expect(run.records.at(-1)).toMatchObject({
      reason: '[redacted] is unknown.',
      failures: [{ class: 'bad-request', message: '[redacted] is unknown.' }],
    });

    const environment = createWarehouse();
    environment.execute = async () => {
      throw new EnvironmentFailure('item_5 burns.');
    };
    const redaction = redactionOf('item_\\d+');
    const { run: burning } = await redactedRun({ environment: redactedEnvironment(environment, redaction) });
    await expect(burning.finish()).rejects.toThrow('[redacted] burns.');
    expect(burning.records.at(-1)).toMatchObject({ reason: '[redacted] burns.' });
  });

  it('compares Σ with a truth that has nothing of it either', async () => {
    const { run } = await redactedRun();
    await run.finish();
    const warnings = run.records.filter(({ kind }) => kind === 'warning');
    expect(JSON.stringify(warnings)).not.toMatch(planted);
    const environment = redactedEnvironment(createWarehouse(), redactionOf('item_\\d+'));
    await environment.reset({ seed: 3, horizon: 8, repeatUnserved: false }, new AbortController().signal);
    expect(environment.name).toBe('warehouse');
    expect(environment.deterministic).toBe(true);
    expect(environment.truth?.()).toBeDefined();
    environment.restore?.(environment.snapshot?.() ?? null);
  });

  it('leaves it out of edits by hand', async () => {
    const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nDo it.\n' });
    const environment = {
      name: 'quiet',
      deterministic: true,
      reset: async () => ({ observation: 'first', done: false }),
      execute: async () => ({ observation: 'next', accepted: true, done: false }),
      skip: async () => ({ observation: 'next', accepted: true, done: false }),
    };
    const model: Model = {
      name: 'fixed',
      async *generate() {
        yield { type: 'text', text: replyOf({}, 'go') };
      },
    };
    const redaction = redactionOf('sk-\\w+');
    const { journey, run, records } = await memoryJourney({ skill, environment, model, redaction });
    await run(1);
    expect(await journey.edit({ target: 'state', pointer: '/key', value: ['sk-1'] })).toMatchObject({
      ok: true,
    });
    expect(await journey.edit({ target: 'observation', value: 'It is sk-2.' })).toMatchObject({ ok: true });
    expect(journey.run).toMatchObject({ state: { key: ['[redacted]'] }, observation: 'It is [redacted].' });
    expect(traceText(records)).not.toContain('sk-');
  });
});
