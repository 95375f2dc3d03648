/** Changes of front matter that keep what stands around them: entries added, removed, moved, renamed. */
import type { SkillDocument } from '../../../../schemas/skill/skillDocument';
import type { SourceNode, SourceProperty } from '../../../../schemas/text/sourceTree';
import { unquoted } from '../yamlScalar';
import { quotedScalar, yamlScalar } from './skillTexts';

/** Replaces the text between two UTF-16 offsets. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with edits that don't overlap. */
export function applyEdits(text: string, edits: readonly OffsetEdit[]): string {
  let result = text;
  for (const edit of edits.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
  }
  return result;
}

/** The line end that a text uses first; LF where it has one line. */
export function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}

/** The offsets of the YAML text between the `---` lines. */
export function frontMatterPart(document: SkillDocument): { start: number; end: number } | undefined {
  const range = document.frontMatterRange;
  if (range === undefined) return undefined;
  return { start: document.lines.offsetAt(range.start), end: document.lines.offsetAt(range.end) };
}

/** Where the line of an offset begins. */
export function lineStartAt(text: string, offset: number): number {
  if (offset === 0) return 0;
  return Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
}

/** Where the next line begins, or the text ends. */
export function nextLineAt(text: string, offset: number): number {
  const end = /\r\n?|\n/g;
  end.lastIndex = offset;
  const found = end.exec(text);
  return found === null ? text.length : found.index + found[0].length;
}

/** The whole lines of a block entry; undefined where its key doesn't begin its line, as in `{ a: b }`. */
function linesOfEntry(
  text: string,
  keyStart: number,
  limit: number,
): { start: number; end: number } | undefined {
  const start = lineStartAt(text, keyStart);
  const indent = keyStart - start;
  if (!/^ *$/.test(text.slice(start, keyStart))) return undefined;
  let end = Math.min(limit, nextLineAt(text, keyStart));
  for (let next = end; next < limit; ) {
    const after = Math.min(limit, nextLineAt(text, next));
    const line = text.slice(next, after).trimEnd();
    const depth = line.length - line.trimStart().length;
    const continues = depth > indent || (depth === indent && /^ *-(?: |$)/.test(line));
    if (line !== '' && !continues) break;
    if (line !== '') end = after; // blank lines count only between lines of the entry
    next = after;
  }
  return { start, end };
}

/** The spaces before every top-level key: mostly none. */
function rootIndent({ text, source }: SkillDocument): string {
  const [first] = source?.properties?.values() ?? [];
  if (first === undefined) return '';
  return /^ *$/.exec(text.slice(lineStartAt(text, first.keyStart), first.keyStart))?.[0] ?? '';
}

/** Adds a top-level entry after another one, else at the beginning. `lines` are without line ends. */
export function addTopLevel(
  document: SkillDocument,
  lines: readonly string[],
  after?: string,
): OffsetEdit | undefined {
  const { text, source } = document;
  const part = frontMatterPart(document);
  if (part === undefined || isFlow(text, source)) return undefined;
  const eol = lineEndOf(text);
  const anchor = after === undefined ? undefined : source?.properties?.get(after);
  const entry = anchor && linesOfEntry(text, anchor.keyStart, part.end);
  const at = entry?.end ?? part.start;
  const indent = rootIndent(document);
  const indented = lines.map((line) => indent + line);
  return { start: at, end: at, text: inserted(text, at, indented, eol) };
}

/** Adds a top-level entry behind all others. */
function appendTopLevel(document: SkillDocument, lines: readonly string[]): OffsetEdit | undefined {
  return addTopLevel(document, lines, [...(document.source?.properties?.keys() ?? [])].at(-1));
}

