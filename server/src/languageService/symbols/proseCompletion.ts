/** Completion inside code spans: paths of the state, names of actions, names of arguments. */
import { type CompletionItem, CompletionItemKind, InsertTextFormat } from 'vscode-languageserver-types';
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { IncludedPage, SkillPage, Tools } from '../documents';
import { escapeSnippet } from '../schema/snippet';
import { environmentActions } from './environmentActions';
import { declarationText, typeText } from './fieldFacts';
import { type ProseCursor, proseCursorAt } from './proseCursor';
import { isDottedName, parseProsePath } from './prosePath';
import type { SchemaNode } from './schemaGraph';
import { namesOf } from './skillProse';
import { resolvePath, type SkillNames } from './spanMeaning';

/** More than anybody reads; editors filter while the user goes on typing. */
const maxItems = 500;

/** Undefined where the offset is in no code span. */
export async function completeProse(
  page: SkillPage | IncludedPage,
  offset: number,
  tools: Tools,
): Promise<readonly CompletionItem[] | undefined> {
  const cursor = proseCursorAt(page, offset);
  if (cursor === undefined) return undefined;
  const names = namesOf(page.model);
  const context: Context = { page, cursor, offset, names };
  const argument = argumentItems(context);
  if (argument !== undefined) return argument;
  const known = environmentActions(page.model.skill.environment, tools.environments);
  const items = [
    ...pathItems(context),
    ...actionItems(context, known?.map(({ text }) => text) ?? []),
    ...parameterItems(context),
  ];
  return fittingItems(items, cursor.typed, tools).map((proposed, index) => ({
    ...proposed,
    sortText: String(index).padStart(4, '0'),
  }));
}

/** All of them, or of too many those with the typed text in their label. */
function fittingItems(
  items: readonly CompletionItem[],
  typed: string,
  tools: Pick<Tools, 'leftOut'>,
): readonly CompletionItem[] {
  if (items.length <= maxItems) return items;
  tools.leftOut?.();
  const part = typed.toLowerCase();
  return items.filter(({ label }) => label.toLowerCase().includes(part)).slice(0, maxItems);
}

interface Context {
  readonly page: SkillPage | IncludedPage;
  readonly cursor: ProseCursor;
  readonly offset: number;
  readonly names: SkillNames;
}

