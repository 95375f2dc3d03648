/** What can be folded: front matter, mappings, lists, block texts, comments. */
import type { FoldingRange } from 'vscode-languageserver-types';
import type { Page } from './documents';

export function foldingRangesOf(_page: Page): readonly FoldingRange[] {
  return [];
}
