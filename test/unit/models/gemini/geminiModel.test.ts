/** Gemini over its real protocol: what is asked for, and what an answer comes to. */
import { describe, expect, it } from 'vitest';
import { geminiPlacements } from '../../../../client/src/models/gemini/geminiConfig';
import { sampleSeed } from '../../../../client/src/models/sampleSeed';
import type { ModelEvent } from '../../../../client/src/runtime/model';
import { modelRequest } from '../../../support/modelRequest';
import { ask, geminiModel, keySource, plantedKey, startServer } from './geminiHarness';

describe('a Gemini model', () => {
  it('asks by the protocol, and says what it sends and gets', async () => {
    const server = await startServer({ key: plantedKey });
    const keys = keySource();
    const model = geminiModel(server, { resources: { keys } });
    const answered = await ask(model, {
      prompt: 'Hi',
      seed: 7,
      step: 3,
      attempt: 2,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 99,
    });
    expect(answered.failure).toBeUndefined();
    expect(answered.events.map(({ type }) => type)).toEqual([
      'request',
      'text',
      'text',
      'response',
      'usage',
      'finish',
    ]);
    expect(answered).toMatchObject({
      text: 'Hello there.',
      finish: 'stop',
      usage: { prompt: 1, completion: 3 },
    });
    const [request] = server.requests;
    expect(request?.path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    expect(request?.headers['x-goog-api-key']).toBe(plantedKey);
    expect(request?.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 99,
        seed: sampleSeed({ seed: 7, step: 3, attempt: 2 }),
        thinkingConfig: { includeThoughts: true },
      },
    });
    expect(answered.request).toMatchObject({
      method: 'POST',
      url: `${server.baseUrl}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
      headers: { 'x-goog-api-key': '$GEMINI_API_KEY', 'content-type': 'application/json' },
      body: request?.text,
    });
    expect(answered.response).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
    expect(answered.response?.body).toContain('"finishReason":"STOP"');
    expect(keys.asked).toEqual([`gemini ${server.baseUrl} true`]);
    await expect(request?.closed).resolves.toBe('answered');
  });

  it('makes one request at a time with one library, and another where the key has changed', async () => {
    const server = await startServer();
    let key = plantedKey;
    const model = geminiModel(server, { resources: { keys: { get: async () => key, advice: () => '' } } });
    await ask(model);
    key = 'AIzaSyOther-Key-0123456789';
    await ask(model);
    expect(server.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual([plantedKey, key]);
  });

  it('takes a base URL with the version and a path', async () => {
    const server = await startServer();
    const { text } = await ask(geminiModel({ baseUrl: `${server.baseUrl}/v1/` }));
    expect(text).toBe('Hello there.');
    expect(server.requests[0]?.path).toBe('/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
  });

  it('tells thoughts apart from the reply, and counts them', async () => {
    const usage = {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      cachedContentTokenCount: 4,
    };
    const server = await startServer({
      answer: { kind: 'reply', text: 'A lamp.', thinking: 'Let me see.', usage },
    });
    const answered = await ask(geminiModel(server));
    expect(answered).toMatchObject({
      text: 'A lamp.',
      thinking: 'Let me see.',
      usage: { prompt: 10, completion: 12, cached: 4, thinking: 7 },
    });
  });

  it.each([
    ['gemini-2.5-pro', {}, { includeThoughts: true }],
    ['gemini-3-flash-preview', {}, { includeThoughts: true }],
    ['models/gemini-3.1-flash-lite', {}, { includeThoughts: true }],
    ['gemini-pro-latest', {}, { includeThoughts: true }],
    ['gemini-2.5-flash-lite', {}, undefined],
    ['gemini-2.0-flash', {}, undefined],
    ['gemma-3-27b-it', {}, undefined],
    ['gemini-2.5-flash', { thinkingBudget: 0 }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', { thinkingBudget: -1 }, { thinkingBudget: -1, includeThoughts: true }],
    ['gemini-2.5-flash', { thinkingBudget: 512 }, { thinkingBudget: 512, includeThoughts: true }],
    ['gemini-3-pro-preview', { reasoningEffort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
  ])('asks %s with %j for thoughts where it has some', async (id, settings, thinkingConfig) => {
    const server = await startServer({ models: [id.replace('models/', '')] });
    await ask(geminiModel(server, { model: id, settings }));
    expect(server.requests[0]?.body.generationConfig?.thinkingConfig).toEqual(thinkingConfig);
  });

  it('says that a reply was cut, also where thinking left nothing for it', async () => {
    const usage = { promptTokenCount: 10, thoughtsTokenCount: 64 };
    const server = await startServer({
      answer: { kind: 'reply', text: '', thinking: 'On and on', finish: 'MAX_TOKENS', usage },
    });
    expect(await ask(geminiModel(server))).toMatchObject({
      text: '',
      thinking: 'On and on',
      finish: 'MAX_TOKENS',
      usage: { prompt: 10, completion: 64, thinking: 64 },
      failure: undefined,
    });
    server.answer({ kind: 'reply', text: 'Half a rep', finish: 'MAX_TOKENS' });
    expect(await ask(geminiModel(server))).toMatchObject({ text: 'Half a rep', finish: 'MAX_TOKENS' });
  });

  it.each([
    ['with-finish', { prompt: 5, completion: 3 }],
    ['late', { prompt: 5, completion: 3 }],
    ['every-chunk', { prompt: 5, completion: 3 }],
    ['before-finish', undefined],
    ['none', undefined],
  ] as const)('takes usage that comes %s for what it is', async (usagePlace, usage) => {
    const server = await startServer({ answer: { kind: 'reply', text: 'Hello there.', usagePlace } });
    expect(await ask(geminiModel(server))).toMatchObject({ text: 'Hello there.', finish: 'stop', usage });
  });

  it.each([
    { promptTokenCount: -1 },
    { promptTokenCount: 'many' },
    { candidatesTokenCount: 4 },
    { promptTokenCount: 4, candidatesTokenCount: 1.5 },
  ])('takes %j for no usage', async (usage) => {
    const server = await startServer({ answer: { kind: 'reply', text: 'A', usage: usage as object } });
    expect(await ask(geminiModel(server))).toMatchObject({ text: 'A', usage: undefined, failure: undefined });
  });

  it('gives an empty reply for what it is', async () => {
    const server = await startServer({ answer: { kind: 'reply', text: '' } });
    expect(await ask(geminiModel(server))).toMatchObject({ text: '', finish: 'stop', failure: undefined });
  });

  it('takes the first candidate alone, and no parts but texts', async () => {
    const chunk = {
      candidates: [
        { index: 1, content: { parts: [{ text: 'other' }] }, finishReason: 'STOP' },
        {
          index: 0,
          content: {
            parts: [{ text: 'A' }, { functionCall: { name: 'f', args: {} } }, { text: 5 }, { text: 'B' }],
          },
          finishReason: 'STOP',
        },
      ],
    };
    const pieces = [`: a comment\n\ndata: ${JSON.stringify(chunk)}\n\n`];
    const server = await startServer({ answer: { kind: 'bytes', pieces } });
    expect(await ask(geminiModel(server))).toMatchObject({ text: 'AB', finish: 'stop' });
  });

  it('ends the connection when it is cancelled in mid-answer', async () => {
    const server = await startServer({ answer: { kind: 'reply', text: 'Hello there.', hang: true } });
    const controller = new AbortController();
    const reason = new Error('enough');
    const stream = geminiModel(server).generate(modelRequest({ prompt: 'Hi' }), controller.signal);
    const told: ModelEvent[] = [];
    await expect(
      (async () => {
        for await (const event of stream) {
          told.push(event);
          if (event.type === 'text') controller.abort(reason);
        }
      })(),
    ).rejects.toBe(reason);
    await expect((await server.nextRequest()).closed).resolves.toBe('gone');
    const [request] = told;
    const received = request?.type === 'request' ? request.received?.() : undefined;
    expect(received).toMatchObject({ status: 200, body: expect.stringContaining('"text":"Hello') });
  });

  it('ends the connection when it is cancelled before an answer, and when nobody reads on', async () => {
    const server = await startServer({ answer: { kind: 'hang' } });
    const controller = new AbortController();
    const waiting = ask(geminiModel(server), {}, controller.signal);
    const request = await server.nextRequest();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(request.closed).resolves.toBe('gone');

    server.answer({ kind: 'reply', text: 'Hello there.', hang: true });
    for await (const event of geminiModel(server).generate(
      modelRequest({ prompt: 'Hi' }),
      new AbortController().signal,
    ))
      if (event.type === 'text') break;
    await expect((await server.nextRequest()).closed).resolves.toBe('gone');
  });

  it('sends nothing where it was cancelled before', async () => {
    const server = await startServer();
    const reason = new Error('enough');
    await expect(ask(geminiModel(server), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it('sends nothing where nobody wants more than to know what would be sent', async () => {
    const server = await startServer();
    for await (const event of geminiModel(server).generate(
      modelRequest({ prompt: 'Hi' }),
      new AbortController().signal,
    )) {
      expect(event.type).toBe('request');
      break;
    }
    await ask(geminiModel(server));
    expect(server.requests).toHaveLength(1);
  });

  it('prepares without a request where there is nothing to try', async () => {
    const server = await startServer();
    const model = geminiModel(server);
    expect(model.found).toBeUndefined();
    await model.prepare?.(new AbortController().signal);
    expect(model.found).toEqual({ encoding: 'free' });
    expect([...server.requests, ...server.others]).toEqual([]);
  });

  it.each([
    ['gemini-3-pro-preview', 0, true],
    ['gemini-3.1-flash', 0.9, true],
    ['models/gemini-3-pro-preview', 0, true],
    ['gemini-3-pro-preview', 1, false],
    ['gemini-2.5-flash', 0, false],
    ['gemini-30-pro', 0, false],
    ['my-gemini-3-tune', 0, false],
  ])('%s at temperature %d is told what Google recommends: %s', async (name, temperature, isTold) => {
    const server = await startServer();
    const model = geminiModel(server, { model: name });
    await model.prepare?.(new AbortController().signal);
    const [held, ...remarks] = model.remarks?.(modelRequest({ prompt: '' }).expected, { temperature }) ?? [];
    expect(held).toContain('Decoding: free');
    expect(remarks).toEqual(
      isTold
        ? [
            `Google strongly recommends to keep the temperature of Gemini 3 at 1, and this run has ${temperature}: set it by --temperature 1 (temperature in launch.json).`,
          ]
        : [],
    );
    // It is asked as it is set.
    await ask(model, { temperature });
    expect(server.requests[0]?.body.generationConfig).toMatchObject({ temperature });
  });

  it.each(['json-schema', 'operations'] as const)('holds the reply to a schema by %s', async (decoding) => {
    const server = await startServer();
    const model = geminiModel(server, { settings: { decoding } });
    await ask(model);
    expect(server.requests[0]?.body.generationConfig).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
    });
    expect(model.found).toEqual({ encoding: decoding, placement: 'responseJsonSchema' });
  });

  it('chooses once for requests at the same time, also where the first gives up', async () => {
    const server = await startServer({ answer: { kind: 'hang' } });
    const model = geminiModel(server, { settings: { decoding: 'auto' } });
    const leaving = new AbortController();
    const first = ask(model, {}, leaving.signal);
    const probe = await server.nextRequest();
    const others = [1, 2, 3].map((step) => ask(model, { step }));
    server.answer({ kind: 'reply', text: 'Yes.' });
    leaving.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await expect(probe.closed).resolves.toBe('gone');
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(['Yes.', 'Yes.', 'Yes.']);
    expect(model.found).toEqual({ encoding: 'free' });
    // The probe that was given up, those of the next one, and the replies.
    expect(server.requests).toHaveLength(1 + geminiPlacements.length + 3);
  });

  it('answers several requests at a time', async () => {
    const server = await startServer({
      answer: ({ prompt }) => ({ kind: 'reply', text: `To ${prompt}.` }),
    });
    const model = geminiModel(server);
    const prompts = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(prompts.map((prompt) => ask(model, { prompt })));
    expect(answers.map(({ text }) => text)).toEqual(prompts.map((prompt) => `To ${prompt}.`));
  });
});
