/** The server for tests speaks the protocol that it claims: held against OpenAI's own client. */
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from '../../../support/openaiServer';

const servers: OpenAiServer[] = [];

async function start(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(options);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const messages = [{ role: 'user' as const, content: 'What is on shelf 1?' }];

describe('the OpenAI server for tests', () => {
  it('streams a reply, with its usage in a last chunk without choices', async () => {
    const server = await start({ answer: { kind: 'reply', text: 'Shelf 1 has a lamp.', thinking: 'Look.' } });
    const client = new OpenAI({ apiKey: 'k', baseURL: server.baseUrl, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'test-model',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Shelf 1 has a lamp.');
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    await expect(server.requests[0]?.closed).resolves.toBe('answered');
  });

  it('answers as a whole where nothing is streamed, and lists models', async () => {
    const server = await start({ models: ['a', 'b'], dialect: 'llama.cpp' });
    const client = new OpenAI({ apiKey: 'k', baseURL: server.baseUrl, maxRetries: 0 });
    const reply = await client.chat.completions.create({ model: 'a', messages });
    expect(reply.choices[0]?.message.content).toBe('Hello there.');
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(server.others).toEqual(['GET /v1/models']);
  });

  it('refuses keys, models, parameters and long prompts', async () => {
    const server = await start({ key: 'right', refuses: { seed: 'unknown' }, contextTokens: 10 });
    const ask = (apiKey: string, model: string, extra: object) =>
      new OpenAI({ apiKey, baseURL: server.baseUrl, maxRetries: 0 }).chat.completions.create({
        model,
        messages,
        ...extra,
      });
    await expect(ask('wrong', 'test-model', {})).rejects.toMatchObject({ status: 401 });
    await expect(ask('right', 'other', {})).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(ask('right', 'test-model', { seed: 1 })).rejects.toMatchObject({
      status: 400,
      param: 'seed',
    });
    const long = { messages: [{ role: 'user', content: 'long '.repeat(20) }] };
    await expect(ask('right', 'test-model', long)).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });

  it('notices a client that goes away in the middle of an answer', async () => {
    const server = await start({ answer: { kind: 'reply', text: 'One two three.', hang: true } });
    const client = new OpenAI({ apiKey: 'k', baseURL: server.baseUrl, maxRetries: 0 });
    const leaving = new AbortController();
    const stream = await client.chat.completions.create(
      { model: 'test-model', messages, stream: true },
      { signal: leaving.signal },
    );
    const request = await server.nextRequest();
    let text = '';
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (text !== '') leaving.abort();
    }
    expect(text).toBe('One');
    await expect(request.closed).resolves.toBe('gone');
  });
});
