/** The actions that a text declares: signatures in the lists under its `Actions` headings. */
import { LineIndex } from '../text/position';
import type { Problem } from '../text/problem';
import type { ActionParameter, ActionSignature } from './actionSignature';
import { type TextBlock, textBlocks } from './markdownBlocks';
import { skillProblems } from './skillProblems';

/** Where to look for actions in a text: a part of a file, which begins at the start of a line. */
export interface ActionSource {
  /** The file's whole text, which ranges refer to. */
  readonly text: string;
  /** The file's name, relative to the skill's folder. */
  readonly file: string;
  /** The part's UTF-16 offsets; the whole text if not given. */
  readonly start?: number;
  readonly end?: number;
}

type ActionProblemCode = 'skill.action-syntax' | 'skill.duplicate-action' | 'skill.too-many-actions';

/** How many items of its lists a file may declare actions by; each is looked up for every step. */
export const maxDeclaredActions = 1_000;

/** The actions that a text declares, and items of the same lists that look like actions but aren't. */
export interface DeclaredActions {
  readonly actions: readonly ActionSignature[];
  readonly problems: readonly Problem<ActionProblemCode>[];
}

/** A code span that begins a list item, with its UTF-16 offsets in the file. */
interface CodeSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const actionName = /^[\p{L}_][\p{L}\p{N}_.-]*/u;
const parameterName = /^[\p{L}_][\p{L}\p{N}_ -]*$/u;

/**
 * Reads the lists under headings named `Actions` (of any level and case, punctuation after it allowed), up to the
 * next heading. Items that begin with a code span are signatures: ``- `Store <item_id> <empty_shelf_id>`: …`` or
 * ``- `Commit(branch, file)`: …``.
 *
 * @param blocks the text blocks of the part, where they are known
 */
export function parseActions(source: ActionSource, blocks?: readonly TextBlock[]): DeclaredActions {
  const start = source.start ?? 0;
  const part = source.text.slice(start, source.end);
  if (!/actions/i.test(part)) return { actions: [], problems: [] };
  const lines = new LineIndex(source.text);
  const firstLine = lines.positionAt(start).line;
  const spans: CodeSpan[] = [];
  let underActions = false;
  for (const block of blocks ?? textBlocks(part)) {
    if (block.kind === 'heading' && block.topLevel) {
      underActions = isActionsHeading(block.content);
    } else if (
      underActions &&
      block.kind === 'item' &&
      block.listDepth === 1 &&
      block.content.startsWith('`')
    ) {
      const span = codeSpanAt(
        source.text,
        lines.offsetAt({ line: firstLine + block.startLine, character: 0 }),
      );
      if (span !== undefined) spans.push(span);
    }
  }
  return readSignatures(spans, source.file, lines);
}

function isActionsHeading(content: string): boolean {
  const words = content.replace(/[*_`]/g, '').trim();
  return /^actions\s*\p{P}*$/iu.test(words);
}

/** The code span that an item begins with; it has to end on its line. */
function codeSpanAt(text: string, lineStart: number): CodeSpan | undefined {
  const rest = /^[^`\r\n]*(`+)([^\r\n]*)/.exec(text.slice(lineStart, lineStart + 10_000));
  const fence = rest?.[1];
  const after = rest?.[2];
  if (rest === null || fence === undefined || after === undefined) return undefined;
  const contentStart = lineStart + rest[0].length - after.length;
  for (const run of after.matchAll(/`+/g)) {
    if (run[0].length !== fence.length) continue;
    const content = after.slice(0, run.index);
    const trimmed = content.trim();
    const start = contentStart + content.indexOf(trimmed);
    return { text: trimmed, start, end: start + trimmed.length };
  }
  return undefined;
}

function readSignatures(spans: readonly CodeSpan[], file: string, lines: LineIndex): DeclaredActions {
  const actions: ActionSignature[] = [];
  const problems: Problem<ActionProblemCode>[] = [];
  const seen = new Set<string>();
  for (const [index, span] of spans.entries()) {
    const range = lines.rangeOf(span.start, span.end);
    if (index >= maxDeclaredActions) {
      const message = `Only the first ${maxDeclaredActions} actions of a file are read, and this is the next of ${spans.length}; declare fewer, with arguments for what differs.`;
      problems.push({
        code: 'skill.too-many-actions',
        severity: skillProblems['skill.too-many-actions'].severity,
        message,
        range,
      });
      break;
    }
    const parsed = parseSignature(span.text);
    if (parsed === undefined) {
      const { severity } = skillProblems['skill.action-syntax'];
      const message = `\`${span.text}\` is no action signature, so it is not declared; write \`Name <argument> <rest...>\` or \`Name(argument, argument)\`.`;
      problems.push({ code: 'skill.action-syntax', severity, message, range });
      continue;
    }
    const key = `${parsed.form} ${parsed.name} ${parsed.parameters.length}`;
    if (seen.has(key)) {
      const { severity } = skillProblems['skill.duplicate-action'];
      const message = `${parsed.name} is declared twice with ${countOf(parsed.parameters.length)}; remove one.`;
      problems.push({ code: 'skill.duplicate-action', severity, message, range });
      continue;
    }
    seen.add(key);
    actions.push({ ...parsed, text: span.text, file, range });
  }
  // A list of other things (file names, shell commands) under such a heading declares nothing, and that is no mistake.
  return actions.length === 0 ? { actions, problems: [] } : { actions, problems };
}

type ParsedSignature = Pick<ActionSignature, 'name' | 'form' | 'parameters'>;

/** Reads a signature's text; undefined where it is none. */
export function parseSignature(text: string): ParsedSignature | undefined {
  const name = actionName.exec(text)?.[0];
  if (name === undefined) return undefined;
  const after = text.slice(name.length);
  const call = /^\((.*)\)$/s.exec(after);
  const form = call === null ? 'command' : 'call';
  const words = call === null ? commandWords(after) : callWords(call[1] ?? '');
  const parameters = words?.map(parameterOf);
  if (parameters === undefined || !parameters.every((parameter) => parameter !== undefined)) return undefined;
  if (parameters.slice(0, -1).some((parameter) => parameter.rest)) return undefined;
  if (new Set(parameters.map((parameter) => parameter.name)).size < parameters.length) return undefined;
  return { name, form, parameters };
}

/** ` <item_id> <shelf_id>` as `item_id`, `shelf_id`; undefined where a word has no angle brackets. */
function commandWords(text: string): string[] | undefined {
  const words = [...text.matchAll(/(?<!\s)\s+<([^<>]*)>/g)];
  const length = words.reduce((sum, word) => sum + word[0].length, 0);
  return length === text.length ? words.map((word) => word[1] ?? '') : undefined;
}

function callWords(text: string): string[] {
  return text.trim() === '' ? [] : text.split(',').map((word) => word.trim().replace(/^<(.*)>$/, '$1'));
}

function parameterOf(word: string): ActionParameter | undefined {
  const rest = /(?:\.\.\.|…)$/.test(word);
  const name = word.replace(/(?:\.\.\.|…)$/, '').trim();
  return parameterName.test(name) ? { name, rest } : undefined;
}

/** `no arguments`, `1 argument`, `2 arguments`. */
export function countOf(count: number): string {
  return count === 0 ? 'no arguments' : count === 1 ? '1 argument' : `${count} arguments`;
}
