/** A model's reply, read strictly: reasoning, then one fenced JSON block with exactly `state_patch` and `action`. */
import { type Node, parseTree } from 'jsonc-parser';
import { parsePointer } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, ownProperty } from '../../../schemas/json/jsonValue';
import { findLastJsonBlock } from './fencedBlock';
import type { Limits } from './options';
import { listed, quoted } from './quotation';
import type { Rejection } from './rejection';
import type { Attempt } from './runState';
import { readStrictJson } from './strictJson';

/** (R_t, ΔΣ_t, a_t) as the model gave them. */
export interface ParsedReply {
  /** What stands before and after the block, without the white space around it. */
  readonly reasoning: string;
  readonly patch: JsonObject;
  readonly action: string;
  /** The JSON text inside the fence, as UTF-16 offsets into the reply. */
  readonly block: { readonly start: number; readonly end: number };
}

export type ReplyParse =
  | { readonly ok: true; readonly reply: ParsedReply }
  | { readonly ok: false; readonly rejection: Rejection };

/** Why generation ended, where the run's own limit ended it. */
export const cutFinish = 'cut';

const replyKeys = ['state_patch', 'action'] as const;

/**
 * Reads the answer of a run's latest attempt: as {@link parseReply} does, and `limit` where what was thought before the
 * reply is too long, or where the run's limit cut either off and redaction made it shorter since.
 */
export function parseAnswer(
  {
    reply = '',
    attempts,
  }: {
    readonly reply: string | undefined;
    readonly attempts: readonly Pick<Attempt, 'thinking' | 'finish'>[];
  },
  limits: Limits,
): ReplyParse {
  const { thinking = '', finish } = attempts.at(-1) ?? {};
  const longest = `longer than ${limits.replyCharacters} characters`;
  if (thinking.length > limits.replyCharacters)
    return rejected({ class: 'limit', message: `What was thought before the reply is ${longest}.` });
  const parsed = parseReply(reply, limits);
  if (parsed.ok || finish !== cutFinish || parsed.rejection.class === 'limit') return parsed;
  return rejected({ class: 'limit', message: `The reply, or what was thought before it, is ${longest}.` });
}

/**
 * Reads a reply, or says why it can't be taken over. What is checked, in this order; the first failure counts:
 *
 * 1. `limit`: the reply is not longer than `limits.replyCharacters`.
 * 2. `no-block`: it has a fenced JSON block; the last one counts.
 * 3. `syntax`: the block's fence is closed.
 * 4. `syntax` or `limit`, whichever comes first in the text: the block is JSON without duplicate keys; the patch nests
 *    at most `limits.depth` objects and arrays, itself included.
 * 5. `limit`: a double can keep every number.
 * 6. `not-an-object`: the block is an object.
 * 7. `missing-key`, then `extra-key`: it has exactly the keys `state_patch` and `action`.
 * 8. `not-an-object`: `state_patch` is an object.
 * 9. `action`: `action` is a string, not blank, on one line.
 */
