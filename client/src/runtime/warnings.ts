/** What is not wrong enough to reject, and yet is what models get wrong (the paper's section 5.7). */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';
import type { MatchedAction } from '../../../schemas/skill/actionSignature';
import type { StateSchema } from '../../../schemas/state/stateSchema';
import { declaredNames } from './declaredNames';
import { jsonEqual } from './jsonEquality';
import { counted, quoted, shortened } from './quotation';
import { containsToken } from './wholeToken';

export const warningClasses = [
  'array-shrunk',
  'keys-erased',
  'repeated-patch',
  'unknown-argument',
  'state-over-budget',
  'diverged',
] as const;

export type WarningClass = (typeof warningClasses)[number];

export interface Warning {
  readonly class: WarningClass;
  /** One sentence. */
  readonly message: string;
  /** JSON Pointer into Σ, where the warning is about a place in it. */
  readonly pointer?: string;
}

/**
 * Warnings about a patch that is being committed: `array-shrunk` (an array replaced by a shorter one), `keys-erased`
 * (an object with keys deleted or replaced as a whole), `repeated-patch` (the previous commit's patch again) and
 * `state-over-budget` (more serialised UTF-8 bytes than `stateBytesBudget`).
 */
export function mergeWarnings(input: {
  before: JsonObject;
  after: JsonObject;
  patch: JsonObject;
  previousPatch: JsonObject | undefined;
  stateBytesBudget?: number;
}): readonly Warning[] {
  const warnings = lossWarnings(input.before, input.after, input.patch);
  const { patch, previousPatch, stateBytesBudget } = input;
  if (previousPatch !== undefined && Object.keys(patch).length > 0 && jsonEqual(patch, previousPatch)) {
    warnings.push({ class: 'repeated-patch', message: 'The patch is the same as the previous one.' });
  }
  if (stateBytesBudget !== undefined) {
    const bytes = utf8Length(JSON.stringify(input.after));
    if (bytes > stateBytesBudget) {
      const message = `The state takes ${bytes} bytes, more than its budget of ${stateBytesBudget}.`;
      warnings.push({ class: 'state-over-budget', message });
    }
  }
  return warnings;
}

/** Follows the patch alone, so that the cost is the patch's, not Σ's. */
function lossWarnings(before: JsonObject, after: JsonObject, patch: JsonObject): Warning[] {
  const warnings: Warning[] = [];
  const pending: { path: JsonPath; old: JsonObject; now: JsonValue | undefined; patch: JsonObject }[] = [
    { path: [], old: before, now: after, patch },
  ];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const [key, value] of Object.entries(at.patch)) {
      const old = ownProperty(at.old, key);
      if (old === undefined || old === null || typeof old !== 'object') continue;
      const path = [...at.path, key];
      const now = isJsonObject(at.now) ? ownProperty(at.now, key) : undefined;
      if (isJsonObject(value)) {
        if (isJsonObject(old)) pending.push({ path, old, now, patch: value });
      } else {
        const warning = lossAt(formatPointer(path), old, value, now);
        if (warning !== undefined) warnings.push(warning);
      }
    }
  }
  return warnings;
}

function lossAt(
  pointer: string,
  old: JsonArray | JsonObject,
  value: JsonValue,
  now: JsonValue | undefined,
): Warning | undefined {
  if (isJsonObject(old)) {
    const keys = Object.keys(old).length;
    if (keys === 0) return undefined;
    const what = value === null ? 'Deleting' : 'Replacing';
    const message = `${what} ${shortened(pointer, 80)} erased ${counted(keys, 'key')}.`;
    return { class: 'keys-erased', message, pointer };
  }
  if (!Array.isArray(value) || !Array.isArray(now) || now.length >= old.length) return undefined;
  const message = `${shortened(pointer, 80)} went from ${counted(old.length, 'item')} to ${now.length}.`;
  return { class: 'array-shrunk', message, pointer };
}

/**
 * `unknown-argument`: an argument of the action that stands as a whole token in none of P, Σ_t and O_t, and lies in no
 * declared range: the environment's (`declares`), or the schema's enums, constants and key patterns. Upper and lower case
 * are alike: `bread` is the "Bread" of an observation. Not looked at are free text (an argument that takes the rest of
 * the line), plain numbers (amounts are worked out, not read) and single characters.
 */
