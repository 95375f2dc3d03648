/** A state schema made ready for ajv: a copy whose every subschema is one object with a known place, and counted work. */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../schemas/json/jsonValue';

/**
 * The keyword that stands beside every reference of the copy. It counts how often references are followed, so that a
 * schema that refers to itself without end, or doubles with every level, cannot hold up the host.
 */
export const workKeyword = 'x-runtime-work';

export interface PreparedSchema {
  readonly schema: JsonObject | boolean;
  /** The JSON Pointer, into the original, of a subschema of the copy. */
  pointerOf(subschema: unknown): string | undefined;
}

/** Keywords whose value is data, not a schema. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose value maps names to schemas. */
const mapKeywords = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords whose value, or whose value's parts, may be the schema `false` without a rule of their own for it. */
const forbiddingKeywords = new Set([
  ...mapKeywords,
  'contains',
  'propertyNames',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
]);
const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

export function prepareSchema(original: JsonObject | boolean): PreparedSchema {
  const pointers = new WeakMap<object, string>();

  function copySchema(schema: JsonValue, path: JsonPath): JsonValue {
    if (Array.isArray(schema)) {
      return (schema as JsonArray).map((item, index) => copySchema(item, [...path, String(index)]));
    }
    if (!isJsonObject(schema)) return schema;
    const copy: Record<string, JsonValue> = {};
    pointers.set(copy, formatPointer(path));
    for (const [keyword, value] of Object.entries(schema)) {
      defineOwnProperty(copy, keyword, copyKeyword(keyword, value, [...path, keyword]));
    }
    if (referenceKeywords.some((keyword) => Object.hasOwn(schema, keyword))) copy[workKeyword] = true;
    return copy;
  }

  function copyKeyword(keyword: string, value: JsonValue, path: JsonPath): JsonValue {
    if (dataKeywords.has(keyword)) return value;
    const copyPart = (part: JsonValue, place: JsonPath): JsonValue =>
      part === false && forbiddingKeywords.has(keyword) ? forbidden(place) : copySchema(part, place);
    if (Array.isArray(value)) {
      return (value as JsonArray).map((item, index) => copyPart(item, [...path, String(index)]));
    }
    if (!mapKeywords.has(keyword) || !isJsonObject(value)) return copyPart(value, path);
    const copy: Record<string, JsonValue> = {};
    for (const [name, subschema] of Object.entries(value)) {
      defineOwnProperty(copy, name, copyPart(subschema, [...path, name]));
    }
    return copy;
  }

  /** `false` as an object, so that its errors know their place. */
  function forbidden(path: JsonPath): JsonObject {
    const copy = { not: {} };
    pointers.set(copy, formatPointer(path));
    return copy;
  }

  const schema = typeof original === 'boolean' ? original : (copySchema(original, []) as JsonObject);
  return {
    schema,
    pointerOf: (subschema) =>
      typeof subschema === 'object' && subschema !== null ? pointers.get(subschema) : undefined,
  };
}
