/** Gemini through the library as it is bundled, in which parts of it are left out. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { geminiEvents } from '../../support/geminiServer';
import {
  type GoogleCredentials,
  grantedToken,
  startGoogleCredentials,
} from '../../support/googleCredentials';
import { repository } from '../../support/memoryRun';
import { modelRequest } from '../../support/modelRequest';
import { ask, geminiModel, keySource, plantedKey, startServer } from '../../unit/models/gemini/geminiHarness';

const bundled = join(repository, 'dist', 'libraries', 'genai.js');
const loaded: string[] = [];

vi.mock('@google/genai', () => {
  loaded.push(bundled);
  return createRequire(import.meta.url)(bundled);
});

let credentials: GoogleCredentials;

beforeEach(async () => {
  credentials = await startGoogleCredentials();
  for (const [name, value] of Object.entries(credentials.none)) vi.stubEnv(name, value);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await credentials.close();
});

describe('the bundled library of Gemini', () => {
  it('streams, and refuses a wrong key', async () => {
    const server = await startServer({ key: plantedKey });
    expect(await ask(geminiModel(server))).toMatchObject({
      text: 'Hello there.',
      finish: 'stop',
      usage: { prompt: 5, completion: 3 },
      failure: undefined,
    });
    const keys = keySource('AIzaSyAnotherKey');
    expect((await ask(geminiModel(server, { resources: { keys } }))).failure).toMatchObject({
      class: 'authentication',
    });
    expect(loaded).toEqual([bundled]);
  });

  it('says by class what fails', async () => {
    const server = await startServer();
    const model = geminiModel(server);
    const events = geminiEvents({ text: 'Hello there.' });
    const answers = [
      ['server-error', { kind: 'error', code: 503, status: 'UNAVAILABLE' }],
      ['malformed-stream', { kind: 'bytes', pieces: events.slice(0, 1), ends: 'cut' }],
      ['malformed-stream', { kind: 'bytes', pieces: ['data: {\n\n'] }],
      ['content-filter', { kind: 'reply', text: 'x', finish: 'SAFETY' }],
      ['connection', { kind: 'reset' }],
    ] as const;
    for (const [expected, answer] of answers) {
      server.answer(answer);
      expect((await ask(model)).failure?.class).toBe(expected);
    }
    server.answer({ kind: 'hang' });
    const hanging = geminiModel(server, { settings: { timeout: 0.05 } });
    expect((await ask(hanging)).failure?.class).toBe('timeout');
  });

  it('ends the connection when it is cancelled', async () => {
    const server = await startServer({ answer: { kind: 'reply', text: 'Hello there.', hang: true } });
    const controller = new AbortController();
    const stream = geminiModel(server).generate(modelRequest({ prompt: 'Hi' }), controller.signal);
    const reading = async () => {
      for await (const event of stream) if (event.type === 'text') controller.abort(new Error('enough'));
    };
    await expect(reading()).rejects.toThrow('enough');
    await expect((await server.nextRequest()).closed).resolves.toBe('gone');
  });

  it('gets a token for Vertex AI, without the fetch that is left out', async () => {
    const token = 'ya29.planted-access-token-0123456789';
    const server = await startServer({ token });
    const settings = { vertexProject: 'my-project' };
    expect((await ask(geminiModel(server, { settings }))).failure).toMatchObject({ class: 'authentication' });
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', credentials.file);
    expect((await ask(geminiModel(server, { settings }))).failure).toMatchObject({ class: 'authentication' });
    credentials.answer(grantedToken(token));
    expect(await ask(geminiModel(server, { settings }))).toMatchObject({
      text: 'Hello there.',
      failure: undefined,
    });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
  });
});
