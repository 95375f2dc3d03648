/** What can be folded in YAML and JSON, read from lines and brackets, so that a text which doesn't parse folds too. */
import type { FoldingRange } from 'vscode-languageserver-types';
import type { LineIndex } from '../../../schemas/text/position';

interface YamlLine {
  readonly line: number;
  readonly indent: number;
  readonly kind: 'comment' | 'content';
  /** An item of a list, which belongs to the key above it even in the key's own column. */
  readonly isItem: boolean;
}

/** `key: |`, `- &anchor >-`: the lines below that are indented deeper are text. */
const blockScalarHeader = /(?:^|[\s:-])(?:[&!]\S*\s+)*[|>](?:[+-]?[1-9]?|[1-9][+-])[ \t]*(?:#.*)?$/;
/** How much of a long line is looked at. */
const headerLength = 1_000;
const regionStart = /^\s*#\s*region\b/;
const regionEnd = /^\s*#\s*endregion\b/;

/**
 * Mappings, lists, block texts, runs of comment lines and `# region` comments, by indentation.
 *
 * @param lines the lines of the YAML text
 * @param firstLine the 0-based line of the document that the first of them is
 */
export function foldYaml(lines: readonly string[], firstLine = 0): FoldingRange[] {
  const read = readLines(lines);
  const ranges = [...foldComments(read, lines), ...foldRegions(read, lines)];
  const open: { readonly line: number; readonly level: number }[] = [];
  let last = -1;
  const closeTo = (level: number) => {
    for (let top = open.at(-1); top !== undefined && top.level >= level; top = open.at(-1)) {
      open.pop();
      if (last > top.line) ranges.push({ startLine: top.line, endLine: last });
    }
  };
  for (const { line, indent, kind, isItem } of read) {
    if (kind === 'comment') continue;
    // Twice the indentation leaves room for list items between a key and its column.
    const level = indent * 2 + (isItem ? 1 : 0);
    closeTo(level);
    open.push({ line, level });
    last = line;
  }
  closeTo(-1);
  return ranges.map(({ startLine, endLine, kind }) => ({
    startLine: startLine + firstLine,
    endLine: endLine + firstLine,
    ...(kind !== undefined && { kind }),
  }));
}

function readLines(lines: readonly string[]): YamlLine[] {
  const read: YamlLine[] = [];
  let scalarIndent: number | undefined;
  lines.forEach((text, line) => {
    const content = text.trim();
    if (content === '') return;
    const indent = text.length - text.trimStart().length;
    const inScalar = scalarIndent !== undefined && indent > scalarIndent;
    if (!inScalar) scalarIndent = undefined;
    const kind = !inScalar && content.startsWith('#') ? 'comment' : 'content';
    const isItem = !inScalar && /^-(?:\s|$)/.test(content);
    read.push({ line, indent, kind, isItem });
    if (kind === 'content' && !inScalar && blockScalarHeader.test(text.slice(-headerLength)))
      scalarIndent = indent + innerIndent(content.slice(0, headerLength));
  });
  return read;
}

/** How much deeper the key of `- - key: |` begins than its line: text below has to be deeper than that key. */
function innerIndent(content: string): number {
  const dashes = /^(?:-\s+)+(?=[^\s|>])/.exec(content)?.[0] ?? '';
  return /[^\s|>&!-].*:\s/.test(content) ? dashes.length : 0;
}

function foldComments(read: readonly YamlLine[], lines: readonly string[]): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  let start: number | undefined;
  let end = 0;
  const close = () => {
    if (start !== undefined && end > start) ranges.push({ startLine: start, endLine: end, kind: 'comment' });
    start = undefined;
  };
  for (const { line, kind } of read) {
    const text = lines[line] ?? '';
    const isPlain = kind === 'comment' && !regionStart.test(text) && !regionEnd.test(text);
    if (!isPlain || (start !== undefined && line > end + 1)) close();
    if (!isPlain) continue;
    start ??= line;
    end = line;
  }
  close();
  return ranges;
}

function foldRegions(read: readonly YamlLine[], lines: readonly string[]): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  const open: number[] = [];
  for (const { line, kind } of read) {
    if (kind !== 'comment') continue;
    const text = lines[line] ?? '';
    if (regionStart.test(text)) open.push(line);
    if (!regionEnd.test(text)) continue;
    const startLine = open.pop();
    if (startLine !== undefined) ranges.push({ startLine, endLine: line, kind: 'region' });
  }
  return ranges;
}

/** Brackets, and where a text begins that may hide them. */
const jsonToken = /[[{\]}"]/g;

/** Objects and arrays; the line of the closing bracket stays visible. */
export function foldJson(text: string, lines: LineIndex): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  const open: number[] = [];
  const tokens = new RegExp(jsonToken);
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') {
      tokens.lastIndex = endOfText(text, index + 1);
    } else if (token === '[' || token === '{') {
      open.push(index);
    } else if (token === ']' || token === '}') {
      const start = open.pop();
      if (start === undefined) continue;
      const startLine = lines.positionAt(start).line;
      const endLine = lines.positionAt(index).line - 1;
      if (endLine > startLine) ranges.push({ startLine, endLine });
    }
  }
  return ranges;
}

/** Where a JSON text ends that is begun, closed or not: on its line. (As one expression it overflows on long ones.) */
function endOfText(text: string, start: number): number {
  const ends = /["\\\r\n]/g;
  ends.lastIndex = start;
  for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
    if (found[0] === '"') return ends.lastIndex;
    if (found[0] !== '\\') return found.index;
    const escaped = text[ends.lastIndex];
    if (escaped !== '\n' && escaped !== '\r') ends.lastIndex++;
  }
  return text.length;
}
