/** Completion inside the expressions of `x-invariants`: the paths of the state. */
import type { CompletionItem } from 'vscode-languageserver-types';
import { markdownEscaped } from '../markdownText';
import type { CompletionList } from './completionList';
import type { CompletionPlace } from './completionPlace';
import type { Written } from './writtenSchema';

/** Undefined where the cursor is in no expression. `following` is the rest of the value behind the cursor. */
export function completeExpression(
  { cursor, written }: CompletionPlace,
  following: string,
  completions: CompletionList,
): readonly CompletionItem[] | undefined {
  const { path, part, typed, needsSpace } = cursor;
  const [keyword, , key] = path;
  if (path.length !== 3 || keyword !== 'x-invariants' || key !== 'expression' || part !== 'value')
    return undefined;
  const [reference] = /(?:[A-Za-z_][\w.]*)?$/.exec(typed.slice(-200)) ?? [''];
  // Within a name, and behind an operand, nothing new begins.
  const before = typed.slice(0, typed.length - reference.length);
  const isBehindOperand = /[\w)\]"']\s*$/.test(before) && !/\bin\s+$/.test(before);
  if (needsSpace || /^[\w.=]/.test(following) || isBehindOperand) return [];
  const names = reference.split('.').slice(0, -1);
  const [root, ...parents] = names;
  if (root === undefined) return completions.texts([offer('state', undefined)], reference.length);
  if (root !== 'state') return [];
  let properties = written.below(keyNamed(written.keysAround(0), 'properties'));
  for (const name of parents) {
    properties = written.below(keyNamed(written.below(keyNamed(properties, name)), 'properties'));
  }
  return completions.texts(
    properties
      .filter(({ name }) => /^[A-Za-z_]\w*$/.test(name))
      .map((property) => {
        const description = written.descriptionOf(property);
        return offer([...names, property.name].join('.'), description);
      }),
    reference.length,
  );
}

function keyNamed(keys: readonly Written[], name: string): Written | undefined {
  return keys.find((key) => key.name === name);
}

function offer(text: string, description: string | undefined) {
  return {
    kind: 'property',
    label: text,
    text,
    documentation: description && markdownEscaped(description),
    isOurs: true,
  } as const;
}
