import { afterEach, describe, expect, it, vi } from 'vitest';
import { serverProviders } from '../../../../client/src/models/modelName';
import { checkServer, listOpenAiModels } from '../../../../client/src/models/openai/modelList';
import { serverOf, serverPresets } from '../../../../client/src/models/servers';
import { ModelFailure } from '../../../../client/src/runtime/model';
import { startOpenAiServer } from '../../../support/openaiServer';
import { closeServers, openServer, passingTime } from './askedServer';

afterEach(async () => {
  vi.useRealTimers();
  await closeServers();
});

const { signal } = new AbortController();

describe('the models of a server', () => {
  it('are those that it lists, in its order, with what they take where it says so', async () => {
    for (const dialect of ['openai', ...serverProviders] as const) {
      const { baseUrl } = await openServer({ dialect, models: ['b', 'a'] });
      const context = dialect === 'vllm' || dialect === 'llama.cpp' ? { contextTokens: 4096 } : {};
      expect([dialect, await listOpenAiModels({ baseUrl, signal })]).toEqual([
        dialect,
        [
          { id: 'b', ...context },
          { id: 'a', ...context },
        ],
      ]);
    }
  });

  it('are none where the server has no list, or a strange one', async () => {
    const { origin } = await openServer();
    expect(await listOpenAiModels({ baseUrl: `${origin}/other`, signal })).toEqual([]);
    const bodies = ['{}', '{"data":7}', '{"data":[null,{"id":7},{"id":""},{}]}', '[]'];
    for (const body of bodies) {
      const fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } });
      expect(await listOpenAiModels({ baseUrl: origin, fetch, signal })).toEqual([]);
    }
  });

  it('of OpenAI are those that chat, by name', async () => {
    const ids = [
      'gpt-5',
      'text-embedding-3-small',
      'whisper-1',
      'gpt-4o-mini',
      'dall-e-3',
      'o4-mini',
      'gpt-4o-audio-preview',
    ];
    const fetch = async () => Response.json({ data: ids.map((id) => ({ id, owned_by: 'system' })) });
    const found = await listOpenAiModels({ key: 'sk-some-key-1234', fetch, signal });
    expect(found.map(({ id }) => id)).toEqual(['gpt-4o-mini', 'gpt-5', 'o4-mini']);
  });

  it('need the key where the server asks for one', async () => {
    const { baseUrl } = await openServer({ key: 'sk-right-one-0123' });
    const listed = listOpenAiModels({ baseUrl, key: 'sk-right-one-0123', signal });
    expect((await listed).map(({ id }) => id)).toEqual(['test-model']);
    const refused = listOpenAiModels({ baseUrl, key: 'sk-wrong-one-0123', signal });
    await expect(refused).rejects.toMatchObject({ class: 'authentication' });
    await expect(refused).rejects.toBeInstanceOf(ModelFailure);
    await expect(listOpenAiModels({ baseUrl, signal })).rejects.toMatchObject({
      class: 'authentication',
      message: expect.stringContaining('asks for a key'),
    });
  });

  it('are waited for no longer than is said, and not at all once that is given up', async () => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const late = listOpenAiModels({ baseUrl: 'http://127.0.0.1:9', fetch, timeout: 20, signal });
    await expect(late).rejects.toMatchObject({ class: 'timeout' });
    // Also where the patience is less than any timer has.
    const atOnce = listOpenAiModels({ baseUrl: 'http://127.0.0.1:9', fetch, timeout: 1e-4, signal });
    await expect(atOnce).rejects.toMatchObject({
      class: 'timeout',
      message: expect.stringContaining('sent nothing for 1e-7 seconds'),
    });
    const leaving = new AbortController();
    const left = listOpenAiModels({ baseUrl: 'http://127.0.0.1:9', fetch, signal: leaving.signal });
    leaving.abort(new Error('Enough'));
    await expect(left).rejects.toThrow('Enough');
  });

  it('are given up where something else listens there, which never ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const drop = new TextEncoder().encode(': still here\n\n');
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) =>
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason)),
        pull: (controller) =>
          new Promise((resolve) => {
            const next = () => resolve(init?.signal?.aborted ? undefined : controller.enqueue(drop));
            setTimeout(next, 1_000);
          }),
      });
      return new Response(body);
    };
    const listed = listOpenAiModels({ baseUrl: 'http://127.0.0.1:9', fetch, signal });
    await expect(passingTime(listed)).rejects.toMatchObject({
      class: 'malformed-stream',
      retryable: false,
      message:
        'The server at http://127.0.0.1:9 sends an answer that has no end: look at what listens there.',
    });
  });
});

