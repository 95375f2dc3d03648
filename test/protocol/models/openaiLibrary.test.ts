/** OpenAI's protocol through the library as it is bundled. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listOpenAiModels } from '../../../client/src/models/openai/modelList';
import { askModel } from '../../support/askedModel';
import { repository } from '../../support/memoryRun';
import { closeServers, modelAt, openServer } from '../../unit/models/openai/askedServer';

const bundled = join(repository, 'dist', 'libraries', 'openai.js');
const loaded: string[] = [];

vi.mock('openai', () => {
  loaded.push(bundled);
  return createRequire(import.meta.url)(bundled);
});

afterEach(closeServers);

describe('the bundled library of OpenAI', () => {
  it('streams, says what fails, and lists models', async () => {
    const key = 'sk-planted-0123456789';
    const server = await openServer({ key, answer: { kind: 'reply', text: 'Yes.' } });
    const resources = { keys: { get: async () => key, advice: () => '' } };
    const asked = await askModel(modelAt(server.baseUrl, { resources }));
    expect([asked.text, asked.finish, asked.failure]).toEqual(['Yes.', ['stop'], undefined]);
    expect(asked.requests[0]?.headers.authorization).toBe('Bearer $OPENAI_API_KEY');
    expect((await askModel(modelAt(server.baseUrl))).failure?.class).toBe('authentication');
    const { signal } = new AbortController();
    expect(await listOpenAiModels({ baseUrl: server.baseUrl, key, signal })).toEqual([{ id: 'test-model' }]);
    expect(loaded).toEqual([bundled]);
  });

  it('ends the connection when it is cancelled', async () => {
    const server = await openServer({ answer: { kind: 'reply', text: 'One two three.', hang: true } });
    const leaving = new AbortController();
    const asked = askModel(modelAt(server.baseUrl), {
      signal: leaving.signal,
      onText: () => leaving.abort(new Error('Enough')),
    });
    await expect(asked).rejects.toThrow('Enough');
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
  });
});
