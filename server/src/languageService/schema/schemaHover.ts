/** What a keyword means, and what follows for a property from all that is said of it. */
import type { Hover } from 'vscode-languageserver-types';
import type { SchemaPage, Tools } from '../documents';

/** Undefined where there is nothing to say. */
export async function hoverSchema(
  _page: SchemaPage,
  _offset: number,
  _tools: Tools,
): Promise<Hover | undefined> {
  return undefined;
}
