/** Subschemas that hold for one value together: what a subschema refers to and combines, and what describes its children. */
import { formatPointer, parsePointer, valueAt } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import { compilePattern } from '../text/safePattern';
import type { StateSchema } from './stateSchema';

/** A subschema and its JSON Pointer. */
export interface Place {
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** A subschema that is an object, as all are that say anything. */
export interface ObjectPlace extends Place {
  readonly schema: JsonObject;
}

/** What holds for one value. */
export interface Conjunction {
  /** In the order found: where it starts, then what that refers to and combines by `allOf`. */
  readonly places: readonly ObjectPlace[];
  /** True where one of the parts is `false`. */
  readonly impossible: boolean;
  /** Each a choice, one of which holds too: `anyOf`, `oneOf`, `then` and `else`. */
  readonly choices: readonly { readonly pointer: string; readonly branches: readonly Place[] }[];
}

/** Bounds what one value's subschemas cost; none of ours comes near. */
const maxPlaces = 256;

/** How many keys are compared with patterns for one schema. */
const maxPatternTests = 5_000;

/** Finds the places of one schema. */
export class BoundPlaces {
  readonly #schema: StateSchema;
  readonly #byPointer = new Map<string, Place>();
  #patternTests = 0;

  constructor(schema: StateSchema) {
    this.#schema = schema;
  }

  /** The subschema at a pointer; undefined where there is none. */
  at(pointer: string): Place | undefined {
    let place = this.#byPointer.get(pointer);
    if (place === undefined) {
      const path = parsePointer(pointer);
      const schema = path && valueAt(this.#schema.schema, path);
      if (schema === undefined) return undefined;
      place = { pointer, schema };
      this.#byPointer.set(pointer, place);
    }
    return place;
  }

  /** Everything that holds where all of `starts` do. Beyond a limit some is left out, which only makes bounds larger. */
  conjunction(starts: readonly Place[]): Conjunction {
    const [only] = starts;
    if (only !== undefined && starts.length === 1 && isSimple(only))
      return { places: [only], impossible: false, choices: noChoices };
    const found = new Map<string, ObjectPlace>();
    const choices: { pointer: string; branches: Place[] }[] = [];
    let impossible = false;
    const pending = [...starts].reverse();
    for (let place = pending.pop(); place !== undefined && found.size < maxPlaces; place = pending.pop()) {
      const { pointer, schema } = place;
      if (schema === false) impossible = true;
      if (!isJsonObject(schema) || found.has(pointer)) continue;
      found.set(pointer, { pointer, schema });
      pending.push(...this.#referenced(pointer, schema), ...listPlaces(pointer, schema, 'allOf'));
      for (const keyword of ['anyOf', 'oneOf']) {
        const branches = listPlaces(pointer, schema, keyword);
        if (branches.length > 0) choices.push({ pointer: `${pointer}/${keyword}`, branches });
      }
      const conditional = ['then', 'else'].flatMap((keyword) => schemaPlaces(pointer, schema, keyword));
      if (conditional.length === 2 && Object.hasOwn(schema, 'if'))
        choices.push({ pointer: `${pointer}/if`, branches: conditional });
    }
    return { places: [...found.values()], impossible, choices };
  }

  #referenced(pointer: string, schema: JsonObject): Place[] {
    // Where that leads depends on where one comes from.
    if (Object.hasOwn(schema, '$dynamicRef')) return [];
    return (this.#schema.references.get(pointer) ?? []).flatMap((target) => this.at(target) ?? []);
  }

  /** The subschemas that hold for the value of a key. */
  property(parents: readonly ObjectPlace[], key: string): readonly Place[] {
    const found: Place[] = [];
    for (const { pointer, schema } of parents) {
      const before = found.length;
      const declared = ownProperty(schema, 'properties');
      const own = isJsonObject(declared) ? ownProperty(declared, key) : undefined;
      if (own !== undefined) found.push({ pointer: below(pointer, 'properties', key), schema: own });
      if (!Object.hasOwn(schema, 'patternProperties')) {
        if (own === undefined) found.push(...schemaPlaces(pointer, schema, 'additionalProperties'));
        continue;
      }
      let unsure = false;
      const matching = entryPlaces(pointer, schema, 'patternProperties', (source) => {
        unsure ||= this.#patternTests >= maxPatternTests;
        if (unsure) return false;
        this.#patternTests++;
        const pattern = compilePattern(source);
        return pattern.ok && pattern.test(key);
      });
      found.push(...matching);
      if (found.length === before && !unsure)
        found.push(...schemaPlaces(pointer, schema, 'additionalProperties'));
    }
    return found;
  }
}

const noChoices: Conjunction['choices'] = [];

/** Keywords that bring in other subschemas for the same value. */
const combining = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', '$dynamicRef'];

function isSimple(place: Place): place is ObjectPlace {
  const { schema } = place;
  return isJsonObject(schema) && !combining.some((keyword) => Object.hasOwn(schema, keyword));
}

/** The pointer of an entry of a keyword's map; made for every property, so kept cheap. */
function below(pointer: string, keyword: string, name: string): string {
  const isPlain = !name.includes('/') && !name.includes('~');
  return isPlain ? `${pointer}/${keyword}/${name}` : pointer + formatPointer([keyword, name]);
}

/** The subschemas in a list, such as `allOf`. */
export function listPlaces(pointer: string, schema: JsonObject, keyword: string): Place[] {
  const list = ownProperty(schema, keyword);
  if (!Array.isArray(list)) return [];
  return list.map((item: JsonValue, index) => ({ pointer: `${pointer}/${keyword}/${index}`, schema: item }));
}

/** The subschema that is a keyword's value, if it is one. */
export function schemaPlaces(pointer: string, schema: JsonObject, keyword: string): Place[] {
  const value = ownProperty(schema, keyword);
  if (!isJsonObject(value) && typeof value !== 'boolean') return [];
  return [{ pointer: `${pointer}/${keyword}`, schema: value }];
}

/** The subschemas in a map, such as `properties`, whose names are taken. */
export function entryPlaces(
  pointer: string,
  schema: JsonObject,
  keyword: string,
  takes: (name: string) => boolean,
): Place[] {
  const map = ownProperty(schema, keyword);
  if (!isJsonObject(map)) return [];
  return Object.keys(map).flatMap((name) => {
    const entry = takes(name) ? ownProperty(map, name) : undefined;
    return entry === undefined ? [] : [{ pointer: below(pointer, keyword, name), schema: entry }];
  });
}
