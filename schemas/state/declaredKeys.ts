/** The keys that a state schema declares for an object of Σ. */
import type { JsonPath } from '../json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import type { StateSchema } from './stateSchema';

/** A key of an object of Σ that the schema names. */
export interface DeclaredKey {
  readonly name: string;
  /** True where an object without it doesn't fit, whatever its other keys are. */
  readonly required: boolean;
  /** True where only some alternative of the schema (`anyOf`, `oneOf`, a condition) declares it. */
  readonly optionalBranch: boolean;
}

/** The named keys of the object at a path of Σ, in the order of the schema. */
export function declaredKeysAt(schema: StateSchema, path: JsonPath): readonly DeclaredKey[] {
  const certain = new Set(schema.certainSubschemasAt(path));
  const required = new Set<string>();
  const names = new Map<string, boolean>();
  for (const subschema of schema.subschemasAt(path)) {
    if (!isJsonObject(subschema)) continue;
    const isCertain = certain.has(subschema);
    const properties = ownProperty(subschema, 'properties');
    for (const [name, value] of isJsonObject(properties) ? Object.entries(properties) : []) {
      if (value !== false) names.set(name, names.get(name) === true || isCertain);
    }
    const list = isCertain ? ownProperty(subschema, 'required') : undefined;
    for (const name of Array.isArray(list) ? (list as readonly JsonValue[]) : []) {
      if (typeof name !== 'string') continue;
      required.add(name);
      names.set(name, names.get(name) ?? true);
    }
  }
  return [...names].map(([name, isCertain]) => ({
    name,
    required: required.has(name),
    optionalBranch: !isCertain,
  }));
}
