/**
 * What may stand at a place of a patch: the state schema, Σ_t and the rules of merging brought together, before it is
 * written as a JSON Schema or a grammar.
 */
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { characterCount } from '../../../../schemas/text/plainText';
import { compilePattern } from '../../../../schemas/text/safePattern';
import { canonicalJson } from '../../runtime/jsonEquality';
import { hasFormat } from './formatPatterns';

export type Shape =
  | AnyShape
  | { readonly kind: 'null' | 'boolean'; readonly pointer: string }
  | LiteralShape
  | NumberShape
  | StringShape
  | ArrayShape
  | ObjectShape
  | UnionShape;

/** JSON of any kind; without null where it stands in an object of a patch, since null deletes there. */
export interface AnyShape {
  readonly kind: 'any';
  readonly pointer: string;
  readonly withNull: boolean;
}

/** One of some values; none allows nothing. */
export interface LiteralShape {
  readonly kind: 'literal';
  /** Of the subschema in the state schema that says so. */
  readonly pointer: string;
  readonly values: readonly JsonValue[];
}

export interface NumberShape {
  readonly kind: 'number';
  readonly pointer: string;
  readonly isInteger: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: number | undefined;
  readonly multiples: readonly number[];
}

export interface StringShape {
  readonly kind: 'string';
  readonly pointer: string;
  readonly minLength: number;
  /** Infinity where nothing limits it. */
  readonly maxLength: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
}

export interface ArrayShape {
  readonly kind: 'array';
  readonly pointer: string;
  readonly first: readonly Shape[];
  /** Of the items behind the first ones. */
  readonly items: Shape;
  readonly minItems: number;
  /** Infinity where nothing limits it. */
  readonly maxItems: number;
  readonly isUnique: boolean;
  /** How many items it has now; 0 where it is new. */
  readonly length: number;
}

/** A declared key, or one that Σ_t has. */
export interface Member {
  readonly key: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
  /** True where the object doesn't have it yet. */
  readonly isNew: boolean;
}

/** Keys that aren't listed, by which of the schema's patterns they match. */
export interface KeyGroup {
  readonly matches: readonly string[];
  readonly avoids: readonly string[];
  readonly shape: Shape;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly pointer: string;
  /** True for a change of an object that Σ_t has: what is left out stays. False for an object that is written whole. */
  readonly isChange: boolean;
  /** In the schema's order. */
  readonly members: readonly Member[];
  /** Keys that Σ_t has beside the declared ones. */
  readonly known: readonly Member[];
  /** For other keys; a key belongs to the group whose patterns it matches. */
  readonly groups: readonly KeyGroup[];
  /** What those keys have to be. */
  readonly names: Shape | undefined;
  /** Keys that may not be written, though a group would take them. */
  readonly excluded: ReadonlySet<string>;
  /** How many keys it has to have at least, where it is written whole. */
  readonly minEntries: number;
  /** How many keys it may get that it doesn't have yet. */
  readonly maxNew: number;
}

export interface UnionShape {
  readonly kind: 'union';
  readonly pointer: string;
  readonly options: readonly Shape[];
}

/** An object with any keys, whose values may be any of some. */
export function objectOfAny(pointer: string, values: readonly Shape[], isChange: boolean): ObjectShape {
  return {
    kind: 'object',
    pointer,
    isChange,
    members: [],
    known: [],
    groups: [{ matches: [], avoids: [], shape: union(pointer, values) }],
    names: undefined,
    excluded: new Set(),
    minEntries: 0,
    maxNew: Number.POSITIVE_INFINITY,
  };
}

export const never: LiteralShape = { kind: 'literal', pointer: '', values: [] };

export function isNever(shape: Shape): boolean {
  return shape.kind === 'literal' && shape.values.length === 0;
}

/** One of several shapes, without those that allow nothing. */
export function union(pointer: string, shapes: readonly Shape[]): Shape {
  const options: Shape[] = [];
  for (const shape of shapes) {
    if (isNever(shape)) continue;
    for (const option of shape.kind === 'union' ? shape.options : [shape]) {
      if (!options.includes(option)) options.push(option);
    }
  }
  const [only] = options;
  if (only === undefined) return never;
  return options.length === 1 ? only : { kind: 'union', pointer, options };
}

