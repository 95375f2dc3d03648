/** Σ ⊕ ΔΣ: JSON Merge Patch (RFC 7396) with structural sharing, and the array policies of a state schema. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';
import type { MergePolicy } from '../../../schemas/state/stateSchema';
import { canonicalJson, jsonEqual } from './jsonEquality';

/**
 * One leaf of a patch: a value it sets or a key it deletes. Of a new object its leaves are the writes, or the object's
 * own path where it ends up empty; deleting an object is one write.
 */
export interface Write {
  readonly path: JsonPath;
  readonly kind: 'set' | 'delete';
  /** False where Σ already had that very value, or had nothing to delete. */
  readonly changed: boolean;
}

/** Items that gave way to newer ones (`x-evict: oldest`). */
export interface Eviction {
  /** The array's path. */
  readonly path: JsonPath;
  readonly removed: JsonArray;
}

/** The part of a state schema that ⊕ needs. */
export interface MergePolicies {
  readonly hasMergePolicies: boolean;
  mergePolicyAt(path: JsonPath): MergePolicy;
}

/** Σ' and how it came about. Subtrees that the patch left alone are the same objects as in Σ. */
export interface MergeResult {
  readonly state: JsonObject;
  readonly writes: readonly Write[];
  readonly evictions: readonly Eviction[];
}

/** An object of the patch that is being merged, and what has become of its counterpart so far. */
interface Frame {
  readonly parent: Frame | undefined;
  /** The key under which it stands in its parent. */
  readonly key: string;
  readonly patch: JsonObject;
  readonly keys: readonly string[];
  /** What the target has here; empty where it has no object. */
  readonly base: JsonObject;
  /** True where the target has no object here, so that even an empty patch makes one. */
  readonly isNew: boolean;
  next: number;
  draft: Record<string, JsonValue> | undefined;
}

/** What the merge of objects asks and tells about single members. */
interface MemberMerge {
  /** The value that stands where the patch has `value`, neither null nor an object; `current` itself where it is equal. */
  replace(frame: Frame, key: string, current: JsonValue | undefined, value: JsonValue): JsonValue;
  deleted(frame: Frame, key: string, existed: boolean): void;
  createdEmpty(frame: Frame): void;
}

const emptyObject: JsonObject = {};

function openFrame(
  parent: Frame | undefined,
  key: string,
  target: JsonValue | undefined,
  patch: JsonObject,
): Frame {
  const isNew = !isJsonObject(target);
  const base = isNew ? emptyObject : target;
  const draft = isNew ? {} : undefined;
  return { parent, key, patch, keys: Object.keys(patch), base, isNew, next: 0, draft };
}

function draftOf(frame: Frame): Record<string, JsonValue> {
  frame.draft ??= { ...frame.base };
  return frame.draft;
}

function setMember(frame: Frame, key: string, value: JsonValue): void {
  if (frame.draft === undefined && ownProperty(frame.base, key) === value) return;
  defineOwnProperty(draftOf(frame), key, value);
}

/** Merges two objects with a stack of its own, so that a patch of any depth is safe. */
function mergeObjects(target: JsonValue | undefined, patch: JsonObject, members: MemberMerge): JsonObject {
  let frame = openFrame(undefined, '', target, patch);
  for (;;) {
    const key = frame.keys[frame.next++];
    if (key === undefined) {
      const merged: JsonObject = frame.draft ?? frame.base;
      if (frame.isNew && Object.keys(merged).length === 0) members.createdEmpty(frame);
      if (frame.parent === undefined) return merged;
      setMember(frame.parent, frame.key, merged);
      frame = frame.parent;
      continue;
    }
    const value = frame.patch[key] ?? null;
    const current = ownProperty(frame.base, key);
    if (value === null) {
      members.deleted(frame, key, current !== undefined);
      if (current !== undefined) delete draftOf(frame)[key];
    } else if (isJsonObject(value)) {
      frame = openFrame(frame, key, current, value);
    } else {
      setMember(frame, key, members.replace(frame, key, current, value));
    }
  }
}

const plainMembers: MemberMerge = {
  replace: (_frame, _key, current, value) =>
    current !== undefined && jsonEqual(current, value) ? current : value,
  deleted: () => {},
  createdEmpty: () => {},
};

/** RFC 7396's MergePatch(Target, Patch), for any JSON values. Neither argument is changed. */
export function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (isJsonObject(patch)) return mergeObjects(target, patch, plainMembers);
  return jsonEqual(target, patch) ? target : patch;
}

function pathOf(frame: Frame, key?: string): JsonPath {
  const path: string[] = [];
  if (key !== undefined) path.push(key);
  for (let at: Frame = frame; at.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

function union(current: JsonArray, added: JsonArray): JsonArray {
  const present = new Set(current.map(canonicalJson));
  const fresh = added.filter((item) => {
    const text = canonicalJson(item);
    if (present.has(text)) return false;
    present.add(text);
    return true;
  });
  return fresh.length === 0 ? current : [...current, ...fresh];
}

function combine(current: JsonArray, added: JsonArray, merge: 'append' | 'union'): JsonArray {
  if (merge === 'union') return union(current, added);
  return added.length === 0 ? current : [...current, ...added];
}

/**
 * Σ ⊕ ΔΣ: RFC 7396, except that a patch's array is appended or united with Σ's where `policies` say so (`x-merge`),
 * after which the oldest items give way (`x-evict: oldest`) until `maxItems` holds. `null` deletes under every
 * policy. The result is not validated.
 */
export function applyPatch(state: JsonObject, patch: JsonObject, policies?: MergePolicies): MergeResult {
  const writes: Write[] = [];
  const evictions: Eviction[] = [];

  function mergeArray(path: JsonPath, current: JsonValue | undefined, added: JsonArray): JsonValue {
    const policy = policies?.hasMergePolicies ? policies.mergePolicyAt(path) : undefined;
    if (policy === undefined || policy.merge === 'replace') return added;
    const merged = combine(Array.isArray(current) ? (current as JsonArray) : [], added, policy.merge);
    const excess =
      policy.evict === 'oldest' && policy.maxItems !== undefined ? merged.length - policy.maxItems : 0;
    if (excess <= 0) return merged;
    evictions.push({ path, removed: merged.slice(0, excess) });
    return merged.slice(excess);
  }

  const members: MemberMerge = {
    replace(frame, key, current, value) {
      const path = pathOf(frame, key);
      const next = Array.isArray(value) ? mergeArray(path, current, value as JsonArray) : value;
      const changed = current === undefined || !jsonEqual(current, next);
      writes.push({ path, kind: 'set', changed });
      return changed || current === undefined ? next : current;
    },
    deleted: (frame, key, existed) =>
      writes.push({ path: pathOf(frame, key), kind: 'delete', changed: existed }),
    createdEmpty: (frame) => writes.push({ path: pathOf(frame), kind: 'set', changed: true }),
  };

  return { state: mergeObjects(state, patch, members), writes, evictions };
}
