/** Expressions of the console: plain paths such as `state.inventory.shelf_42`, `state["a b"]`, `state.list[0]`, and CEL. */
import { isJsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import { compileMomentExpression, type Moment } from './conditions';
import type { Position } from './position';
import { itemExpression, memberExpression } from './valueText';
import type { Node } from './variables';
import { editableRoots, missingRoot, type RootName, rootNames, rootValue, valueAnnotator } from './view';

export interface PathExpression {
  readonly root: RootName;
  /** Keys and, in brackets without quotes, indices. */
  readonly path: readonly (string | number)[];
}

export type ParsedExpression =
  | { readonly ok: true; readonly expression: PathExpression }
  | { readonly ok: false; readonly message: string };

/** One step of a path after the root: `.name`, `[0]`, `["name"]` or `['name']`. */
const segment = /\s*(?:\.\s*([^\s.[\]"'`]+)|\[\s*(?:(\d+)|("(?:[^"\\]|\\.)*")|'((?:[^'\\]|\\.)*)')\s*\])/uy;

/** Reads a path. The message of one that can't be read says what may be written instead. */
export function parseExpression(text: string): ParsedExpression {
  const trimmed = text.trim();
  if (trimmed === '')
    return { ok: false, message: 'There is nothing to evaluate: write a path such as state.' };
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(trimmed)?.[0] ?? '';
  const root = rootNames.find((candidate) => candidate === name);
  if (root === undefined) {
    const what = name === '' ? `${quote(trimmed)} is no path` : `There is no ${quote(name)}`;
    return { ok: false, message: `${what}: paths begin with ${rootNames.join(', ')}.` };
  }
  const path: (string | number)[] = [];
  let at = name.length;
  while (at < trimmed.length) {
    segment.lastIndex = at;
    const match = segment.exec(trimmed);
    const key = match && keyOf(match);
    if (key === undefined || key === null) {
      const rest = quote(trimmed.slice(at));
      return { ok: false, message: `${rest} can't be read: after ${root}, write .name, ["name"] or [0].` };
    }
    path.push(key);
    at = segment.lastIndex;
  }
  return { ok: true, expression: { root, path } };
}

function keyOf([, name, index, double, single]: RegExpExecArray): string | number | undefined {
  if (name !== undefined) return name;
  if (index !== undefined) return Number(index);
  if (single !== undefined) return single.replace(/\\(.)/g, '$1');
  try {
    return double === undefined ? undefined : (JSON.parse(double) as string);
  } catch {
    return undefined;
  }
}

export type Resolved =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** The path in its usual spelling. */
      readonly text: string;
      readonly path: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** The value at a path from the root's value; the message of a missing one says what there is. */
export function resolvePath({ root, path }: PathExpression, rootValue: JsonValue): Resolved {
  let value = rootValue;
  let text: string = root;
  for (const key of path) {
    const next = child(value, key);
    if (next === undefined) return { ok: false, message: missing(value, text, key) };
    text =
      typeof key === 'number' && Array.isArray(value)
        ? itemExpression(text, key)
        : memberExpression(text, String(key));
    value = next;
  }
  return { ok: true, value, text, path: path.map(String) };
}

function child(value: JsonValue, key: string | number): JsonValue | undefined {
  if (Array.isArray(value)) {
    return /^(0|[1-9]\d*)$/.test(String(key)) ? (value as readonly JsonValue[])[Number(key)] : undefined;
  }
  return isJsonObject(value) ? ownProperty(value, String(key)) : undefined;
}

function missing(value: JsonValue, text: string, key: string | number): string {
  if (Array.isArray(value)) return `${text} has no item ${key}: it has ${value.length}, counted from 0.`;
  if (!isJsonObject(value))
    return `${text} is ${value === null ? 'null' : `a ${typeof value}`} and has no parts.`;
  const keys = Object.keys(value);
  if (keys.length === 0) return `${text} has no key ${quote(String(key))}: it is empty.`;
  const shown = keys.slice(0, 10).join(', ');
  const more = keys.length > 10 ? `, and ${keys.length - 10} more` : '';
  return `${text} has no key ${quote(String(key))}: it has ${shown}${more}.`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

export type Evaluated =
  | { readonly ok: true; readonly node: Node }
  | { readonly ok: false; readonly message: string };

/**
 * The value of an expression where a run stands: a plain path, which keeps its place in Σ, or else CEL over the roots.
 *
 * @param extra what can be named beside the roots just now, such as the rejection that the run stopped on
 */
export function evaluateAt(
  text: string,
  position: Position | undefined,
  schema: StateSchema,
  extra: Moment['extra'] = {},
): Evaluated {
  const parsed = parseExpression(text);
  const asPath = parsed.ok ? pathNode(parsed.expression, position, schema) : parsed;
  if (asPath.ok) return asPath;
  const compiled = compileMomentExpression(text.trim(), Object.keys(extra));
  const isPlain = isPlainPath(text);
  if (!compiled.ok) return { ok: false, message: isPlain || parsed.ok ? asPath.message : compiled.message };
  const missing = rootNames.find(
    (name) =>
      compiled.value.names.includes(name) &&
      (position === undefined || rootValue(name, position) === undefined),
  );
  if (missing !== undefined || position === undefined)
    return { ok: false, message: missingRoot(missing ?? 'state') };
  const result = compiled.value.evaluate({ position, extra });
  if (!result.ok) return { ok: false, message: isPlain ? asPath.message : result.message };
  const expression = `(${text.trim()})`;
  return {
    ok: true,
    node: {
      value: result.value,
      expression,
      root: undefined,
      path: [],
      editable: false,
      annotate: undefined,
    },
  };
}

/** Whether a text is an expression that names some root, which has a value now: a number or a quoted text names none. */
export function asksForRoot(text: string, position: Position): boolean {
  const hasValue = (name: RootName) => rootValue(name, position) !== undefined;
  const parsed = parseExpression(text);
  if (parsed.ok) return hasValue(parsed.expression.root);
  const compiled = compileMomentExpression(text);
  if (!compiled.ok) return false;
  const { names } = compiled.value;
  const named = rootNames.filter((name) => names.includes(name));
  return named.length > 0 && named.every(hasValue);
}

/** The root of what may be a path, whatever comes of it. */
const plainRoot = /\s*[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/**
 * One step after it, which may break off where the text ends. Read step by step: as one expression for all, nested
 * quotes and brackets would be tried in every combination.
 */
const plainStep =
  /\.[\p{L}\p{N}_$-]*|\[\s*(?:\d+\s*\]?|"(?:[^"\\]|\\.)*(?:"\s*\]?)?|'(?:[^'\\]|\\.)*(?:'\s*\]?)?|\]?)/uy;

/** Whether a text can mean nothing but a path of keys and indices: it has no operators and no calls. */
export function isPlainPath(text: string): boolean {
  let at = endOf(plainRoot, text, 0);
  if (at === undefined) return text.trim() === '';
  for (;;) {
    const end = endOf(plainStep, text, at);
    if (end === undefined) return text.slice(at).trim() === '';
    at = end;
  }
}

/** Where a sticky expression's match ends that begins at an offset; undefined where there is none. */
function endOf(expression: RegExp, text: string, offset: number): number | undefined {
  expression.lastIndex = offset;
  return expression.test(text) ? expression.lastIndex : undefined;
}

function pathNode(
  expression: PathExpression,
  position: Position | undefined,
  schema: StateSchema,
): Evaluated {
  const { root } = expression;
  const value = position && rootValue(root, position);
  if (position === undefined || value === undefined) return { ok: false, message: missingRoot(root) };
  const resolved = resolvePath(expression, value);
  if (!resolved.ok) return resolved;
  const { text, path } = resolved;
  const annotate = valueAnnotator(root, position, schema);
  const editable = editableRoots.has(root);
  return { ok: true, node: { value: resolved.value, expression: text, root, path, editable, annotate } };
}