export function optionsOf(shape: Shape): readonly Shape[] {
  return shape.kind === 'union' ? shape.options : [shape];
}

/** True where nothing is nested in what a shape allows. */
export function isScalar(shape: Shape): boolean {
  if (shape.kind === 'union') return shape.options.every(isScalar);
  return shape.kind !== 'object' && shape.kind !== 'array' && shape.kind !== 'any';
}

/** How many objects and arrays of a value are looked into. */
const maxChecks = 20_000;

/** Whether a shape allows a value, as far as can be said: what is nested very deep counts as allowed, a format of which no pattern is known as broken. */
export function allows(shape: Shape, value: JsonValue): boolean {
  let checks = 0;
  const check = (one: Shape, part: JsonValue, depth: number): boolean => {
    if (++checks > maxChecks || depth > 40) return true;
    switch (one.kind) {
      case 'any':
        return one.withNull || part !== null;
      case 'null':
        return part === null;
      case 'boolean':
        return typeof part === 'boolean';
      case 'literal': {
        const text = canonicalJson(part);
        return one.values.some((allowed) => canonicalJson(allowed) === text);
      }
      case 'number':
        return typeof part === 'number' && allowsNumber(one, part);
      case 'string':
        return typeof part === 'string' && allowsText(one, part);
      case 'array':
        return Array.isArray(part) && checkItems(one, part, depth);
      case 'object':
        return isJsonObject(part) && checkMembers(one, part, depth);
      case 'union':
        return one.options.some((option) => check(option, part, depth));
    }
  };
  const checkItems = (one: ArrayShape, items: JsonArray, depth: number): boolean =>
    items.length >= one.minItems &&
    items.length <= one.maxItems &&
    (!one.isUnique || new Set(items.map(canonicalJson)).size === items.length) &&
    items.every((item, index) => check(one.first[index] ?? one.items, item, depth + 1));
  const checkMembers = (one: ObjectShape, object: JsonObject, depth: number): boolean => {
    const keys = Object.keys(object);
    const listed = new Map([...one.members, ...one.known].map((member) => [member.key, member]));
    const added = keys.filter((key) => listed.get(key)?.isNew !== false).length;
    if (keys.length < one.minEntries || added > one.maxNew) return false;
    for (const { key, isRequired } of listed.values())
      if (isRequired && !Object.hasOwn(object, key)) return false;
    return keys.every((key) => {
      const value = ownProperty(object, key) ?? null;
      const member = listed.get(key);
      if (member !== undefined) return check(member.shape, value, depth + 1);
      if (one.excluded.has(key) || (one.names !== undefined && !check(one.names, key, depth + 1)))
        return false;
      const group = one.groups.find((candidate) => belongsTo(candidate, key));
      return group !== undefined && check(group.shape, value, depth + 1);
    });
  };
  return check(shape, value, 0);
}

function belongsTo(group: KeyGroup, key: string): boolean {
  return (
    group.matches.every((source) => occurs(source, key)) &&
    !group.avoids.some((source) => occurs(source, key))
  );
}

export function occurs(source: string, value: string): boolean {
  const pattern = compilePattern(source);
  return !pattern.ok || pattern.test(value);
}

export function allowsNumber(shape: NumberShape, value: number): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = shape;
  return (
    (!shape.isInteger || Number.isInteger(value)) &&
    (minimum === undefined || value >= minimum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
    shape.multiples.every((multiple) => Math.abs(value / multiple - Math.round(value / multiple)) < 1e-9)
  );
}

function allowsText(shape: StringShape, value: string): boolean {
  const length = characterCount(value);
  return (
    length >= shape.minLength &&
    length <= shape.maxLength &&
    shape.patterns.every((source) => occurs(source, value)) &&
    shape.formats.every((format) => hasFormat(format, value))
  );
}
