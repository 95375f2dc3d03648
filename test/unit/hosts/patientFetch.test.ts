/** The command line's own `fetch`: no limits of the library's, and another try where an idle connection was just closed. */
import { createServer, type Server, type Socket } from 'node:net';
import * as undici from 'undici';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createPatientFetch, fetchThrough } from '../../../client/src/hosts/node/patientFetch';
import { createProxyFetch } from '../../../client/src/hosts/node/proxyFetch';
import type { Fetch } from '../../../client/src/models/http/fetch';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type Act = (socket: Socket) => void;

/** A server that does for its nth request, from 0, what is given; all are posts of a body that ends with `.`. */
async function start(...acts: readonly Act[]) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      if (/\.(\r\n0\r\n\r\n)?$/.test(text)) acts[requests++]?.(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
  return {
    url: `http://127.0.0.1:${address.port}/`,
    get seen() {
      return { requests, connections: sockets.length };
    },
  };
}

const answer: Act = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
const end: Act = (socket) => socket.end();
const reset: Act = (socket) => socket.resetAndDestroy();
const begin: Act = (socket) => socket.end('HTTP/1.1 200');

const post = { method: 'POST', body: 'What now.' } as const;

async function ask(fetch: Fetch, url: string, init: RequestInit = post): Promise<string> {
  const text = await (await fetch(url, init)).text();
  // The library has the connection back with its next turn.
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

describe('the fetch of the command line', () => {
  it.each([
    ['ended', end],
    ['reset', reset],
  ])('asks again at once where a connection that was used before is %s', async (_, close) => {
    const server = await start(answer, close, answer, answer);
    const fetch = createPatientFetch();
    expect(await ask(fetch, server.url)).toBe('ok');
    expect(await ask(fetch, server.url)).toBe('ok');
    expect(server.seen).toEqual({ requests: 3, connections: 2 });
    expect(await ask(fetch, server.url)).toBe('ok');
    expect(server.seen).toEqual({ requests: 4, connections: 2 });
  });

  it('does the same through a proxy', async () => {
    const proxy = await start(answer, reset, answer);
    const fetch = createProxyFetch({ HTTP_PROXY: proxy.url }, globalThis.fetch);
    expect(await ask(fetch, 'http://models.invalid/')).toBe('ok');
    expect(await ask(fetch, 'http://models.invalid/')).toBe('ok');
    expect(proxy.seen).toEqual({ requests: 3, connections: 2 });
  });

  it('asks again once', async () => {
    const server = await start(answer, reset, reset, answer);
    const fetch = createPatientFetch();
    await ask(fetch, server.url);
    await expect(ask(fetch, server.url)).rejects.toThrow('fetch failed');
    expect(server.seen).toEqual({ requests: 3, connections: 2 });
  });

  it('does not ask again on a new connection, nor after a byte, nor with a body that is used up', async () => {
    const fresh = await start(reset, answer);
    await expect(ask(createPatientFetch(), fresh.url)).rejects.toThrow('fetch failed');
    expect(fresh.seen).toEqual({ requests: 1, connections: 1 });

    const begun = await start(answer, begin, answer);
    const fetch = createPatientFetch();
    await ask(fetch, begun.url);
    await expect(ask(fetch, begun.url)).rejects.toThrow();
    expect(begun.seen).toEqual({ requests: 2, connections: 1 });

    const streamed = await start(answer, reset, answer);
    await ask(fetch, streamed.url);
    const body = new Blob(['What now.']).stream();
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    await expect(ask(fetch, streamed.url, init)).rejects.toThrow('fetch failed');
    expect(streamed.seen).toEqual({ requests: 2, connections: 1 });
  });

  it('does not ask again for who has given up', async () => {
    const giving = new AbortController();
    const server = await start(
      answer,
      (socket) => {
        giving.abort(new Error('enough'));
        reset(socket);
      },
      answer,
    );
    const fetch = createPatientFetch();
    await ask(fetch, server.url);
    await expect(ask(fetch, server.url, { ...post, signal: giving.signal })).rejects.toThrow('enough');
    expect(server.seen).toEqual({ requests: 2, connections: 1 });
  });

  it('has none of the limits of time that the library has by itself', async () => {
    const server = await start(answer);
    const seen: (number | null | undefined)[] = [];
    const agent = new Agent().compose((dispatch) => (options, handler) => {
      seen.push(options.headersTimeout, options.bodyTimeout);
      return dispatch(options, handler);
    });
    expect(await (await fetchThrough(undici, agent, server.url, post)).text()).toBe('ok');
    expect(seen).toEqual([0, 0]);
  });

  it('keeps two requests apart that run at the same time', async () => {
    const held: Socket[] = [];
    const server = await start(
      (socket) => held.push(socket),
      (socket) => {
        for (const one of [...held, socket]) answer(one);
      },
      reset,
      answer,
      answer,
    );
    const fetch = createPatientFetch();
    const both = () => Promise.all([ask(fetch, server.url), ask(fetch, server.url)]);
    expect(await both()).toEqual(['ok', 'ok']);
    expect(await both()).toEqual(['ok', 'ok']);
    expect(server.seen).toEqual({ requests: 5, connections: 3 });
  });
});
