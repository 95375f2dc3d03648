/** Reads from a state schema what a value may be that a patch has as a whole, whatever Σ_t is. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { declaredKeys, type JsonType, typesOf } from '../../../../schemas/state/boundKeywords';
import { listPlaces, type Place, schemaPlaces } from '../../../../schemas/state/boundPlaces';
import { canonicalJson } from '../../runtime/jsonEquality';
import {
  type Case,
  namesIn,
  numbersIn,
  patternsIn,
  placesKey,
  pointerOf,
  type SchemaCases,
  SchemaTooLarge,
  textsIn,
} from './schemaCases';
import {
  type ArrayShape,
  allows,
  isNever,
  type KeyGroup,
  type Member,
  type NumberShape,
  never,
  type ObjectShape,
  optionsOf,
  type Shape,
  type StringShape,
  union,
} from './shapes';

/**
 * Where a value stands. `item`: inside of an array, as it is. `new`: in an object that the patch makes, where null means
 * that a key is not there.
 */
type Standing = 'item' | 'new';

/** How deep what is new may nest; what is nested deeper can't be written. A schema may refer to itself. */
const maxNewDepth = 8;
/** How many shapes one schema may have, those of Σ_t aside. */
const maxShapes = 3_000;
/** How many patterns of one object are told apart. */
const maxPatterns = 3;
/** How many values are listed, and how many characters they take together: OpenAI takes 15,000 of more than 250. */
const maxListed = 1_000;
const maxListedLength = 14_000;

/** Reads the values of one schema, each once. */
export class ValueShapes {
  readonly cases: SchemaCases;
  readonly #values = new Map<string, Shape>();
  readonly #names = new WeakMap<Case, { readonly shape: Shape | undefined }>();

  constructor(cases: SchemaCases) {
    this.cases = cases;
  }

