/**
 * A state schema made from states that were seen: types, keys and bounds. Each of the states is valid under it, and the
 * largest state that it allows is bounded.
 */

import { isDeeperThan } from '../json/jsonDepth';
import { formatPointer, type JsonPath, valueAt } from '../json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../json/jsonValue';
import { characterCount } from '../text/plainText';
import { roundedUp, shapeOf } from '../text/textShapes';
import { writeSchema } from './inferredText';

export interface InferOptions {
  /** True where the states are one run's in its order: the first is Σ_0, and what only grows is noticed. */
  readonly series?: boolean;
  /** The schema's title. */
  readonly title?: string;
}

/** A schema, or why none can be made; `message` is for the user. */
export type InferredSchema =
  | {
      readonly ok: true;
      readonly schema: JsonObject;
      /** The schema in YAML, with remarks as comments. */
      readonly yaml: string;
    }
  | { readonly ok: false; readonly message: string };

/** How many objects and lists of a state may nest: a schema nests twice as deep as what it describes. */
const maxDepth = 32;
/** More keys than this are entries of a map, not fields. */
const maxFields = 50;
/** With keys longer than this likewise, since no field is called so. */
const maxFieldName = 100;
/** How few values a text has that is one of a choice, and how often it has to have been seen. */
const choice = { values: 6, occurrences: 6, length: 40 } as const;
/** The largest number that is still exact. */
const largestExact = Number.MAX_SAFE_INTEGER;
/** The longest default that is taken from Σ_0, as JSON. */
const maxDefaultLength = 500;

/** What an empty list or map may hold, where nothing was seen in any. */
const unseen: JsonObject = { type: 'string', maxLength: 200 };

/**
 * Infers the schema of states. A property that is null counts as missing: a patch that sets it to null removes it.
 *
 * @param samples one state or more
 */
export function inferStateSchema(samples: readonly JsonObject[], options: InferOptions = {}): InferredSchema {
  if (samples.length === 0)
    return { ok: false, message: 'There is no state to infer a schema from; name one or more.' };
  if (samples.some((sample) => isDeeperThan(sample, maxDepth))) {
    const message = `A state nests more than ${maxDepth} objects and lists in each other; no schema is inferred for it.`;
    return { ok: false, message };
  }
  const inference = new Inference(samples, options);
  const schema = inference.schema();
  return { ok: true, schema, yaml: writeSchema(schema, inference.remarks) };
}

/** Where a value stands: in the schema, and, where only fields lead there, in every state. */
interface Place {
  readonly pointer: JsonPath;
  readonly path: JsonPath | undefined;
}

class Inference {
  /** Comments by the JSON Pointer of what they stand before; the root's is empty. */
  readonly remarks = new Map<string, string[]>();
  readonly #samples: readonly JsonObject[];
  readonly #options: InferOptions;

  constructor(samples: readonly JsonObject[], options: InferOptions) {
    this.#samples = samples;
    this.#options = options;
  }

