/** Where the characters of a text scalar stand in its file: quotes, escapes, and the indentation of block scalars aside. */
import type { SourceNode } from '../../../../schemas/text/sourceTree';

/**
 * The UTF-16 offset in `text` of each UTF-16 unit of the node's string, and one for its end. Undefined where they can't
 * be told apart, as in strings with escapes.
 */
export function scalarOffsets(text: string, node: SourceNode): readonly number[] | undefined {
  const { value } = node;
  if (typeof value !== 'string') return undefined;
  let at = node.start;
  const style = text[at] ?? '';
  let indent: number | undefined;
  if (style === '"' || style === "'") at++;
  if (style === '|' || style === '>') {
    at = nextLine(text, at);
    indent = indentAt(text, at);
    at += indent;
  }
  const offsets: number[] = [];
  for (const unit of value) {
    const found = find(text, at, node.end, unit, { style, indent });
    if (found === undefined) return undefined;
    for (let index = 0; index < unit.length; index++) offsets.push(found.at + index);
    at = found.next;
  }
  offsets.push(Math.min(at, node.end));
  return offsets;
}

interface ScalarStyle {
  /** The first character of the scalar in the text. */
  readonly style: string;
  /** Of a block scalar: how far all of its lines are indented. */
  readonly indent: number | undefined;
}

/** The place of a character at or after `from`: only line breaks and indentation may come before it. */
function find(
  text: string,
  from: number,
  end: number,
  unit: string,
  { style, indent }: ScalarStyle,
): { readonly at: number; readonly next: number } | undefined {
  if (style === "'" && unit === "'")
    return text.startsWith("''", from) ? { at: from, next: from + 2 } : undefined;
  if (style === '"' && text[from] === '\\') return undefined;
  if (unit === ' ' || unit === '\n') {
    const lineBreak = indent === undefined ? /[ \t]*(?:\r\n|\r|\n)[ \t]*/y : /\r\n|\r|\n/y;
    lineBreak.lastIndex = from;
    if (lineBreak.exec(text) !== null) {
      const next = lineBreak.lastIndex;
      return { at: from, next: indent === undefined ? next : next + Math.min(indent, indentAt(text, next)) };
    }
    if (unit === ' ') return text[from] === ' ' ? { at: from, next: from + 1 } : undefined;
    // The line break that ends a block scalar lies beyond its node.
    return from >= end ? { at: from, next: from } : undefined;
  }
  let at = from;
  while (at < end && /[ \t\r\n]/.test(text[at] ?? '') && !text.startsWith(unit, at)) at++;
  return text.startsWith(unit, at) ? { at, next: at + unit.length } : undefined;
}

function indentAt(text: string, lineStart: number): number {
  let at = lineStart;
  while (text[at] === ' ') at++;
  return at - lineStart;
}

function nextLine(text: string, from: number): number {
  const lineBreak = /\r\n|\r|\n/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text) === null ? text.length : lineBreak.lastIndex;
}
