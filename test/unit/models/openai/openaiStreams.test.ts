/** Streams that are cut, bent or lie. */
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askModel } from '../../../support/askedModel';
import { type Answer, type Answering, streamText, wholeReply } from '../../../support/openaiServer';
import { closeServers, modelAt, openServer, passingTime } from './askedServer';

const rawServers: Server[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await closeServers();
  for (const server of rawServers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function answered(answer: Answering) {
  return askModel(modelAt((await openServer({ answer })).baseUrl));
}

/** Answers every request with these bytes, HTTP's own among them, and closes. */
async function rawServer(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  rawServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return `http://127.0.0.1:${address.port}/v1`;
}

const text = 'Zum Regal ☃ 🦉, dann\n\nzurück.';

describe('a stream', () => {
  it('is a whole reply or a malformed-stream failure wherever it is cut', async () => {
    // As short as such streams are, since each byte is a request.
    const stream = streamText({ text, pieces: [text.slice(0, 12), text.slice(12)], thinking: 'Hm.' });
    const bytes = Buffer.from(
      stream.replaceAll(/"(id|object|created|model|system_fingerprint|logprobs)":("[^"]*"|\d+|null),?/g, ''),
    );
    const finish = bytes.indexOf('"finish_reason":"stop"');
    const end = bytes.indexOf('\n\n', finish) + 2;
    const cuts = [...bytes.keys()];
    const server = await openServer({
      answer: (_, nth) => ({
        kind: 'bytes',
        pieces: [bytes.subarray(0, cuts[nth])],
        ends: nth % 2 === 0 ? 'cut' : 'whole',
      }),
    });
    const model = modelAt(server.baseUrl);
    let whole = 0;
    for (const cut of cuts) {
      const asked = await askModel(model);
      expect(text.startsWith(asked.text)).toBe(true);
      if (asked.failure === undefined) {
        whole++;
        expect([cut, asked.text, asked.finish]).toEqual([cut, text, ['stop']]);
        expect(cut).toBeGreaterThan(finish);
      } else {
        expect([cut, asked.failure.class, asked.failure.retryable]).toEqual([cut, 'malformed-stream', true]);
        expect(asked.finish).toEqual([]);
        // From the end of the event that says why it ended, the reply is whole.
        expect(cut).toBeLessThan(end);
      }
    }
    expect(whole).toBeGreaterThan(50);
    expect(whole).toBeLessThan(cuts.length / 2);
  });

  it('is the same whatever pieces it comes in, with every line end', async () => {
    const stream = streamText({ text, thinking: 'Hm.' });
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(stream.replaceAll('\n', lineEnd));
      for (const size of [1, 2, 3, 7, 64, 1_000]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const asked = await answered({ kind: 'bytes', pieces });
        expect([lineEnd, size, asked.text, asked.thinking, asked.finish]).toEqual([
          lineEnd,
          size,
          text,
          'Hm.',
          ['stop'],
        ]);
      }
    }
  });

  it('may have a byte order mark, comments, other fields and events without data', async () => {
    const chunk = JSON.stringify(wholeReply({ text: 'Yes.' }));
    const asked = await answered({
      kind: 'bytes',
      pieces: [
        `\uFEFF: hello\n\nid: 7\nevent: x\nretry: 10\n\ndata:${chunk}\n: more\n\nnonsense\n\ndata: [DONE]\n\n`,
      ],
    });
    expect([asked.text, asked.failure]).toEqual(['Yes.', undefined]);
  });

  it('is whole at [DONE], also where nothing says why it ended, and the connection stays open', async () => {
    const server = await openServer({
      answer: { kind: 'bytes', pieces: [streamText({ text: 'Yes.', finish: null })], ends: 'hang' },
    });
    const asked = await askModel(modelAt(server.baseUrl));
    expect([asked.text, asked.finish, asked.failure]).toEqual(['Yes.', [], undefined]);
    await expect(server.requests[0]?.closed).resolves.toBe('gone');
  });

  it('is whole once it said why it ended, where nothing follows', async () => {
    const server = await openServer({
      answer: { kind: 'bytes', pieces: [streamText({ text: 'Yes.', done: false })], ends: 'hang' },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const reply = askModel(modelAt(server.baseUrl), { onText: begin });
    await begun;
    const asked = await passingTime(reply);
    expect([asked.text, asked.finish, asked.usage.length, asked.failure]).toEqual([
      'Yes.',
      ['stop'],
      1,
      undefined,
    ]);
  });

  it('that ends without an answer is none', async () => {
    for (const bytes of [
      '',
      'data: [DONE]\n\n',
      ': nothing\n\n',
      'data: {"choices":[]}\n\ndata: [DONE]\n\n',
      '{"choices":[]}',
      '{}',
    ]) {
      const { failure } = await answered({ kind: 'bytes', pieces: [bytes] });
      expect([bytes, failure?.class, failure?.retryable]).toEqual([bytes, 'malformed-stream', true]);
    }
  });

  it('with an error in it fails by what the error says', async () => {
    const begun = streamText({ text: 'It is', finish: null, done: false });
    const errors: readonly [string, string, boolean][] = [
      ['data: {"error":{"message":"Slow down","type":"requests","code":429}}\n\n', 'rate-limit', true],
      [
        'data: {"error":{"message":"The server had an error","type":"server_error","code":null}}\n\n',
        'server-error',
        true,
      ],
      ['error: {"code":500,"message":"It broke","type":"server_error"}\n\n', 'server-error', true],
      ['event: error\ndata: {"error":"It broke"}\n\n', 'server-error', true],
      ['data: {"object":"error","message":"It broke","code":400}\n\n', 'bad-request', false],
      [
        'data: {"error":{"message":"m","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":8}}\n\n',
        'context-length',
        false,
      ],
    ];
    for (const [bytes, failureClass, retryable] of errors) {
      const asked = await answered({ kind: 'bytes', pieces: [begun, bytes] });
      expect([bytes, asked.failure?.class, asked.failure?.retryable]).toEqual([
        bytes,
        failureClass,
        retryable,
      ]);
      expect(asked.order).toEqual(['request', 'text', 'response', 'usage']);
    }
  });

  it('of events that are no JSON is none', async () => {
    for (const data of ['nonsense', '{"choices":', '[]', 'null', '"text"', '1e999']) {
      const { failure } = await answered({ kind: 'bytes', pieces: [`data: ${data}\n\ndata: {}\n\n`] });
      expect([data, failure?.class]).toEqual([data, 'malformed-stream']);
    }
  });

  it('passes over what has other types than it should', async () => {
    const odd = [
      { choices: 'none' },
      { choices: [null, 7, 'x'] },
      { choices: [{ index: 0, delta: null }] },
      { choices: [{ index: 0, delta: { content: 7, reasoning: {}, refusal: [] }, finish_reason: 9 }] },
      { choices: [{ delta: { content: 'Yes.', ['__proto__']: { content: 'No.' } } }], usage: 'much' },
      { choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: '3', completion_tokens: null } },
    ];
    const pieces = [...odd.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
    const asked = await answered({ kind: 'bytes', pieces });
    expect([asked.text, asked.usage, asked.finish, asked.failure]).toEqual(['Yes.', [], ['stop'], undefined]);
  });

  it('of bytes that are no UTF-8 has replacement characters in their place', async () => {
    const [before = '', after = ''] = streamText({ text: 'a#b', pieces: ['a#b'] }).split('#');
    const pieces = [Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc3]), Buffer.from(after)])];
    const asked = await answered({ kind: 'bytes', pieces });
    expect([asked.text, asked.finish]).toEqual(['a\uFFFD\uFFFDb', ['stop']]);
  });

  it('joins halves of characters that stand in two chunks', async () => {
    const asked = await answered({ kind: 'reply', text: '🦉', pieces: ['\ud83e', '\udd89'] });
    expect(asked.text).toBe('🦉');
  });

  it('that is a web page says that the base URL is wrong', async () => {
    const { failure } = await answered({
      kind: 'bytes',
      headers: { 'content-type': 'text/html' },
      pieces: ['<!DOCTYPE html><html><title>Sign in</title></html>'],
    });
    expect([failure?.class, failure?.retryable]).toEqual(['malformed-stream', false]);
    expect(failure?.message).toMatch(/^The server at .* answers with a web page: correct the base URL\.$/);
  });

  it('of one event without end is given up', async () => {
    const piece = Buffer.alloc(1_000_000, 'a');
    const asked = await answered({
      kind: 'bytes',
      pieces: ['data: ', ...Array<Buffer>(20).fill(piece)],
      ends: 'hang',
    });
    expect([asked.failure?.class, asked.text]).toEqual(['malformed-stream', '']);
    // What is shown of it is bounded, too.
    expect(asked.responses[0]?.body.length).toBeLessThanOrEqual(1_000_000);
  });

  it('of one JSON text without end is given up', async () => {
    const piece = Buffer.alloc(1_000_000, '\n\n');
    const asked = await answered({
      kind: 'bytes',
      pieces: ['{', ...Array<Buffer>(20).fill(piece)],
      ends: 'hang',
    });
    expect([asked.failure?.class, asked.failure?.retryable]).toEqual(['malformed-stream', false]);
  });

  it('deeply nested is read', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const chunk = `data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}],"more":${deep}}\n\n`;
    expect((await answered({ kind: 'bytes', pieces: [chunk] })).text).toBe('Yes.');
  });
});

