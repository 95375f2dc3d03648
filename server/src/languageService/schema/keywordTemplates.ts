/** Which keywords fit a subschema, the likely ones first, and what is written behind each. */

import type { JsonPrimitive } from '../../../../schemas/json/jsonValue';
import { annotationNames } from '../../../../schemas/state/schemaAnnotations';
import { keywordsOf } from '../../../../schemas/state/schemaKeywords';
import type { Dialect } from '../../../../schemas/state/stateSchema';
import { fixed, list, map, type Stop, stop, type Template } from './snippet';
import type { Written, WrittenSchema } from './writtenSchema';

/** A subschema that is being written. */
export interface SubschemaContext {
  readonly dialect: Dialect;
  readonly isRoot: boolean;
  /** The keyword that holds it, such as `items`; undefined at the root and for what has a name of its own. */
  readonly holder: string | undefined;
  /** The subschema that describes the same value, for one in a branch or a condition. */
  readonly around?: SubschemaContext | undefined;
  readonly keys: readonly Written[];
  readonly written: WrittenSchema;
}

type JsonType = 'string' | 'number' | 'array' | 'object';

const keywordsByType: Readonly<Record<JsonType, readonly string[]>> = {
  string: [
    'maxLength',
    'pattern',
    'format',
    'minLength',
    'contentEncoding',
    'contentMediaType',
    'contentSchema',
  ],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'maxItems',
    'x-merge',
    'x-evict',
    'uniqueItems',
    'minItems',
    'prefixItems',
    'additionalItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'maxProperties',
    'propertyNames',
    'patternProperties',
    'minProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};

/** Those that most subschemas begin with, in that order. */
const first = ['type', 'description', '$ref'];
const last = [
  'default',
  'enum',
  'const',
  'title',
  'x-writer',
  'examples',
  'anyOf',
  'oneOf',
  'allOf',
  'if',
  'then',
  'else',
];
const rootOnly = ['$schema', '$defs', 'definitions', 'x-invariants', '$id'];

/** No value that fits can be guessed for these, or they have a better name in 2020-12. */
const neverOffered = ['$dynamicRef', '$dynamicAnchor', '$vocabulary'];
const oldNames = ['definitions', 'dependencies'];

/** What says nothing of a state, which is one object that changes. */
const neverAtRoot = ['enum', 'const', 'examples', 'x-merge', 'x-evict'];

/** Keywords without effect unless another stands beside them. */
const needs: ReadonlyMap<string, string> = new Map([
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
  ['contentSchema', 'contentMediaType'],
  ['additionalItems', 'items'],
  ['x-evict', 'x-merge'],
]);

/** The keywords that can be added to a subschema, in the order in which they are offered. */
export function fittingKeywords(context: SubschemaContext): readonly string[] {
  const { dialect, isRoot, keys, written } = context;
  const present = new Set(keys.map(({ name }) => name));
  const types = typesOf(context);
  const typed = (Object.keys(keywordsByType) as JsonType[]).flatMap((type) =>
    types === undefined || types.includes(type) ? keywordsByType[type] : [],
  );
  const known = new Set([...keywordsOf(dialect).keys(), ...annotationNames]);
  const ofTypes: ReadonlySet<string> = new Set(Object.values(keywordsByType).flat());
  const ordered = new Set([
    ...(isRoot && present.size === 0 ? ['$schema'] : []),
    ...first,
    // Lists of allowed values are for words and numbers.
    ...(types?.some((type) => type === 'array' || type === 'object') ? [] : ['enum']),
    ...typed,
    ...(isRoot ? rootOnly : []),
    ...last,
    ...[...known].filter((keyword) => !ofTypes.has(keyword)),
  ]);
  return [...ordered].filter((keyword) => {
    if (!known.has(keyword) || present.has(keyword) || neverOffered.includes(keyword)) return false;
    if ((isRoot ? neverAtRoot : rootOnly).includes(keyword)) return false;
    if (dialect === '2020-12' && oldNames.includes(keyword)) return false;
    const needed = needs.get(keyword);
    if (needed !== undefined && !present.has(needed)) return false;
    return keyword !== '$ref' || written.definitions().length > 0;
  });
}

/** The types that the subschema allows, by what it says of them; undefined where it says nothing. */
function typesOf({
  keys,
  written,
  isRoot,
  holder,
  around,
}: SubschemaContext): readonly JsonType[] | undefined {
  const names = written.textsOf(keys.find(({ name }) => name === 'type'));
  const types = names.flatMap((name): readonly JsonType[] => {
    if (name === 'integer' || name === 'number') return ['number'];
    return name === 'string' || name === 'array' || name === 'object' ? [name] : [];
  });
  if (names.length > 0) return types;
  if (isRoot) return ['object'];
  if (holder === 'propertyNames') return ['string'];
  const implied = (Object.keys(keywordsByType) as JsonType[]).filter((type) =>
    keys.some(({ name }) => keywordsByType[type].includes(name)),
  );
  if (implied.length > 0) return implied;
  return around && typesOf(around);
}

/** A choice of types, the one first that the other keys speak for. */
export function typeStop(context: SubschemaContext): Stop {
  const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
  if (context.isRoot) return stop('object');
  if (context.holder === 'propertyNames') return stop('string');
  const [implied] = typesOf(context) ?? [];
  const likely = implied ?? 'string';
  return stop(likely, ...types.filter((type) => type !== likely));
}

const anyType = stop('string', 'integer', 'number', 'boolean', 'object', 'array', 'null');

const numbers: Readonly<Record<string, number>> = {
  maxItems: 20,
  maxLength: 200,
  maxProperties: 50,
  minItems: 1,
  minLength: 1,
  minProperties: 1,
  minContains: 1,
  maxContains: 1,
  minimum: 0,
  maximum: 100,
  exclusiveMinimum: 0,
  exclusiveMaximum: 100,
  multipleOf: 1,
};

const texts: Readonly<Record<string, string>> = {
  $comment: 'note',
  $anchor: 'name',
  $id: 'https://example.com/state',
  contentEncoding: 'base64',
  contentMediaType: 'application/json',
  description: 'What it holds.',
  pattern: '^[a-z_]+$',
  title: 'Title',
};

/** The value that is written behind a keyword, which fits what stands beside it. */
export function keywordTemplate(keyword: string, context: SubschemaContext): Template {
  const { keys, written, dialect } = context;
  const keyOf = (name: string) => keys.find((key) => key.name === name);
  const number = numbers[keyword];
  if (number !== undefined) return stop(number);
  const text = texts[keyword];
  if (text !== undefined) return stop(text);
  switch (keyword) {
    case 'type':
      return typeStop(context);
    case '$schema':
      return dialect === 'draft-07'
        ? fixed('http://json-schema.org/draft-07/schema#')
        : fixed('https://json-schema.org/draft/2020-12/schema');
    case '$ref': {
      const [target, ...others] = written.definitions().map(({ reference }) => reference);
      return target === undefined ? stop('#') : stop(target, ...others);
    }
    case 'format':
      return stop('date-time', 'date', 'time', 'duration', 'email', 'uri', 'uuid');
    case 'enum':
      return enumTemplate(context);
    case 'const':
      return sampleOf(context);
    case 'default':
      return sampleOf(context);
    case 'examples':
      return list(sampleOf(context));
    case 'required': {
      const names = unlisted(written.below(keyOf('properties')), []);
      const [name, ...others] = names;
      return list(name === undefined ? stop('name') : stop(name, ...others));
    }
    case 'additionalProperties':
      return stop(false, true);
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
    case 'additionalItems':
      return stop(false, true);
    case 'deprecated':
    case 'readOnly':
    case 'writeOnly':
    case 'uniqueItems':
      return stop(true, false);
    case 'x-merge':
      return stop('append', 'union', 'replace');
    case 'x-evict':
      return fixed('oldest');
    case 'x-writer':
      return stop('environment', 'model');
    case 'x-invariants':
      return list(invariantTemplate(written.below(keyOf('properties'))));
    case 'properties':
    case '$defs':
    case 'definitions':
    case 'dependentSchemas':
      return map([stop('name'), map(['type', anyType])]);
    case 'patternProperties':
      return map([stop('^[a-z_]+$'), map(['type', anyType])]);
    case 'dependentRequired':
    case 'dependencies': {
      const [name = 'name', other = 'other'] = written.below(keyOf('properties')).map((key) => key.name);
      return map([stop(name), list(stop(other))]);
    }
    case 'propertyNames':
      return map(['pattern', stop('^[a-z_]+$')], ['maxLength', stop(40)]);
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return list(map(['type', context.isRoot ? stop('object') : anyType]));
    case 'if':
    case 'then':
    case 'else':
      return map(['required', list(stop(written.below(keyOf('properties'))[0]?.name ?? 'name'))]);
    default:
      return map(['type', anyType]);
  }
}

/** An invariant about the first property that CEL can name. */
export function invariantTemplate(properties: readonly Written[]): Template {
  const property = properties.find(({ name }) => /^[A-Za-z_]\w*$/.test(name));
  const expression = property === undefined ? 'size(state) <= 100' : `has(state.${property.name})`;
  return map(['expression', stop(expression)], ['message', stop('What has to hold.')]);
}

/** The names that aren't in a list. */
function unlisted(names: readonly Written[], listed: readonly string[]): readonly string[] {
  return names.map(({ name }) => name).filter((name) => !listed.includes(name));
}

function enumTemplate(context: SubschemaContext): Template {
  switch (context.written.scalarOf(context.keys.find(({ name }) => name === 'type'))) {
    case 'integer':
    case 'number':
      return list(stop(1), stop(2));
    case 'boolean':
      return list(stop(true));
    case 'null':
      return list(fixed(null));
    case 'array':
      return list(list());
    case 'object':
      return list(map());
    default:
      return list(stop('first'), stop('second'));
  }
}

/** A value that the subschema allows, as far as its `enum` and `type` say. */
export function sampleOf({ keys, written, isRoot }: SubschemaContext): Template {
  const keyOf = (name: string) => keys.find((key) => key.name === name);
  const type = isRoot ? 'object' : written.scalarOf(keyOf('type'));
  const only = keyOf('const');
  const constant = only && written.sampleOf(only);
  const isScalar = constant !== undefined && (constant === null || typeof constant !== 'object');
  const listed = isScalar ? [constant] : written.scalarsBelow(keyOf('enum'));
  const [value, ...others] = listed.filter((item) => type === undefined || isOf(item, type));
  if (value !== undefined) return stop(value, ...others);
  switch (type) {
    case 'integer':
    case 'number': {
      const minimum = Number(written.scalarOf(keyOf('minimum')) ?? 0);
      return stop(Number.isFinite(minimum) ? minimum : 0);
    }
    case 'boolean':
      return stop(false, true);
    case 'array':
      return list();
    case 'object':
      return map();
    case 'null':
      return fixed(null);
    default:
      return stop(type === undefined && written.textsOf(keyOf('type')).includes('null') ? null : '');
  }
}

function isOf(value: JsonPrimitive, type: string): boolean {
  if (value === null) return type === 'null';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
