/** Requests that are made again: when, how long after, and what is said of them. */
import { describe, expect, it } from 'vitest';
import type { Waiting } from '../../../client/src/models/modelResources';
import { realWaiting, withRequestRetries } from '../../../client/src/models/requestRetries';
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelFailureOptions,
} from '../../../client/src/runtime/model';
import { modelRequest } from '../../support/modelRequest';

const request = modelRequest({ prompt: 'P' });
const { signal } = new AbortController();

function failure(options: Partial<ModelFailureOptions> = {}): ModelFailure {
  return new ModelFailure('The server is busy.', { class: 'rate-limit', retryable: true, ...options });
}

/** Fails or answers, one after the other. */
function modelOf(outcomes: readonly (ModelFailure | string)[]): Model & { requests: number } {
  const left = [...outcomes];
  return {
    name: 'fake',
    requests: 0,
    async *generate() {
      this.requests += 1;
      const next = left.shift();
      if (typeof next !== 'string') {
        yield { type: 'text', text: 'half' };
        throw next;
      }
      yield { type: 'text', text: next };
    },
  };
}

/** Waits no time, and notes for how long it would have. */
function noted(random = 1): Waiting & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    async wait(milliseconds) {
      waits.push(milliseconds);
    },
    random: () => random,
    now: () => 0,
  };
}

