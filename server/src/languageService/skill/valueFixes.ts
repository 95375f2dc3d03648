/** Fixes of values: names, texts that are too long or no texts, lists that have to be texts. */

import { isOneWord, withoutCommas } from '../../../../schemas/skill/frontMatterRules';
import { isStandardName, kebabCase } from '../../../../schemas/skill/skillName';
import type { Problem } from '../../../../schemas/text/problem';
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import type { SkillPage } from '../documents';
import { type CandidateFix, folderNameOf } from './candidateFix';
import { entryAt, type OffsetEdit, removeEntry, valueAsText } from './frontMatterEdits';
import { describedByBody, nameFor } from './skillSummary';
import { quotedScalar, shortened, yamlScalar } from './skillTexts';

/** How long the standard lets the texts be. */
const limits: ReadonlyMap<string, number> = new Map([
  ['name', 64],
  ['description', 1024],
  ['compatibility', 500],
]);

/** Keys whose text is a list with spaces between its parts. */
const spaced: ReadonlySet<string> = new Set(['allowed-tools', 'include', 'terminal-actions']);

/** The entry that a problem is at. */
function entryOf(page: SkillPage, problem: Problem) {
  return entryAt(page.document, page.lines.offsetAt(problem.range.start));
}

/** Puts a scalar in the place of a value; behind the colon where there is none yet. */
function valueEdit(page: SkillPage, keyEnd: number, node: SourceNode, yaml: string): OffsetEdit | undefined {
  if (node.start < node.end) return { start: node.start, end: node.end, text: yaml };
  const colon = /^\s*:/.exec(page.text.slice(keyEnd, keyEnd + 200))?.[0];
  if (colon === undefined) return undefined;
  const at = keyEnd + colon.length;
  return { start: at, end: at, text: ` ${yaml}` };
}

/** Fixes of a name that is invalid or not the folder's. */
export function nameFixes(page: SkillPage): readonly CandidateFix[] {
  const property = page.document.source?.properties?.get('name');
  const { name } = page.document;
  const folder = folderNameOf(page);
  if (property === undefined || name === undefined) return [];
  const fixes: CandidateFix[] = [];
  const rename = (title: string, to: string, extra: Partial<CandidateFix> = {}): void => {
    const edit = valueEdit(page, property.keyEnd, property.node, yamlScalar(to));
    if (edit !== undefined) fixes.push({ title, edits: to === name ? [] : [edit], ...extra });
  };
  if (isStandardName(folder) && folder !== name) {
    rename(`Write the folder's name: ${folder}`, folder, { preferred: true });
  }
  const kebab = kebabCase(name);
  if (kebab === undefined) return fixes;
  if (kebab === name) {
    rename(`Rename the folder to ${name}`, name, { folderName: name });
  } else if (kebab !== folder) {
    rename(`Write ${kebab}`, kebab);
    rename(`Write ${kebab} and rename the folder`, kebab, { folderName: kebab });
  }
  return fixes;
}

export function shortenText(page: SkillPage, problem: Problem): readonly CandidateFix[] {
  const entry = entryOf(page, problem);
  const limit = limits.get(entry?.key ?? '');
  if (entry === undefined || entry.inMetadata || limit === undefined) return [];
  if (entry.key === 'name') return nameFixes(page);
  const { value } = entry.property.node;
  if (typeof value !== 'string') return [];
  const text = yamlScalar(shortened(value.trim().replace(/\s+/g, ' '), limit));
  const edit = valueEdit(page, entry.property.keyEnd, entry.property.node, text);
  const title = `Shorten the ${entry.key} to ${limit} characters`;
  return edit === undefined ? [] : [{ title, edits: [edit], preferred: true }];
}

export function fillEmpty(page: SkillPage, problem: Problem): readonly (CandidateFix | undefined)[] {
  const entry = entryOf(page, problem);
  if (entry === undefined || entry.inMetadata) return [];
  const { key, property } = entry;
  const removal = removeEntry(page.document, property.keyStart);
  const remove = removal && { title: `Remove ${key}`, edits: [removal] };
  const text =
    key === 'name'
      ? nameFor(page.document, folderNameOf(page))
      : key === 'description'
        ? describedByBody(page.document)
        : undefined;
  if (text === undefined) return [remove];
  const edit = valueEdit(page, property.keyEnd, property.node, yamlScalar(text));
  if (edit === undefined) return [];
  const folderName = key === 'name' && text !== folderNameOf(page) ? { folderName: text } : {};
  const title = key === 'name' ? `Write ${text}` : 'Write what the instructions begin with';
  return [{ title, edits: [edit], ...folderName, preferred: true }];
}

