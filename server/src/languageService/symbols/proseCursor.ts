/** Where the cursor is in a code span that is being typed, closed or not. */
import type { IncludedPage, SkillPage } from '../documents';
import { layoutOf } from './skillProse';

/** The inside of a code span, between backticks or after one that nothing closes yet. */
export interface ProseCursor {
  /** Offsets of the span's text: up to its closing backticks, or to the end of the word at the cursor. */
  readonly start: number;
  readonly end: number;
  /** The text between the start and the cursor. */
  readonly typed: string;
  /** The backticks that have to follow, where the span isn't closed on its line. */
  readonly closing: string;
}

/** Undefined where the offset is in no code span of running text. */
export function proseCursorAt(page: SkillPage | IncludedPage, offset: number): ProseCursor | undefined {
  const { regions } = layoutOf(page);
  // Behind the last character of a region that ends with its line, the cursor is still in it.
  const region = regions.find(
    ({ start, end }) => offset >= start && offset <= end && !isNextLine(page, end, offset),
  );
  if (region === undefined) return undefined;
  const { line } = page.lines.positionAt(offset);
  const lineStart = Math.max(region.start, page.lines.offsetAt({ line, character: 0 }));
  const lineEnd = Math.min(region.end, endOfLine(page, line));
  const before = page.text.slice(lineStart, offset);
  const opening = openingIn(before);
  if (opening === undefined) return undefined;
  const start = lineStart + opening.end;
  const after = page.text.slice(offset, lineEnd);
  const close = closingIn(after, opening.length);
  const typed = page.text.slice(start, offset);
  if (close !== undefined) return { start, end: offset + close, typed, closing: '' };
  const word = /^[\p{L}\p{N}_$<>[\]./-]*/u.exec(after)?.[0].length ?? 0;
  return { start, end: offset + word, typed, closing: '`'.repeat(opening.length) };
}

/** True where a region ends with a line break and the cursor stands behind it. */
function isNextLine({ text }: SkillPage | IncludedPage, end: number, offset: number): boolean {
  return offset === end && /[\r\n]/.test(text[end - 1] ?? '');
}

function endOfLine({ text, lines }: SkillPage | IncludedPage, line: number): number {
  const next = line + 1 < lines.lineCount ? lines.offsetAt({ line: line + 1, character: 0 }) : text.length;
  let end = next;
  while (end > 0 && /[\r\n]/.test(text[end - 1] ?? '')) end--;
  return Math.max(end, lines.offsetAt({ line, character: 0 }));
}

/** The run of backticks before the cursor that nothing on its line has closed. */
function openingIn(before: string): { readonly end: number; readonly length: number } | undefined {
  let opening: { end: number; length: number } | undefined;
  for (const { 0: run, index } of before.matchAll(/\\`|`+/g)) {
    const isEscaped = run.startsWith('\\');
    const length = isEscaped ? 1 : run.length;
    if (opening === undefined) {
      if (!isEscaped) opening = { end: index + run.length, length };
    } else if (length === opening.length) {
      opening = undefined;
    }
  }
  return opening;
}

/**
 * Where the run of backticks begins that closes a span. What follows a cursor in an unclosed span may open the next
 * one: with an odd number of runs on the rest of the line the first one closes.
 */
function closingIn(after: string, length: number): number | undefined {
  const runs = [...after.matchAll(/`+/g)].filter(({ 0: run }) => run.length === length);
  return runs.length % 2 === 1 ? runs[0]?.index : undefined;
}
