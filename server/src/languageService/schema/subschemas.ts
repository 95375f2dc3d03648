/** The subschemas of a schema's text, each once, and which of them describe values that patches merge key by key. */
import { formatPointer, parsePointer } from '../../../../schemas/json/jsonPointer';
import { keywordsOf } from '../../../../schemas/state/schemaKeywords';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { propertyAt, type SourceNode, type SourceProperty } from '../../../../schemas/text/sourceTree';

/** A subschema in the text. */
export interface Subschema {
  readonly pointer: string;
  /** Its key, and its place. */
  readonly property: SourceProperty;
  /** The subschema that it stands in; undefined for the root and what only a reference leads to. */
  readonly parent: Subschema | undefined;
  /** The keyword of the parent, such as `properties`; empty for the root. */
  readonly keyword: string;
  /** The property or pattern, where the keyword's value is a map. */
  readonly name: string | undefined;
}

/** What is known of a schema's subschemas. */
export interface Subschemas {
  /** In the order of the text; what a YAML alias repeats stands there once. */
  readonly all: readonly Subschema[];
  at(pointer: string): Subschema | undefined;
  /**
   * True where a patch can reach the value by its keys: from the root through objects. The items of a list are none of
   * these, since a patch replaces or extends the list as a whole.
   */
  isMerged(pointer: string): boolean;
}

const kept = new WeakMap<StateSchema, Subschemas>();

/** How many are looked at; a schema with more is refused anyway. */
const maxSubschemas = 4_000;

/** Keywords that lead to the value of a key, or to other parts that describe the same value. */
const mergedKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'dependentSchemas',
]);

/** The subschemas of a schema, found once. */
export function subschemasOf(schema: StateSchema): Subschemas {
  let found = kept.get(schema);
  if (found === undefined) {
    found = collect(schema);
    kept.set(schema, found);
  }
  return found;
}

function collect(schema: StateSchema): Subschemas {
  const { source, dialect, references } = schema;
  const all: Subschema[] = [];
  const byPointer = new Map<string, Subschema>();
  const children = new Map<string, Subschema[]>();
  const written = new Set<object>();
  const kinds = keywordsOf(dialect);

  const walk = (root: Subschema): void => {
    const pending = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (byPointer.has(next.pointer) || byPointer.size >= maxSubschemas) continue;
      byPointer.set(next.pointer, next);
      // An alias has the very properties of its anchor.
      const { node } = next.property;
      const own = node.properties ?? node;
      if (!written.has(own)) all.push(next);
      written.add(own);
      const inner = childrenOf(next, kinds);
      children.set(next.pointer, inner);
      for (let index = inner.length - 1; index >= 0; index--) {
        const child = inner[index];
        if (child !== undefined) pending.push(child);
      }
    }
  };
  if (source !== undefined) {
    const property = { keyStart: source.start, keyEnd: source.end, node: source };
    walk({ pointer: '', property, parent: undefined, keyword: '', name: undefined });
    for (const target of [...references.values()].flat()) {
      const found = byPointer.has(target) ? undefined : propertyAt(source, parsePointer(target) ?? []);
      if (found !== undefined)
        walk({ pointer: target, property: found, parent: undefined, keyword: '', name: undefined });
    }
  }

  let merged: ReadonlySet<string> | undefined;
  const findMerged = (): ReadonlySet<string> => {
    const reached = new Set<string>();
    const pending = [''];
    for (let pointer = pending.pop(); pointer !== undefined; pointer = pending.pop()) {
      if (reached.has(pointer)) continue;
      reached.add(pointer);
      pending.push(...(references.get(pointer) ?? []));
      for (const child of children.get(pointer) ?? [])
        if (mergedKeywords.has(child.keyword)) pending.push(child.pointer);
    }
    return reached;
  };
  return {
    all,
    at: (pointer) => byPointer.get(pointer),
    isMerged(pointer) {
      merged ??= findMerged();
      return merged.has(pointer);
    },
  };
}

function childrenOf(parent: Subschema, kinds: ReturnType<typeof keywordsOf>): Subschema[] {
  const children: Subschema[] = [];
  const add = (
    keyword: string,
    name: string | undefined,
    token: string | undefined,
    property: SourceProperty,
  ) => {
    if (!isSchema(property.node)) return;
    const pointer = `${parent.pointer}/${keyword}${token === undefined ? '' : formatPointer([token])}`;
    children.push({ pointer, property, parent, keyword, name });
  };
  for (const [keyword, property] of parent.property.node.properties ?? []) {
    const kind = kinds.get(keyword);
    if (kind === 'schema' || (kind === 'schema-or-schema-array' && property.node.items === undefined)) {
      add(keyword, undefined, undefined, property);
    } else if (kind === 'schema-array' || kind === 'schema-or-schema-array') {
      property.node.items?.forEach((node, index) => {
        add(keyword, undefined, String(index), { keyStart: node.start, keyEnd: node.end, node });
      });
    } else if (kind === 'schema-map' || kind === 'pattern-schema-map' || kind === 'dependencies') {
      for (const [name, entry] of property.node.properties ?? []) add(keyword, name, name, entry);
    }
  }
  return children;
}

function isSchema(node: SourceNode): boolean {
  return node.properties !== undefined || typeof node.value === 'boolean';
}

/** The keyword of a subschema; undefined where it hasn't that keyword. */
export function keywordIn({ property }: Subschema, keyword: string): SourceProperty | undefined {
  return property.node.properties?.get(keyword);
}

/** The types that a subschema names; undefined where it names none. */
export function typesIn(subschema: Subschema): readonly string[] | undefined {
  const value = keywordIn(subschema, 'type')?.node.value;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((type): type is string => typeof type === 'string') : undefined;
}

/** Where a finding on a subschema stands: at its type, else at its key; the root's key is its first keyword. */
export function rangeOfSubschema(schema: StateSchema, subschema: Subschema) {
  const { property, pointer } = subschema;
  const type = keywordIn(subschema, 'type');
  if (type !== undefined && type.node.start < type.node.end)
    return schema.lines.rangeOf(type.node.start, type.node.end);
  const [first] = property.node.properties?.values() ?? [];
  const isKeyed = pointer !== '' && property.keyStart !== property.node.start;
  const place = isKeyed || first === undefined ? property : first;
  return schema.lines.rangeOf(place.keyStart, place.keyEnd);
}

/** Where the key of a subschema stands. */
export function keyRangeOf(schema: StateSchema, { property }: Subschema) {
  return schema.lines.rangeOf(property.keyStart, property.keyEnd);
}