  /** What a value may be that the patch has as a whole. */
  value(starts: readonly Place[], standing: Standing, depth: number): Shape {
    const key = `${standing}${depth}\n${placesKey(starts)}`;
    let shape = this.#values.get(key);
    if (shape === undefined) {
      if (this.#values.size >= maxShapes) throw new SchemaTooLarge();
      const cases = this.cases.of(starts);
      shape = union(
        starts[0]?.pointer ?? '',
        cases.map((places) => this.#ofCase(places, standing, depth)),
      );
      // Around a field of the environment nothing may be replaced, so that only objects are merged there.
      if (standing === 'new' && this.cases.touchesEnvironment(starts))
        shape = union(
          shape.pointer,
          optionsOf(shape).filter(({ kind }) => kind === 'object'),
        );
      this.#values.set(key, shape);
    }
    return shape;
  }

  #ofCase(places: Case, standing: Standing, depth: number): Shape {
    if (places.some(({ schema }) => ownProperty(schema, 'x-writer') === 'environment')) return never;
    const pointer = pointerOf(places, 'type');
    if (places.every(({ schema }) => saysNothing(schema)))
      return { kind: 'any', pointer, withNull: standing === 'item' };
    const types = typesIn(places).filter((type) => type !== 'null' || standing === 'item');
    const shape = union(
      pointer,
      types.map((type) => this.ofType(places, type, standing, depth)),
    );
    const listed = this.listed(places);
    if (listed === undefined) return shape;
    if (isLong(listed.values)) {
      this.cases.note(listed.pointer, 'enum', 'has too many values to be written out');
      return shape;
    }
    const values = listed.values.filter(
      (value) => allows(shape, value) && (standing === 'item' || !hasNull(value)),
    );
    return { kind: 'literal', pointer: listed.pointer, values };
  }

  /** The values of `const` and `enum` that all subschemas have. */
  listed(places: Case): { pointer: string; values: readonly JsonValue[] } | undefined {
    const lists = places.flatMap(({ schema }): (readonly JsonValue[])[] => {
      const list = ownProperty(schema, 'enum');
      const single = ownProperty(schema, 'const');
      return [...(Array.isArray(list) ? [list] : []), ...(single === undefined ? [] : [[single]])];
    });
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    const pointer = pointerOf(places, 'const', 'enum');
    const sets = others.map((list) => new Set(list.map(canonicalJson)));
    const values = first.filter((value) => {
      const text = canonicalJson(value);
      return sets.every((set) => set.has(text));
    });
    return { pointer, values };
  }

  /** What a value of one type may be. */
  ofType(places: Case, type: JsonType, standing: Standing, depth: number): Shape {
    switch (type) {
      case 'null':
      case 'boolean':
        return { kind: type, pointer: pointerOf(places, 'type') };
      case 'number':
      case 'integer':
        return numberOf(places, type === 'integer');
      case 'string':
        return stringOf(places);
      case 'array':
        if (this.cases.touchesEnvironment(places)) return never;
        return this.array(places, depth, undefined, 'replace', undefined);
      case 'object':
        return this.#newObject(places, standing, depth);
    }
  }

  /** @param current what Σ_t has there, which new items are added to where `merge` says so */
  array(
    places: Case,
    depth: number,
    current: readonly JsonValue[] | undefined,
    merge: 'replace' | 'append' | 'union',
    evict: 'oldest' | undefined,
  ): Shape {
    const { firstItems, otherItems } = this.cases.words;
    const kept = merge === 'replace' ? 0 : (current?.length ?? 0);
    const most = Math.min(Number.POSITIVE_INFINITY, ...numbersIn(places, 'maxItems'));
    let maxItems = most - kept;
    // What is too much gives way, or is there already.
    if (evict === 'oldest') maxItems = most;
    else if (merge === 'union') maxItems = Math.max(maxItems, 0);
    if (maxItems < 0) return never;
    const minItems = Math.max(0, ...numbersIn(places, 'minItems').map((least) => least - kept));
    const isUnion = places.some(({ schema }) => ownProperty(schema, 'x-merge') === 'union');
    const isUnique =
      places.some(({ schema }) => ownProperty(schema, 'uniqueItems') === true) || (isUnion && minItems > 0);
    if (isUnique && merge === 'append')
      this.cases.note(pointerOf(places, 'uniqueItems'), 'uniqueItems', 'depends on the items that are there');
    const itemAt = (index: number | undefined): Shape => {
      const starts = places.flatMap(({ pointer, schema }) => {
        const list = listPlaces(pointer, schema, firstItems);
        if (index !== undefined && index < list.length) return list.slice(index, index + 1);
        const isListed = Array.isArray(ownProperty(schema, firstItems));
        return schemaPlaces(pointer, schema, isListed ? otherItems : 'items');
      });
      return this.#nested(starts, 'item', depth, pointerOf(places, 'items'));
    };
    const lengths = places.map(({ pointer, schema }) => listPlaces(pointer, schema, firstItems).length);
    // Behind what is there already, items are at other indices.
    const count = kept > 0 ? 0 : Math.min(Math.max(0, ...lengths), 64);
    const isShifted = isUnion || evict === 'oldest';
    if ((kept > 0 || isUnion) && lengths.some((length) => length > (isShifted ? 0 : kept)))
      this.cases.note(pointerOf(places, firstItems), firstItems, 'depends on how many items are there');
    const first = Array.from({ length: count }, (_, index) => itemAt(index));
    const impossible = first.findIndex(isNever);
    if (impossible >= 0) maxItems = Math.min(maxItems, impossible);
    const items = impossible >= 0 ? never : itemAt(undefined);
    if (isNever(items)) maxItems = Math.min(maxItems, first.length);
    if (minItems > maxItems) return never;
    return {
      kind: 'array',
      pointer: pointerOf(places, 'maxItems', 'items', 'type'),
      first: first.slice(0, maxItems),
      items,
      minItems,
      maxItems,
      isUnique: isUnique && (merge !== 'union' || minItems > 0),
      // Roughly, so that lists that are nearly as long are alike.
      length: Math.ceil((current?.length ?? 0) / 8) * 8,
    } satisfies ArrayShape;
  }

  /** A value inside of a new one; what is too deep can't be written. */
  #nested(starts: readonly Place[], standing: Standing, depth: number, pointer: string): Shape {
    if (depth < maxNewDepth) return this.value(starts, standing, depth + 1);
    const scalars = union(
      pointer,
      this.cases.of(starts).flatMap((places) => {
        const types = typesIn(places);
        if (types.some((type) => type === 'object' || type === 'array'))
          this.cases.note(pointer, 'properties', `nests more than ${maxNewDepth} levels deep`);
        if (places.some(({ schema }) => Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const')))
          return [];
        return types
          .filter((type) => type !== 'object' && type !== 'array' && (type !== 'null' || standing === 'item'))
          .map((type) => this.ofType(places, type, standing, depth));
      }),
    );
    return scalars;
  }

  #newObject(places: Case, standing: Standing, depth: number): Shape {
    const required = namesIn(places, 'required');
    const names = this.names(places);
    const declared = declaredIn(places);
    const keys = new Set([...declared, ...required]);
    const members: Member[] = [];
    for (const key of keys) {
      const isRequired = required.has(key);
      const starts = this.property(places, key, declared);
      const shape = nameAllowed(names, key)
        ? this.#nested(starts, standing, depth, starts[0]?.pointer ?? '')
        : never;
      if (!isNever(shape)) members.push({ key, shape, isRequired, isNew: true });
      else if (isRequired) return never;
    }
    const maxNew = Math.min(Number.POSITIVE_INFINITY, ...numbersIn(places, 'maxProperties'));
    const minEntries = Math.max(0, ...numbersIn(places, 'minProperties'));
    const groups = this.groups(places, (starts) =>
      this.#nested(starts, standing, depth, starts[0]?.pointer ?? ''),
    );
    const most = groups.length > 0 ? maxNew : Math.min(maxNew, members.length);
    if (minEntries > most || required.size > maxNew) return never;
    const pointer = pointerOf(places, 'properties', 'additionalProperties', 'type');
    const rest = { known: [], groups, names, excluded: keys, minEntries, maxNew };
    return { kind: 'object', pointer, isChange: false, members, ...rest } satisfies ObjectShape;
  }

  /** The subschemas of a key. */
  property(places: Case, key: string, declared: ReadonlySet<string>): readonly Place[] {
    const starts = this.cases.property(places, key);
    return starts.length > 0 || declared.has(key) ? starts : this.cases.unevaluated(places);
  }

  /** What keys have to be; undefined where anything goes. */
  names(places: Case): Shape | undefined {
    const kept = this.#names.get(places);
    if (kept !== undefined) return kept.shape;
    const shape = this.#namesOf(places);
    this.#names.set(places, { shape });
    return shape;
  }

  #namesOf(places: Case): Shape | undefined {
    const starts = places.flatMap(({ pointer, schema }) => schemaPlaces(pointer, schema, 'propertyNames'));
    if (starts.length === 0) return undefined;
    const shapes = this.cases.of(starts).map((one): Shape => {
      const listed = this.listed(one);
      const text = typesOf(
        one.map(({ schema }) => schema),
        'string',
      );
      const shape = text.length === 0 ? never : stringOf(one);
      if (listed === undefined) return shape;
      return {
        kind: 'literal',
        pointer: listed.pointer,
        values: listed.values.filter((v) => allows(shape, v)),
      };
    });
    return union(starts[0]?.pointer ?? '', shapes);
  }

