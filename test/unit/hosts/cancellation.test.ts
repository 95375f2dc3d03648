/** Signals that cancel an editor's tokens, and what is left of that afterwards. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cancelWith, releasedAfter } from '../../../client/src/hosts/cancellation';

function fakeSource() {
  const calls: string[] = [];
  return { calls, cancel: () => calls.push('cancel'), dispose: () => calls.push('dispose') };
}

async function* pieces(failsAt = Number.POSITIVE_INFINITY): AsyncGenerator<number> {
  for (let piece = 0; piece < 3; piece++) {
    if (piece === failsAt) throw new Error('broken');
    yield piece;
  }
}

describe('a cancellation source', () => {
  it('is cancelled with the signal, at once where that is aborted already', () => {
    const controller = new AbortController();
    const [before, after] = [fakeSource(), fakeSource()];
    cancelWith(before, controller.signal);
    expect(before.calls).toEqual([]);
    controller.abort();
    expect(before.calls).toEqual(['cancel', 'dispose']);
    cancelWith(after, controller.signal);
    expect(after.calls).toEqual(['cancel', 'dispose']);
  });

  it('leaves nothing at a signal that outlives many requests', () => {
    const controller = new AbortController();
    const sources = Array.from({ length: 20 }, () => {
      const source = fakeSource();
      cancelWith(source, controller.signal)();
      return source;
    });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    controller.abort();
    expect(sources.map(({ calls }) => calls)).toEqual(sources.map(() => ['dispose']));
  });
});

describe('a stream', () => {
  it.each<[string, number, number, readonly number[]]>([
    ['has ended', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, [0, 1, 2]],
    ['has failed', 1, Number.POSITIVE_INFINITY, [0]],
    ['is wanted no longer', Number.POSITIVE_INFINITY, 1, [0, 1]],
  ])('is released once it %s', async (_name, failsAt, stopsAt, expected) => {
    const seen: number[] = [];
    let released = 0;
    const read = async () => {
      for await (const piece of releasedAfter(pieces(failsAt), () => released++)) {
        expect(released).toBe(0);
        seen.push(piece);
        if (piece === stopsAt) break;
      }
    };
    await read().catch((error: Error) => expect(error.message).toBe('broken'));
    expect([seen, released]).toEqual([expected, 1]);
  });
});
