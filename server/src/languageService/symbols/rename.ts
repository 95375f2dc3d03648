/** Renames what has a name in a skill in all of its files at once, so that nothing that fitted stops to. */
import type { Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { isJsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { parseSignature } from '../../../../schemas/skill/actionList';
import { assertNever } from '../../../../schemas/text/assertNever';
import { characterCount } from '../../../../schemas/text/plainText';
import { compilePattern } from '../../../../schemas/text/safePattern';
import type { Page, Tools } from '../documents';
import { type Occurrence, type SkillSymbol, symbolKey } from './occurrence';
import type { SchemaGraph, SchemaNode } from './schemaGraph';
import { namesOf } from './skillProse';
import { type SymbolTable, symbolTableOf } from './symbolTable';

/** Why a rename can't be done, for the user to read. */
export class RenameFailure extends Error {
  override readonly name: string = 'RenameFailure';
}

/** The range and text of the name at an offset; undefined where there is none that can be renamed. */
export async function prepareRename(
  page: Page,
  offset: number,
  _tools: Tools,
): Promise<{ readonly range: Range; readonly placeholder: string } | undefined> {
  const occurrence = renamableAt(symbolTableOf(page), page, offset);
  if (occurrence === undefined) return undefined;
  const { start, end, symbol } = occurrence;
  return { range: page.lines.rangeOf(start, end), placeholder: nameOf(symbol) };
}

/** @throws RenameFailure where the new name can't be used. */
export async function renameAt(
  page: Page,
  offset: number,
  newName: string,
  _tools: Tools,
): Promise<WorkspaceEdit | undefined> {
  const table = symbolTableOf(page);
  const touched = renamableAt(table, page, offset);
  if (touched === undefined) return undefined;
  const { symbol } = touched;
  if (newName === nameOf(symbol)) return { changes: {} };
  checkName(newName);
  const occurrences = table.of(symbol);
  checkSymbol(page, table, symbol, occurrences, newName);
  const changes: Record<string, TextEdit[]> = {};
  for (const occurrence of occurrences) {
    const { uri, start, end } = occurrence;
    const written = occurrence.written(newName);
    if (typeof written !== 'string') throw new RenameFailure(written.refusal);
    const range = table.file(uri)?.lines.rangeOf(start, end);
    if (range === undefined) continue;
    const edits = changes[uri] ?? [];
    edits.push({ range, newText: written });
    changes[uri] = edits;
  }
  return { changes };
}

/** Several fields are meant where a placeholder stands for their owners; then none can be told from the others. */
function renamableAt(table: SymbolTable, page: Page, offset: number): Occurrence | undefined {
  const found = table.at(page.uri, offset);
  const [first] = found;
  if (first === undefined) return undefined;
  return found.every(({ symbol }) => symbolKey(symbol) === symbolKey(first.symbol)) ? first : undefined;
}

/** The name itself: the last token of a pointer, the word behind it, or all there is. */
function nameOf({ kind, id }: SkillSymbol): string {
  switch (kind) {
    case 'field':
    case 'definition':
      return id
        .slice(id.lastIndexOf('/') + 1)
        .replaceAll('~1', '/')
        .replaceAll('~0', '~');
    case 'anchor':
      return id.slice(id.lastIndexOf(' ') + 1);
    case 'action':
    case 'parameter':
      return id;
    default:
      return assertNever(kind);
  }
}

function checkName(name: string): void {
  if (name.trim() === '') throw new RenameFailure('The new name is empty; write one.');
  if (/\p{Cc}/u.test(name))
    throw new RenameFailure('The new name has line breaks or control characters; leave them out.');
}

function checkSymbol(
  page: Page,
  table: SymbolTable,
  symbol: SkillSymbol,
  occurrences: readonly Occurrence[],
  name: string,
): void {
  const shown = JSON.stringify(name);
  switch (symbol.kind) {
    case 'field':
      checkField(table, symbol, occurrences, name);
      return;
    case 'action': {
      if (parseSignature(name)?.name !== name) {
        throw new RenameFailure(
          `${shown} is no action's name; begin it with a letter or _, and go on with letters, digits, _, - and dots.`,
        );
      }
      if (page.model !== undefined && namesOf(page.model).actions.has(name))
        throw new RenameFailure(`There is an action ${name} already; choose another name.`);
      return;
    }
    case 'definition':
      if (occurrences.some(({ siblings }) => siblings?.has(name)))
        throw new RenameFailure(`There is a definition ${shown} beside it already; choose another name.`);
      return;
    case 'anchor':
      if (!/^[A-Za-z_][-A-Za-z0-9._]*$/.test(name)) {
        throw new RenameFailure(
          `${shown} is no anchor; begin it with a letter or _, and go on with letters, digits, -, . and _.`,
        );
      }
      return;
    case 'parameter': {
      const [parameter] = parseSignature(`a <${name}>`)?.parameters ?? [];
      if (parameter?.name !== name) {
        throw new RenameFailure(
          `${shown} is no argument's name; begin it with a letter or _, and go on with letters, digits, spaces, _ and -.`,
        );
      }
      const actions = page.model?.skill.actions ?? [];
      const has = (parameters: readonly { readonly name: string }[], one: string) =>
        parameters.some((each) => each.name === one);
      const both = actions.find(({ parameters }) => has(parameters, symbol.id) && has(parameters, name));
      if (both === undefined) return;
      throw new RenameFailure(
        `The action ${both.name} has an argument ${name} already; choose another name.`,
      );
    }
    default:
      assertNever(symbol.kind);
  }
}

function checkField(
  table: SymbolTable,
  symbol: SkillSymbol,
  occurrences: readonly Occurrence[],
  name: string,
): void {
  const shown = JSON.stringify(name);
  const taken = new RenameFailure(`The object has a property ${shown} already; choose another name.`);
  const { graph } = table;
  if (graph === undefined) return;
  for (const node of graph.nodesWith(symbol.id)) {
    if (node.declared.has(name)) throw taken;
    if (!allowsName(graph, node, name))
      throw new RenameFailure(`The schema's propertyNames don't allow ${shown}; choose another name.`);
  }
  if (occurrences.some(({ siblings }) => siblings?.has(name))) throw taken;
}

/** What `propertyNames` says of a name, as far as it speaks of its length, pattern and the names themselves. */
function allowsName(graph: SchemaGraph, node: SchemaNode, name: string): boolean {
  const starts = node.places.flatMap(({ pointer, schema }) => {
    const names = isJsonObject(schema) ? ownProperty(schema, 'propertyNames') : undefined;
    return names === undefined ? [] : [{ pointer: `${pointer}/propertyNames`, schema: names }];
  });
  const length = characterCount(name);
  return (graph.nodeOf(starts)?.places ?? []).every(({ schema }) => {
    if (!isJsonObject(schema)) return schema !== false;
    const [source, most, least, names] = ['pattern', 'maxLength', 'minLength', 'enum'].map((keyword) =>
      ownProperty(schema, keyword),
    );
    const pattern = typeof source === 'string' ? compilePattern(source) : undefined;
    if (pattern?.ok && !pattern.test(name)) return false;
    if (typeof most === 'number' && length > most) return false;
    if (typeof least === 'number' && length < least) return false;
    return !Array.isArray(names) || names.includes(name);
  });
}
