/** How deep a YAML text nests, found without the recursion of a parser (yaml 2.9.1 ends the process on deep texts). */
import { Lexer } from 'yaml';

/**
 * The offset where a text first nests more than `limit` levels, or undefined. Never says too little; a level of
 * block indentation may count a sequence and the mapping that holds it as one.
 */
export function findTooDeep(text: string, limit: number): number | undefined {
  return isPlainlyShallow(text, limit) ? undefined : findTooDeepByLexer(text, limit);
}

/**
 * A linear look that settles nearly every text: no line is indented far, and few brackets are open at once.
 * Closing brackets count only on lines where no quote or comment could hide one.
 */
function isPlainlyShallow(text: string, limit: number): boolean {
  let lineDepth = 0;
  let inIndent = true;
  let opened = 0;
  let lineOpened = 0;
  let lineClosed = 0;
  let doubtful = false;
  for (let offset = 0; offset < text.length; offset++) {
    switch (text.charCodeAt(offset)) {
      case 10: // line feed
      case 13: // carriage return
        opened += doubtful ? lineOpened : Math.max(0, lineOpened - lineClosed);
        if (!doubtful && lineClosed > lineOpened) opened = Math.max(0, opened - (lineClosed - lineOpened));
        lineDepth = 0;
        inIndent = true;
        lineOpened = 0;
        lineClosed = 0;
        doubtful = false;
        continue;
      case 32: // space
        if (inIndent) lineDepth++;
        break;
      case 45: // -
      case 63: // ?
      case 58: // :
        lineDepth++;
        break;
      case 91: // [
      case 123: // {
        inIndent = false;
        lineOpened++;
        break;
      case 93: // ]
      case 125: // }
        inIndent = false;
        lineClosed++;
        break;
      case 34: // "
      case 39: // '
      case 35: // #
      case 124: // |
      case 62: // >
        doubtful = true;
        inIndent = false;
        break;
      default:
        inIndent = false;
    }
    if (lineDepth + opened + lineOpened > limit) return false;
  }
  return true;
}

/** The real count: the columns of block collections that are open, and flow brackets, as the lexer sees them. */
function findTooDeepByLexer(text: string, limit: number): number | undefined {
  const columns: number[] = [];
  let flow = 0;
  let offset = 0;
  let lineStart = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const first = lexeme[0];
    if (first === '[' || first === '{') {
      flow++;
    } else if (first === ']' || first === '}') {
      flow = Math.max(0, flow - 1);
    } else if (flow === 0 && isContent(lexeme)) {
      const column = offset - lineStart;
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
    }
    if (columns.length + flow > limit) return offset;
    if (marks.has(first)) continue;
    const lineFeed = lexeme.lastIndexOf('\n');
    if (lineFeed !== -1) lineStart = offset + lineFeed + 1;
    offset += lexeme.length;
  }
  return undefined;
}

/** The lexer's own marks (document start, scalar follows, flow error end): they take no room in the text. */
const marks: ReadonlySet<string | undefined> = new Set(['\u0002', '\u0018', '\u001f']);

function isContent(lexeme: string): boolean {
  const first = lexeme[0];
  return first !== undefined && !marks.has(first) && !/[\s#\uFEFF]/.test(first);
}
