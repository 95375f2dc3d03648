/** The models of Gemini, and how a probe asks one. */
import { describe, expect, it } from 'vitest';
import { replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import { geminiProber } from '../../../../client/src/models/gemini/geminiProber';
import { listGeminiModels } from '../../../../client/src/models/gemini/listGeminiModels';
import { modelRequest } from '../../../support/modelRequest';
import { keySource, plantedKey, startServer } from './geminiHarness';

const { signal } = new AbortController();

describe('the list of models', () => {
  it('has those that answer in text, of all pages', async () => {
    const models = ['gemini-2.5-flash', 'text-embedding-004', 'gemini-2.5-pro', 'gemma-3'];
    const server = await startServer({ models, pageSize: 2, key: plantedKey });
    const listed = await listGeminiModels(
      { settings: { baseUrl: server.baseUrl }, keys: keySource() },
      signal,
    );
    expect(listed.map(({ id }) => id)).toEqual(['gemini-2.5-flash', 'gemini-2.5-pro', 'gemma-3']);
    expect(listed[0]).toEqual({
      id: 'gemini-2.5-flash',
      title: 'Title of gemini-2.5-flash',
      contextTokens: 1_048_576,
      outputTokens: 65_536,
    });
    expect(server.others).toHaveLength(2);
    expect(server.otherHeaders.map((headers) => headers['x-goog-api-key'])).toEqual([plantedKey, plantedKey]);
  });

  it('fails by class', async () => {
    const server = await startServer({ key: 'AIzaSyTheRightKey' });
    const list = (settings: object, keys = keySource()) =>
      listGeminiModels({ settings: { baseUrl: server.baseUrl, ...settings }, keys }, signal);
    await expect(list({})).rejects.toMatchObject({
      class: 'authentication',
      message: expect.not.stringContaining(plantedKey),
    });
    await expect(list({}, keySource(''))).rejects.toMatchObject({ class: 'authentication' });
    await expect(
      list({ baseUrl: `${server.baseUrl}/nowhere` }, keySource('AIzaSyTheRightKey')),
    ).rejects.toMatchObject({ class: 'bad-request' });
    const reason = new Error('enough');
    await expect(
      listGeminiModels(
        { settings: { baseUrl: server.baseUrl }, keys: keySource() },
        AbortSignal.abort(reason),
      ),
    ).rejects.toBe(reason);
  });
});

describe('a prober', () => {
  it('asks once under a constraint, and tells text or failure', async () => {
    const server = await startServer({ answer: { kind: 'reply', text: '{"a":1}', thinking: 'Hm.' } });
    const resources = { settings: { baseUrl: server.baseUrl }, keys: keySource() };
    const prober = await geminiProber({ provider: 'gemini', model: 'gemini-2.5-flash' }, resources, signal);
    expect(prober).toMatchObject({ server: server.baseUrl, model: 'gemini-2.5-flash' });
    expect(prober.placements.map(({ encoding }) => encoding)).toEqual(['json-schema', 'operations']);
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const constraint = replyConstraint(
      modelRequest({ prompt: '' }).expected,
      placement.encoding,
      placement.dialect,
    );
    await expect(prober.ask(placement, 'Hi', constraint, signal)).resolves.toEqual({
      ok: true,
      text: '{"a":1}',
    });
    expect(server.requests[0]?.body.generationConfig).toMatchObject({ responseMimeType: 'application/json' });
    server.answer({
      kind: 'error',
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'Unknown name "responseJsonSchema"',
    });
    await expect(prober.ask(placement, 'Hi', constraint, signal)).resolves.toMatchObject({
      ok: false,
      failure: { class: 'bad-request' },
    });
    server.answer({ kind: 'reply', text: '', thinking: 'Hm.', finish: 'MAX_TOKENS' });
    await expect(prober.ask(placement, 'Hi', constraint, signal)).resolves.toMatchObject({
      ok: false,
      failure: { class: 'unavailable' },
    });
  });

  it('asks once more where the connection is lost, and says so where it is lost again', async () => {
    const server = await startServer({
      answer: (_, nth) => (nth === 0 ? { kind: 'reset' } : { kind: 'reply', text: '{"a":1}' }),
    });
    const resources = { settings: { baseUrl: server.baseUrl }, keys: keySource() };
    const prober = await geminiProber({ provider: 'gemini', model: 'gemini-2.5-flash' }, resources, signal);
    const [placement] = prober.placements;
    if (placement === undefined) throw new Error('No placement');
    const { expected } = modelRequest({ prompt: '' });
    const constraint = replyConstraint(expected, placement.encoding, placement.dialect);
    const ask = () => prober.ask(placement, 'Hi', constraint, signal);
    await expect(ask()).resolves.toEqual({ ok: true, text: '{"a":1}' });
    server.answer({ kind: 'reset' });
    await expect(ask()).resolves.toMatchObject({ ok: false, failure: { class: 'server-error' } });
  });
});
