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

/** Pairs of properties of one object; each finding stands at one of the two. */
export function findSameFacts(
  context: SchemaContext,
  subschema: Subschema,
): readonly Finding<'state.same-fact'>[] {
  const properties = keywordIn(subschema, 'properties')?.node.properties;
  if (properties === undefined || properties.size < 2) return [];
  const byName = new Map<string, Declared>();
  for (const [name, property] of properties) {
    const normal = normalName(name);
    if (!byName.has(normal)) byName.set(normal, { name, property });
  }
  const byDescription = new Map<string, string>();
  const findings: Finding<'state.same-fact'>[] = [];
  for (const [name, property] of properties) {
    const declared = { name, property };
    const message =
      sameName(byName, declared) ??
      countOfOther(byName, declared) ??
      mirrorOfOther(byName, declared) ??
      sameDescription(byDescription, declared);
    if (message === undefined) continue;
    const { schema, editor } = context;
    const map = keywordIn(subschema, 'properties');
    findings.push({
      code: 'state.same-fact',
      severity: 'hint',
      message,
      range: schema.lines.rangeOf(property.keyStart, property.keyEnd),
      fixes: () =>
        isRequired(subschema, name) || map === undefined
          ? []
          : fixIn(context, `Remove ${JSON.stringify(name)}`, [editor.remove(map.node, name)]),
    });
  }
  return findings;
}

function isRequired(subschema: Subschema, name: string): boolean {
  const required = keywordIn(subschema, 'required')?.node.value;
  return Array.isArray(required) && required.includes(name);
}

interface Declared {
  readonly name: string;
  readonly property: SourceProperty;
}

/** The first property of each normal name. */
type ByName = ReadonlyMap<string, Declared>;

function sameName(byName: ByName, { name }: Declared): string | undefined {
  const other = byName.get(normalName(name))?.name;
  if (other === undefined || other === name) return undefined;
  return `${JSON.stringify(name)} and ${JSON.stringify(other)} seem to hold the same fact, and a patch may change one alone; keep one of them.`;
}

const counting = /^(?:(?:count|number|num|total|n)_(?:of_)?(?<after>.+)|(?<before>.+)_(?:count|total))$/;

function countOfOther(byName: ByName, { name, property }: Declared): string | undefined {
  const groups = counting.exec(normalName(name))?.groups;
  const counted = groups?.after ?? groups?.before;
  if (counted === undefined || !hasType(property, 'integer', 'number')) return undefined;
  for (const candidate of [counted, `${counted}s`, `${counted}es`, counted.replace(/y$/, 'ies')]) {
    const other = byName.get(candidate);
    if (other === undefined || other.name === name || !hasType(other.property, 'array', 'object')) continue;
    return `${JSON.stringify(name)} can be told from ${JSON.stringify(other.name)}, and a patch may change one alone; leave it out, or check it by an x-invariants entry.`;
  }
  return undefined;
}

function mirrorOfOther(byName: ByName, { name, property }: Declared): string | undefined {
  const [, first, word, second] = /^(.+)_(to|by|of|per)_(.+)$/.exec(normalName(name)) ?? [];
  if (first === undefined || second === undefined || !isMap(property)) return undefined;
  const other = byName.get(`${second}_${word}_${first}`);
  // Reported at the later of the two.
  if (other === undefined || other.property.keyStart >= property.keyStart || !isMap(other.property))
    return undefined;
  return `${JSON.stringify(name)} and ${JSON.stringify(other.name)} hold the same pairs, once from each side, and a patch may change one alone; keep one of them.`;
}

function sameDescription(
  byDescription: Map<string, string>,
  { name, property: { node } }: Declared,
): string | undefined {
  const description = node.properties?.get('description')?.node.value;
  if (typeof description !== 'string') return undefined;
  const other = byDescription.get(description);
  if (other === undefined) byDescription.set(description, name);
  // Short ones, such as "A flag.", describe many fields alike.
  return other === undefined || description.trim().split(/\s+/, 5).length < 5
    ? undefined
    : `${JSON.stringify(name)} has the same description as ${JSON.stringify(other)}; if they hold the same fact keep one of them, else say how they differ.`;
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
