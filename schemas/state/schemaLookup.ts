/** Which subschemas describe the value at a path of Σ. Asked for every key of every patch, so answers are kept. */
import { formatPointer, type JsonPath, parsePointer, valueAt } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import { compilePattern } from '../text/safePattern';
import type { SchemaIndex } from './schemaIndex';
import type { MergePolicy } from './stateSchema';

/** A subschema and where it stands. */
interface Place {
  readonly pointer: string;
  readonly schema: JsonValue;
  /** True where it holds whatever the value is; false in a branch (`anyOf`, `oneOf`, `then`, `else`) and below one. */
  readonly certain: boolean;
}

/** What the schema says about one path of Σ. */
export interface PathDescription {
  readonly pointers: readonly string[];
  readonly subschemas: readonly JsonValue[];
  readonly places: readonly Place[];
  readonly mergePolicy: MergePolicy;
  /** True where this value, or one around it, belongs to the environment. */
  readonly environment: boolean;
}

/** Bounds what a schema with many branches costs; none of ours comes near. */
const maxPlaces = 256;
const maxCachedPaths = 20_000;
/** Longer paths are followed but not kept, since all their prefixes would be. */
const maxCachedLength = 64;

const inPlaceLists = ['allOf', 'anyOf', 'oneOf'] as const;
const inPlaceSchemas = ['then', 'else'] as const; // always branches

/** Answers for one schema. */
export class SchemaLookup {
  readonly #root: JsonValue;
  readonly #references: SchemaIndex['references'];
  readonly #cache = new Map<string, PathDescription>();
  readonly #shared = new Map<string, PathDescription>();
  #rootDescription: PathDescription | undefined;

  constructor(root: JsonValue, references: SchemaIndex['references']) {
    this.#root = root;
    this.#references = references;
  }

  /** What the schema says about a path; nothing (no pointers) where it says nothing. */
  at(path: JsonPath): PathDescription {
    this.#rootDescription ??= this.#describe([{ pointer: '', schema: this.#root, certain: true }], false);
    let description = this.#rootDescription;
    if (path.length > maxCachedLength) {
      for (const token of path) description = this.#child(description, token);
      return description;
    }
    let key = '';
    for (const token of path) {
      key += formatPointer([token]);
      let child = this.#cache.get(key);
      if (child === undefined) {
        child = this.#child(description, token);
        if (this.#cache.size >= maxCachedPaths) this.#cache.clear();
        this.#cache.set(key, child);
      }
      description = child;
    }
    return description;
  }

  /** The subschemas that hold for the value of one, itself first: through references and combinations. */
  #expand(starts: readonly Place[]): readonly Place[] {
    const found = new Map<string, Place>();
    const pending = [...starts].reverse();
    for (let place = pending.pop(); place !== undefined && found.size < maxPlaces; place = pending.pop()) {
      if (found.has(place.pointer)) continue;
      found.set(place.pointer, place);
      pending.push(...this.#inPlace(place).reverse());
    }
    return [...found.values()];
  }

  #inPlace({ pointer, schema, certain }: Place): Place[] {
    if (!isJsonObject(schema)) return [];
    const places: Place[] = [];
    for (const target of this.#references.get(pointer) ?? []) {
      const value = valueAt(this.#root, parsePointer(target) ?? []);
      if (value !== undefined) places.push({ pointer: target, schema: value, certain });
    }
    for (const keyword of inPlaceLists) {
      const list = ownProperty(schema, keyword);
      if (!Array.isArray(list)) continue;
      list.slice(0, maxPlaces).forEach((item: JsonValue, index) => {
        places.push({
          pointer: `${pointer}/${keyword}/${index}`,
          schema: item,
          certain: certain && keyword === 'allOf',
        });
      });
    }
    for (const keyword of inPlaceSchemas) {
      const value = ownProperty(schema, keyword);
      if (value !== undefined)
        places.push({ pointer: `${pointer}/${keyword}`, schema: value, certain: false });
    }
    return places;
  }

  #child(parent: PathDescription, token: string): PathDescription {
    const places: Place[] = [];
    for (const { pointer, schema, certain } of parent.places) {
      if (!isJsonObject(schema)) continue;
      for (const child of childPlaces(pointer, schema, token)) places.push({ ...child, certain });
    }
    // Most keys of a map are described alike, and then they share the answer.
    const key = places.reduce(
      (text, { pointer, certain }) => `${text}${certain ? '' : '?'}${pointer}\n`,
      `${parent.environment}\n`,
    );
    let description = this.#shared.get(key);
    if (description === undefined) {
      description = this.#describe(places, parent.environment);
      if (this.#shared.size >= maxCachedPaths) this.#shared.clear();
      this.#shared.set(key, description);
    }
    return description;
  }

  #describe(starts: readonly Place[], inEnvironment: boolean): PathDescription {
    const places = this.#expand(starts);
    const subschemas = places.map(({ schema }) => schema);
    const objects = subschemas.filter(isJsonObject);
    return {
      pointers: places.map(({ pointer }) => pointer),
      subschemas,
      places,
      mergePolicy: policyOf(objects),
      environment:
        inEnvironment || objects.some((schema) => ownProperty(schema, 'x-writer') === 'environment'),
    };
  }
}

