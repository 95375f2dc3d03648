/**
 * A source tree made straight from the lines of a YAML text, for the texts that nearly all are: block collections,
 * scalars, anchors and comments without a mistake, flow collections without comments. An editor has its text read after every key that
 * is pressed, and `yaml`, which reads everything and can mend and edit it, takes twenty times as long. Nothing is
 * guessed here: texts with anything else (tags, tabs, several documents) are left to `yaml`, and a test holds
 * what this makes of texts against what `yaml` makes of them.
 */
import { defineOwnProperty, type JsonValue } from '../json/jsonValue';
import { beginsFlow, FlowReader } from './plainFlow';
import {
  anchorName,
  beginsPlain,
  behindSpaces,
  dash,
  hash,
  holdsKeyMark,
  isItemMark,
  isKeyMark,
  isQuote,
  type PlainKey,
  plainKey,
  plainValue,
  quotedEnd,
  quotedKey,
  quotedText,
  resolvedText,
  withoutBlanks,
} from './plainScalars';
import type { SourceNode, SourceProperty } from './sourceTree';

/** A tree, and how many values there are in it. */
export interface PlainTree {
  readonly root: SourceNode;
  readonly size: number;
}

/**
 * The tree of a text; undefined for what `yaml` has to look at, mistakes among it. `offset` is added to every offset of
 * the tree. What it gives is what the composed document gives.
 */
export function plainTree(text: string, offset: number): PlainTree | undefined {
  if (unusual.test(text)) return undefined;
  const reader = new PlainReader(text, offset);
  const root = reader.root();
  return root && { root, size: reader.size };
}

/** Tabs, which have rules of their own, other control characters, byte order marks, and line ends of old. */
const unusual = /[^\P{Cc}\n\r]|\uFEFF|\r(?!\n)/u;

/** Deeper texts are left to the reader that measures depth first. */
const maxPlainDepth = 100;

const carriageReturn = 0x0d;
const ampersand = 0x26;
const asterisk = 0x2a;
const pipe = 0x7c;
const greaterThan = 0x3e;

/**
 * Reads line by line. Its methods begin in the line that is looked at, and when they are done the line behind what they
 * have read is looked at; they give undefined for what `yaml` has to look at.
 */
