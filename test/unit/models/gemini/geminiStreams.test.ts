/** Gemini's stream cut at every byte, in pieces of every size, and without an end. */
import { describe, expect, it } from 'vitest';
import { ask, geminiModel, startServer } from './geminiHarness';

const reply = { text: 'A „lämp“ 😀.\n', thinking: 'Hm, ok.' };

/** Without what the service tells beside, so that there are few bytes to cut. */
function chunk(parts: readonly object[], more: object = {}, beside: object = {}): string {
  return `data: ${JSON.stringify({ candidates: [{ content: { parts }, ...more }], ...beside })}\r\n\r\n`;
}

const events = [
  chunk([{ text: reply.thinking, thought: true }]),
  chunk([{ text: reply.text.slice(0, 5) }]),
  chunk(
    [{ text: reply.text.slice(5) }],
    { finishReason: 'STOP' },
    { usageMetadata: { promptTokenCount: 4 } },
  ),
];
const bytes = new TextEncoder().encode(events.join(''));
const { length } = new TextEncoder().encode(events.slice(0, -1).join(''));

/** A fetch that answers with these bytes, in these pieces, and then ends or breaks. */
function answering(pieces: readonly Uint8Array[], isBroken = false): typeof globalThis.fetch {
  return async () => {
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[next++];
        if (piece !== undefined) controller.enqueue(piece);
        else if (isBroken) controller.error(new TypeError('terminated'));
        else controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

const here = { baseUrl: 'http://127.0.0.1:1' };

/** Ways in which gateways write the same events. */
const writings: Readonly<Record<string, (event: string) => string>> = {
  'a comment before it': (event) => `: keep-alive\r\n${event}`,
  'a comment of its own': (event) => `: keep-alive\r\n\r\n${event}`,
  'its kind and number': (event) => `id: 7\r\nevent: message\r\nretry: 10\r\n${event}`,
  'several lines of data': (event) => event.replaceAll(',"', ',\r\ndata: "'),
  'other line ends': (event) => `: x\n${event.replaceAll('\r\n', '\n')}`,
  'line ends of another kind': (event) => `: x\r${event.replaceAll('\r\n', '\r')}`,
  'no space': (event) => `event:x\r\n${event.replaceAll('data: ', 'data:')}`,
};

describe('a stream of Gemini', () => {
  it.each(Object.keys(writings))('has all of its text where an event has %s', async (name) => {
    const written = new TextEncoder().encode(events.map((one) => writings[name]?.(one)).join(''));
    for (const size of [1, 7, written.length]) {
      const pieces = Array.from({ length: Math.ceil(written.length / size) }, (_, index) =>
        written.slice(index * size, (index + 1) * size),
      );
      const answered = await ask(geminiModel(here, { resources: { fetch: answering(pieces) } }));
      expect(answered).toMatchObject({ text: reply.text, thinking: reply.thinking, failure: undefined });
    }
  });

  it('is told piece by piece as it comes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await startServer({ answer: { kind: 'reply', text: 'one two', held } });
    const answered = ask(geminiModel(server, { resources: { fetch: releasing(release) } }));
    expect((await answered).text).toBe('one two');
  });

  it.each([false, true])(
    'that is cut at any byte is no answer, unless its end was there (broken: %s)',
    async (isBroken) => {
      // The last event ends with CR LF CR LF; where it breaks off inside of that, its end isn't there.
      for (let cut = 0; cut <= bytes.length; cut++) {
        const fetch = answering(cut === 0 ? [] : [bytes.slice(0, cut)], isBroken);
        const answered = await ask(geminiModel(here, { resources: { fetch } }));
        if (cut === bytes.length) {
          expect(answered).toMatchObject({ ...reply, finish: 'stop', failure: undefined });
          expect(answered.usage).toBeDefined();
        } else {
          expect(answered.failure).toMatchObject({ class: 'malformed-stream', retryable: true });
          expect(answered.finish).toBeUndefined();
          expect(answered.usage).toBeUndefined();
          expect(reply.text.startsWith(answered.text)).toBe(true);
          expect(new TextEncoder().encode(answered.response?.body)).toHaveLength(asText(cut));
        }
      }
    },
  );

  it('is cut over a real connection', async () => {
    const server = await startServer();
    const model = geminiModel(server);
    for (let cut = 0; cut < bytes.length; cut += 17) {
      server.answer({ kind: 'bytes', pieces: [bytes.slice(0, cut)], ends: cut % 2 === 0 ? 'cut' : 'whole' });
      const { failure, text } = await ask(model);
      expect(failure).toMatchObject({ class: 'malformed-stream', retryable: true });
      expect(reply.text.startsWith(text)).toBe(true);
    }
  });

  it('is the same in pieces of any size', async () => {
    const whole = await ask(geminiModel(here, { resources: { fetch: answering([bytes]) } }));
    const told = whole.events.map((event) =>
      event.type === 'request' ? { ...event, received: expect.any(Function) } : event,
    );
    for (const size of [1, 2, 3, 7, 64, length]) {
      const pieces: Uint8Array[] = [];
      for (let start = 0; start < bytes.length; start += size) pieces.push(bytes.slice(start, start + size));
      const answered = await ask(geminiModel(here, { resources: { fetch: answering(pieces) } }));
      expect(answered.events).toEqual(told);
    }
  });

  it('is whole where its connection breaks after its end, or stays open', async () => {
    const server = await startServer({ answer: { kind: 'bytes', pieces: [bytes], ends: 'cut' } });
    expect(await ask(geminiModel(server))).toMatchObject({
      text: reply.text,
      finish: 'stop',
      failure: undefined,
    });
    server.answer({ kind: 'bytes', headers: { 'content-length': '99999' }, pieces: [bytes], ends: 'cut' });
    expect(await ask(geminiModel(server))).toMatchObject({
      text: reply.text,
      finish: 'stop',
      failure: undefined,
    });
    server.answer({ kind: 'bytes', pieces: [bytes], ends: 'hang' });
    const model = geminiModel(server, { settings: { timeout: 0.5 } });
    expect(await ask(model)).toMatchObject({ text: reply.text, finish: 'stop', failure: undefined });
  });

  it('is no answer where its length is less than there is', async () => {
    const server = await startServer();
    for (const short of [10, length - 1, bytes.length - 1]) {
      server.answer({
        kind: 'bytes',
        headers: { 'content-length': String(short) },
        pieces: [bytes.slice(0, short)],
      });
      expect((await ask(geminiModel(server))).failure).toMatchObject({ class: 'malformed-stream' });
    }
  });

  it('takes lines that end in other ways', async () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const text = events.join('').replaceAll('\r\n', end);
      const fetch = answering([new TextEncoder().encode(text)]);
      expect(await ask(geminiModel(here, { resources: { fetch } }))).toMatchObject({ text: reply.text });
    }
  });

  it('that has no end is given up', async () => {
    const piece = new Uint8Array(1_000_000).fill(32);
    let count = 0;
    const fetch: typeof globalThis.fetch = async () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            count += 1;
            controller.enqueue(piece);
          },
        }),
      );
    const answered = await ask(geminiModel(here, { resources: { fetch } }));
    expect(answered.failure).toMatchObject({ class: 'malformed-stream' });
    expect(count).toBeLessThan(25);
    expect(answered.response?.body).toHaveLength(1_000_000);
  });
});

/** How many bytes a cut stream has as text: what breaks off inside of a character is one of replacement. */
function asText(cut: number): number {
  return new TextEncoder().encode(new TextDecoder().decode(bytes.slice(0, cut))).length;
}

/** The global fetch, whose answer is let on once its first piece has been read. */
function releasing(release: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece);
        release();
      },
    });
    return new Response(response.body?.pipeThrough(through), response);
  };
}
