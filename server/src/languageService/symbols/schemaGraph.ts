/**
 * A state schema as the values that it describes: each node is one kind of value of Σ with all subschemas that hold
 * for it, so that properties which are the same key of the same objects count as one.
 */
import { formatPointer, type JsonPath, parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { DisjointSets } from './disjointSets';
import {
  additionalPlaces,
  entryOf,
  itemPlaces,
  type ObjectPlace,
  propertyPlaces,
  restPlaces,
  type SchemaPlace,
  wildcardPlaces,
} from './schemaPlaces';
import { referenceTargets } from './schemaReferences';

/** Bounds what a schema with many branches costs; none that anybody writes comes near. */
const maxPlaces = 256;
const maxNodes = 10_000;

/** Subschemas that speak of the same value, or of it under a condition. */
const inPlaceLists = ['allOf', 'anyOf', 'oneOf'] as const;
const inPlaceSchemas = ['if', 'then', 'else', 'not'] as const;
const inPlaceMaps = ['dependentSchemas', 'dependencies'] as const;
const inPlaceKeywords: ReadonlySet<string> = new Set([...inPlaceLists, ...inPlaceSchemas, ...inPlaceMaps]);

/** One kind of value of Σ. */
export class SchemaNode {
  readonly places: readonly SchemaPlace[];
  readonly #graph: SchemaGraph;
  readonly #children = new Map<string, SchemaNode | undefined>();
  #declared: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(graph: SchemaGraph, places: readonly SchemaPlace[]) {
    this.#graph = graph;
    this.places = places;
  }

  /** The declared properties, in the order of the schema, each with the JSON Pointers of its declarations. */
  get declared(): ReadonlyMap<string, readonly string[]> {
    if (this.#declared === undefined) {
      const declared = new Map<string, string[]>();
      for (const { pointer, schema } of this.places) {
        const properties = isJsonObject(schema) ? ownProperty(schema, 'properties') : undefined;
        if (!isJsonObject(properties)) continue;
        const prefix = `${pointer}/properties`;
        for (const name of Object.keys(properties)) {
          const at = prefix + formatPointer([name]);
          const others = declared.get(name);
          if (others === undefined) declared.set(name, [at]);
          else others.push(at);
        }
      }
      this.#declared = declared;
    }
    return this.#declared;
  }

  /** What the schema says of a property, declared or not; undefined where it says nothing. */
  property(name: string): SchemaNode | undefined {
    return this.#child(`property ${name}`, (place) => propertyPlaces(place, name));
  }

  /** What it says of a list's item; of the one at an index where that is given. */
  item(index?: number): SchemaNode | undefined {
    return this.#child(`item ${index ?? ''}`, (place) => itemPlaces(place, index));
  }

  /** What it says of a key that a placeholder stands for: any that isn't declared. */
  anyKey(): SchemaNode | undefined {
    return this.#child('any', wildcardPlaces);
  }

  /** Every value directly below this one that the schema tells from the others. */
  children(): SchemaNode[] {
    const children = [...this.declared.keys()].map((name) => this.property(name));
    const patterns = new Set<string>();
    let longest = 0;
    for (const { schema } of this.places) {
      if (!isJsonObject(schema)) continue;
      const sources = ownProperty(schema, 'patternProperties');
      for (const source of isJsonObject(sources) ? Object.keys(sources) : []) patterns.add(source);
      for (const keyword of ['prefixItems', 'items']) {
        const list = ownProperty(schema, keyword);
        if (Array.isArray(list)) longest = Math.max(longest, list.length);
      }
    }
    for (const source of patterns) {
      children.push(
        this.#child(`pattern ${source}`, ({ pointer, schema }) =>
          entryOf(pointer, schema, 'patternProperties', source),
        ),
      );
    }
    children.push(this.#child('additional', additionalPlaces), this.#child('rest', restPlaces));
    for (let index = 0; index < Math.min(longest, maxPlaces); index++) children.push(this.item(index));
    return children.filter((child) => child !== undefined);
  }

  /** True where a type that the schema names for this value is one of these. */
  hasType(...types: readonly string[]): boolean {
    return this.places.some(({ schema }) => {
      const type = isJsonObject(schema) ? ownProperty(schema, 'type') : undefined;
      return Array.isArray(type)
        ? type.some((one) => types.includes(String(one)))
        : types.includes(String(type));
    });
  }

  #child(key: string, find: (place: ObjectPlace) => readonly SchemaPlace[]) {
    if (!this.#children.has(key)) {
      const starts: SchemaPlace[] = [];
      for (const place of this.places) if (isObjectPlace(place)) starts.push(...find(place));
      this.#children.set(key, this.#graph.nodeOf(starts));
    }
    return this.#children.get(key);
  }
}

