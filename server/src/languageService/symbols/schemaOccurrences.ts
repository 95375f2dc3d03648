/** The names in a state schema's text: properties, definitions, anchors, and the references to them. */
import { formatPointer, type JsonPath, parsePointer } from '../../../../schemas/json/jsonPointer';
import { splitFragment } from '../../../../schemas/state/schemaUri';
import {
  childOf,
  propertyAt,
  type SourceNode,
  type SourceProperty,
} from '../../../../schemas/text/sourceTree';
import { readData } from './dataOccurrences';
import { propertiesNamedIn } from './invariantPaths';
import type { SkillSymbol, SymbolFile, SymbolSink, Writing } from './occurrence';
import { rewrittenScalar, scalarTextOf } from './scalarText';
import type { SchemaGraph, SchemaNode } from './schemaGraph';
import { referenceTargets } from './schemaReferences';

/** Finds the names in the schema file that a graph was made of. */
export function readSchemaNames(
  file: SymbolFile,
  graph: SchemaGraph,
  format: 'yaml' | 'json',
  sink: SymbolSink,
): void {
  const root = graph.schema.source;
  if (root !== undefined) new SchemaReader(file, graph, format, sink, root).read();
}

const definitionKeywords = ['$defs', 'definitions'];
const nameMaps = ['dependentRequired', 'dependencies', 'dependentSchemas'];

class SchemaReader {
  readonly #file: SymbolFile;
  readonly #graph: SchemaGraph;
  readonly #format: 'yaml' | 'json';
  readonly #sink: SymbolSink;
  readonly #root: SourceNode;

  constructor(
    file: SymbolFile,
    graph: SchemaGraph,
    format: 'yaml' | 'json',
    sink: SymbolSink,
    root: SourceNode,
  ) {
    this.#file = file;
    this.#graph = graph;
    this.#format = format;
    this.#sink = sink;
    this.#root = root;
  }

