/** What “expand selection” selects: key or value, property, object, and so on to the document. */
import type { SelectionRange } from 'vscode-languageserver-types';
import type { LineIndex, Position } from '../../../schemas/text/position';
import type { SourceNode } from '../../../schemas/text/sourceTree';
import type { IncludedPage, Page, SkillPage } from './documents';
import { type MarkdownPart, markdownParts } from './markdownOutline';
import { SourceSpans, type Span } from './sourceSpans';

/** One for each position: from the word to the document, each range inside of the next. */
export function selectionRangesOf(page: Page, positions: readonly Position[]): readonly SelectionRange[] {
  const spansAt = spanFinder(page);
  return positions.map((position) => {
    const offset = clampedOffset(page.text, page.lines, position);
    return chained(spansAt(offset), page.lines, page.text.length, offset);
  });
}

/** Gives the spans around an offset, in any order. */
type SpanFinder = (offset: number) => readonly Span[];

function spanFinder(page: Page): SpanFinder {
  switch (page.kind) {
    case 'skill': {
      const frontMatter = frontMatterFinder(page);
      const body = markdownFinder(page, page.lines.offsetAt(page.document.bodyRange.start));
      return (offset) => frontMatter(offset) ?? body(offset);
    }
    case 'include':
      return markdownFinder(page, 0);
    case 'state-schema':
      return dataFinder(page.text, page.schema.source);
    case 'initial-state':
      return dataFinder(page.text, page.state.source);
  }
}

function dataFinder(text: string, root: SourceNode | undefined): SpanFinder {
  const tree = root && new SourceSpans(text, root);
  return (offset) => [...wordAndLine(text, offset), ...(tree?.around(offset) ?? [])];
}

function frontMatterFinder({ text, lines, document }: SkillPage): (offset: number) => Span[] | undefined {
  const { frontMatterRange, source } = document;
  if (frontMatterRange === undefined) return () => undefined;
  const inside = {
    start: lines.offsetAt(frontMatterRange.start),
    end: lines.offsetAt(frontMatterRange.end),
  };
  const bodyStart = lines.offsetAt(document.bodyRange.start);
  const find = dataFinder(text.slice(0, inside.end), source);
  const whole = { start: 0, end: text.slice(0, bodyStart).trimEnd().length };
  return (offset) => {
    if (offset >= bodyStart) return undefined;
    return offset >= inside.start && offset < inside.end
      ? [...find(offset), trimmed(text, inside), whole]
      : [...wordAndLine(text, offset), whole];
  };
}

/** Word, code span, line, block and the blocks around it, sections, body. */
function markdownFinder({ text, lines }: SkillPage | IncludedPage, bodyStart: number): SpanFinder {
  const firstLine = lines.positionAt(bodyStart).line;
  const body = text.slice(bodyStart).split(/\r\n?|\n/);
  const parts = new PartTree(markdownParts(body.join('\n'), body));
  const spanOf = (startLine: number, endLine: number): Span => {
    const start = lines.offsetAt({ line: startLine + firstLine, character: 0 });
    return trimmed(text, { start, end: lines.offsetAt({ line: endLine + firstLine, character: 0 }) });
  };
  return (offset) => {
    const spans = [...wordAndLine(text, offset), ...codeSpan(text, offset)];
    for (const { kind, startLine, endLine } of parts.around(lines.positionAt(offset).line - firstLine)) {
      spans.push(spanOf(startLine, endLine));
      if (kind === 'fence' && endLine - startLine > 2) spans.push(spanOf(startLine + 1, endLine - 1));
    }
    spans.push(trimmed(text, { start: bodyStart, end: text.length }));
    return spans;
  };
}

/** Parts of a text that lie in each other, searched by line. */
class PartTree {
  readonly #parts: readonly MarkdownPart[];
  /** The index of the part around each part; -1 for none. */
  readonly #outer: number[] = [];

