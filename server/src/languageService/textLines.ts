/** Lines of a text whose lines end with line feeds, found where they are needed and not all at once. */

/** A line: its offsets, without the line feed. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
}

/** The line that an offset is on. */
export function lineAt(text: string, offset: number): TextLine {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return { start, end: end === -1 ? text.length : end };
}

/** The line before; undefined for the first. */
export function lineBefore(text: string, line: TextLine): TextLine | undefined {
  if (line.start === 0) return undefined;
  const end = line.start - 1;
  return { start: end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1, end };
}

/** The line after; undefined for the last. */
export function lineAfter(text: string, line: TextLine): TextLine | undefined {
  if (line.end >= text.length) return undefined;
  const start = line.end + 1;
  const end = text.indexOf('\n', start);
  return { start, end: end === -1 ? text.length : end };
}

/** The blanks and tabs that the line of an offset begins with. */
export function indentationAt(text: string, offset: number): string {
  const { start, end } = lineAt(text, offset);
  return /^[ \t]*/.exec(text.slice(start, end))?.[0] ?? '';
}
