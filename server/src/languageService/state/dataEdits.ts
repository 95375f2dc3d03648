/**
 * Changes of a YAML or JSON text that keep the rest of it, comments included. Each is read back before it is offered:
 * what doesn't lead to the value that was meant is no edit.
 */
import { jsonEqual } from '../../../../client/src/runtime/jsonEquality';
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonValue,
} from '../../../../schemas/json/jsonValue';
import { parseJsonDocument } from '../../../../schemas/text/jsonDocument';
import { propertyAt, type SourceDocument, type SourceNode } from '../../../../schemas/text/sourceTree';
import { parseYamlDocument } from '../../../../schemas/text/yamlDocument';
import { isYamlWord } from '../../../../schemas/text/yamlWords';
import { yamlScalar } from '../skill/skillTexts';
import { quoted } from '../yamlScalar';

/** A text and what it was read as; offsets of the tree begin at the text's start. */
export interface DataText {
  readonly format: 'yaml' | 'json';
  readonly text: string;
  readonly root: SourceNode;
}

/** Replaces a part of such a text. */
export interface DataEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Takes out the property at a path; undefined where that can't be done without touching more. */
export function removeProperty(data: DataText, path: JsonPath): DataEdit | undefined {
  const [parent, name] = parentOf(data, path);
  if (parent === undefined || name === undefined) return undefined;
  const edit = removal(data, parent, name);
  return verified(data, edit, (root) =>
    changedAt(root, path.slice(0, -1), (object) => without(object, name)),
  );
}

/** Gives the property at a path another key, in its place. */
export function renameKey(data: DataText, path: JsonPath, name: string): DataEdit | undefined {
  const [parent, old] = parentOf(data, path);
  const property = old === undefined ? undefined : parent?.properties?.get(old);
  if (property === undefined || old === undefined) return undefined;
  const edit = { start: property.keyStart, end: property.keyEnd, text: keyAs(data.format, name) };
  return verified(data, edit, (root) =>
    changedAt(root, path.slice(0, -1), (object) => renamed(object, old, name)),
  );
}

/** Writes another value at a path. */
export function replaceValue(data: DataText, path: JsonPath, value: JsonValue): DataEdit | undefined {
  const property = propertyAt(data.root, path);
  if (property === undefined) return undefined;
  const { start, end } = property.node;
  // A value that isn't written (`key:`) needs a space before it.
  const lead = start === end && /:$/.test(data.text.slice(0, start)) ? ' ' : '';
  const quote = /^["']/.exec(data.text.slice(start, end))?.[0];
  const edit = { start, end, text: lead + textOf(data.format, value, quote) };
  return verified(data, edit, (root) => changedAt(root, path, () => value));
}

/** Writes a further property behind the others of the object at a path. */
export function addProperty(
  data: DataText,
  path: JsonPath,
  name: string,
  value: JsonValue,
): DataEdit | undefined {
  const object = propertyAt(data.root, path)?.node;
  if (object?.properties === undefined || object.properties.has(name)) return undefined;
  return verified(data, addition(data, object, name, value), (root) =>
    changedAt(root, path, (found) => withProperty(found, name, value)),
  );
}

/** Writes several properties behind the others of the object at a path, in one edit. */
export function addProperties(
  data: DataText,
  path: JsonPath,
  entries: readonly (readonly [name: string, value: JsonValue])[],
): DataEdit | undefined {
  let now = data;
  for (const [name, value] of entries) {
    const edit = addProperty(now, path, name, value);
    if (edit === undefined) return undefined;
    const text = edited(now.text, edit);
    const { root } = read(data.format, text);
    if (root === undefined) return undefined;
    now = { ...now, text, root };
  }
  return differenceOf(data.text, now.text);
}

/** The least edit that makes one text of another. */
function differenceOf(before: string, after: string): DataEdit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let common = 0;
  while (common < most - start && before.at(-1 - common) === after.at(-1 - common)) common++;
  return { start, end: before.length - common, text: after.slice(start, after.length - common) };
}

