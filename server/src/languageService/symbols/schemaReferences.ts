/** Where the references of a state schema lead. The one place that knows how, for navigation and renames. */
import type { StateSchema } from '../../../../schemas/state/stateSchema';

/** JSON Pointers of the subschemas that `$ref` and `$dynamicRef` of the one at a pointer lead to. */
export function referenceTargets(schema: StateSchema, pointer: string): readonly string[] {
  return schema.references.get(pointer) ?? [];
}

/** JSON Pointers of all subschemas with a reference that leads somewhere. */
export function referringPointers(schema: StateSchema): Iterable<string> {
  return schema.references.keys();
}
