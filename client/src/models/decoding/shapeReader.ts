/** Reads from a state schema and Σ_t what a patch may have where. */
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { Place } from '../../../../schemas/state/boundPlaces';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { jsonEqual } from '../../runtime/jsonEquality';
import { mergePatch } from '../../runtime/merge';
import { SameShapes } from './sameShapes';
import { type Case, namesIn, numbersIn, placesKey, pointerOf, SchemaCases } from './schemaCases';
import {
  allows,
  isNever,
  isScalar,
  type KeyGroup,
  type Member,
  never,
  type ObjectShape,
  optionsOf,
  type Shape,
  union,
} from './shapes';
import { declaredIn, nameAllowed, typesIn, ValueShapes } from './valueShapes';

/** Σ_t where it isn't looked at, so that the result is the same at every step: every object may be there. */
export const anyState = Symbol('any state');

type Current = JsonValue | typeof anyState | undefined;

/** How deep changes follow Σ_t, and how deep they go where it isn't looked at. */
const maxChangeDepth = 24;
const maxAnyDepth = 6;
/** How many undeclared keys of an object are told apart from those that it doesn't have. */
const maxKnown = 600;

/** Reads one schema; what doesn't depend on Σ_t is read once. */
export class ShapeReader {
  readonly cases: SchemaCases;
  readonly #schema: StateSchema;
  readonly #root: readonly Place[];
  readonly #values: ValueShapes;
  /** What may become of an object of Σ, which is the same one as long as nothing in it changes. */
  readonly #changes = new WeakMap<JsonObject, Map<string, Shape>>();
  readonly #groups = new WeakMap<Case, readonly KeyGroup[]>();
  /** The same where keys of Σ aren't told apart from others. */
  readonly #crowdedGroups = new WeakMap<Case, readonly KeyGroup[]>();
  readonly #same = new SameShapes();
  readonly #anyChanges = new Map<string, Shape>();
  /** What may come where Σ has neither an object nor an array. */
  readonly #plainChanges = new Map<string, Shape>();

  constructor(schema: StateSchema) {
    this.#schema = schema;
    this.cases = new SchemaCases(schema);
    this.#values = new ValueShapes(this.cases);
    this.#root = [{ pointer: '', schema: schema.schema }];
    for (const { schemaLocation } of schema.invariants)
      this.cases.note(schemaLocation, 'x-invariants', 'is an expression');
    // Everything is looked at once, so that what is noted doesn't depend on Σ.
    this.#values.value(this.#root, 'new', 0);
  }

  /** What a patch of Σ may be: one shape, or with {@link anyState} one for each case; none where nothing may be changed. */
  patch(state: JsonObject | typeof anyState): readonly ObjectShape[] {
    const shape = this.#change(this.#root, state, [], 0);
    return optionsOf(shape).flatMap((option): readonly ObjectShape[] => {
      if (option.kind === 'object') return option.isChange ? [option] : [];
      return option.kind === 'any' ? this.#freeObject(state) : [];
    });
  }

