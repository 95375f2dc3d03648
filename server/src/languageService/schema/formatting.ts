/** Formatting that keeps comments, key order and every value. */
import { format as formatJson } from 'jsonc-parser';
import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import { Lexer } from 'yaml';
import { parseSourceFile } from '../../../../schemas/text/sourceFile';
import type { SchemaPage, StatePage } from '../documents';
import type { Replacement } from '../finding';
import { lineEdits } from './lineEdits';
import { formatYamlLines } from './yamlLines';

/** What keeps a text from being formatted: its meaning, or a part of it, would be a guess. */
const unreadable: ReadonlySet<string> = new Set([
  'duplicate-key',
  'multiple-documents',
  'not-a-schema',
  'not-an-object',
  'nul-character',
  'syntax',
  'tab-indentation',
  'too-deep',
  'too-large',
  'unquoted-colon',
  'unsupported-yaml',
]);

/**
 * Small edits that normalise indentation, spaces and blank lines. None for a text that doesn't parse, and none where
 * the result would not have the same value and the same comments.
 */
export function formatDocument(
  page: SchemaPage | StatePage,
  options: FormattingOptions,
): readonly TextEdit[] {
  const problems = page.kind === 'state-schema' ? page.schema.problems : page.state.problems;
  if (problems.some(({ code }) => unreadable.has(code.slice(code.indexOf('.') + 1)))) return [];
  const edits = page.format === 'json' ? jsonEdits(page, options) : yamlEdits(page, options);
  return edits.map(({ range, text }) => ({ range, newText: text }));
}

function jsonEdits({ text, lines }: SchemaPage | StatePage, options: FormattingOptions): Replacement[] {
  const { tabSize, insertSpaces } = options;
  const insertFinalNewline = options.insertFinalNewline === true || text.endsWith('\n');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return formatJson(text, undefined, { tabSize, insertSpaces, insertFinalNewline, eol }).map(
    ({ offset, length, content }) => ({ range: lines.rangeOf(offset, offset + length), text: content }),
  );
}

function yamlEdits(page: SchemaPage | StatePage, options: FormattingOptions): Replacement[] {
  const { text } = page;
  // A carriage return alone ends lines for editors, but not for YAML.
  if (/\r(?!\n)/.test(text)) return [];
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const lines = formatYamlLines(text.slice(mark.length), options.tabSize);
  const change = lineEdits(text.split(/\r?\n/), [mark + (lines[0] ?? ''), ...lines.slice(1)]);
  const { end, endsWithNewline } = change;
  const edits = [...change.edits];
  if (!endsWithNewline && options.insertFinalNewline === true)
    edits.push({ range: { start: end, end }, text: text.includes('\r\n') ? '\r\n' : '\n' });
  // Most texts are formatted already: there is nothing to be checked then, which takes longer than all the rest.
  if (edits.length === 0) return [];
  const hasEnd = endsWithNewline || options.insertFinalNewline === true;
  return hasSameContent(page, lines.join('\n') + (hasEnd ? '\n' : '')) ? edits : [];
}

/** True where a text has the value and the comments of the page. */
function hasSameContent(page: SchemaPage | StatePage, text: string): boolean {
  const { root, problems } = parseSourceFile({ path: 'formatted.yaml', text });
  const value = page.kind === 'state-schema' ? page.schema.source?.value : page.state.state;
  if (root === undefined || problems.some(({ kind }) => unreadable.has(kind))) return false;
  if (JSON.stringify(root.value) !== JSON.stringify(value)) return false;
  const [before, after] = [commentsIn(page.text), commentsIn(text)];
  return before.length === after.length && before.every((comment, index) => comment === after[index]);
}

/** What the lexer puts before the text of a scalar. */
const scalarMark = '\u001F';

function commentsIn(text: string): string[] {
  const comments: string[] = [];
  if (!text.includes('#')) return comments;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && before !== scalarMark) comments.push(lexeme.trimEnd());
    before = lexeme;
  }
  return comments;
}
