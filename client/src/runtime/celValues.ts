/** JSON values as CEL takes them, and back. */
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../schemas/json/jsonValue';

/** Objects become maps, so that a key such as `constructor` is only a key; integers become CEL's int, other numbers double. */
export type CelValue = string | number | bigint | boolean | null | CelValue[] | Map<string, CelValue>;

/** Of an immutable value the parts are converted once: Σ' shares most of them with Σ. */
const converted = new WeakMap<object, CelValue>();

export function toCel(value: JsonValue): CelValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const known = converted.get(value);
  if (known !== undefined) return known;
  const result: CelValue = isJsonObject(value)
    ? new Map(Object.entries(value).map(([key, child]) => [key, toCel(child)]))
    : (value as JsonArray).map(toCel);
  converted.set(value, result);
  return result;
}

/** A result as JSON; what JSON has no type for (timestamps, durations, bytes, types) becomes a text. */
export function fromCel(value: unknown): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Set) return [...value].map(fromCel);
  const entries =
    value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : undefined;
  if (entries === undefined) return String(value);
  const object: Record<string, JsonValue> = {};
  for (const [key, child] of entries) defineOwnProperty(object, String(key), fromCel(child));
  return object satisfies JsonObject;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
