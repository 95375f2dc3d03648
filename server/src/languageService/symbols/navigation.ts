/**
 * Definition and references of what has a name in a skill: a field of the state, an action, a definition of the
 * schema, over all the files of the skill.
 */
import type { Location } from 'vscode-languageserver-types';
import type { Page, Tools } from '../documents';
import { type Occurrence, symbolKey } from './occurrence';
import { type SymbolTable, symbolTableOf } from './symbolTable';

export { prepareRename, RenameFailure, renameAt } from './rename';

/** Where the name at an offset is declared, or what a path or `$ref` leads to. */
export async function definitionAt(page: Page, offset: number, _tools: Tools): Promise<readonly Location[]> {
  const table = symbolTableOf(page);
  const links = table.linksAt(page.uri, offset);
  if (links.length > 0) return links.map(({ target }) => locationOf(table, target));
  const declarations = table
    .at(page.uri, offset)
    .flatMap(({ symbol }) => table.of(symbol).filter(({ role }) => role === 'declaration'));
  return withoutRepeats(declarations).map((place) => locationOf(table, place));
}

/** Every place of the name at an offset, the declarations among them only if asked for. */
export async function referencesAt(
  page: Page,
  offset: number,
  options: { readonly includeDeclaration: boolean },
  _tools: Tools,
): Promise<readonly Location[]> {
  const table = symbolTableOf(page);
  const symbols = new Map(table.at(page.uri, offset).map(({ symbol }) => [symbolKey(symbol), symbol]));
  const occurrences = [...symbols.values()].flatMap((symbol) =>
    table.of(symbol).filter(({ role }) => options.includeDeclaration || role === 'reference'),
  );
  return withoutRepeats(occurrences).map((place) => locationOf(table, place));
}

function withoutRepeats(occurrences: readonly Occurrence[]): readonly Occurrence[] {
  const places = new Map(occurrences.map((place) => [`${place.start} ${place.end} ${place.uri}`, place]));
  return [...places.values()].sort((a, b) => (a.uri === b.uri ? a.start - b.start : a.uri < b.uri ? -1 : 1));
}

function locationOf(
  table: SymbolTable,
  { uri, start, end }: { readonly uri: string; readonly start: number; readonly end: number },
): Location {
  const beginning = { line: 0, character: 0 };
  return { uri, range: table.file(uri)?.lines.rangeOf(start, end) ?? { start: beginning, end: beginning } };
}
