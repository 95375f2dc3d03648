/** Expressions of the debugger: plain paths such as `state.inventory.shelf_42`, `state["a b"]`, `state.list[0]`. */
import { isJsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import { itemExpression, memberExpression } from './valueText';
import { type RootName, rootNames } from './view';

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
