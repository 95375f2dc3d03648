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
  for (const subschema of context.subschemas.all) {
    if (!context.subschemas.isMerged(subschema.pointer)) continue;
    const { keyword, parent } = subschema;
    if (parent !== undefined && (keyword === 'properties' || keyword === 'additionalProperties'))
      findings.push(...conflictsOf(context, subschema, parent));
    const required = requiredDeletion(context, subschema);
    if (required !== undefined) findings.push(required);
  }
  return findings;
}

function conflictsOf(
  context: SchemaContext,
  property: Subschema,
  parent: Subschema,
): readonly DeletionFinding[] {
  const { schema } = context;
  const initial = keywordIn(property, 'default');
  const isNullable = allowsNull(context, property);
  if (!isNullable && initial === undefined) return [];
  const { name } = property;
  const isRequired = name !== undefined && requiredNames(parent).includes(name);
  const field = JSON.stringify(stateFieldName(property.pointer));
  const range = keyRangeOf(schema, property);
  const findings: DeletionFinding[] = [];
  if (isNullable) {
    const code = isRequired ? 'state.required-null' : 'state.null-deletes';
    const message = isRequired
      ? `${field} may be null, but a null in a patch deletes the key, which is required, so the patch is rejected; write "no value" in another way, such as an empty string.`
      : `${field} may be null, but no patch can make it so: a null in a patch deletes the key; leave null out of its types, and let a missing key say the same.`;
    findings.push({
      code,
      severity: deletionProblems[code],
      message,
      range,
      fixes: () => nullFixes(context, property),
    });
  }
  if (initial !== undefined && !isRequired && name !== undefined && initial.node.value !== null) {
    const code = 'state.default-deletion';
    findings.push({
      code,
      severity: deletionProblems[code],
      message: `A patch that sets ${field} to null deletes it, and its default does not come back: it counts for the initial state alone; list it in required to have such a patch rejected.`,
      range: schema.lines.rangeOf(initial.keyStart, initial.keyEnd),
      fixes: () => requiringFixes(context, property, parent),
    });
  }
  return findings;
}

function requiredDeletion({ schema }: SchemaContext, subschema: Subschema): DeletionFinding | undefined {
  const required = keywordIn(subschema, 'required');
  const properties = keywordIn(subschema, 'properties')?.node.value;
  if (required === undefined || !isJsonObject(properties)) return undefined;
  // What the environment alone may write, a model's patch can't delete anyway.
  const names = requiredNames(subschema).filter((name) => {
    const property = ownProperty(properties, name);
    return (
      property !== undefined &&
      !(isJsonObject(property) && ownProperty(property, 'x-writer') === 'environment')
    );
  });
  const [first] = names;
  if (first === undefined) return undefined;
  const listed =
    names.length === 1
      ? JSON.stringify(first)
      : `one of ${names
          .slice(0, 5)
          .map((name) => JSON.stringify(name))
          .join(', ')}${names.length > 5 ? ', …' : ''}`;
  const code = 'state.required-deletion';
  return {
    code,
    severity: deletionProblems[code],
    message: `A patch that sets ${listed} to null is rejected as a whole, and the model is asked again; say in the instructions what to write there instead.`,
    range: schema.lines.rangeOf(required.keyStart, required.keyEnd),
  };
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
  if (edits.length === 0 || keywordIn(property, 'default')?.node.value === null) return [];
  return fixIn(context, 'Leave null out of its types', edits, true);
}

function requiringFixes(context: SchemaContext, property: Subschema, parent: Subschema): readonly Fix[] {
  const { name } = property;
  if (name === undefined) return [];
  const { editor } = context;
  const required = keywordIn(parent, 'required');
  const names = [...requiredNames(parent), name];
  const edit =
    required === undefined
      ? editor.insert(parent.property.node, [['required', names]])
      : editor.setValue(required, names);
  return fixIn(context, `List ${JSON.stringify(name)} in required`, [edit]);
}
