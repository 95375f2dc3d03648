/**
 * The keywords of JSON Schema 2020-12 and draft-07 and what their values have to be: the meta-schemas as a table,
 * so that one wrong value gives one finding at its own place. A test compares it with ajv's meta-schemas.
 */
import { nearestName } from '../text/nearestName';
import type { Dialect } from './stateSchema';

/** What a keyword's value is; the kinds with `schema` in their names contain subschemas. */
export type KeywordKind =
  | 'any'
  | 'anchor'
  | 'array'
  | 'boolean'
  | 'dependencies'
  | 'different-values'
  | 'id'
  | 'non-empty-array'
  | 'non-negative-integer'
  | 'number'
  | 'pattern'
  | 'pattern-schema-map'
  | 'positive-number'
  | 'reference'
  | 'schema'
  | 'schema-array'
  | 'schema-map'
  | 'schema-or-schema-array'
  | 'string'
  | 'string-array'
  | 'string-array-map'
  | 'type'
  | 'vocabulary';

const shared: Readonly<Record<string, KeywordKind>> = {
  $comment: 'string',
  $ref: 'reference',
  $schema: 'string',
  additionalProperties: 'schema',
  allOf: 'schema-array',
  anyOf: 'schema-array',
  const: 'any',
  contains: 'schema',
  contentEncoding: 'string',
  contentMediaType: 'string',
  default: 'any',
  definitions: 'schema-map',
  dependencies: 'dependencies',
  description: 'string',
  else: 'schema',
  examples: 'array',
  exclusiveMaximum: 'number',
  exclusiveMinimum: 'number',
  format: 'string',
  if: 'schema',
  maximum: 'number',
  maxItems: 'non-negative-integer',
  maxLength: 'non-negative-integer',
  maxProperties: 'non-negative-integer',
  minimum: 'number',
  minItems: 'non-negative-integer',
  minLength: 'non-negative-integer',
  minProperties: 'non-negative-integer',
  multipleOf: 'positive-number',
  not: 'schema',
  oneOf: 'schema-array',
  pattern: 'pattern',
  patternProperties: 'pattern-schema-map',
  properties: 'schema-map',
  propertyNames: 'schema',
  readOnly: 'boolean',
  required: 'string-array',
  // biome-ignore lint/suspicious/noThenProperty: the keyword's name
  then: 'schema',
  title: 'string',
  type: 'type',
  uniqueItems: 'boolean',
};

const keywords2020: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries({
    ...shared,
    $anchor: 'anchor',
    $defs: 'schema-map',
    $dynamicAnchor: 'anchor',
    $dynamicRef: 'reference',
    $id: 'id',
    $vocabulary: 'vocabulary',
    contentSchema: 'schema',
    dependentRequired: 'string-array-map',
    dependentSchemas: 'schema-map',
    deprecated: 'boolean',
    enum: 'non-empty-array',
    items: 'schema',
    maxContains: 'non-negative-integer',
    minContains: 'non-negative-integer',
    prefixItems: 'schema-array',
    unevaluatedItems: 'schema',
    unevaluatedProperties: 'schema',
    writeOnly: 'boolean',
  } satisfies Record<string, KeywordKind>),
);

const keywords07: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries({
    ...shared,
    $id: 'reference',
    additionalItems: 'schema',
    enum: 'different-values',
    items: 'schema-or-schema-array',
  } satisfies Record<string, KeywordKind>),
);

/** The keywords of a dialect; all others have no effect. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, KeywordKind> {
  return dialect === '2020-12' ? keywords2020 : keywords07;
}

/** The `$schema` URIs of a dialect, without the empty fragment that may follow. */
export const dialectUris: Readonly<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
};

/** The names of types. */
export const simpleTypes = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** What other languages call the types. */
const otherTypeNames: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['double', 'number'],
  ['float', 'number'],
  ['int', 'integer'],
  ['list', 'array'],
  ['map', 'object'],
  ['str', 'string'],
  ['text', 'string'],
]);

/** The type that a name was probably to be: `array` for `arra`, `integer` for `int`. */
export function nearestType(name: string): string | undefined {
  return otherTypeNames.get(name.toLowerCase()) ?? nearestName(name, simpleTypes);
}

/** What a value has to be instead, as the rest of the sentence “… has to be”; undefined where it fits. */
export function mismatch(kind: KeywordKind, value: unknown): string | undefined {
  switch (kind) {
    case 'any':
      return undefined;
    case 'anchor':
      return typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
        ? undefined
        : 'a name of letters, digits, -, . and _ that begins with a letter';
    case 'array':
      return Array.isArray(value) ? undefined : 'an array';
    case 'different-values':
      return Array.isArray(value) &&
        value.length > 0 &&
        new Set(value.map((item) => JSON.stringify(item))).size === value.length
        ? undefined
        : 'an array of different values, at least one';
    case 'non-empty-array':
      return Array.isArray(value) && value.length > 0 ? undefined : 'an array of at least one value';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'id':
      return typeof value === 'string' && /^[^#]*#?$/.test(value) ? undefined : 'a URI without a fragment';
    case 'pattern':
    case 'reference':
    case 'string':
      return typeof value === 'string' ? undefined : 'a string';
    case 'non-negative-integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0
        ? undefined
        : 'a whole number from 0';
    case 'number':
      return typeof value === 'number' ? undefined : 'a number';
    case 'positive-number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0';
    case 'string-array':
      return isStringArray(value) ? undefined : 'an array of different strings';
    case 'type':
      return isType(value)
        ? undefined
        : `one of ${simpleTypes.join(', ')}, or an array of different ones of them`;
    case 'schema':
      return isSchemaLike(value) ? undefined : 'a schema (an object, true or false)';
    case 'schema-array':
      return Array.isArray(value) && value.length > 0 ? undefined : 'an array of at least one schema';
    case 'schema-or-schema-array':
      return isSchemaLike(value) || (Array.isArray(value) && value.length > 0)
        ? undefined
        : 'a schema or an array of schemas';
    case 'dependencies':
    case 'pattern-schema-map':
    case 'schema-map':
      return isPlainObject(value) ? undefined : 'an object whose values are schemas';
    case 'string-array-map':
      return isPlainObject(value) ? undefined : 'an object whose values are arrays of strings';
    case 'vocabulary':
      return isPlainObject(value) ? undefined : 'an object whose values are true or false';
  }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for what may be a schema at all. */
export function isSchemaLike(value: unknown): boolean {
  return typeof value === 'boolean' || isPlainObject(value);
}

function isType(value: unknown): boolean {
  if (typeof value === 'string') return simpleTypes.includes(value);
  return isStringArray(value) && value.length > 0 && value.every((type) => simpleTypes.includes(type));
}

function isStringArray(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === 'string') &&
    new Set(value).size === value.length
  );
}
