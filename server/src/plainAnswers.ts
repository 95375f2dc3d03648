/** Answers for clients that can do less: without snippets, Markdown or nested symbols. */
import {
  type CompletionItem,
  type DocumentSymbol,
  type Hover,
  InsertTextFormat,
  MarkupContent,
  MarkupKind,
  type SymbolInformation,
} from 'vscode-languageserver';
import type { ClientFeatures } from './clientFeatures';

/** The item without what the client doesn't understand. */
export function completionFor(
  item: CompletionItem,
  { snippets, markdownCompletion }: Pick<ClientFeatures, 'snippets' | 'markdownCompletion'>,
): CompletionItem {
  const plain = { ...item };
  if (!markdownCompletion && MarkupContent.is(item.documentation)) {
    plain.documentation = asPlain(item.documentation);
  }
  if (!snippets && item.insertTextFormat === InsertTextFormat.Snippet) {
    delete plain.insertTextFormat;
    if (item.textEdit) plain.textEdit = { ...item.textEdit, newText: snippetText(item.textEdit.newText) };
    if (item.insertText !== undefined) plain.insertText = snippetText(item.insertText);
  }
  return plain;
}

export function hoverFor(hover: Hover, { markdownHover }: Pick<ClientFeatures, 'markdownHover'>): Hover {
  return markdownHover || !MarkupContent.is(hover.contents)
    ? hover
    : { ...hover, contents: asPlain(hover.contents) };
}

function asPlain({ value }: MarkupContent): MarkupContent {
  return { kind: MarkupKind.PlainText, value };
}

/** A symbol tree as the flat list of older clients, each symbol with the name of the one it is in. */
export function flatSymbols(symbols: readonly DocumentSymbol[], uri: string): SymbolInformation[] {
  const flat: SymbolInformation[] = [];
  const waiting = symbols.map((symbol) => ({ symbol, containerName: '' })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { symbol, containerName } = next;
    const { name, kind, range, children = [] } = symbol;
    flat.push({ name, kind, location: { uri, range }, ...(containerName !== '' && { containerName }) });
    for (const child of [...children].reverse()) waiting.push({ symbol: child, containerName: name });
  }
  return flat;
}

/**
 * What a snippet inserts before anything is typed into it: placeholders as their text, choices as their first, tab stops
 * as nothing (LSP 3.17, "Snippet Syntax"). Variables stand for nothing as well.
 */
export function snippetText(snippet: string): string {
  let text = '';
  /** For each open brace, whether the rest of its choice is being skipped. */
  const open: { isChoice: boolean; skips: boolean }[] = [];
  for (let index = 0; index < snippet.length; index++) {
    const character = snippet.charAt(index);
    const inner = open.at(-1);
    if (character === '\\') {
      index++;
      if (inner?.skips !== true) text += snippet.charAt(index);
    } else if (character === '$') {
      const stop = /^\$(?:\{(?:\d+|[A-Za-z_]\w*)(:|\||(?=\}))|\d+|[A-Za-z_]\w*)/.exec(
        snippet.slice(index, index + 100),
      );
      if (stop === null) {
        text += character;
        continue;
      }
      index += stop[0].length - 1;
      if (stop[1] !== undefined) open.push({ isChoice: stop[1] === '|', skips: false });
    } else if (inner !== undefined && character === '}') {
      open.pop();
    } else if (inner?.isChoice === true && (character === ',' || character === '|')) {
      inner.skips = true;
    } else if (inner?.skips !== true) {
      text += character;
    }
  }
  return text;
}
