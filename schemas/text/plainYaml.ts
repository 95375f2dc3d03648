/**
 * A source tree made straight from yaml's concrete syntax, for the texts that nearly all are: block and flow
 * collections, scalars and comments, without a mistake. Most of what a `Composer` does is for everything else (anchors,
 * tags, several documents, recovery from errors) and for nodes that can be edited; texts with any of it are left to it.
 */
import { CST } from 'yaml';
import { defineOwnProperty, type JsonValue } from '../json/jsonValue';
import type { SourceNode, SourceProperty } from './sourceTree';

/** A tree, and how many values there are in it. */
export interface PlainTree {
  readonly root: SourceNode;
  readonly size: number;
}

/**
 * The tree of a text by the tokens of yaml's `Parser`; undefined for what a `Composer` has to look at, mistakes among
 * it. `offset` is added to every offset of the tree. What it gives is what the composed document gives.
 */
export function plainTree(tokens: readonly CST.Token[], text: string, offset: number): PlainTree | undefined {
  let document: CST.Document | undefined;
  for (const token of tokens) {
    if (token.type === 'document' && document === undefined) document = token;
    else if (token.type !== 'comment' && token.type !== 'newline' && token.type !== 'space') return undefined;
  }
  const { start, value, end } = document ?? { start: [], value: undefined, end: undefined };
  // A comment at the end of a document stands apart by itself.
  if (value === undefined || !isBetween(start, true) || !isBetween(end ?? [], true)) return undefined;
  const reader = new PlainReader(text, offset);
  const root = reader.node(value);
  return root && { root: root.node, size: reader.size };
}

/** A value, and the offset behind its comment and line end, in the text. */
interface Read {
  readonly node: SourceNode;
  readonly behind: number;
}

