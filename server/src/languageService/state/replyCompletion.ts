/** Completion of a reply's own parts: its two keys, and the action. */
import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import type { ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { LineIndex } from '../../../../schemas/text/position';
import { type Cursor, keyText } from '../cursor';
import { escapeSnippet } from '../schema/snippet';
import { completionItem } from './completionItem';
import { textSnippet } from './sampleSnippet';

/** The keys of a reply that aren't there yet; the patch brings the action along, without which it is no reply. */
export function replyKeyItems(
  cursor: Cursor,
  lines: LineIndex,
  actions: readonly ActionSignature[],
): CompletionItem[] {
  const isMissing = (key: string): boolean => !cursor.siblings.includes(key);
  const entry = (key: string, value: string): string => escapeSnippet(keyText(cursor, key)) + value;
  const [first] = actions;
  const action = (stop: number): string => {
    const text = first === undefined ? '' : escapeSnippet(JSON.stringify(first.text).slice(1, -1));
    return text === '' ? `"$${stop}"` : `"\${${stop}:${text}}"`;
  };
  const separator = cursor.style === 'block' ? `\n${cursor.childIndent.slice(0, -2)}` : ', ';
  const second = isMissing('action') ? separator + entry('action', action(2)) : '';
  const offers = [
    {
      label: 'state_patch',
      snippet: entry('state_patch', cursor.hasColon ? '' : `{$1\\}${second}`),
      documentation: 'What changes in the state; {} changes nothing.',
    },
    {
      label: 'action',
      snippet: entry('action', cursor.hasColon ? '' : action(1)),
      documentation: 'The command to carry out, on one line.',
    },
  ];
  return offers
    .filter(({ label }) => isMissing(label))
    .map((offer, order) =>
      completionItem(cursor, lines, { ...offer, kind: CompletionItemKind.Property, detail: 'reply', order }),
    );
}

/** The declared actions, with their arguments as placeholders. */
export function replyValueItems(
  cursor: Cursor,
  lines: LineIndex,
  actions: readonly ActionSignature[],
): CompletionItem[] {
  return actions.map((action, index) =>
    completionItem(cursor, lines, {
      label: action.text,
      kind: CompletionItemKind.Function,
      snippet: textSnippet(cursor, action.text, argumentsOf(action)),
      detail: 'action',
      order: index,
    }),
  );
}

/** The arguments as the signature writes them. */
function argumentsOf({ form, name, text }: ActionSignature): readonly string[] {
  const rest = text.slice(name.length);
  return rest.match(form === 'command' ? /<[^<>]+>/g : /[^\s(),](?:[^(),]*[^\s(),])?/g) ?? [];
}
