/** Two fields that hold one fact, by what their names and descriptions say: guesses, and few. */
import { isJsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import type { SourceProperty } from '../../../../schemas/text/sourceTree';
import type { Finding } from '../finding';
import { fixIn, type SchemaContext } from './schemaContext';
import { keywordIn, type Subschema } from './subschemas';

/** `orderCount`, `order-count` and `Order_count` are `order_count`. */
function normalName(name: string): string {
  if (/^[a-z\d_]+$/.test(name)) return name;
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]+/g, '_')
    .toLowerCase();
}

/**
 * Pairs of properties of one object; each finding stands at one of the two. Of more than two with one name or one
 * description the first pair is reported.
 */
export function findSameFacts(
  context: SchemaContext,
  subschema: Subschema,
): readonly Finding<'state.same-fact'>[] {
  const properties = keywordIn(subschema, 'properties')?.node.properties;
  if (properties === undefined || properties.size < 2) return [];
  const byName = new Map<string, Group>();
  for (const [name, property] of properties) join(byName, normalName(name), { name, property });
  const byDescription = new Map<string, Group>();
  const found = new Map<Declared, string>();
  for (const group of byName.values()) {
    if (group.second !== undefined) found.set(group.second, sameName(group, group.second));
    const message = countOfOther(byName, group.first) ?? mirrorOfOther(byName, group.first);
    if (message !== undefined) found.set(group.first, message);
    else
      join(byDescription, group.first.property.node.properties?.get('description')?.node.value, group.first);
  }
  for (const [description, group] of byDescription) {
    // Short ones, such as "A flag.", describe many fields alike.
    if (group.second !== undefined && description.trim().split(/\s+/, 5).length === 5)
      found.set(group.second, sameDescription(group, group.second));
  }
  return [...found].map(([declared, message]) => findingAt(context, subschema, declared, message));
}

function findingAt(
  context: SchemaContext,
  subschema: Subschema,
  { name, property }: Declared,
  message: string,
): Finding<'state.same-fact'> {
  const { schema, editor } = context;
  const map = keywordIn(subschema, 'properties');
  return {
    code: 'state.same-fact',
    severity: 'hint',
    message,
    range: schema.lines.rangeOf(property.keyStart, property.keyEnd),
    fixes: () =>
      isRequired(subschema, name) || map === undefined
        ? []
        : fixIn(context, `Remove ${JSON.stringify(name)}`, [editor.remove(map.node, name)]),
  };
}

function isRequired(subschema: Subschema, name: string): boolean {
  const required = keywordIn(subschema, 'required')?.node.value;
  return Array.isArray(required) && required.includes(name);
}

interface Declared {
  readonly name: string;
  readonly property: SourceProperty;
}

/** Properties that have something in common. */
interface Group {
  readonly first: Declared;
  second: Declared | undefined;
  size: number;
}

/** Groups by their normal name. */
type ByName = ReadonlyMap<string, Group>;

/** Adds a property to the group of a text; anything else groups nothing. */
function join(groups: Map<string, Group>, text: unknown, declared: Declared): void {
  if (typeof text !== 'string') return;
  const group = groups.get(text);
  if (group === undefined) {
    groups.set(text, { first: declared, second: undefined, size: 1 });
  } else {
    group.second ??= declared;
    group.size++;
  }
}

function sameName({ first, size }: Group, { name }: Declared): string {
  const more = size > 2 ? `, like ${size - 2} more of that name,` : '';
  return `${JSON.stringify(name)} and ${JSON.stringify(first.name)}${more} seem to hold the same fact, and a patch may change one alone; keep one of them.`;
}

const counting = /^(?:(?:count|number|num|total|n)_(?:of_)?(?<after>.+)|(?<before>.+)_(?:count|total))$/;

function countOfOther(byName: ByName, { name, property }: Declared): string | undefined {
  if (!hasType(property, 'integer', 'number')) return undefined;
  const groups = counting.exec(normalName(name))?.groups;
  const counted = groups?.after ?? groups?.before;
  if (counted === undefined) return undefined;
  for (const candidate of [counted, `${counted}s`, `${counted}es`, counted.replace(/y$/, 'ies')]) {
    const other = byName.get(candidate)?.first;
    if (other === undefined || other.name === name || !hasType(other.property, 'array', 'object')) continue;
    return `${JSON.stringify(name)} can be told from ${JSON.stringify(other.name)}, and a patch may change one alone; leave it out, or check it by an x-invariants entry.`;
  }
  return undefined;
}

function mirrorOfOther(byName: ByName, { name, property }: Declared): string | undefined {
  if (!isMap(property)) return undefined;
  const [, first, word, second] = /^(.+)_(to|by|of|per)_(.+)$/.exec(normalName(name)) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const other = byName.get(`${second}_${word}_${first}`)?.first;
  // Reported at the later of the two.
  if (other === undefined || other.property.keyStart >= property.keyStart || !isMap(other.property))
    return undefined;
  return `${JSON.stringify(name)} and ${JSON.stringify(other.name)} hold the same pairs, once from each side, and a patch may change one alone; keep one of them.`;
}

function sameDescription({ first, size }: Group, { name }: Declared): string {
  const more = size > 2 ? `, and so have ${size - 2} more properties` : '';
  return `${JSON.stringify(name)} has the same description as ${JSON.stringify(first.name)}${more}; if they hold the same fact keep one of them, else say how they differ.`;
}

function hasType({ node }: SourceProperty, ...types: readonly string[]): boolean {
  const type = node.properties?.get('type')?.node.value;
  return typeof type === 'string' && types.includes(type);
}

/** An object whose values are texts or numbers by free keys. */
function isMap(property: SourceProperty): boolean {
  const values = property.node.properties?.get('additionalProperties')?.node.value;
  if (!hasType(property, 'object') || !isJsonObject(values)) return false;
  const type = ownProperty(values, 'type');
  return type === 'string' || type === 'integer' || type === 'number';
}
