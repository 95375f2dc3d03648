/** The bytes of a trace that come only as far as a test lets them. */
import type { TraceBytes } from '../../client/src/runtime/traceReader';

export interface HeldBytes extends TraceBytes {
  /** Settles when something is asked for that is held back. */
  readonly held: Promise<void>;
  /** Lets bytes through up to another place; without one all of them. */
  release(upTo?: number): void;
}

/**
 * Holds back what comes after a place of a trace.
 *
 * @param limit how many bytes are let through at first
 * @param looks how many reads come before that are let through: who opens a trace looks at its end
 */
export function heldBytes(bytes: TraceBytes, limit: number, looks = 0): HeldBytes {
  let open = limit;
  let reads = 0;
  let waiting: (() => void)[] = [];
  let tell = () => {};
  const held = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    held,
    size: () => bytes.size(),
    async read(offset, length) {
      if (++reads <= looks) return bytes.read(offset, length);
      while (offset >= open) {
        tell();
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return bytes.read(offset, Math.min(length, open - offset));
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    release(upTo = Number.POSITIVE_INFINITY) {
      open = upTo;
      const waiters = waiting;
      waiting = [];
      for (const resolve of waiters) resolve();
    },
  };
}

/** The byte at which a step's first record begins in a trace's text. */
export function beginningOfStep(text: string, step: number): number {
  const [match] = [...text.matchAll(/^\{"kind":"step","id":\d+,/gm)].slice(step);
  if (match === undefined) throw new RangeError(`The trace has no step ${step}`);
  return Buffer.byteLength(text.slice(0, match.index));
}
