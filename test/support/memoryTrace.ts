/** Traces in memory, read by the trace reader. */
import { sha256 } from '../../client/src/hosts/node/sha256';
import { createTraceReader, type TraceBytes, type TraceReader } from '../../client/src/runtime/traceReader';

/** Bytes that can grow, and that count what is read of them. */
export interface GrowingBytes extends TraceBytes {
  /** How many bytes were asked for so far. */
  readonly bytesRead: number;
  append(more: Uint8Array | string): void;
  replace(all: Uint8Array | string): void;
}

/** @param pieceLimit the most bytes that are given at once */
export function growingBytes(
  start: Uint8Array | string = '',
  pieceLimit = Number.POSITIVE_INFINITY,
): GrowingBytes {
  let bytes = bytesOf(start);
  let bytesRead = 0;
  return {
    get bytesRead() {
      return bytesRead;
    },
    append(more) {
      const added = bytesOf(more);
      const whole = new Uint8Array(bytes.length + added.length);
      whole.set(bytes);
      whole.set(added, bytes.length);
      bytes = whole;
    },
    replace(all) {
      bytes = bytesOf(all);
    },
    size: async () => bytes.length,
    async read(offset, length) {
      const piece = bytes.slice(offset, offset + Math.min(length, pieceLimit));
      bytesRead += piece.length;
      return piece;
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

export function bytesOf(text: Uint8Array | string): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

/** A reader that has read all of a trace. */
export async function readerOf(trace: Uint8Array | string | TraceBytes): Promise<TraceReader> {
  const bytes = typeof trace === 'string' || trace instanceof Uint8Array ? growingBytes(trace) : trace;
  const reader = createTraceReader({ bytes, sha256 });
  await reader.read();
  return reader;
}
