/** Completions of the debug console: roots, the keys of the value before the dot or bracket, functions of CEL. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import { isPlainPath, parseExpression, resolvePath } from './evaluation';
import { isWord, typeName } from './valueText';
import { type RootName, rootNames } from './view';

/** An item to choose, and the stretch of the text that it takes the place of, in UTF-16 units. */
export interface Completion {
  readonly label: string;
  readonly text?: string;
  readonly detail?: string;
  readonly kind: DebugProtocol.CompletionItemType;
  readonly start: number;
  readonly length: number;
}

/** What completions are taken from. */
export interface CompletionContext {
  /** The value of a root where the run stands; undefined where it has none. */
  valueOfRoot(root: RootName): JsonValue | undefined;
  /** Keys that the state schema declares at a path of Σ, whether there are values or not. */
  declaredKeys(path: JsonPath): readonly string[];
  /** What else the console understands. */
  readonly commands: readonly { readonly label: string; readonly detail: string }[];
}

/** More items than this help nobody; who types on asks for the others. */
const maxItems = 500;

/** How much text before the cursor is looked at. */
const maxLookBehind = 2_000;

/** Functions that are called on a value, by its type. */
const methods: Readonly<Record<string, readonly string[]>> = {
  string: ['size()', 'contains()', 'startsWith()', 'endsWith()', 'matches()', 'lowerAscii()', 'split()'],
  array: ['size()', 'all()', 'exists()', 'exists_one()', 'filter()', 'map()', 'join()'],
  object: ['size()', 'all()', 'exists()', 'exists_one()', 'filter()', 'map()'],
};

/** Functions that take values. */
const functions = ['has()', 'values()', 'unique()', 'int()', 'double()', 'string()', 'type()'];

/** The roots whose parts the state schema describes. */
const describedRoots: readonly RootName[] = ['state', 'before', 'proposed', 'patch'];

/** @param offset where the cursor is, in UTF-16 units */
export function completionsAt(
  text: string,
  offset: number,
  context: CompletionContext,
): readonly Completion[] {
  const from = Math.max(0, offset - maxLookBehind);
  const head = text.slice(from, offset);
  return itemsFor(head, context)
    .slice(0, maxItems)
    .map((item) => ({ ...item, start: from + item.start }));
}

