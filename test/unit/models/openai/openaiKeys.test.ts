/** A planted key is in nothing that the provider tells. */
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyOwner, KeySource } from '../../../../client/src/models/modelResources';
import { type AskedModel, askModel } from '../../../support/askedModel';
import { openAiError } from '../../../support/openaiDialects';
import type { Answering } from '../../../support/openaiServer';
import { closeServers, modelAt, openServer } from './askedServer';

const key = 'sk-planted/0123+456"789';
const inUrl = encodeURIComponent(key);

const owners: KeyOwner[] = [];
const keys: KeySource = {
  get: async (owner) => {
    owners.push(owner);
    return key;
  },
  advice: () => 'Set OPENAI_API_KEY.',
};

beforeEach(() => {
  owners.length = 0;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeServers();
});

async function answered(answer: Answering) {
  const server = await openServer({ answer, key });
  return { server, asked: await askModel(modelAt(server.baseUrl, { resources: { keys } })) };
}

function holdsKey(asked: AskedModel): boolean {
  const all = inspect(asked, { depth: 20, maxStringLength: null, showHidden: true });
  return all.includes('planted') || all.includes(key) || all.includes(inUrl);
}

describe('a key', () => {
  it('is sent, and shown as the name of its variable', async () => {
    const { server, asked } = await answered({ kind: 'reply', text: 'Yes.' });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(asked.requests[0]?.headers.authorization).toBe('Bearer $OPENAI_API_KEY');
    expect(asked.text).toBe('Yes.');
    expect(holdsKey(asked)).toBe(false);
    expect(owners).toEqual([{ provider: 'openai', origin: server.origin, required: false }]);
  });

  it('is hidden where a server says it back', async () => {
    const escaped = key.replaceAll(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const said = `Incorrect key ${key}, or ${inUrl}`;
    const answers: readonly Answering[] = [
      { kind: 'error', status: 401, error: openAiError(said, 'invalid_request_error') },
      { kind: 'error', status: 500, text: said },
      { kind: 'error', status: 400, error: openAiError(said, key, key, key) },
      { kind: 'error', status: 308, text: '', headers: { location: `https://${inUrl}.invalid/?k=${inUrl}` } },
      { kind: 'error', status: 429, text: said, headers: { 'x-key': inUrl, 'retry-after': '1' } },
      { kind: 'error', status: 502, text: `<html><title>${said}</title>` },
      { kind: 'bytes', pieces: [`data: ${JSON.stringify({ error: { message: said } })}\n\n`] },
      // JSON may write the same text in other ways.
      { kind: 'error', status: 400, text: `{"error":{"message":"${escaped}","param":"${escaped}"}}` },
      { kind: 'error', status: 400, text: `{"error":"${escaped}"}` },
      { kind: 'error', status: 500, text: JSON.stringify(said).replaceAll('/', '\\/') },
      { kind: 'bytes', pieces: [`data: {"error":{"message":"${escaped}"}}\n\n`] },
      { kind: 'reply', text: 'Yes.', finish: said },
      { kind: 'reply', text: '', refusal: said },
      { kind: 'reply', text: said, thinking: said },
      { kind: 'reply', text: said, pieces: [...said] },
      { kind: 'bytes', pieces: [said] },
    ];
    for (const answer of answers) {
      const { asked } = await answered(answer);
      expect([answer, holdsKey(asked)]).toEqual([answer, false]);
    }
  });

  it('is not read from variables, nor is another header, and only OpenAI is told organization and project', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-planted-variable');
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-planted-admin');
    vi.stubEnv('OPENAI_ORG_ID', 'planted-organization');
    vi.stubEnv('OPENAI_PROJECT_ID', 'planted-project');
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-other: planted\nauthorization: Bearer planted');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/planted');
    vi.stubEnv('OPENAI_LOG', 'debug');
    const server = await openServer();
    const asked = await askModel(modelAt(server.baseUrl));
    expect(asked.text).toBe('Hello there.');
    expect(inspect(server.requests, { depth: 20 })).not.toContain('planted');

    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(new Headers(init?.headers));
      return new Response('{}', { status: 500 });
    };
    await askModel(modelAt('https://api.openai.com/v1', { resources: { keys, fetch } }));
    expect(sent.map((headers) => Object.fromEntries(headers))).toEqual([
      {
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'openai-organization': 'planted-organization',
        'openai-project': 'planted-project',
        'user-agent': expect.stringContaining('OpenAI'),
      },
    ]);
  });

  it('is asked for by the origin that it is sent to, and is required by OpenAI', async () => {
    const fetch = async () => new Response('{}', { status: 500 });
    await askModel(modelAt('https://API.openai.com:443/v1', { resources: { keys, fetch } }));
    await askModel(modelAt('https://api.openai.com.example.test/v1', { resources: { keys, fetch } }));
    expect(owners.map(({ origin, required }) => [origin, required])).toEqual([
      ['https://api.openai.com', true],
      ['https://api.openai.com.example.test', false],
    ]);
  });

  it('of a few characters is hidden in what an error says, its exchange too', async () => {
    const short = { ...keys, get: async () => 'secret7' };
    const said = 'Incorrect key secret7, or Bearer secret7.';
    const answers: readonly Answering[] = [
      { kind: 'error', status: 401, error: openAiError(said, 'invalid_request_error') },
      { kind: 'error', status: 500, text: said, headers: { 'x-key': 'secret7' } },
      { kind: 'error', status: 308, text: '', headers: { location: 'https://models.invalid/secret7' } },
      { kind: 'error', status: 502, text: `<html><title>${said}</title>` },
    ];
    for (const answer of answers) {
      const server = await openServer({ answer });
      const asked = await askModel(modelAt(server.baseUrl, { resources: { keys: short } }));
      expect(server.requests[0]?.headers.authorization).toBe('Bearer secret7');
      const all = inspect(asked, { depth: 20, maxStringLength: null, showHidden: true });
      expect([answer, all.includes('secret7')]).toEqual([answer, false]);
    }
    // An error whose own words are the key is still understood.
    const server = await openServer({
      answer: { kind: 'error', status: 400, error: openAiError('No such error', 'invalid_request_error') },
    });
    const word = { ...keys, get: async () => 'error' };
    const { failure } = await askModel(modelAt(server.baseUrl, { resources: { keys: word } }));
    expect([failure?.class, failure?.message]).toEqual([
      'bad-request',
      expect.stringContaining('No such [key]'),
    ]);
  });

  it('that is a placeholder of local servers leaves texts as they are', async () => {
    const server = await openServer({ answer: { kind: 'reply', text: 'ask ollama' } });
    const placeholder = { ...keys, get: async () => 'ollama' };
    const asked = await askModel(modelAt(server.baseUrl, { resources: { keys: placeholder } }));
    expect([asked.text, server.requests[0]?.headers.authorization]).toEqual(['ask ollama', 'Bearer ollama']);
  });
});
