/**
 * The command line's `fetch`, whose own limits of time are off, since each request has one of ours; and which asks again at
 * once where a server has just closed the idle connection that a request was written to.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import type { Dispatcher, Response as UndiciResponse } from 'undici';
import { codeOf } from '../../models/http/connectionFailure';
import type { Fetch } from '../../models/http/fetch';

type Library = typeof import('undici');

/** Instead of the library's 300 seconds for headers and between two pieces of a body. */
const unlimited = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Where a request was written, and how many bytes had been read there by then. */
interface Written {
  socket?: Socket;
  readBefore?: number;
}

/** A `fetch` without limits of time. Its library is loaded with the first request. */
export function createPatientFetch(): Fetch {
  let agent: Dispatcher | undefined;
  return async (url, init) => {
    const library = await import('undici');
    agent ??= new library.Agent();
    return fetchThrough(library, agent, url, init);
  };
}

/**
 * One request. Where it was written to a connection that had been used before, and that was closed before a byte of an
 * answer came, it is made once more on another one: most likely the server had closed it already. A request that isn't
 * idempotent may be repeated where nothing depends on how often it is made (RFC 9110, section 9.2.2), as with questions to
 * models, which change nothing at the server.
 *
 * @throws what the library's `fetch` does
 */
export async function fetchThrough(
  library: Library,
  dispatcher: Dispatcher,
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  watchRequests();
  for (let isAgain = false; ; isAgain = true) {
    const written: Written = {};
    const watched = dispatcher.compose((dispatch) => (options, handler) => {
      dispatching = written;
      try {
        return dispatch({ ...options, ...unlimited }, handler);
      } finally {
        dispatching = undefined;
      }
    });
    try {
      const given: { dispatcher: Dispatcher } = { ...(init as object), dispatcher: watched };
      const response: UndiciResponse = await library.fetch(url, given);
      // The same interface, of another copy of the same library.
      return response as unknown as Response;
    } catch (error) {
      const { body = null, signal } = init;
      const isRepeatable = body === null || typeof body === 'string';
      if (isAgain || signal?.aborted || !isRepeatable || !wasClosedIdle(written, error)) throw error;
    }
  }
}

/** The codes of a connection that the other side closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function wasClosedIdle({ socket, readBefore = 0 }: Written, error: unknown): boolean {
  return readBefore > 0 && socket?.bytesRead === readBefore && closedCodes.has(codeOf(error));
}

/** For whom a request is being dispatched just now, which takes no turn of the event loop. */
let dispatching: Written | undefined;
const requests = new WeakMap<object, Written>();
let isWatching = false;

/** Follows the library's requests by its documented diagnostics channels. */
function watchRequests(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:request:create', (message) => {
    const request = partOf(message, 'request');
    if (dispatching !== undefined && request !== undefined) requests.set(request, dispatching);
  });
  subscribe('undici:client:sendHeaders', (message) => {
    const written = requests.get(partOf(message, 'request') ?? {});
    const socket = partOf(message, 'socket');
    if (written !== undefined && socket instanceof Socket)
      Object.assign(written, { socket, readBefore: socket.bytesRead });
  });
}

function partOf(message: unknown, name: string): object | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const part: unknown = Reflect.get(message, name);
  return typeof part === 'object' && part !== null ? part : undefined;
}