describe('a server', () => {
  it('that runs is recognised with its models, whatever it was called', async () => {
    for (const dialect of serverProviders) {
      const { baseUrl } = await openServer({ dialect });
      for (const provider of serverProviders) {
        const health = await checkServer({ provider, baseUrl, signal });
        expect(health).toMatchObject({ state: 'running', kind: dialect, models: [{ id: 'test-model' }] });
      }
    }
  });

  it('that does not run says how it is started', async () => {
    const gone = await startOpenAiServer();
    await gone.close();
    for (const provider of serverProviders) {
      const { title, start } = serverPresets[provider];
      expect(await checkServer({ provider, baseUrl: gone.baseUrl, signal })).toEqual({
        state: 'absent',
        message: `There is no answer from ${title} at ${gone.origin} (ECONNREFUSED): ${start}`,
      });
    }
  });

  it('that is still loading says so', async () => {
    const loading = { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } };
    const fetch = async () => Response.json(loading, { status: 503 });
    expect(await checkServer({ provider: 'llama.cpp', fetch, signal })).toEqual({
      state: 'failing',
      message: 'llama.cpp at http://127.0.0.1:8080 is still loading its model: try again in a moment.',
    });
  });

  it('that wants a key says so, with one that it does not take too', async () => {
    const { baseUrl } = await openServer({ key: 'sk-right-one-0123' });
    for (const key of [undefined, 'sk-wrong-one-0123'])
      expect(await checkServer({ baseUrl, key, signal })).toMatchObject({ state: 'wants-key' });
    expect(await checkServer({ baseUrl, key: 'sk-right-one-0123', signal })).toMatchObject({
      state: 'running',
    });
  });

  it('that has no list of models is another one at a known port, and may be a gateway elsewhere', async () => {
    const answers = [
      new Response('Not here', { status: 404 }),
      Response.json({}),
      Response.json({ data: 7 }),
      Response.json({ data: {} }),
    ];
    for (const answer of answers) {
      const fetch = async () => answer.clone();
      expect(await checkServer({ provider: 'vllm', fetch, signal })).toEqual({
        state: 'unlisted',
        message:
          'What listens at http://127.0.0.1:8000 has no list of models, so it is not vLLM: start it with `vllm serve <model>`, or install it from https://docs.vllm.ai.',
      });
      expect(await checkServer({ baseUrl: 'http://127.0.0.1:9/v1', fetch, signal })).toEqual({
        state: 'unlisted',
        message: 'The server at http://127.0.0.1:9 has no list of models: name one by its id.',
      });
    }
    // As Ollama writes that it has none.
    const fetch = async () => Response.json({ object: 'list', data: null });
    expect(await checkServer({ provider: 'ollama', fetch, signal })).toMatchObject({
      state: 'running',
      models: [],
    });
  });

  it('of another protocol is told so', async () => {
    const page = '<!doctype html><title>Files</title>';
    const fetch = async () => new Response(page, { headers: { 'content-type': 'text/html' } });
    expect(await checkServer({ provider: 'vllm', fetch, signal })).toMatchObject({ state: 'failing' });
  });

  it('listens on its own port if nothing else is said', () => {
    expect(serverProviders.map((provider) => serverOf(provider).baseUrl)).toEqual([
      'http://127.0.0.1:11434/v1',
      'http://127.0.0.1:8080/v1',
      'http://127.0.0.1:8000/v1',
      'http://127.0.0.1:1234/v1',
    ]);
    expect(serverOf('openai').baseUrl).toBe('https://api.openai.com/v1');
  });
});
