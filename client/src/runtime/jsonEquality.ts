/** Equality of JSON values, and a text that two equal values share. Neither recurses, so nesting cannot overflow the stack. */
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../schemas/json/jsonValue';

/** True where both are the same JSON value; the order of an object's keys does not count, `1` and `1.0` are one number. */
export function jsonEqual(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  const pending: [JsonValue, JsonValue][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (!pairItems(a as JsonArray, b as JsonArray, pending)) return false;
    } else if (isJsonObject(a) && isJsonObject(b)) {
      if (!pairMembers(a, b, pending)) return false;
    } else {
      return false;
    }
  }
  return true;
}

function pairItems(a: JsonArray, b: JsonArray, pending: [JsonValue, JsonValue][]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) pending.push([a[index] ?? null, b[index] ?? null]);
  return true;
}

function pairMembers(a: JsonObject, b: JsonObject, pending: [JsonValue, JsonValue][]): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    pending.push([a[key] ?? null, b[key] ?? null]);
  }
  return true;
}

/**
 * The same text for equal values and different texts for different ones, such as `{"a":1,"b":[]}`: keys sorted,
 * no spaces. For look-ups in a `Set` or `Map`.
 */
export function canonicalJson(value: JsonValue): string {
  const parts: string[] = [];
  // What is still to be written, last first: a value, or a text as it is.
  const pending: ({ readonly value: JsonValue } | string)[] = [{ value }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const current = next.value;
    if (Array.isArray(current)) {
      pending.push(']');
      for (let index = current.length - 1; index >= 0; index--) {
        pending.push({ value: current[index] ?? null });
        if (index > 0) pending.push(',');
      }
      parts.push('[');
    } else if (isJsonObject(current)) {
      pending.push('}');
      const keys = Object.keys(current).sort();
      for (let index = keys.length - 1; index >= 0; index--) {
        const key = keys[index] ?? '';
        pending.push({ value: current[key] ?? null }, `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
      }
      parts.push('{');
    } else {
      parts.push(JSON.stringify(current));
    }
  }
  return parts.join('');
}
