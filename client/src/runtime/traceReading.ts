/** The reading of a trace that is looked at already: it goes on by itself, can be waited for, and can be given up. */
import { readRecord } from '../../../schemas/trace/trace';
import type { TraceBytes, TraceProgress, TraceReader } from './traceReader';

/** The part of a reader that is needed here. */
type ReadTrace = Pick<TraceReader, 'progress' | 'read' | 'onChange'>;

export class TraceReading {
  readonly #reader: ReadTrace;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<() => void>();
  #isOver = false;
  #shortfall: string | undefined;
  #failure: unknown;
  /** Settles when nothing more will be read; never rejects. */
  readonly ended: Promise<void>;

  /** Begins to read. */
  constructor(reader: ReadTrace) {
    this.#reader = reader;
    const forget = reader.onChange(() => this.#changed());
    this.ended = this.#read().finally(() => {
      forget();
      this.#isOver = true;
      this.#changed();
    });
  }

  get progress(): TraceProgress {
    return this.#reader.progress;
  }

  /** True where nothing more will be read: all is, or it was stopped, or the file can't be read any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Why only a part was read, as a sentence for the user; undefined while it is being read, and where all was. */
  get shortfall(): string | undefined {
    return this.#shortfall;
  }

  /** What the host's `read` has thrown. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Reads no further; what has been read stays usable. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Settles as soon as something is there, or nothing more will be read.
   *
   * @param isThere asked again after each piece that was read
   * @throws what `signal` was aborted with
   */
  async until(isThere: () => boolean, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isOver || isThere()) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (how: () => void) => {
        this.#waiting.delete(look);
        signal?.removeEventListener('abort', abort);
        how();
      };
      const abort = () => settle(() => reject(signal?.reason));
      const look = () => {
        if (this.#isOver || isThere()) settle(resolve);
      };
      this.#waiting.add(look);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  async #read(): Promise<void> {
    try {
      await this.#reader.read(this.#stopping.signal);
    } catch (error) {
      const rest = 'only what was read till then can be gone through, and nothing is added to the trace';
      if (this.#stopping.signal.aborted) {
        const { bytesRead, bytes } = this.#reader.progress;
        this.#shortfall = `Reading the trace was stopped after ${megabytes(bytesRead)} of ${megabytes(bytes)} MB, so ${rest}: restart the session to read all of it.`;
        return;
      }
      this.#failure = error;
      const message = error instanceof Error ? error.message : String(error);
      this.#shortfall = `${message} Since that came in the middle of reading, ${rest}.`;
    }
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** How much of a trace's end is looked at for a record, until there is one. */
const endings = [1 << 16, 1 << 20, 1 << 23];

const lineFeed = 10;

/**
 * The branch to which the last record of a trace belongs: the one that somebody went on with last. Undefined where the
 * trace's end tells of none.
 */
export async function lastBranch(bytes: TraceBytes): Promise<number | undefined> {
  const size = await bytes.size();
  for (const length of endings) {
    const start = Math.max(0, size - length);
    const branch = branchIn(await ending(bytes, start, size), start === 0);
    if (branch !== undefined || start === 0) return branch;
  }
  return undefined;
}

async function ending(bytes: TraceBytes, start: number, end: number): Promise<Uint8Array> {
  const whole = new Uint8Array(end - start);
  let read = 0;
  while (read < whole.length) {
    const more = await bytes.read(start + read, whole.length - read);
    if (more.length === 0) break;
    whole.set(more, read);
    read += more.length;
  }
  return whole.subarray(0, read);
}

/** @param isWhole whether the first line is there from its beginning */
function branchIn(bytes: Uint8Array, isWhole: boolean): number | undefined {
  const decoder = new TextDecoder();
  for (let end = bytes.lastIndexOf(lineFeed); end > 0; ) {
    const before = bytes.lastIndexOf(lineFeed, end - 1);
    if (before < 0 && !isWhole) return undefined;
    const read = readRecord(decoder.decode(bytes.subarray(before + 1, end)), true);
    if (read.ok && read.record.kind !== 'resumed') return read.record.branch;
    end = before;
  }
  return undefined;
}
