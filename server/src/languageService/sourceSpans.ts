/** The keys, values, properties and objects around an offset of a YAML or JSON text, found by bisection. */
import type { SourceNode, SourceProperty } from '../../../schemas/text/sourceTree';

/** A part of a text: offsets, `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Keeps each object's entries as an array, so that many positions cost little more than one. */
export class SourceSpans {
  readonly #text: string;
  readonly #root: SourceNode;
  readonly #entries = new Map<SourceNode, readonly SourceProperty[]>();

  constructor(text: string, root: SourceNode) {
    this.#text = text;
    this.#root = root;
  }

  /** Everything that the offset touches, from the root inwards. */
  around(offset: number): readonly Span[] {
    const spans: Span[] = [];
    let node: SourceNode | undefined = this.#root;
    while (node !== undefined && offset >= node.start && offset <= node.end) {
      spans.push({ start: node.start, end: node.end }, ...this.#inside(node));
      const entry = this.#entryAt(node, offset);
      if (entry === undefined) break;
      const { keyStart, keyEnd, node: value }: SourceProperty = entry;
      spans.push({ start: keyStart, end: Math.max(keyEnd, value.end) });
      if (offset <= keyEnd && keyEnd < value.start) spans.push(...this.#token(keyStart, keyEnd));
      node = value;
    }
    return spans;
  }

  /** A text without its quotation marks, the content of brackets. */
  #inside({ start, end, properties, items }: SourceNode): Span[] {
    const isContainer = properties !== undefined || items !== undefined;
    const opening = this.#text[start];
    if (!isContainer) return this.#token(start, end);
    const closing = opening === '{' ? '}' : opening === '[' ? ']' : undefined;
    // Brackets may be open still.
    if (end - start < 2 || closing === undefined || this.#text[end - 1] !== closing) return [];
    const content = this.#text.slice(start + 1, end - 1);
    const from = start + 1 + content.length - content.trimStart().length;
    return [{ start: from, end: start + 1 + content.trimEnd().length }];
  }

  #token(start: number, end: number): Span[] {
    const opening = this.#text[start] ?? '';
    const isQuoted = end - start >= 2 && /["']/.test(opening) && this.#text[end - 1] === opening;
    return isQuoted
      ? [
          { start, end },
          { start: start + 1, end: end - 1 },
        ]
      : [{ start, end }];
  }

  /** The last entry that begins at or before the offset; its value's children may stand elsewhere (an alias). */
  #entryAt(node: SourceNode, offset: number): SourceProperty | undefined {
    const entries = this.#entriesOf(node);
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle]?.keyStart ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const entry = entries[low - 1];
    if (entry === undefined || entry.keyStart < node.start) return undefined;
    return offset <= Math.max(entry.keyEnd, entry.node.end) ? entry : undefined;
  }

  #entriesOf(node: SourceNode): readonly SourceProperty[] {
    let entries = this.#entries.get(node);
    if (entries === undefined) {
      entries = node.items?.map((item) => ({ keyStart: item.start, keyEnd: item.start, node: item })) ?? [
        ...(node.properties?.values() ?? []),
      ];
      this.#entries.set(node, entries);
    }
    return entries;
  }
}
