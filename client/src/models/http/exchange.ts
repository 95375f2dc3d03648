/**
 * One request and its answer, between a provider's library and `fetch`: says what is sent and what came, gives up where
 * nothing comes for a while, and follows no redirection, which could carry a key elsewhere.
 */
import type { ReceivedResponse, SentRequest } from '../../runtime/model';
import { createEventPieces } from './eventPieces';
import type { Fetch } from './fetch';
import type { SecretFilter } from './secretFilter';

/** Bytes of an answer that are kept to be shown. */
const keptBytes = 1_000_000;

/** An event of a stream isn't longer, nor is an answer, in bytes. */
const longestEvent = 16_000_000;
const longestAnswer = 256_000_000;

/** The longest delay of a timer, in milliseconds. */
const longestDelay = 2 ** 31 - 1;

export interface ExchangeOptions {
  /** By default the global one as it is when the request is made. */
  readonly fetch: Fetch | undefined;
  /** Milliseconds without a byte, before the first and between two, after which the request is given up. */
  readonly timeout: number;
  /** Milliseconds after which the request is given up, also where bytes keep coming; without limit by default. */
  readonly deadline?: number | undefined;
  readonly signal: AbortSignal;
  /** Learns the values of `secretHeaders`, and hides them in all that is told. */
  readonly secrets: SecretFilter;
  /** The headers that hold secrets, in lower case, with the name of a variable for each: `$GEMINI_API_KEY`. */
  readonly secretHeaders: ReadonlyMap<string, string>;
}

/** Why there is no whole answer. */
export type ExchangeFailure =
  /** Nothing came for as long as the timeout says. */
  | { readonly kind: 'timeout' }
  /** Something keeps coming, and no end of it. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  /** The connection was lost while the answer came. */
  | { readonly kind: 'broken'; readonly cause: unknown }
  /** The status is none of success; `body` is what was read of the answer. */
  | { readonly kind: 'status'; readonly status: number; readonly headers: Headers; readonly body: string };

export interface Exchange {
  /** For the library. What it throws is told by `failure`; the text of its errors isn't meant for anybody. */
  readonly fetch: typeof globalThis.fetch;
  /** Settles when the library wants to send its request, which waits for `send`. */
  readonly prepared: Promise<SentRequest>;
  send(): void;
  /** What came; undefined as long as nothing was sent. */
  readonly received: ReceivedResponse | undefined;
  /** The same while more may come, or where the answer was given up before its end. */
  readonly receivedSoFar: ReceivedResponse | undefined;
  readonly failure: ExchangeFailure | undefined;
  /** Gives the connection up, if it is still open. */
  close(): void;
}