/** A value on one line, in JSON with spaces, which YAML reads as well. */
export function inlineText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as JsonArray).map(inlineText).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${inlineText(child)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A value as a format writes it on one line; a text in YAML without quotes where that is safe and none were there. */
function textOf(format: DataText['format'], value: JsonValue, quote?: string): string {
  if (format === 'json' || typeof value !== 'string') return inlineText(value);
  if (quote === '"' || quote === "'") return quoted(value, quote);
  return /[,[\]{}]/.test(value) ? quoted(value, undefined) : yamlScalar(value);
}

/** A key as a format writes it: without quotes in YAML, where that means the same. */
function keyAs(format: 'yaml' | 'json', name: string): string {
  const isPlain = /^[A-Za-z_][\w-]*$/.test(name) && !isYamlWord(name);
  return format === 'yaml' && isPlain ? name : JSON.stringify(name);
}

function parentOf(data: DataText, path: JsonPath): [SourceNode | undefined, string | undefined] {
  return [propertyAt(data.root, path.slice(0, -1))?.node, path.at(-1)];
}

function isFlow({ text }: DataText, object: SourceNode): boolean {
  return text[object.start] === '{';
}

function removal(data: DataText, parent: SourceNode, name: string): DataEdit | undefined {
  const entries = [...(parent.properties ?? [])];
  const index = entries.findIndex(([key]) => key === name);
  const property = entries[index]?.[1];
  if (property === undefined) return undefined;
  const before = entries[index - 1]?.[1];
  const next = entries[index + 1]?.[1];
  const { keyStart, node } = property;
  if (isFlow(data, parent)) {
    if (next !== undefined) return { start: keyStart, end: next.keyStart, text: '' };
    if (before !== undefined) return { start: before.node.end, end: node.end, text: '' };
    return { start: parent.start, end: parent.end, text: '{}' };
  }
  if (before === undefined && next === undefined) return { start: parent.start, end: parent.end, text: '{}' };
  const lineStart = startOfLine(data.text, keyStart);
  if (data.text.slice(lineStart, keyStart).trim() !== '') {
    return next && { start: keyStart, end: next.keyStart, text: '' };
  }
  return { start: lineStart, end: afterLine(data.text, Math.max(property.keyEnd, node.end)), text: '' };
}

function addition(data: DataText, object: SourceNode, name: string, value: JsonValue): DataEdit {
  const { text, format } = data;
  const properties = [...(object.properties?.values() ?? [])];
  const last = properties.at(-1);
  const written = `${keyAs(format, name)}: ${textOf(format, value)}`;
  if (last === undefined) return { start: object.start, end: object.end, text: `{ ${written} }` };
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = ' '.repeat(last.keyStart - startOfLine(text, last.keyStart));
  if (!isFlow(data, object)) {
    const at = endOfLine(text, Math.max(last.keyEnd + 1, last.node.end));
    return { start: at, end: at, text: `${lineBreak}${indent}${written}` };
  }
  const lead = text.slice(startOfLine(text, last.keyStart), last.keyStart);
  const at = last.node.end;
  const gap = lead.trim() === '' ? `,${lineBreak}${lead}` : ', ';
  return { start: at, end: at, text: gap + written };
}

function startOfLine(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}

function endOfLine(text: string, offset: number): number {
  let end = offset;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
  return end;
}

function afterLine(text: string, offset: number): number {
  const end = endOfLine(text, offset);
  return end + (text.startsWith('\r\n', end) ? 2 : end < text.length ? 1 : 0);
}

/** The edit, where the text reads as meant with it. */
function verified(
  data: DataText,
  edit: DataEdit | undefined,
  change: (root: JsonValue) => JsonValue,
): DataEdit | undefined {
  if (edit === undefined) return undefined;
  const { root, problems } = read(data.format, edited(data.text, edit));
  const isMeant = root !== undefined && jsonEqual(root.value, change(data.root.value));
  return isMeant && problems.length === 0 ? edit : undefined;
}

function edited(text: string, { start, end, text: written }: DataEdit): string {
  return text.slice(0, start) + written + text.slice(end);
}

function read(format: DataText['format'], text: string): SourceDocument {
  return format === 'json' ? parseJsonDocument(text) : parseYamlDocument(text);
}

/** The document with the value at a path changed. Paths are short: they lead to what a tree of 200 levels has. */
function changedAt(root: JsonValue, path: JsonPath, change: (value: JsonValue) => JsonValue): JsonValue {
  const [token, ...rest] = path;
  if (token === undefined) return change(root);
  if (Array.isArray(root)) {
    return (root as JsonArray).map((item, index) =>
      String(index) === token ? changedAt(item, rest, change) : item,
    );
  }
  if (!isJsonObject(root)) return root;
  return mapped(root, (key, value) => [key, key === token ? changedAt(value, rest, change) : value]);
}

function without(object: JsonValue, name: string): JsonValue {
  return mapped(object, (key, value) => (key === name ? undefined : [key, value]));
}

function renamed(object: JsonValue, old: string, name: string): JsonValue {
  return mapped(object, (key, value) => [key === old ? name : key, value]);
}

function withProperty(object: JsonValue, name: string, value: JsonValue): JsonValue {
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of isJsonObject(object) ? Object.entries(object) : [])
    defineOwnProperty(copy, key, child);
  defineOwnProperty(copy, name, value);
  return copy;
}

function mapped(
  object: JsonValue,
  member: (key: string, value: JsonValue) => readonly [string, JsonValue] | undefined,
): JsonValue {
  if (!isJsonObject(object)) return object;
  const copy: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(object)) {
    const kept = member(key, value);
    if (kept !== undefined) defineOwnProperty(copy, ...kept);
  }
  return copy;
}
