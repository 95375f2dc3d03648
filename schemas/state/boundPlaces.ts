/** Subschemas that hold for one value together: what a subschema refers to and combines, and what describes its children. */
import { formatPointer, parsePointer, valueAt } from '../json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import { compilePattern } from '../text/safePattern';
import type { Dialect, StateSchema } from './stateSchema';

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
  /** Each a choice, one branch of which holds too. */
  readonly choices: readonly Choice[];
}

/** Branches of which one holds: `anyOf`, `oneOf`; `if` and `then` or else `else`; a schema of `dependentSchemas` or none. */
export interface Choice {
  readonly pointer: string;
  /** What holds together; an empty branch adds nothing. */
  readonly branches: readonly (readonly Place[])[];
  /** False for `anyOf`, of which several may hold. */
  readonly isExclusive: boolean;
}

/** Where the dialects differ in what describes items and keys. */
export interface DialectWords {
  /** The keyword that lists the schemas of a list's first items, and the one for those that follow. */
  readonly firstItems: string;
  readonly otherItems: string;
  /** True where `unevaluatedProperties` and `unevaluatedItems` mean something. */
  readonly hasUnevaluated: boolean;
}

const dialectWords: Readonly<Record<Dialect, DialectWords>> = {
  '2020-12': { firstItems: 'prefixItems', otherItems: 'items', hasUnevaluated: true },
  'draft-07': { firstItems: 'items', otherItems: 'additionalItems', hasUnevaluated: false },
};

/** Bounds what one value's subschemas cost; none of ours comes near. */
const maxPlaces = 256;

/** How many keys are compared with patterns for one schema. */
const maxPatternTests = 5_000;

/** Finds the places of one schema. */
export class BoundPlaces {
  /** What the schema's dialect knows. */
  readonly words: DialectWords;
  readonly #schema: StateSchema;
  readonly #byPointer = new Map<string, Place>();
  #patternTests = 0;

  constructor(schema: StateSchema) {
    this.#schema = schema;
    this.words = dialectWords[schema.dialect];
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
    const choices: Choice[] = [];
    let impossible = false;
    const pending = [...starts].reverse();
    for (let place = pending.pop(); place !== undefined && found.size < maxPlaces; place = pending.pop()) {
      const { pointer, schema } = place;
      if (schema === false) impossible = true;
      if (!isJsonObject(schema) || found.has(pointer)) continue;
      found.set(pointer, { pointer, schema });
      pending.push(...this.#referenced(pointer, schema), ...listPlaces(pointer, schema, 'allOf'));
      choices.push(...this.#choices(pointer, schema));
    }
    return { places: [...found.values()], impossible, choices };
  }

  #choices(pointer: string, schema: JsonObject): Choice[] {
    const choices: Choice[] = [];
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = listPlaces(pointer, schema, keyword).map((place) => [place]);
      const isExclusive = keyword === 'oneOf';
      if (branches.length > 0) choices.push({ pointer: `${pointer}/${keyword}`, branches, isExclusive });
    }
    const [condition, met, unmet] = ['if', 'then', 'else'].map((keyword) =>
      schemaPlaces(pointer, schema, keyword),
    );
    if (condition?.length === 1)
      choices.push({
        pointer: `${pointer}/if`,
        branches: [[...condition, ...(met ?? [])], unmet ?? []],
        isExclusive: true,
      });
    if (this.#schema.dialect === '2020-12')
      for (const place of entryPlaces(pointer, schema, 'dependentSchemas', () => true))
        choices.push({ pointer: place.pointer, branches: [[place], []], isExclusive: true });
    return choices;
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
const combining = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', '$dynamicRef'];

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
function entryPlaces(
  pointer: string,
  schema: JsonObject,
  keyword: string,
  takes: (name: string) => boolean,
): Place[] {
  const map = ownProperty(schema, keyword);
  if (!isJsonObject(map)) return [];
  return Object.keys(map).flatMap((name) =>
    takes(name) ? (entryPlace(pointer, schema, keyword, name) ?? []) : [],
  );
}

/** The subschema of one name in such a map. */
export function entryPlace(
  pointer: string,
  schema: JsonObject,
  keyword: string,
  name: string,
): Place | undefined {
  const map = ownProperty(schema, keyword);
  const entry = isJsonObject(map) ? ownProperty(map, name) : undefined;
  return entry === undefined ? undefined : { pointer: below(pointer, keyword, name), schema: entry };
}
