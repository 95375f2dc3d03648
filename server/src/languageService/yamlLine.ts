/** What one line of block-style YAML says of the structure, read by itself: `- ` indicators, a key, how its value begins. */
import type { TextLine } from './textLines';
import { quotedEnd, unquoted } from './yamlScalar';

/** A `-` or a key; the columns of a line's nodes increase. */
export type LineNode =
  | { readonly kind: 'item'; readonly column: number; readonly start: number; readonly end: number }
  | {
      readonly kind: 'key';
      /** Of its first character, an anchor or tag before it included. */
      readonly column: number;
      readonly name: string;
      /** Of the key itself, with its quotes. */
      readonly start: number;
      readonly end: number;
      /** Behind the colon. */
      readonly valueStart: number;
    };

/** How what stands behind the last node begins. */
export interface LineValue {
  readonly kind: 'none' | 'block-scalar' | 'flow' | 'quoted' | 'plain' | 'alias' | 'unreadable';
  readonly start: number;
  /** Of a plain scalar or of a quoted one that ends on the line; else the line's end. */
  readonly end: number;
  /** Of an anchor or a tag before it; else `start`. */
  readonly propertiesStart: number;
}

export interface YamlLine extends TextLine {
  /** Of the first character that is no blank. */
  readonly column: number;
  readonly kind: 'blank' | 'comment' | 'document-start' | 'document-end' | 'content';
  readonly hasTabIndent: boolean;
  readonly nodes: readonly LineNode[];
  readonly value: LineValue;
  /** Where a comment begins; the line's end without one. */
  readonly commentStart: number;
}

/** The column of a line's first character that is no blank or tab; undefined for a blank line. Cheap: nothing else is read. */
export function firstColumn(text: string, line: TextLine): number | undefined {
  let at = contentStart(text, line);
  const start = at;
  while (at < line.end && isBlank(text.charCodeAt(at))) at++;
  return at < line.end ? at - start : undefined;
}

/** Where a line's columns are counted from: behind the byte order mark in the first. */
export function contentStart(text: string, line: TextLine): number {
  return line.start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : line.start;
}

/** The key that a line begins with, where it is made of word characters; undefined for all that takes more to tell. */
export function simpleKey(text: string, line: TextLine): string | undefined {
  let at = contentStart(text, line);
  while (at < line.end && text.charCodeAt(at) === 32) at++;
  const start = at;
  while (at < line.end && isWord(text.charCodeAt(at))) at++;
  if (at === start || text.charCodeAt(at) !== 58) return undefined;
  return at + 1 >= line.end || isBlank(text.charCodeAt(at + 1)) ? text.slice(start, at) : undefined;
}

/** True for a line that begins with a dash and a blank. */
export function isItem(text: string, line: TextLine): boolean {
  let at = contentStart(text, line);
  while (at < line.end && text.charCodeAt(at) === 32) at++;
  return (
    text.charCodeAt(at) === 45 && at < line.end && (at + 1 >= line.end || isBlank(text.charCodeAt(at + 1)))
  );
}

function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}

/** Reads a line. */
export function readYamlLine(text: string, line: TextLine): YamlLine {
  return new LineReader(text, line).read();
}

class LineReader {
  readonly #text: string;
  readonly #line: TextLine;
  readonly #base: number;
  readonly #nodes: LineNode[] = [];
  #at: number;

  constructor(text: string, line: TextLine) {
    this.#text = text;
    this.#line = line;
    this.#base = contentStart(text, line);
    this.#at = this.#base;
  }

