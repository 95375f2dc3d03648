/** The fenced code blocks of a Markdown text, with their offsets, wherever they stand: in lists and quotations too. */
import MarkdownIt from 'markdown-it';
import type { LineIndex } from '../text/position';

/** A fenced block. Offsets are UTF-16, into the whole file. */
export interface CodeFence {
  /** What stands behind the opening fence, trimmed: `json title="x"`. */
  readonly info: string;
  /** The lines between the fences, the last line break included. */
  readonly start: number;
  readonly end: number;
  /** Those lines, as long as they are in the file: marks of a quotation around the block are blanks here. */
  readonly text: string;
  /** The last line above the opening fence that isn't blank; empty without one. */
  readonly lineBefore: string;
}

/** A part of a Markdown file that begins at the start of a line. */
export interface MarkdownPart {
  /** The file's whole text. */
  readonly text: string;
  /** Positions in it. */
  readonly lines: LineIndex;
  readonly start: number;
  readonly end: number;
}

/** This preset stops looking 20 levels deep, so that no nesting overflows it. */
const parser = new MarkdownIt('commonmark');
parser.core.ruler.enableOnly(['normalize', 'block']);

/** Finds the fenced blocks, in the order of the text. A block that is never closed ends with what it stands in. */
export function codeFences({ text, lines, start, end }: MarkdownPart): CodeFence[] {
  const part = text.slice(start, end);
  if (!/```|~~~/.test(part)) return [];
  const firstLine = lines.positionAt(start).line;
  const lineStart = (line: number): number =>
    Math.min(end, lines.offsetAt({ line: firstLine + line, character: 0 }));
  const fences: CodeFence[] = [];
  for (const { type, info, content, map } of parser.parse(part, {})) {
    if (type !== 'fence' || !map) continue;
    const contentLines = content.split('\n');
    if (contentLines.at(-1) === '') contentLines.pop();
    const [openingLine] = map;
    const contentLine = openingLine + 1;
    const contentStart = lineStart(contentLine);
    const contentEnd = lineStart(contentLine + contentLines.length);
    const masked = contentLines.map((line, index) =>
      withoutMarks(text.slice(lineStart(contentLine + index), lineStart(contentLine + index + 1)), line),
    );
    fences.push({
      info: info.trim(),
      start: contentStart,
      end: contentEnd,
      text: masked.join(''),
      lineBefore: lineBefore(text, start, lineStart(openingLine)),
    });
  }
  return fences;
}

/** A line as it is written, with everything but blanks made blank that doesn't belong to the block's content. */
function withoutMarks(written: string, content: string): string {
  const length = written.replace(/[\r\n]+$/, '').length;
  let common = 0;
  while (
    common < Math.min(length, content.length) &&
    written[length - 1 - common] === content.at(-1 - common)
  )
    common++;
  return written.slice(0, length - common).replace(/\S/g, ' ') + written.slice(length - common);
}

function lineBefore(text: string, start: number, fenceLine: number): string {
  const above = text.slice(Math.max(start, fenceLine - 2_000), fenceLine).trimEnd();
  return above.slice(Math.max(above.lastIndexOf('\n'), above.lastIndexOf('\r')) + 1);
}
