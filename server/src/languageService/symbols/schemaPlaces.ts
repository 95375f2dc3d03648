/** The subschemas that one subschema has for its properties and items. */
import { formatPointer } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { compilePattern } from '../../../../schemas/text/safePattern';

/** A subschema and its JSON Pointer. */
export interface SchemaPlace {
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** How many positions of a tuple are told apart. */
const maxPositions = 256;

export type ObjectPlace = SchemaPlace & { readonly schema: JsonObject };

export function entryOf(pointer: string, schema: JsonObject, keyword: string, key: string): SchemaPlace[] {
  const map = ownProperty(schema, keyword);
  const value = isJsonObject(map) ? ownProperty(map, key) : undefined;
  return value === undefined || value === false
    ? []
    : [{ pointer: pointer + formatPointer([keyword, key]), schema: value }];
}

export function propertyPlaces(place: ObjectPlace, name: string): SchemaPlace[] {
  const { pointer, schema } = place;
  const places = entryOf(pointer, schema, 'properties', name);
  const patterns = ownProperty(schema, 'patternProperties');
  for (const source of isJsonObject(patterns) ? Object.keys(patterns) : []) {
    const pattern = compilePattern(source);
    if (pattern.ok && pattern.test(name))
      places.push(...entryOf(pointer, schema, 'patternProperties', source));
  }
  return places.length > 0 ? places : additionalPlaces(place);
}

export function wildcardPlaces(place: ObjectPlace): SchemaPlace[] {
  const { pointer, schema } = place;
  const patterns = ownProperty(schema, 'patternProperties');
  return [
    ...(isJsonObject(patterns) ? Object.keys(patterns) : []).flatMap((source) =>
      entryOf(pointer, schema, 'patternProperties', source),
    ),
    ...additionalPlaces(place),
  ];
}

export function additionalPlaces({ pointer, schema }: ObjectPlace): SchemaPlace[] {
  return firstOf(pointer, schema, ['additionalProperties', 'unevaluatedProperties']);
}

export function itemPlaces({ pointer, schema }: ObjectPlace, index: number | undefined): SchemaPlace[] {
  const places: SchemaPlace[] = [];
  for (const keyword of ['prefixItems', 'items']) {
    const list = ownProperty(schema, keyword);
    if (!Array.isArray(list)) continue;
    list.slice(0, maxPositions).forEach((item: JsonValue, at) => {
      if (index === undefined || index === at)
        places.push({ pointer: `${pointer}/${keyword}/${at}`, schema: item });
    });
  }
  if (index === undefined || places.length === 0) places.push(...restPlaces({ pointer, schema }));
  else places.push(...firstOf(pointer, schema, ['contains']));
  return places;
}

/** What holds for the items that no position describes. */
export function restPlaces({ pointer, schema }: ObjectPlace): SchemaPlace[] {
  return [
    ...firstOf(pointer, schema, ['items', 'additionalItems', 'unevaluatedItems']),
    ...firstOf(pointer, schema, ['contains']),
  ];
}

function firstOf(pointer: string, schema: JsonObject, keywords: readonly string[]): SchemaPlace[] {
  for (const keyword of keywords) {
    const value = ownProperty(schema, keyword);
    if (isJsonObject(value) || value === true) return [{ pointer: `${pointer}/${keyword}`, schema: value }];
  }
  return [];
}