  read(): YamlLine {
    this.#skipBlanks();
    const { end } = this.#line;
    const text = this.#text;
    const column = this.#at - this.#base;
    const first = text.charCodeAt(this.#at);
    if (this.#at >= end) return this.#result('blank', column, this.#nothing(), end);
    if (first === 35 || (column === 0 && first === 37)) {
      return this.#result('comment', column, this.#nothing(), this.#at);
    }
    const marker = column === 0 && (first === 45 || first === 46) ? this.#marker() : undefined;
    if (marker !== undefined) this.#at += 3;
    const value = this.#readContent();
    return this.#result(marker ?? 'content', column, value, this.#commentStart(value));
  }

  /** The fields one by one: spreading them takes several times as long as all the rest. */
  #result(kind: YamlLine['kind'], column: number, value: LineValue, commentStart: number): YamlLine {
    const { start, end } = this.#line;
    const hasTabIndent = hasTab(this.#text, this.#base, this.#base + column);
    return { start, end, column, kind, hasTabIndent, nodes: this.#nodes, value, commentStart };
  }

  #nothing(): LineValue {
    return { kind: 'none', start: this.#at, end: this.#at, propertiesStart: this.#at };
  }

  #marker(): 'document-start' | 'document-end' | undefined {
    const marker = this.#text.slice(this.#at, this.#at + 3);
    if ((marker !== '---' && marker !== '...') || !this.#isBlankOrEnd(this.#at + 3)) return undefined;
    return marker === '---' ? 'document-start' : 'document-end';
  }

  /** Items, a key and its value from here on. */
  #readContent(): LineValue {
    for (;;) {
      this.#skipBlanks();
      const { end } = this.#line;
      const propertiesStart = this.#at;
      const afterKey = this.#nodes.at(-1)?.kind === 'key';
      if (!afterKey && this.#isIndicator('-')) {
        const start = this.#at;
        this.#nodes.push({ kind: 'item', column: start - this.#base, start, end: start + 1 });
        this.#at++;
        continue;
      }
      this.#skipProperties();
      const start = this.#at;
      const first = this.#text[start];
      const of = (kind: LineValue['kind'], valueEnd = end): LineValue => ({
        kind,
        start,
        end: valueEnd,
        propertiesStart,
      });
      if (start >= end || first === '#') return of('none', start);
      if (first === '|' || first === '>') return of('block-scalar');
      if (first === '{' || first === '[') return of('flow');
      if (first === '*') return of('alias');
      if (!afterKey && (this.#isIndicator('?') || this.#isIndicator(':'))) return of('unreadable');
      const isQuoted = first === '"' || first === "'";
      const scalarEnd = isQuoted ? quotedEnd(this.#text, start, end) : this.#plainEnd(start);
      if (scalarEnd === undefined) return of('quoted');
      const colon = afterKey ? undefined : this.#colonAfter(scalarEnd);
      if (colon === undefined) return of(isQuoted ? 'quoted' : 'plain', scalarEnd);
      const name = unquoted(this.#text.slice(start, scalarEnd));
      const column = propertiesStart - this.#base;
      this.#nodes.push({ kind: 'key', column, name, start, end: scalarEnd, valueStart: colon + 1 });
      this.#at = colon + 1;
    }
  }

  #skipBlanks(): void {
    while (this.#at < this.#line.end && isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  /** Anchors and tags. */
  #skipProperties(): void {
    while (this.#at < this.#line.end && '&!'.includes(this.#text[this.#at] ?? ' ')) {
      while (this.#at < this.#line.end && !isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
      this.#skipBlanks();
    }
  }

  #isIndicator(character: string): boolean {
    return this.#text[this.#at] === character && this.#isBlankOrEnd(this.#at + 1);
  }

  #isBlankOrEnd(at: number): boolean {
    return at >= this.#line.end || isBlank(this.#text.charCodeAt(at));
  }

  /** Before `: `, a comment or the line's end, blanks left out. */
  #plainEnd(start: number): number {
    let end = start;
    for (let at = start; at < this.#line.end; at++) {
      const code = this.#text.charCodeAt(at);
      if (isBlank(code)) continue;
      if (code === 58 && this.#isBlankOrEnd(at + 1)) break;
      if (code === 35 && at > start && isBlank(this.#text.charCodeAt(at - 1))) break;
      end = at + 1;
    }
    return end;
  }

  #colonAfter(scalarEnd: number): number | undefined {
    let at = scalarEnd;
    while (at < this.#line.end && isBlank(this.#text.charCodeAt(at))) at++;
    return this.#text[at] === ':' && this.#isBlankOrEnd(at + 1) ? at : undefined;
  }

  #commentStart(value: LineValue): number {
    const { end } = this.#line;
    if (value.kind === 'flow' || (value.kind === 'quoted' && value.end === end)) return end;
    const from = value.kind === 'block-scalar' || value.kind === 'alias' ? value.start : value.end;
    for (let at = from; at < end; at++) {
      if (this.#text.charCodeAt(at) !== 35) continue;
      if (at === from || isBlank(this.#text.charCodeAt(at - 1))) return at;
    }
    return end;
  }
}

function hasTab(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === 9) return true;
  return false;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
