/** Takes a trace in: pieces of the file become lines, lines records, records places in the index; what is wrong is noted. */
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { sha256Problems } from '../../../schemas/trace/recordedHashes';
import {
  type ForkRecord,
  type ReadRecord,
  type RunRecord,
  readRecord,
  type TraceProblem,
  type TraceProblemCode,
} from '../../../schemas/trace/trace';
import type { TraceIndex } from './traceIndex';
import { type LineBlock, maxLineBytes, TraceLines } from './traceLines';
import type { TraceBytes, TraceProgress, TraceReaderOptions } from './traceReader';
import type { TraceSeeker } from './traceSeeker';

/** How many problems of a trace are kept. */
const maxProblems = 200;
/** Where so many bytes hold no record, the file is no trace, and is not read on. */
const foreignBytes = 1 << 20;
const lineFeed = 10;

export interface TraceIntakeOptions extends TraceReaderOptions {
  readonly index: TraceIndex;
  readonly seeker: TraceSeeker;
  /** Called after each piece. */
  onChange(): void;
}

export class TraceIntake {
  readonly #options: TraceIntakeOptions;
  readonly #bytes: TraceBytes;
  readonly #index: TraceIndex;
  readonly #lines: TraceLines;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #problems: TraceProblem[] = [];
  /** What is wrong at the end, as far as the trace is there. */
  #ending: readonly TraceProblem[] = [];
  #problemsLeftOut = 0;
  #line = 0;
  #size = 0;
  #isComplete = false;
  /** What follows is not read. */
  #isStopped = false;
  #reading: Promise<void> | undefined;

  constructor(options: TraceIntakeOptions) {
    this.#options = options;
    this.#bytes = options.bytes;
    this.#index = options.index;
    this.#lines = new TraceLines(options.bytes);
  }

  get problems(): readonly TraceProblem[] {
    return this.#ending.length === 0 ? this.#problems : [...this.#problems, ...this.#ending];
  }

  get problemsLeftOut(): number {
    return this.#problemsLeftOut;
  }

  get progress(): TraceProgress {
    const bytesRead = this.#isComplete ? this.#size : Math.min(this.#lines.completeBytes, this.#size);
    return { bytesRead, bytes: this.#size, complete: this.#isComplete };
  }

  /** As {@link TraceReader.read}. */
  async read(signal?: AbortSignal): Promise<void> {
    while (this.#reading) await this.#reading.catch(() => undefined);
    signal?.throwIfAborted();
    this.#reading = this.#readOn(signal).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isStopped) return;
    this.#ending = [];
    this.#isComplete = false;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const size = await this.#bytes.size();
        if (!isFirst && size === this.#size) break;
        this.#size = size;
        if (size < this.#lines.completeBytes) {
          const message = 'The file has become shorter than what was read of it: open it again.';
          this.#add('trace.changed', this.#line, size, message);
          this.#isStopped = true;
        }
        await this.#readBlocks(signal);
        if (this.#isStopped) break;
      }
      this.#isComplete = true;
      this.#ending = this.#endProblems();
    } finally {
      this.#lines.rest();
      this.#options.onChange();
    }
  }

  async #readBlocks(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#isStopped) {
      signal?.throwIfAborted();
      const block = await this.#lines.next();
      if (!block) return;
      if (block.kind === 'lines') await this.#take(block);
      else {
        this.#line += 1;
        this.#index.lose(undefined);
        const size = `${Math.floor(block.length / 1_000_000)} megabytes`;
        const message = `The line is too long for a record (${size}, and at most ${maxLineBytes / (1 << 20)} are read). It is left out.`;
        this.#add('trace.too-long', this.#line, block.start, message);
      }
      if (!this.#isTrace() && this.#lines.completeBytes > foreignBytes) this.#isStopped = true;
      this.#options.onChange();
      await this.#bytes.pause?.();
    }
  }

  async #take({ bytes, start }: LineBlock): Promise<void> {
    if (start === 0 && encodingProblem(bytes) !== undefined) {
      this.#isStopped = true;
      this.#add('trace.not-utf8', 1, 0, encodingProblem(bytes) ?? '');
      return;
    }
    const text = this.#textOf(bytes);
    // Without other characters than those of ASCII, places in the text are places in the bytes.
    const isAscii = text?.length === bytes.length;
    let from = 0;
    for (let at = 0; at < bytes.length && !this.#isStopped; ) {
      const to = isAscii ? text.indexOf('\n', from) : bytes.indexOf(lineFeed, at);
      const end = text === undefined || isAscii ? to : text.indexOf('\n', from);
      const line = text === undefined ? this.#textOf(bytes.subarray(at, to)) : text.slice(from, end);
      this.#line += 1;
      const waiting = this.#takeLine(line, start + at, start + to + 1);
      if (waiting) await waiting;
      from = end + 1;
      at = to + 1;
    }
  }

