/**
 * What every HTTP server of the tests needs, whatever protocol it speaks: it listens on this machine, keeps the requests
 * that came, and answers in ways that no server should. Nothing here waits for a time: what is held goes on when the test
 * resolves a promise, and `hang` never does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';

export interface LocalServer {
  /** Such as `http://127.0.0.1:4321`. */
  readonly origin: string;
  readonly port: number;
  /** How many connections were made so far. */
  readonly connections: number;
  /** Ends connections that are still open, too; settles as well where it is closed already. */
  close(): Promise<void>;
}

export type Listener = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface ListenOptions {
  /** By default the system chooses. */
  readonly port?: number | undefined;
  /** A certificate, for https. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
}

/** Listens on 127.0.0.1. A listener that fails breaks its connection. */
export function startHttpServer(listener: Listener, { port, tls }: ListenOptions = {}): Promise<LocalServer> {
  const handle = (message: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    listener(message, response).catch((error: unknown) => {
      // A client that went away, or a test's own answer that throws: the connection says it.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  return listening(server, { port, scheme: tls === undefined ? 'http' : 'https' });
}

/** Lets a server listen on 127.0.0.1. */
export async function listening(
  server: Server,
  { port = 0, scheme = 'http' }: { readonly port?: number | undefined; readonly scheme?: string } = {},
): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return {
    origin: `${scheme}://127.0.0.1:${address.port}`,
    port: address.port,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise<void>((resolve) => {
        // The only error that there is: that it is closed already.
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The longest body that is read, in bytes. */
const maxBody = 50_000_000;

/** The text of a request's body. @throws Error for one that is too long */
export async function bodyOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of message) {
    if (!Buffer.isBuffer(piece)) throw new Error('A request of text');
    size += piece.length;
    if (size > maxBody) throw new Error('A request that is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** How a connection's share in a request ended: with the whole answer, or before. */
export type Closing = 'answered' | 'gone';

export function closingOf(response: ServerResponse): Promise<Closing> {
  return new Promise((resolve) => {
    response.on('close', () => resolve(response.writableFinished ? 'answered' : 'gone'));
  });
}

/** The requests that came, in their order. */
export class RequestLog<Request> {
  readonly #all: Request[] = [];
  #taken = 0;
  #waiting: (() => void)[] = [];

  get all(): readonly Request[] {
    return this.#all;
  }

  /** @returns the request's number, from 0 */
  add(request: Request): number {
    const nth = this.#all.push(request) - 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
    return nth;
  }

  /** The next request that no call has returned yet. */
  async next(): Promise<Request> {
    while (this.#all.length <= this.#taken)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    const request = this.#all[this.#taken++];
    if (request === undefined) throw new Error('No request');
    return request;
  }
}

/** Bytes as they are given; with a header `content-length` of their own they may lie about their length. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What follows the first piece waits for this. */
  readonly held?: Promise<unknown>;
  /** `whole` by default. `cut` closes the connection without the end that HTTP asks for, `hang` leaves it open. */
  readonly ends?: 'whole' | 'cut' | 'hang';
}

export type RawAnswer =
  | BytesAnswer
  /** Nothing is answered, not even a header. */
  | { readonly kind: 'hang' }
  /** The connection is reset before anything is answered. */
  | { readonly kind: 'reset' };

export async function sendRaw(
  answer: RawAnswer,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (answer.kind === 'hang') return;
  if (answer.kind === 'reset') {
    message.socket.resetAndDestroy();
    return;
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
  response.flushHeaders();
  for (const [index, piece] of answer.pieces.entries()) {
    if (index === 1) await answer.held;
    await written(response, piece);
  }
  if (answer.pieces.length < 2) await answer.held;
  if (answer.ends === 'cut') message.socket.destroy();
  else if (answer.ends !== 'hang') response.end();
}

export interface StreamAnswer {
  /** Its content type. */
  readonly type: string;
  /** The text of each event, in the protocol's own form. */
  readonly events: readonly string[];
  /** The event after which it waits, or hangs. */
  readonly first: number;
  readonly held?: Promise<unknown> | undefined;
  readonly hang?: boolean | undefined;
  /** What comes last. */
  readonly last?: string | undefined;
}

/** Sends each event by itself. */
export async function sendStream(
  { type, events, first, held, hang, last }: StreamAnswer,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  for (const [index, event] of events.entries()) {
    await written(response, event);
    if (index !== first) continue;
    if (hang) return;
    await held;
  }
  response.end(last);
}

/** Settles when a piece has left, or the client has gone, so that each is sent by itself. */
function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(piece, () => resolve()));
}
