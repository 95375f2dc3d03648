/** References of a state schema that lead to other files, as links. */
import type { DocumentLink } from 'vscode-languageserver-types';
import type { SchemaPage, Tools } from '../documents';

export async function linksInSchema(_page: SchemaPage, _tools: Tools): Promise<readonly DocumentLink[]> {
  return [];
}
