/** Reads the chunks of an answer: a stream of events, or the whole reply as JSON from a server that doesn't stream. */
import { isJsonObject, type JsonObject } from '../../../../schemas/json/jsonValue';
import { eventsOf } from '../http/serverSentEvents';

/** What came is no answer of the protocol. `message` is the rest of a sentence about the server. */
export class NoAnswer extends Error {
  /** Whether the next answer may be one. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** Bytes of a whole reply, and of a stream, beyond which it is given up. */
const longestReply = 16_000_000;
const longestStream = 256_000_000;

/** How long the connection's end is waited for once a stream says that it is over, in milliseconds; it can be used again then. */
const patience = 100;

export class ChatStream {
  /** Whether the stream said that it is over. */
  isDone = false;
  readonly #body: ReadableStream<Uint8Array> | null;

  /** @param body pieces that end where events end */
  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#body = body;
  }

  /**
   * The chunks, or the one reply. Ends where the stream does, also in the middle of an event.
   *
   * @throws NoAnswer; what the body's reader throws
   */
  async *chunks(): AsyncGenerator<JsonObject> {
    if (this.#body === null) return;
    const reader = this.#body.getReader();
    const decoder = new TextDecoder();
    let whole: string[] | undefined;
    let isFirst = true;
    let bytes = 0;
    /** An event that is no JSON: the last one may have been cut off. */
    let broken = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      const text = decoder.decode(value, { stream: true });
      if (isFirst && text.trim() !== '') {
        isFirst = false;
        const start = text.trimStart().charAt(0);
        if (start === '<') throw new NoAnswer('answers with a web page: correct the base URL.', false);
        if (start === '{') whole = [];
      }
      if (bytes > (whole === undefined ? longestStream : longestReply)) {
        throw new NoAnswer('sends an answer that has no end.', false);
      }
      if (whole !== undefined) {
        whole.push(text);
        continue;
      }
      for (const data of eventsOf(text)) {
        if (broken) throw new NoAnswer('sends an event that is no JSON.', true);
        if (data.trim() === '[DONE]') {
          this.isDone = true;
          await endOf(reader);
          return;
        }
        const chunk = parsed(data);
        if (chunk === undefined) broken = true;
        else yield chunk;
      }
    }
    if (whole === undefined) return;
    const reply = parsed(whole.join('') + decoder.decode());
    if (reply === undefined) return;
    this.isDone = true;
    yield reply;
  }
}

/** An object; anything else is none of the protocol's. */
function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Who called knows whether more follows.
    return undefined;
  }
}

async function endOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  // What comes after the end, or keeps it from coming, changes nothing.
  await Promise.race([waited, reader.read().catch(() => undefined)]);
  clearTimeout(timer);
}
