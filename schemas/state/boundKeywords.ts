/** What the keywords of subschemas that hold together say of a value: its types, its keys and items, and who says so. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../json/jsonValue';
import {
  type DialectWords,
  entryPlace,
  listPlaces,
  type ObjectPlace,
  type Place,
  schemaPlaces,
} from './boundPlaces';

export type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';
const everyType: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** The types that one name stands for. */
const typesByName: ReadonlyMap<string, readonly JsonType[]> = new Map(
  [...everyType, 'integer' as const].map((type) => [type, [type]]),
);

/** The types that all of the schemas allow; `only` where that is known beforehand. */
export function typesOf(schemas: readonly JsonObject[], only: JsonType | undefined): readonly JsonType[] {
  const [single] = schemas;
  const written = schemas.length === 1 && single !== undefined ? ownProperty(single, 'type') : undefined;
  if (only === undefined && typeof written === 'string') return typesByName.get(written) ?? [];
  let types: readonly JsonType[] = only === undefined ? everyType : [only];
  for (const schema of schemas) {
    const written = ownProperty(schema, 'type');
    const allowed = typeof written === 'string' ? [written] : Array.isArray(written) ? written : undefined;
    if (allowed === undefined) continue;
    types = types.flatMap((type): readonly JsonType[] => {
      if (allowed.includes(type)) return [type];
      if (type === 'number' && allowed.includes('integer')) return ['integer'];
      return type === 'integer' && allowed.includes('number') ? [type] : [];
    });
  }
  return types;
}

const keywordsByType: Readonly<Record<JsonType, readonly string[]>> = {
  null: [],
  boolean: [],
  integer: [],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  string: ['maxLength', 'minLength', 'pattern', 'format'],
  array: ['items', 'prefixItems', 'maxItems', 'minItems', 'contains', 'uniqueItems', 'additionalItems'],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'maxProperties',
    'required',
  ],
};

/** True where a schema without a type says something of a type. */
export function describes(schemas: readonly JsonObject[], type: JsonType): boolean {
  return keywordsByType[type].some((keyword) => schemas.some((schema) => Object.hasOwn(schema, keyword)));
}

/** The place that says that a value is of a type, which is where its limit belongs. */
export function blamed(
  places: readonly ObjectPlace[],
  starts: readonly Place[],
  type: JsonType | 'type',
): string {
  const typed = places.find(({ schema }) => {
    const written = ownProperty(schema, 'type');
    return written === type || (Array.isArray(written) && written.includes(type));
  });
  if (typed !== undefined) return typed.pointer;
  const saying =
    type === 'type'
      ? places.find(({ schema }) => !Object.hasOwn(schema, '$ref') && !Object.hasOwn(schema, 'allOf'))
      : places.find(({ schema }) => describes([schema], type));
  return (saying ?? starts[0] ?? places[0])?.pointer ?? '';
}

/** The values of `const` or `enum`, of the first schema that has either; undefined where none has. */
export function listedValues(schemas: readonly JsonObject[]): readonly JsonValue[] | undefined {
  for (const schema of schemas) {
    if (Object.hasOwn(schema, 'const')) return [ownProperty(schema, 'const') ?? null];
    const list = ownProperty(schema, 'enum');
    if (Array.isArray(list)) return list;
  }
  return undefined;
}

/** True for a value of a type. */
export function isOf(value: JsonValue, type: JsonType): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

/** The schemas of a list's first items. */
export function prefixOf(schema: JsonObject, { firstItems }: DialectWords): readonly JsonValue[] {
  const list = ownProperty(schema, firstItems);
  return Array.isArray(list) ? list : [];
}

/** What the schemas say of the item at an index. `isOpen` where more may describe it than they. */
export function itemPlaces(
  places: readonly ObjectPlace[],
  index: number,
  words: DialectWords,
  isOpen: boolean,
): readonly Place[] {
  const found = places.flatMap(({ pointer, schema }) => {
    const listed = listPlaces(pointer, schema, words.firstItems)[index];
    if (listed !== undefined) return [listed];
    const isListed = Array.isArray(ownProperty(schema, words.firstItems));
    return schemaPlaces(pointer, schema, isListed ? words.otherItems : 'items');
  });
  const isFree = found.length === 0 && !places.some(({ schema }) => Object.hasOwn(schema, 'contains'));
  return isFree && !isOpen ? unevaluated(places, 'unevaluatedItems', words) : found;
}

