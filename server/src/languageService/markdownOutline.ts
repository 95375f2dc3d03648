/** The blocks and sections of a Markdown text by lines: what folding and “expand selection” go by. */
import MarkdownIt from 'markdown-it';
import { maxSkillLength } from '../../../schemas/skill/skillDocument';

/** A block or a section: 0-based lines, `endLine` excluded. Any two are apart or one lies in the other. */
export interface MarkdownPart {
  readonly kind: 'section' | 'fence' | 'list-item' | 'table' | 'quotation' | 'html' | 'other';
  readonly startLine: number;
  readonly endLine: number;
}

/** This preset stops looking 20 levels deep, so that no nesting overflows it. */
const parser = new MarkdownIt('commonmark').enable('table');
parser.core.ruler.enableOnly(['normalize', 'block']);

const kinds: Readonly<Record<string, MarkdownPart['kind']>> = {
  fence: 'fence',
  code_block: 'fence',
  list_item_open: 'list-item',
  table_open: 'table',
  blockquote_open: 'quotation',
  html_block: 'html',
};

/**
 * The blocks of a text without trailing blank lines, and the section of each heading, in the order of the text. None for
 * a text that is longer than any `SKILL.md` may be.
 */
export function markdownParts(text: string, lines: readonly string[]): MarkdownPart[] {
  if (text.length > maxSkillLength) return [];
  const parts: MarkdownPart[] = [];
  const headings: { readonly level: number; readonly startLine: number }[] = [];
  const endSections = (level: number, endLine: number) => {
    for (let top = headings.at(-1); top !== undefined && top.level >= level; top = headings.at(-1)) {
      headings.pop();
      parts.push({ kind: 'section', startLine: top.startLine, endLine: lastContent(endLine) });
    }
  };
  const lastContent = (endLine: number) => {
    let end = endLine;
    while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--;
    return end;
  };
  for (const token of parser.parse(text, {})) {
    if (token.map === null || token.type === 'inline') continue;
    const [startLine, end] = token.map;
    if (token.type === 'heading_open' && token.level === 0) {
      const level = Number(token.tag.slice(1));
      endSections(level, startLine);
      headings.push({ level, startLine });
    }
    const kind = Object.hasOwn(kinds, token.type) ? (kinds[token.type] ?? 'other') : 'other';
    parts.push({ kind, startLine, endLine: Math.max(startLine + 1, lastContent(end)) });
  }
  endSections(0, lines.length);
  return parts.sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
}
