import { afterEach, describe, expect, it } from 'vitest';
import { lessonsOf } from '../../../../client/src/models/openai/lessons';
import { ServerRefusal } from '../../../../client/src/models/openai/serverRefusal';
import { askModel } from '../../../support/askedModel';
import type { OpenAiServerOptions } from '../../../support/openaiServer';
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
    const hosted = lessonsOf('https://api.openai.com/v1', 'some-model', 'max_completion_tokens');
    const refusal = new ServerRefusal(400, "Unknown parameter: 'max_completion_tokens'.");
    expect(hosted.learn(refusal, { max_completion_tokens: 1 })).toContain('`max_tokens`');
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

describe('a lesson', () => {
  const body = { temperature: 0, top_p: 1, seed: 1, stream: true, max_tokens: 5 };
  const learned = (refusal: ServerRefusal) =>
    lessonsOf('http://127.0.0.1:1', String(Math.random()), 'max_tokens').learn(refusal, body);

  it('is read from the words of other servers', () => {
    const words: readonly [string, string][] = [
      ['Extra inputs are not permitted: [{"loc":["body","seed"]}]', '`seed`'],
      ['`temperature` must be strictly positive', '`temperature`'],
      ['temperature is not supported with this model.', '`temperature`'],
      ['Unrecognized request argument supplied: top_p', '`top_p`'],
      ["this model doesn't support temperature", '`temperature`'],
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
    ]) {
      expect([refusal.message, learned(refusal)]).toEqual([refusal.message, undefined]);
    }
  });
});
