/** Servers that aren't reached, or fall silent, on the wire. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOpenAiModel } from '../../../../client/src/models/openai/openaiModel';
import { ModelFailure } from '../../../../client/src/runtime/model';
import { askModel, modelResources } from '../../../support/askedModel';
import { startOpenAiServer } from '../../../support/openaiServer';
import { selfSignedCertificate } from '../../../support/selfSignedCertificate';
import { closeServers, failureAt, failureOf, modelAt, openServer, passingTime, seen } from './askedServer';

afterEach(async () => {
  vi.useRealTimers();
  await closeServers();
});

describe('a connection to an OpenAI server', () => {
  it('says how to start a known server that does not run', async () => {
    const gone = await startOpenAiServer();
    await gone.close();
    const messages = {
      openai: 'start it, or correct the base URL.',
      ollama: 'start it with `ollama serve` or by its app, or install it from https://ollama.com.',
      'llama.cpp':
        'start it with `llama-server -m <model.gguf>`, or install it from https://github.com/ggml-org/llama.cpp.',
      vllm: 'start it with `vllm serve <model>`, or install it from https://docs.vllm.ai.',
      'lm-studio':
        'start it with `lms server start` or on the Developer page of its app, or install it from https://lmstudio.ai.',
    };
    for (const provider of ['openai', 'ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const) {
      const failure = await failureAt(gone.baseUrl, { provider });
      expect([failure.class, failure.retryable]).toEqual(['connection', true]);
      expect(failure.message).toContain(messages[provider]);
      expect(failure.message).toContain(gone.origin);
    }
  });

  it('is connection where the connection is reset, and where there is no such host', async () => {
    const reset = await failureOf({ kind: 'reset' });
    expect([reset.class, reset.retryable]).toEqual(['connection', true]);
    const unknown = await failureAt('http://no-such-host.invalid:1/v1');
    expect(unknown.class).toBe('connection');
    expect(unknown.message).toContain('no-such-host.invalid');
  });

  it('is connection where the certificate is not trusted', async () => {
    const { baseUrl } = await openServer({ tls: selfSignedCertificate() });
    expect(seen(await failureAt(baseUrl))).toEqual({
      class: 'connection',
      retryable: false,
      message:
        "The certificate of the server at https://HOST can't be trusted (DEPTH_ZERO_SELF_SIGNED_CERT): where a proxy or the server has one of its own, name its authority in NODE_EXTRA_CA_CERTS.",
    });
  });

  it('is timeout where nothing comes, before an answer and in the middle of one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const expected = {
      class: 'timeout',
      retryable: true,
      message: 'The server at http://HOST sent nothing for 120 seconds: try again, or raise the timeout.',
    };
    const silent = await openServer({ answer: { kind: 'hang' } });
    const unanswered = failureAt(silent.baseUrl);
    const request = await silent.nextRequest();
    expect(seen(await passingTime(unanswered))).toEqual(expected);
    await expect(request.closed).resolves.toBe('gone');

    const stuck = await openServer({ answer: { kind: 'reply', text: 'One two.', hang: true } });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const asked = askModel(modelAt(stuck.baseUrl), { onText: begin });
    await begun;
    const { failure } = await passingTime(asked);
    expect(failure && seen(failure)).toEqual(expected);
    await expect(stuck.requests[0]?.closed).resolves.toBe('gone');
  });

  it.each(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])(
    'says how long VS Code waits where its network gives up by itself: %s',
    async (code) => {
      const cause = Object.assign(new Error('Timeout'), { code });
      const failing = new Error('fetch failed', { cause });
      const body = new ReadableStream({ pull: (controller) => controller.error(failing) });
      const headers = { 'content-type': 'text/event-stream' };
      const fetch =
        code === 'UND_ERR_BODY_TIMEOUT'
          ? async () => new Response(body, { headers })
          : () => Promise.reject(failing);
      const failure = await failureAt('http://127.0.0.1:9/v1', { resources: { fetch } });
      expect([failure.class, failure.retryable]).toEqual(['timeout', true]);
      expect(failure.message).toContain(
        `sent nothing for as long as VS Code waits (${code}), which is 300 s`,
      );
    },
  );

  it('is what the status says where an error falls silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { baseUrl } = await openServer({
      answer: { kind: 'bytes', status: 500, pieces: ['{"error":'], ends: 'hang' },
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const fetch: typeof globalThis.fetch = async (...request) => {
      const response = await globalThis.fetch(...request);
      arrive();
      return response;
    };
    const failed = failureAt(baseUrl, { resources: { fetch } });
    await arrived;
    expect((await passingTime(failed)).class).toBe('server-error');
  });

  it('is cancelled where somebody else gives the request up', async () => {
    const failure = await failureAt('http://127.0.0.1:9/v1', {
      resources: {
        fetch: () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')),
      },
    });
    expect([failure.class, failure.retryable]).toEqual(['cancelled', false]);
  });

  it('refuses what is no base URL, and one with secrets in it', () => {
    const refused = [
      ['localhost:8080', 'has to begin with http:// or https://'],
      ['file:///etc/passwd', 'has to begin with http:// or https://'],
      ['nonsense', 'has to begin with http:// or https://'],
      ['http://127.0.0.1:99999/v1', 'has to name a host and a port that there can be'],
      ['https://a b/v1', 'has to name a host and a port that there can be'],
      ['http://me:secret@127.0.0.1/v1', 'must not have a user name or a password'],
      ['http://127.0.0.1/v1?key=secret', 'must not have a query or a fragment'],
    ] as const;
    for (const [baseUrl, words] of refused) {
      const create = () =>
        createOpenAiModel(
          { provider: 'openai', model: 'm' },
          'openai:m',
          modelResources({ settings: { baseUrl } }),
        );
      expect(create).toThrow(ModelFailure);
      expect(create).toThrow(`The base URL ${words}, such as http://127.0.0.1:8080/v1.`);
    }
  });

  it('takes a base URL without a path, or with a slash at its end', async () => {
    const server = await openServer();
    for (const baseUrl of [
      server.origin,
      `${server.origin}/`,
      `${server.baseUrl}/`,
      `${server.baseUrl}/chat/completions`,
    ]) {
      const model = createOpenAiModel(
        { provider: 'openai', model: 'test-model' },
        'openai:test-model',
        modelResources({ settings: { baseUrl, encoding: 'free' } }),
      );
      expect((await askModel(model)).text).toBe('Hello there.');
    }
  });
});