function itemsFor(head: string, context: CompletionContext): readonly Completion[] {
  const open = openQuote(head);
  if (open !== undefined) {
    const bracket = /\[\s*$/.exec(head.slice(0, open));
    const owner = bracket && ownerBefore(head.slice(0, bracket.index), context);
    if (!owner) return [];
    return keysIn(owner, context, unquoted(head.slice(open + 1))).map(({ key, detail }) =>
      keyItem(`${JSON.stringify(key)}]`, key, detail, open, head.length),
    );
  }
  const partial = /[\p{L}\p{N}_$-]*$/u.exec(head)?.[0] ?? '';
  const start = head.length - partial.length;
  const before = head.slice(0, start);
  if (/\.\s*$/.test(before)) return afterDot(before, partial, start, context);
  const bracket = /\[\s*$/.exec(before);
  const owner = bracket && ownerBefore(before.slice(0, bracket.index), context);
  if (owner) return inBrackets(owner, partial, start, context);
  return atStart(before, partial, start, context);
}

/** Roots and functions, where an operand can begin. */
function atStart(
  before: string,
  partial: string,
  start: number,
  { commands, valueOfRoot }: CompletionContext,
): readonly Completion[] {
  const { length } = partial;
  const roots = rootNames.map((root): Completion => {
    const value = valueOfRoot(root);
    return {
      label: root,
      detail: value === undefined ? 'not yet' : typeName(value),
      kind: 'variable',
      start,
      length,
    };
  });
  const calls = functions.map((label): Completion => ({ label, kind: 'function', start, length }));
  const words = commands.map(
    ({ label, detail }): Completion => ({ label, detail, kind: 'keyword', start, length }),
  );
  return [...roots, ...calls, ...(before.trim() === '' ? words : [])].filter(({ label }) =>
    label.toLowerCase().startsWith(partial.toLowerCase()),
  );
}

function afterDot(
  before: string,
  partial: string,
  start: number,
  context: CompletionContext,
): readonly Completion[] {
  const dot = before.lastIndexOf('.');
  const owner = ownerBefore(before.slice(0, dot), context);
  if (owner === undefined) return [];
  const keys = keysIn(owner, context, partial).map(({ key, detail }): Completion => {
    if (isWord(key)) return { label: key, detail, kind: 'property', start, length: partial.length };
    const brackets = `[${JSON.stringify(key)}]`;
    // The label begins with the dot that is replaced: clients look for what was typed in it.
    const length = start + partial.length - dot;
    return { label: `.${brackets}`, text: brackets, detail, kind: 'property', start: dot, length };
  });
  const calls = (owner.value === undefined ? [] : (methods[typeName(owner.value)] ?? []))
    .filter((label) => label.startsWith(partial))
    .map((label): Completion => ({ label, kind: 'method', start, length: partial.length }));
  return [...keys, ...calls];
}

function inBrackets(
  owner: Owner,
  partial: string,
  start: number,
  context: CompletionContext,
): readonly Completion[] {
  const end = start + partial.length;
  if (!Array.isArray(owner.value)) {
    return keysIn(owner, context, partial).map(({ key, detail }) =>
      keyItem(`${JSON.stringify(key)}]`, key, detail, start, end),
    );
  }
  const items = owner.value as readonly JsonValue[];
  const indices: Completion[] = [];
  for (let index = 0; index < items.length && indices.length < maxItems; index++) {
    if (!String(index).startsWith(partial)) continue;
    indices.push(keyItem(`${index}]`, String(index), typeName(items[index] ?? null), start, end));
  }
  return indices;
}

function keyItem(text: string, label: string, detail: string, start: number, end: number): Completion {
  return { label, text, detail, kind: 'property', start, length: end - start };
}

/** What stands before a dot or a bracket. */
interface Owner {
  readonly root: RootName;
  readonly path: JsonPath;
  /** Undefined where there is no such value yet. */
  readonly value: JsonValue | undefined;
}

/** The longest path that a text ends with. */
function ownerBefore(text: string, { valueOfRoot }: CompletionContext): Owner | undefined {
  for (const match of text.matchAll(/(?<![\p{L}\p{N}_$.])[a-z]+/gu)) {
    const path = text.slice(match.index);
    const parsed = isPlainPath(path) ? parseExpression(path) : undefined;
    if (!parsed?.ok) continue;
    const { root, path: keys } = parsed.expression;
    const value = valueOfRoot(root);
    const resolved = value === undefined ? undefined : resolvePath(parsed.expression, value);
    return { root, path: keys.map(String), value: resolved?.ok ? resolved.value : undefined };
  }
  return undefined;
}

/** Keys that begin with what was typed: those that there are, then those that the schema declares. */
function keysIn(
  { root, path, value }: Owner,
  { declaredKeys }: CompletionContext,
  typed: string,
): readonly { readonly key: string; readonly detail: string }[] {
  const found: { key: string; detail: string }[] = [];
  const wanted = typed.toLowerCase();
  const object = isJsonObject(value) ? value : {};
  for (const key in object) {
    if (found.length >= maxItems) break;
    if (Object.hasOwn(object, key) && key.toLowerCase().startsWith(wanted))
      found.push({ key, detail: typeName(ownProperty(object, key) ?? null) });
  }
  if (!describedRoots.includes(root) || Array.isArray(value)) return found;
  for (const key of declaredKeys(path)) {
    if (!Object.hasOwn(object, key) && key.toLowerCase().startsWith(wanted))
      found.push({ key, detail: 'declared' });
  }
  return found;
}

/** Where the quoted text begins that a text ends in; undefined where it ends in none. */
function openQuote(text: string): number | undefined {
  let open: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (open === undefined) {
      if (character === '"' || character === "'") open = at;
    } else if (character === '\\') at++;
    else if (character === text.charAt(open)) open = undefined;
  }
  return open;
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/gu, '$1');
}
