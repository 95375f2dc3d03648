/** What a document is once a completion has been accepted, with every placeholder left as it is. */
import type { CompletionItem } from 'vscode-languageserver-types';
import { LineIndex } from '../../schemas/text/position';

/** Applies an item's edits to a text. */
export function accepted(text: string, item: CompletionItem): string {
  const { textEdit } = item;
  if (textEdit === undefined || !('range' in textEdit)) throw new Error(`${item.label} has no edit.`);
  const lines = new LineIndex(text);
  const edits = [
    {
      range: textEdit.range,
      newText: item.insertTextFormat === 2 ? withoutStops(textEdit.newText) : textEdit.newText,
    },
  ];
  const all = [...edits, ...(item.additionalTextEdits ?? [])].sort(
    (a, b) => lines.offsetAt(b.range.start) - lines.offsetAt(a.range.start),
  );
  let result = text;
  for (const { range, newText } of all) {
    result = result.slice(0, lines.offsetAt(range.start)) + newText + result.slice(lines.offsetAt(range.end));
  }
  return result;
}

/** A snippet's text: placeholders become their defaults, choices their first option (LSP 3.18, “Snippet syntax”). */
export function withoutStops(snippet: string): string {
  let text = '';
  let at = 0;
  /** Up to an unescaped character of `until`. */
  function read(until: string): string {
    let part = '';
    while (at < snippet.length && !until.includes(snippet[at] ?? '')) {
      if (snippet[at] === '\\' && at + 1 < snippet.length) at++;
      part += snippet[at];
      at++;
    }
    return part;
  }
  while (at < snippet.length) {
    const stop = /^\$\{(\d+)(:|\||\})/.exec(snippet.slice(at)) ?? /^\$(\d+)()/.exec(snippet.slice(at));
    if (stop === null) {
      if (snippet[at] === '$' || snippet[at] === '}') throw new Error(`Not escaped at ${at}: ${snippet}`);
      if (snippet[at] === '\\' && /[\\$}]/.test(snippet[at + 1] ?? '')) at++;
      text += snippet[at];
      at++;
      continue;
    }
    at += stop[0].length;
    if (stop[2] === ':') {
      text += read('}');
      at++;
    } else if (stop[2] === '|') {
      text += read(',|');
      while (at < snippet.length && snippet[at] !== '|') {
        at++;
        read(',|');
      }
      at += 2;
    }
  }
  return text;
}
