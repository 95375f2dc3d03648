import { afterEach, describe, expect, it } from 'vitest';
import { ServerRefusal } from '../../../../client/src/models/openai/serverRefusal';
import { unsupportedParametersOf } from '../../../../client/src/models/openai/unsupportedParameters';
import { sentTemperature } from '../../../../client/src/runtime/samplingReport';
import { askModel } from '../../../support/askedModel';
import type { OpenAiServerOptions } from '../../../support/openaiServer';
import { schemaOf } from '../../runtime/schemaOf';
import { closeServers, modelAt, openServer } from './askedServer';

afterEach(closeServers);

async function learning(refuses: NonNullable<OpenAiServerOptions['refuses']>) {
  const server = await openServer({ refuses, answer: { kind: 'reply', text: 'Yes.' } });
  const model = modelAt(server.baseUrl);
  const first = await askModel(model, { maxTokens: 50 });
  const second = await askModel(model, { maxTokens: 50 });
  const bodies = server.requests.map(({ body }) => Object.keys(body));
  return { server, first, second, bodies };
}

describe('what a model does not take', () => {
  it('is a temperature: said, left out, and kept in mind', async () => {
    const { server, first, second, bodies } = await learning({ temperature: 'unsupported-value' });
    expect([first.text, second.text, second.retries]).toEqual(['Yes.', 'Yes.', []]);
    expect(first.retries).toEqual([
      {
        class: 'bad-request',
        message: `"test-model" at the server at ${server.origin} takes no \`temperature\`: it is left out from now on, and the model's own temperature applies.`,
        wait: 0,
      },
    ]);
    expect(bodies.map((fields) => fields.includes('temperature'))).toEqual([true, false, false]);
    expect(first.order).toEqual([
      'request',
      'response',
      'retry',
      'request',
      'text',
      'response',
      'usage',
      'finish',
    ]);
  });

  it('is max_tokens, or max_completion_tokens: the other one is sent', async () => {
    const { first, bodies } = await learning({ max_tokens: 'unsupported-parameter' });
    expect(first.retries[0]?.message).toContain('the limit is sent as `max_completion_tokens` from now on');
    expect(bodies.map((fields) => fields.filter((field) => field.startsWith('max_')))).toEqual([
      ['max_tokens'],
      ['max_completion_tokens'],
      ['max_completion_tokens'],
    ]);
    const hosted = unsupportedParametersOf(
      'https://api.openai.com/v1',
      'some-model',
      'max_completion_tokens',
    );
    const refusal = new ServerRefusal(400, "Unknown parameter: 'max_completion_tokens'.");
    expect(hosted.learn(refusal, { max_completion_tokens: 1 })?.sentence).toContain('`max_tokens`');
    expect(hosted.tokenLimit).toBe('max_tokens');
  });

  it('may be both limits, which ends it', async () => {
    const server = await openServer({ refuses: { max_tokens: 'unknown', max_completion_tokens: 'unknown' } });
    const asked = await askModel(modelAt(server.baseUrl), { maxTokens: 50 });
    expect([asked.failure?.class, asked.retries.length, server.requests.length]).toEqual([
      'bad-request',
      1,
      2,
    ]);
    expect(asked.failure?.message).toContain('"max_completion_tokens"');
  });

  it('may be stream, which is asked for once and then refused for good', async () => {
    const server = await openServer({
      answer: { kind: 'error', status: 400, error: { message: 'Unsupported parameter: stream' } },
    });
    const asked = await askModel(modelAt(server.baseUrl));
    expect([asked.failure?.class, asked.retries.length]).toEqual(['bad-request', 1]);
    expect(server.requests.map(({ body }) => body.stream)).toEqual([true, false]);
  });

  it('may be several things, one after the other', async () => {
    const { first, second, server } = await learning({
      temperature: 'unsupported-parameter',
      top_p: 'unsupported-parameter',
      seed: 'unknown',
      stream_options: 'unknown',
      max_tokens: 'unsupported-parameter',
    });
    expect([first.text, first.retries.length, second.retries.length]).toEqual(['Yes.', 5, 0]);
    expect(Object.keys(server.requests.at(-1)?.body ?? {})).toEqual([
      'model',
      'messages',
      'stream',
      'max_completion_tokens',
    ]);
  });

  it('is learned once by requests that are made at the same time', async () => {
    const server = await openServer({ refuses: { temperature: 'unsupported-value' } });
    const model = modelAt(server.baseUrl);
    const all = await Promise.all([0, 1, 2, 3].map((step) => askModel(model, { step })));
    expect(all.map(({ text }) => text)).toEqual(Array(4).fill('Hello there.'));
  });

  it('is not what the user set: the effort is refused with its name', async () => {
    const server = await openServer({ refuses: { reasoning_effort: 'unsupported-parameter' } });
    const asked = await askModel(modelAt(server.baseUrl, { settings: { reasoningEffort: 'high' } }));
    expect([asked.retries, asked.failure?.class]).toEqual([[], 'bad-request']);
    expect(asked.failure?.message).toContain('"reasoning_effort"');
  });
});

/** A server that answers every chat with the same 400. */
const refusingAll = (message: string) =>
  openServer({ answer: { kind: 'error', status: 400, error: { message } } });