  read(): void {
    const nodesAt = new Map<string, SchemaNode[]>();
    for (const node of this.#graph.nodes) {
      for (const { pointer } of node.places) {
        const nodes = nodesAt.get(pointer);
        if (nodes === undefined) nodesAt.set(pointer, [node]);
        else nodes.push(node);
      }
    }
    for (const [pointer, nodes] of nodesAt) {
      const path = parsePointer(pointer) ?? [];
      const source = propertyAt(this.#root, path)?.node;
      if (source?.properties !== undefined) this.#subschema(pointer, source, nodes);
    }
    this.#definitions();
    this.#invariants();
  }

  #subschema(pointer: string, source: SourceNode, nodes: readonly SchemaNode[]): void {
    const properties = source.properties?.get('properties')?.node.properties;
    for (const [name, property] of properties ?? []) {
      const id = this.#graph.propertyOf(pointer + formatPointer(['properties', name]));
      this.#key({ kind: 'field', id }, property, 'declaration', properties);
    }
    this.#nameList(pointer, source.properties?.get('required')?.node);
    for (const keyword of nameMaps) {
      const map = source.properties?.get(keyword)?.node.properties;
      for (const [name, property] of map ?? []) {
        const id = this.#graph.propertyNamedIn(pointer, name);
        if (id !== undefined) this.#key({ kind: 'field', id }, property, 'reference', map);
        this.#nameList(pointer, property.node);
      }
    }
    for (const keyword of ['default', 'const']) this.#data(source.properties?.get(keyword)?.node, nodes);
    for (const keyword of ['examples', 'enum']) {
      for (const item of source.properties?.get(keyword)?.node.items ?? []) this.#data(item, nodes);
    }
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = source.properties?.get(keyword);
      if (typeof reference?.node.value === 'string') this.#reference(pointer, reference);
    }
    this.#anchor(pointer, source);
  }

  #nameList(pointer: string, list: SourceNode | undefined): void {
    for (const { value, start, end } of list?.items ?? []) {
      const id = typeof value === 'string' ? this.#graph.propertyNamedIn(pointer, value) : undefined;
      if (id !== undefined) this.#scalar({ kind: 'field', id }, start, end, 'reference');
    }
  }

  #data(source: SourceNode | undefined, nodes: readonly SchemaNode[]): void {
    if (source === undefined) return;
    for (const node of nodes) {
      readData(
        { file: this.#file, offset: 0, source, format: this.#format, graph: this.#graph, node },
        this.#sink,
      );
    }
  }

  /** A fragment is a pointer, of which each name is one of the schema's, or an anchor. */
  #reference(pointer: string, { node }: SourceProperty): void {
    const scalar = scalarTextOf(this.#file.text, node);
    for (const target of referenceTargets(this.#graph.schema, pointer)) {
      const found = propertyAt(this.#root, parsePointer(target) ?? []);
      if (found === undefined) continue;
      const { start, end } = node;
      const place = { uri: this.#file.uri, start: found.keyStart, end: found.keyEnd };
      this.#sink.link({ uri: this.#file.uri, start, end, target: place });
    }
    const hash = scalar.text.indexOf('#');
    const fragment = scalar.text.slice(hash + 1);
    if (hash === -1 || fragment === '') return;
    const [target] = referenceTargets(this.#graph.schema, pointer);
    if (target === undefined) return;
    if (!fragment.startsWith('/')) {
      const anchor: SkillSymbol = { kind: 'anchor', id: `${target} ${decoded(fragment)}` };
      this.#token(anchor, scalar.placeOf(hash + 1, scalar.text.length), fragmentText);
      return;
    }
    const written = fragment.slice(1).split('/');
    const path = parsePointer(target) ?? [];
    // With `$id` in between, the fragment is the end of the whole pointer.
    const outer = path.length - written.length;
    let at = hash + 2;
    for (const [index, token] of written.entries()) {
      const symbol = this.#symbolNamedBy(path.slice(0, outer + index + 1));
      if (symbol !== undefined) {
        this.#token(symbol, scalar.placeOf(at, at + token.length), (name) =>
          fragmentText(formatPointer([name]).slice(1)),
        );
      }
      at += token.length + 1;
    }
  }

  /** What the last token of a path into the schema names. */
  #symbolNamedBy(path: JsonPath): SkillSymbol | undefined {
    const keyword = path.at(-2) ?? '';
    if (keyword === 'properties') return { kind: 'field', id: this.#graph.propertyOf(formatPointer(path)) };
    return definitionKeywords.includes(keyword) ? { kind: 'definition', id: formatPointer(path) } : undefined;
  }

  #anchor(pointer: string, source: SourceNode): void {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = source.properties?.get(keyword)?.node;
      if (typeof anchor?.value !== 'string') continue;
      const symbol: SkillSymbol = { kind: 'anchor', id: `${pointer} ${anchor.value}` };
      this.#scalar(symbol, anchor.start, anchor.end, 'declaration');
    }
  }

  /** Definitions stand at the root mostly, but may stand in any subschema. */
  #definitions(): void {
    const pending: { path: JsonPath; node: SourceNode }[] = [{ path: [], node: this.#root }];
    const seen = new Set<SourceNode>();
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      const { path, node } = part;
      if (seen.has(node)) continue;
      seen.add(node);
      for (const keyword of definitionKeywords) {
        const definitions =
          path.at(-1) === 'properties' ? undefined : node.properties?.get(keyword)?.node.properties;
        for (const [name, property] of definitions ?? []) {
          const id = formatPointer([...path, keyword, name]);
          this.#key({ kind: 'definition', id }, property, 'declaration', definitions);
        }
      }
      for (const [key, property] of node.properties ?? []) {
        if (property.node.properties !== undefined || property.node.items !== undefined)
          pending.push({ path: [...path, key], node: property.node });
      }
      for (const [index, item] of (node.items ?? []).entries()) {
        if (item.properties !== undefined) pending.push({ path: [...path, String(index)], node: item });
      }
    }
  }

  #invariants(): void {
    for (const item of this.#root.properties?.get('x-invariants')?.node.items ?? []) {
      const expression = childOf(item, 'expression')?.node;
      if (typeof expression?.value !== 'string') continue;
      const scalar = scalarTextOf(this.#file.text, expression);
      for (const { name, start, end, owner, form } of propertiesNamedIn(scalar.text, this.#graph.root)) {
        for (const id of this.#graph.propertiesOf(owner, name)) {
          this.#token({ kind: 'field', id }, scalar.placeOf(start, end), (newName) => {
            if (form === 'key' ? !/["'\\\r\n]/.test(newName) : /^[A-Za-z_]\w*$/.test(newName)) {
              return scalar.written(newName);
            }
            return {
              refusal: `An invariant of the schema names ${name}, and CEL can't write ${JSON.stringify(newName)} there; use letters, digits and _.`,
            };
          });
        }
      }
    }
  }

  #key(
    symbol: SkillSymbol,
    { keyStart, keyEnd }: SourceProperty,
    role: 'declaration' | 'reference',
    siblings: ReadonlyMap<string, SourceProperty> | undefined,
  ): void {
    this.#scalar(symbol, keyStart, keyEnd, role, siblings);
  }

  #scalar(
    symbol: SkillSymbol,
    start: number,
    end: number,
    role: 'declaration' | 'reference',
    siblings?: ReadonlyMap<string, SourceProperty>,
  ): void {
    const { uri, text } = this.#file;
    this.#sink.occurrence({
      symbol,
      uri,
      start,
      end,
      role,
      written: (name) => rewrittenScalar(text.slice(start, end), name, this.#format),
      ...(siblings && { siblings }),
    });
  }

  #token(
    symbol: SkillSymbol,
    { start, end }: { readonly start: number; readonly end: number },
    written: (name: string) => Writing,
  ): void {
    this.#sink.occurrence({ symbol, uri: this.#file.uri, start, end, role: 'reference', written });
  }
}

function decoded(fragment: string): string {
  return splitFragment(`#${fragment}`).fragment;
}

/** A text in a URI's fragment (RFC 3986, section 3.5); what it leaves as it is needs no quotes in YAML or JSON. */
function fragmentText(text: string): string {
  return encodeURIComponent(text).replace(/'/g, '%27');
}
