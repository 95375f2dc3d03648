/** The flow collections of plain YAML: `[a, b]`, `{ a: b }`, on one line or over several. */
import { defineOwnProperty, type JsonValue } from '../json/jsonValue';
import {
  behindSpaces,
  flowPlainEnd,
  isKeyMark,
  isQuote,
  type PlainKey,
  plainKey,
  plainValue,
  quotedEnd,
  quotedKey,
  quotedText,
  withoutBlanks,
} from './plainScalars';
import type { SourceNode, SourceProperty } from './sourceTree';

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** How deep one collection may nest. */
const maxFlowDepth = 50;

/** True for the bracket that begins a flow collection. */
export function beginsFlow(code: number): boolean {
  return code === openBracket || code === openBrace;
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** Reads the flow collections of one text; what `yaml` has to look at is undefined. */
export class FlowReader {
  /** How many values have been read. */
  size = 0;
  readonly #text: string;
  readonly #offset: number;
  #lineEnd = 0;

  /** @param offset is added to every offset of what is read */
  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  /** The collection that begins at `start`, in a line whose content ends at `lineEnd`. */
  read(start: number, lineEnd: number): SourceNode | undefined {
    this.#lineEnd = lineEnd;
    return this.#value(start, 0);
  }

  #value(start: number, depth: number): SourceNode | undefined {
    const first = this.#text.charCodeAt(start);
    this.size++;
    if (!beginsFlow(first)) return this.#scalar(start);
    if (depth > maxFlowDepth) return undefined;
    return first === openBrace ? this.#map(start, depth) : this.#sequence(start, depth);
  }

  #map(start: number, depth: number): SourceNode | undefined {
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    let at: number | undefined = this.#skip(start + 1);
    while (this.#text.charCodeAt(at) !== closeBrace) {
      const key = this.#key(at);
      if (key === undefined || properties.has(key.name)) return undefined;
      const node = this.#value(behindSpaces(this.#text, key.behind), depth + 1);
      if (node === undefined) return undefined;
      properties.set(key.name, {
        keyStart: key.start + this.#offset,
        keyEnd: key.end + this.#offset,
        node,
      });
      defineOwnProperty(value, key.name, node.value);
      at = this.#behindComma(node, closeBrace);
      if (at === undefined) return undefined;
    }
    return { value, start: start + this.#offset, end: at + 1 + this.#offset, properties };
  }

  #sequence(start: number, depth: number): SourceNode | undefined {
    const items: SourceNode[] = [];
    let at: number | undefined = this.#skip(start + 1);
    while (this.#text.charCodeAt(at) !== closeBracket) {
      const item = this.#value(at, depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      at = this.#behindComma(item, closeBracket);
      if (at === undefined) return undefined;
    }
    const value = items.map((item) => item.value);
    return { value, start: start + this.#offset, end: at + 1 + this.#offset, items };
  }

  /** Where the next entry begins behind one, or the bracket that closes them; there may be a comma before that too. */
  #behindComma(node: SourceNode, closing: number): number | undefined {
    const at = this.#skip(node.end - this.#offset);
    const code = this.#text.charCodeAt(at);
    if (code === closing) return at;
    return code === comma ? this.#skip(at + 1) : undefined;
  }

  /** Behind spaces and line ends. */
  #skip(offset: number): number {
    let at = behindSpaces(this.#text, offset);
    if (!isLineEnd(this.#text.charCodeAt(at))) return at;
    while (isLineEnd(this.#text.charCodeAt(at))) at = behindSpaces(this.#text, at + 1);
    const end = this.#text.indexOf('\n', at);
    this.#lineEnd = withoutBlanks(this.#text, at, end === -1 ? this.#text.length : end);
    return at;
  }

  #key(start: number): PlainKey | undefined {
    const end = this.#scalarEnd(start);
    if (end === undefined) return undefined;
    const mark = behindSpaces(this.#text, end);
    if (!isKeyMark(this.#text, mark, this.#lineEnd)) return undefined;
    const read = isQuote(this.#text.charCodeAt(start)) ? quotedKey : plainKey;
    return read(this.#text, start, end, mark + 1);
  }

  #scalar(start: number): SourceNode | undefined {
    const end = this.#scalarEnd(start);
    if (end === undefined) return undefined;
    const source = this.#text.slice(start, end);
    const value = isQuote(source.charCodeAt(0)) ? quotedText(source) : plainValue(source);
    if (value === undefined) return undefined;
    return { value, start: start + this.#offset, end: end + this.#offset };
  }

  #scalarEnd(start: number): number | undefined {
    if (!isQuote(this.#text.charCodeAt(start))) return flowPlainEnd(this.#text, start, this.#lineEnd);
    const end = quotedEnd(this.#text, start);
    return end === undefined || end > this.#lineEnd ? undefined : end;
  }
}