/** Adds an entry of `metadata`, which is made where there is none. A comment has the spaces before it. */
export function addMetadata(
  document: SkillDocument,
  key: string,
  yaml: string,
  comment = '',
): OffsetEdit | undefined {
  const { text, source } = document;
  const part = frontMatterPart(document);
  const metadata = source?.properties?.get('metadata');
  if (part === undefined) return undefined;
  if (metadata === undefined) return appendTopLevel(document, ['metadata:', `  ${key}: ${yaml}${comment}`]);
  const { node } = metadata;
  const eol = lineEndOf(text);
  if (node.value === null && node.start === node.end) {
    const at = nextLineAt(text, metadata.keyEnd);
    if (at > part.end || !/^\s*:[ \t]*(?:#.*)?$/.test(text.slice(metadata.keyEnd, at).trimEnd()))
      return undefined;
    return {
      start: at,
      end: at,
      text: inserted(text, at, [`${rootIndent(document)}  ${key}: ${yaml}${comment}`], eol),
    };
  }
  if (node.properties === undefined || node.properties.has(key)) return undefined;
  if (isFlow(text, node)) {
    // Nothing can stand on the line behind a comment.
    if (comment !== '') return undefined;
    const at = text.slice(node.start, node.end - 1).trimEnd().length + node.start;
    const separator = node.properties.size === 0 || text[at - 1] === ',' ? ' ' : ', ';
    return { start: at, end: node.end - 1, text: `${separator}${key}: ${quotedScalar(unquoted(yaml))} ` };
  }
  const last = [...node.properties.values()].at(-1);
  const lines = last && linesOfEntry(text, last.keyStart, part.end);
  if (last === undefined || lines === undefined) return undefined;
  const indent = ' '.repeat(last.keyStart - lineStartAt(text, last.keyStart));
  return {
    start: lines.end,
    end: lines.end,
    text: inserted(text, lines.end, [`${indent}${key}: ${yaml}${comment}`], eol),
  };
}

/** Removes an entry with its lines. */
export function removeEntry(document: SkillDocument, keyStart: number): OffsetEdit | undefined {
  const part = frontMatterPart(document);
  const lines = part && linesOfEntry(document.text, keyStart, part.end);
  return lines && { ...lines, text: '' };
}

/** Moves a top-level entry under `metadata`, as a text, with the comment behind it. */
export function moveUnderMetadata(document: SkillDocument, key: string): readonly OffsetEdit[] | undefined {
  const { text, source } = document;
  const property = source?.properties?.get(key);
  const part = frontMatterPart(document);
  if (source === undefined || property === undefined || part === undefined) return undefined;
  const lines = linesOfEntry(text, property.keyStart, part.end);
  if (lines === undefined) return undefined;
  const written = text.slice(property.keyStart, property.keyEnd);
  const yaml = valueAsText(text, property.node);
  const comment = commentBehind(text, property.node);
  if (!source.properties?.has('metadata')) {
    const eol = lineEndOf(text);
    const indent = rootIndent(document);
    return [{ ...lines, text: `${indent}metadata:${eol}${indent}  ${written}: ${yaml}${comment}${eol}` }];
  }
  const added = addMetadata(document, written, yaml, comment);
  if (added !== undefined) return [{ ...lines, text: '' }, added];
  // A comment that can't stand behind the entry stays in a line of its own.
  const alone = comment === '' ? undefined : addMetadata(document, written, yaml);
  return alone && [{ ...lines, text: `${rootIndent(document)}${comment.trim()}${lineEndOf(text)}` }, alone];
}

/** The comment on the line of a value that is written on one line, with the spaces before it. */
function commentBehind(text: string, { start, end }: SourceNode): string {
  if (start === end || /[\r\n]/.test(text.slice(start, end))) return '';
  return /^[ \t]+#[^\r\n]*/.exec(text.slice(end, nextLineAt(text, end)))?.[0].trimEnd() ?? '';
}

/** A value as a text in YAML, on one line: what is no text is put in quotes as it is written. */
export function valueAsText(text: string, node: SourceNode): string {
  const { value } = node;
  if (typeof value === 'string') return yamlScalar(value.trim() === '' ? value : value.trimEnd());
  if (value === null) return '""';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return quotedScalar(value.map(String).join(', '));
  }
  if (typeof value === 'object') return quotedScalar(JSON.stringify(value));
  return quotedScalar(text.slice(node.start, node.end));
}

/** The property whose key, or whose value, an offset is in: top-level entries and those of `metadata`. */
export function entryAt(
  document: SkillDocument,
  offset: number,
): { readonly key: string; readonly property: SourceProperty; readonly inMetadata: boolean } | undefined {
  for (const [key, property] of document.source?.properties ?? []) {
    const { keyStart, keyEnd, node } = property;
    if (offset >= keyStart && offset <= Math.max(keyEnd, node.end)) {
      if (key === 'metadata') {
        for (const [name, entry] of node.properties ?? []) {
          const isInside = offset >= entry.keyStart && offset <= Math.max(entry.keyEnd, entry.node.end);
          if (isInside) return { key: name, property: entry, inMetadata: true };
        }
      }
      return { key, property, inMetadata: false };
    }
  }
  return undefined;
}

function isFlow(text: string, node: SourceNode | undefined): boolean {
  return node?.properties !== undefined && text[node.start] === '{';
}

/** Lines to insert at the start of a line, or at the end of a text that doesn't end its last line. */
function inserted(text: string, at: number, lines: readonly string[], eol: string): string {
  const endsLine = at === 0 || /[\r\n\uFEFF]/.test(text[at - 1] ?? '');
  return `${endsLine ? '' : eol}${lines.join(eol)}${eol}`;
}