  /** @param parts sorted by their start, the outer ones first */
  constructor(parts: readonly MarkdownPart[]) {
    this.#parts = parts;
    const open: number[] = [];
    parts.forEach((part, index) => {
      while (open.length > 0 && (parts[open.at(-1) ?? 0]?.endLine ?? 0) <= part.startLine) open.pop();
      this.#outer.push(open.at(-1) ?? -1);
      open.push(index);
    });
  }

  around(line: number): MarkdownPart[] {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#parts[middle]?.startLine ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    const found: MarkdownPart[] = [];
    for (let index = low - 1; index >= 0; index = this.#outer[index] ?? -1) {
      const part = this.#parts[index];
      if (part !== undefined && part.endLine > line) found.push(part);
    }
    return found;
  }
}

/** How far a line is looked at around an offset. */
const maxReach = 1_000;

/** The part of a line around an offset that is looked at; characters of two units stay whole. */
function reach(text: string, offset: number): { readonly start: number; readonly line: string } {
  const before = text.slice(boundary(text, Math.max(0, offset - maxReach)), offset);
  const after = text.slice(offset, boundary(text, offset + maxReach));
  const lineBefore = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  return { start: offset - lineBefore.length, line: lineBefore + (/^[^\r\n]*/.exec(after)?.[0] ?? '') };
}

/** The offset, or the one before where it lies within a surrogate pair. */
function boundary(text: string, offset: number): number {
  const isWithin = (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  return isWithin ? offset - 1 : offset;
}

/** The word that an offset touches, its dotted or dashed name, a comment, and the line. */
function wordAndLine(text: string, offset: number): Span[] {
  const { start, line } = reach(text, offset);
  const spans: Span[] = [trimmed(text, { start, end: start + line.length })];
  for (const pattern of [/[\p{L}\p{N}\p{M}_]+/gu, /[\p{L}\p{N}\p{M}_$.-]+/gu]) {
    for (const match of line.matchAll(pattern)) {
      const word = { start: start + match.index, end: start + match.index + match[0].length };
      if (word.start <= offset && offset <= word.end) spans.push(word);
    }
  }
  return spans;
}

/** A code span on one line, without its backticks and with them. */
function codeSpan(text: string, offset: number): Span[] {
  const { start, line } = reach(text, offset);
  for (const match of line.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)) {
    const [whole, ticks = ''] = match;
    const from = start + match.index;
    const to = from + whole.length;
    if (offset < from || offset > to) continue;
    const inside = { start: from + ticks.length, end: to - ticks.length };
    return [inside, { start: from, end: to }];
  }
  return [];
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  return { start: from, end: Math.max(from, start + part.trimEnd().length) };
}

/** The offset of a position; beyond a line's end it is that end. */
function clampedOffset(text: string, lines: LineIndex, position: Position): number {
  const start = lines.offsetAt({ line: position.line, character: 0 });
  const offset = lines.offsetAt(position);
  const lineEnd = /[\r\n]/.exec(text.slice(Math.max(start, offset - 2), offset));
  return lineEnd === null ? offset : Math.max(start, offset - 2) + lineEnd.index;
}

/** The spans as a chain, the smallest first; one that would cross a smaller one is left out. */
function chained(spans: readonly Span[], lines: LineIndex, length: number, offset: number): SelectionRange {
  const around = spans
    .filter(({ start, end }) => start <= offset && offset <= end && start < end)
    .sort((a, b) => a.end - a.start - (b.end - b.start));
  const kept: Span[] = [];
  for (const span of [...around, { start: 0, end: length }]) {
    const inner = kept.at(-1);
    if (inner !== undefined && (span.start > inner.start || span.end < inner.end)) continue;
    if (inner !== undefined && span.start === inner.start && span.end === inner.end) continue;
    kept.push(span);
  }
  let chain: SelectionRange | undefined;
  for (const { start, end } of kept.reverse()) {
    chain = { range: lines.rangeOf(start, end), ...(chain !== undefined && { parent: chain }) };
  }
  return chain ?? { range: lines.rangeOf(0, length) };
}
