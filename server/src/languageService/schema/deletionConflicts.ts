/**
 * Where JSON Merge Patch's rule that null deletes a key (RFC 7386) meets what the schema says: a null that can't be
 * written, a required key that can't go, a default that doesn't come back.
 */
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import { isJsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { stateFieldName } from '../../../../schemas/state/stateFieldName';
import type { Severity } from '../../../../schemas/text/problem';
import type { Finding, Fix } from '../finding';
import { fixIn, type SchemaContext } from './schemaContext';
import { keyRangeOf, keywordIn, type Subschema } from './subschemas';

export const deletionProblems = {
  /** A property may be null, which no patch can make it. */
  'state.null-deletes': 'information',
  /** A required property may be null: a patch that says so is rejected. */
  'state.required-null': 'warning',
  /** Keys that a patch can try to delete and may not. */
  'state.required-deletion': 'hint',
  /** A value that begins with a default and can be deleted for good. */
  'state.default-deletion': 'hint',
} as const satisfies Record<`state.${string}`, Severity>;

type DeletionFinding = Finding<keyof typeof deletionProblems>;

/** Conflicts on properties that patches merge. What stands in a list is replaced with it, nulls included. */
export function findDeletionConflicts(context: SchemaContext): readonly DeletionFinding[] {
  const findings: DeletionFinding[] = [];
  const withDefaults = new Map<Subschema, Subschema[]>();
  const required: Subschema[] = [];
  for (const subschema of context.subschemas.all) {
    if (!context.subschemas.isMerged(subschema.pointer)) continue;
    const { keyword, parent } = subschema;
    if (parent !== undefined && (keyword === 'properties' || keyword === 'additionalProperties')) {
      if (allowsNull(context, subschema)) findings.push(nullConflict(context, subschema, parent));
      if (losesDefault(subschema, parent))
        withDefaults.set(parent, [...(withDefaults.get(parent) ?? []), subschema]);
    }
    if (deletableNames(subschema).length > 0) required.push(subschema);
  }
  for (const [parent, properties] of withDefaults)
    findings.push(...defaultDeletion(context, parent, properties));
  return [...findings, ...requiredDeletion(context, required)];
}

function isRequiredIn(parent: Subschema, name: string | undefined): boolean {
  return name !== undefined && requiredNames(parent).includes(name);
}

function nullConflict(context: SchemaContext, property: Subschema, parent: Subschema): DeletionFinding {
  const isRequired = isRequiredIn(parent, property.name);
  const field = JSON.stringify(stateFieldName(property.pointer));
  const code = isRequired ? 'state.required-null' : 'state.null-deletes';
  const message = isRequired
    ? `${field} may be null, but a null in a patch deletes the key, which is required, so the patch is rejected; write "no value" in another way, such as an empty string.`
    : `${field} may be null, but no patch can make it so: a null in a patch deletes the key; leave null out of its types, and let a missing key say the same.`;
  return {
    code,
    severity: deletionProblems[code],
    message,
    range: keyRangeOf(context.schema, property),
    fixes: () => nullFixes(context, property),
  };
}

function losesDefault(property: Subschema, parent: Subschema): boolean {
  const { name } = property;
  const initial = keywordIn(property, 'default')?.node.value ?? null;
  return initial !== null && name !== undefined && !isRequiredIn(parent, name);
}

/** One finding for the properties of an object, at the first default. */
function defaultDeletion(
  context: SchemaContext,
  parent: Subschema,
  properties: readonly Subschema[],
): readonly DeletionFinding[] {
  const [first] = properties;
  const initial = first && keywordIn(first, 'default');
  if (first === undefined || initial === undefined) return [];
  const code = 'state.default-deletion';
  const names = properties.flatMap(({ name }) => name ?? []);
  const isOne = names.length === 1;
  const subject = isOne ? JSON.stringify(stateFieldName(first.pointer)) : oneOf(names);
  return [
    {
      code,
      severity: deletionProblems[code],
      message: `A patch that sets ${subject} to null deletes it, and its default does not come back: it counts for the initial state alone; list ${isOne ? 'it' : 'them'} in required to have such a patch rejected.`,
      range: context.schema.lines.rangeOf(initial.keyStart, initial.keyEnd),
      fixes: () => requiringFixes(context, parent, names),
    },
  ];
}

/** One finding for a schema, at the first `required`: there is nothing to mend in it. */
function requiredDeletion(
  { schema }: SchemaContext,
  subschemas: readonly Subschema[],
): readonly DeletionFinding[] {
  const [first] = subschemas;
  const required = first && keywordIn(first, 'required');
  if (required === undefined) return [];
  const names = [...new Set(subschemas.flatMap(deletableNames))];
  const code = 'state.required-deletion';
  return [
    {
      code,
      severity: deletionProblems[code],
      message: `A patch that sets ${oneOf(names)} to null is rejected as a whole, and the model is asked again; say in the instructions what to write there instead.`,
      range: schema.lines.rangeOf(required.keyStart, required.keyEnd),
    },
  ];
}

/** `"a"`, or `one of "a", "b"`. */
function oneOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => JSON.stringify(name));
  if (names.length === 1) return shown.join();
  return `one of ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

/** The required keys that a patch can try to delete: not what the environment alone may write, nor what has one value. */
function deletableNames(subschema: Subschema): readonly string[] {
  const properties = keywordIn(subschema, 'properties')?.node.value;
  if (!isJsonObject(properties)) return [];
  return requiredNames(subschema).filter((name) => {
    const property = ownProperty(properties, name);
    if (!isJsonObject(property)) return property !== undefined;
    return ownProperty(property, 'x-writer') !== 'environment' && !Object.hasOwn(property, 'const');
  });
}

function requiredNames(subschema: Subschema): readonly string[] {
  const value = keywordIn(subschema, 'required')?.node.value;
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

/** How many references and branches are followed for one property. */
const maxFollowed = 50;

/** True where null is named: as a type, in `enum` or `const`, or by a branch. A schema without a type only doesn't exclude it. */
function allowsNull({ subschemas, schema }: SchemaContext, property: Subschema): boolean {
  if (namesNull(property)) return true;
  if (
    !['$ref', '$dynamicRef', 'anyOf', 'oneOf'].some((keyword) => keywordIn(property, keyword) !== undefined)
  )
    return false;
  const pending = [property.pointer];
  const seen = new Set<string>();
  for (
    let pointer = pending.pop();
    pointer !== undefined && seen.size < maxFollowed;
    pointer = pending.pop()
  ) {
    const subschema = subschemas.at(pointer);
    if (subschema === undefined || seen.has(pointer)) continue;
    seen.add(pointer);
    if (namesNull(subschema)) return true;
    pending.push(...(schema.references.get(pointer) ?? []));
    for (const keyword of ['anyOf', 'oneOf'])
      for (let index = (keywordIn(subschema, keyword)?.node.items?.length ?? 0) - 1; index >= 0; index--)
        pending.push(`${pointer}/${keyword}/${index}`);
  }
  return false;
}

function namesNull(subschema: Subschema): boolean {
  const type = keywordIn(subschema, 'type')?.node.value;
  const byType = type === undefined || includesNull(type, 'null');
  const listed = keywordIn(subschema, 'enum')?.node.value;
  if (listed !== undefined) return byType && includesNull(listed, null);
  const only = keywordIn(subschema, 'const');
  if (only !== undefined) return byType && only.node.value === null;
  return type !== undefined && byType;
}

function includesNull(value: JsonValue, meant: 'null' | null): boolean {
  return value === meant || (Array.isArray(value) && value.includes(meant));
}

/** Takes null out of the types, where they are written there. */
function nullFixes(context: SchemaContext, property: Subschema): readonly Fix[] {
  const { editor } = context;
  const type = keywordIn(property, 'type');
  const listed = keywordIn(property, 'enum');
  const edits = [];
  if (type !== undefined && Array.isArray(type.node.value)) {
    const others = type.node.value.filter((other) => other !== 'null');
    const [only] = others;
    if (only === undefined) return [];
    edits.push(editor.setValue(type, others.length === 1 ? only : others));
  }
  if (listed !== undefined && Array.isArray(listed.node.value) && listed.node.value.includes(null)) {
    const others = listed.node.value.filter((other) => other !== null);
    if (others.length === 0) return [];
    edits.push(editor.setValue(listed, others));
  }
  // A default of null would no longer fit.
  if (keywordIn(property, 'default')?.node.value === null) return [];
  if (edits.length === 0) return branchFixes(context, property);
  return fixIn(context, 'Leave null out of its types', edits, true);
}

/** Takes out the branch that says null and no more; the brackets stay, since what is beside them may be said twice. */
function branchFixes(context: SchemaContext, property: Subschema): readonly Fix[] {
  return ['anyOf', 'oneOf'].flatMap((keyword) => {
    const items = keywordIn(property, keyword)?.node.items ?? [];
    const index = items.findIndex(
      ({ properties, value }) => properties?.size === 1 && isJsonObject(value) && value.type === 'null',
    );
    const item = items[index];
    if (item === undefined || items.length < 2) return [];
    const edit = context.editor.removeItem(items, index);
    return fixIn(context, `Leave null out of ${keyword}`, [edit], true);
  });
}

function requiringFixes(context: SchemaContext, parent: Subschema, names: readonly string[]): readonly Fix[] {
  const { editor } = context;
  const required = keywordIn(parent, 'required');
  const listed = [...requiredNames(parent), ...names];
  const edit =
    required === undefined
      ? editor.insert(parent.property.node, [['required', listed]])
      : editor.setValue(required, listed);
  const [name] = names;
  const what = names.length === 1 ? JSON.stringify(name) : `the ${names.length} properties with a default`;
  return fixIn(context, `List ${what} in required`, [edit]);
}
