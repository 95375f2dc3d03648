/**
 * A quick look whether a value fits a schema, without compiling it: compiling takes seconds where a schema has
 * thousands of fields, and a text that is being typed is another schema with every key.
 */
import { jsonEqual } from '../../../../client/src/runtime/jsonEquality';
import { formatPointer, parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { characterCount } from '../../../../schemas/text/plainText';
import { compilePattern } from '../../../../schemas/text/safePattern';

/** How deep values and references may lead, and how many subschemas are looked at. */
const maxDepth = 100;
const maxWork = 200_000;

/** Larger arrays are not compared item by item. */
const maxUniqueItems = 200;

/**
 * True where a value fits the subschema at a pointer for certain. False says nothing: the value doesn't fit, or a
 * keyword stands there that only the validator knows.
 */
export function surelyFits(schema: StateSchema, pointer: string, value: JsonValue): boolean {
  return new Look(schema, false).begin(pointer, value);
}

/** The same for a part of Σ as patches give it: its objects may lack what is required, but not those inside of arrays. */
export function surelyFitsInPart(schema: StateSchema, value: JsonValue): boolean {
  return new Look(schema, true).begin('', value);
}

class Look {
  readonly #schema: StateSchema;
  /** True while objects may be incomplete. */
  #inPart: boolean;
  #work = 0;

  constructor(schema: StateSchema, inPart: boolean) {
    this.#schema = schema;
    this.#inPart = inPart;
  }

  begin(pointer: string, value: JsonValue): boolean {
    const path = parsePointer(pointer);
    const subschema = path === undefined ? undefined : valueAt(this.#schema.schema, path);
    return subschema !== undefined && this.fits(subschema, pointer, value, 0);
  }

  fits(subschema: JsonValue, pointer: string, value: JsonValue, depth: number): boolean {
    if (subschema === true) return true;
    if (!isJsonObject(subschema) || depth > maxDepth || this.#work++ > maxWork) return false;
    return Object.entries(subschema).every(([keyword, rule]) =>
      this.#keyword(keyword, rule, { subschema, pointer, value, depth }),
    );
  }

  #keyword(keyword: string, rule: JsonValue, at: Place): boolean {
    const { value, pointer, depth } = at;
    const inside = (tokens: readonly string[], part: JsonValue, subschema: JsonValue): boolean =>
      this.fits(subschema, pointer + formatPointer(tokens), part, depth + 1);
    switch (keyword) {
      case '$ref':
        return this.#reference(at);
      case 'type':
        return (Array.isArray(rule) ? (rule as JsonArray) : [rule]).some((type) => isOfType(value, type));
      case 'enum':
        return Array.isArray(rule) && (rule as JsonArray).some((one) => jsonEqual(one, value));
      case 'const':
        return jsonEqual(rule, value);
      case 'allOf':
        return listOf(rule).every((part, index) => inside([keyword, String(index)], value, part));
      case 'anyOf':
        return listOf(rule).some((part, index) => inside([keyword, String(index)], value, part));
      case 'items':
        return (
          !Array.isArray(value) ||
          (!Array.isArray(rule) &&
            !Object.hasOwn(at.subschema, 'prefixItems') &&
            this.#whole(() => (value as JsonArray).every((item) => inside([keyword], item, rule))))
        );
      case 'properties':
        return (
          isJsonObject(rule) &&
          (!isJsonObject(value) ||
            Object.entries(value).every(([key, part]) => {
              const declared = ownProperty(rule, key);
              return declared === undefined || inside([keyword, key], part, declared);
            }))
        );
      case 'additionalProperties':
        return !isJsonObject(value) || this.#additional(rule, value, at);
      case 'propertyNames':
        return !isJsonObject(value) || Object.keys(value).every((key) => inside([keyword], key, rule));
      case 'required':
        return (
          this.#inPart ||
          !isJsonObject(value) ||
          listOf(rule).every((key) => Object.hasOwn(value, String(key)))
        );
      default:
        return isAnnotation(keyword) || keepsBound(keyword, rule, value);
    }
  }

  #whole(look: () => boolean): boolean {
    const before = this.#inPart;
    this.#inPart = false;
    const fits = look();
    this.#inPart = before;
    return fits;
  }

  #reference({ pointer, subschema, value, depth }: Place): boolean {
    const targets = this.#schema.references.get(pointer) ?? [];
    if (targets.length === 0 || Object.hasOwn(subschema, '$dynamicRef')) return false;
    return targets.every((target) => {
      const path = parsePointer(target);
      const found = path === undefined ? undefined : valueAt(this.#schema.schema, path);
      return found !== undefined && this.fits(found, target, value, depth + 1);
    });
  }

  #additional(rule: JsonValue, value: JsonObject, { subschema, pointer, depth }: Place): boolean {
    if (Object.hasOwn(subschema, 'patternProperties')) return false;
    const properties = ownProperty(subschema, 'properties');
    const place = pointer + formatPointer(['additionalProperties']);
    return Object.entries(value).every(
      ([key, part]) =>
        (isJsonObject(properties) && Object.hasOwn(properties, key)) ||
        this.fits(rule, place, part, depth + 1),
    );
  }
}

/** A value and the subschema that it is held against. */
interface Place {
  readonly subschema: JsonObject;
  readonly pointer: string;
  readonly value: JsonValue;
  readonly depth: number;
}

const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  '$files', // the other files of a schema
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Keywords that say nothing of whether a value fits. */
function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-');
}

/** False for keywords that aren't known here too. */
function keepsBound(keyword: string, rule: JsonValue, value: JsonValue): boolean {
  if (keyword === 'pattern') {
    const pattern = typeof rule === 'string' ? compilePattern(rule) : undefined;
    return typeof value !== 'string' || (pattern?.ok === true && pattern.test(value));
  }
  if (keyword === 'uniqueItems')
    return rule === false || !Array.isArray(value) || isUnique(value as JsonArray);
  if (typeof rule !== 'number') return false;
  switch (keyword) {
    case 'minimum':
      return typeof value !== 'number' || value >= rule;
    case 'maximum':
      return typeof value !== 'number' || value <= rule;
    case 'exclusiveMinimum':
      return typeof value !== 'number' || value > rule;
    case 'exclusiveMaximum':
      return typeof value !== 'number' || value < rule;
    case 'minLength':
      return typeof value !== 'string' || characterCount(value) >= rule;
    case 'maxLength':
      return typeof value !== 'string' || characterCount(value) <= rule;
    case 'minItems':
      return !Array.isArray(value) || value.length >= rule;
    case 'maxItems':
      return !Array.isArray(value) || value.length <= rule;
    case 'minProperties':
      return !isJsonObject(value) || Object.keys(value).length >= rule;
    case 'maxProperties':
      return !isJsonObject(value) || Object.keys(value).length <= rule;
    default:
      return false;
  }
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isUnique(items: JsonArray): boolean {
  if (items.length > maxUniqueItems) return false;
  return items.every((item, index) => items.slice(index + 1).every((other) => !jsonEqual(item, other)));
}

function listOf(rule: JsonValue): JsonArray {
  return Array.isArray(rule) ? (rule as JsonArray) : [];
}
