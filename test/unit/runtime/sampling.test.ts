import { beforeAll, describe, expect, it } from 'vitest';
import { type Model, ModelFailure, type ModelRequest } from '../../../client/src/runtime/model';
import { defaultRunOptions } from '../../../client/src/runtime/options';
import { composePrompt } from '../../../client/src/runtime/prompt';
import { createRedaction } from '../../../client/src/runtime/redaction';
import {
  redactedPlace,
  type Sample,
  type SamplingOptions,
  sampleStep,
} from '../../../client/src/runtime/sampling';
import { equalityNote, samplingReport } from '../../../client/src/runtime/samplingReport';
import { isSamplingReport } from '../../../schemas/messages/samplingMessages';
import type { Skill } from '../../../schemas/skill/skill';
import { replyOf, skillOf, wordTokenizer } from '../../support/memoryRun';

let skill: Skill;

beforeAll(async () => {
  skill = await skillOf({
    'SKILL.md':
      '---\nname: skill\ndescription: Stores items.\n---\n# Actions\n\n- `Store <item>`: stores it.\n- `Wait`: does nothing.\n',
    'state.schema.yaml':
      'type: object\nadditionalProperties: false\nproperties:\n  count: { type: integer, maximum: 9 }\n  note: { type: string }\n',
  });
});

const place = { step: 3, attempt: 1, state: { count: 1 }, observation: 'item_1 arrived' };