describe('what was left out without help', () => {
  it('is sent again, once the next request fails the same way', async () => {
    const server = await refusingAll('The seed is unknown, and temperature is not supported.');
    const model = modelAt(server.baseUrl);
    const asked = await askModel(model);
    expect(asked.failure?.class).toBe('bad-request');
    const fields = server.requests.map(({ body }) => ['temperature', 'seed'].filter((name) => name in body));
    expect(fields).toEqual([['temperature', 'seed'], ['seed'], ['temperature']]);
    await askModel(model);
    expect(Object.keys(server.requests[3]?.body ?? {})).toEqual(
      expect.arrayContaining(['temperature', 'seed']),
    );
  });

  it('is recorded where it helped, told of at the beginning, and left out at once by a run that is resumed', async () => {
    const server = await openServer({ refuses: { temperature: 'unsupported-value' } });
    const model = modelAt(server.baseUrl);
    await askModel(model);
    expect(model.found).toEqual({ encoding: 'free', without: 'temperature' });
    const next = modelAt(server.baseUrl);
    const { signal } = new AbortController();
    await next.prepare?.(signal);
    expect(next.found).toMatchObject({ without: 'temperature' });
    const expected = { stateSchema: schemaOf({}), actions: [], state: {} };
    expect(next.remarks?.(expected, { temperature: 0 }).at(-1)).toBe(
      `"test-model" at the server at ${server.origin} takes no \`temperature\`: it is left out, and the model's own temperature applies.`,
    );
    expect(sentTemperature(next, 0)).toBeUndefined();
    expect(sentTemperature({}, 0)).toBe(0);
    expect(sentTemperature({ without: ['seed'] }, 0)).toBe(0);
    expect(sentTemperature({ without: ['seed', 'temperature'] }, 0)).toBeUndefined();
    const other = await openServer({ answer: { kind: 'reply', text: 'Yes.' } });
    const resumed = modelAt(other.baseUrl, { settings: { without: 'temperature, messages' } });
    await askModel(resumed);
    expect(Object.keys(other.requests[0]?.body ?? {})).toContain('messages');
    expect(Object.keys(other.requests[0]?.body ?? {})).not.toContain('temperature');
  });
});

describe('a lesson', () => {
  const body = { temperature: 0, top_p: 1, seed: 1, stream: true, stream_options: {}, max_tokens: 5 };
  const learned = (refusal: ServerRefusal) =>
    unsupportedParametersOf('http://127.0.0.1:1', String(Math.random()), 'max_tokens').learn(refusal, body)
      ?.sentence;

  it('is read from the words of other servers', () => {
    const words: readonly [string, string][] = [
      ['Extra inputs are not permitted: [{"loc":["body","seed"]}]', '`seed`'],
      ['`temperature` must be strictly positive', '`temperature`'],
      ['temperature is not supported with this model.', '`temperature`'],
      ['Unrecognized request argument supplied: top_p', '`top_p`'],
      ["this model doesn't support temperature", '`temperature`'],
      ["Unsupported value: 'temperature' does not support 0 with this model.", '`temperature`'],
      ["got an unexpected keyword argument 'seed'", '`seed`'],
      ['Unknown field: stream_options', '`stream_options`'],
      ['body -> top_p: extra fields not permitted', '`top_p`'],
      [
        '[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":0}]',
        '`seed`',
      ],
      ['Your organization must be verified to stream this model.', '`stream`'],
    ];
    for (const [message, parameter] of words) {
      expect([message, learned(new ServerRefusal(400, message))]).toEqual([
        message,
        expect.stringContaining(parameter),
      ]);
    }
  });

  it('does not follow from other refusals', () => {
    for (const refusal of [
      new ServerRefusal(
        400,
        'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
        {
          param: 'max_tokens',
          code: 'invalid_value',
        },
      ),
      new ServerRefusal(400, 'Unknown parameter: frequency_penalty'),
      new ServerRefusal(400, "Unsupported parameter: 'messages[0].temperature'", {
        param: 'messages[0].temperature',
        code: 'unsupported_parameter',
      }),
      new ServerRefusal(500, "Unsupported parameter: 'temperature'"),
      new ServerRefusal(429, "Unsupported parameter: 'temperature'"),
      new ServerRefusal(400, 'This model does not support mytemperature_scale'),
      new ServerRefusal(400, 'Unexpected end of input while the seed 42 was read'),
      new ServerRefusal(400, 'Invalid JSON: unexpected token. The request had seed and top_p.'),
      new ServerRefusal(400, 'seed: value is too large. Unexpected response of the backend.'),
      new ServerRefusal(400, "Unknown model 'x'; temperature was 0."),
      new ServerRefusal(400, 'temperature is not supported', { param: 'messages' }),
    ]) {
      expect([refusal.message, learned(refusal)]).toEqual([refusal.message, undefined]);
    }
  });

  it.each([
    'temperature: -0.7 is not supported',
    'temperature=.5 not allowed',
    'temperature (1.) is not permitted',
    'temperature...... unsupported',
  ])('is read past a number: %s', (message) =>
    expect(learned(new ServerRefusal(400, message))).toContain('`temperature`'),
  );

  // An engine that tries every way to tell words and marks apart would come to no end here.
  it.each(['.', '-', '1', '0.', '1.1', '-1. ', "n't", "n't ", "an't.", 'is ', 'not, ', ' ', '"', ': ['])(
    'does not follow from 80 characters of %j, which end',
    (repeated) => {
      const noise = repeated.repeat(80).slice(0, 80);
      for (const message of [`temperature${noise}`, `temperature ${noise}x`, `${noise} temperature`])
        expect(learned(new ServerRefusal(400, message))).toBeUndefined();
    },
  );
});
