/** A planted key shows up nowhere: not in messages, notices, replies, nor in what the library writes or throws. */
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ModelFailure, modelFailureClasses } from '../../../../client/src/runtime/model';
import { type Answer, errorInfo } from '../../../support/geminiServer';
import { type Answered, ask, geminiModel, keySource, plantedKey, startServer } from './geminiHarness';

const encoded = encodeURIComponent(plantedKey);

/** All of an answer that somebody could see, causes of failures and their stacks included. */
function seen(answered: Answered): string {
  return inspect(answered, { depth: 20, maxStringLength: null, showHidden: true });
}

function expectHidden(answered: Answered): void {
  expect(seen(answered)).not.toContain(plantedKey);
  expect(seen(answered)).not.toContain(encoded);
}

const echoes: readonly (readonly [string, Answer])[] = [
  [
    'an error that quotes it',
    {
      kind: 'error',
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: `Bad key ${plantedKey} or ${encoded}.`,
      details: [errorInfo('API_KEY_INVALID')],
    },
  ],
  [
    'a page that quotes it',
    {
      kind: 'bytes',
      status: 500,
      headers: { 'content-type': 'text/html', 'x-echo': plantedKey },
      pieces: [plantedKey],
    },
  ],
  [
    'an error in the stream',
    {
      kind: 'bytes',
      pieces: [`data: {"error":{"code":500,"message":"${plantedKey}","status":"INTERNAL"}}\n\n`],
    },
  ],
  ['an event that is no JSON', { kind: 'bytes', pieces: [`data: {"x${plantedKey}\n\n`] }],
  ['a stream that is cut', { kind: 'bytes', pieces: [`data: {"x": "${plantedKey}`] }],
  [
    'a reply that quotes it',
    { kind: 'reply', text: `It is ${plantedKey}, or ${encoded}.`, thinking: `Its ${plantedKey} ` },
  ],
  ['a reply that quotes it in pieces', { kind: 'reply', text: '', pieces: [...`a ${plantedKey} b`] }],
  ['a finish reason', { kind: 'reply', text: 'x', finish: plantedKey }],
  [
    'a blocked prompt',
    { kind: 'bytes', pieces: [`data: {"promptFeedback":{"blockReason":"${plantedKey}"}}\n\n`] },
  ],
];

describe('a key of Gemini', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each(echoes)('is hidden in %s', async (_what, answer) => {
    const server = await startServer({ answer });
    const answered = await ask(geminiModel(server), { prompt: `Say ${plantedKey}.` });
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe(plantedKey);
    expectHidden(answered);
    expect(answered.request?.headers['x-goog-api-key']).toBe('$GEMINI_API_KEY');
    expect(seen(answered)).toContain('[key]');
  });

  it('is hidden in a reply that is otherwise as it was', async () => {
    const server = await startServer({
      answer: { kind: 'reply', text: '', pieces: ['It is ', ...plantedKey, ' AIza', 'x.'] },
    });
    expect((await ask(geminiModel(server))).text).toBe('It is [key] AIzax.');
  });

  it.each([`${plantedKey}\n-more`, `${plantedKey} ü`, `${plantedKey}\u0000`, `auth_tokens/${plantedKey}`])(
    'that can be none is refused without being quoted: %j',
    async (key) => {
      const server = await startServer();
      const answered = await ask(geminiModel(server, { resources: { keys: keySource(key) } }));
      expect(answered.failure).toMatchObject({ class: 'authentication' });
      expectHidden(answered);
      expect(server.requests).toEqual([]);
    },
  );

  it('is hidden where the connection fails', async () => {
    const fetch = async () => {
      throw new TypeError(`fetch failed for ${plantedKey}`, { cause: new Error(plantedKey) });
    };
    const answered = await ask(geminiModel({ baseUrl: 'http://127.0.0.1:1' }, { resources: { fetch } }));
    expect(answered.failure).toMatchObject({ class: 'connection' });
    expectHidden(answered);
  });

  it('is taken from the source of keys alone, and the library says nothing', async () => {
    const server = await startServer();
    const stray = 'AIzaSyStrayKeyOfTheEnvironment';
    vi.stubEnv('GEMINI_API_KEY', stray);
    vi.stubEnv('GOOGLE_API_KEY', `${stray}2`);
    vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'stray-project');
    const written = (['log', 'debug', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name),
    );
    expect(await ask(geminiModel(server))).toMatchObject({ text: 'Hello there.', failure: undefined });
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe(plantedKey);
    for (const spy of written) expect(spy).not.toHaveBeenCalled();
  });

  it('has failures of classes that there are', async () => {
    const server = await startServer({ answer: { kind: 'reset' } });
    const failure: ModelFailure | undefined = (await ask(geminiModel(server))).failure;
    expect(modelFailureClasses).toContain(failure?.class);
  });
});
