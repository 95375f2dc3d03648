/** The names that a state schema declares beforehand, though Σ may not contain them yet. */
import type { JsonArray, JsonValue } from '../../../schemas/json/jsonValue';
import { isJsonObject, ownProperty } from '../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import { compilePattern, type SafePattern } from '../../../schemas/text/safePattern';

/** Tells whether a name is declared, be it listed (in upper or lower case) or by a pattern such as `^shelf_\d+$`. */
export interface DeclaredNames {
  has(name: string): boolean;
}

const cache = new WeakMap<StateSchema, DeclaredNames>();

/**
 * The strings and numbers in `enum` and `const`, and the keys that `patternProperties` and `propertyNames` allow by
 * pattern or by name.
 */
export function declaredNames(stateSchema: StateSchema): DeclaredNames {
  const known = cache.get(stateSchema);
  if (known !== undefined) return known;
  const declared = collect(stateSchema.schema);
  cache.set(stateSchema, declared);
  return declared;
}

function collect(schema: JsonValue): DeclaredNames {
  const names = new Set<string>();
  const patterns: SafePattern[] = [];
  const addName = (value: JsonValue | undefined): void => {
    if (typeof value === 'string' || typeof value === 'number') names.add(String(value).toLowerCase());
  };
  const addPattern = (source: JsonValue | undefined): void => {
    const compiled = typeof source === 'string' ? compilePattern(source) : undefined;
    if (compiled?.ok) patterns.push(compiled);
  };
  const pending: JsonValue[] = [schema];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as JsonArray) pending.push(item);
      continue;
    }
    if (!isJsonObject(value)) continue;
    const listed = ownProperty(value, 'enum');
    if (Array.isArray(listed)) for (const name of listed as JsonArray) addName(name);
    addName(ownProperty(value, 'const'));
    const keyPatterns = ownProperty(value, 'patternProperties');
    if (isJsonObject(keyPatterns)) for (const pattern of Object.keys(keyPatterns)) addPattern(pattern);
    const propertyNames = ownProperty(value, 'propertyNames');
    if (isJsonObject(propertyNames)) addPattern(ownProperty(propertyNames, 'pattern'));
    for (const child of Object.values(value)) pending.push(child);
  }
  return { has: (name) => names.has(name.toLowerCase()) || patterns.some((pattern) => pattern.test(name)) };
}
