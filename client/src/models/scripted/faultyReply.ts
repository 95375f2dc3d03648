/** Spoils a right decision by a fault: the reply that a model would have given that makes this mistake. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { type Fault, pick } from './faults';
import type { Decision } from './policy';
import { blockText, replyText } from './replyText';

/** A dictionary field of Σ, as it was and as the decision's patch changes it. */
interface Field {
  readonly name: string;
  readonly before: JsonObject;
  readonly changes: JsonObject;
}

/**
 * The reply to a prompt, with the mistake in it. Where a variant has nothing to spoil (no other entry to delete, say)
 * another of the same class is made, so that the classes keep their shares.
 */
export function faultyReply(decision: Decision, state: JsonObject, fault: Fault): string {
  const { reasoning, patch, action } = decision;
  switch (fault.class) {
    case 'overwrite':
      return replyText(reasoning, blockText(overwrite(fieldOf(state, patch), fault), action));
    case 'coercion':
      return replyText(reasoning, blockText(coerce(fieldOf(state, patch), fault), action));
    case 'syntax':
      return breakSyntax(decision, fault);
  }
}

/** The field that the patch writes, or, of an empty patch, the first dictionary of Σ. */
function fieldOf(state: JsonObject, patch: JsonObject): Field {
  const names = [...Object.keys(patch), ...Object.keys(state)];
  const name =
    names.find((key) => isJsonObject(ownProperty(patch, key) ?? ownProperty(state, key))) ?? 'state';
  return {
    name,
    before: dictionary(ownProperty(state, name)),
    changes: dictionary(ownProperty(patch, name)),
  };
}

function dictionary(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Mostly valid by the schema, and wrong: entries that are lost, or that should have gone and stay. */
function overwrite(field: Field, { variant, place }: Fault): JsonObject {
  const { name, before, changes } = field;
  const entries = Object.entries(changes);
  const others = Object.keys(before).filter((key) => !Object.hasOwn(changes, key));
  const other = pick(others, place);
  const variants: JsonObject[] = [];
  if (other !== undefined) variants.push({ [name]: { ...changes, [other]: null } });
  if (entries.some(([, value]) => value === null)) {
    // The state is resent whole with the new entries, and what had to be deleted is still there.
    variants.push({
      [name]: { ...before, ...Object.fromEntries(entries.filter(([, value]) => value !== null)) },
    });
  } else if (entries.length > 0 && Object.keys(before).length > 0) {
    // The state is resent whole as it was, without the new entry.
    variants.push({ [name]: before });
  }
  if (variants.length === 0 || Object.keys(before).length > 0) variants.push({ [name]: null });
  return pick(variants, variant) ?? { [name]: null };
}

/** A list for a dictionary, a number for a string, operations for a patch. */
function coerce({ name, before, changes }: Field, { variant }: Fault): JsonValue {
  const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null);
  const list = after.map(([key, value]) => ({ key, value }));
  const operations = Object.entries(changes).map(([key, value]) =>
    value === null
      ? { op: 'remove', path: `/${name}/${key}` }
      : { op: 'add', path: `/${name}/${key}`, value },
  );
  const variants: JsonValue[] = [{ [name]: list }, operations];
  const numbered = Object.entries(changes).map(([key, value]) => [key, numberIn(value)] as const);
  if (numbered.some(([key, value]) => value !== changes[key])) {
    variants.push({ [name]: Object.fromEntries(numbered) });
  }
  return pick(variants, variant) ?? operations;
}

/** `item_12` becomes 12; what has no number stays. */
function numberIn(value: JsonValue): JsonValue {
  const digits = typeof value === 'string' ? /\d+/.exec(value)?.[0] : undefined;
  return digits === undefined ? value : Number(digits);
}

/** A reply that is no JSON, or not the JSON that was asked for. */
function breakSyntax({ reasoning, patch, action }: Decision, { variant }: Fault): string {
  const block = blockText(patch, action);
  const variants = [
    // A trailing comma.
    replyText(reasoning, block.replace(/\}$/, ',}')),
    // The last brace is missing.
    replyText(reasoning, block.slice(0, -1)),
    // Single quotes.
    replyText(reasoning, block.replaceAll('"', "'")),
    // A semicolon between the two keys.
    replyText(reasoning, block.replace(',"action":', ';"action":')),
    // No fence.
    `${reasoning}\n\n${block}\n`,
    // A third key.
    replyText(reasoning, JSON.stringify({ state_patch: patch, action, reasoning })),
  ];
  return pick(variants, variant) ?? block;
}
