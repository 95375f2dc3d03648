/** From a place in Σ' back to the place in the patch that led there. */
import { formatPointer, type JsonPath } from '../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';
import { jsonEqual } from './jsonEquality';

/**
 * The JSON Pointer into the patch of a place in Σ', or of its nearest ancestor that the patch has. A key that the patch
 * deletes is such a place. Items of an appended array are found by what they are, since their index is another.
 */
export function pointerIntoPatch(path: JsonPath, patch: JsonObject, merged: JsonObject): string {
  const place: string[] = [];
  let inPatch: JsonValue | undefined = patch;
  let inMerged: JsonValue | undefined = merged;
  for (const token of path) {
    if (Array.isArray(inPatch)) {
      const items: JsonArray = Array.isArray(inMerged) ? (inMerged as JsonArray) : [];
      const index = indexInPatch(Number(token), items, inPatch as JsonArray);
      if (index === undefined) break;
      place.push(String(index));
      inMerged = items[Number(token)];
      inPatch = (inPatch as JsonArray)[index];
    } else {
      const child: JsonValue | undefined = isJsonObject(inPatch) ? ownProperty(inPatch, token) : undefined;
      if (child === undefined) break;
      place.push(token);
      inMerged = isJsonObject(inMerged) ? ownProperty(inMerged, token) : undefined;
      inPatch = child;
    }
  }
  return formatPointer(place);
}

function indexInPatch(index: number, merged: JsonArray, patch: JsonArray): number | undefined {
  const item = merged[index];
  if (item === undefined) return undefined;
  const shifted = index - (merged.length - patch.length);
  for (const candidate of [shifted, index]) {
    const patched = patch[candidate];
    if (patched !== undefined && jsonEqual(patched, item)) return candidate;
  }
  const found = patch.findIndex((patched) => jsonEqual(patched, item));
  return found < 0 ? undefined : found;
}

/** The deepest place that holds everything the patch writes: `/inventory` of `{"inventory":{"a":1,"b":null}}`. */
export function commonPointer(patch: JsonObject): string {
  const place: string[] = [];
  let at: JsonValue | undefined = patch;
  while (isJsonObject(at)) {
    const [key, ...others]: readonly string[] = Object.keys(at);
    if (key === undefined || others.length > 0) break;
    place.push(key);
    at = ownProperty(at, key);
  }
  return formatPointer(place);
}
