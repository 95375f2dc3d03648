/** Where two prompts differ, in the words of their parts: what a recording was asked, and what is asked now. */
import { isDeeperThan } from '../../../schemas/json/jsonDepth';
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import type { PromptParts } from '../runtime/prompt';
import { listed, quoted, shortened } from '../runtime/quotation';

/** A value in a message takes at most so many characters. */
const shownLength = 60;
/** Characters that are shown before the place where texts part. */
const shownBefore = 20;
/** What nests deeper isn't written out. */
const shownDepth = 200;

/**
 * The first part that differs, with where in it and what stands there on either side; the others by name. The rest of a
 * sentence, without its full stop.
 */
export function promptDifference(recorded: PromptParts, now: PromptParts): string {
  const parts: readonly (readonly [string, string | undefined])[] = [
    ['instructions', textDifference(recorded.instructions, now.instructions)],
    ['state', recorded.stateText === now.stateText ? undefined : stateDifference(recorded, now)],
    ['observation', textDifference(recorded.observation, now.observation)],
    ['correction', correctionDifference(recorded.correction, now.correction)],
  ];
  const differing = parts.filter((part): part is readonly [string, string] => part[1] !== undefined);
  const [first, ...others] = differing;
  if (first === undefined) return 'its parts are the same, and the text around them differs';
  const [name, how] = first;
  const rest = listed(
    others.map(([other]) => `the ${other}`),
    'and',
  );
  const also = others.length === 0 ? '' : `; ${rest} ${others.length === 1 ? 'differs' : 'differ'} too`;
  const verb = name === 'instructions' ? 'differ' : 'differs';
  return `the ${name} ${verb}${how}${also}`;
}

function correctionDifference(recorded: string | undefined, now: string | undefined): string | undefined {
  if (recorded === undefined || now === undefined) {
    if (recorded === now) return undefined;
    return recorded === undefined
      ? `: none is recorded, and here it is ${quoted(now ?? '', shownLength)}`
      : `: ${quoted(recorded, shownLength)} is recorded, and here there is none`;
  }
  return textDifference(recorded, now);
}

function textDifference(recorded: string, now: string): string | undefined {
  if (recorded === now) return undefined;
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at += 1;
  const line = recorded.slice(0, at).split('\n').length;
  const where = recorded.includes('\n') || now.includes('\n') ? ` in line ${line}` : '';
  return `${where}: ${around(recorded, at)} is recorded, and here it is ${around(now, at)}`;
}

function around(text: string, at: number): string {
  const start = Math.max(0, at - shownBefore);
  return quoted(`${start > 0 ? '…' : ''}${text.slice(start, at + shownLength)}`, shownLength);
}

function stateDifference(recorded: PromptParts, now: PromptParts): string {
  const difference = firstDifference(JSON.parse(recorded.stateText), JSON.parse(now.stateText));
  if (difference === undefined) return ' in how it is written';
  const { path, recorded: before, now: after, isOrder } = difference;
  const place = path.length === 0 ? '' : ` at ${shortened(formatPointer(path), 120)}`;
  if (isOrder) return `${place} in the order of its keys`;
  return `${place}: ${shown(before)} is recorded, and here ${after === undefined ? 'there is nothing' : `it is ${shown(after)}`}`;
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null && isDeeperThan(value, shownDepth)) return 'something deep';
  return shortened(JSON.stringify(value), shownLength);
}

export interface ValueDifference {
  readonly path: JsonPath;
  /** Undefined where there is nothing. */
  readonly recorded: JsonValue | undefined;
  readonly now: JsonValue | undefined;
  /** The values are the same, and their keys come in another order. */
  readonly isOrder: boolean;
}

interface Place {
  readonly recorded: JsonValue | undefined;
  readonly now: JsonValue | undefined;
  readonly key: string;
  readonly parent: Place | undefined;
}

/** The first difference in the order in which the recorded value is written, at any depth without recursion. */
export function firstDifference(recorded: JsonValue, now: JsonValue): ValueDifference | undefined {
  const open: Place[] = [{ recorded, now, key: '', parent: undefined }];
  let reordered: Place | undefined;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.recorded === place.now) continue;
    const left = childrenOf(place.recorded);
    const right = childrenOf(place.now);
    if (left === undefined || right === undefined || left.isArray !== right.isArray) {
      return { path: pathOf(place), recorded: place.recorded, now: place.now, isOrder: false };
    }
    const known = new Set(left.keys);
    const keys = [...left.keys, ...right.keys.filter((key) => !known.has(key))];
    if (left.keys.some((key, index) => right.keys[index] !== key)) reordered ??= place;
    for (const key of keys.reverse())
      open.push({ recorded: left.get(key), now: right.get(key), key, parent: place });
  }
  return (
    reordered && {
      path: pathOf(reordered),
      recorded: reordered.recorded,
      now: reordered.now,
      isOrder: true,
    }
  );
}

interface Children {
  readonly isArray: boolean;
  readonly keys: readonly string[];
  get(key: string): JsonValue | undefined;
}

/** Undefined for what has none. */
function childrenOf(value: JsonValue | undefined): Children | undefined {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return { isArray: true, keys: Object.keys(items), get: (key) => items[Number(key)] };
  }
  if (!isJsonObject(value)) return undefined;
  return { isArray: false, keys: Object.keys(value), get: (key) => ownProperty(value, key) };
}

function pathOf(place: Place): JsonPath {
  const path: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
