/** Gemini on Vertex AI: its addresses, Google's application default credentials, and where these are never sent. */
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { geminiTarget } from '../../../../client/src/models/gemini/geminiTarget';
import { listGeminiModels } from '../../../../client/src/models/gemini/listGeminiModels';
import type { ModelSettings } from '../../../../client/src/models/modelSettings';
import { ModelFailure } from '../../../../client/src/runtime/model';
import {
  type GoogleCredentials,
  grantedToken,
  startGoogleCredentials,
  type TokenAnswer,
} from '../../../support/googleCredentials';
import { ask, geminiModel, keySource, startServer } from './geminiHarness';

const vertex: ModelSettings = { vertexProject: 'my-project', vertexLocation: 'europe-west4' };
const token = 'ya29.planted-access-token-0123456789';

let credentials: GoogleCredentials;

beforeEach(async () => {
  credentials = await startGoogleCredentials();
  for (const [name, value] of Object.entries(credentials.none)) vi.stubEnv(name, value);
  vi.stubEnv('GEMINI_API_KEY', 'AIzaSyStrayKeyOfTheEnvironment');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await credentials.close();
});

/** From now on there are credentials, whose token is asked for and answered like this. */
function withCredentials(answer: TokenAnswer): void {
  credentials.answer(answer);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', credentials.file);
}

describe('Gemini on Vertex AI', () => {
  it('sends the credentials of the project, and hides them', async () => {
    withCredentials(grantedToken(token));
    const server = await startServer({ token, answer: { kind: 'reply', text: `Hello ${token}.` } });
    const keys = keySource();
    const written = (['log', 'debug', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name),
    );
    const model = geminiModel(server, { settings: vertex, resources: { keys } });
    await model.prepare?.(new AbortController().signal);
    expect([...server.requests, ...server.others]).toEqual([]);
    const answered = await ask(model);
    expect(answered).toMatchObject({ text: 'Hello [key].', finish: 'stop', failure: undefined });
    const [request] = server.requests;
    expect(request?.path).toBe(
      '/v1beta1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    );
    expect(request?.headers.authorization).toBe(`Bearer ${token}`);
    expect(request?.headers['x-goog-api-key']).toBeUndefined();
    expect(answered.request?.headers.authorization).toBe('Bearer $GOOGLE_ACCESS_TOKEN');
    expect(inspect(answered, { depth: 20 })).not.toContain(token);
    expect(keys.asked).toEqual([]);
    for (const spy of written) expect(spy).not.toHaveBeenCalled();
  });

  it('explains that there are no credentials, before the run and at the first request', async () => {
    const server = await startServer({ token });
    const model = geminiModel(server, { settings: vertex });
    const { failure } = await ask(model);
    expect(failure).toMatchObject({ class: 'authentication', retryable: false });
    expect(failure?.message).toMatch(
      /^Vertex AI at .* needs Google's application default credentials, and there are none that can be used. Sign in by `gcloud auth application-default login`, or name the file of a service account in GOOGLE_APPLICATION_CREDENTIALS\.$/,
    );
    await expect(model.prepare?.(new AbortController().signal)).rejects.toMatchObject({
      class: 'authentication',
      message: failure?.message,
    });
    expect([...server.requests, ...server.others]).toEqual([]);
  });

  it('explains credentials that are refused, and names no file', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', `${credentials.file}.missing`);
    const server = await startServer({ token });
    const missing = await ask(geminiModel(server, { settings: vertex }));
    expect(missing.failure).toMatchObject({ class: 'authentication' });
    expect(missing.failure?.message).not.toContain(dirname(credentials.file));
    await withCredentials({
      status: 400,
      body: { error: 'invalid_grant', error_description: `No ${token}` },
    });
    const refused = await ask(geminiModel(server, { settings: vertex }));
    expect(refused.failure).toMatchObject({ class: 'authentication' });
    withCredentials(grantedToken('another-token-that-is-old'));
    const old = await ask(geminiModel(server, { settings: vertex }));
    expect(old.failure).toMatchObject({ class: 'authentication', retryable: false });
    expect(old.failure?.message).toMatch(/doesn't take the credentials .*gcloud auth/);
  });

  it('lists the publisher’s models', async () => {
    withCredentials(grantedToken(token));
    const server = await startServer({ token, models: ['gemini-2.5-flash', 'gemini-2.5-pro'] });
    const settings = { ...vertex, baseUrl: server.baseUrl };
    const listed = await listGeminiModels({ settings }, new AbortController().signal);
    expect(listed.map(({ id }) => id)).toEqual(['gemini-2.5-flash', 'gemini-2.5-pro']);
    expect(server.otherHeaders[0]?.authorization).toBe(`Bearer ${token}`);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
    await expect(listGeminiModels({ settings }, new AbortController().signal)).rejects.toMatchObject({
      class: 'authentication',
      message: expect.stringMatching(/application default credentials/),
    });
  });

  it('is cancelled while credentials are looked for', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    withCredentials({ hang: () => controller.abort(reason) });
    const server = await startServer();
    await expect(ask(geminiModel(server, { settings: vertex }), {}, controller.signal)).rejects.toBe(reason);
  });
});