export function argumentWarnings(input: {
  matched: MatchedAction | undefined;
  instructions: string;
  state: JsonObject;
  observation: string;
  stateSchema: StateSchema;
  declares?: (name: string) => boolean;
}): readonly Warning[] {
  const { matched } = input;
  if (matched === undefined) return [];
  const warnings: Warning[] = [];
  for (const [index, argument] of matched.arguments.entries()) {
    const parameter = matched.signature.parameters[index];
    if (parameter?.rest || isNoName(argument) || isKnown(argument, input)) continue;
    const name = parameter ? ` (${parameter.name})` : '';
    const message = `The argument ${quoted(argument)}${name} of ${quoted(matched.signature.name)} appears in none of instructions, state and observation.`;
    warnings.push({ class: 'unknown-argument', message });
  }
  return warnings;
}

function isNoName(argument: string): boolean {
  return [...argument].length < 2 || /^[-+]?\d+(?:\.\d+)?$/.test(argument);
}

type Contains = (text: string, token: string) => boolean;

const containsInAnyCase: Contains = (text, token) => containsToken(text.toLowerCase(), token.toLowerCase());

function isKnown(argument: string, input: Parameters<typeof argumentWarnings>[0]): boolean {
  return (
    input.declares?.(argument) === true ||
    declaredNames(input.stateSchema).has(argument) ||
    // As written nearly always, and without a copy of every text.
    isMentioned(argument, input, containsToken) ||
    isMentioned(argument, input, containsInAnyCase)
  );
}

function isMentioned(
  argument: string,
  { observation, instructions, state }: Parameters<typeof argumentWarnings>[0],
  contains: Contains,
): boolean {
  return (
    contains(observation, argument) ||
    contains(instructions, argument) ||
    stateMentions(state, argument, contains)
  );
}

function stateMentions(state: JsonObject, argument: string, contains: Contains): boolean {
  const pending: JsonValue[] = [state];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as JsonArray) pending.push(item);
    } else if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        if (contains(key, argument)) return true;
        pending.push(child);
      }
    } else if (value !== null && contains(String(value), argument)) {
      return true;
    }
  }
  return false;
}

const maxNamedPaths = 3;

/**
 * `diverged`: Σ differs from the world's truth. A path is stale where Σ says something else than the world or something
 * the world no longer has, and omitted where Σ lacks it. Only the top-level fields that `truth` has are compared.
 */
export function divergenceWarning(state: JsonObject, truth: JsonObject): Warning | undefined {
  const stale: string[] = [];
  const omitted: string[] = [];
  const pending: { path: JsonPath; ours: JsonObject; theirs: JsonObject }[] = [];
  const compare = (path: JsonPath, ours: JsonValue | undefined, theirs: JsonValue | undefined): void => {
    if (isJsonObject(ours) && isJsonObject(theirs)) pending.push({ path, ours, theirs });
    else if (ours === undefined) omitted.push(formatPointer(path));
    else if (theirs === undefined || !jsonEqual(ours, theirs)) stale.push(formatPointer(path));
  };
  for (const key of Object.keys(truth)) compare([key], ownProperty(state, key), ownProperty(truth, key));
  // Appended to while it is read, so that the first paths named are the outermost.
  for (const { path, ours, theirs } of pending) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      const [our, their] = [ownProperty(ours, key), ownProperty(theirs, key)];
      if (our !== their) compare([...path, key], our, their);
    }
  }
  const pointer = stale[0] ?? omitted[0];
  if (pointer === undefined) return undefined;
  const parts = [
    ...(stale.length > 0 ? [`${stale.length} stale (${firstPaths(stale)})`] : []),
    ...(omitted.length > 0 ? [`${omitted.length} omitted (${firstPaths(omitted)})`] : []),
  ];
  return { class: 'diverged', message: `The state differs from the world: ${parts.join(', ')}.`, pointer };
}

function firstPaths(pointers: readonly string[]): string {
  const named = pointers.slice(0, maxNamedPaths).map((pointer) => shortened(pointer, 60));
  return pointers.length > maxNamedPaths ? `${named.join(', ')}, …` : named.join(', ');
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
