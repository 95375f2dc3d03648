/** What becomes of a text when a completion is accepted as it is offered. */
import { type CompletionItem, InsertTextFormat } from 'vscode-languageserver-types';
import { replaced } from './appliedFix';

/** A snippet with its placeholders' defaults and the first of its choices. */
function expanded(snippet: string): string {
  const plain = (text: string) => text.replace(/\\([\\$},|])/g, '$1');
  return snippet
    .split(/(\$\{\d+:(?:[^\\}]|\\.)*\}|\$\{\d+\|(?:[^\\|]|\\.)*\|\}|\$\d+)/s)
    .map((part) => {
      const placeholder = /^\$\{\d+:(.*)\}$/s.exec(part)?.[1];
      if (placeholder !== undefined) return plain(placeholder);
      const choices = /^\$\{\d+\|(.*)\|\}$/s.exec(part)?.[1];
      if (choices !== undefined) return plain(/^(?:[^\\,]|\\.)*/.exec(choices)?.[0] ?? '');
      return /^\$\d+$/.test(part) ? '' : plain(part);
    })
    .join('');
}

/** The text after a completion; throws for one without an edit. */
export function accepted(text: string, item: CompletionItem): string {
  const { textEdit, additionalTextEdits = [] } = item;
  if (textEdit === undefined || !('range' in textEdit)) throw new Error(`${item.label} has no edit.`);
  const isSnippet = item.insertTextFormat === InsertTextFormat.Snippet;
  const newText = isSnippet ? expanded(textEdit.newText) : textEdit.newText;
  return replaced(text, [
    { range: textEdit.range, text: newText },
    ...additionalTextEdits.map((edit) => ({ range: edit.range, text: edit.newText })),
  ]);
}