async function ask(model: Model, waiting: Waiting, requestRetries?: number, aborted = signal) {
  const events: ModelEvent[] = [];
  const settings = { requestRetries };
  const retrying = withRequestRetries(model, { settings, waiting });
  try {
    for await (const event of retrying.generate(request, aborted)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

describe('request retries', () => {
  it('says that what came is void, waits, and asks again', async () => {
    const waiting = noted();
    const { events, error } = await ask(modelOf([failure(), 'whole']), waiting);
    expect(error).toBeUndefined();
    expect(events).toEqual([
      { type: 'text', text: 'half' },
      { type: 'retry', failure: { class: 'rate-limit', message: 'The server is busy.', wait: 1_000 } },
      { type: 'text', text: 'whole' },
    ]);
    expect(waiting.waits).toEqual([1_000]);
  });

  it('waits twice as long each time, between half and all of it, and gives up after four', async () => {
    const most = noted(1);
    const model = modelOf(Array.from({ length: 9 }, () => failure()));
    const { error } = await ask(model, most);
    expect(model.requests).toBe(5);
    expect(most.waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(error).toBeInstanceOf(ModelFailure);
    expect(error).toMatchObject({
      class: 'rate-limit',
      retryable: true,
      message: 'The server is busy. The request was made 5 times.',
    });
    const least = noted(0);
    await ask(modelOf(Array.from({ length: 9 }, () => failure())), least);
    expect(least.waits).toEqual([500, 1_000, 2_000, 4_000]);
  });

  it('never waits longer than a minute', async () => {
    const waiting = noted();
    await ask(modelOf(Array.from({ length: 20 }, () => failure())), waiting, 10);
    expect(waiting.waits.slice(-4)).toEqual([60_000, 60_000, 60_000, 60_000]);
  });

  it('never asks more than twenty times again, whatever a recording says', async () => {
    const model = modelOf(Array.from({ length: 30 }, () => failure()));
    await ask(model, noted(), 1e9);
    expect(model.requests).toBe(21);
  });

  it('waits as long as the provider asks, up to a minute', async () => {
    const waiting = noted();
    await ask(modelOf([failure({ retryAfter: 60_000 }), failure({ retryAfter: 1_234 }), 'x']), waiting);
    expect(waiting.waits).toEqual([60_000, 1_234]);
    const model = modelOf([failure({ retryAfter: 60_001 }), 'x']);
    const { events, error } = await ask(model, waiting);
    expect(error).toMatchObject({
      class: 'rate-limit',
      retryable: true,
      message:
        'The server is busy. The server asks to wait 61 seconds, longer than a run waits by itself: resume it then.',
    });
    expect(model.requests).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['text']);
  });

  it.each([
    [Number.POSITIVE_INFINITY, 'more than a year'],
    [Number.MAX_SAFE_INTEGER, 'more than a year'],
    [3_600_000, '60 minutes'],
  ])('says of %d ms that it is not waited so long', async (retryAfter, words) => {
    const { error } = await ask(modelOf([failure({ retryAfter }), 'x']), noted());
    expect(error).toMatchObject({
      message: expect.stringContaining(`The server asks to wait ${words}, longer than`),
    });
  });

  it('leaves what does not pass by itself, bugs, and runs without retries as they are', async () => {
    const bad = failure({ class: 'authentication', retryable: false });
    for (const [outcome, retries] of [
      [bad, undefined],
      [failure(), 0],
    ] as const) {
      const model = modelOf([outcome, 'x']);
      const { error } = await ask(model, noted(), retries);
      expect(error).toBe(outcome);
      expect(model.requests).toBe(1);
    }
    const bug = new TypeError('bug');
    const broken: Model = {
      name: 'broken',
      // biome-ignore lint/correctness/useYield: it fails before it has anything to say
      async *generate() {
        throw bug;
      },
    };
    expect((await ask(broken, noted())).error).toBe(bug);
  });

  it('ends at once when it is cancelled, while it waits too', async () => {
    const cancelling = new AbortController();
    const reason = new Error('stop');
    const waiting: Waiting = {
      ...noted(),
      wait: (milliseconds, aborted) => {
        const waited = realWaiting.wait(milliseconds, aborted);
        cancelling.abort(reason);
        return waited;
      },
    };
    const model = modelOf([failure(), 'x']);
    const { error } = await ask(model, waiting, 4, cancelling.signal);
    expect(error).toBe(reason);
    expect(model.requests).toBe(1);
    // A failure that the cancelling itself brought is none of the provider's.
    const again = await ask(modelOf([failure()]), noted(), 4, AbortSignal.abort(reason));
    expect(again.error).toBe(reason);
    expect(again.events).toEqual([{ type: 'text', text: 'half' }]);
  });

  it('passes on what a model is', async () => {
    const asked: string[] = [];
    let found: Model['found'];
    const model: Model = {
      name: 'fake',
      price: { prompt: 1, completion: 2 },
      get found() {
        return found;
      },
      async prepare() {
        asked.push('prepare');
        found = { encoding: 'free' };
      },
      async *generate() {},
    };
    const wrapped = withRequestRetries(model, {});
    expect(wrapped).toMatchObject({ name: 'fake', price: { prompt: 1, completion: 2 }, found: undefined });
    await wrapped.prepare?.(signal);
    expect(asked).toEqual(['prepare']);
    expect(wrapped.found).toEqual({ encoding: 'free' });
    expect(withRequestRetries(modelOf([]), {}).prepare).toBeUndefined();
  });

  it('closes the model when nobody listens any more', async () => {
    let closed = false;
    const model: Model = {
      name: 'fake',
      async *generate() {
        try {
          for (;;) yield { type: 'text', text: 'x' };
        } finally {
          closed = true;
        }
      },
    };
    for await (const _ of withRequestRetries(model, {}).generate(request, signal)) break;
    expect(closed).toBe(true);
  });
});

describe('waiting as it is', () => {
  it('passes, and ends with the signal', async () => {
    await realWaiting.wait(0, signal);
    const controller = new AbortController();
    const waited = realWaiting.wait(1e9, controller.signal);
    controller.abort(new Error('stop'));
    await expect(waited).rejects.toThrow('stop');
    await expect(realWaiting.wait(0, controller.signal)).rejects.toThrow('stop');
    expect(realWaiting.random()).toBeLessThan(1);
    expect(realWaiting.now()).toBeGreaterThan(0);
  });
});
