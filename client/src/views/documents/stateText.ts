/** Σ as a text that differs between two steps only where the states do: keys in the schema's order, then by name. */

import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../../schemas/json/jsonValue';
import { type DeclaredKey, declaredKeysAt } from '../../../../schemas/state/declaredKeys';
import type { StateSchema } from '../../../../schemas/state/stateSchema';

/** How many levels are put in order; what lies deeper keeps the order that it has. */
const maxOrderedDepth = 200;

/** `shelf_2` goes before `shelf_10`, upper and lower case apart, in every locale alike. */
const byName = new Intl.Collator('en', { numeric: true, caseFirst: 'upper' });

/** Pretty JSON of a state, ended by a line end. Without a schema, keys are ordered by name alone. */
export function stateText(state: JsonObject, schema?: StateSchema): string {
  return jsonText(ordered(state, [], schema));
}

/** Pretty JSON of any value, its keys as they are. */
export function jsonText(value: JsonValue): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function ordered(value: JsonValue, path: JsonPath, schema: StateSchema | undefined): JsonValue {
  if (typeof value !== 'object' || value === null || path.length >= maxOrderedDepth) return value;
  if (Array.isArray(value)) {
    // The items of an array share their schema as a rule, so that the first one's path stands for all.
    return (value as readonly JsonValue[]).map((item) => ordered(item, [...path, '0'], schema));
  }
  if (!isJsonObject(value)) return value;
  const declared = schema === undefined ? [] : declaredKeysAt(schema, path);
  const result: Record<string, JsonValue> = {};
  for (const key of orderedKeys(value, declared)) {
    const member = value[key];
    if (member === undefined) continue;
    defineOwnProperty(result, key, ordered(member, [...path, key], schema));
  }
  return result;
}

/** Keys that look like array indices stand first in any JavaScript object, whatever is said here. */
function orderedKeys(object: JsonObject, declared: readonly DeclaredKey[]): readonly string[] {
  const first = declared.map(({ name }) => name).filter((name) => Object.hasOwn(object, name));
  const known = new Set(first);
  const others = Object.keys(object).filter((key) => !known.has(key));
  return [...first, ...others.sort(byKey)];
}

function byKey(a: string, b: string): number {
  return byName.compare(a, b) || (a < b ? -1 : 1);
}
