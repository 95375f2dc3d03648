/** Completion of the front matter's keys and values. */

import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  InsertTextMode,
} from 'vscode-languageserver-types';
import { standardKeys } from '../../../../schemas/skill/frontMatterRules';
import { kebabCase } from '../../../../schemas/skill/skillName';
import { type Cursor, cursorAt, isBeforeKey, keyText, valueText } from '../cursor';
import type { SkillPage, Tools } from '../documents';
import { escapeChoice, escapeSnippet } from '../schema/snippet';
import { folderNameOf } from './candidateFix';
import { typedFrontMatter } from './completionPart';
import { lineEndOf } from './frontMatterEdits';
import {
  keysOfMetadata,
  metadataValues,
  type OfferedKey,
  type OfferedValue,
  topLevelKeys,
  topLevelValues,
} from './frontMatterOffers';
import { describedByBody } from './skillSummary';
import { quotedScalar, yamlScalar } from './skillTexts';
import { isListWord, wordCursorAt } from './wordList';

/** Undefined where the offset is not in the front matter. */
export async function completeFrontMatter(
  page: SkillPage,
  offset: number,
  tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  const typed = typedFrontMatter(page.document, offset);
  if (typed === undefined) return undefined;
  if (typed.kind === 'nothing') {
    // VS Code has a template of its own for a text that is blank.
    if (tools.settings.builtInSkill && page.text.trim() === '') return [];
    return [template(page, typed, ['---', ...required(page), '---', ...instructions(page, typed.end)])];
  }
  const word = wordCursorAt(page.text, offset, typed);
  if (word !== undefined) {
    const values =
      word.key === 'allowed-tools'
        ? await topLevelValues(page, tools, word.key, '')
        : await metadataValues(page, tools, word.key, page.text.slice(word.start, offset));
    const left = values.filter(
      ({ value }) => isListWord(String(value)) && !word.others.includes(String(value)),
    );
    return left.map((value, index) =>
      valueItem(page, value, `${word.needsSpace ? ' ' : ''}${String(value.value)}`, word, index),
    );
  }
  const cursor = cursorAt(page.text, offset, 'yaml', typed);
  if (cursor === undefined || isBeforeKey(cursor, offset) || spansLines(page.text, cursor)) return [];
  if (cursor.part === 'value')
    return valuesAt(page, cursor, tools, page.text.slice(cursor.replace.start, offset));
  return keysAt(page, cursor, typed, tools);
}

/** LSP's completions replace within one line. */
function spansLines(text: string, { replace }: Cursor): boolean {
  return /[\r\n]/.test(text.slice(replace.start, replace.end));
}

async function keysAt(
  page: SkillPage,
  cursor: Cursor,
  typed: { readonly isClosed: boolean; readonly isEmpty: boolean },
  tools: Tools,
): Promise<readonly CompletionItem[]> {
  const path = cursor.path.join('/');
  if (path === 'metadata') {
    const offers = await keysOfMetadata(page, tools);
    return offers
      .filter((offer) => !cursor.siblings.includes(offer.key) && takesValue(page, offer, cursor))
      .map((offer, index) => keyItem(page, offer, cursor, index));
  }
  if (path !== '') return [];
  const isBare = typed.isEmpty && cursor.siblings.length === 0;
  const left = topLevelKeys(page, tools.settings).filter(
    (offer) => !cursor.siblings.includes(offer.key) && takesValue(page, offer, cursor),
  );
  // Any other key in front of those that every skill needs would only move the complaint about them.
  const offers = isBare ? left.filter(({ key }) => key === 'name' || key === 'description') : left;
  const items = offers.map((offer, index) => keyItem(page, offer, cursor, index));
  if (!isBare || cursor.style !== 'block' || cursor.hasColon) return items;
  const closing = typed.isClosed ? [] : ['---', ...instructions(page, cursor.replace.end)];
  const lines = [...required(page), ...closing];
  const whole = template(page, cursor.replace, lines);
  // Where nothing closes it, a key alone would leave the rest to complain about.
  return typed.isClosed ? [whole, ...items] : [whole];
}

