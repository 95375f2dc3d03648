/** Keys of any kind, and secrets in base URLs: what can't be a key is sent nowhere, and none is told to anybody. */
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { keyProblem } from '../../../client/src/hosts/storedKeys';
import type { ModelSettings } from '../../../client/src/models/modelSettings';
import { createModel } from '../../../client/src/models/registry';
import { ModelFailure } from '../../../client/src/runtime/model';
import { curlCommand } from '../../../client/src/views/exchanges/requestCommand';
import { askModel } from '../../support/askedModel';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Asks with a key; the network echoes it in every way of an answer. */
async function asked(name: string, key: string, settings: ModelSettings, answer: (key: string) => Response) {
  const sent: string[] = [];
  const refused: (string | undefined)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const headers = new Headers(init?.headers);
    sent.push(headers.get('authorization') ?? headers.get('x-goog-api-key') ?? '');
    return answer(key);
  };
  const keys = {
    get: async () => key,
    advice: () => 'Set it anew.',
    refused: async (_: unknown, one: string | undefined) => {
      refused.push(one);
    },
  };
  const model = createModel(name, {
    asker: { ask: async () => undefined },
    environment: 'manual',
    sha256,
    keys,
    fetch,
    settings: { decoding: 'free', encoding: 'free', requestRetries: 0, ...settings },
  });
  const result = await askModel(model);
  return { sent, refused, result };
}

const models = [
  ['openai:m', { baseUrl: 'https://models.invalid/v1' }],
  ['gemini:m', { baseUrl: 'https://models.invalid' }],
] as const;

const echo = (text: string) => ({ message: `Bad key ${text} (${encodeURIComponent(text)}).`, code: text });
const answers: readonly ((key: string) => Response)[] = [
  (key) =>
    Response.json({ error: echo(key) }, { status: 401, headers: { 'x-key': encodeURIComponent(key) } }),
  (key) => new Response(`Bad key ${key}.`, { status: 500 }),
  (key) => new Response(`data: ${JSON.stringify({ error: echo(key) })}\n\n`, { headers: eventStream }),
  (key) =>
    new Response(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: key } }] })}\n\n`, {
      headers: eventStream,
    }),
  (key) => {
    throw new TypeError('fetch failed', { cause: new Error(`with ${key}`) });
  },
];
const eventStream = { 'content-type': 'text/event-stream' };

describe('a text that can be no key', () => {
  it.each([
    'planted\nx-other: 1',
    'planted\r\n\r\nGET / HTTP/1.1',
    'two planted words',
    'planted\u0000',
    'planted-schlüssel',
    'planted-\ud800',
    'planted-🔑',
    `planted${'x'.repeat(100_000)}`,
  ])('is sent to nobody, refused and told to nobody: %j', async (key) => {
    const said: unknown[] = [];
    for (const method of ['log', 'debug', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((...given) => void said.push(given));
    for (const [name, settings] of models) {
      const { sent, refused, result } = await asked(name, key, settings, () => Response.json({}));
      expect(sent).toEqual([]);
      expect(refused).toEqual([key]);
      expect(result.failure).toMatchObject({ class: 'authentication', retryable: false });
      expect(inspect([result, said], { depth: 20, maxStringLength: null, showHidden: true })).not.toContain(
        'planted',
      );
    }
    expect(keyProblem(key)).toMatch(/copy it alone/);
  });
});

describe('a strange key', () => {
  it.each([
    `"planted"'`,
    'planted$&$1$$',
    'planted\\n\\"',
    '[planted](.*)+?^$|{}',
    '__proto__planted',
    'planted%2Fplanted%',
    "planted'; rm -rf ~ #",
    'planted`$(id)`',
    `planted${'a'.repeat(8_000)}`,
  ])('is sent as it is, and told to nobody: %j', async (text) => {
    const key = text.replaceAll(' ', '_');
    for (const [name, settings] of models) {
      for (const answer of answers) {
        const { sent, result } = await asked(name, key, settings, answer);
        expect(sent.every((one) => one.endsWith(key))).toBe(true);
        expect(sent.length).toBeGreaterThan(0);
        const commands = result.requests.map((request) => curlCommand(request));
        const all = inspect([result, commands], { depth: 20, maxStringLength: null, showHidden: true });
        expect([name, answers.indexOf(answer), all.includes('planted')]).toEqual([
          name,
          answers.indexOf(answer),
          false,
        ]);
      }
    }
    expect(keyProblem(key)).toBeUndefined();
  });
});

describe('a secret in a base URL', () => {
  it.each([
    'https://planted@models.invalid/v1',
    'https://user:planted@models.invalid/v1',
    'https://models.invalid/v1?key=planted',
    'https://models.invalid/v1#planted',
    'user:planted@models.invalid',
    'https//user:planted@models.invalid',
    'ftp://user:planted@models.invalid',
  ])('is refused, and not shown: %s', (baseUrl) => {
    for (const name of ['openai:m', 'ollama:m', 'gemini:m']) {
      let thrown: unknown;
      try {
        createModel(name, {
          asker: { ask: async () => undefined },
          environment: 'manual',
          sha256,
          settings: { baseUrl },
        });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ModelFailure);
      expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('planted');
    }
  });
});
