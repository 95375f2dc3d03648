/** All occurrences of all names of a skill, over its files. Made when first asked for, and once for each skill model. */

import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { LineIndex } from '../../../../schemas/text/position';
import { parseSourceFile } from '../../../../schemas/text/sourceFile';
import type { Page } from '../documents';
import type { SkillModel } from '../skillModels';
import { readData } from './dataOccurrences';
import { type Link, type Occurrence, type SkillSymbol, type SymbolFile, symbolKey } from './occurrence';
import { readProseNames } from './proseOccurrences';
import { graphOf, type SchemaGraph } from './schemaGraph';
import { readSchemaNames } from './schemaOccurrences';
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
  const isOfSkill =
    model !== undefined && (page.kind !== 'state-schema' || model.skill.stateSchema === page.schema);
  const key = isOfSkill ? model : page.kind === 'state-schema' ? page.schema : page;
  let table = tables.get(key);
  if (table === undefined) {
    if (isOfSkill) table = tableOfSkill(model);
    else if (page.kind === 'state-schema') table = tableOfSchema(page.schema, page.uri);
    else table = new SymbolTable(undefined);
    tables.set(key, table);
  }
  return table;
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
  addSchema(table, names.graph, stateSchema, model.uriOf(stateSchema.path));
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

function tableOfSchema(schema: StateSchema, uri: string): SymbolTable {
  const graph = graphOf(schema);
  const table = new SymbolTable(graph);
  addSchema(table, graph, schema, uri);
  return table;
}

function addSchema(table: SymbolTable, graph: SchemaGraph, { text, lines }: StateSchema, uri: string): void {
  const file = { uri, text, lines };
  table.addFile(file);
  readSchemaNames(file, graph, formatOf(uri), table);
}

function formatOf(path: string): 'yaml' | 'json' {
  return path.toLowerCase().endsWith('.json') ? 'json' : 'yaml';
}