class PlainReader {
  readonly #text: string;
  readonly #offset: number;
  readonly #flow: FlowReader;
  readonly #anchors = new Map<string, { readonly node: SourceNode; readonly size: number }>();
  #size = 0;
  /** Where the line's content begins, behind the dashes that have been read, and in which column; -1 behind the last. */
  #start = 0;
  #column = 0;
  /** Where the line's content ends, without blanks. */
  #end = 0;
  /** Where the next line begins. */
  #next = 0;
  /** The furthest column of the comments between this line and the one before, and their end; -1 where there are none. */
  #comment = -1;
  #commentEnd = 0;
  /** True until the innermost collection that ends before this line has been left. */
  #isInnermost = true;
  /** The end of what was read last, its comment included. */
  #behind = 0;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
    this.#flow = new FlowReader(text, offset);
  }

  get size(): number {
    return this.#size + this.#flow.size;
  }

  root(): SourceNode | undefined {
    this.#advance();
    if (this.#column === 0 && this.#text.slice(this.#start, this.#end) === '---') this.#advance();
    if (this.#column !== 0) return undefined;
    const isFlow = beginsFlow(this.#text.charCodeAt(this.#start));
    const root = isFlow ? this.#flowCollection(this.#start, 0) : this.#block(0);
    return this.#isAtEnd() ? root : undefined;
  }

  #isAtEnd(): boolean {
    return this.#column === -1;
  }

  /** Goes to the next line that is neither blank nor a comment. */
  #advance(): void {
    const text = this.#text;
    this.#comment = -1;
    this.#isInnermost = true;
    for (let line = this.#next; line < text.length; line = this.#next) {
      const end = this.#lineEnd(line);
      this.#next = end + 1;
      const start = behindSpaces(text, line);
      const first = text.charCodeAt(start);
      if (start >= end || first === carriageReturn) continue;
      if (first === hash) {
        this.#comment = Math.max(this.#comment, start - line);
        this.#commentEnd = withoutBlanks(text, start, end);
        continue;
      }
      this.#start = start;
      this.#end = withoutBlanks(text, start, end);
      this.#column = start - line;
      return;
    }
    this.#start = text.length;
    this.#end = text.length;
    this.#column = -1;
  }

  #lineEnd(offset: number): number {
    const end = this.#text.indexOf('\n', offset);
    return end === -1 ? this.#text.length : end;
  }

  #isItem(): boolean {
    return isItemMark(this.#text, this.#start, this.#end);
  }

  #block(depth: number): SourceNode | undefined {
    if (depth > maxPlainDepth) return undefined;
    return this.#isItem() ? this.#sequence(depth, false) : this.#map(depth);
  }

  #map(depth: number): SourceNode | undefined {
    const start = this.#start;
    const column = this.#column;
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    do {
      const key = this.#key();
      if (key === undefined || properties.has(key.name)) return undefined;
      const node = this.#value(key.behind, column, depth, true);
      if (node === undefined) return undefined;
      properties.set(key.name, {
        keyStart: key.start + this.#offset,
        keyEnd: key.end + this.#offset,
        node,
      });
      defineOwnProperty(value, key.name, node.value);
    } while (this.#column === column && !this.#isItem());
    const end = withoutBlanks(this.#text, start, this.#behind);
    if (this.#column >= column || !this.#leave(column)) return undefined;
    this.#size++;
    return { value, start: start + this.#offset, end: end + this.#offset, properties };
  }

  /** @param isBeside whether it begins in the column of the key whose value it is */
  #sequence(depth: number, isBeside: boolean): SourceNode | undefined {
    const start = this.#start;
    const column = this.#column;
    const items: SourceNode[] = [];
    do {
      const item = this.#value(this.#start + 1, column, depth, false);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#column === column && this.#isItem());
    const end = withoutBlanks(this.#text, start, this.#behind);
    if (isBeside ? this.#column > column : this.#column >= column) return undefined;
    if (!this.#leave(column)) return undefined;
    const value = items.map((item) => item.value);
    this.#size++;
    return { value, start: start + this.#offset, end: end + this.#offset, items };
  }

  /**
   * Leaves a collection that ends before the line. Comments between that are as far in as the collection belong to it:
   * those around it end behind them, though it does not itself. False for comments that are further in than the last
   * of its values, which is as `yaml` has it.
   */
  #leave(column: number): boolean {
    const isInnermost = this.#isInnermost;
    this.#isInnermost = false;
    if (this.#comment <= Math.max(0, this.#column)) return true;
    if (isInnermost && this.#comment > column) return false;
    if (this.#comment < column || column === 0) return true;
    this.#behind = this.#commentEnd;
    this.#comment = -1;
    return true;
  }

  #leaf(value: JsonValue, start: number, end: number): SourceNode {
    this.#size++;
    return { value, start: start + this.#offset, end: end + this.#offset };
  }

  /** The key that the line begins with. */
  #key(): PlainKey | undefined {
    const text = this.#text;
    const start = this.#start;
    const lineEnd = this.#end;
    if (isQuote(text.charCodeAt(start))) {
      const end = quotedEnd(text, start);
      if (end === undefined || end > lineEnd) return undefined;
      const mark = behindSpaces(text, end);
      return isKeyMark(text, mark, lineEnd) ? quotedKey(text, start, end, mark + 1) : undefined;
    }
    // Three dashes or dots end a document.
    if (text.charCodeAt(start) === dash || !beginsPlain(text, start, lineEnd)) return undefined;
    if (this.#column === 0 && text.startsWith('...', start)) return undefined;
    let mark = start;
    while (mark < lineEnd && !isKeyMark(text, mark, lineEnd)) mark++;
    return mark === lineEnd ? undefined : plainKey(text, start, withoutBlanks(text, start, mark), mark + 1);
  }

  /**
   * The value behind the colon of a key or the dash of an item, in this line or in those below.
   *
   * @param mark the offset behind that character
   * @param column where the collection begins that the value belongs to
   */
  #value(mark: number, column: number, depth: number, isInMap: boolean): SourceNode | undefined {
    const at = behindSpaces(this.#text, mark);
    const first = this.#text.charCodeAt(at);
    if (at >= this.#end || first === hash) return this.#valueBelow(at, column, depth, isInMap);
    if (first === ampersand) return this.#anchored(at, column, depth);
    if (first === asterisk) return this.#alias(at);
    if (beginsFlow(first)) return this.#flowCollection(at, column);
    if (first === pipe || first === greaterThan) return this.#blockScalar(at, column);
    if (!isInMap) {
      this.#column += at - this.#start;
      this.#start = at;
      if (this.#isItem() || this.#key() !== undefined) return this.#block(depth + 1);
    }
    return isQuote(first) ? this.#quoted(at, column) : this.#plain(at, column);
  }

  /** A value with an anchor before it, that doesn't begin a collection in the same line. */
  #anchored(start: number, column: number, depth: number): SourceNode | undefined {
    const name = anchorName(this.#text, start + 1, this.#end);
    const sizeBefore = this.size;
    const behind = start + 1 + name.length;
    const at = behindSpaces(this.#text, behind);
    const first = this.#text.charCodeAt(at);
    const isBelow = at >= this.#end || first === hash;
    if (name === '' || (at === behind && !isBelow) || first === ampersand || first === asterisk)
      return undefined;
    if (isBelow) this.#advance();
    if (isBelow && this.#column <= column) return undefined;
    const node = isBelow ? this.#block(depth + 1) : this.#value(behind, column, depth, true);
    if (node !== undefined) this.#anchors.set(name, { node, size: this.size - sizeBefore });
    return node;
  }

  #alias(start: number): SourceNode | undefined {
    const name = anchorName(this.#text, start + 1, this.#end);
    const target = this.#anchors.get(name);
    const end = start + 1 + name.length;
    if (target === undefined || !this.#close(end)) return undefined;
    this.#size += target.size;
    return { ...target.node, start: start + this.#offset, end: end + this.#offset };
  }

  /** The value in the lines below; null where there is none, behind the mark before it and the spaces there. */
  #valueBelow(at: number, column: number, depth: number, isInMap: boolean): SourceNode | undefined {
    const lineEnd = Math.max(at, this.#end);
    this.#advance();
    if (this.#column > column) return this.#block(depth + 1);
    const isItem = this.#isItem();
    if (this.#column === column && isInMap && isItem)
      return depth < maxPlainDepth ? this.#sequence(depth + 1, true) : undefined;
    this.#behind = lineEnd;
    const isLast = this.#column !== column || isItem === isInMap;
    if (isLast && this.#comment !== -1) {
      // Comments behind a value that isn't written belong to it, wherever they stand.
      this.#behind = this.#commentEnd;
      this.#comment = -1;
    }
    return this.#leaf(null, at, at);
  }

  #flowCollection(start: number, column: number): SourceNode | undefined {
    const node = this.#flow.read(start, this.#end);
    if (node === undefined) return undefined;
    const end = node.end - this.#offset;
    return this.#goesOnTo(end, column, end - 1) && this.#close(end) ? node : undefined;
  }

  /** Leaves the line behind a value that ends in it; false where more than a comment follows. */
  #close(end: number): boolean {
    this.#behind = end;
    if (end < this.#end) {
      const next = behindSpaces(this.#text, end);
      if (next === end || this.#text.charCodeAt(next) !== hash) return false;
      this.#behind = this.#end;
    }
    this.#advance();
    return true;
  }

  #plain(start: number, column: number): SourceNode | undefined {
    if (!beginsPlain(this.#text, start, this.#end)) return undefined;
    const line = this.#text.slice(start, this.#end);
    const comment = line.indexOf(' #');
    const end = comment === -1 ? this.#end : withoutBlanks(this.#text, start, start + comment);
    const source = comment === -1 ? line : line.slice(0, end - start);
    if (holdsKeyMark(source)) return undefined;
    this.#behind = this.#end;
    this.#advance();
    if (this.#column > column) return comment === -1 ? this.#folded(start, column) : undefined;
    const value = plainValue(source);
    return value === undefined ? undefined : this.#leaf(value, start, end);
  }

  /** A plain scalar that goes on in the line that is looked at. */
  #folded(start: number, column: number): SourceNode | undefined {
    do {
      const line = this.#text.slice(this.#start, this.#end);
      if (this.#comment !== -1 || holdsKeyMark(line) || line.includes(' #')) return undefined;
      this.#behind = this.#end;
      this.#advance();
    } while (this.#column > column);
    const end = this.#behind;
    const text = resolvedText({ type: 'scalar', source: this.#text.slice(start, end) });
    return text === undefined ? undefined : this.#leaf(text, start, end);
  }

  #quoted(start: number, column: number): SourceNode | undefined {
    const end = quotedEnd(this.#text, start);
    if (end === undefined || !this.#goesOnTo(end, column)) return undefined;
    const value = quotedText(this.#text.slice(start, end));
    return value !== undefined && this.#close(end) ? this.#leaf(value, start, end) : undefined;
  }

  /**
   * Goes to the line with the end of a value; false where not all lines up to it are indented.
   *
   * @param bracket the offset of a bracket that may stand in the column of the value's collection
   */
  #goesOnTo(end: number, column: number, bracket?: number): boolean {
    while (this.#end < end) {
      const line = this.#next;
      const lineEnd = this.#lineEnd(line);
      const start = behindSpaces(this.#text, line);
      const isBlankLine = start >= lineEnd || this.#text.charCodeAt(start) === carriageReturn;
      if (!isBlankLine && start - line <= column && !(start === bracket && start - line === column))
        return false;
      this.#end = withoutBlanks(this.#text, line, lineEnd);
      this.#next = lineEnd + 1;
    }
    return true;
  }

  #blockScalar(start: number, column: number): SourceNode | undefined {
    const text = this.#text;
    const header = text.slice(start, this.#end);
    const first = this.#next;
    const indent = behindSpaces(text, first) - first;
    if (!/^[|>]-?$/.test(header) || indent <= column) return undefined;
    let literal = '';
    let blankLines = '';
    let end = first;
    for (let line = first; line < text.length; line = this.#next) {
      const lineEnd = this.#lineEnd(line);
      const contentEnd = text.charCodeAt(lineEnd - 1) === carriageReturn ? lineEnd - 1 : lineEnd;
      const width = behindSpaces(text, line) - line;
      if (line + width >= contentEnd) {
        // Blank lines that come first have rules of their own, and spaces further in count.
        if (end === first || width > indent) return undefined;
        blankLines += '\n';
      } else if (width < indent) {
        break;
      } else {
        literal += `${blankLines}${text.slice(line + indent, contentEnd)}\n`;
        blankLines = '';
        end = lineEnd;
      }
      this.#next = lineEnd + 1;
    }
    if (end === first) return undefined;
    const value = header.startsWith('|')
      ? literal.slice(0, literal.length - (header === '|' ? 0 : 1))
      : resolvedText({ type: 'block-scalar', header, source: text.slice(first, end) });
    const valueEnd = withoutBlanks(text, start, end);
    this.#behind = valueEnd;
    this.#advance();
    return value === undefined ? undefined : this.#leaf(value, start, valueEnd);
  }
}