/** Fixes of a value that has to be a text and is something else. */
export function makeText(page: SkillPage, problem: Problem): readonly (CandidateFix | undefined)[] {
  const entry = entryOf(page, problem);
  if (entry === undefined) return [];
  const { key, property, inMetadata } = entry;
  const { node, keyEnd } = property;
  if (key === 'metadata' && !inMetadata) return [];
  const { value } = node;
  const asText = (title: string, yaml: string, preferred = true): CandidateFix | undefined => {
    const edit = valueEdit(page, keyEnd, node, yaml);
    if (edit === undefined) return undefined;
    // A list on lines of its own goes behind the colon.
    const gap = Array.isArray(node.value)
      ? /^\s*:(?=\s*[\r\n]\s*$)/.exec(page.text.slice(keyEnd, node.start))?.[0]
      : undefined;
    if (gap === undefined) return { title, edits: [edit], preferred };
    const comments = commentsIn(page.text.slice(node.start, node.end)).map((comment) => ` ${comment}`);
    const placed = { ...edit, start: keyEnd + gap.length, text: ` ${yaml}${comments.join('')}` };
    return { title, edits: [placed], preferred };
  };
  if (Array.isArray(value) && spaced.has(key)) {
    const parts = value.map((part) => (typeof part === 'object' ? undefined : String(part).trim()));
    if (parts.some((part) => part === undefined || part === '' || !isOneWord(part))) return [];
    return [asText('Separate by spaces', yamlScalar(parts.join(' ')))];
  }
  if (value === null) {
    const removal = removeEntry(page.document, property.keyStart);
    const remove = removal && { title: `Remove ${key}`, edits: [removal] };
    return inMetadata ? [asText('Write an empty text', '""'), remove] : [remove];
  }
  if (typeof value === 'object' && !inMetadata) {
    const endsLine = /^[ \t]*(?:#|[\r\n]|$)/.test(page.text.slice(node.end, node.end + maxQuoted));
    if (!isListOfScalars(value) || !endsLine) return [];
  }
  if (typeof value === 'string') return [asText('Put the value in quotes', quotedScalar(value))];
  const title = typeof value === 'object' ? 'Write it as a text' : 'Put the value in quotes';
  const fix = asText(title, valueAsText(page.text, node));
  const folder = folderNameOf(page);
  if (key !== 'name' || inMetadata || !isStandardName(folder)) return [fix];
  return [fix, asText(`Write the folder's name: ${folder}`, yamlScalar(folder), false)];
}

/** The comments behind and between the items of a list in block style. */
function commentsIn(list: string): readonly string[] {
  const item =
    /^[ \t]*(?:-[ \t]+(?:"(?:[^"\\]|\\.)*"[ \t]+|'(?:[^']|'')*'[ \t]+|[^\s"'#][^\r\n]*?(?<=[ \t])))?(#[^\r\n]*)/gm;
  return [...list.matchAll(item)].map(([, comment = '']) => comment.trimEnd());
}

function isListOfScalars(value: object): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object');
}

/** Quotes the rest of a line that begins with a key, where YAML would read its value as something else than a text. */
export function quoteLine(page: SkillPage, problem: Problem): readonly CandidateFix[] {
  const { text, lines } = page;
  const { line } = problem.range.start;
  const start = lines.offsetAt({ line, character: 0 });
  const [written = ''] = /^[^\r\n]*/.exec(text.slice(start, start + maxQuoted)) ?? [];
  const [, key = '', value = ''] = /^(\s*[\w-]+:[ \t]+)(\S.*?)(?:[ \t]+#.*)?[ \t]*$/.exec(written) ?? [];
  // What is in quotes already, or begins lines of its own, is broken otherwise.
  if (value === '' || /^(?:[|>&!#]|"[^"]*$|'[^']*$)/.test(value)) return [];
  const at = start + key.length;
  const edits = [{ start: at, end: at + value.length, text: quotedScalar(value) }];
  return [{ title: 'Put the value in quotes', edits, preferred: true }];
}

/** Longer lines are no text that somebody has forgotten to quote. */
const maxQuoted = 5_000;

/** Fixes of tools that commas separate. */
export function separateTools(page: SkillPage, problem: Problem): readonly (CandidateFix | undefined)[] {
  const entry = entryOf(page, problem);
  const value = entry?.property.node.value;
  if (entry === undefined || typeof value !== 'string') return [];
  const tools = value.replace(/\([^()]*\)/g, '()').split(',');
  if (!tools.every((tool) => isOneWord(tool.trim()))) return [];
  const text = yamlScalar(withoutCommas(value));
  const edit = valueEdit(page, entry.property.keyEnd, entry.property.node, text);
  return [edit && { title: 'Separate by spaces', edits: [edit], preferred: true }];
}

/** Quotes a value in which a colon begins a mapping that cannot stand there. */
export function quoteColon(page: SkillPage, problem: Problem): readonly CandidateFix[] {
  const entry = entryOf(page, problem);
  const value = entry?.property.node.value;
  if (entry === undefined || typeof value !== 'string') return [];
  const edit = valueEdit(page, entry.property.keyEnd, entry.property.node, quotedScalar(value));
  return edit === undefined ? [] : [{ title: 'Put the value in quotes', edits: [edit], preferred: true }];
}

/** Quotes a number that is read inexactly, or is none in JSON, as it is written. */
export function quoteNumber(page: SkillPage, problem: Problem): readonly CandidateFix[] {
  const start = page.lines.offsetAt(problem.range.start);
  const end = page.lines.offsetAt(problem.range.end);
  const written = page.text.slice(start, end);
  if (!/^[-+]?[\d.]/.test(written) || /\s/.test(written)) return [];
  const edits = [{ start, end, text: quotedScalar(written) }];
  return [{ title: 'Put the number in quotes', edits, preferred: true }];
}