class PlainReader {
  size = 0;
  readonly #text: string;
  readonly #offset: number;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  node(token: CST.Token): Read | undefined {
    this.size++;
    switch (token.type) {
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
      case 'block-scalar':
        return this.#scalar(token);
      case 'block-map':
        return this.#blockMap(token);
      case 'block-seq':
        return this.#blockSequence(token);
      case 'flow-collection':
        return token.start.source === '{' ? this.#flowMap(token) : this.#flowSequence(token);
      default:
        return undefined;
    }
  }

  #scalar(token: CST.FlowScalar | CST.BlockScalar): Read | undefined {
    const scalar = resolved(token);
    if (scalar === undefined) return undefined;
    const value = token.type === 'scalar' ? plainValue(scalar.value) : scalar.value;
    if (value === undefined) return undefined;
    const [start, valueEnd, behind] = scalar.range;
    return this.#read(value, start, valueEnd, behind);
  }

  #blockMap(map: CST.BlockMap): Read | undefined {
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    let behind = map.offset;
    let commentEnd: number | undefined;
    for (const item of map.items) {
      const { start, key, sep } = item;
      if (commentEnd !== undefined || !isBetween(start, true)) return undefined;
      if (!key && !sep) {
        commentEnd = endOf(start) ?? behind;
        continue;
      }
      if (!key || !sep || !('indent' in key) || key.indent !== map.indent) return undefined;
      if (item.value?.type === 'block-map' && sep.every(({ type }) => type !== 'newline')) return undefined;
      const read = this.#pair(key, sep, item.value, properties, value, false);
      if (read === undefined) return undefined;
      behind = read;
    }
    return this.#read(value, map.offset, behind, commentEnd ?? behind, { properties });
  }

  #blockSequence(sequence: CST.BlockSequence): Read | undefined {
    const items: SourceNode[] = [];
    let behind = sequence.offset;
    let commentEnd: number | undefined;
    for (const { start, value } of sequence.items) {
      if (commentEnd !== undefined) return undefined;
      const mark = start.findIndex(({ type }) => type === 'seq-item-ind');
      if (mark === -1) {
        if (value !== undefined || !isBetween(start, true)) return undefined;
        commentEnd = endOf(start) ?? behind;
        continue;
      }
      if (!isBetween(start.slice(0, mark), true) || !isBetween(start.slice(mark + 1), false))
        return undefined;
      const read = value === undefined ? this.#counted(this.#empty(start)) : this.node(value);
      if (read === undefined) return undefined;
      items.push(read.node);
      behind = read.behind;
    }
    const value = items.map((item) => item.value);
    return this.#read(value, sequence.offset, behind, commentEnd ?? behind, { items });
  }

  #flowMap(map: CST.FlowCollection): Read | undefined {
    const properties = new Map<string, SourceProperty>();
    const value: Record<string, JsonValue> = {};
    for (const [index, item] of map.items.entries()) {
      if (!isFlowStart(item.start, index) || !item.key || item.sep === undefined) return undefined;
      if (item.value === undefined) return undefined;
      const read = this.#pair(item.key, item.sep, item.value, properties, value, true);
      if (read === undefined) return undefined;
    }
    return this.#flowEnd(map, '}', value, { properties });
  }

  #flowSequence(sequence: CST.FlowCollection): Read | undefined {
    const items: SourceNode[] = [];
    for (const [index, { start, key, sep, value }] of sequence.items.entries()) {
      if (!isFlowStart(start, index) || key || sep || value === undefined || isBlock(value)) return undefined;
      const read = this.node(value);
      if (read === undefined) return undefined;
      items.push(read.node);
    }
    const value = items.map((item) => item.value);
    return this.#flowEnd(sequence, ']', value, { items });
  }

  #flowEnd(
    { offset, end }: CST.FlowCollection,
    mark: '}' | ']',
    value: JsonValue,
    children: Pick<SourceNode, 'properties' | 'items'>,
  ): Read | undefined {
    const [closing, ...rest] = end;
    if (closing?.source !== mark || !isBetween(rest, false)) return undefined;
    const valueEnd = closing.offset + 1;
    return this.#read(value, offset, valueEnd, endOf(rest) ?? valueEnd, children);
  }

  /** Reads a key and its value into the properties; gives the offset behind them. */
  #pair(
    key: CST.Token,
    separation: readonly CST.SourceToken[],
    valueToken: CST.Token | undefined,
    properties: Map<string, SourceProperty>,
    value: Record<string, JsonValue>,
    inFlow: boolean,
  ): number | undefined {
    const name = keyOf(key);
    if (name === undefined || properties.has(name.text)) return undefined;
    const mark = separation.findIndex(({ type }) => type === 'map-value-ind');
    if (mark === -1 || !separation.slice(0, mark).every(({ type, source }) => isSpace(type, source)))
      return undefined;
    const behindMark = separation.slice(mark + 1);
    if (
      inFlow ? !behindMark.every(({ type, source }) => isSpace(type, source)) : !isBetween(behindMark, false)
    )
      return undefined;
    if (inFlow && valueToken !== undefined && isBlock(valueToken)) return undefined;
    const read = valueToken === undefined ? this.#counted(this.#empty(separation)) : this.node(valueToken);
    if (read === undefined) return undefined;
    properties.set(name.text, {
      keyStart: name.start + this.#offset,
      keyEnd: name.end + this.#offset,
      node: read.node,
    });
    defineOwnProperty(value, name.text, read.node.value);
    return read.behind;
  }

  #counted(read: Read): Read {
    this.size++;
    return read;
  }

  /** A value that isn't written: null, behind the mark before it and the spaces there. */
  #empty(before: readonly CST.SourceToken[]): Read {
    const mark = before.findLastIndex(({ type }) => type === 'map-value-ind' || type === 'seq-item-ind');
    const marked = before[mark];
    let at = marked === undefined ? 0 : marked.offset + marked.source.length;
    for (let index = mark + 1; before[index]?.type === 'space'; index++)
      at += before[index]?.source.length ?? 0;
    const hasComment = before.slice(mark + 1).some(({ type }) => type === 'comment');
    return this.#read(null, at, at, hasComment ? (endOf(before) ?? at) : at);
  }

  #read(
    value: JsonValue,
    start: number,
    valueEnd: number,
    behind: number,
    children: Pick<SourceNode, 'properties' | 'items'> = {},
  ): Read {
    let end = valueEnd;
    while (end > start && isBlank(this.#text.charCodeAt(end - 1))) end--;
    const node = { value, start: start + this.#offset, end: end + this.#offset, ...children };
    return { node, behind };
  }
}

/** YAML's white space and line ends (YAML 1.2, 5.4 and 5.5); collections end behind theirs. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** A scalar as yaml reads it; undefined where it finds a mistake. */
function resolved(token: CST.FlowScalar | CST.BlockScalar) {
  let isWrong = false;
  const scalar = CST.resolveAsScalar(token, true, () => {
    isWrong = true;
  });
  return isWrong || scalar === null ? undefined : scalar;
}

/** Keys over this length may be too long for YAML (1.2.2, 7.4.2: 1,024 characters with what is around them). */
const maxKeyLength = 900;

/** A key on one line, with its place. */
function keyOf(token: CST.Token): { text: string; start: number; end: number } | undefined {
  if (
    token.type !== 'scalar' &&
    token.type !== 'single-quoted-scalar' &&
    token.type !== 'double-quoted-scalar'
  )
    return undefined;
  const { source, end, type } = token;
  if (source.length > maxKeyLength || source.includes('\n') || source.includes('\r')) return undefined;
  if (end !== undefined && !end.every((one) => isSpace(one.type, one.source))) return undefined;
  const scalar = resolved(token);
  // A number or a word of another type is called by its text, and merge keys are reported.
  if (scalar === undefined || (type === 'scalar' && scalar.value === '<<')) return undefined;
  return { text: scalar.value, start: scalar.range[0], end: scalar.range[1] };
}

const words: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

/** What the core schema takes for a number (YAML 1.2.2, 10.3.2). */
const coreNumber =
  /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** A plain scalar's value by the core schema; undefined for numbers that are written in any but the plainest way. */
function plainValue(source: string): JsonValue | undefined {
  const word = words.get(source);
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  // Digits, and + - . that numbers begin with.
  if ((first < 0x30 || first > 0x39) && first !== 0x2b && first !== 0x2d && first !== 0x2e) return source;
  if (plainNumber.test(source)) return Number(source);
  return coreNumber.test(source) ? undefined : source;
}

/**
 * True for line ends, spaces without tabs, and comments that stand apart from what is before them.
 *
 * @param apart whether what is before them stands apart already, as at the start of a line
 */
function isBetween(tokens: readonly CST.SourceToken[], apart: boolean): boolean {
  let isApart = apart;
  for (const { type, source } of tokens) {
    if (type === 'newline' || isSpace(type, source)) isApart = true;
    else if (type !== 'comment' || !isApart) return false;
  }
  return true;
}

function isFlowStart(tokens: readonly CST.SourceToken[], index: number): boolean {
  const [comma, ...rest] = tokens;
  if (index === 0) return tokens.every(({ type, source }) => isSpace(type, source));
  return comma?.type === 'comma' && rest.every(({ type, source }) => isSpace(type, source));
}

function isSpace(type: string, source: string): boolean {
  return type === 'space' && !source.includes('\t');
}

function isBlock({ type }: CST.Token): boolean {
  return type === 'block-map' || type === 'block-seq' || type === 'block-scalar';
}

function endOf(tokens: readonly CST.SourceToken[]): number | undefined {
  const last = tokens.at(-1);
  return last && last.offset + last.source.length;
}
