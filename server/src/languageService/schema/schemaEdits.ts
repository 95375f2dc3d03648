/** Edits of subschemas in a schema's text: keywords put in, replaced and taken out, in block YAML, flow YAML and JSON. */
import { isJsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import type { LineIndex } from '../../../../schemas/text/position';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
import { isYamlWord } from '../../../../schemas/text/yamlWords';
import type { Replacement } from '../finding';

/** Keywords and their values, in the order in which they are to stand. */
export type KeywordValues = readonly (readonly [keyword: string, value: JsonValue])[];

/** Makes the edits of one text. What can't be edited safely, such as a YAML alias, gives undefined. */
export class SchemaEditor {
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #isJson: boolean;

  constructor(page: { readonly text: string; readonly lines: LineIndex; readonly format: 'yaml' | 'json' }) {
    this.#text = page.text;
    this.#lines = page.lines;
    this.#isJson = page.format === 'json';
  }

  /** Puts keywords into a subschema: after its `type` where it has one, else in front. */
  insert(node: SourceNode, keywords: KeywordValues): readonly Replacement[] | undefined {
    const { properties } = node;
    if (properties === undefined || properties.size === 0) {
      if (properties === undefined && node.value !== true) return undefined;
      if (this.#isAlias(node) || node.start >= node.end) return undefined;
      return [this.#replace(node.start, node.end, this.#flow(Object.fromEntries(keywords)))];
    }
    if (this.#isAlias(node)) return undefined;
    const type = properties.get('type');
    const afterType = type !== undefined && type.node.start < type.node.end ? type : undefined;
    const [first] = properties.values();
    if (first === undefined) return undefined;
    return this.#isFlow(node)
      ? this.#insertInFlow(afterType, first, keywords)
      : this.#insertInBlock(afterType, first, keywords);
  }

  /** Gives a keyword another value. */
  setValue(property: SourceProperty, value: JsonValue): readonly Replacement[] | undefined {
    const { node, keyEnd } = property;
    const text = this.#flow(value);
    if (node.start < node.end) return [this.#replace(node.start, node.end, text)];
    const colon = this.#text.indexOf(':', keyEnd);
    return colon === -1 ? undefined : [this.#replace(colon + 1, colon + 1, ` ${text}`)];
  }

  /** Gives a keyword another name. */
  rename(property: SourceProperty, name: string): readonly Replacement[] {
    const { keyStart, keyEnd } = property;
    const isQuoted = /["']/.test(this.#text[keyStart] ?? '');
    return [this.#replace(keyStart, keyEnd, isQuoted ? JSON.stringify(name) : this.#flow(name))];
  }

  /** Takes a keyword out, with the comment on its line. */
  remove(node: SourceNode, keyword: string): readonly Replacement[] | undefined {
    const property = node.properties?.get(keyword);
    if (property === undefined || this.#isAlias(node)) return undefined;
    const siblings = [...(node.properties?.values() ?? [])];
    const index = siblings.indexOf(property);
    return this.removeExtent(node, property.keyStart, Math.max(property.keyEnd, property.node.end), {
      before: siblings[index - 1],
      after: siblings[index + 1],
    });
  }

  /** Takes out what begins with a key and ends with its value, between its neighbours. */
  removeExtent(
    node: SourceNode,
    start: number,
    end: number,
    {
      before,
      after,
    }: { readonly before: SourceProperty | undefined; readonly after: SourceProperty | undefined },
  ): readonly Replacement[] | undefined {
    if (before === undefined && after === undefined) return [this.#replace(node.start, node.end, '{}')];
    if (this.#isFlow(node)) {
      if (after !== undefined) return [this.#replace(start, after.keyStart, '')];
      return [this.#replace(Math.max(before?.keyEnd ?? 0, before?.node.end ?? 0), end, '')];
    }
    const lineStart = this.#lineStart(start);
    // The first key of a list's item stands behind the dash.
    if (this.#text.slice(lineStart, start).trim() !== '')
      return after === undefined ? undefined : [this.#replace(start, after.keyStart, '')];
    const nextLine = this.#nextLine(end);
    if (nextLine !== undefined) return [this.#replace(lineStart, nextLine, '')];
    return [this.#replace(this.#endOfLineBefore(lineStart), this.#text.length, '')];
  }

  /** Takes an item out of a list that has others. */
  removeItem(items: readonly SourceNode[], index: number): readonly Replacement[] | undefined {
    const item = items[index];
    if (item === undefined || this.#isAlias(item)) return undefined;
    const lineStart = this.#lineStart(item.start);
    const dash = /^ *-[ \t]+$/.test(this.#text.slice(lineStart, item.start));
    if (dash) {
      const nextLine = this.#nextLine(item.end);
      if (nextLine !== undefined) return [this.#replace(lineStart, nextLine, '')];
      return [this.#replace(this.#endOfLineBefore(lineStart), this.#text.length, '')];
    }
    const before = items[index - 1];
    const after = items[index + 1];
    if (after !== undefined) {
      const between = this.#text.slice(item.end, after.start);
      return /^\s*,\s*$/.test(between) ? [this.#replace(item.start, after.start, '')] : undefined;
    }
    if (before === undefined) return undefined;
    const between = this.#text.slice(before.end, item.start);
    return /^\s*,\s*$/.test(between) ? [this.#replace(before.end, item.end, '')] : undefined;
  }

  #insertInFlow(
    after: SourceProperty | undefined,
    first: SourceProperty,
    keywords: KeywordValues,
  ): readonly Replacement[] {
    const place = after ?? first;
    const lineStart = this.#lineStart(place.keyStart);
    const indent = this.#text.slice(lineStart, place.keyStart);
    const gap = indent.trim() === '' && lineStart > 0 ? this.#lineBreak(place.keyStart) + indent : ' ';
    const entries = keywords.map(([keyword, value]) => `${this.#flow(keyword)}: ${this.#flow(value)}`);
    if (after === undefined)
      return [
        this.#replace(first.keyStart, first.keyStart, entries.map((entry) => `${entry},${gap}`).join('')),
      ];
    return [
      this.#replace(after.node.end, after.node.end, entries.map((entry) => `,${gap}${entry}`).join('')),
    ];
  }

  #insertInBlock(
    after: SourceProperty | undefined,
    first: SourceProperty,
    keywords: KeywordValues,
  ): readonly Replacement[] | undefined {
    const place = after ?? first;
    const before = this.#text.slice(this.#lineStart(place.keyStart), place.keyStart).replace('\uFEFF', '');
    if (!/^ *(?:- +)*$/.test(before)) return undefined;
    const indent = ' '.repeat(before.length);
    const lines = keywords.map(([keyword, value]) => `${this.#flow(keyword)}: ${this.#flow(value)}`);
    const lineBreak = this.#lineBreak(place.keyStart);
    if (after === undefined) {
      const text = lines.map((line) => line + lineBreak + indent).join('');
      return [this.#replace(first.keyStart, first.keyStart, text)];
    }
    const end = this.#lineEnd(after.node.end);
    return [this.#replace(end, end, lines.map((line) => lineBreak + indent + line).join(''))];
  }

  /** A value on one line. */
  #flow(value: JsonValue): string {
    if (typeof value === 'string') return !this.#isJson && isPlainText(value) ? value : JSON.stringify(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value))
      return `[${(value as readonly JsonValue[]).map((item) => this.#flow(item)).join(', ')}]`;
    if (!isJsonObject(value)) return '';
    const entries = Object.entries(value).map(([key, item]) => `${this.#flow(key)}: ${this.#flow(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }

  #replace(start: number, end: number, text: string): Replacement {
    return { range: this.#lines.rangeOf(start, end), text };
  }

  #isFlow(node: SourceNode): boolean {
    return this.#text[node.start] === '{';
  }

  #isAlias(node: SourceNode): boolean {
    return !this.#isJson && this.#text[node.start] === '*';
  }

  #lineStart(offset: number): number {
    return this.#lines.offsetAt({ line: this.#lines.positionAt(offset).line, character: 0 });
  }

  /** Where the text of an offset's line ends, its line break left out. */
  #lineEnd(offset: number): number {
    let end = offset;
    while (end < this.#text.length && !/[\r\n]/.test(this.#text[end] ?? '')) end++;
    return end;
  }

  #nextLine(offset: number): number | undefined {
    const { line } = this.#lines.positionAt(offset);
    return line + 1 < this.#lines.lineCount
      ? this.#lines.offsetAt({ line: line + 1, character: 0 })
      : undefined;
  }

  #endOfLineBefore(lineStart: number): number {
    let end = lineStart;
    if (this.#text[end - 1] === '\n') end--;
    if (this.#text[end - 1] === '\r') end--;
    return end;
  }

  /** The line break at the end of an offset's line, else the first of the text. */
  #lineBreak(offset: number): string {
    const nearby = /\r\n|\r|\n/y;
    nearby.lastIndex = this.#lineEnd(offset);
    return (nearby.exec(this.#text) ?? /\r\n|\r|\n/.exec(this.#text))?.[0] ?? '\n';
  }
}

/** True for a text that YAML reads as itself without quotes, in flow style too. */
function isPlainText(text: string): boolean {
  return /^[A-Za-z$_][\w$./-]*$/.test(text) && !isYamlWord(text);
}
