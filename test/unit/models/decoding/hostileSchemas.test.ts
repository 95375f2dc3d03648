/** Constraints of schemas that are large, deep or expensive: they end, stay short, and say what they leave out. */
import { describe, expect, it } from 'vitest';
import { type Dialect, replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import { parseActions } from '../../../../schemas/skill/actionSignature';
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
  'ten thousand values': [
    { type: 'object', properties: { a: { enum: listed(10_000, (index) => `value ${index}`) } } },
  ],
  'ten thousand keys': [
    {
      type: 'object',
      propertyNames: { enum: listed(10_000, (index) => `key ${index}`) },
      additionalProperties: { type: 'boolean' },
    },
  ],
  'long keys': [
    {
      type: 'object',
      properties: Object.fromEntries(listed(9, (index) => [`${'k'.repeat(3_000)}${index}`, text])),
      additionalProperties: false,
    },
  ],
  'keys of prototypes': [
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"enum":["__proto__"]}}}',
    ),
    JSON.parse('{"__proto__":"a","constructor":1}'),
  ],
  'references in circles': [
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#' }, c: { type: 'array', items: { $ref: '#' } } },
      $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } },
    },
  ],
  'patterns that can’t be expressed': [
    {
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(?=.*a)(?!.*b).+$' },
        b: { type: 'string', pattern: '(a)\\1' },
        c: { type: 'string', pattern: '[' },
        d: { type: 'string', pattern: '\\bword\\b' },
        e: { type: 'string', pattern: `^${'(a|b|c)'.repeat(5_000)}$` },
        f: { type: 'string', pattern: '$a^' },
      },
    },
  ],
  'nothing that satisfies it': [
    {
      type: 'object',
      properties: {
        a: { type: 'integer', minimum: 5, maximum: 1 },
        b: { not: {} },
        c: { enum: [] },
        d: { allOf: [{ type: 'string' }, { type: 'number' }] },
        e: { type: 'string', pattern: '^a$', maxLength: 0 },
      },
      required: ['a'],
      minProperties: 5,
      maxProperties: 1,
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

/** llama.cpp refuses a grammar in which something is repeated more often. */
function mostRepeated(grammar: string): number {
  return [...grammar.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (most, [, min, max]) => Math.max(most, Number(min), Number(max ?? 0)),
    0,
  );
}

describe.each(Object.entries(schemas))('%s', (_name, [schema, state = {}]) => {
  const stateSchema = schemaOf(schema);

  it.each(ways)('as %s for %s', (encoding, dialect) => {
    const constraint = replyConstraint({ stateSchema, state, actions: [] }, encoding, dialect);
    if (constraint.kind === 'grammar') {
      expect(constraint.grammar.length).toBeLessThan(120_000);
      expect(mostRepeated(constraint.grammar)).toBeLessThanOrEqual(2_000);
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
    const expected = { stateSchema, state: {}, actions: [] };
    const constraint = replyConstraint(expected, encoding, dialect, { maxTokens: 1_000 });
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

describe('what can’t be sent as UTF-8', () => {
  const half = '\ud800';
  const schema = (required: readonly string[]) => ({
    type: 'object',
    properties: { [half]: text, a: { enum: [half, 'b', [half]] } },
    required,
    additionalProperties: false,
  });
  const of = (required: readonly string[], encoding: 'json-schema' | 'operations') =>
    replyConstraint(
      {
        stateSchema: schemaOf({ type: 'object', properties: { o: schema(required) } }),
        state: {},
        actions: [],
      },
      encoding,
      'llama.cpp',
    );

  it.each(['json-schema', 'operations'] as const)('is left out of %s, and said', (encoding) => {
    const constraint = of([], encoding);
    expect(JSON.stringify(constraint)).not.toContain('\\ud800');
    expect(JSON.stringify(constraint)).toContain('"enum":["b"]');
    expect(constraint.dropped.map(({ keyword }) => keyword)).toEqual(
      expect.arrayContaining(['properties', 'enum']),
    );
  });

  it('leaves out what requires it', () => {
    const constraint = of([half], 'json-schema');
    const whole = JSON.stringify(constraint);
    expect(whole).not.toContain('\\ud800');
    expect(whole).not.toContain('"o":');
  });
});

describe('actions that are too many to be written out', () => {
  const items = listed(900, (index) => `- \`${word(index)}${'x'.repeat(150)} <item> <words...>\``);
  const { actions } = parseActions({ text: `# Actions\n\n${items.join('\n')}\n`, file: 'SKILL.md' });

  it.each(ways)('can be any text as %s for %s, which is said', (encoding, dialect) => {
    const stateSchema = schemaOf({ type: 'object', additionalProperties: false });
    const constraint = replyConstraint({ stateSchema, state: {}, actions }, encoding, dialect);
    expect(constraint.dropped).toContainEqual({
      pointer: '',
      keyword: 'action',
      reason: 'can be any text: 900 signatures are too many to be written out',
    });
    expect(JSON.stringify(constraint).length).toBeLessThan(16_000);
  });
});
