/**
 * The bound of Σ: the largest that a value can be which a schema allows, serialised as JSON without spaces, in UTF-8
 * bytes; where there is none, which places make it so. It is an upper bound: what the schema allows is never larger,
 * though what `not`, `if` and `required` exclude may make the true largest smaller.
 */

import { jsonStringSize } from '../json/jsonSize';
import type { JsonObject } from '../json/jsonValue';
import {
  blamed,
  closesTheRest,
  countOf,
  declaredKeys,
  describes,
  describesMore,
  isOf,
  itemPlaces,
  type JsonType,
  listedValues,
  type MapGroup,
  mapGroups,
  ownUnique,
  prefixOf,
  typesOf,
} from './boundKeywords';
import {
  type Bound,
  type BoundPart,
  containerOf,
  endless,
  fitting,
  fixed,
  larger,
  listedBound,
  type MissingLimit,
  scalarOf,
  type UnboundedPlace,
} from './boundParts';
import {
  BoundPlaces,
  type Choice,
  type Conjunction,
  type ObjectPlace,
  type Place,
  schemaPlaces,
} from './boundPlaces';
import { keyBound, leastOf, numberBound, stringBound } from './scalarBounds';
import type { StateSchema } from './stateSchema';

export type { Bound, BoundPart, MissingLimit, UnboundedPlace } from './boundParts';

/** The bounds of a schema. */
export interface StateBound {
  readonly root: Bound;
  /** The bound of what a subschema allows by itself; undefined where it allows nothing, or isn't there. */
  at(pointer: string): Bound | undefined;
}

const kept = new WeakMap<StateSchema, StateBound>();

/** The bounds of a schema; computed once, in time that grows as the schema does. */
export function stateBound(schema: StateSchema): StateBound {
  let bound = kept.get(schema);
  if (bound === undefined) {
    const calculator = new BoundCalculator(schema);
    const root = calculator.bound([{ pointer: '', schema: schema.schema }], 'object') ?? nothing;
    bound = { root, at: (pointer) => calculator.at(pointer) };
    kept.set(schema, bound);
  }
  return bound;
}

/** The places that make a bound infinite, each once, as many as are asked for. */
export function unboundedPlaces(bound: Bound, limit = Number.POSITIVE_INFINITY): readonly UnboundedPlace[] {
  const found = new Map<string, UnboundedPlace>();
  const seen = new Set<Bound>();
  const pending = [bound];
  let steps = 0;
  for (let next = pending.pop(); next !== undefined && found.size < limit; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const place of next.lacks) found.set(`${place.missing} ${place.pointer}`, place);
    steps += next.through.length + 1;
    if (steps > maxSteps) break;
    for (let index = next.through.length - 1; index >= 0; index--) {
      const further = next.through[index];
      if (further !== undefined) pending.push(further);
    }
  }
  return [...found.values()].slice(0, limit);
}

/** The part that takes most of a bound, and its share from 0 to 1; undefined where there are no parts. */
export function largestPart({ parts, boundedBytes }: Bound): { part: BoundPart; share: number } | undefined {
  let largest: BoundPart | undefined;
  for (const part of parts) if (largest === undefined || part.bytes > largest.bytes) largest = part;
  return largest && { part: largest, share: largest.bytes / Math.max(1, boundedBytes) };
}

/** Which choices were made on the way to a value. */
interface Way {
  /** Those of which a branch was taken. */
  readonly taken: ReadonlySet<string>;
  /** Those that are not looked at again. */
  readonly passed: ReadonlySet<string>;
  /** What may hold too. */
  readonly beside: readonly ObjectPlace[];
  /** True where more keys or items may be described than is known. */
  readonly isOpen: boolean;
}

const startOfWay: Way = { taken: new Set(), passed: new Set(), beside: [], isOpen: false };

const nothing: Bound = scalarOf({ bytes: 0, sample: () => ({ text: '', scale: 1 }) });

