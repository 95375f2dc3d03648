/**
 * Which paths a step wrote, in 64 bits: enough to say of most steps that they left a path alone, never wrong about one
 * that they wrote (a Bloom filter of paths and of what lies above them).
 */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject } from '../../../schemas/json/jsonValue';

/** How many tokens of a path are looked at; what lies deeper counts as its third token. */
const depth = 3;
/** A patch with more members than this may have written anything. */
const maxMembers = 256;

/** The bits of a step's writes. */
export interface PathBits {
  low: number;
  high: number;
}

const start = 0x811c9dc5;
/** Sets a path that was written as a whole apart from one that writes only lead through. */
const wholly = 0x5bd1e995;

/** Adds the writes of a patch. */
export function addPatch(bits: PathBits, patch: JsonObject): void {
  let members = 0;
  const open: { readonly value: JsonObject; readonly hash: number; readonly level: number }[] = [
    { value: patch, hash: start, level: 0 },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const keys = Object.keys(next.value);
    members += keys.length;
    if (members > maxMembers) {
      addEverything(bits);
      return;
    }
    // An empty object makes an object where none is, or writes nothing.
    if (keys.length === 0 && next.level > 0) addHash(bits, next.hash ^ wholly);
    for (const key of keys) {
      const hash = extended(next.hash, key);
      const value = next.value[key];
      addHash(bits, hash);
      if (isJsonObject(value) && next.level + 1 < depth) open.push({ value, hash, level: next.level + 1 });
      else if (!isJsonObject(value)) addHash(bits, hash ^ wholly);
    }
  }
}

/** Adds a write of one path. */
export function addPath(bits: PathBits, path: JsonPath): void {
  if (path.length === 0) {
    addEverything(bits);
    return;
  }
  let hash = start;
  for (const token of path.slice(0, depth)) {
    hash = extended(hash, token);
    addHash(bits, hash);
  }
  // What lies at an array's index moves when items come and go.
  hash = start;
  for (const token of path.slice(0, depth)) {
    hash = extended(hash, token);
    addHash(bits, hash ^ wholly);
  }
}

/** False where the step has surely not written at, below or above the path. */
export function mayHave({ low, high }: Readonly<PathBits>, path: JsonPath): boolean {
  if (path.length === 0) return low !== 0 || high !== 0;
  let hash = start;
  for (const [index, token] of path.slice(0, depth).entries()) {
    hash = extended(hash, token);
    const isLast = index === Math.min(path.length, depth) - 1;
    if (has(low, high, isLast ? hash : hash ^ wholly)) return true;
  }
  return false;
}

function addEverything(bits: PathBits): void {
  bits.low = 0xffff_ffff;
  bits.high = 0xffff_ffff;
}

/** Two bits for each hash. */
function addHash(bits: PathBits, hash: number): void {
  for (const bit of [firstBit(hash), secondBit(hash)]) {
    if (bit < 32) bits.low = (bits.low | (1 << bit)) >>> 0;
    else bits.high = (bits.high | (1 << (bit - 32))) >>> 0;
  }
}

function has(low: number, high: number, hash: number): boolean {
  return isSet(low, high, firstBit(hash)) && isSet(low, high, secondBit(hash));
}

function isSet(low: number, high: number, bit: number): boolean {
  return ((bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1) === 1;
}

function firstBit(hash: number): number {
  return mixed(hash) & 63;
}

function secondBit(hash: number): number {
  return (mixed(hash) >>> 8) & 63;
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (once ^ (once >>> 13)) >>> 0;
}

/** The hash of a path with one more token (FNV-1a over its UTF-16 units). */
function extended(hash: number, token: string): number {
  let next = Math.imul(hash ^ 0x2f, 0x01000193);
  for (let index = 0; index < token.length; index++)
    next = Math.imul(next ^ token.charCodeAt(index), 0x01000193);
  return next;
}
