/** The names in a state schema's text: properties, definitions, anchors, and the references to them. */
import {
  formatPointer,
  fragmentText,
  type JsonPath,
  parsePointer,
} from '../../../../schemas/json/jsonPointer';
import { bundlePointer, splitBundlePointer } from '../../../../schemas/state/schemaBundle';
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
import { referenceTargets, referringPointers } from './schemaReferences';

/** One of the files that a schema consists of. */
export interface SchemaText extends SymbolFile {
  readonly format: 'yaml' | 'json';
  readonly root: SourceNode;
  /** The JSON Pointer of the file's root in the schema: empty for the schema's own file. */
  readonly pointer: string;
}

/** Finds the names in the files of the schema that a graph was made of. */
export function readSchemaNames(texts: readonly SchemaText[], graph: SchemaGraph, sink: SymbolSink): void {
  const nodesAt = new Map<string, SchemaNode[]>();
  for (const node of graph.nodes) {
    for (const { pointer } of node.places) {
      const nodes = nodesAt.get(pointer);
      if (nodes === undefined) nodesAt.set(pointer, [node]);
      else nodes.push(node);
    }
  }
  const textAt = (pointer: string) =>
    texts.find((text) => text.pointer === bundlePointerOf(pointer)) ?? texts[0];
  for (const text of texts) {
    const isHere = (pointer: string) => textAt(pointer) === text;
    new SchemaReader(text, graph, sink, textAt).read(nodesAt, isHere);
  }
}

/** The pointer of the root of the file that a pointer leads into. */
function bundlePointerOf(pointer: string): string {
  const { path } = splitBundlePointer(pointer);
  return path === undefined ? '' : bundlePointer(path);
}

/** What stands at a pointer that leads into a file. */
function propertyIn(text: SchemaText, pointer: string): SourceProperty | undefined {
  const path = parsePointer(pointer.slice(text.pointer.length));
  return path && propertyAt(text.root, path);
}

const definitionKeywords = ['$defs', 'definitions'];
const nameMaps = ['dependentRequired', 'dependencies', 'dependentSchemas'];

class SchemaReader {
  readonly #file: SchemaText;
  readonly #graph: SchemaGraph;
  readonly #sink: SymbolSink;
  readonly #textAt: (pointer: string) => SchemaText | undefined;

  constructor(
    file: SchemaText,
    graph: SchemaGraph,
    sink: SymbolSink,
    textAt: (pointer: string) => SchemaText | undefined,
  ) {
    this.#file = file;
    this.#graph = graph;
    this.#sink = sink;
    this.#textAt = textAt;
  }

  read(nodesAt: ReadonlyMap<string, readonly SchemaNode[]>, isHere: (pointer: string) => boolean): void {
    for (const [pointer, nodes] of nodesAt) {
      const source = isHere(pointer) ? propertyIn(this.#file, pointer)?.node : undefined;
      if (source?.properties !== undefined) this.#subschema(pointer, source, nodes);
    }
    for (const pointer of referringPointers(this.#graph.schema)) {
      const source = isHere(pointer) ? propertyIn(this.#file, pointer)?.node : undefined;
      for (const keyword of ['$ref', '$dynamicRef']) {
        const reference = source?.properties?.get(keyword);
        if (typeof reference?.node.value === 'string') this.#reference(pointer, reference);
      }
    }
    this.#definitions();
    if (this.#file.pointer === '') this.#invariants();
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
        { file: this.#file, offset: 0, source, format: this.#file.format, graph: this.#graph, node },
        this.#sink,
      );
    }
  }

  /** A fragment is a pointer, of which each name is one of the schema's, or an anchor. */
  #reference(pointer: string, { node }: SourceProperty): void {
    const scalar = scalarTextOf(this.#file.text, node);
    for (const target of referenceTargets(this.#graph.schema, pointer)) {
      const text = this.#textAt(target);
      const found = text && propertyIn(text, target);
      if (text === undefined || found === undefined) continue;
      const { start, end } = node;
      const place = { uri: text.uri, start: found.keyStart, end: found.keyEnd };
      this.#sink.link({ uri: this.#file.uri, start, end, target: place });
    }
    const hash = scalar.text.indexOf('#');
    const fragment = scalar.text.slice(hash + 1);
    if (hash === -1 || fragment === '') return;
    const [target] = referenceTargets(this.#graph.schema, pointer);
    if (target === undefined) return;
    if (!fragment.startsWith('/')) {
      const anchor: SkillSymbol = { kind: 'anchor', id: `${target} ${decoded(fragment)}` };
      this.#token(anchor, scalar.placeOf(hash + 1, scalar.text.length), unquotedFragment);
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
          unquotedFragment(formatPointer([name]).slice(1)),
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

  /** Definitions stand at the root mostly, but they and anchors may stand in any subschema. */
  #definitions(): void {
    const pending: { path: JsonPath; node: SourceNode }[] = [
      { path: parsePointer(this.#file.pointer) ?? [], node: this.#file.root },
    ];
    const seen = new Set<SourceNode>();
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      const { path, node } = part;
      if (seen.has(node)) continue;
      seen.add(node);
      const isMap = path.at(-1) === 'properties';
      if (!isMap) this.#anchor(formatPointer(path), node);
      for (const keyword of definitionKeywords) {
        const definitions = isMap ? undefined : node.properties?.get(keyword)?.node.properties;
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
    for (const item of this.#file.root.properties?.get('x-invariants')?.node.items ?? []) {
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
      written: (name) => rewrittenScalar(text.slice(start, end), name, this.#file.format),
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

/** A text in a URI's fragment that needs no quotes in YAML or JSON. */
function unquotedFragment(text: string): string {
  return fragmentText(text).replace(/'/g, '%27');
}
