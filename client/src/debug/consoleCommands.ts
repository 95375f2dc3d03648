/** What the debug console understands beside expressions: changes, who wrote a value, and what was said to the model and by it. */
import { parseExpression } from './evaluation';
import { editableRoots, type RootName, rootNames } from './view';

export type ConsoleCommand =
  | { readonly kind: 'delete' | 'blame'; readonly path: string }
  | { readonly kind: 'set'; readonly path: string; readonly value: string }
  | {
      readonly kind: 'request' | 'response';
      /** The last one that made requests, where nothing is said. */
      readonly attempt: number | undefined;
      /** The last one of the attempt, where nothing is said. */
      readonly request: number | undefined;
    };

/** The commands as completions show them. */
export const consoleCommands = [
  { label: 'delete ', detail: 'deletes a part of state or patch' },
  { label: 'blame()', detail: 'who wrote a value, newest first' },
  { label: 'request()', detail: 'the exact request to the model; request(2, 1) is the first of attempt 2' },
  { label: 'response()', detail: 'what the model answered, to the letter' },
] as const;

/** What to say of a text that names neither a command nor a root: a sentence, empty for any other text. */
export function commandHint(text: string): string {
  const name = /^\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:\(\s*\)?\s*)?$/u.exec(text)?.[1];
  if (name === undefined || rootNames.some((root) => root === name)) return '';
  const names = consoleCommands.map(({ label }) => label.trim());
  return ` Commands are ${names.join(', ')}.`;
}

/**
 * Reads a command; undefined for what is an expression, or nothing. `delete state.x`, `state.x = 3`, `blame(state.x)`,
 * `request()`, `response(2, 1)`.
 */
export function parseCommand(text: string): ConsoleCommand | undefined {
  const deleted = /^\s*delete\s+(\S.*)$/su.exec(text)?.[1];
  if (deleted !== undefined) return { kind: 'delete', path: deleted };
  const blamed = /^\s*blame\s*\((.*)\)\s*$/su.exec(text)?.[1];
  if (blamed !== undefined) return { kind: 'blame', path: blamed };
  const exchange = /^\s*(request|response)\s*\(\s*(?:(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?)?\)\s*$/u.exec(text);
  if (exchange !== null) {
    const [, kind, attempt, request] = exchange;
    const number = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
    return {
      kind: kind === 'request' ? kind : 'response',
      attempt: number(attempt),
      request: number(request),
    };
  }
  return parseAssignment(text);
}

/** How many equals signs are tried: keys may hold some themselves. */
const maxEqualsSigns = 10;

/** A path of something that can be changed, one equals sign, and a value. */
function parseAssignment(text: string): ConsoleCommand | undefined {
  let at = -1;
  for (let tried = 0; tried < maxEqualsSigns; tried++) {
    at = text.indexOf('=', at + 1);
    if (at < 0) return undefined;
    if (text.charAt(at + 1) === '=') {
      at++;
      continue;
    }
    const path = text.slice(0, at);
    const parsed = /[<>!]$/.test(path) ? undefined : parseExpression(path);
    if (parsed?.ok && isEditable(parsed.expression.root)) {
      return { kind: 'set', path: path.trim(), value: text.slice(at + 1).trim() };
    }
  }
  return undefined;
}

function isEditable(root: RootName): boolean {
  return editableRoots.has(root);
}