/**
 * What is said of keys or items that nothing else describes. Of several, the last found is the innermost, and leaves
 * nothing to those around it.
 */
function unevaluated(
  places: readonly ObjectPlace[],
  keyword: 'unevaluatedItems' | 'unevaluatedProperties',
  { hasUnevaluated }: DialectWords,
): readonly Place[] {
  if (!hasUnevaluated || places.some(({ schema }) => Object.hasOwn(schema, '$dynamicRef'))) return [];
  return places.flatMap(({ pointer, schema }) => schemaPlaces(pointer, schema, keyword)).slice(-1);
}

/** True where what is allowed depends on which choices hold. */
export function closesTheRest(places: readonly ObjectPlace[], { hasUnevaluated }: DialectWords): boolean {
  return (
    hasUnevaluated &&
    places.some(
      ({ schema }) =>
        Object.hasOwn(schema, 'unevaluatedProperties') || Object.hasOwn(schema, 'unevaluatedItems'),
    )
  );
}

const openKeywords = [
  'additionalProperties',
  'patternProperties',
  'items',
  'prefixItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
];

/** True for a schema that describes more than keys by their names. */
export function describesMore(schema: JsonObject): boolean {
  return openKeywords.some((keyword) => Object.hasOwn(schema, keyword));
}

/** True where no two items of a list may be equal. */
export function ownUnique(schemas: readonly JsonObject[]): boolean {
  return schemas.some((schema) => ownProperty(schema, 'uniqueItems') === true);
}

/** How many different values a schema lists; Infinity where it doesn't. */
export function countOf(places: readonly Place[]): number {
  return places.reduce((least, { schema }) => {
    const list = isJsonObject(schema) ? ownProperty(schema, 'enum') : undefined;
    return Array.isArray(list) ? Math.min(least, list.length) : least;
  }, Number.POSITIVE_INFINITY);
}

/** The names in `properties` of all of the schemas. */
export function declaredKeys(schemas: readonly JsonObject[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const schema of schemas) {
    const properties = ownProperty(schema, 'properties');
    if (isJsonObject(properties)) for (const key of Object.keys(properties)) keys.add(key);
  }
  return keys;
}

/** Keys besides the declared ones, and what their values have to be. */
export interface MapGroup {
  /** The pattern of `patternProperties` that they match; undefined for those that match none. */
  readonly pattern: string | undefined;
  /** None where the values are free. */
  readonly values: readonly Place[];
  /** The subschema to which what is missing belongs. */
  readonly pointer: string;
  /** True where `additionalProperties` is there. */
  readonly declared: boolean;
}

const noGroups: readonly MapGroup[] = [];

/** True for a schema that allows the keys that are declared and no others. */
function isClosed(schema: JsonObject): boolean {
  return ownProperty(schema, 'additionalProperties') === false && !Object.hasOwn(schema, 'patternProperties');
}

/** The keys besides the declared ones: those of each pattern, and those that match none. `isOpen` where more may describe them. */
export function mapGroups(
  places: readonly ObjectPlace[],
  words: DialectWords,
  isOpen: boolean,
): readonly MapGroup[] {
  if (places.some(({ schema }) => isClosed(schema))) return noGroups;
  const groups: MapGroup[] = [];
  for (const { pointer, schema } of places) {
    const patterns = ownProperty(schema, 'patternProperties');
    for (const pattern of isJsonObject(patterns) ? Object.keys(patterns) : []) {
      const own = entryPlace(pointer, schema, 'patternProperties', pattern) ?? [];
      const others = places
        .filter((other) => other.schema !== schema && !Object.hasOwn(other.schema, 'patternProperties'))
        .flatMap((other) => schemaPlaces(other.pointer, other.schema, 'additionalProperties'));
      groups.push({ pattern, values: [own, others].flat(), pointer, declared: true });
    }
  }
  const values = places.flatMap(({ pointer, schema }) =>
    schemaPlaces(pointer, schema, 'additionalProperties'),
  );
  if (!isOpen && values.length === 0) values.push(...unevaluated(places, 'unevaluatedProperties', words));
  const pointer = values[0]?.pointer.replace(/\/[^/]*$/, '') ?? blamed(places, places, 'object');
  // `additionalProperties: true` says no more than its absence.
  const saying = values.filter(({ schema }) => schema !== true);
  groups.push({ pattern: undefined, values: saying, pointer, declared: saying.length > 0 });
  return groups;
}
