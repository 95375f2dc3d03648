/** The least value that a state schema allows at a place of Σ: what an author who adds a key begins with. */
import type { JsonPath } from '../json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../json/jsonValue';
import { sampleText } from './sampleText';
import type { StateSchema } from './stateSchema';

/** A schema that requires itself would never end. */
const maxDepth = 8;
const maxValues = 200;
const maxItems = 20;

/**
 * A value for a path of Σ: a constant, a default or the first allowed one where the schema names one, else the least of
 * its type with what is required in it. Undefined where the schema says nothing of the value's type.
 */
export function sampleValueAt(schema: StateSchema, path: JsonPath): JsonValue | undefined {
  let budget = maxValues;

  function sample(at: JsonPath, depth: number): JsonValue | undefined {
    if (budget-- <= 0 || depth > maxDepth) return undefined;
    const certain = schema.certainSubschemasAt(at).filter(isJsonObject);
    const all = schema.subschemasAt(at).filter(isJsonObject);
    const certainly = ofSubschemas(certain, at, depth);
    if (certainly !== undefined) return certainly;
    const branch = all.find((subschema) => !certain.includes(subschema) && saysValue(subschema));
    return branch && ofSubschemas([...certain, branch], at, depth);
  }

  function ofSubschemas(
    subschemas: readonly JsonObject[],
    at: JsonPath,
    depth: number,
  ): JsonValue | undefined {
    for (const keyword of ['const', 'default']) {
      const value = first(subschemas, keyword);
      if (value !== undefined) return value;
    }
    const allowed = first(subschemas, 'enum');
    if (Array.isArray(allowed)) return (allowed as readonly JsonValue[])[0];
    switch (typeOf(subschemas)) {
      case 'null':
        return null;
      case 'boolean':
        return false;
      case 'integer':
      case 'number':
        return leastNumber(subschemas);
      case 'string':
        return sampleText(subschemas);
      case 'array':
        return leastArray(subschemas, at, depth);
      case 'object':
        return leastObject(subschemas, at, depth);
      default:
        return undefined;
    }
  }

  function leastArray(subschemas: readonly JsonObject[], at: JsonPath, depth: number): JsonValue {
    const count = Math.min(maxItems, largest(subschemas, 'minItems') ?? 0);
    return Array.from({ length: count }, (_, index) => sample([...at, String(index)], depth + 1) ?? '');
  }

  function leastObject(subschemas: readonly JsonObject[], at: JsonPath, depth: number): JsonObject {
    const object: Record<string, JsonValue> = {};
    for (const subschema of subschemas) {
      const required = ownProperty(subschema, 'required');
      for (const name of Array.isArray(required) ? (required as readonly JsonValue[]) : []) {
        if (typeof name !== 'string' || Object.hasOwn(object, name)) continue;
        defineOwnProperty(object, name, sample([...at, name], depth + 1) ?? '');
      }
    }
    return object;
  }

  return sample(path, 0);
}

function saysValue(subschema: JsonObject): boolean {
  return ['type', 'const', 'enum', 'default', 'properties'].some((keyword) =>
    Object.hasOwn(subschema, keyword),
  );
}

function first(subschemas: readonly JsonObject[], keyword: string): JsonValue | undefined {
  for (const subschema of subschemas) {
    const value = ownProperty(subschema, keyword);
    if (value !== undefined) return value;
  }
  return undefined;
}

function largest(subschemas: readonly JsonObject[], keyword: string): number | undefined {
  const values = subschemas.map((subschema) => ownProperty(subschema, keyword));
  const numbers = values.filter((value) => typeof value === 'number');
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function typeOf(subschemas: readonly JsonObject[]): JsonValue | undefined {
  const type = first(subschemas, 'type');
  if (Array.isArray(type)) return (type as readonly JsonValue[]).find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  return first(subschemas, 'properties') === undefined ? undefined : 'object';
}

function leastNumber(subschemas: readonly JsonObject[]): number {
  const multiple = largest(subschemas, 'multipleOf');
  const minimum = largest(subschemas, 'minimum');
  const above = largest(subschemas, 'exclusiveMinimum');
  const maximum = first(subschemas, 'maximum');
  let least = Math.max(
    minimum ?? Number.NEGATIVE_INFINITY,
    above === undefined ? Number.NEGATIVE_INFINITY : above + 1,
  );
  if (least < 0 || least === Number.NEGATIVE_INFINITY) {
    least = typeof maximum === 'number' && maximum < 0 ? maximum : 0;
  }
  return multiple === undefined ? least : Math.ceil(least / multiple) * multiple;
}
