/** How replies are held to their format, as far as it is the provider's part. */
import { afterEach, describe, expect, it } from 'vitest';
import { isConclusive, probeDecoding } from '../../../../client/src/models/decoding/probe';
import type { ReplyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import { dialectOf } from '../../../../client/src/models/openai/chatRequest';
import { openAiProber } from '../../../../client/src/models/openai/openaiProber';
import { askModel, modelResources } from '../../../support/askedModel';
import { modelRequest } from '../../../support/modelRequest';
import { type Answer, type OpenAiServerOptions, startOpenAiServer } from '../../../support/openaiServer';
import { closeServers, modelAt, openServer } from './askedServer';

afterEach(closeServers);

const { signal } = new AbortController();
const schema = { type: 'object', properties: { a: { type: 'integer' } } };
const bySchema: ReplyConstraint = { kind: 'json', encoding: 'json-schema', schema, dropped: [] };
const byGrammar: ReplyConstraint = {
  kind: 'grammar',
  encoding: 'grammar',
  grammar: 'root ::= "a"',
  dropped: [],
};

async function proberOf(options: OpenAiServerOptions) {
  const server = await openServer(options);
  const resources = modelResources({ settings: { baseUrl: server.baseUrl } });
  const prober = await openAiProber({ provider: 'openai', model: 'test-model' }, resources, signal);
  return { server, prober };
}

describe('a probe of an OpenAI server', () => {
  it('puts each constraint where the server takes it', async () => {
    const { server, prober } = await proberOf({ answer: { kind: 'reply', text: '{"a":1}' } });
    const responseFormat = (more: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'reply', ...more } },
    });
    const expected: readonly [string, ReplyConstraint, object][] = [
      ['response_format.strict', bySchema, responseFormat({ strict: true, schema })],
      ['response_format', bySchema, responseFormat({ schema })],
      ['structured_outputs', bySchema, { structured_outputs: { json: schema } }],
      ['guided_json', bySchema, { guided_json: schema }],
      ['json_schema', bySchema, { json_schema: schema }],
      ['grammar', byGrammar, { grammar: 'root ::= "a"' }],
      ['structured_outputs.grammar', byGrammar, { structured_outputs: { grammar: 'root ::= "a"' } }],
    ];
    for (const [placement, constraint, fields] of expected) {
      const { encoding } = constraint;
      const dialect = dialectOf(placement, encoding);
      if (dialect === undefined) throw new Error(`No placement ${placement}`);
      const answer = await prober.ask({ encoding, placement, dialect }, 'Count.', constraint, signal);
      expect(answer).toEqual({ ok: true, text: '{"a":1}' });
      const body = server.requests.at(-1)?.body ?? {};
      expect([placement, body]).toEqual([
        placement,
        expect.objectContaining({ ...fields, max_tokens: 1024, temperature: 0 }),
      ]);
      expect(Object.keys(body)).toHaveLength(8 + Object.keys(fields).length);
    }
  });

  it('knows the server by its list of models, and what that kind takes', async () => {
    const kinds = {
      openai: ['json-schema response_format', 'operations response_format.strict', 'grammar grammar'],
      ollama: ['json-schema response_format', 'operations response_format'],
      'llama.cpp': ['grammar grammar', 'json-schema response_format', 'json-schema json_schema'],
      vllm: ['json-schema structured_outputs', 'json-schema response_format', 'json-schema guided_json'],
      'lm-studio': ['json-schema response_format', 'operations response_format'],
    };
    for (const dialect of ['openai', 'ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const) {
      const { server, prober } = await proberOf({ dialect });
      const placements = prober.placements.map(({ encoding, placement }) => `${encoding} ${placement}`);
      expect([dialect, placements.slice(0, 3)]).toEqual([dialect, kinds[dialect]]);
      expect([prober.server, prober.model]).toEqual([server.baseUrl, 'test-model']);
      expect([server.others, server.requests.length]).toEqual([['GET /v1/models'], 0]);
    }
    const resources = modelResources({
      keys: { get: async () => 'sk-some-key-1234', advice: () => '' },
      fetch: () => Promise.reject(new Error('A request')),
    });
    const hosted = await openAiProber({ provider: 'openai', model: 'gpt' }, resources, signal);
    expect(hosted.placements.map(({ placement }) => placement)).toEqual([
      'response_format.strict',
      'response_format',
    ]);
  });

  it('tells a refusal, and an answer that never came', async () => {
    const { prober } = await proberOf({
      refuses: { response_format: 'unknown', temperature: 'unsupported-value' },
    });
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const refused = await prober.ask(placement, 'Count.', bySchema, signal);
    expect(refused).toMatchObject({ ok: false, failure: { class: 'bad-request' } });

    const thinking = await proberOf({
      answer: { kind: 'reply', text: '', thinking: 'Hm.', finish: 'length' },
    });
    const unanswered = await thinking.prober.ask(placement, 'Count.', bySchema, signal);
    expect(unanswered).toMatchObject({ ok: false, failure: { class: 'unavailable' } });
  });

  it('ends by what any request would meet', async () => {
    const { server, prober } = await proberOf({ key: 'sk-right-one-0123', dialect: 'llama.cpp' });
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const ask = () => prober.ask(placement, 'Count.', byGrammar, signal);
    await expect(ask()).rejects.toMatchObject({ class: 'authentication' });
    await server.close();
    await expect(ask()).rejects.toMatchObject({ class: 'connection' });
  });

  it('is asked once more where its connection is lost and the server is there', async () => {
    const reply: Answer = { kind: 'reply', text: '{"a":1}' };
    const { server, prober } = await proberOf({
      answer: (_, nth) => (nth === 0 ? { kind: 'reset' } : reply),
    });
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const ask = () => prober.ask(placement, 'Count.', bySchema, signal);
    expect(await ask()).toEqual({ ok: true, text: '{"a":1}' });
    expect(server.requests).toHaveLength(2);
    expect(server.others).toEqual(['GET /v1/models', 'GET /v1/models']);

    // A question that loses its connection each time says nothing of the server's others.
    server.answer({ kind: 'reset' });
    expect(await ask()).toMatchObject({ ok: false, failure: { class: 'server-error' } });
    server.answer(({ body }) => ('response_format' in body ? { kind: 'reset' } : reply));
    const result = await probeDecoding(prober, 0, signal);
    expect(result.tries.map(({ outcome }) => outcome).slice(0, 2)).toEqual(['unanswered', 'unanswered']);
    expect(result.tries.length).toBe(prober.placements.length);
    expect(isConclusive(result)).toBe(false);
  });

  it('ends where the server went away with the connection', async () => {
    const { server, prober } = await proberOf({
      dialect: 'llama.cpp',
      answer: () => {
        void server.close();
        return { kind: 'reset' };
      },
    });
    await expect(probeDecoding(prober, 0, signal)).rejects.toMatchObject({
      class: 'connection',
      message: expect.stringContaining('There is no answer from'),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('stops an answer that goes on and on', async () => {
    const text = 'and so on '.repeat(1_000);
    const { server, prober } = await proberOf({
      answer: { kind: 'reply', text, pieces: [text], hang: true },
    });
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    expect(await prober.ask(placement, 'Count.', bySchema, signal)).toEqual({ ok: true, text });
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
  });

  it('fails where the server is not there, and ends when it is given up', async () => {
    const { server, prober } = await proberOf({ answer: { kind: 'hang' } });
    const leaving = new AbortController();
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const asked = prober.ask(placement, 'Count.', bySchema, leaving.signal);
    await server.nextRequest();
    leaving.abort(new Error('Enough'));
    await expect(asked).rejects.toThrow('Enough');
    const stopped = await startOpenAiServer();
    await stopped.close();
    const resources = modelResources({ settings: { baseUrl: stopped.baseUrl } });
    const gone = openAiProber({ provider: 'ollama', model: 'm' }, resources, signal);
    await expect(gone).rejects.toMatchObject({
      class: 'connection',
      message: expect.stringContaining('`ollama serve`'),
    });
  });
});

describe('an OpenAI model', () => {
  it('of a recorded run asks nothing before its request', async () => {
    const server = await openServer({ dialect: 'llama.cpp' });
    const model = modelAt(server.baseUrl, { settings: { encoding: 'grammar', placement: 'grammar' } });
    await askModel(model);
    expect([server.others, server.requests.length]).toEqual([[], 1]);
    expect(server.requests[0]?.body.grammar).toEqual(expect.stringContaining('root ::='));
  });

  it('refuses a recorded decoding that it cannot ask for', async () => {
    const server = await openServer();
    for (const settings of [
      { encoding: 'grammar', placement: 'response_format' },
      { encoding: 'json-schema', placement: 'grammar' },
      { encoding: 'json-schema', placement: 'elsewhere' },
    ] as const) {
      const { failure } = await askModel(modelAt(server.baseUrl, { settings }));
      expect([failure?.class, failure?.retryable]).toEqual(['bad-request', false]);
      expect(failure?.message).toContain(
        `The ${settings.encoding} decoding can't be asked for by "${settings.placement}"`,
      );
    }
    expect(server.requests).toEqual([]);
  });

  it('is made ready by looking whether its server is there and has it', async () => {
    const prepare = (baseUrl: string, model: string) =>
      modelAt(baseUrl, { model, settings: { encoding: undefined, decoding: 'free' } }).prepare?.(signal);
    const ollama = await openServer({ dialect: 'ollama', models: ['qwen3:latest', 'llama3.2:1b'] });
    await prepare(ollama.baseUrl, 'qwen3');
    await prepare(ollama.baseUrl, 'llama3.2:1b');
    await expect(prepare(ollama.baseUrl, 'llama3.2')).rejects.toMatchObject({
      class: 'no-such-model',
      message: expect.stringContaining('has no model "llama3.2", but qwen3:latest and llama3.2:1b. '),
    });
    expect(ollama.requests).toEqual([]);
    // llama.cpp answers to every name, and lists its models without a key.
    const locked = await openServer({ dialect: 'llama.cpp', key: 'sk-right-one-0123' });
    await expect(prepare(locked.baseUrl, 'anything')).rejects.toMatchObject({ class: 'authentication' });
    await prepare((await openServer({ dialect: 'llama.cpp' })).baseUrl, 'anything');
    await expect(prepare(ollama.baseUrl, 'lama3.2:1b')).rejects.toThrow(/ Did you mean llama3\.2:1b\?$/);
    const stopped = await startOpenAiServer();
    await stopped.close();
    await expect(prepare(stopped.baseUrl, 'm')).rejects.toMatchObject({ class: 'connection' });
  });

  it('says which models there are where a server that takes every name lists others', async () => {
    const server = await openServer({ dialect: 'llama.cpp', models: ['warehouse-tiny', 'qwen3'] });
    const remarksOf = async (model: string) => {
      const made = modelAt(server.baseUrl, {
        provider: 'ollama',
        model,
        settings: { encoding: undefined, decoding: 'free' },
      });
      await made.prepare?.(signal);
      return made.remarks?.(modelRequest({ prompt: '' }).expected, { temperature: 0 });
    };
    const held = 'Decoding: free (as the prompt asks, held to nothing). It is set so.';
    const others = `The server at ${server.origin} lists no model`;
    expect(await remarksOf('qwen3')).toEqual([held]);
    expect(await remarksOf('wharehouse-tiny')).toEqual([
      `${others} "wharehouse-tiny", but warehouse-tiny and qwen3; it may answer by another one. Did you mean warehouse-tiny?`,
      held,
    ]);
    expect(await remarksOf('llama')).toEqual([
      `${others} "llama", but warehouse-tiny and qwen3; it may answer by another one.`,
      held,
    ]);
  });

  it('ends a probe where there is no chat at all, and goes on where constraints alone have no place', async () => {
    const nothing = { kind: 'error', status: 404, error: 'No such path.' } as const;
    const { server, prober } = await proberOf({ dialect: 'llama.cpp', answer: nothing });
    await expect(probeDecoding(prober, 0, signal)).rejects.toMatchObject({
      class: 'bad-request',
      message: expect.stringContaining(`has no Chat Completions at ${server.baseUrl}`),
    });
    expect(server.requests).toHaveLength(2);
    const gateway = await proberOf({
      dialect: 'llama.cpp',
      answer: ({ body }) =>
        'grammar' in body || 'response_format' in body || 'json_schema' in body
          ? nothing
          : { kind: 'reply', text: 'Yes.' },
    });
    const { encoding, tries } = await probeDecoding(gateway.prober, 0, signal);
    expect([encoding, tries.map(({ outcome }) => outcome)]).toEqual([
      'free',
      ['refused', 'refused', 'refused', 'refused'],
    ]);
  });

  it('says what it found, and holds replies to it', async () => {
    const server = await openServer({ dialect: 'llama.cpp' });
    const model = modelAt(server.baseUrl, { settings: { encoding: undefined, decoding: 'json-schema' } });
    expect(model.found).toBeUndefined();
    await model.prepare?.(signal);
    expect(model.found).toEqual({ encoding: 'json-schema', placement: 'response_format' });
    await askModel(model);
    expect(server.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'reply', schema: { type: 'object' } },
    });
  });

  it('chooses once for requests that are made at the same time, also where the first gives up', async () => {
    const server = await openServer({ dialect: 'llama.cpp', answer: { kind: 'reply', text: 'Yes.' } });
    const model = modelAt(server.baseUrl, { settings: { encoding: undefined, decoding: 'free' } });
    const leaving = new AbortController();
    const first = askModel(model, { signal: leaving.signal });
    const others = [1, 2, 3].map((step) => askModel(model, { step }));
    leaving.abort(new Error('Enough'));
    await expect(first).rejects.toThrow('Enough');
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(['Yes.', 'Yes.', 'Yes.']);
    expect(server.others.length).toBeLessThanOrEqual(2);
  });
});