/** Answers one reply after the other; a failure where there is one instead. Keeps the requests. */
function answering(
  answers: readonly (string | ModelFailure)[],
): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: 'openai:answering',
    price: { prompt: 1, completion: 1 },
    requests,
    async *generate(request) {
      const answer = answers[requests.length % answers.length] ?? '';
      requests.push(request);
      if (answer instanceof ModelFailure) throw answer;
      yield { type: 'text', text: answer };
      yield { type: 'usage', usage: { prompt: 100, completion: 10, cached: 80 } };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function sample(options: Partial<SamplingOptions> & Pick<SamplingOptions, 'model'>) {
  return sampleStep({
    skill,
    place,
    samples: 4,
    options: defaultRunOptions,
    tokenizer: wordTokenizer,
    concurrency: 1,
    signal: new AbortController().signal,
    ...options,
  });
}

const store = replyOf({ count: 2 }, 'Store item_1');
const storeToo = replyOf({ note: 'x', count: 2 }, 'Store item_1');
const wait = replyOf({}, 'Wait');

describe('samples of a step', () => {
  it('are answers to the exact prompt of the place, each with a seed of its own, the first with that of the run', async () => {
    const model = answering([store]);
    const options = { ...defaultRunOptions, seed: 7, temperature: 0.5, maxTokens: 50 };
    await sample({ model, options, samples: 3 });
    const { instructions } = skill;
    const prompt = composePrompt({ instructions, state: place.state, observation: place.observation }).text;
    expect(model.requests.map((request) => request.prompt)).toEqual([prompt, prompt, prompt]);
    expect(model.requests.map(({ seed }) => seed)).toEqual([7, 8, 9]);
    expect(model.requests[0]).toMatchObject({ step: 3, attempt: 1, temperature: 0.5, maxTokens: 50 });
    expect(model.requests[0]?.expected.state).toEqual(place.state);
  });

  it('of a retry have its correction and temperature', async () => {
    const model = answering([store]);
    const retry = { ...place, attempt: 2, correction: 'Your previous reply was rejected (syntax): no.' };
    await sample({
      model,
      place: retry,
      options: { ...defaultRunOptions, retryTemperature: 0.9 },
      samples: 1,
    });
    const [request] = model.requests;
    expect(request?.prompt).toMatch(/\n\nYour previous reply was rejected \(syntax\): no\.$/);
    expect(request).toMatchObject({ attempt: 2, temperature: 0.9 });
  });

  it('go as far as a run would: taken over, or rejected by class, on any attempt', async () => {
    const replies = [
      store,
      'No block.',
      replyOf({ count: 10 }, 'Wait'),
      replyOf({}, 'Fly'),
      replyOf({ other: 1 }, 'Wait'),
    ];
    for (const attempt of [1, 2, 9]) {
      const { samples } = await sample({
        model: answering(replies),
        place: { ...place, attempt },
        samples: 5,
      });
      expect(samples.map(({ rejection }) => rejection?.class)).toEqual([
        undefined,
        'no-block',
        'schema',
        'action',
        'schema',
      ]);
      expect(samples.map(({ merged }) => merged)).toEqual([
        { count: 2 },
        ...[undefined, undefined, undefined, undefined],
      ]);
      expect(samples[3]?.parsed?.action).toBe('Fly');
      expect(samples[0]?.attempt).toMatchObject({ tokens: { prompt: 100, cached: 80, source: 'reported' } });
    }
  });

  it('are asked for several at a time, and told as they come', async () => {
    let underWay = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const model: Model = {
      name: 'slow',
      async *generate() {
        underWay++;
        most = Math.max(most, underWay);
        await new Promise<void>((resolve) => release.push(resolve));
        underWay--;
        yield { type: 'text', text: wait };
      },
    };
    const told: Sample[] = [];
    const done = sample({ model, samples: 5, concurrency: 3, onSample: (one) => told.push(one) });
    while (told.length < 5) {
      await new Promise((resolve) => setImmediate(resolve));
      // The latest first.
      release.pop()?.();
    }
    const { samples, stopped } = await done;
    expect(most).toBe(3);
    expect(samples.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(told.map(({ number }) => number)).not.toEqual([1, 2, 3, 4, 5]);
    expect(stopped).toBeUndefined();
  });

  it('that have come are given when the user gives up, also with a model that heeds no signal', async () => {
    const cancel = new AbortController();
    let answers = 0;
    const model: Model = {
      name: 'deaf',
      async *generate() {
        answers++;
        if (answers > 2) await new Promise(() => undefined);
        yield { type: 'text', text: wait };
      },
    };
    const done = sample({
      model,
      samples: 10,
      signal: cancel.signal,
      onSample: ({ number }) => {
        if (number === 2) setImmediate(() => cancel.abort(new Error('enough')));
      },
    });
    const { samples, stopped } = await done;
    expect(samples.map(({ number }) => number)).toEqual([1, 2]);
    expect(stopped).toBe('It was given up.');
    const nothing = await sample({ model: answering([wait]), signal: AbortSignal.abort(new Error('no')) });
    expect(nothing).toEqual({ samples: [], stopped: 'It was given up.' });
  });

  it('go on after a failure that may pass, and stop at one that stays', async () => {
    const passing = new ModelFailure('Busy.', { class: 'rate-limit', retryable: true });
    const filtered = new ModelFailure('Filtered.', { class: 'content-filter', retryable: false });
    const lasting = new ModelFailure('No key.', { class: 'authentication', retryable: false });
    const first = await sample({ model: answering([wait, passing, filtered, wait]) });
    expect(first.samples.map(({ failure }) => failure?.class)).toEqual([
      undefined,
      'rate-limit',
      'content-filter',
      undefined,
    ]);
    expect(first.stopped).toBeUndefined();
    const model = answering([wait, lasting]);
    const second = await sample({ model, samples: 9 });
    expect(second.samples).toHaveLength(2);
    expect(second.stopped).toBe('No key.');
    expect(model.requests).toHaveLength(2);
  });

  it('are none where the model can not be made ready', async () => {
    const model: Model = {
      ...answering([wait]),
      prepare: () => Promise.reject(new ModelFailure('Start it.', { class: 'connection', retryable: true })),
    };
    expect(await sample({ model })).toEqual({ samples: [], stopped: 'Start it.' });
  });

  it('do not hide a bug of a model', async () => {
    const model: Model = {
      name: 'broken',
      // biome-ignore lint/correctness/useYield: it fails before
      async *generate() {
        throw new TypeError('a bug');
      },
    };
    await expect(sample({ model, concurrency: 2 })).rejects.toThrow('a bug');
  });
});

describe('the report of samples', () => {
  const reportOf = async (model: Model, samples: number, longestReply?: number) => {
    const drawn = await sample({ model, samples });
    const about = { model: model.name, temperature: 0, asked: samples };
    const where = { ...place, skill: 'skill', branch: 0 };
    const report = samplingReport(where, [{ ...about, ...drawn }], {
      cancelled: false,
      ...(longestReply !== undefined && { longestReply }),
    });
    expect(isSamplingReport(JSON.parse(JSON.stringify(report)))).toBe(true);
    const [one] = report.models;
    if (one === undefined) throw new Error('No model');
    return one;
  };

  it('counts actions, patches and rejections, and how far the answers agree', async () => {
    const swapped = replyOf({ count: 2, note: 'x' }, 'Store item_1');
    const report = await reportOf(answering([storeToo, swapped, wait, 'No block.', storeToo]), 5);
    expect(report.actions).toEqual([
      { value: 'Store item_1', samples: [1, 2, 5] },
      { value: 'Wait', samples: [3] },
    ]);
    // The order of keys makes no other patch.
    expect(report.patches.map(({ samples }) => samples)).toEqual([[1, 2, 5], [3]]);
    expect(report.rejections).toEqual([{ value: 'no-block', samples: [4] }]);
    expect(report.agreement).toBe(3 / 5);
    expect(report.differing).toEqual({ first: 1, second: 3 });
    expect(report.samples[0]).toMatchObject({
      outcome: 'accepted',
      action: 'Store item_1',
      changes: ['~ /count = 2 (was 1)', '+ /note = "x"'],
    });
    expect(report.samples[3]).toMatchObject({ outcome: 'rejected', rejection: { class: 'no-block' } });
    expect(report.spending).toMatchObject({ prompt: 500, cached: 400, source: 'reported' });
    expect(report.spending.cost).toBeCloseTo(0.00055, 12);
  });

  it('counts what requests took that failed, with and without an answer after them', async () => {
    const model = answering([wait]);
    const busy = { class: 'server-error', message: 'Busy.', wait: 0 } as const;
    const unreliable: Model = {
      ...model,
      async *generate(request, signal) {
        yield { type: 'usage', usage: { prompt: 1_000, completion: 50 } };
        if (model.requests.length === 1)
          throw new ModelFailure('Withheld.', { class: 'content-filter', retryable: true });
        yield { type: 'retry', failure: busy };
        yield* model.generate(request, signal);
      },
    };
    const { samples, spending } = await reportOf(unreliable, 2);
    expect(samples.map(({ outcome }) => outcome)).toEqual(['accepted', 'failed']);
    expect(spending).toMatchObject({ prompt: 2_100, completion: 110, failed: 2_100, source: 'reported' });
    expect(spending.cost).toBeCloseTo(0.00221, 12);
  });

  it('has no difference where all agree, and says that at temperature 0 that may be so', async () => {
    const report = await reportOf(answering([store]), 3);
    expect(report).toMatchObject({ agreement: 1, differing: undefined });
    expect(equalityNote(report)).toContain('temperature is 0');
    expect(equalityNote({ ...report, temperature: 0.7 })).toBeUndefined();
  });

  it('agrees with nothing where every reply is rejected or none came', async () => {
    expect(await reportOf(answering(['a', 'b']), 2)).toMatchObject({ agreement: 0, differing: undefined });
    const failure = new ModelFailure('No.', { class: 'quota', retryable: false });
    expect(await reportOf(answering([failure]), 2)).toMatchObject({
      agreement: undefined,
      samples: [{ outcome: 'failed', failure: { class: 'quota', message: 'No.' } }],
      stopped: 'No.',
      spending: { prompt: 0, source: undefined },
    });
  });

  it('cuts long replies, and says how much', async () => {
    const report = await reportOf(answering([`${'x'.repeat(50)}`]), 1, 20);
    expect(report.samples[0]).toMatchObject({ reply: 'x'.repeat(20), replyLeftOut: 30 });
  });
});

describe('samples from which something is left out', () => {
  const redactionOf = (pattern: string) => {
    const result = createRedaction([pattern], () => 0);
    return result.ok ? result.redaction : undefined;
  };

  it('are asked for without it, in skill, state, observation and correction', async () => {
    const secret = await skillOf({
      'SKILL.md': '---\nname: skill\ndescription: Greets.\n---\nGreet sk-skill.\n',
      'state.schema.yaml': 'type: object\nadditionalProperties: true\n',
    });
    const model = answering([replyOf({ a: 'sk-reply' }, 'Wait')]);
    const there = {
      ...{ step: 3, attempt: 2, correction: 'Not sk-correction.' },
      state: { 'sk-key': 'sk-state' },
      observation: 'sk-observation is here',
    };
    const redaction = redactionOf('sk-\\w+');
    const drawn = await sample({ model, skill: secret, place: there, samples: 1, redaction });
    const [request] = model.requests;
    expect(request?.prompt).toContain('Greet [redacted].');
    expect(request?.prompt).toContain('[redacted] is here');
    expect(JSON.stringify([model.requests.map(({ prompt }) => prompt), drawn])).not.toContain('sk-');
    expect(request?.expected.state).toEqual({ '[redacted]': '[redacted]' });
    expect(redactedPlace(there, redaction)).toMatchObject({ correction: 'Not [redacted].', step: 3 });
    expect(redactedPlace(there, undefined)).toBe(there);
  });

  it('are none where no skill is left', async () => {
    const model = answering([wait]);
    const drawn = await sample({ model, redaction: redactionOf('object') });
    expect(drawn).toEqual({
      samples: [],
      stopped: expect.stringMatching(/^What is redacted leaves no skill/),
    });
    expect(model.requests).toEqual([]);
  });
});
