/** Constraints of schemas that are large, deep or expensive: they end, stay short, and say what they leave out. */
import { describe, expect, it } from 'vitest';
import { type Dialect, replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import { grammarSample } from '../../../support/grammarSample';
import { schemaOf } from '../../runtime/schemaOf';

function listed<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function named(count: number, make: (index: number) => JsonValue): JsonObject {
  return Object.fromEntries(listed(count, (index) => [`${word(index)}_${index}`, make(index)]));
}

/** Letters that look like chance, the same for the same number. */
function word(seed: number): string {
  let state = seed + 1;
  return listed(10, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join('');
}

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < depth; level++)
    schema = { type: 'object', properties: { inner: schema, other: { type: 'integer' } } };
  return schema;
}

const node = { $ref: '#/$defs/node' };
const text = { type: 'string', maxLength: 20 };
const task = {
  type: 'object',
  required: ['name'],
  properties: { name: text, tags: { type: 'array', items: text } },
};

const schemas: Readonly<Record<string, readonly [schema: JsonObject, state?: JsonObject]>> = {
  'many properties': [{ type: 'object', properties: named(700, () => text), additionalProperties: false }],
  'many different properties': [
    { type: 'object', properties: named(500, (index) => ({ type: 'string', maxLength: index })) },
  ],
  'many properties that are there': [
    { type: 'object', properties: named(700, () => text) },
    named(700, () => 'x'),
  ],
  'many required properties': [
    {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: {
            type: 'object',
            properties: named(300, () => text),
            required: Object.keys(named(300, () => text)),
          },
        },
      },
    },
  ],
  'a deep schema': [nested(60)],
  'a schema that doubles': [
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: Object.fromEntries(
        listed(40, (index) => [
          `d${index}`,
          index === 39
            ? text
            : { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
        ]),
      ),
    },
  ],
  'many branches': [
    {
      type: 'object',
      properties: {
        a: {
          allOf: listed(8, (outer) => ({
            anyOf: listed(4, (inner) => ({ type: 'object', properties: { [`p${outer}${inner}`]: text } })),
          })),
        },
      },
    },
  ],
  'a tree': [
    {
      type: 'object',
      properties: { root: node },
      $defs: {
        node: {
          type: 'object',
          properties: {
            left: node,
            right: node,
            all: { type: 'array', items: node },
            map: { type: 'object', additionalProperties: node },
          },
        },
      },
    },
    { root: { left: {}, map: { a: {} } } },
  ],
  'patterns that grow': [
    {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(a+)+$' },
        b: { type: 'string', pattern: '(a|b)*a(a|b){18}' },
        c: { type: 'string', pattern: '^(.*)(foo|bar|baz)(.*)(foo|bar|baz)(.*)(foo|bar|baz)$' },
        d: { type: 'string', pattern: '^\\p{L}{1,300}$', minLength: 200 },
      },
    },
  ],
  'patterns of keys that grow': [
    {
      type: 'object',
      patternProperties: Object.fromEntries(listed(12, (index) => [`^(a|b)*${index}(a|b){9}`, text])),
    },
  ],
  'many values': [
    { type: 'object', properties: { a: { enum: listed(5_000, (index) => `${word(index)} ${index}`) } } },
  ],
  'many objects': [
    { type: 'object', properties: { tasks: { type: 'object', additionalProperties: task } } },
    { tasks: named(3_000, () => ({ name: 'x', tags: ['a'] })) },
  ],
  'a hundred objects': [
    { type: 'object', properties: { tasks: { type: 'object', additionalProperties: task } } },
    { tasks: named(100, (index) => ({ name: 'x', tags: listed(index % 5, () => 'a') })) },
  ],
  'a free state': [{ type: 'object' }, named(3_000, (index) => ({ index }))],
  'a long list': [
    {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer' }, maxItems: 100_000 } },
    },
    { list: listed(50_000, (index) => index) },
  ],
  'numbers beyond doubles': [
    {
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 1e-300, maximum: 1e300 },
        b: { type: 'number', multipleOf: 1e-9 },
        c: { type: 'integer', multipleOf: 999_983 },
        d: { type: 'integer', minimum: 1e20 },
      },
    },
  ],
  'a schema of anything': [{}],
  'a schema of nothing': [{ type: 'object', additionalProperties: false }],
};

const ways: readonly (readonly ['grammar' | 'json-schema' | 'operations', Dialect])[] = [
  ['grammar', 'llama.cpp'],
  ['json-schema', 'json-schema'],
  ['json-schema', 'llama.cpp'],
  ['json-schema', 'gemini'],
  ['operations', 'openai'],
  ['operations', 'llama.cpp'],
];

describe.each(Object.entries(schemas))('%s', (_name, [schema, state = {}]) => {
  const stateSchema = schemaOf(schema);

  it.each(ways)('as %s for %s', (encoding, dialect) => {
    const constraint = replyConstraint({ stateSchema, state, actions: [] }, encoding, dialect);
    if (constraint.kind === 'grammar') {
      expect(constraint.grammar.length).toBeLessThan(120_000);
      expect(grammarSample(constraint.grammar, Math.random)).toContain('"state_patch":{');
    } else {
      expect(JSON.stringify(constraint.schema).length).toBeLessThan(100_000);
      expect(constraint.schema).toMatchObject({ required: ['reasoning', 'state_patch', 'action'] });
    }
    for (const { keyword, reason } of constraint.dropped) expect([keyword, reason]).not.toContain('');
  });
});

it('says what a schema that is too large to be written out isn’t held to', () => {
  const count = 12;
  const reference = (index: number) => ({ $ref: `#/$defs/d${index % count}` });
  const definition = (index: number) => ({
    type: 'object',
    properties: Object.fromEntries(
      listed(count, (inner) => [
        `p${index}${inner}`,
        { allOf: [reference(inner), reference(index + inner + 1)] },
      ]),
    ),
  });
  const $defs = Object.fromEntries(listed(count, (index) => [`d${index}`, definition(index)]));
  const stateSchema = schemaOf({ type: 'object', properties: { a: reference(0) }, $defs });
  expect(stateSchema.problems).toEqual([]);
  for (const [encoding, dialect] of ways) {
    const constraint = replyConstraint({ stateSchema, state: {}, actions: [] }, encoding, dialect);
    expect(constraint.dropped).toEqual([
      {
        pointer: '',
        keyword: 'properties',
        reason: 'and all else is too large to be written out for a server',
      },
    ]);
    if (constraint.kind === 'json') expect(JSON.stringify(constraint.schema).length).toBeLessThan(2_500);
    else expect(grammarSample(constraint.grammar, Math.random)).toContain('"state_patch":{');
  }
});
