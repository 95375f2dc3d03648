/** Tables in Markdown that are read as text too. */

/** How a table is laid out. */
export interface MarkdownTableOptions {
  /** The widest that a column is made for its cells, in UTF-16 units; a longer cell moves what follows it. No limit by default. */
  readonly widest?: number;
}

/**
 * The lines of a table (GitHub Flavored Markdown, section 4.10) whose columns are as wide as their cells.
 *
 * @param head a cell for each column
 * @param rows cells that hold no line break and no `|`
 */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { widest = Number.POSITIVE_INFINITY }: MarkdownTableOptions = {},
): readonly string[] {
  const widths = head.map((name, column) => {
    const longest = rows.reduce(
      (length, cells) => Math.max(length, cells[column]?.length ?? 0),
      Math.max(3, name.length),
    );
    return Math.min(widest, longest);
  });
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
