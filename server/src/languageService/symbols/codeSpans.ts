/** Where running text and inline code stand in Markdown instructions (CommonMark 0.31, "Code spans"). */
import MarkdownIt from 'markdown-it';
import { maxSkillLength } from '../../../../schemas/skill/skillDocument';
import type { LineIndex } from '../../../../schemas/text/position';

/** Offsets of a text, `end` excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Inline code. `start` and `end` are those of its text, without backticks and the spaces around it. */
export interface CodeSpan extends TextSpan {
  /** As written; the line breaks of a span over several lines are still in it. */
  readonly text: string;
  /** With the backticks. */
  readonly outer: TextSpan;
}

/** What a text of instructions consists of, each list in the order of the text. */
export interface ProseLayout {
  /** Headings, paragraphs and table cells: where inline markup counts. */
  readonly regions: readonly TextSpan[];
  readonly spans: readonly CodeSpan[];
}

/** This preset stops looking 20 levels deep, so that no nesting overflows it. */
const parser = new MarkdownIt('commonmark').enable('table');
parser.core.ruler.enableOnly(['normalize', 'block']);

const emptyLayout: ProseLayout = { regions: [], spans: [] };

/**
 * Reads the part of a text between two offsets, of which the first begins a line. A part that is longer than any
 * `SKILL.md` may be is left unread.
 */
export function readProse(text: string, lines: LineIndex, start = 0, end = text.length): ProseLayout {
  if (end - start > maxSkillLength || start >= end) return emptyLayout;
  const firstLine = lines.positionAt(start).line;
  const lineStart = (line: number) => Math.min(lines.offsetAt({ line: firstLine + line, character: 0 }), end);
  const regions: TextSpan[] = [];
  let row: readonly TextSpan[] | undefined;
  for (const token of parser.parse(text.slice(start, end), {})) {
    if (token.type === 'tr_open' && token.map) {
      row = cellsOf(text, lineStart(token.map[0]), lineStart(token.map[1]));
      for (const cell of row) regions.push(cell);
    } else if (token.type === 'tr_close') {
      row = undefined;
    } else if (token.type === 'inline' && token.map && row === undefined) {
      regions.push({ start: lineStart(token.map[0]), end: lineStart(token.map[1]) });
    }
  }
  return { regions, spans: regions.flatMap((region) => spansIn(text, region)) };
}

/** The cells of a table's row: a pipe ends one even in inline code, unless a backslash stands before it. */
function cellsOf(text: string, start: number, end: number): TextSpan[] {
  const cells: TextSpan[] = [];
  let cellStart = start;
  for (let offset = start; offset < end; offset++) {
    if (text[offset] === '\\') offset++;
    else if (text[offset] === '|') {
      cells.push({ start: cellStart, end: offset });
      cellStart = offset + 1;
    }
  }
  cells.push({ start: cellStart, end });
  return cells.filter((cell) => text.slice(cell.start, cell.end).trim() !== '');
}

/** Tags and autolinks, in which backticks are no markup. */
const markup =
  /<(?:[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?|\/[a-z][a-z0-9-]*\s*|[a-z][a-z0-9+.-]{1,31}:[^<>\s]*)>/iy;

/** The code spans of one region. Linear: the runs of backticks are looked up by their length. */
function spansIn(text: string, region: TextSpan): CodeSpan[] {
  const part = text.slice(region.start, region.end);
  if (!part.includes('`')) return [];
  const runs = new RunLookup(part);
  const spans: CodeSpan[] = [];
  const special = /[`\\<]/g;
  let commentsClose = true;
  for (let found = special.exec(part); found !== null; found = special.exec(part)) {
    const at = found.index;
    if (found[0] === '\\') {
      special.lastIndex = at + 2;
    } else if (found[0] === '<') {
      if (commentsClose && part.startsWith('<!--', at)) {
        const close = part.indexOf('-->', at + 4);
        commentsClose = close !== -1;
        if (commentsClose) special.lastIndex = close + 3;
        continue;
      }
      markup.lastIndex = at;
      if (markup.test(part)) special.lastIndex = markup.lastIndex;
    } else {
      let length = 1;
      while (part[at + length] === '`') length++;
      const close = runs.nextOf(length, at + length);
      special.lastIndex = close === undefined ? at + length : close + length;
      if (close === undefined) continue;
      const content = part.slice(at + length, close);
      const trimmed = content.trim();
      if (trimmed === '') continue;
      const start = region.start + at + length + content.indexOf(trimmed);
      const outer = { start: region.start + at, end: region.start + close + length };
      spans.push({ text: trimmed, start, end: start + trimmed.length, outer });
    }
  }
  return spans;
}

/** Runs of backticks by their length. Asked from the front to the back, so that each is passed once. */
class RunLookup {
  readonly #starts = new Map<number, number[]>();
  readonly #passed = new Map<number, number>();

  constructor(text: string) {
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const starts = this.#starts.get(run.length);
      if (starts === undefined) this.#starts.set(run.length, [index]);
      else starts.push(index);
    }
  }

  /** Where the next run of a length begins, at or after an offset. */
  nextOf(length: number, from: number): number | undefined {
    const starts = this.#starts.get(length);
    if (starts === undefined) return undefined;
    let passed = this.#passed.get(length) ?? 0;
    while (passed < starts.length && (starts[passed] ?? 0) < from) passed++;
    this.#passed.set(length, passed);
    return starts[passed];
  }
}