export function parseReply(text: string, limits: Limits): ReplyParse {
  if (text.length > limits.replyCharacters) {
    const message = `The reply is longer than ${limits.replyCharacters} characters.`;
    return rejected({ class: 'limit', message, offset: limits.replyCharacters });
  }
  const block = findLastJsonBlock(text);
  if (block === undefined) {
    const message =
      text.trim() === '' ? 'The reply is empty.' : 'The reply has no JSON block fenced with ```json and ```.';
    return rejected({ class: 'no-block', message });
  }
  if (!block.closed) {
    const message = 'The JSON block is not closed: ``` has to stand at the start of a line after it.';
    return rejected({ class: 'syntax', message, offset: block.fenceStart });
  }
  const json = readStrictJson(text.slice(block.start, block.end), limits.depth + 1);
  if (!json.ok) {
    const { kind, message, offset } = json.fault;
    return rejected({ class: kind === 'syntax' ? 'syntax' : 'limit', message, offset: block.start + offset });
  }
  const at = (key: string, part: 'keyOffset' | 'valueOffset'): number =>
    block.start + (json.members.get(key)?.[part] ?? 0);

  const root = json.value;
  if (!isJsonObject(root)) {
    const message = 'The JSON block has to be an object with the keys "state_patch" and "action".';
    return rejected({ class: 'not-an-object', message, offset: block.start });
  }
  const missing = replyKeys.filter((key) => !Object.hasOwn(root, key)).map((key) => quoted(key));
  if (missing.length > 0) {
    const message = `The JSON block lacks ${listed(missing, 'and')}; its keys have to be "state_patch" and "action".`;
    return rejected({ class: 'missing-key', message, offset: block.start });
  }
  const extra = Object.keys(root).filter((key) => !isReplyKey(key));
  const [firstExtra] = extra;
  if (firstExtra !== undefined) {
    const names = listed(
      extra.map((key) => quoted(key, 40)),
      'and',
      3,
    );
    const message = `The JSON block may not have ${names}; its keys have to be exactly "state_patch" and "action".`;
    return rejected({ class: 'extra-key', message, offset: at(firstExtra, 'keyOffset') });
  }
  const patch = ownProperty(root, 'state_patch') ?? null;
  if (!isJsonObject(patch)) {
    // A list of operations that means no patch comes as a sentence that says why.
    const instead = typeof patch === 'string' ? `, not the text ${quoted(patch, 200)}` : '';
    const message = `"state_patch" has to be an object of the keys to change${instead}; {} changes nothing.`;
    return rejected({
      class: 'not-an-object',
      message,
      pointer: '',
      offset: at('state_patch', 'valueOffset'),
    });
  }
  const action = ownProperty(root, 'action') ?? null;
  if (typeof action !== 'string' || action.trim() === '' || /[\r\n]/.test(action)) {
    const fault =
      typeof action !== 'string' ? 'a string' : action.trim() === '' ? 'a command, not blank' : 'on one line';
    return rejected({
      class: 'action',
      message: `"action" has to be ${fault}.`,
      offset: at('action', 'valueOffset'),
    });
  }
  const prose = [text.slice(0, block.fenceStart).trim(), text.slice(block.fenceEnd).trim()];
  const reasoning = prose.filter((part) => part !== '').join('\n\n');
  return { ok: true, reply: { reasoning, patch, action, block: { start: block.start, end: block.end } } };
}

function rejected(rejection: Rejection): ReplyParse {
  return { ok: false, rejection };
}

function isReplyKey(key: string): boolean {
  return (replyKeys as readonly string[]).includes(key);
}

/**
 * Where a JSON Pointer into the patch stands in the reply: a member with its key, or an array's item, as UTF-16 offsets.
 * Undefined where the patch has no such place.
 */
export function locateInReply(
  text: string,
  reply: Pick<ParsedReply, 'block'>,
  patchPointer: string,
): { start: number; end: number } | undefined {
  const path = parsePointer(patchPointer);
  return path && createReplyLocator(text, reply)(['state_patch', ...path]).whole;
}

/** Where a path leads that begins in a reply's block. */
export interface ReplyPlace {
  /** A member with its key, or an array's item, in UTF-16 offsets; undefined where the block has no such place. */
  readonly whole: { start: number; end: number } | undefined;
  /** The same, or the nearest place around it that the block has. */
  readonly nearest: { start: number; end: number };
}

/** Reads the block once, for any number of places in it. */
export function createReplyLocator(
  text: string,
  { block }: Pick<ParsedReply, 'block'>,
): (path: readonly string[]) => ReplyPlace {
  const root = parseTree(text.slice(block.start, block.end));
  return (path) => {
    let value: Node | undefined = root;
    let place = root;
    let isWhole = root !== undefined;
    for (const token of path) {
      const child = childOf(value, token);
      if (child === undefined) {
        isWhole = false;
        break;
      }
      place = child;
      value = child.type === 'property' ? child.children?.[1] : child;
    }
    const start = block.start + (place?.offset ?? 0);
    const nearest = { start, end: place === undefined ? block.end : start + place.length };
    return { whole: isWhole ? nearest : undefined, nearest };
  };
}

function childOf(node: Node | undefined, token: string): Node | undefined {
  if (node?.type === 'object') return node.children?.find((member) => member.children?.[0]?.value === token);
  if (node?.type === 'array') return node.children?.find((_item, index) => String(index) === token);
  return undefined;
}
