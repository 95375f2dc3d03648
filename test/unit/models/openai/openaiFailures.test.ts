/** Each class of failure, on the wire. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KeySource } from '../../../../client/src/models/modelResources';
import { createOpenAiModel } from '../../../../client/src/models/openai/openaiModel';
import { askModel, modelResources } from '../../../support/askedModel';
import { openAiError } from '../../../support/openaiDialects';
import { closeServers, failureAt, failureOf, modelAt, openServer, seen } from './askedServer';

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeServers();
});

const key = 'sk-planted-0123456789';

function keySource(keys: readonly (string | undefined)[]): KeySource & { readonly calls: string[] } {
  const calls: string[] = [];
  let given = 0;
  return {
    calls,
    get: async ({ origin, required }) => {
      calls.push(`get ${required}`);
      expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      return keys[Math.min(given++, keys.length - 1)];
    },
    advice: () => 'Set OPENAI_API_KEY.',
    refused: async (_, sent) => {
      calls.push(`refused ${sent}`);
    },
  };
}

describe('a failure of an OpenAI model', () => {
  it('is authentication where the key is not taken, and the key is forgotten', async () => {
    const { baseUrl } = await openServer({ key: 'sk-right-one-0123' });
    const keys = keySource([key]);
    const failure = await failureAt(baseUrl, { resources: { keys } });
    expect(seen(failure)).toEqual({
      class: 'authentication',
      retryable: false,
      message:
        "The server at http://HOST doesn't take the key (Incorrect API key provided: [key]. You can find your API key in your account). Set OPENAI_API_KEY.",
    });
    expect(keys.calls.at(-1)).toBe(`refused ${key}`);
  });

  it('is authentication where the server asks for a key and there is none', async () => {
    const { baseUrl } = await openServer({ key, dialect: 'llama.cpp' });
    const keys = keySource([undefined]);
    const failure = await failureAt(baseUrl, { provider: 'llama.cpp', resources: { keys } });
    expect(seen(failure)).toEqual({
      class: 'authentication',
      retryable: false,
      message: 'llama.cpp at http://HOST asks for a key (Invalid API Key). Set OPENAI_API_KEY.',
    });
    expect(keys.calls).toEqual(['get false', 'get true']);
  });

  it('is none where somebody gives a key that a server asks for', async () => {
    const server = await openServer({ key, answer: { kind: 'reply', text: 'Yes.' } });
    const keys = keySource([undefined, key]);
    const asked = await askModel(
      createOpenAiModel(
        { provider: 'openai', model: 'test-model' },
        'openai:test-model',
        modelResources({ settings: { baseUrl: server.baseUrl, encoding: 'free' }, keys }),
      ),
    );
    expect([asked.text, asked.failure, asked.retries.map((retry) => retry.class)]).toEqual([
      'Yes.',
      undefined,
      ['authentication'],
    ]);
  });

  it('is none for several requests at once that have no key when the server asks for one', async () => {
    const server = await openServer({ key, answer: { kind: 'reply', text: 'Yes.' } });
    const refused: unknown[] = [];
    const keys: KeySource = {
      get: async ({ required }) => (required ? key : undefined),
      advice: () => '',
      refused: async (_, sent) => {
        refused.push(sent);
      },
    };
    const model = modelAt(server.baseUrl, { resources: { keys } });
    const all = await Promise.all([1, 2, 3, 4].map(() => askModel(model)));
    expect(all.map(({ text, failure }) => [text, failure])).toEqual(all.map(() => ['Yes.', undefined]));
    expect(refused).toEqual([]);
  });

  it('is told of the key that was sent, whatever there is by then', async () => {
    const { baseUrl } = await openServer({ key: 'sk-right-one-0123' });
    const keys = keySource(['sk-first-0123456', 'sk-second-012345']);
    await failureAt(baseUrl, { resources: { keys } });
    expect(keys.calls.filter((call) => call.startsWith('refused'))).toEqual(['refused sk-first-0123456']);
  });

  it('is authentication where OpenAI has no key, without a request', async () => {
    const resources = modelResources({
      settings: { encoding: 'free' },
      keys: { get: async () => undefined, advice: () => 'Set OPENAI_API_KEY.' },
      fetch: () => Promise.reject(new Error('A request')),
    });
    const model = createOpenAiModel({ provider: 'openai', model: 'm' }, 'openai:m', resources);
    const prepared = model.prepare?.(new AbortController().signal);
    await expect(prepared).rejects.toMatchObject({
      class: 'authentication',
      message: 'A key for OpenAI is needed. Set OPENAI_API_KEY.',
    });
  });

  it('is authentication for a key that no header can hold', async () => {
    const { baseUrl } = await openServer();
    const keys = keySource(['schlüssel\nX-Other: 1']);
    expect(seen(await failureAt(baseUrl, { resources: { keys } }))).toEqual({
      class: 'authentication',
      retryable: false,
      message:
        'What was given as key for the server at http://HOST is none: no key has the character ü (U+00FC) in it. Set OPENAI_API_KEY.',
    });
  });

  it('is bad-request for variables that no header can hold', async () => {
    const fetch = () => Promise.reject(new Error('A request'));
    const keys = { get: async () => key, advice: () => '' };
    for (const name of ['OPENAI_ORG_ID', 'OPENAI_CUSTOM_HEADERS']) {
      vi.stubEnv(name, 'x: a\u0000b\u2603');
      const failure = await failureAt('https://api.openai.com/v1', { resources: { fetch, keys } });
      expect([name, failure.class, failure.retryable]).toEqual([name, 'bad-request', false]);
      expect(failure.message).toContain('the variables that begin with OPENAI_');
      vi.unstubAllEnvs();
    }
  });

  it('is permission where the key may not', async () => {
    const error = openAiError(
      'Country, region, or territory not supported.',
      'request_forbidden',
      'unsupported_country',
    );
    expect(seen(await failureOf({ kind: 'error', status: 403, error }))).toEqual({
      class: 'permission',
      retryable: false,
      message:
        "The server at http://HOST doesn't allow this (Country, region, or territory not supported): look at what the key and its project may do.",
    });
  });

  it('is no-such-model in the words of each server', async () => {
    const advice = {
      openai: 'Choose one of its list of models.',
      ollama: '`ollama pull nothing:7b` fetches it.',
      'llama.cpp': 'Start `llama-server` with it: `-m <model.gguf>`.',
      vllm: 'Start it with `vllm serve nothing:7b`.',
      'lm-studio': '`lms get nothing:7b` fetches it.',
    };
    const title = {
      openai: 'The server',
      ollama: 'Ollama',
      'llama.cpp': 'llama.cpp',
      vllm: 'vLLM',
      'lm-studio': 'LM Studio',
    };
    for (const dialect of ['openai', 'ollama', 'llama.cpp', 'vllm', 'lm-studio'] as const) {
      const { baseUrl } = await openServer({ dialect });
      expect(seen(await failureAt(baseUrl, { provider: dialect, model: 'nothing:7b' }))).toEqual({
        class: 'no-such-model',
        retryable: false,
        message: `${title[dialect]} at http://HOST has no model "nothing:7b". ${advice[dialect]}`,
      });
    }
  });

  it('is no-such-model with the other statuses that servers have for it', async () => {
    const words: readonly [number, object | string][] = [
      [404, openAiError('model "x" not found, try pulling it first', 'api_error')],
      [400, { error: { code: 400, message: 'model not found', type: 'invalid_request_error' } }],
      [400, openAiError('invalid model ID', 'invalid_request_error')],
      [
        403,
        openAiError(
          'Project `p` does not have access to model `x`',
          'invalid_request_error',
          'model_not_found',
        ),
      ],
      [404, { error: 'No models loaded. Please load a model in the developer page.' }],
      [404, { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 }],
    ];
    for (const [status, error] of words) {
      expect((await failureOf({ kind: 'error', status, error })).class).toBe('no-such-model');
    }
  });

  it('is bad-request where the base URL has no chat', async () => {
    const { origin } = await openServer();
    expect(seen(await failureAt(`${origin}/api`))).toEqual({
      class: 'bad-request',
      retryable: false,
      message:
        'The server at http://HOST has no Chat Completions at http://HOST/api (Invalid URL (POST /api/chat/completions)): correct the base URL, which mostly ends with /v1.',
    });
  });

  it('is rate-limit, with the time that the server asks to wait', async () => {
    const error = openAiError('Rate limit reached for requests', 'requests', 'rate_limit_exceeded');
    const message =
      'The server at http://HOST takes no more requests for now (Rate limit reached for requests): go on later, or ask less often.';
    const now = Date.UTC(2026, 0, 1);
    const waiting = { now: () => now, random: () => 0, wait: () => Promise.reject(new Error('A wait')) };
    const times: readonly [Record<string, string>, number | undefined][] = [
      [{ 'retry-after': '7' }, 7_000],
      [{ 'retry-after': '1.5' }, 1_500],
      [{ 'retry-after': new Date(now + 30_000).toUTCString() }, 30_000],
      [{ 'retry-after': new Date(now - 30_000).toUTCString() }, undefined],
      [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
      [{ 'retry-after': 'soon' }, undefined],
      [{ 'retry-after': '-1' }, undefined],
      [{}, undefined],
    ];
    for (const [headers, retryAfter] of times) {
      const failure = await failureOf(
        { kind: 'error', status: 429, error, headers },
        { resources: { waiting } },
      );
      expect([headers, seen(failure)]).toEqual([
        headers,
        { class: 'rate-limit', retryable: true, message, ...(retryAfter !== undefined && { retryAfter }) },
      ]);
    }
  });

  it('is quota where waiting does not help', async () => {
    const spent = openAiError('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota');
    expect(seen(await failureOf({ kind: 'error', status: 429, error: spent }))).toEqual({
      class: 'quota',
      retryable: false,
      message:
        'The account at the server at http://HOST has nothing left to spend (You exceeded your current quota): look at its plan and its bill.',
    });
    const broke = openAiError('Insufficient Balance', 'unknown_error');
    expect((await failureOf({ kind: 'error', status: 402, error: broke })).class).toBe('quota');
  });

  it('is context-length with the counts of each server', async () => {
    for (const dialect of ['openai', 'llama.cpp', 'vllm'] as const) {
      const { baseUrl } = await openServer({ dialect, contextTokens: 20 });
      const failure = await failureAt(baseUrl, { provider: dialect, prompt: 'a long story '.repeat(20) });
      expect([dialect, failure.class, failure.retryable]).toEqual([dialect, 'context-length', false]);
      expect(failure.message).toContain('is too long for "test-model"');
      expect(failure.message).toContain(': 65 tokens of at most 20. ');
    }
  });

  it('is context-length in other words too, and not for a limit that is too high', async () => {
    const long = openAiError(
      'Input tokens exceed the configured limit of 272000 tokens, context_length',
      'x',
      'context_length_exceeded',
    );
    expect((await failureOf({ kind: 'error', status: 400, error: long })).class).toBe('context-length');
    const old = openAiError(
      'the request exceeds the available context size. try increasing it',
      'server_error',
      500,
    );
    expect((await failureOf({ kind: 'error', status: 500, error: old })).class).toBe('context-length');
    const limit = openAiError(
      "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens.",
      'BadRequestError',
      400,
    );
    expect((await failureOf({ kind: 'error', status: 400, error: limit })).class).toBe('bad-request');
  });

  it('is content-filter where a reply is withheld', async () => {
    const stopped = await failureOf({ kind: 'reply', text: 'It is', finish: 'content_filter' });
    expect(seen(stopped)).toEqual({
      class: 'content-filter',
      retryable: false,
      message:
        'The content filter of the server at http://HOST stopped the reply of "test-model": look at what the prompt and the state say.',
    });
    const refused = await failureOf({ kind: 'reply', text: '', refusal: "I can't help with that." });
    expect(refused.class).toBe('content-filter');
    expect(refused.message).toContain("refuses to answer (I can't help with that.)");
    const azure = openAiError(
      'The response was filtered.',
      'invalid_request_error',
      'content_filter',
      'prompt',
    );
    expect((await failureOf({ kind: 'error', status: 400, error: azure })).class).toBe('content-filter');
  });

  it('comes with what the reply took, where the server reported it', async () => {
    const usage = { prompt_tokens: 5_000, completion_tokens: 1_000, total_tokens: 6_000 };
    const taken = { prompt: 5_000, completion: 1_000 };
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' } }], usage });
    for (const answer of [
      { kind: 'reply', text: 'It is', finish: 'content_filter', usage },
      { kind: 'reply', text: '', refusal: 'No.', usage },
      // Cut off, and an error in the middle.
      { kind: 'bytes', pieces: [`data: ${chunk}\n\n`] },
      { kind: 'bytes', pieces: [`data: ${chunk}\n\ndata: {"error":{"message":"Overloaded."}}\n\n`] },
    ] as const) {
      const server = await openServer({ answer });
      const asked = await askModel(modelAt(server.baseUrl), { prompt: 'What now?' });
      expect(asked.failure).toBeDefined();
      expect(asked.usage).toEqual([taken]);
    }
  });

  it('is server-error, in few words where it is a web page', async () => {
    expect(
      seen(await failureOf({ kind: 'error', status: 500, error: openAiError('It broke.', 'server_error') })),
    ).toEqual({
      class: 'server-error',
      retryable: true,
      message: 'The server at http://HOST failed with status 500 (It broke): try again later.',
    });
    const page =
      '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>';
    const failure = await failureOf({
      kind: 'error',
      status: 502,
      text: page,
      headers: { 'content-type': 'text/html' },
    });
    expect(seen(failure).message).toBe(
      'The server at http://HOST failed with status 502 (502 Bad Gateway): try again later.',
    );
    const loading = { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } };
    expect(seen(await failureOf({ kind: 'error', status: 503, error: loading }))).toEqual({
      class: 'server-error',
      retryable: true,
      message: 'The server at http://HOST is still loading its model: try again in a moment.',
    });
    expect((await failureOf({ kind: 'error', status: 501, text: '' })).retryable).toBe(false);
  });

  it('has no words for an error that nests deeper than anybody reads', async () => {
    const deep = `{"error":{"message":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const failure = await failureOf({ kind: 'error', status: 400, text: deep });
    expect(seen(failure).message).toBe('The server at http://HOST refuses the request with status 400.');
  });

  it('is bad-request with the parameter that is wrong', async () => {
    const error = openAiError(
      "Invalid value: 'huge'.",
      'invalid_request_error',
      'invalid_value',
      'reasoning_effort',
    );
    const failure = await failureOf(
      { kind: 'error', status: 400, error },
      { settings: { reasoningEffort: 'huge' } },
    );
    expect(seen(failure)).toEqual({
      class: 'bad-request',
      retryable: false,
      message: `The server at http://HOST refuses the request's "reasoning_effort" with status 400 (Invalid value: 'huge').`,
    });
    const pydantic = { detail: [{ loc: ['body', 'messages'], msg: 'field required', type: 'missing' }] };
    expect((await failureOf({ kind: 'error', status: 422, error: pydantic })).message).toContain(
      'field required',
    );
  });

  it('is bad-request for a redirection, which would carry a key elsewhere', async () => {
    const elsewhere = await openServer();
    const { baseUrl, requests } = await openServer({
      answer: {
        kind: 'error',
        status: 308,
        text: '',
        headers: { location: `${elsewhere.baseUrl}/chat/completions` },
      },
    });
    const failure = await failureAt(baseUrl, { resources: { keys: keySource([key]) } });
    expect([failure.class, failure.retryable]).toEqual(['bad-request', false]);
    expect(failure.message).toContain(`sends requests on to another address "${elsewhere.origin}"`);
    expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    for (const headers of [{}, { location: 'javascript:alert(1)' }]) {
      const { message } = await failureOf({ kind: 'error', status: 302, text: '', headers });
      expect(message).toContain('sends requests on to another address, where no key is sent');
    }
    const headers = { location: '/other/v1?secret=1#2' };
    const within = await failureOf({ kind: 'error', status: 308, text: '', headers });
    expect(within.message).toMatch(
      / another address "http:\/\/127\.0\.0\.1:\d+\/other\/v1", where no key is sent/,
    );
  });
});
