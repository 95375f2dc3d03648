/** What can be folded: front matter, mappings, lists, block texts, comments; in Markdown sections and blocks too. */
import type { FoldingRange } from 'vscode-languageserver-types';
import { foldJson, foldYaml } from './dataFolding';
import type { IncludedPage, Page, SkillPage } from './documents';
import { type MarkdownPart, markdownParts } from './markdownOutline';
import type { Settings } from './workspace';

/** The ranges of a page, each on two lines at least. */
export function foldingRangesOf(page: Page, settings: Settings): readonly FoldingRange[] {
  switch (page.kind) {
    case 'skill':
      return [...foldFrontMatter(page), ...foldBody(page, settings)];
    case 'include':
      return foldBody(page, settings);
    case 'state-schema':
    case 'initial-state':
      return page.format === 'json' ? foldJson(page.text, page.lines) : foldYaml(linesOf(page.text));
  }
}

function foldFrontMatter({ text, document: { frontMatterRange } }: SkillPage): FoldingRange[] {
  if (frontMatterRange === undefined) return [];
  const { start, end } = frontMatterRange;
  const lines = linesOf(text);
  const inside = foldYaml(lines.slice(start.line, end.line), start.line);
  const opening = Math.max(0, start.line - 1);
  const closing = lines[end.line]?.trim() === '---' ? end.line : end.line - 1;
  return closing > opening ? [{ startLine: opening, endLine: closing }, ...inside] : inside;
}

const foldedParts: ReadonlySet<MarkdownPart['kind']> = new Set([
  'fence',
  'html',
  'list-item',
  'quotation',
  'section',
  'table',
]);
const regionMark = /^\s*<!--\s*#?(end)?region\b.*-->/;

/** Left to the editor where it folds Markdown itself. */
function foldBody(page: SkillPage | IncludedPage, settings: Settings): FoldingRange[] {
  if (settings.builtInSkill) return [];
  const firstLine = page.kind === 'skill' ? page.document.bodyRange.start.line : 0;
  const lines = linesOf(page.text).slice(firstLine);
  const ranges: FoldingRange[] = [];
  for (const { kind, startLine, endLine } of markdownParts(lines.join('\n'), lines)) {
    if (foldedParts.has(kind) && endLine - 1 > startLine)
      ranges.push({ startLine: startLine + firstLine, endLine: endLine - 1 + firstLine });
  }
  const open: number[] = [];
  lines.forEach((text, line) => {
    const mark = regionMark.exec(text);
    if (mark === null) return;
    if (mark[1] === undefined) {
      open.push(line);
      return;
    }
    const startLine = open.pop();
    if (startLine !== undefined)
      ranges.push({
        startLine: startLine + firstLine,
        endLine: line + firstLine,
        kind: 'region',
      });
  });
  return ranges;
}

/** Without line ends, which are those of `LineIndex`. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}