  #textOf(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  /** Returns a promise where the lines after it have to wait. */
  #takeLine(text: string | undefined, start: number, end: number): Promise<void> | undefined {
    if (text === undefined) {
      this.#index.lose(undefined);
      this.#add('trace.not-utf8', this.#line, start, 'The line is not UTF-8 text.');
      return undefined;
    }
    const read = readRecord(text, this.#index.isNewer);
    if (!read.ok) {
      this.#takeUnreadable(text, read, start, end);
      return undefined;
    }
    const { record } = read;
    if (record.kind === 'run' && !this.#takeHeader(record, start)) return undefined;
    if (record.kind !== 'run' && !this.#isTrace()) {
      const message = 'The trace does not begin with a run record, which has the skill and the first state.';
      this.#add('trace.missing-header', this.#line, start, message);
    }
    if (record.kind === 'fork') this.#checkHashes(record, start);
    const { problem, inherits } = this.#index.add(record, start, end);
    if (problem !== undefined) this.#add('trace.broken-chain', this.#line, start, problem);
    if (!inherits) return undefined;
    return this.#options.seeker
      .records(inherits.row, inherits.upTo)
      .then((records) => this.#index.inherit(inherits.step, records));
  }

  /** False where the record begins another run, which is not read. */
  #takeHeader(record: RunRecord, start: number): boolean {
    if (this.#isTrace()) {
      const message =
        'A second run begins here: two runs were written to this file. What follows is left out.';
      this.#add('trace.second-run', this.#line, start, message);
      this.#isStopped = true;
      return false;
    }
    this.#checkHashes(record, start);
    return true;
  }

  #checkHashes(record: RunRecord | ForkRecord, start: number): void {
    const { sha256 } = this.#options;
    for (const message of sha256 ? sha256Problems(record, sha256) : [])
      this.#add('trace.wrong-hash', this.#line, start, message);
  }

  #takeUnreadable(text: string, read: ReadRecord & { ok: false }, start: number, end: number): void {
    if (text.trim() === '') return;
    const { code, message, value } = read;
    if (code === 'trace.newer-version' && !this.#isTrace()) {
      this.#add(code, this.#line, start, message);
      this.#index.isNewer = true;
      const newer = readRecord(text, true);
      if (newer.ok) this.#index.add(newer.record, start, end);
      else this.#isStopped = true;
      return;
    }
    this.#index.lose(idOf(value));
    // Of a newer version not everything is known, which was said.
    if (!this.#index.isNewer) this.#add(code, this.#line, start, message);
    if (code === 'trace.foreign-format' && !this.#isTrace()) this.#isStopped = true;
  }

  /** Whether anything of a trace was found. */
  #isTrace(): boolean {
    return this.#index.branches.size > 0;
  }

  #endProblems(): readonly TraceProblem[] {
    const line = this.#line + 1;
    const offset = this.#lines.completeBytes;
    const bytes = this.#lines.tornBytes;
    const torn: TraceProblem[] =
      bytes === 0 || this.#isStopped
        ? []
        : [
            {
              code: 'trace.torn-record',
              line,
              offset,
              message: `The last record is incomplete (${bytes} bytes without a line end): its writer was interrupted. It is left out.`,
            },
          ];
    if (this.#isTrace() || this.#isStopped) return torn;
    const message =
      this.#size === 0
        ? 'The file is empty.'
        : 'The file holds no complete run record, so it is no trace that can be read.';
    return [...torn, { code: 'trace.missing-header', line: 1, offset: 0, message }];
  }

  #add(code: TraceProblemCode, line: number, offset: number, message: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ code, line, offset, message });
    else this.#problemsLeftOut += 1;
  }
}

function idOf(value: JsonValue | undefined): number | undefined {
  return isJsonObject(value) && typeof value.id === 'number' ? value.id : undefined;
}

/** Why bytes are surely another encoding than UTF-8. */
function encodingProblem(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? 'The file is UTF-16 text, and a trace is UTF-8: save it as UTF-8.' : undefined;
}
