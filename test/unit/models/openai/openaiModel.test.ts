import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelSettings } from '../../../../client/src/models/modelSettings';
import { sampleSeed } from '../../../../client/src/models/sampleSeed';
import type { ModelEvent } from '../../../../client/src/runtime/model';
import { askModel } from '../../../support/askedModel';
import { modelRequest } from '../../../support/modelRequest';
import type { Answering } from '../../../support/openaiServer';
import { closeServers, modelAt, openServer } from './askedServer';

afterEach(closeServers);

async function answered(answer: Answering, settings: ModelSettings = {}) {
  return askModel(modelAt((await openServer({ answer })).baseUrl, { settings }));
}

describe('an OpenAI model', () => {
  it('streams text, and reports usage and why it ended', async () => {
    const asked = await answered({ kind: 'reply', text: 'The lamp goes to shelf_1.' });
    expect(asked.failure).toBeUndefined();
    expect(asked.text).toBe('The lamp goes to shelf_1.');
    expect(asked.usage).toEqual([{ prompt: 3, completion: 7 }]);
    expect(asked.finish).toEqual(['stop']);
    expect(asked.order).toEqual(['request', 'text', 'response', 'usage', 'finish']);
  });

  it('sends the prompt as one message, with the seed of the attempt and how to sample', async () => {
    const server = await openServer();
    const model = modelAt(server.baseUrl, { settings: { reasoningEffort: 'low' } });
    await askModel(model, {
      prompt: 'P',
      seed: 7,
      step: 3,
      attempt: 2,
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 99,
    });
    expect(server.requests.map(({ body }) => body)).toEqual([
      {
        model: 'test-model',
        messages: [{ role: 'user', content: 'P' }],
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0.5,
        top_p: 0.9,
        seed: sampleSeed({ seed: 7, step: 3, attempt: 2 }),
        max_tokens: 99,
        reasoning_effort: 'low',
      },
    ]);
  });

  it('leaves out a limit of tokens and an effort that nobody set', async () => {
    const server = await openServer();
    await askModel(modelAt(server.baseUrl));
    const [request] = server.requests;
    expect(Object.keys(request?.body ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/max_|reasoning/)]),
    );
  });

  it('tells nothing of this machine in its headers, and sends no key where there is none', async () => {
    const server = await openServer();
    await askModel(modelAt(server.baseUrl));
    const { headers = {} } = server.requests[0] ?? {};
    expect(Object.keys(headers).filter((name) => /stainless|authorization/.test(name))).toEqual([]);
  });

  it('takes usage wherever in the stream it stands, and does without', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 12 },
    };
    const expected = [{ prompt: 100, completion: 20, cached: 64, thinking: 12 }];
    for (const usagePlace of ['late', 'with-finish', 'before-finish', 'every-chunk'] as const) {
      const asked = await answered({ kind: 'reply', text: 'Yes.', usage, usagePlace });
      expect([usagePlace, asked.usage, asked.text]).toEqual([usagePlace, expected, 'Yes.']);
    }
    const without = await answered({ kind: 'reply', text: 'Yes.', usagePlace: 'none' });
    expect([without.usage, without.text, without.finish]).toEqual([[], 'Yes.', ['stop']]);
  });

  it('takes no usage that is none', async () => {
    const asked = await answered({
      kind: 'reply',
      text: 'Yes.',
      usage: { prompt_tokens: -1, completion_tokens: 1.5, total_tokens: 0 },
    });
    expect([asked.usage, asked.text]).toEqual([[], 'Yes.']);
  });

  it('keeps what a reasoning model thinks apart, by either name', async () => {
    for (const thinkingField of ['reasoning_content', 'reasoning'] as const) {
      const asked = await answered({
        kind: 'reply',
        text: 'Shelf 2.',
        thinking: 'Shelf 1 is full.',
        thinkingField,
      });
      expect([asked.thinking, asked.text]).toEqual(['Shelf 1 is full.', 'Shelf 2.']);
      expect(asked.order).toEqual(['request', 'thinking', 'text', 'response', 'usage', 'finish']);
    }
  });

  it('leaves thinking that a model writes into its text where it is', async () => {
    const text = '<think>Shelf 1 is full.</think>Shelf 2.';
    const asked = await answered({ kind: 'reply', text });
    expect([asked.thinking, asked.text]).toEqual(['', text]);
  });

  it('keeps no more of why a reply ended than a few words', async () => {
    const server = await openServer({
      answer: { kind: 'reply', text: 'Shelf 2.', finish: 'x'.repeat(10_000) },
    });
    const [reason = ''] = (await askModel(modelAt(server.baseUrl))).finish;
    expect(reason).toHaveLength(100);
  });

  it('takes texts in parts, thinking among them', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Full.' }] },
      { type: 'text', text: 'Shelf 2.' },
      { type: 'image' },
      null,
    ];
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    const asked = await answered({ kind: 'bytes', pieces: [`data: ${JSON.stringify(chunk)}\n\n`] });
    expect([asked.thinking, asked.text, asked.finish]).toEqual(['Full.', 'Shelf 2.', ['stop']]);
  });

  it('says when the limit of tokens ended a reply', async () => {
    const asked = await answered({ kind: 'reply', text: 'And so on and', finish: 'length' });
    expect([asked.text, asked.finish, asked.failure]).toEqual(['And so on and', ['length'], undefined]);
  });

  it('passes over tool calls, empty choices and other choices', async () => {
    const asked = await answered({
      kind: 'reply',
      text: 'Yes.',
      finish: 'tool_calls',
      extraChunks: [
        { choices: [] },
        {
          choices: [
            { delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] } as object },
          ],
        },
        { choices: [{ index: 1, delta: { content: 'No.' } } as { delta: { content: string } }] },
      ],
    });
    expect([asked.text, asked.finish, asked.failure]).toEqual(['Yes.', ['tool_calls'], undefined]);
  });

  it('takes a whole reply from a server that does not stream', async () => {
    const whole = {
      object: 'chat.completion',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Yes.\n\n\nIndeed.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    };
    for (const type of ['application/json', 'text/event-stream', 'text/plain']) {
      const asked = await answered({
        kind: 'bytes',
        headers: { 'content-type': type },
        pieces: ['\n', JSON.stringify(whole, undefined, 2).replaceAll('\n', '\n\n')],
      });
      expect([asked.text, asked.usage, asked.finish]).toEqual([
        'Yes.\n\n\nIndeed.',
        [{ prompt: 3, completion: 1 }],
        ['stop'],
      ]);
    }
  });

  it('says what was sent and what came', async () => {
    const server = await openServer({ answer: { kind: 'reply', text: 'Yes.' } });
    const { requests, responses } = await askModel(modelAt(server.baseUrl));
    expect(requests).toEqual([
      {
        method: 'POST',
        url: `${server.baseUrl}/chat/completions`,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^OpenAI\/JS /),
        },
        body: server.requests[0]?.text,
      },
    ]);
    expect(responses[0]?.status).toBe(200);
    expect(responses[0]?.body).toMatch(/^data: \{.*data: \[DONE\]\n\n$/s);
  });

  it('ends at once when it is cancelled, and the server sees it', async () => {
    const server = await openServer({ answer: { kind: 'reply', text: 'One two three.', hang: true } });
    const leaving = new AbortController();
    const reason = new Error('Enough');
    const asked = askModel(modelAt(server.baseUrl), {
      signal: leaving.signal,
      onText: () => leaving.abort(reason),
    });
    await expect(asked).rejects.toBe(reason);
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
  });

  it('still has what came of an answer that was given up, without the beginning of a key at its end', async () => {
    const key = 'sk-planted-0123456789';
    const begun = 'data: {"choices":[{"index":0,"delta":{"content":"One';
    const pieces = [`${begun} ${key} two ${key.slice(0, 9)}`];
    const server = await openServer({ answer: { kind: 'bytes', pieces, ends: 'hang' } });
    const keys = { get: async () => key, advice: () => '' };
    const model = modelAt(server.baseUrl, { resources: { keys } });
    const leaving = new AbortController();
    const events: ModelEvent[] = [];
    const asking = (async () => {
      for await (const event of model.generate(modelRequest({ prompt: 'P' }), leaving.signal))
        events.push(event);
    })();
    const received = () => events.map((event) => (event.type === 'request' ? event.received?.() : event))[0];
    const soFar = { status: 200, body: `${begun} [key] two ` };
    await vi.waitFor(() => expect(received()).toMatchObject(soFar));
    leaving.abort(new Error('Enough'));
    await expect(asking).rejects.toThrow('Enough');
    expect(events).toHaveLength(1);
    expect(received()).toMatchObject(soFar);
  });

  it('ends when it is cancelled before an answer came, and sends nothing once it is', async () => {
    const server = await openServer({ answer: { kind: 'hang' } });
    const leaving = new AbortController();
    const asked = askModel(modelAt(server.baseUrl), { signal: leaving.signal });
    const request = await server.nextRequest();
    leaving.abort(new Error('Enough'));
    await expect(asked).rejects.toThrow('Enough');
    await expect(request.closed).resolves.toBe('gone');
    await expect(askModel(modelAt(server.baseUrl), { signal: leaving.signal })).rejects.toThrow('Enough');
    expect(server.requests).toHaveLength(1);
  });

  it('closes the connection where nobody reads on, and has what came so far', async () => {
    const server = await openServer({ answer: { kind: 'reply', text: 'One two three.', hang: true } });
    const model = modelAt(server.baseUrl);
    let received: (ModelEvent & { type: 'request' })['received'];
    for await (const event of model.generate(modelRequest({ prompt: 'P' }), new AbortController().signal)) {
      if (event.type === 'request') ({ received } = event);
      if (event.type === 'text') break;
    }
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
    expect(received?.()).toMatchObject({ status: 200, body: expect.stringContaining('"content":"One') });
  });

  it('uses connections again', async () => {
    const server = await openServer();
    const model = modelAt(server.baseUrl);
    for (let nth = 0; nth < 8; nth++) await askModel(model, { step: nth });
    expect(server.requests).toHaveLength(8);
    expect(server.connections).toBeLessThan(8);
  });

  it('asks a model that cannot stream for whole replies from then on, and says so', async () => {
    const server = await openServer({ refuses: {} });
    server.answer(({ body }) =>
      body.stream === true
        ? {
            kind: 'error',
            status: 400,
            error: {
              error: {
                message: 'Your organization must be verified to stream this model.',
                type: 'invalid_request_error',
                param: 'stream',
                code: 'unsupported_value',
              },
            },
          }
        : { kind: 'reply', text: 'Yes.' },
    );
    const model = modelAt(server.baseUrl);
    const first = await askModel(model);
    expect(first.text).toBe('Yes.');
    expect(first.retries).toEqual([
      {
        class: 'bad-request',
        message: `"test-model" at the server at ${server.origin} takes no \`stream\`: it is left out from now on, and replies come as a whole.`,
        wait: 0,
      },
    ]);
    expect(server.requests[1]?.body.stream_options).toBeUndefined();
    expect((await askModel(model)).retries).toEqual([]);
  });
});
