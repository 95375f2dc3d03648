/**
 * Definition, references and rename of what has a name in a skill: a field of the state, an action, a definition of
 * the schema, over all the files of the skill.
 */
import type { Location, Range, WorkspaceEdit } from 'vscode-languageserver-types';
import type { Page, Tools } from '../documents';

/** Why a rename can't be done, for the user to read. */
export class RenameFailure extends Error {
  override readonly name: string = 'RenameFailure';
}

export async function definitionAt(
  _page: Page,
  _offset: number,
  _tools: Tools,
): Promise<readonly Location[]> {
  return [];
}

export async function referencesAt(
  _page: Page,
  _offset: number,
  _options: { readonly includeDeclaration: boolean },
  _tools: Tools,
): Promise<readonly Location[]> {
  return [];
}

/** The range and text of the name at an offset; undefined where there is none that can be renamed. */
export async function prepareRename(
  _page: Page,
  _offset: number,
  _tools: Tools,
): Promise<{ readonly range: Range; readonly placeholder: string } | undefined> {
  return undefined;
}

/** @throws RenameFailure where the new name can't be used. */
export async function renameAt(
  _page: Page,
  _offset: number,
  _newName: string,
  _tools: Tools,
): Promise<WorkspaceEdit | undefined> {
  return undefined;
}
