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
  const first = text[at] ?? '';
  if (first === '"' || first === "'") at++;
  else if (first === '|' || first === '>') at = nextLine(text, at);
  const offsets: number[] = [];
  for (const unit of value) {
    const found = find(text, at, node.end, unit, first);
    if (found === undefined) return undefined;
    for (let index = 0; index < unit.length; index++) offsets.push(found.at + index);
    at = found.next;
  }
  offsets.push(Math.min(at, node.end));
  return offsets;
}

/** The place of a character at or after `from`: only line breaks and indentation may come before it. */
function find(
  text: string,
  from: number,
  end: number,
  unit: string,
  quote: string,
): { readonly at: number; readonly next: number } | undefined {
  if (quote === "'" && unit === "'")
    return text.startsWith("''", from) ? { at: from, next: from + 2 } : undefined;
  if (quote === '"' && text[from] === '\\') return undefined;
  if (unit === ' ' || unit === '\n') {
    const space = /[ \t]*(?:\r\n|\r|\n)[ \t]*/y;
    space.lastIndex = from;
    if (unit === ' ' && text[from] === ' ') {
      const folded = space.exec(text);
      return folded === null ? { at: from, next: from + 1 } : { at: from, next: space.lastIndex };
    }
    if (space.exec(text) !== null) return { at: from, next: space.lastIndex };
    // The line break that ends a block scalar lies beyond its node.
    return unit === '\n' && from >= end ? { at: from, next: from } : undefined;
  }
  let at = from;
  while (at < end && /[ \t\r\n]/.test(text[at] ?? '') && !text.startsWith(unit, at)) at++;
  return text.startsWith(unit, at) ? { at, next: at + unit.length } : undefined;
}

function nextLine(text: string, from: number): number {
  const lineBreak = /\r\n|\r|\n/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text) === null ? text.length : lineBreak.lastIndex;
}