function isObjectPlace(place: SchemaPlace): place is ObjectPlace {
  return isJsonObject(place.schema);
}

/** All that a schema describes, and which of its declarations mean the same property. */
export class SchemaGraph {
  readonly schema: StateSchema;
  readonly root: SchemaNode;
  readonly #nodes = new Map<string, SchemaNode>();
  #walked: Walked | undefined;
  #tables: Tables | undefined;

  constructor(schema: StateSchema) {
    this.schema = schema;
    this.root = this.nodeOf([{ pointer: '', schema: schema.schema }]) ?? new SchemaNode(this, []);
  }

  /** The node of the values for which some subschemas hold; undefined for none. */
  nodeOf(starts: readonly SchemaPlace[]): SchemaNode | undefined {
    const places = this.#expand(starts);
    if (places.length === 0) return undefined;
    const [first] = places;
    const key =
      places.length === 1 && first ? first.pointer : places.map(({ pointer }) => pointer).join('\n');
    let node = this.#nodes.get(key);
    if (node === undefined) {
      if (this.#nodes.size >= maxNodes) this.#nodes.clear();
      node = new SchemaNode(this, places);
      this.#nodes.set(key, node);
    }
    return node;
  }

  /** Every node that can be reached from the root or, for definitions that nothing uses, from those. */
  get nodes(): readonly SchemaNode[] {
    return this.#all.nodes;
  }

  /** The property that a declaration is of: one JSON Pointer for all declarations of the same. */
  propertyOf(declaration: string): string {
    return this.#all.properties.representative(declaration);
  }

  /** The property that a subschema means where it only names it, as in `required`; undefined for one not declared. */
  propertyNamedIn(pointer: string, name: string): string | undefined {
    const mention = mentionKey(pointer, name);
    return this.#all.properties.has(mention) ? this.#all.properties.representative(mention) : undefined;
  }

  /** The declarations of a property. */
  declarationsOf(property: string): readonly string[] {
    return this.#lists.declarations.get(property) ?? [];
  }

  /** The nodes whose objects have a property. */
  nodesWith(property: string): readonly SchemaNode[] {
    return this.#lists.owners.get(property) ?? [];
  }

  /** The properties of a node by name: one, but for placeholders that stand for several keys. */
  propertiesOf(node: SchemaNode, name: string): readonly string[] {
    return [...new Set((node.declared.get(name) ?? []).map((declaration) => this.propertyOf(declaration)))];
  }

  /** All properties that bear a name, wherever. */
  propertiesNamed(name: string): readonly string[] {
    return this.#lists.byName.get(name) ?? [];
  }

  /** The names of all properties. */
  get propertyNames(): Iterable<string> {
    return this.#lists.byName.keys();
  }

  get #all(): Walked {
    this.#walked ??= walk(this);
    return this.#walked;
  }

  get #lists(): Tables {
    this.#tables ??= tablesOf(this.#all);
    return this.#tables;
  }

  #expand(starts: readonly SchemaPlace[]): readonly SchemaPlace[] {
    const [only] = starts;
    if (only === undefined || (starts.length === 1 && this.#isAlone(only))) return starts;
    const found = new Map<string, SchemaPlace>();
    const pending = [...starts].reverse();
    for (let place = pending.pop(); place !== undefined && found.size < maxPlaces; place = pending.pop()) {
      if (found.has(place.pointer)) continue;
      found.set(place.pointer, place);
      pending.push(...this.#inPlace(place).reverse());
    }
    return [...found.values()];
  }

  /** Whether nothing else holds where a subschema does, as of most. */
  #isAlone({ pointer, schema }: SchemaPlace): boolean {
    if (!isJsonObject(schema)) return true;
    if (referenceTargets(this.schema, pointer).length > 0) return false;
    for (const keyword in schema) if (inPlaceKeywords.has(keyword)) return false;
    return true;
  }

  #inPlace({ pointer, schema }: SchemaPlace): SchemaPlace[] {
    if (!isJsonObject(schema)) return [];
    const places: SchemaPlace[] = [];
    for (const target of referenceTargets(this.schema, pointer)) {
      const value = valueAt(this.schema.schema, parsePointer(target) ?? []);
      if (value !== undefined) places.push({ pointer: target, schema: value });
    }
    for (const keyword of inPlaceLists) {
      const list = ownProperty(schema, keyword);
      if (!Array.isArray(list)) continue;
      list.slice(0, maxPlaces).forEach((item: JsonValue, index) => {
        places.push({ pointer: `${pointer}/${keyword}/${index}`, schema: item });
      });
    }
    for (const keyword of inPlaceSchemas) {
      const value = ownProperty(schema, keyword);
      if (isJsonObject(value)) places.push({ pointer: `${pointer}/${keyword}`, schema: value });
    }
    for (const keyword of inPlaceMaps) {
      const map = ownProperty(schema, keyword);
      for (const [name, value] of isJsonObject(map) ? Object.entries(map) : []) {
        if (isJsonObject(value))
          places.push({ pointer: pointer + formatPointer([keyword, name]), schema: value });
      }
    }
    return places;
  }
}

