/** The bound of Σ, on the root and on each field. */
import type { CodeLens, InlayHint, Range } from 'vscode-languageserver-types';
import type { SchemaPage, Tools } from '../documents';

/** Hints within a range. */
export async function boundInlayHints(
  _page: SchemaPage,
  _range: Range,
  _tools: Tools,
): Promise<readonly InlayHint[]> {
  return [];
}

/** The same as lenses. */
export async function boundCodeLenses(_page: SchemaPage, _tools: Tools): Promise<readonly CodeLens[]> {
  return [];
}
