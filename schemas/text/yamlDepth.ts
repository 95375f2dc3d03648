/** How deep a YAML text nests, found without the recursion of a parser: yaml 2.9.1 ends the process on deep texts. */

/** The lexer's own marks (document start, scalar follows, flow error end): they take no room in the text. */
const marks: ReadonlySet<string | undefined> = new Set(['\u0002', '\u0018', '\u001f']);

/**
 * The offset where a text first nests more than `limit` levels, or undefined. `lexemes` are what yaml's `Lexer`
 * makes of the text. A level is a column that block collections begin at, or a flow bracket; a list that begins at
 * the column of its key counts with the key, so that there may be two collections to a level.
 */
export function findTooDeep(lexemes: readonly string[], limit: number): number | undefined {
  const columns: number[] = [];
  let flow = 0;
  let offset = 0;
  let lineStart = 0;
  for (const lexeme of lexemes) {
    const first = lexeme[0];
    if (marks.has(first)) continue;
    if (first === '[' || first === '{') {
      flow++;
    } else if (first === ']' || first === '}') {
      flow = Math.max(0, flow - 1);
    } else if (flow === 0 && isContent(first)) {
      const column = offset - lineStart;
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
    }
    if (columns.length + flow > limit) return offset;
    const lineFeed = lexeme.lastIndexOf('\n');
    if (lineFeed !== -1) lineStart = offset + lineFeed + 1;
    offset += lexeme.length;
  }
  return undefined;
}

function isContent(first: string | undefined): boolean {
  return first !== undefined && !/[\s#\uFEFF]/.test(first);
}
