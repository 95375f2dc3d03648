/** What a session keeps of the requests to its model: numbers, outcomes, bounds, and what it says of those let go. */
import { describe, expect, it } from 'vitest';
import { type ExchangeLimits, ExchangeLog, exchangeBody } from '../../../client/src/debug/exchangeLog';
import type { ModelNotice } from '../../../client/src/runtime/model';

function sent(body: string): ModelNotice {
  return { type: 'request', request: { method: 'POST', url: '', headers: {}, body } };
}

function received(body: string, status = 200): ModelNotice {
  return { type: 'response', response: { status, headers: {}, body } };
}

const rateLimited: ModelNotice = {
  type: 'retry',
  failure: { class: 'rate-limit', message: 'Too many requests.', wait: 2_000 },
};

/** `step.attempt.request body outcome`. */
function kept(log: ExchangeLog, line: readonly number[], step: number): readonly string[] | string {
  const found = log.find(line, step);
  if (typeof found === 'string') return found;
  return found.exchanges.map(
    ({ attempt, request, sent: { body }, outcome }) => `${step}.${attempt}.${request} ${body} ${outcome}`,
  );
}

function place(step: number, attempt = 1, branch = 0) {
  return { branch, step, attempt };
}

describe('requests', () => {
  it('are numbered in each attempt, and have the answers that came to them', () => {
    const log = new ExchangeLog();
    log.take(sent('a'), place(0));
    log.take(received('busy', 429), place(0));
    log.take(rateLimited, place(0));
    log.take(sent('b'), place(0));
    log.take({ type: 'thinking', text: 'Hm.' }, place(0));
    log.take(received('fine'), place(0));
    log.settle('answered');
    log.take(sent('c'), place(0, 2));
    expect(kept(log, [0], 0)).toEqual(['0.1.1 a failed', '0.1.2 b answered', '0.2.1 c under-way']);
    const found = log.find([0], 0);
    if (typeof found === 'string') throw new Error(found);
    const body = exchangeBody(found, 0, { attempt: 1, request: 1 });
    expect(body?.exchange).toEqual({
      summary: {
        attempt: 1,
        request: 1,
        outcome: 'failed',
        status: 429,
        failure: { class: 'rate-limit', message: 'Too many requests.', wait: 2_000 },
      },
      sent: { method: 'POST', url: '', headers: {}, body: 'a' },
      received: { status: 429, headers: {}, body: 'busy' },
    });
    expect(exchangeBody(found, 0, { attempt: 1 })?.exchange.summary.request).toBe(2);
    expect(exchangeBody(found, 0, {})?.exchange.summary.attempt).toBe(2);
    expect(exchangeBody(found, 0, { attempt: 3 })).toBeUndefined();
  });

  it('say how they ended, once', () => {
    const log = new ExchangeLog();
    log.take(sent('a'), place(0));
    log.settle({ class: 'authentication', message: 'The key is not taken.' });
    log.settle('answered');
    // What comes late still belongs to it.
    log.take(received('no', 401), place(0));
    log.take(sent('b'), place(0));
    log.take(sent('c'), place(0));
    log.settle('given-up');
    expect(kept(log, [0], 0)).toEqual(['0.1.1 a failed', '0.1.2 b given-up', '0.1.3 c given-up']);
  });

  it('have what came of an answer that is under way, was given up, or was cut before its end', () => {
    for (const outcome of ['given-up', 'answered'] as const) {
      const log = new ExchangeLog();
      let body = '';
      let status: number | undefined;
      const begun = (): ModelNotice => ({
        ...{ type: 'request', request: { method: 'POST', url: '', headers: {}, body: 'a' } },
        received: () => ({ status, headers: {}, body }),
      });
      const shown = () => {
        const found = log.find([0], 0);
        return typeof found === 'string' ? undefined : exchangeBody(found, 0, {})?.exchange;
      };
      log.take(begun(), place(0));
      expect(shown()).toMatchObject({ received: undefined, isUnkept: undefined });
      status = 200;
      expect(shown()?.received).toEqual({ status: 200, headers: {}, body: '' });
      body = 'so far';
      expect(shown()).toMatchObject({ summary: { outcome: 'under-way', status: 200 }, received: { body } });
      log.settle(outcome);
      body = 'and further';
      expect(shown()).toMatchObject({ summary: { outcome, status: 200 }, received: { body: 'so far' } });
      log.take(sent('b'), place(0));
      log.settle(outcome);
      expect(shown()).toMatchObject({ received: undefined, isUnkept: true });
    }
  });

  it('go on with the numbers of an attempt that a run went back to', () => {
    const log = new ExchangeLog();
    log.take(sent('a'), place(3));
    log.take(sent('b'), place(3, 2));
    log.take(sent('c'), place(3));
    expect(kept(log, [0], 3)).toEqual(['3.1.1 a given-up', '3.2.1 b given-up', '3.1.2 c under-way']);
  });

  it('are found along the line of a branch, its own first', () => {
    const log = new ExchangeLog();
    log.take(sent('a'), place(3));
    log.take(sent('b'), place(4));
    log.take(sent('c'), place(4, 1, 1));
    expect(kept(log, [1, 0], 3)).toEqual(['3.1.1 a given-up']);
    expect(kept(log, [1, 0], 4)).toEqual(['4.1.1 c under-way']);
    expect(kept(log, [0], 4)).toEqual(['4.1.1 b given-up']);
  });

  it('are ignored where an answer comes to none', () => {
    const log = new ExchangeLog();
    log.take(received('?'), place(0));
    log.take(rateLimited, place(0));
    log.settle('answered');
    expect(kept(log, [0], 0)).toBe('none');
  });
});

