/** Positions in a text document, as LSP counts them. Everything in `schemas/` is 0-based; DAP's 1-based lines are made at its border. */

/** A 0-based line and a 0-based character in UTF-16 code units (LSP 3.17, "Position"). */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A half-open range, `start` included and `end` excluded. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Turns offsets of one text into positions and back; lines end with LF, CRLF or CR. */
export class LineIndex {
  readonly #starts: readonly number[];
  readonly #text: string;

  constructor(text: string) {
    this.#starts = text.includes('\r') ? mixedStarts(text) : lineFeedStarts(text);
    this.#text = text;
  }

  /** How many lines the text has; an empty text has one. */
  get lineCount(): number {
    return this.#starts.length;
  }

  /** The position of a UTF-16 offset, which is clamped to the text. */
  positionAt(offset: number): Position {
    const clamped = Math.max(0, Math.min(offset, this.#text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= clamped) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: clamped - (this.#starts[low] ?? 0) };
  }

  /** The UTF-16 offset of a position; one beyond its line is the line's end (LSP 3.17, "Position"). */
  offsetAt(position: Position): number {
    const start = this.#starts[position.line];
    if (start === undefined) return position.line < 0 ? 0 : this.#text.length;
    const next = this.#starts[position.line + 1];
    const offset = start + position.character;
    if (next === undefined) return Math.max(start, Math.min(offset, this.#text.length));
    if (offset < next) return Math.max(start, offset);
    return this.#text.startsWith('\r\n', next - 2) && next - 2 >= start ? next - 2 : next - 1;
  }

  /** The range between two UTF-16 offsets. */
  rangeOf(startOffset: number, endOffset: number): Range {
    return { start: this.positionAt(startOffset), end: this.positionAt(endOffset) };
  }
}

/** Looking for one character is several times faster than looking at each. */
function lineFeedStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function mixedStarts(text: string): readonly number[] {
  const starts = [0];
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === 13 && text.charCodeAt(offset + 1) === 10) offset++;
    if (code === 13 || code === 10) starts.push(offset + 1);
  }
  return starts;
}
