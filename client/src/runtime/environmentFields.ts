/** Writes of a patch to fields that belong to the environment (`x-writer: environment`). */
import { formatPointer, type JsonPath, parsePointer, valueAt } from '../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';
import { filesKeyword } from '../../../schemas/state/schemaBundle';
import { splitFragment } from '../../../schemas/state/schemaUri';
import type { StateSchema } from '../../../schemas/state/stateSchema';

export interface EnvironmentWrite {
  /** The place in the patch. */
  readonly path: JsonPath;
  /** JSON Pointer into the schema of the `x-writer` that forbids it. */
  readonly schemaLocation: string;
}

/**
 * The first write to a field of the environment: to the field, to something in it, or to an object around it that would
 * be deleted or replaced as a whole.
 */
export function environmentWriteIn(patch: JsonObject, schema: StateSchema): EnvironmentWrite | undefined {
  const pending: { readonly path: JsonPath; readonly value: JsonValue }[] = [{ path: [], value: patch }];
  // Appended to while it is read: outermost first.
  for (const { path, value } of pending) {
    if (schema.writerAt(path) === 'environment')
      return { path, schemaLocation: writerLocation(path, schema) };
    if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) pending.push({ path: [...path, key], value: child });
    } else {
      const keepsOthers = Array.isArray(value) && schema.mergePolicyAt(path).merge !== 'replace';
      const inside = keepsOthers ? undefined : environmentFieldBelow(path, schema);
      if (inside !== undefined) return { path, schemaLocation: inside };
      if (!Array.isArray(value)) continue;
      for (const [index, item] of (value as JsonArray).entries()) {
        if (typeof item === 'object' && item !== null)
          pending.push({ path: [...path, String(index)], value: item });
      }
    }
  }
  return undefined;
}

/** The `x-writer` that holds at a path, which may stand on an object around it. */
function writerLocation(path: JsonPath, schema: StateSchema): string {
  for (let length = path.length; length >= 0; length--) {
    const outer = path.slice(0, length);
    const pointers = schema.pointersAt(outer);
    const index = schema.subschemasAt(outer).findIndex(belongsToEnvironment);
    const pointer = pointers[index];
    if (pointer !== undefined) return pointer + formatPointer(['x-writer']);
  }
  return '';
}

function belongsToEnvironment(subschema: JsonValue): boolean {
  return isJsonObject(subschema) && ownProperty(subschema, 'x-writer') === 'environment';
}

/** The location of an `x-writer: environment` of a property somewhere below a path; references into the schema are followed. */
function environmentFieldBelow(path: JsonPath, schema: StateSchema): string | undefined {
  const pending = schema
    .pointersAt(path)
    .map((pointer, index) => ({ pointer, subschema: schema.subschemasAt(path)[index] }));
  const seen = new Set<JsonValue>();
  for (const { pointer, subschema } of pending) {
    if (typeof subschema !== 'object' || subschema === null || seen.has(subschema)) continue;
    seen.add(subschema);
    if (belongsToEnvironment(subschema)) return `${pointer}/x-writer`;
    for (const [key, child] of Object.entries(subschema)) {
      // What another file says counts where a reference leads to it.
      if (key !== filesKeyword) pending.push({ pointer: pointer + formatPointer([key]), subschema: child });
    }
    const reference = isJsonObject(subschema) ? ownProperty(subschema, '$ref') : undefined;
    const target =
      typeof reference === 'string' && reference.startsWith('#')
        ? splitFragment(reference).fragment
        : undefined;
    const targetPath = target === undefined ? undefined : parsePointer(target);
    if (target !== undefined && targetPath !== undefined) {
      pending.push({ pointer: target, subschema: valueAt(schema.schema, targetPath) });
    }
  }
  return undefined;
}
