/** Completion items that replace the token at a cursor. */
import {
  type CompletionItem,
  type CompletionItemKind,
  CompletionItemTag,
  InsertTextFormat,
  InsertTextMode,
  MarkupKind,
  TextEdit,
} from 'vscode-languageserver-types';
import type { LineIndex } from '../../../../schemas/text/position';
import type { Cursor } from '../cursor';

/** What an item offers. */
export interface Offer {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** As LSP's snippets have it. */
  readonly snippet: string;
  readonly detail?: string;
  /** Plain text. */
  readonly documentation?: string | undefined;
  /** Lower ones come first. */
  readonly order: number;
  readonly isDeprecated?: boolean;
  readonly isPreselected?: boolean;
}

/** The item of an offer, for the cursor's whole token. */
export function completionItem(cursor: Cursor, lines: LineIndex, offer: Offer): CompletionItem {
  const { replace, quote, needsComma } = cursor;
  const { label, kind, snippet, detail, documentation, order } = offer;
  const range = lines.rangeOf(replace.start, replace.end);
  return {
    label,
    kind,
    sortText: String(order).padStart(5, '0'),
    // Editors compare this with the text that is replaced, its quotation mark included.
    filterText: `${quote ?? ''}${label}`,
    insertTextFormat: InsertTextFormat.Snippet,
    insertTextMode: InsertTextMode.asIs,
    textEdit: TextEdit.replace(range, needsComma ? `${snippet},` : snippet),
    ...(detail !== undefined && detail !== '' && { detail }),
    ...(documentation !== undefined && {
      documentation: { kind: MarkupKind.PlainText, value: documentation },
    }),
    ...(offer.isDeprecated === true && { tags: [CompletionItemTag.Deprecated] }),
    ...(offer.isPreselected === true && { preselect: true }),
  };
}
