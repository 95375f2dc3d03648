/** How deep a YAML text nests, found without the recursion of a parser: yaml 2.9.1 ends the process on deep texts. */

/**
 * Measures the depth of a text while it is read, from what yaml's `Lexer` makes of it. A level is a column that block
 * collections begin at, or a flow bracket; a list that begins at the column of its key counts with the key, so that
 * there may be two collections to a level.
 */
export class YamlDepth {
  readonly #limit: number;
  readonly #columns: number[] = [];
  #flow = 0;
  #offset = 0;
  #lineStart = 0;
  #tooDeepAt: number | undefined;

  /** @param limit how many levels a text may have */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The offset where the text first nests deeper than the limit; undefined while it doesn't. */
  get tooDeepAt(): number | undefined {
    return this.#tooDeepAt;
  }

  /** Takes the text's next lexeme. */
  add(lexeme: string): void {
    const first = lexeme.charCodeAt(0);
    if (isMark(first)) return;
    if (first === openBracket || first === openBrace) {
      this.#flow++;
    } else if (first === closeBracket || first === closeBrace) {
      this.#flow = Math.max(0, this.#flow - 1);
    } else if (this.#flow === 0 && isContent(first)) {
      this.#begin(this.#offset - this.#lineStart);
    }
    if (this.#columns.length + this.#flow > this.#limit) this.#tooDeepAt ??= this.#offset;
    const lineFeed = lexeme.lastIndexOf('\n');
    if (lineFeed !== -1) this.#lineStart = this.#offset + lineFeed + 1;
    this.#offset += lexeme.length;
  }

  #begin(column: number): void {
    const columns = this.#columns;
    let last = columns.at(-1) ?? -1;
    while (last > column) {
      columns.pop();
      last = columns.at(-1) ?? -1;
    }
    if (last !== column) columns.push(column);
  }
}

const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The lexer's own marks (document start, flow error end, scalar follows): they take no room in the text. */
function isMark(first: number): boolean {
  return first === 0x02 || first === 0x18 || first === 0x1f;
}

/** False for white space, comments and the byte order mark. */
function isContent(first: number): boolean {
  return (
    first !== 0x20 && first !== 0x0a && first !== 0x09 && first !== 0x0d && first !== 0x23 && first !== 0xfeff
  );
}
