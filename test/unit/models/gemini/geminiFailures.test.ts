/** Gemini's failures by class, as they come over the wire. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { ModelFailureClass } from '../../../../client/src/runtime/model';
import {
  type Answer,
  errorInfo,
  geminiEvents,
  quotaFailure,
  retryInfo,
  startGeminiServer,
} from '../../../support/geminiServer';
import { modelRequest } from '../../../support/modelRequest';
import { advice, ask, geminiModel, keySource, plantedKey, startServer } from './geminiHarness';

const quotaOfDay = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';
const quotaOfMinute = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier';
const spent = 'You exceeded your current quota, please check your plan and billing details.';

interface Expected {
  readonly class: ModelFailureClass;
  readonly retryable: boolean;
  readonly retryAfter?: number;
  readonly message: RegExp;
}

const error = (code: number, status: string, message?: string, details: readonly object[] = []): Answer => ({
  kind: 'error',
  code,
  status,
  details,
  ...(message !== undefined && { message }),
});

const bytesOf = (type: string, text: string): Answer => ({
  kind: 'bytes',
  headers: { 'content-type': type },
  pieces: [text],
});

const refusals: readonly (readonly [string, Answer, Expected])[] = [
  [
    'a key that is not valid',
    error(400, 'INVALID_ARGUMENT', 'API key not valid.', [errorInfo('API_KEY_INVALID')]),
    {
      class: 'authentication',
      retryable: false,
      message: /^Gemini at http.* doesn't take the key \("API key not valid\."\)\. Set GEMINI_API_KEY\.$/,
    },
  ],
  [
    'credentials that are none',
    error(401, 'UNAUTHENTICATED'),
    { class: 'authentication', retryable: false, message: /Set GEMINI_API_KEY/ },
  ],
  [
    'a key that may not do this',
    error(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project 1 before or it is disabled.',
      [errorInfo('SERVICE_DISABLED')],
    ),
    { class: 'permission', retryable: false, message: /has not been used in project 1/ },
  ],
  [
    'a place that is not served',
    error(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    { class: 'permission', retryable: false, message: /User location is not supported/ },
  ],
  [
    'requests of a minute that are used up',
    error(429, 'RESOURCE_EXHAUSTED', spent, [quotaFailure(quotaOfMinute, '10'), retryInfo('38.5s')]),
    { class: 'rate-limit', retryable: true, retryAfter: 38_500, message: /takes no more requests for now/ },
  ],
  [
    'a rate limit without details',
    { kind: 'error', code: 429, status: 'RESOURCE_EXHAUSTED', headers: { 'retry-after': '7' } },
    { class: 'rate-limit', retryable: true, retryAfter: 7_000, message: /go on later/ },
  ],
  [
    'requests of a day that are used up',
    error(429, 'RESOURCE_EXHAUSTED', spent, [
      quotaFailure(quotaOfMinute, '10'),
      quotaFailure(quotaOfDay, '250'),
      retryInfo('38s'),
    ]),
    {
      class: 'quota',
      retryable: false,
      message: /used up \("GenerateRequestsPerDay.*: 250"\): go on tomorrow/,
    },
  ],
  [
    'an allowance of nothing',
    error(429, 'RESOURCE_EXHAUSTED', spent, [
      quotaFailure('GenerateContentInputTokensPerModelPerMinute-FreeTier', '0'),
      retryInfo('1s'),
    ]),
    { class: 'quota', retryable: false, message: /another model or plan/ },
  ],
  [
    'a busy model',
    error(503, 'UNAVAILABLE', 'The model is overloaded.'),
    { class: 'server-error', retryable: true, message: /503 \("The model is overloaded\."\)/ },
  ],
  [
    'an error inside',
    error(500, 'INTERNAL'),
    { class: 'server-error', retryable: true, message: /status 500/ },
  ],
  [
    'a deadline',
    error(504, 'DEADLINE_EXCEEDED'),
    { class: 'timeout', retryable: true, message: /ran out of time/ },
  ],
  [
    'a request that was given up there',
    error(499, 'CANCELLED'),
    { class: 'cancelled', retryable: true, message: /gave the request up/ },
  ],
  [
    'a prompt that is too long',
    error(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    ),
    { class: 'context-length', retryable: false, message: /: 1200293 tokens of at most 1048576\./ },
  ],
  [
    'a prompt that is too long on Vertex AI',
    error(
      400,
      'INVALID_ARGUMENT',
      'Unable to submit request because the input token count is 200000 but the model only supports up to 131072. Reduce the input token count and try again.',
    ),
    { class: 'context-length', retryable: false, message: /: 200000 tokens of at most 131072\./ },
  ],
  [
    'another wrong argument',
    error(400, 'INVALID_ARGUMENT', 'Thinking is not enabled\n for models/gemini-2.5-flash'),
    {
      class: 'bad-request',
      retryable: false,
      message: /status 400 \("Thinking is not enabled for models\/gemini-2.5-flash"\)\.$/,
    },
  ],
  [
    'an error in an array, as it comes without an event stream',
    {
      kind: 'bytes',
      status: 503,
      headers: { 'content-type': 'application/json' },
      pieces: [JSON.stringify([{ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }])],
    },
    { class: 'server-error', retryable: true, message: /Busy\./ },
  ],
  [
    'a gateway’s page',
    {
      kind: 'bytes',
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: ['<html>Bad gateway</html>'],
    },
    { class: 'server-error', retryable: true, message: /failed with status 502: go on later\.$/ },
  ],
  [
    'a page that says to be JSON',
    { kind: 'bytes', status: 503, headers: { 'content-type': 'application/json' }, pieces: ['<html>'] },
    { class: 'server-error', retryable: true, message: /status 503/ },
  ],
  [
    'an error whose body breaks off',
    {
      kind: 'bytes',
      status: 429,
      headers: { 'content-length': '500', 'retry-after': '3' },
      pieces: ['{"error"'],
      ends: 'cut',
    },
    { class: 'rate-limit', retryable: true, retryAfter: 3_000, message: /for now/ },
  ],
  [
    'an address that is none',
    { kind: 'bytes', status: 404, headers: { 'content-type': 'text/html' }, pieces: ['no'] },
    { class: 'bad-request', retryable: false, message: /look at the base URL/ },
  ],
  [
    'an error in the middle of a stream',
    {
      kind: 'bytes',
      pieces: [
        ...geminiEvents({ text: 'Hello there.', finish: null }),
        'data: {"error": {"code": 503, "message": "The service is currently unavailable.", "status": "UNAVAILABLE"}}\n\n',
      ],
    },
    { class: 'server-error', retryable: true, message: /currently unavailable/ },
  ],
  [
    'an error without a code in the middle of a stream',
    {
      kind: 'bytes',
      pieces: [
        ...geminiEvents({ text: 'Hi', finish: null }),
        'data: {"error": {"message": "It broke."}}\r\n\r\n',
      ],
    },
    { class: 'server-error', retryable: true, message: /It broke\./ },
  ],
  [
    'an error that comes with a status of success',
    {
      kind: 'bytes',
      headers: { 'content-type': 'application/json' },
      pieces: [
        JSON.stringify({
          error: { code: 429, message: 'Slowly.', status: 'RESOURCE_EXHAUSTED', details: [retryInfo('2s')] },
        }),
      ],
    },
    { class: 'rate-limit', retryable: true, retryAfter: 2_000, message: /Slowly\./ },
  ],
  [
    'a page with a status of success',
    { kind: 'bytes', headers: { 'content-type': 'text/html' }, pieces: ['<html>Sign in</html>\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no stream of events, but "text\/html"/ },
  ],
  [
    'nothing at all',
    { kind: 'bytes', pieces: [] },
    { class: 'malformed-stream', retryable: true, message: /no candidate/ },
  ],
  [
    'an empty answer',
    { kind: 'bytes', status: 204, pieces: [] },
    { class: 'malformed-stream', retryable: true, message: /cut off|no candidate|no stream/ },
  ],
  [
    'no candidates',
    { kind: 'bytes', pieces: ['data: {"candidates": [], "usageMetadata": {"promptTokenCount": 3}}\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no candidate/ },
  ],
  [
    'candidates that are no list',
    { kind: 'bytes', pieces: ['data: {"candidates": {"0": 1}}\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no list/ },
  ],
  [
    'parts that are no list',
    { kind: 'bytes', pieces: ['data: {"candidates": [{"content": {"parts": "x"}}]}\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no list/ },
  ],
  [
    'an event that is no JSON',
    { kind: 'bytes', pieces: ['data: {"cand\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no JSON/ },
  ],
  [
    'the mark of another protocol',
    { kind: 'bytes', pieces: [...geminiEvents({ text: 'Hi', finish: null }), 'data: [DONE]\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /no JSON/ },
  ],
  [
    'an event that is null',
    { kind: 'bytes', pieces: ['data: null\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /Gemini/ },
  ],
  [
    'events that are no objects',
    { kind: 'bytes', pieces: ['data: 5\n\ndata: "x"\n\n'] },
    { class: 'malformed-stream', retryable: true, message: /Gemini/ },
  ],
  [
    'a list in place of a stream',
    bytesOf(
      'application/json',
      '[{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}]',
    ),
    { class: 'malformed-stream', retryable: true, message: /no stream of events, but "application\/json"/ },
  ],
  [
    'a list that has an error',
    bytesOf('application/json', '[{"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}]'),
    { class: 'server-error', retryable: true, message: /Busy\./ },
  ],
  [
    'an event of another name that has an error',
    bytesOf(
      'text/event-stream',
      'event: error\ndata: {"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}\n\n',
    ),
    { class: 'server-error', retryable: true, message: /Busy\./ },
  ],
  [
    'a candidate that is none',
    bytesOf('text/event-stream', 'data: {"candidates":[null]}\n\n'),
    { class: 'malformed-stream', retryable: true, message: /cut off/ },
  ],
  [
    'a part that is none',
    bytesOf('text/event-stream', 'data: {"candidates":[{"content":{"parts":[null]}}]}\n\n'),
    { class: 'malformed-stream', retryable: true, message: /something else/ },
  ],
  [
    'a connection that is reset',
    { kind: 'reset' },
    { class: 'connection', retryable: true, message: /connection to Gemini at .* failed \(/ },
  ],
  [
    'a body that is shorter than it says',
    {
      kind: 'bytes',
      headers: { 'content-length': '10000' },
      pieces: geminiEvents({ text: 'Hi there', finish: null }),
      ends: 'cut',
    },
    { class: 'malformed-stream', retryable: true, message: /cut off/ },
  ],
  [
    'a body that is longer than it says',
    { kind: 'bytes', headers: { 'content-length': '40' }, pieces: geminiEvents({ text: 'Hi' }) },
    { class: 'malformed-stream', retryable: true, message: /cut off|could not|failed/ },
  ],
];

describe('a failure of Gemini', () => {
  it.each(refusals)('says what it is: %s', async (_what, answer, expected) => {
    const server = await startServer({ answer });
    const answered = await ask(geminiModel(server));
    const { message, ...rest } = expected;
    expect(answered.failure).toMatchObject(rest);
    expect(answered.failure?.message).toMatch(message);
    expect(answered.failure?.message).toMatch(/\.$/);
    expect(answered.failure?.retryAfter).toBe(expected.retryAfter);
    expect(answered.finish).toBeUndefined();
    expect(answered.events.findLast(({ type }) => type !== 'usage')?.type).toBe('response');
    expect(server.requests).toHaveLength(1);
  });

  it('reads when to come back, also as a date', async () => {
    const now = Date.parse('2026-11-30T12:00:00Z');
    const waiting = { wait: async () => {}, random: () => 0, now: () => now };
    const server = await startServer();
    const model = geminiModel(server, { resources: { waiting } });
    const dates = [
      ['Mon, 30 Nov 2026 12:00:05 GMT', 5_000],
      ['Mon, 30 Nov 2026 11:00:00 GMT', undefined],
      ['-5', undefined],
      ['120', 120_000],
      ['soon', undefined],
    ] as const;
    for (const [header, retryAfter] of dates) {
      server.answer({ kind: 'error', code: 503, status: 'UNAVAILABLE', headers: { 'retry-after': header } });
      expect((await ask(model)).failure?.retryAfter).toBe(retryAfter);
    }
  });

  it('is a missing model where there is none of that name', async () => {
    const server = await startServer();
    const { failure } = await ask(geminiModel(server, { model: 'gemini-0' }));
    expect(failure).toMatchObject({ class: 'no-such-model', retryable: false });
    expect(failure?.message).toMatch(
      /has no model "gemini-0" \("models\/gemini-0 is not found.*list of models\.$/,
    );
  });

  it('names the counts of a prompt that is too long', async () => {
    const server = await startServer({ contextTokens: 3 });
    const { failure } = await ask(geminiModel(server), { prompt: 'a'.repeat(40) });
    expect(failure?.message).toMatch(
      /^The prompt is too long for "gemini-2.5-flash" .*: 10 tokens of at most 3\./,
    );
  });

  it.each([
    [
      'SAFETY',
      [
        { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true },
        { category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' },
      ],
      'SAFETY: HARM_CATEGORY_DANGEROUS_CONTENT',
    ],
    ['RECITATION', undefined, 'RECITATION'],
    ['PROHIBITED_CONTENT', undefined, 'PROHIBITED_CONTENT'],
    ['BLOCKLIST', undefined, 'BLOCKLIST'],
    ['SPII', undefined, 'SPII'],
  ] as const)('is the content filter where a reply ends by %s', async (finish, safetyRatings, named) => {
    const server = await startServer({
      answer: { kind: 'reply', text: 'Half a', finish, ...(safetyRatings && { safetyRatings }) },
    });
    const { failure, usage } = await ask(geminiModel(server));
    expect(failure).toMatchObject({ class: 'content-filter', retryable: false });
    expect(usage).toMatchObject({ prompt: expect.any(Number), completion: expect.any(Number) });
    expect(failure?.message).toContain(`blocked the reply, since it `);
    expect(failure?.message).toContain(`(${named})`);
  });

  it.each([
    [
      'SAFETY',
      '"safetyRatings":[{"category":"HARM_CATEGORY_HATE_SPEECH","probability":"HIGH","blocked":true}]',
      'SAFETY: HARM_CATEGORY_HATE_SPEECH',
    ],
    ['OTHER', '"x":1', 'OTHER'],
    ['PROHIBITED_CONTENT', '"x":1', 'PROHIBITED_CONTENT'],
    ['SAFETY', '"safetyRatings":null', 'SAFETY'],
    ['SAFETY', '"safetyRatings":"high"', 'SAFETY'],
    ['SAFETY', '"safetyRatings":[null,5,{"blocked":true},{"category":"X","blocked":true}]', 'SAFETY: X'],
  ])('is the content filter where the prompt is blocked by %s', async (reason, more, named) => {
    const pieces = [
      `data: {"promptFeedback":{"blockReason":"${reason}",${more}},"usageMetadata":{"promptTokenCount":9}}\r\n\r\n`,
    ];
    const server = await startServer({ answer: { kind: 'bytes', pieces } });
    const { failure, response, usage } = await ask(geminiModel(server));
    expect(failure).toMatchObject({ class: 'content-filter', retryable: false });
    expect(usage).toEqual({ prompt: 9, completion: 0 });
    expect(failure?.message).toContain('blocked the prompt, since it ');
    expect(failure?.message).toContain(`(${named})`);
    expect(response?.body).toContain('promptFeedback');
  });

  it.each(['OTHER', 'LANGUAGE', 'MALFORMED_FUNCTION_CALL', 'SOMETHING_NEW'])(
    'is none where a reply ends by %s',
    async (finish) => {
      const server = await startServer({ answer: { kind: 'reply', text: 'Half a', finish } });
      expect(await ask(geminiModel(server))).toMatchObject({ text: 'Half a', finish, failure: undefined });
    },
  );

  it('says that nothing came, before the first byte and after it', async () => {
    const server = await startServer({ answer: { kind: 'hang' } });
    const model = geminiModel(server, { settings: { timeout: 0.05 } });
    const expected = { class: 'timeout', retryable: true };
    const before = await ask(model);
    expect(before.failure).toMatchObject(expected);
    expect(before.failure?.message).toMatch(
      /sent nothing for 0\.05 seconds: try again, or raise the timeout\.$/,
    );
    expect(before.response).toEqual({ status: undefined, headers: {}, body: '' });
    server.answer({ kind: 'bytes', pieces: [], ends: 'hang' });
    expect((await ask(model)).failure).toMatchObject(expected);
    server.answer({ kind: 'bytes', pieces: ['data: {'], ends: 'hang' });
    expect((await ask(model)).failure).toMatchObject(expected);
    server.answer({ kind: 'bytes', status: 500, pieces: ['{"err'], ends: 'hang' });
    expect((await ask(model)).failure).toMatchObject({ class: 'server-error' });
    for (const { closed } of server.requests) await expect(closed).resolves.toBe('gone');
  });

  it('lets no time run out while nobody reads', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const server = await startServer({ answer: { kind: 'reply', text: 'one two three four' } });
      const request = modelRequest({ prompt: 'Hi' });
      let text = '';
      for await (const event of geminiModel(server).generate(request, new AbortController().signal)) {
        if (event.type === 'text') text += event.text;
        vi.advanceTimersByTime(1_000_000);
      }
      expect(text).toBe('one two three four');
    } finally {
      vi.useRealTimers();
    }
  });

  it('says where nothing listens', async () => {
    const closed = await startGeminiServer();
    await closed.close();
    const { failure, response } = await ask(geminiModel(closed));
    expect(failure).toMatchObject({ class: 'connection', retryable: true });
    expect(failure?.message).toMatch(
      /^There is no answer from Gemini at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
    );
    expect(response).toEqual({ status: undefined, headers: {}, body: '' });
  });

  it('says that a name can’t be found', async () => {
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) });
    };
    const { failure } = await ask(
      geminiModel({ baseUrl: 'https://gemini.invalid' }, { resources: { fetch } }),
    );
    expect(failure).toMatchObject({ class: 'connection', retryable: true });
    expect(failure?.message).toMatch(/name of Gemini at gemini\.invalid can't be found \(ENOTFOUND\)/);
  });

  it('says that a certificate can’t be trusted', async () => {
    const fetch = async () => {
      const code = 'SELF_SIGNED_CERT_IN_CHAIN';
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) });
    };
    const { failure } = await ask(
      geminiModel({ baseUrl: 'https://gemini.invalid' }, { resources: { fetch } }),
    );
    expect(failure).toMatchObject({ class: 'connection', retryable: false });
    expect(failure?.message).toMatch(/NODE_EXTRA_CA_CERTS/);
  });

  it('asks for a key where there is none, before anything is sent', async () => {
    const server = await startServer();
    for (const key of ['', '  ', undefined]) {
      const keys = { ...keySource(), get: async () => key };
      const model = geminiModel(server, { resources: { keys } });
      const expected = {
        class: 'authentication',
        retryable: false,
        message: `A key for Gemini at ${server.baseUrl} is needed. ${advice}`,
      };
      await expect(model.prepare?.(new AbortController().signal)).rejects.toMatchObject(expected);
      expect((await ask(model)).failure).toMatchObject(expected);
    }
    expect(server.requests).toEqual([]);
  });

  it('has a refused key forgotten', async () => {
    const server = await startServer({ key: 'AIzaSyTheRightKey' });
    const keys = keySource();
    const { failure } = await ask(geminiModel(server, { resources: { keys } }));
    expect(failure).toMatchObject({ class: 'authentication' });
    expect(keys.refusals).toEqual([server.baseUrl]);
  });

  it('follows no redirection, where the key would go elsewhere', async () => {
    const seen: unknown[] = [];
    const elsewhere = createServer((message, response) => {
      seen.push(message.headers['x-goog-api-key']);
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const headers = { location: `http://127.0.0.1:${port}/v1beta/models` };
    const server = await startServer({
      key: plantedKey,
      answer: { kind: 'bytes', status: 307, headers, pieces: [] },
    });
    const { failure } = await ask(geminiModel(server));
    await new Promise((resolve) => elsewhere.close(resolve));
    expect(failure).toMatchObject({ class: 'bad-request', retryable: false });
    expect(failure?.message).toMatch(/sends requests on to another address \(307\)/);
    expect(seen).toEqual([]);
  });
});
