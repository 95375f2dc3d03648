/** All occurrences of all names of a skill, over its files. Made when first asked for, and once for each skill model. */

import { URI, Utils } from 'vscode-uri';
import { bundlePointer } from '../../../../schemas/state/schemaBundle';
import { LineIndex } from '../../../../schemas/text/position';
import { parseSourceFile } from '../../../../schemas/text/sourceFile';
import type { Page, SchemaPage } from '../documents';
import type { SkillModel } from '../skillModels';
import { readData } from './dataOccurrences';
import { type Link, type Occurrence, type SkillSymbol, type SymbolFile, symbolKey } from './occurrence';
import { readProseNames } from './proseOccurrences';
import { graphOf, type SchemaGraph } from './schemaGraph';
import { readSchemaNames, type SchemaText } from './schemaOccurrences';
import { namesOf, pagesOf } from './skillProse';

/** Where names occur. */
export class SymbolTable {
  /** Undefined without a schema file. */
  readonly graph: SchemaGraph | undefined;
  readonly #files = new Map<string, SymbolFile>();
  readonly #bySymbol = new Map<string, Occurrence[]>();
  readonly #byFile = new Map<string, Occurrence[]>();
  readonly #links: Link[] = [];
  /** YAML aliases lead to the same place more than once. */
  readonly #seen = new Set<string>();

  constructor(graph: SchemaGraph | undefined) {
    this.graph = graph;
  }

  file(uri: string): SymbolFile | undefined {
    return this.#files.get(uri);
  }

  addFile(file: SymbolFile): void {
    this.#files.set(file.uri, file);
  }

  occurrence(occurrence: Occurrence): void {
    const { uri, start, end, symbol } = occurrence;
    const key = symbolKey(symbol);
    const place = `${start} ${end} ${uri} ${key}`;
    if (this.#seen.has(place)) return;
    this.#seen.add(place);
    listOf(this.#bySymbol, key).push(occurrence);
    listOf(this.#byFile, uri).push(occurrence);
  }

  link(link: Link): void {
    this.#links.push(link);
  }

  /** The occurrences that an offset touches: several where a placeholder stands for several keys. */
  at(uri: string, offset: number): readonly Occurrence[] {
    const touched = (this.#byFile.get(uri) ?? []).filter(
      ({ start, end }) => offset >= start && offset <= end,
    );
    // Between two names that touch, the one that begins at the offset is meant.
    const inside = touched.filter(({ end }) => offset < end);
    const chosen = inside.length > 0 ? inside : touched;
    const shortest = Math.min(...chosen.map(({ start, end }) => end - start));
    return chosen.filter(({ start, end }) => end - start === shortest);
  }

  linksAt(uri: string, offset: number): readonly Link[] {
    return this.#links.filter((link) => link.uri === uri && offset >= link.start && offset <= link.end);
  }

  of(symbol: SkillSymbol): readonly Occurrence[] {
    return this.#bySymbol.get(symbolKey(symbol)) ?? [];
  }
}

function listOf(map: Map<string, Occurrence[]>, key: string): Occurrence[] {
  let list = map.get(key);
  if (list === undefined) {
    list = [];
    map.set(key, list);
  }
  return list;
}

const tables = new WeakMap<object, SymbolTable>();

/** The names that a page has a share in: those of its skill, or of a schema alone that belongs to none. */
export function symbolTableOf(page: Page): SymbolTable {
  const { model } = page;
  const isOfSkill = model !== undefined && (page.kind !== 'state-schema' || isPartOf(model, page));
  const key = isOfSkill ? model : page.kind === 'state-schema' ? page.schema : page;
  let table = tables.get(key);
  if (table === undefined) {
    if (isOfSkill) table = tableOfSkill(model);
    else if (page.kind === 'state-schema') table = tableOfSchema(page);
    else table = new SymbolTable(undefined);
    tables.set(key, table);
  }
  return table;
}

/** True for the schema of a skill and for the files that it refers to. */
export function isPartOf(model: SkillModel, page: SchemaPage): boolean {
  const { stateSchema } = model.skill;
  const path = model.pathOf(page.uri);
  return (
    stateSchema === page.schema ||
    stateSchema.parts.some((part) => part.path === path && part.text === page.text)
  );
}

function tableOfSkill(model: SkillModel): SymbolTable {
  const { stateSchema, files } = model.skill;
  const names = namesOf(model);
  const table = new SymbolTable(names.graph);
  for (const page of pagesOf(model)) {
    table.addFile(page);
    readProseNames(page, names, table);
  }
  if (names.graph === undefined || stateSchema.path === undefined) return table;
  addSchema(table, names.graph, (path) => model.uriOf(path));
  const initial = files.find(({ role }) => role === 'initial-state');
  const source = initial && parseSourceFile(initial).root;
  if (initial === undefined || source === undefined) return table;
  const { text } = initial;
  const file = { uri: model.uriOf(initial.path), text, lines: new LineIndex(text) };
  const format = formatOf(initial.path);
  table.addFile(file);
  readData({ file, offset: 0, source, format, graph: names.graph, node: names.graph.root }, table);
  return table;
}

/** The parts of a schema without a skill have their paths from its folder. */
function tableOfSchema({ schema, uri }: SchemaPage): SymbolTable {
  const graph = graphOf(schema);
  const table = new SymbolTable(graph);
  const folder = Utils.dirname(URI.parse(uri));
  addSchema(table, graph, (path) =>
    path === schema.path ? uri : Utils.joinPath(folder, ...path.split('/')).toString(),
  );
  return table;
}

function addSchema(table: SymbolTable, graph: SchemaGraph, uriOf: (path: string) => string): void {
  const { schema } = graph;
  const { text, lines, path = '', source, parts } = schema;
  const texts: SchemaText[] = [];
  if (source !== undefined)
    texts.push({ uri: uriOf(path), text, lines, format: formatOf(path), root: source, pointer: '' });
  for (const part of parts) {
    const { root } = parseSourceFile(part);
    if (root === undefined) continue;
    const format = formatOf(part.path);
    const pointer = bundlePointer(part.path);
    texts.push({ uri: uriOf(part.path), text: part.text, lines: part.lines, format, root, pointer });
  }
  for (const file of texts) table.addFile(file);
  readSchemaNames(texts, graph, table);
}

function formatOf(path: string): 'yaml' | 'json' {
  return path.toLowerCase().endsWith('.json') ? 'json' : 'yaml';
}
