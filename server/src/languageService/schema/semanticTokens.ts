/** Highlighting that the grammar can't do: what is a keyword, an annotation, a property of Σ, a reference. */
import type { SemanticTokensLegend } from 'vscode-languageserver-types';
import type { Page } from '../documents';

export const semanticTokensLegend: SemanticTokensLegend = { tokenTypes: [], tokenModifiers: [] };

/** LSP's encoding: five numbers a token, relative to the token before. */
export function semanticTokensOf(_page: Page): readonly number[] {
  return [];
}