  schema(): JsonObject {
    const count = this.#samples.length;
    this.#remark(
      [],
      `Inferred from ${count === 1 ? 'one state' : `${count} states`}. Bounds are about twice what was seen: adjust them to what can come.`,
    );
    const schema: Record<string, JsonValue> = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: this.#options.title ?? 'State',
    };
    Object.assign(schema, this.#describe(this.#samples, { pointer: [], path: [] }));
    return schema;
  }

  #remark(pointer: JsonPath, text: string): void {
    const key = formatPointer(pointer);
    this.remarks.set(key, [...(this.remarks.get(key) ?? []), text]);
  }

  /** The schema of values seen at one place. */
  #describe(seen: readonly JsonValue[], place: Place): JsonObject {
    // Steps of a run share what didn't change; it is looked at once.
    const containers = [...new Set(seen.filter((value) => typeof value === 'object' && value !== null))];
    const texts = seen.filter((value) => typeof value === 'string');
    const numbers = seen.filter((value) => typeof value === 'number');
    const objects = containers.filter(isJsonObject);
    const arrays = containers.filter((value): value is JsonArray => Array.isArray(value));
    const types = [
      ...(objects.length > 0 ? ['object'] : []),
      ...(arrays.length > 0 ? ['array'] : []),
      ...(texts.length > 0 ? ['string'] : []),
      ...(numbers.length > 0 ? [numbers.every(Number.isInteger) ? 'integer' : 'number'] : []),
      ...(seen.some((value) => typeof value === 'boolean') ? ['boolean'] : []),
      ...(seen.includes(null) ? ['null'] : []),
    ];
    const kinds = types.filter((type) => type !== 'null');
    if (kinds.length > 1) {
      this.#remark(
        place.pointer,
        `The states disagree on what this is: ${kinds.join(', ')}. Keep one if you can.`,
      );
    }
    return {
      type: types.length === 1 && types[0] !== undefined ? types[0] : types,
      ...(texts.length > 0 && describeTexts(texts, types.length === 1)),
      ...(numbers.length > 0 && describeNumbers(numbers)),
      ...(arrays.length > 0 && this.#describeArrays(arrays, place)),
      ...(objects.length > 0 && this.#describeObjects(objects, place)),
    };
  }

  #describeArrays(arrays: readonly JsonArray[], { pointer, path }: Place): JsonObject {
    const items = arrays.flat();
    const longest = arrays.reduce((length, array) => Math.max(length, array.length), 0);
    if (items.length === 0) this.#remark([...pointer, 'items'], 'Always empty so far: say what it holds.');
    if (path !== undefined && this.#options.series === true && onlyGrows(this.#samples, path)) {
      this.#remark(
        [...pointer, 'items'],
        'It only grew. With `x-merge: append` a patch holds the new items alone, and `x-evict: oldest` lets the oldest go.',
      );
    }
    const itemPlace = { pointer: [...pointer, 'items'], path: undefined };
    return {
      items: items.length === 0 ? unseen : this.#describe(items, itemPlace),
      maxItems: roundedUp(longest * 2),
    };
  }

  #describeObjects(objects: readonly JsonObject[], place: Place): JsonObject {
    const valuesByKey = new Map<string, JsonValue[]>();
    let mostKeys = 0;
    for (const object of objects) {
      let keys = 0;
      for (const [key, value] of Object.entries(object)) {
        const values = valuesByKey.get(key) ?? [];
        valuesByKey.set(key, values);
        if (value === null) continue;
        values.push(value);
        keys++;
      }
      mostKeys = Math.max(mostKeys, keys);
    }
    const names = [...valuesByKey].filter(([, values]) => values.length > 0).map(([key]) => key);
    const nulls = valuesByKey.size - names.length;
    if (nulls > 0) {
      this.#remark(
        place.pointer,
        'A key that was null in every state is left out: a patch that sets it to null removes it.',
      );
    }
    const isEntries = place.pointer.length > 0 && isFirstEntry(names, valuesByKey, objects.length);
    return isEntries || isMap(names, valuesByKey, objects.length)
      ? this.#describeMap(names, [...valuesByKey.values()].flat(), mostKeys, place)
      : this.#describeFields(names, valuesByKey, objects.length, place);
  }

  #describeMap(
    names: readonly string[],
    values: readonly JsonValue[],
    mostKeys: number,
    { pointer }: Place,
  ): JsonObject {
    const shape = shapeOf(names);
    const longest = names.reduce((length, name) => Math.max(length, characterCount(name)), 0);
    const valuePlace = { pointer: [...pointer, 'additionalProperties'], path: undefined };
    if (values.length === 0) this.#remark(valuePlace.pointer, 'Always empty so far: say what it holds.');
    return {
      propertyNames: shape === undefined ? { maxLength: roundedUp(longest * 2) } : rulesOf(shape),
      additionalProperties: values.length === 0 ? unseen : this.#describe(values, valuePlace),
      maxProperties: roundedUp(mostKeys * 2),
    };
  }

  #describeFields(
    names: readonly string[],
    valuesByKey: ReadonlyMap<string, readonly JsonValue[]>,
    occurrences: number,
    { pointer, path }: Place,
  ): JsonObject {
    const properties: Record<string, JsonValue> = {};
    for (const name of names) {
      const place = { pointer: [...pointer, 'properties', name], path: path && [...path, name] };
      const described = this.#describe(valuesByKey.get(name) ?? [], place);
      const description = descriptionOf(name);
      const value = path?.length === 0 ? this.#defaultOf(name) : undefined;
      defineOwnProperty(properties, name, {
        ...(description !== undefined && { description }),
        ...described,
        ...(value !== undefined && { default: value }),
      });
    }
    const required = names.filter((name) => valuesByKey.get(name)?.length === occurrences);
    return {
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  /** What Σ_0 has, so that a run can begin as the recorded one did. */
  #defaultOf(name: string): JsonValue | undefined {
    const [first] = this.#samples;
    if (this.#options.series !== true || first === undefined) return undefined;
    const value = ownProperty(first, name);
    return value === null || JSON.stringify(value ?? null).length > maxDefaultLength ? undefined : value;
  }
}

/** Whether keys are entries and not fields: numbered alike, many, or each time others. */
function isMap(
  names: readonly string[],
  valuesByKey: ReadonlyMap<string, readonly JsonValue[]>,
  occurrences: number,
): boolean {
  // The validator passes over a field called __proto__, and takes it as an entry.
  if (names.length === 0 || names.includes('__proto__')) return true;
  if (names.length > maxFields || names.some((name) => name.length > maxFieldName)) return true;
  if (names.length > 1 && shapeOf(names) !== undefined) return true;
  const kinds = new Set([...valuesByKey.values()].flat().map(kindOf));
  const changing = names.every((name) => (valuesByKey.get(name)?.length ?? 0) < occurrences);
  return names.length > 5 && kinds.size === 1 && changing;
}

/** Whether a key is the first of many: `shelf_0`, where the object was empty before. */
function isFirstEntry(
  [name, ...others]: readonly string[],
  valuesByKey: ReadonlyMap<string, readonly JsonValue[]>,
  occurrences: number,
): boolean {
  if (name === undefined || others.length > 0 || !/[A-Za-z][_-]?\d+$/.test(name)) return false;
  return (valuesByKey.get(name)?.length ?? 0) < occurrences;
}

function kindOf(value: JsonValue): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function describeTexts(texts: readonly string[], alone: boolean): JsonObject {
  const distinct = [...new Set(texts)];
  const longest = distinct.reduce((length, text) => Math.max(length, characterCount(text)), 0);
  const shape = shapeOf(distinct);
  if (shape !== undefined) return rulesOf(shape);
  const isChoice =
    alone &&
    distinct.length <= choice.values &&
    texts.length >= choice.occurrences &&
    texts.length >= 2 * distinct.length &&
    longest <= choice.length &&
    distinct.length > 1;
  return isChoice ? { enum: distinct.sort() } : { maxLength: roundedUp(longest * 2) };
}

function rulesOf(shape: NonNullable<ReturnType<typeof shapeOf>>): JsonObject {
  const { maxLength } = shape;
  return shape.kind === 'format'
    ? { format: shape.format, maxLength }
    : { pattern: shape.pattern, maxLength };
}

/** The range of whole numbers; others get none, since their size in the prompt has a bound anyway. */
function describeNumbers(numbers: readonly number[]): JsonObject {
  if (!numbers.every(Number.isInteger)) return {};
  let [least, most] = [0, 0];
  for (const number of numbers) {
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  if (most * 2 > largestExact || least * -2 > largestExact) return {};
  return { minimum: least === 0 ? 0 : -roundedUp(least * -2), maximum: roundedUp(most * 2) };
}

/** Whether the list at a path only got longer from state to state, and did so more than once. */
function onlyGrows(samples: readonly JsonObject[], path: JsonPath): boolean {
  let previous: JsonArray | undefined;
  let growths = 0;
  for (const sample of samples) {
    const value = valueAt(sample, path);
    if (!Array.isArray(value)) continue;
    const items: JsonArray = value;
    if (previous !== undefined && items !== previous) {
      if (!previous.every((item, index) => areEqual(item, items[index]))) return false;
      if (items.length > previous.length) growths++;
    }
    previous = items;
  }
  return growths > 1;
}

function areEqual(a: JsonValue, b: JsonValue | undefined): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** `openOrders` as "Open orders."; undefined for a name that isn't made of words. */
function descriptionOf(name: string): string | undefined {
  if (name.length > 40 || !/^[A-Za-z][A-Za-z0-9 _-]*$/.test(name)) return undefined;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[ _-]+/)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}