describe('a body that lies about its length', () => {
  const stream = streamText({ text: 'Yes, indeed.' });
  const cut = stream.slice(0, stream.indexOf('indeed'));

  async function lying(bytes: string, length: number) {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${length}\r\n\r\n`;
    return askModel(modelAt(await rawServer(head + bytes)));
  }

  it('is whole where the reply is', async () => {
    const long = await lying(stream, stream.length + 100);
    expect([long.text, long.finish, long.failure]).toEqual(['Yes, indeed.', ['stop'], undefined]);
    const done = stream.indexOf('data: [DONE]');
    const short = await lying(stream, done);
    expect([short.text, short.finish, short.failure]).toEqual(['Yes, indeed.', ['stop'], undefined]);
  });

  it('is a malformed stream where the reply is not', async () => {
    for (const [bytes, length] of [
      [cut, stream.length],
      [stream, cut.length],
    ] as const) {
      const asked = await lying(bytes, length);
      expect([asked.failure?.class, asked.failure?.retryable]).toEqual(['malformed-stream', true]);
    }
  });

  it('of JSON that ends early is a malformed stream', async () => {
    const body = JSON.stringify(wholeReply({ text: 'Yes.' }));
    for (const length of [body.length + 10, body.length - 10]) {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
      const asked = await askModel(modelAt(await rawServer(head + body)));
      expect([length, asked.failure?.class]).toEqual([length, 'malformed-stream']);
    }
  });
});

describe('what is no HTTP', () => {
  it('is a malformed stream, and the base URL is to be looked at', async () => {
    const { failure } = await askModel(modelAt(await rawServer('SSH-2.0-OpenSSH_9.6\r\n')));
    expect([failure?.class, failure?.retryable]).toEqual(['malformed-stream', false]);
    expect(failure?.message).toContain('is not HTTP');
  });

  it('is said where TLS is spoken to a server without it', async () => {
    const { baseUrl } = await openServer();
    const { failure } = await askModel(modelAt(baseUrl.replace('http:', 'https:')));
    expect([failure?.class, failure?.retryable]).toEqual(['connection', false]);
    expect(failure?.message).toMatch(/^The server at .+ doesn't speak TLS/);
  });

  it('is a cut answer where the server goes away before the header has ended', async () => {
    const { failure } = await askModel(modelAt(await rawServer('HTTP/1.1 200 OK\r\ncontent-ty')));
    expect([failure?.class, failure?.retryable]).toEqual(['connection', true]);
  });
});

it('fails in time that grows with the stream alone', async () => {
  // A hundred thousand events in one piece, and one event in a hundred thousand pieces of a server that has no hurry.
  const chunk = JSON.stringify({ choices: [{ delta: { content: 'a' } }] });
  const events: Answer = {
    kind: 'bytes',
    pieces: [`data: ${chunk}\n\n`.repeat(100_000), 'data: [DONE]\n\n'],
  };
  expect((await answered(events)).text).toHaveLength(100_000);
});
