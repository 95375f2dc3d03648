/** The complete lines of a trace, some at a time, from its bytes: each byte is read once, and a line too long is passed over. */
import { joinedBytes } from '../../../schemas/text/joinedBytes';
import type { TraceBytes } from './traceReader';

/** The first pieces are small, so that something is there at once. */
const firstPiece = 1 << 16;
const largestPiece = 1 << 18;
/** What is longer is no record: replies and states have limits far below. */
export const maxLineBytes = 1 << 26;

const lineFeed = 10;

/** Complete lines that follow each other. */
export interface LineBlock {
  readonly kind: 'lines';
  /** Their bytes, the last line end included. */
  readonly bytes: Uint8Array;
  readonly start: number;
}

/** A line that was not read because of its length. */
export interface LongLine {
  readonly kind: 'too-long';
  readonly start: number;
  /** Line end included. */
  readonly length: number;
}

export class TraceLines {
  readonly #bytes: TraceBytes;
  /** Where the first line that isn't complete begins. */
  #start = 0;
  /** What was read of that line; empty while it is passed over. */
  #held: Uint8Array[] = [];
  /** How far has been read. */
  #end = 0;
  #piece = firstPiece;
  #ahead: Promise<Uint8Array> | undefined;

  constructor(bytes: TraceBytes) {
    this.#bytes = bytes;
  }

  /** Bytes up to the end of the last complete line. */
  get completeBytes(): number {
    return this.#start;
  }

  /** Bytes after the last line end. */
  get tornBytes(): number {
    return this.#end - this.#start;
  }

  /** The lines that come next; undefined where no complete one is left, until the trace grows. */
  async next(): Promise<LineBlock | LongLine | undefined> {
    for (;;) {
      const piece = await (this.#ahead ?? this.#read());
      this.#ahead = undefined;
      if (piece.length === 0) return undefined;
      const start = this.#start;
      const lineEnd = piece.lastIndexOf(lineFeed);
      if (lineEnd < 0) {
        this.#end += piece.length;
        if (!this.#isPassing) this.#held.push(piece);
        if (this.tornBytes > maxLineBytes) this.#held = [];
        continue;
      }
      if (this.#isPassing) return this.#endLongLine(piece);
      const bytes = joinedBytes([...this.#held, piece.subarray(0, lineEnd + 1)]);
      this.#end += piece.length;
      this.#start += bytes.length;
      const rest = piece.subarray(lineEnd + 1);
      this.#held = rest.length === 0 ? [] : [rest];
      this.#piece = Math.min(2 * this.#piece, largestPiece);
      // The device works while the lines are looked at.
      this.#ahead = this.#read();
      this.#ahead.catch(() => undefined);
      return { kind: 'lines', bytes, start };
    }
  }

  /** Frees what is held of an incomplete line and reads it again the next time, unless it is passed over. */
  rest(): void {
    this.#ahead = undefined;
    if (this.#isPassing) return;
    this.#held = [];
    this.#end = this.#start;
  }

  get #isPassing(): boolean {
    return this.tornBytes > maxLineBytes;
  }

  #endLongLine(piece: Uint8Array): LongLine {
    const length = this.#end + piece.indexOf(lineFeed) + 1 - this.#start;
    const start = this.#start;
    this.#start += length;
    // What follows in the piece is read again: long lines are seldom.
    this.#end = this.#start;
    this.#held = [];
    return { kind: 'too-long', start, length };
  }

  #read(): Promise<Uint8Array> {
    return this.#bytes.read(this.#end, this.#piece);
  }
}
