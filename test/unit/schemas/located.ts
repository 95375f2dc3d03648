/** Findings as tests compare them: code and the text that is marked. */
import { LineIndex, type Range } from '../../../schemas/text/position';
import type { Problem } from '../../../schemas/text/problem';

/** The text that a range marks. */
export function marked(text: string, range: Range): string {
  const lines = new LineIndex(text);
  return text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
}

/** Each finding as `code «marked text»`. */
export function findings(text: string, problems: readonly Problem[]): string[] {
  return problems.map(({ code, range }) => `${code} «${marked(text, range)}»`);
}

/** True where a range lies in a text and doesn't end before it starts. */
export function liesIn(text: string, { start, end }: Range): boolean {
  const lines = new LineIndex(text);
  const startOffset = lines.offsetAt(start);
  const endOffset = lines.offsetAt(end);
  const exact = (offset: number, position: Range['start']) => {
    const again = lines.positionAt(offset);
    return again.line === position.line && again.character === position.character;
  };
  return startOffset <= endOffset && exact(startOffset, start) && exact(endOffset, end);
}
