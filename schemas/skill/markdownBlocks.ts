/** The blocks of a Markdown text by line: what actions and mentions are read from. Inline markup is left to its readers. */
import MarkdownIt from 'markdown-it';

/**
 * A piece of running text: a heading, a paragraph, or the first paragraph of a list item; a line that defines the
 * target of reference links (`[label]: target`). Each cell of a table is a block with the lines of its row.
 */
export interface TextBlock {
  readonly kind: 'heading' | 'item' | 'paragraph' | 'definition';
  /** How many lists the block is in. */
  readonly listDepth: number;
  /** True where neither a list nor a quotation is around the block. */
  readonly topLevel: boolean;
  /** 0-based lines of the text, `endLine` excluded. */
  readonly startLine: number;
  readonly endLine: number;
  /** The block's inline text as Markdown, its lines without indentation. */
  readonly content: string;
}

/** This preset stops looking 20 levels deep, so that no nesting overflows it. */
const parser = new MarkdownIt('commonmark').enable('table');
parser.core.ruler.enableOnly(['normalize', 'block']);

/** The text blocks in the order of the text; code blocks and HTML are left out. */
export function textBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let listDepth = 0;
  let nesting = 0;
  let kind: TextBlock['kind'] = 'paragraph';
  let itemPending = false;
  let map: [number, number] = [0, 0];
  const environment: { references?: object } = {};
  const other = new Set<number>();
  const tokens = parser.parse(text, environment);
  for (const token of tokens) {
    map = token.map ?? map; // a table's cells have none of their own: their row's counts
    switch (token.type) {
      case 'fence':
      case 'code_block':
      case 'html_block':
        for (let line = map[0]; line < map[1]; line++) other.add(line);
        break;
      case 'bullet_list_open':
      case 'ordered_list_open':
        listDepth++;
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        listDepth--;
        break;
      case 'blockquote_open':
        nesting++;
        break;
      case 'blockquote_close':
        nesting--;
        break;
      case 'list_item_open':
        itemPending = true;
        break;
      case 'heading_open':
        kind = 'heading';
        break;
      case 'paragraph_open':
        kind = itemPending ? 'item' : 'paragraph';
        break;
      case 'inline': {
        const [startLine, endLine] = map;
        const topLevel = listDepth === 0 && nesting === 0;
        blocks.push({ kind, listDepth, topLevel, startLine, endLine, content: token.content });
        kind = 'paragraph';
        break;
      }
    }
    if (token.type !== 'list_item_open' && token.type !== 'paragraph_open') itemPending = false;
  }
  if (environment.references === undefined) return blocks;
  for (const { startLine, endLine } of blocks)
    for (let line = startLine; line < endLine; line++) other.add(line);
  return [...blocks, ...definitionsIn(text, other)].sort((a, b) => a.startLine - b.startLine);
}

/** The lines that begin a definition, outside of those that are known to be something else. */
function definitionsIn(text: string, other: ReadonlySet<number>): TextBlock[] {
  return text.split(/\r\n?|\n/).flatMap((written, line): TextBlock[] => {
    const content = written.trim();
    if (other.has(line) || !/^(?:[ \t>]|[-*+][ \t])*\[[^\]]+\]:/.test(content)) return [];
    const place = { startLine: line, endLine: line + 1, listDepth: 0, topLevel: true };
    return [{ kind: 'definition', ...place, content }];
  });
}