describe('bounds', () => {
  function filled(limits: ExchangeLimits, bodies: readonly string[]): ExchangeLog {
    const log = new ExchangeLog(limits);
    for (const [step, body] of bodies.entries()) log.take(sent(body), place(step));
    return log;
  }

  it('let the oldest go by number, and say so of their steps', () => {
    const log = filled({ bytes: 1_000_000, exchanges: 2 }, ['a', 'b', 'c', 'd']);
    expect([0, 1, 2, 3].map((step) => typeof kept(log, [0], step))).toEqual([
      'string',
      'string',
      'object',
      'object',
    ]);
    expect([kept(log, [0], 0), kept(log, [0], 1), kept(log, [0], 9)]).toEqual(['let-go', 'let-go', 'none']);
    expect(kept(log, [5, 0], 1)).toBe('let-go');
    expect(kept(log, [5], 1)).toBe('none');
    expect(log.letGo).toBe(2);
  });

  it('let the oldest go by size, responses included, and keep the latest whatever its size', () => {
    const log = filled({ bytes: 40, exchanges: 100 }, ['aaaaa', 'bbbbb', 'ccccc']);
    expect(kept(log, [0], 0)).toEqual(['0.1.1 aaaaa given-up']);
    log.take(received('0123456789'), place(2));
    expect(kept(log, [0], 0)).toBe('let-go');
    expect(kept(log, [0], 1)).toEqual(['1.1.1 bbbbb given-up']);
    log.take(received('x'.repeat(100)), place(2));
    expect([kept(log, [0], 1), kept(log, [0], 2)]).toEqual(['let-go', ['2.1.1 ccccc under-way']]);
    // A second answer to the same request takes the place of the first.
    log.take(received(''), place(2));
    log.take(sent('ddddd'), place(3));
    expect(kept(log, [0], 2)).toEqual(['2.1.1 ccccc given-up']);
    expect(log.letGo).toBe(2);
  });

  it('count what a long session makes without slowing down', () => {
    const log = filled({ bytes: 1_000_000_000, exchanges: 2_000 }, new Array<string>(50_000).fill('body'));
    expect(log.letGo).toBe(48_000);
    expect(kept(log, [0], 47_999)).toBe('let-go');
    expect(kept(log, [0], 48_000)).toEqual(['48000.1.1 body given-up']);
  });
});