/** The paths that can stand where the typed one does: the fields of the value that it leads to before its last step. */
function pathItems(context: Context): CompletionItem[] {
  const { cursor, names } = context;
  const { graph } = names;
  const { typed } = cursor;
  if (graph === undefined || /\s/.test(typed)) return [];
  if (typed.startsWith('/')) return pointerItems(context, typed);
  const base = /^.*[.\]](?=[^.\]]*$)/.exec(typed)?.[0].replace(/\.$/, '') ?? '';
  const isState = base === 'state' || base === 'state_patch';
  const isRoot = base === '' || (isState && !graph.root.declared.has(base));
  const path = isRoot ? undefined : parseProsePath(base);
  const resolved = path && resolvePath(graph, path);
  const node = isRoot
    ? graph.root
    : resolved?.failure === undefined
      ? resolved?.segments.at(-1)?.node
      : undefined;
  if (node === undefined) return [];
  const items: CompletionItem[] = [];
  const prefix = base === '' ? '' : `${base}.`;
  const add = (owner: SchemaNode, before: string, filter: string) => {
    for (const [name, declarations] of owner.declared) {
      const separator = isDottedName(name) ? before : before.replace(/\.$/, '');
      const text = isDottedName(name) ? before + name : `${separator}["${name}"]`;
      if (/[`\r\n]/.test(text) || (separator === '' && !isDottedName(name)) || /["'\]]/.test(name)) continue;
      const child = owner.property(name);
      items.push(
        item(context, {
          label: name,
          text,
          filter: filter + name,
          kind: CompletionItemKind.Field,
          end: pathEnd(context),
          detail: child && typeText(child),
          documentation: declarationText(graph.schema, declarations),
        }),
      );
    }
  };
  add(node, prefix, prefix);
  if (base === '') return items;
  const list = node.item();
  if (list !== undefined) add(list, `${base}[].`, prefix);
  const entry = node.anyKey();
  if (entry !== undefined) {
    const text = `${base}.<key>`;
    items.push(
      item(context, {
        label: '<key>',
        text,
        filter: text,
        kind: CompletionItemKind.Variable,
        end: pathEnd(context),
        detail: typeText(entry),
      }),
    );
  }
  return items;
}

/** Where the path at the cursor ends; a comparison that stands behind it is kept. */
function pathEnd({ cursor, offset, page }: Context): number {
  return offset + (/^[^\s=:]*/.exec(page.text.slice(offset, cursor.end))?.[0].length ?? 0);
}

function pointerItems(context: Context, typed: string): CompletionItem[] {
  const { graph } = context.names;
  if (graph === undefined) return [];
  const base = typed.slice(0, typed.lastIndexOf('/'));
  const path = base === '' ? undefined : parseProsePath(base);
  const resolved = path && resolvePath(graph, path);
  if (resolved?.failure !== undefined || (base !== '' && path === undefined)) return [];
  const node = base === '' ? graph.root : resolved?.segments.at(-1)?.node;
  return [...(node?.declared ?? [])].flatMap(([name, declarations]) => {
    if (/[\s`<{*]/.test(name) || name === '-') return [];
    const text = `${base}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const child = node?.property(name);
    const documentation = declarationText(graph.schema, declarations);
    const detail = child && typeText(child);
    return [
      item(context, {
        label: name,
        text,
        filter: text,
        kind: CompletionItemKind.Field,
        end: pathEnd(context),
        detail,
        documentation,
      }),
    ];
  });
}

/** Declared actions, and in a list of actions those that the environment knows and nobody has declared yet. */
function actionItems(context: Context, known: readonly string[]): CompletionItem[] {
  const { typed } = context.cursor;
  if (/[\s(./[]/.test(typed)) return [];
  const { names, page } = context;
  const declared = [...names.actions.values()].flat();
  const items = declared.map((action) =>
    item(context, {
      label: action.text,
      text: action.text,
      snippet: snippetOf(action),
      filter: action.name,
      kind: CompletionItemKind.Function,
      detail: `declared in ${action.file}`,
    }),
  );
  if (!beginsItem(context)) return items;
  const environment = page.model.skill.environment ?? '';
  for (const text of known) {
    const name = /^[^\s(]+/.exec(text)?.[0] ?? text;
    if (names.actions.has(name)) continue;
    const detail = `known to the environment ${environment}`;
    items.push(item(context, { label: text, text, filter: text, kind: CompletionItemKind.Function, detail }));
  }
  return items;
}

/** True where the span is the first thing in an item of a list, as a signature is. */
function beginsItem({ page, cursor }: Context): boolean {
  const { line } = page.lines.positionAt(cursor.start);
  const before = page.text.slice(page.lines.offsetAt({ line, character: 0 }), cursor.start);
  return /^\s*(?:[-*+]|\d{1,9}[.)])\s+`+$/.test(before);
}

/** The action's text with a tab stop for each argument. */
function snippetOf(action: ActionSignature): string {
  let snippet = '';
  let at = 0;
  for (const [index, { name }] of action.parameters.entries()) {
    const found = action.text.indexOf(name, at === 0 ? action.name.length : at);
    if (found === -1) return escapeSnippet(action.text);
    const bracket = /<$/.test(action.text.slice(0, found)) ? 1 : 0;
    const end = bracket === 1 ? action.text.indexOf('>', found) + 1 : found + name.length;
    const part = action.text.slice(found - bracket, end);
    snippet += `${escapeSnippet(action.text.slice(at, found - bracket))}\${${index + 1}:${escapeSnippet(part)}}`;
    at = end;
  }
  return snippet + escapeSnippet(action.text.slice(at));
}

/** The arguments of the action that is being written; undefined where none is. */
function argumentItems(context: Context): CompletionItem[] | undefined {
  const { cursor, names, offset, page } = context;
  const following = /^\S*/.exec(page.text.slice(offset, cursor.end))?.[0].length ?? 0;
  const [, name, rest] = /^([^\s(]+)\s+(.*)$/s.exec(cursor.typed) ?? [];
  const signatures = name === undefined ? undefined : names.actions.get(name);
  if (signatures === undefined || rest === undefined) return undefined;
  const words = rest.split(/\s+/);
  const index = words.length - 1;
  const word = words.at(-1) ?? '';
  const parameters = new Map(
    signatures.flatMap(({ form, parameters: all }) => {
      const parameter = form === 'command' ? all[index] : undefined;
      return parameter === undefined ? [] : [[parameter.name, parameter] as const];
    }),
  );
  return [...parameters.values()].map(({ name: label, rest: takesRest }) =>
    item(context, {
      label: `<${label}>`,
      text: `<${label}${takesRest ? '...' : ''}>`,
      filter: word.startsWith('<') ? `<${label}>` : label,
      kind: CompletionItemKind.TypeParameter,
      detail: `argument of ${name}`,
      start: offset - word.length,
      end: offset + following,
    }),
  );
}

function parameterItems(context: Context): CompletionItem[] {
  const { cursor, names } = context;
  if (!/^(?:<[\p{L}\p{N}_ -]*|[\p{L}\p{N}_]*)$/u.test(cursor.typed)) return [];
  return [...names.parameters].map((name) =>
    item(context, {
      label: `<${name}>`,
      text: `<${name}>`,
      filter: cursor.typed.startsWith('<') ? `<${name}>` : name,
      kind: CompletionItemKind.TypeParameter,
      detail: 'argument of an action',
    }),
  );
}

interface Proposal {
  readonly label: string;
  readonly text: string;
  /** The text as a snippet, where it has places to fill in. */
  readonly snippet?: string;
  readonly filter: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Where the replaced text begins; the span's start if not given. */
  readonly start?: number;
  /** Where it ends; the span's end if not given. */
  readonly end?: number;
}

/** An unclosed span is closed behind the cursor, so that what was accepted is one at once. */
function item({ page, cursor }: Context, proposal: Proposal): CompletionItem {
  const {
    label,
    text,
    snippet,
    filter,
    kind,
    detail,
    documentation,
    start = cursor.start,
    end = cursor.end,
  } = proposal;
  const isSnippet = snippet !== undefined || cursor.closing !== '';
  const body = snippet ?? (isSnippet ? escapeSnippet(text) : text);
  const newText = cursor.closing === '' ? body : `${body}$0${cursor.closing}`;
  return {
    label,
    kind,
    filterText: filter,
    textEdit: { range: page.lines.rangeOf(start, end), newText },
    insertTextFormat: isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    ...(detail !== undefined && detail !== '' && { detail }),
    ...(documentation !== undefined && { documentation }),
  };
}