  /** The keys that no object lists, by the patterns that they match. */
  groups(places: Case, read: (starts: readonly Place[]) => Shape): readonly KeyGroup[] {
    const patterns = [...new Set(places.flatMap(({ schema }) => patternsIn(schema)))];
    const told = patterns.slice(0, maxPatterns);
    if (patterns.length > told.length)
      this.cases.note(
        pointerOf(places, 'patternProperties'),
        'patternProperties',
        `has more than ${maxPatterns} patterns`,
      );
    const groups: KeyGroup[] = [];
    for (let set = (1 << told.length) - 1; set >= 0; set--) {
      const matches = told.filter((_, index) => (set >> index) % 2 === 1);
      const avoids = patterns.filter((source) => !matches.includes(source));
      const starts = this.cases.undeclared(places, new Set(matches));
      const shape = read(starts.length > 0 ? starts : this.cases.unevaluated(places));
      if (!isNever(shape)) groups.push({ matches, avoids, shape });
    }
    return groups;
  }
}

/** The types that a value may have. */
export function typesIn(places: Case): readonly JsonType[] {
  return typesOf(
    places.map(({ schema }) => schema),
    undefined,
  );
}

export function declaredIn(places: Case): ReadonlySet<string> {
  return declaredKeys(places.map(({ schema }) => schema));
}

export function nameAllowed(names: Shape | undefined, key: string): boolean {
  // The validator takes a declaration of `__proto__` for none.
  return key !== '__proto__' && (names === undefined || allows(names, key));
}

/** Whether listed values would take too much room in what is sent with every request. */
function isLong(values: readonly JsonValue[]): boolean {
  let length = 0;
  for (const value of values) {
    length += typeof value === 'string' ? value.length + 2 : JSON.stringify(value).length;
    if (length > maxListedLength) return true;
  }
  return values.length > maxListed;
}

/** Annotations, which say nothing of a value. */
const annotations =
  /^(?:title|description|default|examples|deprecated|readOnly|writeOnly|\$.*|x-.*|definitions)$/;

function saysNothing(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => annotations.test(keyword));
}

function hasNull(value: JsonValue): boolean {
  if (!isJsonObject(value)) return value === null;
  return Object.values(value).some(hasNull);
}

function numberOf(places: Case, isInteger: boolean): NumberShape {
  const largest = (keyword: string): number | undefined => {
    const values = numbersIn(places, keyword);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  const smallest = (keyword: string): number | undefined => {
    const values = numbersIn(places, keyword);
    return values.length === 0 ? undefined : Math.min(...values);
  };
  return {
    kind: 'number',
    pointer: pointerOf(places, 'minimum', 'maximum', 'multipleOf', 'type'),
    isInteger,
    minimum: largest('minimum'),
    exclusiveMinimum: largest('exclusiveMinimum'),
    maximum: smallest('maximum'),
    exclusiveMaximum: smallest('exclusiveMaximum'),
    multiples: numbersIn(places, 'multipleOf'),
  };
}

function stringOf(places: Case): StringShape {
  return {
    kind: 'string',
    pointer: pointerOf(places, 'pattern', 'format', 'maxLength', 'minLength', 'type'),
    minLength: Math.max(0, ...numbersIn(places, 'minLength')),
    maxLength: Math.min(Number.POSITIVE_INFINITY, ...numbersIn(places, 'maxLength')),
    patterns: textsIn(places, 'pattern'),
    formats: textsIn(places, 'format'),
  };
}