async function valuesAt(
  page: SkillPage,
  cursor: Cursor,
  tools: Tools,
  typed: string,
): Promise<readonly CompletionItem[]> {
  const [top, second, ...deeper] = cursor.path;
  if (top === undefined || deeper.length > 0) return [];
  const isTool = top === 'allowed-tools' && second !== undefined;
  let values: readonly OfferedValue[];
  if (second === undefined || isTool) {
    values = top === 'metadata' ? [] : await topLevelValues(page, tools, top, typed);
  } else {
    values = top === 'metadata' ? await metadataValues(page, tools, second, typed) : [];
  }
  return values
    .filter(({ value }) => !isTool || !cursor.siblings.includes(String(value)))
    .map((value, index) => {
      const text =
        typeof value.value === 'string' && needsQuotes(value.value) ? quotedScalar(value.value) : undefined;
      const written = text ?? valueText(cursor, value.value);
      return valueItem(page, value, `${written}${cursor.needsComma ? ',' : ''}`, cursor.replace, index);
    });
}

/** True for a text that YAML 1.1 readers would take for something else. */
function needsQuotes(text: string): boolean {
  return yamlScalar(text) === quotedScalar(text);
}

/** `name: …` and `description: …` as a snippet. */
function required(page: SkillPage): readonly string[] {
  const name = kebabCase(folderNameOf(page)) ?? 'my-skill';
  const description = yamlScalar(describedByBody(page.document));
  return [`name: ${escapeSnippet(name)}`, `description: ${placeholder(1, description)}`];
}

/** Instructions to begin with, where there are none behind an offset. */
function instructions(page: SkillPage, offset: number): readonly string[] {
  if (page.text.slice(offset).trim() !== '') return [];
  return ['', placeholder(2, 'Say here, step by step, what to do.')];
}

function template(
  page: SkillPage,
  { start, end }: { readonly start: number; readonly end: number },
  lines: readonly string[],
): CompletionItem {
  const eol = lineEndOf(page.text);
  // The line that is replaced keeps its end; a text that stops there gets one.
  const closing = lines.includes('---') && end === page.text.length ? eol : '';
  return {
    label: 'name, description',
    detail: 'Front matter that every skill needs',
    kind: CompletionItemKind.Snippet,
    filterText: `${page.text.slice(start, end)}name, description`,
    sortText: '!',
    preselect: true,
    insertTextFormat: InsertTextFormat.Snippet,
    insertTextMode: InsertTextMode.asIs,
    textEdit: { range: page.lines.rangeOf(start, end), newText: lines.join(eol) + closing },
  };
}

function keyItem(page: SkillPage, offer: OfferedKey, cursor: Cursor, index: number): CompletionItem {
  const { key, documentation } = offer;
  const colon = cursor.hasColon ? colonBehind(page.text, cursor.replace.end) : undefined;
  const keepsValue = cursor.hasColon && colon?.value !== 'none';
  const written = escapeSnippet(keyText(keepsValue ? cursor : { ...cursor, hasColon: false }, key));
  const body = keepsValue ? written : `${written.trimEnd()}${valueSnippet(page, offer, cursor)}`;
  const comma = cursor.needsComma && !keepsValue ? ',' : '';
  const { start } = cursor.replace;
  const end = keepsValue ? cursor.replace.end : (colon?.end ?? cursor.replace.end);
  return {
    label: key,
    kind: CompletionItemKind.Property,
    documentation: { kind: 'markdown', value: documentation },
    sortText: order(index),
    filterText: `${cursor.quote ?? ''}${key}`,
    insertTextFormat: InsertTextFormat.Snippet,
    insertTextMode: InsertTextMode.asIs,
    textEdit: { range: page.lines.rangeOf(start, end), newText: body + comma },
  };
}

