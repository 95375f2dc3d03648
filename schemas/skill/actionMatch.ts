/** The check of an action, as a model wrote it, against the signatures that a skill declares. */
import { countOf } from './actionList';
import type { ActionMatch, ActionSignature } from './actionSignature';

/**
 * Finds the signature of an action: the name to the letter, and exactly its arguments. Arguments of a command are
 * words; those of a call stand between commas, where quotes protect commas and are taken off.
 * Check only where signatures are declared: without any, every string is an action.
 */
export function matchAction(signatures: readonly ActionSignature[], action: string): ActionMatch {
  const text = action.trim();
  if (text === '') return refused(signatures, 'The action is empty');
  if (/[\r\n]/.test(text)) return refused(signatures, `The action ${quote(text)} has more than one line`);
  const name = /^[^\s(]+/.exec(text)?.[0] ?? text;
  const after = text.slice(name.length).trimStart();
  const callText = after.startsWith('(') && after.endsWith(')') ? after.slice(1, -1) : undefined;
  const named = signatures.filter((signature) => signature.name === name);
  if (named.length === 0) return unknownName(signatures, text, name);

  let closest: string | undefined;
  for (const signature of named) {
    const values = argumentsFor(signature, text, callText);
    if (values === undefined) continue;
    const expected = signature.parameters.length;
    if (values.length === expected && values.every((value) => value !== '')) {
      return { ok: true, signature, arguments: values };
    }
    closest ??= values.length === expected ? 'has an empty argument' : `has ${countOf(values.length)}`;
  }
  const forms = named.map((signature) => `\`${signature.text}\``).join(' or ');
  const [only] = named;
  if (closest === undefined || only === undefined) {
    return { ok: false, message: `The action ${quote(text)} is not written as declared: ${forms}.` };
  }
  const takes = named.length === 1 ? `, but ${name} takes ${countOf(only.parameters.length)}` : '';
  return { ok: false, message: `The action ${quote(text)} ${closest}${takes}: ${forms}.` };
}

/** The arguments as a signature's form cuts them; undefined for an action of the other form. */
function argumentsFor(
  signature: ActionSignature,
  text: string,
  callText: string | undefined,
): string[] | undefined {
  const rest = signature.parameters.at(-1)?.rest === true;
  const limit = rest ? signature.parameters.length : Number.POSITIVE_INFINITY;
  if (signature.form === 'call') return callText === undefined ? undefined : splitCall(callText, limit);
  const after = text.slice(signature.name.length);
  return after !== '' && !/^\s/.test(after) ? undefined : splitWords(after.trim(), limit);
}

function splitWords(text: string, limit: number): string[] {
  const words: string[] = [];
  let remaining = text;
  while (remaining !== '') {
    const end = words.length + 1 < limit ? remaining.search(/\s/) : -1;
    words.push(end === -1 ? remaining : remaining.slice(0, end));
    remaining = end === -1 ? '' : remaining.slice(end).trimStart();
  }
  return words;
}

function splitCall(text: string, limit: number): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let start = 0;
  let quoteMark: string | undefined;
  for (let index = 0; index < text.length && parts.length + 1 < limit; index++) {
    const character = text[index];
    if (quoteMark !== undefined) {
      if (character === quoteMark) quoteMark = undefined;
    } else if ((character === '"' || character === "'") && text.slice(start, index).trim() === '') {
      quoteMark = character;
    } else if (character === ',') {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function unknownName(signatures: readonly ActionSignature[], text: string, name: string): ActionMatch {
  const meant = signatures.find((signature) => signature.name.toLowerCase() === name.toLowerCase());
  if (meant !== undefined) {
    return {
      ok: false,
      message: `The action ${quote(text)} is not declared; ${meant.name} is: \`${meant.text}\`.`,
    };
  }
  return refused(signatures, `The action ${quote(text)} is not declared`);
}

function refused(signatures: readonly ActionSignature[], what: string): ActionMatch {
  const shown = signatures.slice(0, 20).map((signature) => `\`${signature.text}\``);
  const more = signatures.length > shown.length ? `, and ${signatures.length - shown.length} more` : '';
  return { ok: false, message: `${what}; write one of ${shown.join(', ')}${more}.` };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
