/** The outline of a state schema: its properties and definitions. */
import type { DocumentSymbol } from 'vscode-languageserver-types';
import type { SchemaPage } from '../documents';

export function symbolsOfSchema(_page: SchemaPage): readonly DocumentSymbol[] {
  return [];
}
