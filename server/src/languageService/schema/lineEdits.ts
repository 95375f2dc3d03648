/** The edits that turn one text into another of the same lines: small ones, so that cursors and breakpoints stay. */
import type { Position } from '../../../../schemas/text/position';
import type { Replacement } from '../finding';

/** The edits, and how the text ends after them. */
export interface LineEdits {
  readonly edits: Replacement[];
  /** The end of the last line with content, in the old text. */
  readonly end: Position;
  readonly endsWithNewline: boolean;
}

/**
 * Edits that give each line of a text its new content. The new lines are the old ones in their order, except for
 * blank lines that are left out; those at the end are left out as far as the new text has none. Line ends stay.
 *
 * @param oldLines without their line ends; the last one is empty where the text ends with a line end
 * @param newLines likewise, but without such an empty one
 */
export function lineEdits(oldLines: readonly string[], newLines: readonly string[]): LineEdits {
  const edits: Replacement[] = [];
  let old = 0;
  for (const text of newLines) {
    const before = old;
    if (text.trim() !== '') while (oldLines[old]?.trim() === '' && old < oldLines.length - 1) old++;
    if (old > before) edits.push(removal(before, { line: old, character: 0 }));
    const edit = changeOf(oldLines[old] ?? '', text, old);
    if (edit !== undefined) edits.push(edit);
    old++;
  }
  const end = { line: Math.max(0, old - 1), character: oldLines[old - 1]?.length ?? 0 };
  const last = { line: oldLines.length - 1, character: oldLines.at(-1)?.length ?? 0 };
  if (old < last.line || (old === last.line && last.character > 0)) edits.push(removal(old, last));
  return { edits, end, endsWithNewline: old < oldLines.length };
}

function removal(fromLine: number, end: Position): Replacement {
  return { range: { start: { line: fromLine, character: 0 }, end }, text: '' };
}

/** The part of a line that differs, from its first to its last different character. */
function changeOf(from: string, to: string, line: number): Replacement | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  return {
    range: { start: { line, character: start }, end: { line, character: from.length - end } },
    text: to.slice(start, to.length - end),
  };
}
