/**
 * Says fast whether a value is a record of the trace format: trace.schema.json made into closures, without generated
 * code. It only says yes or no; ajv explains a no. A test holds one against the other.
 */
import { isDeeperThan } from '../json/jsonDepth';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/jsonValue';
import schema from './trace.schema.json';

/** How many objects and arrays a record may nest in each other: far more than any Σ that a run allows. */
export const maxRecordDepth = 1_000;

type Check = (value: JsonValue) => boolean;

const root: JsonObject = schema as unknown as JsonObject;

/** What the closures understand; annotations aside, a schema that says more has to be taught to them first. */
const understood = new Set([
  ...['$ref', 'const', 'enum', 'type', 'minimum', 'maximum', 'exclusiveMinimum', 'pattern'],
  ...['properties', 'required', 'additionalProperties', 'items'],
  ...['title', 'description', 'tsType'],
]);

let kinds: ReadonlyMap<string, Check> | undefined;
let lenientKinds: ReadonlyMap<string, Check> | undefined;

/** The record kinds of this version. */
export function recordKinds(): ReadonlyMap<string, Check> {
  kinds ??= compileKinds(false);
  return kinds;
}

/** What records of a newer version have to fit: keys that this version doesn't know are no matter, nor is the version. */
export function fitsNewerRecord(value: JsonValue, characters: number): boolean {
  lenientKinds ??= compileKinds(true);
  if (isJsonObject(value) && value.kind === 'run')
    return fits(lenientKinds, { ...value, version: 1 }, characters);
  return fits(lenientKinds, value, characters);
}

/**
 * True where the value is a record as the format has it.
 *
 * @param characters how long its JSON is, which spares looking into short ones for nesting
 */
export function fitsRecord(value: JsonValue, characters: number): boolean {
  return fits(recordKinds(), value, characters);
}

function fits(checks: ReadonlyMap<string, Check>, value: JsonValue, characters: number): boolean {
  if (!isJsonObject(value) || typeof value.kind !== 'string') return false;
  const check = checks.get(value.kind);
  if (!check?.(value)) return false;
  // Each level takes two characters at least.
  return characters <= 2 * maxRecordDepth || !isDeeperThan(value, maxRecordDepth);
}

function compileKinds(lenient: boolean): ReadonlyMap<string, Check> {
  const checks = new Map<string, Check>();
  for (const alternative of arrayOf(root.oneOf)) {
    const record = resolve(objectOf(alternative));
    const kind = objectOf(objectOf(record.properties).kind).const;
    if (typeof kind !== 'string') throw new Error('Every kind of record is named by its kind');
    checks.set(kind, compile(record, lenient));
  }
  return checks;
}

function compile(given: JsonObject, lenient: boolean): Check {
  const subschema = resolve(given);
  const foreign = Object.keys(subschema).find((keyword) => !understood.has(keyword));
  if (foreign !== undefined) throw new Error(`The trace format uses ${foreign}, which its fast check lacks`);
  if (subschema.const !== undefined) return (value) => value === subschema.const;
  if (subschema.enum !== undefined) {
    const values = new Set<JsonValue>(arrayOf(subschema.enum));
    return (value) => values.has(value);
  }
  switch (subschema.type) {
    case undefined:
      return () => true;
    case 'string':
      return compileString(subschema);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'integer':
    case 'number':
      return compileNumber(subschema);
    case 'array':
      return compileArray(subschema, lenient);
    case 'object':
      return compileObject(subschema, lenient);
    default:
      return compileTypes(subschema, lenient);
  }
}

function compileString({ pattern }: JsonObject): Check {
  if (typeof pattern !== 'string') return (value) => typeof value === 'string';
  const expression = new RegExp(pattern, 'u');
  return (value) => typeof value === 'string' && expression.test(value);
}

function compileNumber({ type, minimum, maximum, exclusiveMinimum }: JsonObject): Check {
  const isNumber = type === 'integer' ? Number.isInteger : Number.isFinite;
  const least = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  const most = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY;
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : Number.NEGATIVE_INFINITY;
  return (value) =>
    typeof value === 'number' && isNumber(value) && value >= least && value <= most && value > above;
}

function compileArray({ items }: JsonObject, lenient: boolean): Check {
  const check = items === undefined ? undefined : compile(objectOf(items), lenient);
  return (value) => Array.isArray(value) && (!check || value.every((item: JsonValue) => check(item)));
}

/** `type: [string, number, boolean]` */
function compileTypes({ type }: JsonObject, lenient: boolean): Check {
  const checks = arrayOf(type).map((name) => compile({ type: name }, lenient));
  return (value) => checks.some((check) => check(value));
}

function compileObject(subschema: JsonObject, lenient: boolean): Check {
  if (subschema.properties === undefined && subschema.additionalProperties === undefined) return isJsonObject;
  const required = new Set(arrayOf(subschema.required ?? []));
  const members = new Map(
    Object.entries(objectOf(subschema.properties ?? {})).map(([key, member]) => [
      key,
      { key, check: compile(objectOf(member), lenient), required: required.has(key) ? 1 : 0 },
    ]),
  );
  const others = compileOthers(subschema, lenient);
  const needed = required.size;
  // Records of a kind have their keys in the same order: where a key was the last time is tried first.
  const known: { readonly key: string; readonly check: Check; readonly required: number }[] = [];
  return (value) => {
    if (!isJsonObject(value)) return false;
    let found = 0;
    let index = 0;
    // What was parsed from JSON has own keys alone, and going over them this way makes no list of them.
    for (const key in value) {
      let member = known[index];
      if (member?.key !== key) {
        member = members.get(key);
        if (member) known[index] = member;
        else if (others?.(value[key] as JsonValue)) continue;
        else return false;
      }
      if (!member.check(value[key] as JsonValue)) return false;
      found += member.required;
      index += 1;
    }
    return found === needed;
  };
}

/** What keys have to fit that the schema doesn't name; undefined where there can't be any. */
function compileOthers({ additionalProperties }: JsonObject, lenient: boolean): Check | undefined {
  if (additionalProperties === false) return lenient ? () => true : undefined;
  return compile(objectOf(additionalProperties), lenient);
}

function resolve(subschema: JsonObject): JsonObject {
  if (subschema.$ref === undefined) return subschema;
  const name = String(subschema.$ref).slice('#/$defs/'.length);
  return objectOf(objectOf(root.$defs)[name]);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error('The trace format has an object here');
  return value;
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Error('The trace format has an array here');
  return value as readonly JsonValue[];
}
