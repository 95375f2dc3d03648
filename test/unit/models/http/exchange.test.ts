/** What an exchange gives up, whatever library reads it. */
import { describe, expect, it, vi } from 'vitest';
import { createExchange } from '../../../../client/src/models/http/exchange';
import { createSecretFilter } from '../../../../client/src/models/http/secretFilter';

/** Reads an answer without end, made of the same piece again and again. */
async function readEndless(piece: Uint8Array) {
  let count = 0;
  const fetch = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          count += 1;
          controller.enqueue(piece);
        },
      }),
    );
  const exchange = createExchange({
    fetch,
    timeout: 60_000,
    signal: new AbortController().signal,
    secrets: createSecretFilter(),
    secretHeaders: new Map(),
  });
  exchange.send();
  const { body } = await exchange.fetch('http://127.0.0.1:9');
  const reading = async () => {
    for (const reader = body?.getReader(); ; ) if ((await reader?.read())?.done !== false) return;
  };
  await expect(reading()).rejects.toThrow('The exchange failed');
  exchange.close();
  return { exchange, count };
}

describe('an exchange', () => {
  it('gives up an answer that has no end', async () => {
    const { exchange, count } = await readEndless(Buffer.alloc(1_000_000, ': comment\n\n'));
    expect(exchange.failure).toEqual({ kind: 'endless' });
    expect(count).toBeLessThan(260);
    expect(exchange.received?.body.length).toBe(1_000_000);
  });

  it('gives up an event that has no end', async () => {
    const { exchange, count } = await readEndless(Buffer.alloc(1_000_000, 'a'));
    expect(exchange.failure).toEqual({ kind: 'endless' });
    expect(count).toBeLessThan(20);
  });

  it('sends no Request, whose method, headers and body it would lose', async () => {
    const fetch = vi.fn(async () => new Response('ok'));
    const exchange = createExchange({
      fetch,
      timeout: 60_000,
      signal: new AbortController().signal,
      secrets: createSecretFilter(),
      secretHeaders: new Map(),
    });
    exchange.send();
    const request = new Request('http://127.0.0.1:9', { method: 'POST', body: 'What now.' });
    await expect(exchange.fetch(request)).rejects.toThrow(TypeError);
    expect(fetch).not.toHaveBeenCalled();
    await exchange.fetch(new URL('http://127.0.0.1:9'));
    expect(fetch).toHaveBeenCalledOnce();
    exchange.close();
  });
});