/** A place before it is known whether it is certain. */
type ChildPlace = Omit<Place, 'certain'>;

/** The subschemas of one schema for a property or an item; which of them it is depends on the value, so both count. */
function childPlaces(pointer: string, schema: JsonObject, token: string): ChildPlace[] {
  const places = propertyPlaces(pointer, schema, token);
  if (/^(?:0|[1-9]\d*)$/.test(token)) places.push(...itemPlaces(pointer, schema, token));
  return places;
}

function propertyPlaces(pointer: string, schema: JsonObject, token: string): ChildPlace[] {
  const places: ChildPlace[] = [];
  const properties = ownProperty(schema, 'properties');
  const declared = isJsonObject(properties) ? ownProperty(properties, token) : undefined;
  if (declared !== undefined)
    places.push({ pointer: pointer + formatPointer(['properties', token]), schema: declared });
  const patterns = ownProperty(schema, 'patternProperties');
  for (const [source, value] of isJsonObject(patterns) ? Object.entries(patterns) : []) {
    const pattern = compilePattern(source);
    if (!pattern.ok || !pattern.test(token)) continue;
    places.push({ pointer: pointer + formatPointer(['patternProperties', source]), schema: value });
  }
  if (places.length > 0) return places;
  return otherwise(pointer, schema, ['additionalProperties', 'unevaluatedProperties']);
}

function itemPlaces(pointer: string, schema: JsonObject, token: string): ChildPlace[] {
  for (const keyword of ['prefixItems', 'items']) {
    const list = ownProperty(schema, keyword);
    const item = Array.isArray(list) ? (list as readonly JsonValue[])[Number(token)] : undefined;
    if (item !== undefined) return [{ pointer: `${pointer}/${keyword}/${token}`, schema: item }];
  }
  return otherwise(pointer, schema, ['items', 'additionalItems', 'unevaluatedItems']);
}

/** The first of the keywords that has a schema, for what no other keyword describes. */
function otherwise(pointer: string, schema: JsonObject, keywords: readonly string[]): ChildPlace[] {
  for (const keyword of keywords) {
    const value = ownProperty(schema, keyword);
    if (isJsonObject(value) || typeof value === 'boolean')
      return [{ pointer: `${pointer}/${keyword}`, schema: value }];
  }
  return [];
}

const replacePolicy: MergePolicy = { merge: 'replace', evict: undefined, maxItems: undefined };

function policyOf(schemas: readonly JsonObject[]): MergePolicy {
  let { merge, evict, maxItems }: MergePolicy = replacePolicy;
  for (const schema of schemas) {
    const ownMerge = ownProperty(schema, 'x-merge');
    if (merge === 'replace' && (ownMerge === 'append' || ownMerge === 'union')) merge = ownMerge;
    if (ownProperty(schema, 'x-evict') === 'oldest') evict = 'oldest';
    const ownMaximum = ownProperty(schema, 'maxItems');
    if (typeof ownMaximum === 'number') maxItems = Math.min(maxItems ?? ownMaximum, ownMaximum);
  }
  return { merge, evict, maxItems };
}
