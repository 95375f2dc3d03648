/** What ajv reports, in words that a user and a model understand. */
import type { ErrorObject } from 'ajv';
import { formatPointer, type JsonPath, parsePointer } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { branchTypes, withoutUnmeantBranches } from './alternatives';
import { counted, listed, quoted, shortened } from './quotation';

/** One violated rule of a schema, at a place in the validated value. */
export interface SchemaViolation {
  /** The place that is wrong; of a key that is missing, forbidden or misnamed, that key. */
  readonly path: JsonPath;
  /** JSON Pointer into the schema, down to the violated keyword. */
  readonly schemaLocation: string;
  /** `/inventory/shelf_3 must be string, not number.` */
  readonly message: string;
}

/** How many of ajv's errors are looked at; a patch that breaks more rules than that is not explained rule by rule. */
const maxErrors = 200;

/** Errors that only repeat what the errors inside their subschemas say. */
const echoes = new Set(['if', 'propertyNames']);

/** Turns ajv's errors (with `verbose`) into violations; `pointerOf` gives a subschema's place in the schema. */
export function schemaViolations(
  errors: readonly ErrorObject[],
  pointerOf: (subschema: unknown) => string | undefined,
): SchemaViolation[] {
  const considered = errors.slice(0, maxErrors);
  const telling = withoutUnmeantBranches(considered.filter((error) => !echoes.has(error.keyword)));
  return (telling.length > 0 ? telling : considered).map((error) => {
    const schemaLocation = locationOf(error, pointerOf);
    return { path: pathOf(error), schemaLocation, message: `${messageOf(error)}.` };
  });
}

/** Empty where the rule does not stand in this schema, as when it refers to a meta-schema. */
function locationOf(error: ErrorObject, pointerOf: (subschema: unknown) => string | undefined): string {
  if (error.keyword === 'false schema') {
    // Its schema is no object and has no place of its own; ajv's path is a URI fragment.
    const fragment = error.schemaPath.slice(0, -'/false schema'.length);
    return fragment.startsWith('#') ? decodeURIComponent(fragment.slice(1)) : '';
  }
  const place = pointerOf(error.parentSchema);
  if (place === undefined) return '';
  const isForbidden = error.keyword === 'not' && isEmptyObject(error.schema);
  return isForbidden ? place : place + formatPointer([error.keyword]);
}

function pathOf(error: ErrorObject): JsonPath {
  const path = parsePointer(error.instancePath) ?? [];
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params;
  for (const key of [missingProperty, additionalProperty, unevaluatedProperty, error.propertyName]) {
    if (typeof key === 'string') return [...path, key];
  }
  return path;
}

function messageOf(error: ErrorObject): string {
  const subject = subjectOf(error);
  const { params, keyword } = error;
  const limit = String(params.limit);
  switch (keyword) {
    case 'type':
      return `${subject} must be ${typesOf(error.schema)}, not ${typeName(error.data)}`;
    case 'required':
      return `${subject} must have the key ${quoted(String(params.missingProperty))}`;
    case 'dependentRequired':
    case 'dependencies':
      return `${subject} must have the key ${quoted(String(params.missingProperty))} because it has ${quoted(String(params.property))}`;
    case 'additionalProperties':
      return `${subject} may not have the key ${quoted(String(params.additionalProperty))}`;
    case 'unevaluatedProperties':
      return `${subject} may not have the key ${quoted(String(params.unevaluatedProperty))}`;
    case 'propertyNames':
      return `${subject} may not have the key ${quoted(String(params.propertyName))}`;
    case 'enum':
      return `${subject} must be ${listed(values(params.allowedValues), 'or')}, not ${valueText(error.data)}`;
    case 'const':
      return `${subject} must be ${listed(values(params.allowedValues), 'or')}, not ${valueText(error.data)}`;
    case 'pattern':
      return `${subject} must match the pattern ${shortened(String(params.pattern), 80)}`;
    case 'format':
      return `${subject} must be in the format ${shortened(String(params.format), 40)}`;
    case 'minLength':
    case 'maxLength':
      return `${subject} must have ${bound(keyword)} ${counted(Number(limit), 'character')}, not ${lengthOf(error.data)}`;
    case 'minItems':
    case 'maxItems':
      return `${subject} must have ${bound(keyword)} ${counted(Number(limit), 'item')}, not ${sizeOf(error.data)}`;
    case 'minProperties':
    case 'maxProperties':
      return `${subject} must have ${bound(keyword)} ${counted(Number(limit), 'key')}, not ${sizeOf(error.data)}`;
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return `${subject} must have at most ${counted(Number(params.limit ?? params.len), 'item')}, not ${sizeOf(error.data)}`;
    case 'minimum':
      return `${subject} must be at least ${limit}, not ${valueText(error.data)}`;
    case 'maximum':
      return `${subject} must be at most ${limit}, not ${valueText(error.data)}`;
    case 'exclusiveMinimum':
      return `${subject} must be more than ${limit}, not ${valueText(error.data)}`;
    case 'exclusiveMaximum':
      return `${subject} must be less than ${limit}, not ${valueText(error.data)}`;
    case 'multipleOf':
      return `${subject} must be a multiple of ${String(params.multipleOf)}, not ${valueText(error.data)}`;
    case 'uniqueItems':
      return `${subject} must not have equal items, but items ${String(params.i)} and ${String(params.j)} are`;
    case 'contains':
      return `${subject} does not have as many items of the required kind as it must`;
    case 'anyOf':
    case 'oneOf':
      return alternativesMessage(error, subject);
    case 'not':
      return isEmptyObject(error.schema)
        ? `${subject} is not allowed`
        : `${subject} has a form that is not allowed`;
    case 'false schema':
      return `${subject} is not allowed`;
    default:
      return `${subject} ${error.message ?? `violates ${keyword}`}`;
  }
}

function alternativesMessage(error: ErrorObject, subject: string): string {
  const types: unknown = error.params[branchTypes];
  if (types !== undefined) return `${subject} must be ${typesOf(types)}, not ${typeName(error.data)}`;
  const passing: unknown = error.params.passingSchemas;
  return Array.isArray(passing)
    ? `${subject} fits more than one of the alternatives, of which it must fit exactly one`
    : `${subject} fits none of the allowed alternatives`;
}

/** What the sentence is about: a place in Σ, or the name of a key there. */
function subjectOf(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the state' : shortened(error.instancePath, 100);
  const subject =
    error.propertyName === undefined ? place : `the key ${quoted(error.propertyName)} of ${place}`;
  return subject.charAt(0).toUpperCase() + subject.slice(1);
}

function bound(keyword: string): string {
  return keyword.startsWith('min') ? 'at least' : 'at most';
}

function typesOf(schema: unknown): string {
  return Array.isArray(schema) ? listed(schema.map(String), 'or') : String(schema);
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function values(allowed: unknown): string[] {
  return Array.isArray(allowed) ? allowed.map(valueText) : [];
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return quoted(value, 40);
  return typeof value === 'object' && value !== null
    ? shortened(JSON.stringify(value as JsonValue), 40)
    : String(value);
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? [...value].length : 0;
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