const graphs = new WeakMap<StateSchema, SchemaGraph>();

/** The graph of a schema, made once. */
export function graphOf(schema: StateSchema): SchemaGraph {
  let graph = graphs.get(schema);
  if (graph === undefined) {
    graph = new SchemaGraph(schema);
    graphs.set(schema, graph);
  }
  return graph;
}

interface Walked {
  readonly nodes: readonly SchemaNode[];
  readonly properties: DisjointSets;
}

/** What is looked up by property or name; diagnostics do without. */
interface Tables {
  readonly declarations: ReadonlyMap<string, readonly string[]>;
  readonly owners: ReadonlyMap<string, readonly SchemaNode[]>;
  readonly byName: ReadonlyMap<string, readonly string[]>;
}

function walk(graph: SchemaGraph): Walked {
  const nodes = new Set<SchemaNode>();
  const seenDeclarations = new Set<string>();
  const visit = (start: SchemaNode | undefined) => {
    const pending = start === undefined ? [] : [start];
    for (let node = pending.pop(); node !== undefined && nodes.size < maxNodes; node = pending.pop()) {
      if (nodes.has(node)) continue;
      nodes.add(node);
      for (const declarations of node.declared.values())
        for (const declaration of declarations) seenDeclarations.add(declaration);
      pending.push(...node.children().reverse());
    }
  };
  visit(graph.root);
  const { declaredProperties, parts } = graph.schema;
  for (const { pointer } of [declaredProperties, ...parts.map((part) => part.declaredProperties)].flat()) {
    if (seenDeclarations.has(pointer)) continue;
    const path = parsePointer(pointer) ?? [];
    if (path.at(-2) !== 'properties') continue;
    visit(nodeAt(graph, path.slice(0, -2)));
  }
  const properties = new DisjointSets();
  for (const node of nodes) {
    for (const declarations of node.declared.values())
      if (declarations.length > 1) properties.join(declarations);
    for (const { pointer, schema } of node.places) {
      for (const name of mentionedNames(schema)) {
        const declarations = node.declared.get(name);
        if (declarations !== undefined) properties.join([...declarations, mentionKey(pointer, name)]);
      }
    }
  }
  return { nodes: [...nodes], properties };
}

function tablesOf({ nodes, properties }: Walked): Tables {
  const declarations = new Map<string, Set<string>>();
  const owners = new Map<string, Set<SchemaNode>>();
  const byName = new Map<string, Set<string>>();
  for (const node of nodes) {
    for (const [name, pointers] of node.declared) {
      for (const pointer of pointers) {
        const property = properties.representative(pointer);
        setOf(declarations, property).add(pointer);
        setOf(owners, property).add(node);
        setOf(byName, name).add(property);
      }
    }
  }
  return {
    declarations: listsOf(declarations),
    owners: listsOf(owners),
    byName: listsOf(byName),
  };
}

function nodeAt(graph: SchemaGraph, path: JsonPath): SchemaNode | undefined {
  const schema = valueAt(graph.schema.schema, path);
  return schema === undefined ? undefined : graph.nodeOf([{ pointer: formatPointer(path), schema }]);
}

function mentionKey(pointer: string, name: string): string {
  return `named ${JSON.stringify(name)} in ${pointer}`;
}

/** The property names that a subschema mentions without declaring them. */
function mentionedNames(schema: JsonValue): string[] {
  if (!isJsonObject(schema)) return [];
  const lists: JsonValue[] = [ownProperty(schema, 'required') ?? []];
  const names: string[] = [];
  for (const keyword of ['dependentRequired', 'dependencies', 'dependentSchemas']) {
    const map = ownProperty(schema, keyword);
    if (!isJsonObject(map)) continue;
    for (const [name, list] of Object.entries(map)) {
      names.push(name);
      lists.push(list);
    }
  }
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const name of list) if (typeof name === 'string') names.push(name);
  }
  return names;
}

function setOf<Value>(map: Map<string, Set<Value>>, key: string): Set<Value> {
  let set = map.get(key);
  if (set === undefined) {
    set = new Set();
    map.set(key, set);
  }
  return set;
}

function listsOf<Value>(map: ReadonlyMap<string, ReadonlySet<Value>>): Map<string, readonly Value[]> {
  return new Map([...map].map(([key, set]) => [key, [...set]]));
}