describe('the address of Gemini', () => {
  it.each([
    [{}, 'https://generativelanguage.googleapis.com', 'Gemini at generativelanguage.googleapis.com'],
    [{ vertexProject: 'p' }, 'https://aiplatform.googleapis.com', 'Vertex AI at aiplatform.googleapis.com'],
    [
      { vertexProject: 'p', vertexLocation: 'eu' },
      'https://aiplatform.eu.rep.googleapis.com',
      'Vertex AI at aiplatform.eu.rep.googleapis.com',
    ],
    [
      { vertexProject: 'p', vertexLocation: 'us-central1' },
      'https://us-central1-aiplatform.googleapis.com',
      'Vertex AI at us-central1-aiplatform.googleapis.com',
    ],
    [
      { baseUrl: 'https://gateway.example/gemini/v1beta/' },
      'https://gateway.example/gemini',
      'Gemini at gateway.example',
    ],
    [{ baseUrl: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080', 'Gemini at http://127.0.0.1:8080'],
  ])('of %j is %s', (settings, baseUrl, server) => {
    expect(geminiTarget(settings)).toMatchObject({ baseUrl, server });
  });

  it.each([
    [{ vertexLocation: 'us-central1' }, /needs a project/],
    [{ vertexProject: 'p', vertexLocation: 'evil.example/' }, /no location/],
    [{ vertexProject: 'p', vertexLocation: 'evil.example#' }, /no location/],
    [{ vertexProject: '../../x' }, /no project/],
    [{ vertexProject: 'p', baseUrl: 'https://evil.example' }, /to Google alone/],
    [{ vertexProject: 'p', baseUrl: 'https://googleapis.com.evil.example' }, /to Google alone/],
    [{ vertexProject: 'p', baseUrl: 'http://x.googleapis.com' }, /to Google alone/],
    [{ baseUrl: 'https://user:secret@host/' }, /user name or a password/],
    [{ baseUrl: 'https://host/?key=secret' }, /a query/],
    [{ baseUrl: 'ftp://host/' }, /has to look like/],
    [{ baseUrl: 'host' }, /has to look like/],
  ])('of %j is refused', (settings, message) => {
    expect(() => geminiTarget(settings)).toThrow(ModelFailure);
    expect(() => geminiTarget(settings)).toThrow(message);
    expect(() => geminiTarget(settings)).not.toThrow(/secret/);
  });

  it.each(['../x', 'a?b', 'a:b', 'a/../b', 'a b', 'a#b', 'a%2Fb', '/a', 'a//b', ''])(
    'is none for the model %j',
    (model) => {
      expect(() => geminiModel({ baseUrl: 'http://127.0.0.1:1' }, { model })).toThrow(/no model's id/);
    },
  );
});