/** What follows a key that has its colon already: the value's kind, and where the colon and the spaces behind it end. */
function colonBehind(text: string, offset: number): { value: 'none' | 'text' | 'lines'; end: number } {
  const [colon = ''] = /^[ \t]*:[ \t]*/.exec(text.slice(offset, offset + 1_000)) ?? [];
  const end = offset + colon.length;
  const [next] = /^(?:#[^\r\n]*)?(?:\r\n?|\n|$)([ \t]+\S|-[ \t])?/.exec(text.slice(end, end + 10_000)) ?? [];
  if (next === undefined) return { value: 'text', end };
  const value = /\S/.test(next.replace(/^#.*/, '')) ? 'lines' : 'none';
  return { value, end: next.startsWith('#') ? offset + colon.trimEnd().length : end };
}

/**
 * A key keeps the value that stands behind it; it is offered only where it can have it. One that is whole already
 * stays: another in its place would leave it missing.
 */
function takesValue(page: SkillPage, { key, choices }: OfferedKey, cursor: Cursor): boolean {
  const isMap = key === 'metadata' || key === 'hooks';
  if (!cursor.hasColon) return isMap || !cursor.hasChildren;
  const { value } = colonBehind(page.text, cursor.replace.end);
  if (value === 'none') return true;
  const written = page.text.slice(cursor.replace.start, cursor.replace.end).replace(/^(["'])(.*)\1$/, '$2');
  if (key === written) return true;
  if (standardKeys.includes(written) || namingKeys.has(key)) return false;
  return value === 'lines' ? isMap : !isMap && choices === undefined;
}

/** Keys of `metadata` whose value names a file or an environment that there has to be. */
const namingKeys: ReadonlySet<string> = new Set(['state-schema', 'initial-state', 'include', 'environment']);

/** What follows a key's colon, with a space or on lines of its own. */
function valueSnippet(page: SkillPage, offer: OfferedKey, cursor: Cursor): string {
  const { key, value, choices, isYaml } = offer;
  const isBlock = cursor.style === 'block';
  if (key === 'metadata' && cursor.path.length === 0) {
    const entry = `${placeholder(1, 'author')}: ${placeholder(2, 'me')}`;
    return isBlock ? `${lineEndOf(page.text)}${cursor.childIndent}${entry}` : ` { ${entry} \\}`;
  }
  const scalar = (text: string): string => {
    if (isYaml === true) return text;
    return isBlock ? yamlScalar(text) : quotedScalar(text);
  };
  if (choices === undefined || choices.length < 2) return ` ${placeholder(1, scalar(value))}`;
  const escaped = choices.map((choice) => escapeChoice(scalar(choice)));
  return ` \${1|${escaped.join(',')}|}`;
}

function valueItem(
  page: SkillPage,
  { value, kind, detail, documentation }: OfferedValue,
  newText: string,
  { start, end }: { readonly start: number; readonly end: number },
  index: number,
): CompletionItem {
  const typed = page.text.slice(start, end);
  const quote = /^["']/.exec(typed)?.[0] ?? '';
  const label = String(value);
  return {
    label: label.length > maxLabel ? `${label.slice(0, maxLabel - 1)}…` : label,
    kind: valueKinds[kind],
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: { kind: 'markdown', value: documentation } }),
    sortText: order(index),
    filterText: `${quote}${String(value)}`,
    insertTextFormat: InsertTextFormat.PlainText,
    textEdit: { range: page.lines.rangeOf(start, end), newText },
  };
}

const maxLabel = 80;

const valueKinds = {
  file: CompletionItemKind.File,
  name: CompletionItemKind.Value,
  action: CompletionItemKind.Function,
  choice: CompletionItemKind.EnumMember,
  text: CompletionItemKind.Text,
} as const satisfies Record<OfferedValue['kind'], CompletionItemKind>;

function order(index: number): string {
  return String(index).padStart(3, '0');
}

function placeholder(number: number, text: string): string {
  return `\${${number}:${escapeSnippet(text)}}`;
}
