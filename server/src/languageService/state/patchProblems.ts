/**
 * What is wrong with a patch whatever Σ it meets. Σ_t isn't known where an example is written, so only what the patch
 * itself says counts: not what it leaves out, and not what depends on the rest of the object that it changes.
 */
import type { CompiledSchema } from '../../../../client/src/runtime/compiledSchema';
import { environmentWriteIn } from '../../../../client/src/runtime/environmentFields';
import { applyPatch } from '../../../../client/src/runtime/merge';
import { pointerIntoPatch } from '../../../../client/src/runtime/patchPointer';
import type { SchemaViolation } from '../../../../client/src/runtime/schemaViolation';
import { formatPointer, type JsonPath, parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { withoutEchoes } from './checkedSchema';
import { surelyFitsInPart } from './surelyFits';

/** A problem of a patch and its place in it. */
export interface PatchProblem {
  readonly kind: 'does-not-fit' | 'unknown-key' | 'deletes-required' | 'writer';
  readonly path: JsonPath;
  /** The value that isn't as it has to be, or the key that may not be there. */
  readonly at: 'key' | 'value';
  /** `/shelf_3 must be string, not number.` */
  readonly message: string;
  /** JSON Pointer into the schema of the rule; empty where that is not known. */
  readonly schemaLocation: string;
}

/** What a patch is held against. */
export interface PatchContext {
  readonly schema: StateSchema;
  readonly compiled: CompiledSchema;
}

/** Rules that forbid a key, which then is the place, not its value. */
const keyRules: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
]);

/** Rules of an object or a growing array that its own part in a patch can't tell of. */
const dependsOnRest: ReadonlySet<string> = new Set([
  'required',
  'dependentRequired',
  'dependencies',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'enum',
  'const',
]);

/** The problems of a patch, in the order in which the rules were checked. */
export function patchProblems(patch: JsonObject, context: PatchContext): readonly PatchProblem[] {
  const { schema, compiled } = context;
  const problems: PatchProblem[] = [];
  const write = schema.hasWriters ? environmentWriteIn(patch, schema) : undefined;
  if (write !== undefined) {
    const { path, schemaLocation } = write;
    const message = `${formatPointer(path)} may only be written by the environment.`;
    problems.push({ kind: 'writer', path, at: 'key', message, schemaLocation });
  }
  // Whatever Σ has besides, what the patch itself says is the same; so nothing else is looked at.
  const merged = applyPatch({}, patch, schema).state;
  const fitsAtSight = !deletes(patch) && surelyFitsInPart(schema, merged);
  const violations = fitsAtSight ? [] : compiled.violations(merged);
  const told = withoutEchoes(violations === 'exhausted' ? [] : violations, ({ path }) => formatPointer(path));
  for (const violation of told) {
    const problem = problemOf(violation, patch, merged, schema);
    if (problem !== undefined) problems.push(problem);
  }
  return [...problems, ...unknownDeletions(patch, schema)];
}

function problemOf(
  { path, schemaLocation, message }: SchemaViolation,
  patch: JsonObject,
  merged: JsonObject,
  schema: StateSchema,
): PatchProblem | undefined {
  const place = parsePointer(pointerIntoPatch(path, patch, merged)) ?? [];
  const location = parsePointer(schemaLocation) ?? [];
  const rule = location.at(-1) ?? '';
  const isKeyRule = keyRules.has(rule) || location.includes('propertyNames');
  if (place.length < path.length) {
    // A key that is missing from an item of an array, which the patch gives whole.
    const parent = path.slice(0, -1);
    const isItem = place.length === parent.length && isInArray(place, patch);
    if (!isItem || !requiredRules.has(rule)) return undefined;
    return { kind: 'does-not-fit', path: place, at: 'value', message, schemaLocation };
  }
  const value = valueAt(patch, place);
  if (!isInArray(place, patch)) {
    if (!isCertain(path, schemaLocation, schema)) return undefined;
    if (value === null) {
      const kind = 'deletes-required';
      return requiredRules.has(rule)
        ? { kind, path: place, at: 'value', message, schemaLocation }
        : undefined;
    }
    if (dependsOnRest.has(rule) && growsOrMerges(value, place, schema)) return undefined;
  }
  if (isKeyRule) return { kind: 'unknown-key', path: place, at: 'key', message, schemaLocation };
  return { kind: 'does-not-fit', path: place, at: 'value', message, schemaLocation };
}

const requiredRules: ReadonlySet<string> = new Set(['required', 'dependentRequired', 'dependencies']);

/** True for a value inside of an array, of which the patch has all. */
function isInArray(path: JsonPath, patch: JsonObject): boolean {
  return path.some((_token, index) => Array.isArray(valueAt(patch, path.slice(0, index))));
}

/** True where Σ' has more at this place than the patch says. */
function growsOrMerges(value: JsonValue | undefined, path: JsonPath, schema: StateSchema): boolean {
  if (isJsonObject(value)) return true;
  return Array.isArray(value) && schema.mergePolicyAt(path).merge !== 'replace';
}

/**
 * True for a rule that holds whatever else is in Σ': not one of an alternative, which depends on other keys. The rule
 * stands in a subschema of the value or, as those about keys do, in one of the object around it.
 */
function isCertain(path: JsonPath, schemaLocation: string, schema: StateSchema): boolean {
  const location = parsePointer(schemaLocation) ?? [];
  const candidates = new Set<string>();
  for (let length = location.length; length >= Math.max(0, location.length - 2); length--) {
    candidates.add(formatPointer(location.slice(0, length)));
  }
  const places = path.length === 0 ? [path] : [path, path.slice(0, -1)];
  return places.some((at) => certainPointersAt(schema, at).some((pointer) => candidates.has(pointer)));
}

function certainPointersAt(schema: StateSchema, path: JsonPath): readonly string[] {
  const certain = new Set(schema.certainSubschemasAt(path));
  const subschemas = schema.subschemasAt(path);
  return schema.pointersAt(path).filter((_pointer, index) => certain.has(subschemas[index] ?? true));
}

/** True where a patch sets a key to null. */
function deletes(patch: JsonObject): boolean {
  const pending: JsonValue[] = [patch];
  for (const value of pending) {
    if (value === null) return true;
    if (isJsonObject(value)) for (const child of Object.values(value)) pending.push(child);
  }
  return false;
}

/** Keys set to null which the schema doesn't know: they delete nothing, so that no rule speaks of them. */
function unknownDeletions(patch: JsonObject, schema: StateSchema): PatchProblem[] {
  const problems: PatchProblem[] = [];
  const pending: { readonly path: JsonPath; readonly value: JsonObject }[] = [{ path: [], value: patch }];
  for (const { path, value } of pending) {
    for (const [key, child] of Object.entries(value)) {
      const at = [...path, key];
      if (isJsonObject(child)) pending.push({ path: at, value: child });
      if (child !== null || !schema.certainSubschemasAt(at).includes(false)) continue;
      const message = `The schema has no key ${JSON.stringify(key)} here, so that there is nothing to delete.`;
      problems.push({ kind: 'unknown-key', path: at, at: 'key', message, schemaLocation: '' });
    }
  }
  return problems;
}
