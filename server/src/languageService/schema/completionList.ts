/** Turns what can be written at a cursor into LSP completion items: edits, snippets, order. */
import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  InsertTextMode,
  MarkupKind,
  type Range,
} from 'vscode-languageserver-types';
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import { LineIndex } from '../../../../schemas/text/position';
import { type Cursor, keyText, valueText } from '../cursor';
import {
  entriesSnippet,
  escapeSnippet,
  inlineSnippet,
  type SnippetPlace,
  type Template,
  type TemplateEntry,
  valueSnippet,
} from './snippet';

interface AnyOffer {
  readonly kind: 'keyword' | 'property' | 'value' | 'reference' | 'shape';
  readonly label: string;
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly documentation: string | undefined;
  /** What the typed text is compared with, where that isn't the label. */
  readonly filter?: string | undefined;
  /** True for what an editor's own support of JSON Schema doesn't know. */
  readonly isOurs?: boolean;
}

/** Something that can be written: a key with its value, a value, entries of an object, an item on a line of its own. */
export type Offer = AnyOffer &
  (
    | { readonly key: string; readonly template: Template | undefined }
    | { readonly value: JsonValue }
    | { readonly inline: Template }
    | { readonly entries: readonly TemplateEntry[] }
    | { readonly item: Template }
  );

const kinds: Readonly<Record<Offer['kind'], CompletionItemKind>> = {
  keyword: CompletionItemKind.Property,
  property: CompletionItemKind.Field,
  value: CompletionItemKind.Value,
  reference: CompletionItemKind.Reference,
  shape: CompletionItemKind.Snippet,
};

/** The items at one cursor. */
export class CompletionList {
  readonly #cursor: Cursor;
  readonly #lines: LineIndex;
  readonly #offset: number;

  constructor(text: string, offset: number, cursor: Cursor) {
    this.#cursor = cursor;
    this.#lines = new LineIndex(text);
    this.#offset = offset;
  }

  /** In the order of the offers. */
  items(offers: readonly Offer[]): readonly CompletionItem[] {
    const { replace } = this.#cursor;
    const range = this.#lines.rangeOf(replace.start, replace.end);
    return offers.map((offer, index) => this.#item(offer, index, range, this.#snippet(offer)));
  }

  /** Plain texts for the last `length` characters before the cursor. */
  texts(
    offers: readonly (AnyOffer & { readonly text: string })[],
    length: number,
  ): readonly CompletionItem[] {
    const range = this.#lines.rangeOf(this.#offset - length, this.#offset);
    return offers.map((offer, index) => ({
      ...this.#item(offer, index, range, offer.text),
      filterText: offer.filter ?? offer.label,
      insertTextFormat: InsertTextFormat.PlainText,
    }));
  }

  #item(offer: AnyOffer, index: number, range: Range, newText: string): CompletionItem {
    const { quote } = this.#cursor;
    return {
      label: offer.label,
      kind: kinds[offer.kind],
      ...(offer.detail !== undefined && { detail: offer.detail }),
      ...(offer.documentation !== undefined && {
        documentation: { kind: MarkupKind.Markdown, value: offer.documentation },
      }),
      sortText: String(index).padStart(4, '0'),
      // Editors compare this with the text that is replaced, its quotation mark included.
      filterText: (quote ?? '') + (offer.filter ?? offer.label),
      insertTextFormat: InsertTextFormat.Snippet,
      // Lines are indented in full already.
      insertTextMode: InsertTextMode.asIs,
      textEdit: { range, newText },
    };
  }

  #snippet(offer: Offer): string {
    const cursor = this.#cursor;
    const comma = cursor.needsComma ? ',' : '';
    const place = this.#place();
    if ('value' in offer) return escapeSnippet(valueText(cursor, offer.value)) + comma;
    if ('inline' in offer) return (cursor.needsSpace ? ' ' : '') + inlineSnippet(offer.inline, place) + comma;
    if ('entries' in offer) return entriesSnippet(offer.entries, place) + comma;
    if ('item' in offer)
      return valueSnippet({ kind: 'list', items: [offer.item] }, this.#itemPlace()).trimStart();
    const key = escapeSnippet(keyText(cursor, offer.key));
    if (offer.template === undefined) return key;
    return key.trimEnd() + valueSnippet(offer.template, place) + comma;
  }

  #place(): SnippetPlace {
    const { style, childIndent } = this.#cursor;
    const column = this.#lines.positionAt(this.#cursor.replace.start).character;
    const step = style === 'block' ? childIndent.slice(column) : /^\t/.test(childIndent) ? '\t' : '  ';
    return { style, childIndent, step: step === '' ? '  ' : step };
  }

  /** Of an item whose dash is written at the cursor. */
  #itemPlace(): SnippetPlace {
    const place = this.#place();
    return {
      ...place,
      childIndent: ' '.repeat(this.#lines.positionAt(this.#cursor.replace.start).character),
    };
  }
}