/** How deep values are followed; deeper ones count as endless. */
const maxDepth = 150;
/** How many subschemas are looked at in all, those of each combination counted; no sensible schema comes near. */
const maxWork = 30_000;

/** How many parts are looked through for what they lack. */
const maxSteps = 20_000;

function keyOf(places: readonly Place[], only: JsonType | undefined): string {
  const pointers =
    places.length === 1 ? (places[0]?.pointer ?? '') : places.map(({ pointer }) => pointer).join(' ');
  return only === undefined ? pointers : `${only} ${pointers}`;
}

function tooIntricate(starts: readonly Place[]): Bound {
  return endless([{ pointer: starts[0]?.pointer ?? '', missing: 'fewer subschemas' }]);
}

class BoundCalculator {
  readonly #places: BoundPlaces;
  readonly #known = new Map<string, Bound | undefined>();
  readonly #byStarts = new Map<string, Bound | undefined>();
  /** What is being computed, outermost first, each with a reference of its own if it has one. */
  readonly #entered = new Map<string, string | undefined>();
  #work = 0;

  constructor(schema: StateSchema) {
    this.#places = new BoundPlaces(schema);
  }

  at(pointer: string): Bound | undefined {
    if (this.#known.has(pointer)) return this.#known.get(pointer);
    const place = this.#places.at(pointer);
    return place && this.bound([place]);
  }

  /** The bound of a value that all of the places allow; undefined where they leave none. */
  bound(starts: readonly Place[], only?: JsonType): Bound | undefined {
    const written = keyOf(starts, only);
    if (this.#byStarts.has(written)) return this.#byStarts.get(written);
    if (this.#work > maxWork) return tooIntricate(starts);
    const conjunction = this.#places.conjunction(starts);
    this.#work += conjunction.places.length + 1;
    const bound = conjunction.impossible ? undefined : this.#together(conjunction, starts, only);
    // What contains itself is known only once its outermost occurrence is.
    if (!this.#entered.has(keyOf(conjunction.places, only))) this.#byStarts.set(written, bound);
    return bound;
  }

  #together(
    conjunction: Conjunction,
    starts: readonly Place[],
    only: JsonType | undefined,
  ): Bound | undefined {
    const key = keyOf(conjunction.places, only);
    if (this.#known.has(key)) return this.#known.get(key);
    if (this.#entered.has(key) || this.#entered.size > maxDepth) return this.#cycle(starts);
    const reference = conjunction.places.find(({ schema }) => Object.hasOwn(schema, '$ref'));
    this.#entered.set(key, reference?.pointer);
    const bound = this.#solve(conjunction, starts, only, startOfWay);
    this.#entered.delete(key);
    this.#known.set(key, bound);
    return bound;
  }

  /** Where the schema contains itself: blamed is the innermost reference on the way. */
  #cycle(starts: readonly Place[]): Bound {
    const references = [...this.#entered.values()].filter((pointer) => pointer !== undefined);
    return endless([{ pointer: references.at(-1) ?? starts[0]?.pointer ?? '', missing: '$ref' }]);
  }

  /** The least of what the places say by themselves and what each choice leaves at most. */
  #solve(
    conjunction: Conjunction,
    starts: readonly Place[],
    only: JsonType | undefined,
    way: Way,
  ): Bound | undefined {
    const { places, choices } = conjunction;
    if (choices.length === 0) return this.#own(conjunction, starts, only, way);
    const isClosed = closesTheRest(places, this.#places.words);
    // A branch that adds nothing leaves what there is, unless it matters what isn't described.
    const open = choices.filter(
      ({ pointer, branches }) =>
        !way.passed.has(pointer) && (isClosed || branches.every((branch) => branch.length > 0)),
    );
    const isDecided = choices.every(({ pointer }) => way.taken.has(pointer));
    let least = this.#own(conjunction, starts, only, isDecided ? way : { ...way, isOpen: true });
    if (this.#work > maxWork) return least;
    // One after the other, where it matters what they describe together; else each by itself.
    for (const choice of isClosed ? open.slice(0, 1) : open) {
      const passed = new Set([...way.passed, ...(isClosed ? [choice] : open).map(({ pointer }) => pointer)]);
      const taken = new Set([...way.taken, choice.pointer]);
      let most: Bound | undefined;
      for (const branch of choice.branches) {
        const narrowed = this.#places.conjunction([...places, ...branch]);
        this.#work += narrowed.places.length;
        if (narrowed.impossible) continue;
        const others = isClosed && !choice.isExclusive ? choice.branches.filter((one) => one !== branch) : [];
        const further = this.#alongside({ ...way, passed, taken }, others);
        const bound = this.#solve(narrowed, branch.length > 0 ? branch : starts, only, further);
        if (bound !== undefined) most = most === undefined ? bound : larger(most, bound);
      }
      if (most === undefined || least === undefined) return undefined;
      // Of two without a bound, the choice's parts say more precisely why.
      if (most.bytes <= least.bytes) least = most;
    }
    return least;
  }

  /** A way on which other branches of an `anyOf` may hold too, and describe more. */
  #alongside(way: Way, others: Choice['branches']): Way {
    const beside = [...way.beside];
    for (const branch of others) {
      const { places, choices, impossible } = this.#places.conjunction(branch);
      this.#work += places.length;
      if (impossible) continue;
      if (choices.length > 0 || places.some(({ schema }) => describesMore(schema)))
        return { ...way, isOpen: true };
      beside.push(...places);
    }
    return { ...way, beside };
  }

  /** What the places say, choices aside. */
  #own(
    { places }: Conjunction,
    starts: readonly Place[],
    only: JsonType | undefined,
    way: Way,
  ): Bound | undefined {
    const schemas = places.map(({ schema }) => schema);
    const types = typesOf(schemas, only);
    const listed = listedValues(schemas);
    if (listed !== undefined)
      return listedBound(listed.filter((value) => types.some((type) => isOf(value, type))));
    const isTyped = only !== undefined || schemas.some((schema) => Object.hasOwn(schema, 'type'));
    const described = isTyped ? types : types.filter((type) => describes(schemas, type));
    let bound: Bound | undefined;
    for (const type of described) {
      const next = this.#ofType(type, places, way);
      if (next !== undefined) bound = bound === undefined ? next : larger(bound, next);
    }
    if (isTyped) return bound;
    const place: UnboundedPlace = { pointer: blamed(places, starts, 'type'), missing: 'type' };
    return endless([place], bound?.boundedBytes, bound === undefined ? [] : [bound]);
  }

  #ofType(type: JsonType, places: readonly ObjectPlace[], way: Way): Bound | undefined {
    const schemas = places.map(({ schema }) => schema);
    switch (type) {
      case 'null':
        return fixed('null');
      case 'boolean':
        return fixed('false');
      case 'integer':
      case 'number': {
        const number = numberBound(schemas, type === 'integer');
        return number && scalarOf(number);
      }
      case 'string': {
        const text = stringBound(schemas);
        if (text === undefined || Number.isFinite(text.bytes)) return text && scalarOf(text);
        return scalarOf(text, [{ pointer: blamed(places, places, 'string'), missing: 'maxLength' }], 2);
      }
      case 'array':
        return this.#list(places, way);
      case 'object':
        return this.#map(places, way);
    }
  }

  #list(places: readonly ObjectPlace[], { isOpen }: Way): Bound {
    const { words } = this.#places;
    const schemas = places.map(({ schema }) => schema);
    let room = leastOf(schemas, 'maxItems');
    const parts: BoundPart[] = [];
    const add = (count: number, value: Bound, pointer: string | undefined): void => {
      if (count > 0)
        parts.push({
          key: undefined,
          keySample: () => undefined,
          count,
          bytes: count * (value.bytes + 1),
          value,
          pointer,
        });
    };
    const ahead = Math.max(0, ...schemas.map((schema) => prefixOf(schema, words).length));
    for (let index = 0; index < Math.min(ahead, room); index++) {
      const item = itemPlaces(places, index, words, isOpen);
      const value = this.bound(item);
      // A list ends before an item that nothing fits.
      if (value === undefined) return containerOf(parts, []);
      add(1, value, item[0]?.pointer);
    }
    room -= Math.min(ahead, room);
    if (room <= 0) return containerOf(parts, []);
    const item = itemPlaces(places, ahead, words, isOpen);
    const place = blamed(places, places, 'array');
    if (item.length === 0) {
      const missing = Number.isFinite(room) ? 'items' : 'maxItems';
      return containerOf(parts, [{ pointer: place, missing }]);
    }
    const value = this.bound(item);
    if (value === undefined) return containerOf(parts, []);
    if (!Number.isFinite(room) && ownUnique(schemas)) room = countOf(item);
    if (!Number.isFinite(room)) return containerOf(parts, [{ pointer: place, missing: 'maxItems' }], [value]);
    add(room, value, item[0]?.pointer);
    return containerOf(parts, []);
  }

  /** What `propertyNames` says; undefined where no key is allowed. */
  #names(places: readonly ObjectPlace[]): readonly JsonObject[] | undefined {
    const starts = places.flatMap(({ pointer, schema }) => schemaPlaces(pointer, schema, 'propertyNames'));
    const names = this.#places.conjunction(starts);
    return names.impossible ? undefined : names.places.map(({ schema }) => schema);
  }

  #map(places: readonly ObjectPlace[], { isOpen, beside }: Way): Bound {
    const schemas = places.map(({ schema }) => schema);
    const most = leastOf(schemas, 'maxProperties');
    const parts: BoundPart[] = [];
    if (most > 0) {
      const declared = declaredKeys(schemas);
      const others = isOpen ? [] : declaredKeys(beside.map(({ schema }) => schema));
      for (const key of new Set([...declared, ...others])) {
        const own = this.#places.property(places, key);
        const found = declared.has(key) ? own : [...own, ...this.#places.property(beside, key)];
        const value = this.bound(found);
        if (value === undefined) continue;
        const bytes = jsonStringSize(key) + 2 + value.bytes;
        parts.push({ key, keySample: () => key, count: 1, bytes, value, pointer: found[0]?.pointer });
      }
      const groups = mapGroups(places, this.#places.words, isOpen);
      const names = groups.length === 0 ? undefined : this.#names(places);
      const lacks: UnboundedPlace[] = [];
      for (const group of names === undefined ? [] : groups) {
        const values = group.values;
        const value = values.length === 0 ? undefined : this.bound(values);
        if (values.length > 0 && value === undefined) continue;
        const key = keyBound(names ?? [], group.pattern);
        const count = Math.min(most, key.count);
        if (value === undefined || !Number.isFinite(count)) {
          lacks.push({ pointer: group.pointer, missing: missingOf(group, Number.isFinite(most)) });
          if (value === undefined) continue;
        } else if (!Number.isFinite(key.bytes)) {
          lacks.push({ pointer: group.pointer, missing: 'propertyNames' });
        }
        const listed = key.sizes?.slice(0, count).reduce((sum, size) => sum + size, 0);
        const keys = listed ?? count * key.bytes;
        parts.push({
          key: undefined,
          keySample: () => key.sample(),
          count,
          bytes: keys + count * (value.bytes + 2),
          value,
          pointer: values[0]?.pointer,
        });
      }
      return containerOf(fitting(parts, most), lacks);
    }
    return containerOf([], []);
  }
}

function missingOf({ pattern, values, declared }: MapGroup, counted: boolean): MissingLimit {
  if (values.length === 0 || !declared) return 'additionalProperties';
  return pattern === undefined || !counted ? 'maxProperties' : 'propertyNames';
}
