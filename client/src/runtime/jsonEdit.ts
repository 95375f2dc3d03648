/** Setting or deleting one place in a JSON value by its path, sharing everything else with the value before. */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';

export type JsonEdit =
  | { readonly ok: true; readonly value: JsonValue }
  /** `pointer` is the place that isn't there, or can't be changed. */
  | { readonly ok: false; readonly pointer: string; readonly message: string };

/**
 * The value with `value` at `path`, or without what stands there where `value` is undefined. What is around it has to
 * exist. In an array an item is replaced, taken out, or, by its length or `-` (RFC 6901), appended.
 */
export function withValueAt(root: JsonValue, path: JsonPath, value: JsonValue | undefined): JsonEdit {
  if (path.length === 0) {
    if (value === undefined)
      return { ok: false, pointer: '', message: 'The whole of it can not be deleted.' };
    return { ok: true, value };
  }
  const around: JsonValue[] = [root];
  for (const [depth, token] of path.slice(0, -1).entries()) {
    const next = memberOf(around[depth] ?? null, token);
    if (next === undefined) return missing(path.slice(0, depth + 1));
    around.push(next);
  }
  let edited: JsonValue | undefined = value;
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const container = around[depth] ?? null;
    const token = path[depth] ?? '';
    const replaced = withMember(container, token, edited);
    if (replaced === undefined) return missing(path.slice(0, depth + 1));
    edited = replaced;
  }
  return { ok: true, value: edited ?? null };
}

function missing(path: JsonPath): JsonEdit {
  const pointer = formatPointer(path);
  return { ok: false, pointer, message: `There is no ${pointer} that could be changed.` };
}

function indexOf(items: JsonArray, token: string): number | undefined {
  if (token === '-') return items.length;
  return /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined;
}

function memberOf(container: JsonValue, token: string): JsonValue | undefined {
  if (isJsonObject(container)) return ownProperty(container, token);
  if (!Array.isArray(container)) return undefined;
  const items = container as JsonArray;
  const index = indexOf(items, token);
  return index === undefined ? undefined : items[index];
}

/** Undefined where the container has no such place. */
function withMember(
  container: JsonValue,
  token: string,
  value: JsonValue | undefined,
): JsonValue | undefined {
  if (isJsonObject(container)) {
    const copy: Record<string, JsonValue> = { ...container };
    if (value !== undefined) defineOwnProperty(copy, token, value);
    else if (Object.hasOwn(copy, token)) delete copy[token];
    else return undefined;
    return copy;
  }
  if (!Array.isArray(container)) return undefined;
  const items = [...(container as JsonArray)];
  const index = indexOf(items, token);
  if (index === undefined || index > items.length || (value === undefined && index === items.length))
    return undefined;
  if (value === undefined) items.splice(index, 1);
  else items[index] = value;
  return items;
}