  #freeObject(state: JsonObject | typeof anyState): readonly ObjectShape[] {
    const shape = this.#changedObject([], state, [], 0);
    return shape.kind === 'object' ? [shape] : [];
  }

  /** What may become of a value that Σ_t has at a path, or may come there; deleting it is its object's matter. */
  #change(starts: readonly Place[], current: Current, path: JsonPath, depth: number): Shape {
    if (depth > (current === anyState ? maxAnyDepth : maxChangeDepth)) return never;
    const key = current === anyState ? `${depth}\n${placesKey(starts)}` : placesKey(starts);
    const kept = this.#keptChanges(current);
    let shape = kept?.get(key);
    if (shape === undefined) {
      shape = this.#same.of(this.#changeOf(starts, current, path, depth));
      kept?.set(key, shape);
    }
    return shape;
  }

  #keptChanges(current: Current): Map<string, Shape> | undefined {
    if (current === anyState) return this.#anyChanges;
    if (Array.isArray(current)) return undefined;
    if (!isJsonObject(current)) return this.#plainChanges;
    const kept = this.#changes.get(current) ?? new Map<string, Shape>();
    this.#changes.set(current, kept);
    return kept;
  }

  #changeOf(starts: readonly Place[], current: Current, path: JsonPath, depth: number): Shape {
    if (this.cases.isEnvironments(starts)) return never;
    const isThere = isJsonObject(current) || current === anyState;
    const mayReplace = path.length === 0 || !this.cases.touchesEnvironment(starts);
    const options: Shape[] = [];
    const value = this.#values.value(starts, 'new', 0);
    const isArray = this.cases.of(starts).some((places) => typesIn(places).includes('array'));
    for (const option of optionsOf(value)) {
      if (option.kind === 'any') return option;
      if (option.kind === 'object' || option.kind === 'array') {
        if (option.kind === 'object' && (!isThere || current === anyState)) options.push(option);
      } else if (mayReplace) options.push(option.kind === 'literal' ? literalsOver(option, current) : option);
    }
    if (isArray) options.push(...this.#changedArrays(starts, current, path));
    if (isThere) options.push(...this.#changedObjects(starts, current, path, depth));
    return union(starts[0]?.pointer ?? '', options);
  }

  #changedArrays(starts: readonly Place[], current: Current, path: JsonPath): readonly Shape[] {
    const { merge, evict } = this.#schema.mergePolicyAt(path);
    if (merge === 'replace' && this.cases.touchesEnvironment(starts)) return [];
    const items = Array.isArray(current) ? (current as readonly JsonValue[]) : undefined;
    const cases = this.cases
      .of(starts)
      .filter((places) => typesIn(places).includes('array') && this.#values.listed(places) === undefined);
    if (merge !== 'replace' && cases.length > 1)
      this.cases.note(starts[0]?.pointer ?? '', 'x-merge', 'holds whichever branch the list belongs to');
    if (merge === 'replace' || items === undefined)
      return cases.map((places) => this.#same.of(this.#values.array(places, 0, items, merge, evict)));
    // What is added has to fit what is there.
    const holding =
      cases.length <= 1
        ? cases[0]
        : cases.find((places) => allows(this.#values.ofType(places, 'array', 'item', 0), items));
    // The first items of a patch aren't the first ones of the list, and whose they are is told by their places.
    const { firstItems } = this.cases.words;
    const isMixed =
      this.cases.touchesEnvironment(starts) &&
      holding?.some(({ schema }) => Array.isArray(ownProperty(schema, firstItems))) === true;
    return holding === undefined || isMixed
      ? []
      : [this.#same.of(this.#values.array(holding, 0, items, merge, evict))];
  }

  #changedObjects(
    starts: readonly Place[],
    current: JsonObject | typeof anyState,
    path: JsonPath,
    depth: number,
  ): readonly Shape[] {
    const cases = this.cases
      .of(starts)
      .filter((places) => this.#values.listed(places) === undefined && typesIn(places).includes('object'));
    const [only] = cases;
    if (only === undefined) return [];
    if (current === anyState) return cases.map((places) => this.#changedObject(places, current, path, depth));
    // A patch stays within the case that holds now: what leads from one to another depends on several keys at once.
    const holding =
      cases.length === 1
        ? only
        : (cases.find((places) => allows(this.#values.ofType(places, 'object', 'item', 0), current)) ?? only);
    return [this.#changedObject(holding, current, path, depth)];
  }

  #changedObject(places: Case, current: JsonObject | typeof anyState, path: JsonPath, depth: number): Shape {
    const now = current === anyState ? {} : current;
    const size = Object.keys(now).length;
    const required = namesIn(places, 'required');
    const names = this.#values.names(places);
    const declared = declaredIn(places);
    const least = Math.max(0, ...numbersIn(places, 'minProperties'));
    const most = Math.min(Number.POSITIVE_INFINITY, ...numbersIn(places, 'maxProperties'));
    const spare = current === anyState ? Number.POSITIVE_INFINITY : size - least;
    if (least > required.size) {
      const reason = 'depends on how many keys are deleted';
      this.cases.note(pointerOf(places, 'minProperties'), 'minProperties', reason);
    }
    const maxNew = current === anyState ? Number.POSITIVE_INFINITY : Math.max(0, most - size);
    const memberOf = (key: string): Member | undefined => {
      const value = current === anyState ? anyState : ownProperty(now, key);
      const isNew = value === undefined;
      const at = [...path, key];
      const starts = this.#values.property(places, key, declared);
      const set =
        key === '__proto__' || (isNew && (maxNew === 0 || !nameAllowed(names, key)))
          ? never
          : this.#change(starts, value, at, depth + 1);
      const mayDelete = !isNew && !required.has(key) && spare > 0 && !this.cases.touchesEnvironment(starts);
      const shape = mayDelete ? withDelete(set) : set;
      return isNever(shape) ? undefined : { key, shape, isRequired: false, isNew };
    };
    const members = [...new Set([...declared, ...required])].flatMap((key) => memberOf(key) ?? []);
    const others = Object.keys(now).filter((key) => !declared.has(key) && !required.has(key));
    const isCrowded = others.length > maxKnown;
    const known = isCrowded ? [] : others.flatMap((key) => memberOf(key) ?? []);
    const isAny = current === anyState || isCrowded;
    const groups = maxNew === 0 && !isCrowded ? noGroups : this.#newKeys(places, isAny, path, depth);
    if (isCrowded && groups.some(({ shape }) => !isScalar(shape)))
      this.cases.note(
        pointerOf(places),
        'required',
        `depends on which of more than ${maxKnown} keys are there`,
      );
    if (isCrowded && most < Number.POSITIVE_INFINITY)
      this.cases.note(pointerOf(places, 'maxProperties'), 'maxProperties', 'depends on which keys are there');
    const pointer = pointerOf(places, 'properties', 'additionalProperties', 'type');
    const excluded = new Set([...declared, ...required, ...(isCrowded ? [] : others)]);
    const rest = {
      groups,
      names,
      excluded,
      minEntries: 0,
      maxNew: isCrowded ? Number.POSITIVE_INFINITY : maxNew,
    };
    return this.#same.of({ kind: 'object', pointer, isChange: true, members, known, ...rest });
  }

  /** Keys that an object may get beside the declared ones. They don't depend on Σ, and are kept. */
  #newKeys(places: Case, isAny: boolean, path: JsonPath, depth: number): readonly KeyGroup[] {
    const keptGroups = isAny ? this.#crowdedGroups : this.#groups;
    const kept = keptGroups.get(places);
    if (kept !== undefined) return kept;
    const least = Math.max(0, ...numbersIn(places, 'minProperties'));
    const groups = this.#values.groups(places, (starts) => {
      const set = this.#change(starts, isAny ? anyState : undefined, [...path, ''], depth + 1);
      const mayDelete = isAny && least === 0 && !isNever(set) && !this.cases.touchesEnvironment(starts);
      return mayDelete ? withDelete(set) : set;
    });
    keptGroups.set(places, groups);
    return groups;
  }
}

const noGroups: readonly KeyGroup[] = [];

const withDeletes = new WeakMap<Shape, Shape>();

/** The same shape or null, one for each shape, so that what is equal stays the same. */
function withDelete(shape: Shape): Shape {
  let result = withDeletes.get(shape);
  if (result === undefined) {
    result = union(shape.pointer, [shape, { kind: 'null', pointer: shape.pointer }]);
    withDeletes.set(shape, result);
  }
  return result;
}

/** Listed objects are merged with what is there: those stay that come out as they are listed. */
function literalsOver(
  shape: { readonly pointer: string; readonly values: readonly JsonValue[] },
  current: Current,
): Shape {
  const values = shape.values.filter((value) => {
    if (!isJsonObject(value)) return true;
    if (current === anyState) return false;
    return current === undefined || jsonEqual(mergePatch(current, value), value);
  });
  return { kind: 'literal', pointer: shape.pointer, values };
}
