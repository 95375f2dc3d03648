/** Lists of operations, and the one merge patch (RFC 7396) that each of them means. */
import { parsePointer } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { quoted } from '../../runtime/quotation';
import { readStrictJson } from '../../runtime/strictJson';

/** How deep a path or a value may go. */
const maxDepth = 64;

/** A member of the patch: what is written there, or the members of an object that the patch has there. */
type PatchNode = { readonly written: string } | { readonly members: Map<string, PatchNode> };

/** Thrown inside of this file for a list that means no patch; the message is a sentence for the model. */
class NoPatch extends Error {}

/**
 * The patch that a list means, as JSON text: what is set stands at its path, and null where something is deleted, whether
 * it is there or not, as in a merge patch. What is no list of JSON comes back as it is. A list that means no patch, or
 * more than one, becomes a JSON string that says why, which no reply may have in the patch's place.
 *
 * The order of operations means nothing, since a merge patch has none: a list that writes to one place twice, or into
 * what it sets or deletes, would need two patches one after the other. What merges into one without it, such as two
 * objects with different keys, is one patch. A path into a list, or into any other value that is no object, would replace
 * that value by an object, which nobody asked for.
 *
 * @param text what the model wrote, `[{"op":"set","path":"/a","value":1},{"op":"delete","path":"/b"}]`
 * @param state Σ_t
 */
export function patchOfOperations(text: string, state: JsonObject): string {
  const list = readStrictJson(text, maxDepth + 3);
  if (!list.ok || !Array.isArray(list.value)) return text;
  const root = { members: new Map<string, PatchNode>() };
  try {
    for (const [index, operation] of list.value.entries()) apply(root, operation, index + 1, state);
  } catch (error) {
    if (error instanceof NoPatch) return JSON.stringify(error.message);
    throw error;
  }
  return written(root);
}

function apply(root: PatchNode, operation: JsonValue, number: number, state: JsonObject): void {
  if (!isJsonObject(operation))
    throw new NoPatch(`Operation ${number} is no object with op, path and, to set something, value.`);
  const op = ownProperty(operation, 'op');
  if (op !== 'set' && op !== 'delete')
    throw new NoPatch(`The op of operation ${number} has to be "set" or "delete".`);
  const extra = Object.keys(operation).find((key) => !['op', 'path', 'value'].includes(key));
  if (extra !== undefined)
    throw new NoPatch(`Operation ${number} may not have the key ${quoted(extra, 40)}.`);
  const path = pathOf(operation, number);
  const shown = quoted(String(ownProperty(operation, 'path')), 80);
  checkWay(state, path, shown);
  const value = ownProperty(operation, 'value');
  if (op === 'delete') {
    if (value !== undefined && value !== null)
      throw new NoPatch(`The operation that deletes ${shown} may have no value.`);
    place(root, path, { written: 'null' }, shown);
    return;
  }
  if (value === undefined) throw new NoPatch(`The operation that sets ${shown} has no value.`);
  if (hasNull(value)) throw new NoPatch(`${shown} can't be set to null; delete it instead.`);
  place(root, path, nodeOf(value), shown);
}

function pathOf(operation: JsonObject, number: number): readonly string[] {
  const pointer = ownProperty(operation, 'path');
  const path = typeof pointer === 'string' && !/~(?![01])/.test(pointer) ? parsePointer(pointer) : undefined;
  if (path === undefined)
    throw new NoPatch(
      `The path of operation ${number} has to be a JSON Pointer, such as "/key" or "/key/inner".`,
    );
  if (path.length === 0)
    throw new NoPatch(`The path of operation ${number} is the whole state; write to its keys one by one.`);
  if (path.length > maxDepth)
    throw new NoPatch(`The path of operation ${number} is deeper than ${maxDepth} keys.`);
  return path;
}

/** A path goes through objects, or through what isn't there yet. */
function checkWay(state: JsonObject, path: readonly string[], shown: string): void {
  let value: JsonValue | undefined = state;
  for (const key of path) {
    if (Array.isArray(value)) throw new NoPatch(`${shown} leads into a list; set the list as a whole.`);
    if (value !== undefined && !isJsonObject(value))
      throw new NoPatch(`${shown} leads into what is no object.`);
    value = value === undefined ? undefined : ownProperty(value, key);
  }
}

function place(root: PatchNode, path: readonly string[], node: PatchNode, shown: string): void {
  let at = root;
  for (const [index, key] of path.entries()) {
    if (!('members' in at)) throw conflict(shown);
    const isLast = index === path.length - 1;
    const next = at.members.get(key);
    if (next === undefined) {
      const made = isLast ? node : { members: new Map<string, PatchNode>() };
      at.members.set(key, made);
      at = made;
    } else {
      if (isLast) join(next, node, shown);
      at = next;
    }
  }
}

/** Two objects in one place are one where they have no member in common. */
function join(node: PatchNode, other: PatchNode, shown: string): void {
  if (!('members' in node) || !('members' in other)) throw conflict(shown);
  for (const [key, member] of other.members) {
    const known = node.members.get(key);
    if (known === undefined) node.members.set(key, member);
    else join(known, member, shown);
  }
}

function conflict(shown: string): NoPatch {
  return new NoPatch(
    `${shown}, or something around it or in it, is written by two operations; write it once, since their order means nothing.`,
  );
}

function nodeOf(value: JsonValue): PatchNode {
  if (!isJsonObject(value)) return { written: JSON.stringify(value) };
  return { members: new Map(Object.entries(value).map(([key, member]) => [key, nodeOf(member)])) };
}

/** Null in an object would delete; in a list it is a value. */
function hasNull(value: JsonValue): boolean {
  if (!isJsonObject(value)) return value === null;
  return Object.values(value).some(hasNull);
}

function written(node: PatchNode): string {
  if (!('members' in node)) return node.written;
  const members = [...node.members].map(([key, member]) => `${JSON.stringify(key)}:${written(member)}`);
  return `{${members.join(',')}}`;
}