export function createExchange({
  fetch,
  timeout,
  deadline,
  signal,
  secrets,
  secretHeaders,
}: ExchangeOptions): Exchange {
  const connection = new AbortController();
  const prepared = withResolver<SentRequest>();
  const released = withResolver<void>();
  const kept: Uint8Array[] = [];
  let keptLength = 0;
  let isCut = false;
  let head: { readonly status: number; readonly headers: Headers } | undefined;
  let isSent = false;
  let isClosed = false;
  let failure: ExchangeFailure | undefined;
  let whole: ReturnType<typeof setTimeout> | undefined;

  const abort = () => connection.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });

  /** The first failure counts, and none that comes of giving up. */
  function fail(given: ExchangeFailure): Error {
    if (!signal.aborted && !isClosed) failure ??= given;
    return new Error(`The exchange failed: ${given.kind}`);
  }

  function givenUpAfter(milliseconds: number, kind: 'timeout' | 'endless') {
    const giveUp = () => {
      // Where nothing has come at all, the deadline passed before the timer of the silence had its turn.
      fail({ kind: keptLength === 0 ? 'timeout' : kind });
      connection.abort();
    };
    return setTimeout(giveUp, Math.min(milliseconds, longestDelay));
  }

  /** What a wait for the server comes to, unless it takes too long. */
  async function timed<Value>(wait: () => Promise<Value>): Promise<Value> {
    const timer = givenUpAfter(timeout, 'timeout');
    try {
      return await wait();
    } finally {
      clearTimeout(timer);
    }
  }

  function keep(bytes: Uint8Array): void {
    const room = keptBytes - keptLength;
    if (bytes.length > room) isCut = true;
    if (room <= 0) return;
    const part = bytes.slice(0, room);
    kept.push(part);
    keptLength += part.length;
  }

  /** The kept bytes as text, without a key that is cut in two at their end. @param isOpen whether more may come */
  function keptText(isOpen = false): string {
    const decoder = new TextDecoder();
    const text = kept.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
    if (!isCut && !isOpen) return secrets.hide(text);
    return secrets.pieces().write(text);
  }

  /**
   * The body, read on demand: while nobody reads, no time runs out. Given on by whole events, since libraries search what
   * they have of an event again with every piece.
   */
  function watched(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const events = createEventPieces();
    let length = 0;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            for (;;) {
              const { done, value } = await timed(() => reader.read());
              if (value !== undefined) keep(value);
              length += value?.length ?? 0;
              if (length > longestAnswer) throw fail({ kind: 'endless' });
              const whole = done ? events.end() : events.write(value);
              if (whole !== undefined) controller.enqueue(whole);
              if (done) return controller.close();
              if (events.length > longestEvent) throw fail({ kind: 'endless' });
              if (whole !== undefined) return;
            }
          } catch (cause) {
            controller.error(fail({ kind: 'broken', cause }));
          }
        },
        cancel: () => connection.abort(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Reads what an error says, as far as it comes. */
  async function readError(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = watched(body).getReader();
    try {
      while (keptLength < keptBytes && !(await reader.read()).done);
    } catch {
      // The status tells what failed; what was read of its explanation has been kept.
      failure = undefined;
    }
    // There may be more of it, which nobody wants.
    connection.abort();
  }

  async function send(
    input: Parameters<typeof globalThis.fetch>[0],
    init: RequestInit = {},
  ): Promise<Response> {
    const given = new Headers(init.headers);
    for (const name of secretHeaders.keys()) learn(given.get(name), secrets);
    // The libraries may pass a `Request` by their types, and do not.
    if (typeof input !== 'string' && !(input instanceof URL)) throw new TypeError('A Request is not sent.');
    prepared.resolve({
      method: init.method ?? 'GET',
      url: secrets.hide(String(input)),
      headers: shownHeaders(given, secrets.hide, secretHeaders),
      body: typeof init.body === 'string' ? secrets.hide(init.body) : '',
    });
    await released.promise;
    connection.signal.throwIfAborted();
    isSent = true;
    if (deadline !== undefined) whole = givenUpAfter(deadline, 'endless');
    let response: Response;
    try {
      response = await timed(() =>
        (fetch ?? globalThis.fetch)(input, { ...init, redirect: 'manual', signal: connection.signal }),
      );
    } catch (cause) {
      throw fail({ kind: 'unreachable', cause });
    }
    const { status, statusText, headers, body, ok } = response;
    head = { status, headers };
    if (!ok) {
      if (body !== null) await readError(body);
      if (signal.aborted) throw signal.reason;
      throw fail({ kind: 'status', status, headers, body: keptText() });
    }
    return new Response(body && watched(body), { status, statusText, headers });
  }

  function received(body: string): ReceivedResponse | undefined {
    if (!isSent) return undefined;
    if (head === undefined) return { status: undefined, headers: {}, body };
    const { status } = head;
    const hide = status < 300 ? secrets.hide : secrets.hideInError;
    return { status, headers: shownHeaders(head.headers, hide, secretHeaders), body: hide(body) };
  }

  return {
    fetch: send,
    prepared: prepared.promise,
    send: () => released.resolve(),
    get received() {
      return received(keptText());
    },
    get receivedSoFar() {
      return received(keptText(true));
    },
    get failure() {
      return failure;
    },
    close() {
      isClosed = true;
      clearTimeout(whole);
      signal.removeEventListener('abort', abort);
      connection.abort();
      // A request that was never released ends, instead of waiting for ever.
      released.resolve();
    },
  };
}

/** The value of `Authorization` is a scheme and a secret. */
function learn(value: string | null, secrets: SecretFilter): void {
  if (value !== null) secrets.add(value.replace(/^Bearer\s+/i, ''));
}

function shownHeaders(
  headers: Headers,
  hide: SecretFilter['hide'],
  secretHeaders: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, secretHeaders.get(name) ?? hide(value)]),
  );
}

function withResolver<Value>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
} {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
