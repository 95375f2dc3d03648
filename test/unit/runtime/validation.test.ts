/** Σ' against its schema: classes, pointers into the patch, places in the schema, words; and schemas that mean harm. */
import { describe, expect, it } from 'vitest';
import { compileStateSchema } from '../../../client/src/runtime/compiledSchema';
import type { Rejection } from '../../../client/src/runtime/rejection';
import { createStateValidator, StateSchemaFailure } from '../../../client/src/runtime/validation';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { defaultStateSchema, loadStateSchema } from '../../../schemas/state/stateSchema';
import { limits, rejectionOf, schemaOf, validatorOf } from './schemaOf';

const warehouse = {
  type: 'object',
  required: ['inventory'],
  additionalProperties: false,
  properties: {
    inventory: {
      type: 'object',
      maxProperties: 3,
      propertyNames: { pattern: '^shelf_\\d+$' },
      additionalProperties: { $ref: '#/$defs/item' },
    },
    pending: { type: ['string', 'null'], maxLength: 8 },
    mode: { enum: ['open', 'closed'] },
    log: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 3, 'x-merge': 'append' },
    count: { type: 'integer', minimum: 0, exclusiveMaximum: 10 },
    price: { type: 'number', multipleOf: 0.01 },
    tags: { type: 'array', uniqueItems: true },
    retired: false,
  },
  $defs: { item: { type: 'string', pattern: '^item_\\d+$' } },
} as const;

const stock: JsonObject = { inventory: { shelf_1: 'item_1' } };

/** `class pointer → schemaLocation: message` */
function line(rejection: Rejection | undefined): string | undefined {
  if (rejection === undefined) return undefined;
  const { class: rejectionClass, pointer = '-', schemaLocation = '-', message } = rejection;
  return `${rejectionClass} ${pointer} → ${schemaLocation}: ${message}`;
}

const check = (
  patch: JsonObject,
  state: JsonObject = stock,
  schema: JsonValue = warehouse as unknown as JsonValue,
): string | undefined => line(rejectionOf(schema, state, patch));

describe('class schema', () => {
  it('lets a good patch pass', () => {
    expect(
      check({
        inventory: { shelf_2: 'item_2', shelf_1: null },
        pending: 'a',
        count: 9,
        price: 19.99,
        tags: [1, '1'],
      }),
    ).toBeUndefined();
  });

  it.each<[JsonObject, string]>([
    [
      { inventory: { shelf_3: 5 } },
      'schema /inventory/shelf_3 → /$defs/item/type: /inventory/shelf_3 must be string, not number.',
    ],
    [
      { inventory: { shelf_3: 'x' } },
      'schema /inventory/shelf_3 → /$defs/item/pattern: /inventory/shelf_3 must match the pattern ^item_\\d+$.',
    ],
    [
      { inventory: [] },
      'schema /inventory → /properties/inventory/type: /inventory must be object, not array.',
    ],
    [{ inventory: null }, 'schema /inventory → /required: The state must have the key "inventory".'],
    [
      { inventory: { dock: 'item_1' } },
      'schema /inventory/dock → /properties/inventory/propertyNames/pattern: The key "dock" of /inventory must match the pattern ^shelf_\\d+$.',
    ],
    [
      { inventory: { shelf_2: 'item_2', shelf_3: 'item_3', shelf_4: 'item_4' } },
      'schema /inventory → /properties/inventory/maxProperties: /inventory must have at most 3 keys, not 4.',
    ],
    [{ shelves: {} }, 'schema /shelves → /additionalProperties: The state may not have the key "shelves".'],
    [{ retired: 1 }, 'schema /retired → /properties/retired: /retired is not allowed.'],
    [
      { pending: 7 },
      'schema /pending → /properties/pending/type: /pending must be string or null, not number.',
    ],
    [
      { pending: '123456789' },
      'schema /pending → /properties/pending/maxLength: /pending must have at most 8 characters, not 9.',
    ],
    [{ mode: 'ajar' }, 'schema /mode → /properties/mode/enum: /mode must be "open" or "closed", not "ajar".'],
    [
      { log: ['a', ''] },
      'schema /log/1 → /properties/log/items/minLength: /log/1 must have at least 1 character, not 0.',
    ],
    [
      { log: ['a', 'b', 'c', 'd'] },
      'schema /log → /properties/log/maxItems: /log must have at most 3 items, not 4.',
    ],
    [{ count: -1 }, 'schema /count → /properties/count/minimum: /count must be at least 0, not -1.'],
    [
      { count: 10 },
      'schema /count → /properties/count/exclusiveMaximum: /count must be less than 10, not 10.',
    ],
    [{ count: 1.5 }, 'schema /count → /properties/count/type: /count must be integer, not number.'],
    [
      { price: 0.001 },
      'schema /price → /properties/price/multipleOf: /price must be a multiple of 0.01, not 0.001.',
    ],
    [
      { tags: [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }] },
      'schema /tags → /properties/tags/uniqueItems: /tags must not have equal items, but items 0 and 2 are.',
    ],
  ])('%j', (patch, expected) => {
    expect(check(patch)).toBe(expected);
  });

  it('finds items of an appended array where they stand in the patch', () => {
    expect(check({ log: ['fine', ''] }, { ...stock, log: ['old'] })).toBe(
      'schema /log/1 → /properties/log/items/minLength: /log/2 must have at least 1 character, not 0.',
    );
  });

  it('points to the nearest ancestor that the patch has where Σ fails elsewhere', () => {
    expect(check({ pending: 'x' }, { inventory: { shelf_1: 5 } })).toBe(
      'schema  → /$defs/item/type: /inventory/shelf_1 must be string, not number.',
    );
    expect(check({ inventory: { shelf_2: 'item_2' } }, { inventory: { shelf_1: 5 } })).toBe(
      'schema /inventory → /$defs/item/type: /inventory/shelf_1 must be string, not number.',
    );
  });

  it('lists all violations, the first one on top, and no more than 50', () => {
    const rejection = rejectionOf(warehouse as unknown as JsonValue, stock, {
      count: -1,
      mode: 1,
      pending: true,
    });
    expect(rejection?.violations?.map((violation) => violation.pointer)).toEqual([
      '/pending',
      '/mode',
      '/count',
    ]);
    expect(rejection?.violations?.[0]).toEqual({
      pointer: rejection?.pointer,
      schemaLocation: rejection?.schemaLocation,
      message: rejection?.message,
    });
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_value, index) => [`shelf_${index}`, index]),
    );
    expect(
      rejectionOf(warehouse as unknown as JsonValue, stock, { inventory: many })?.violations,
    ).toHaveLength(50);
  });

  it('does not take inherited keys for own ones', () => {
    expect(check({}, {}, { type: 'object', required: ['toString'] })).toBe(
      'schema  → /required: The state must have the key "toString".',
    );
    const proto = JSON.parse('{"__proto__":1}') as JsonObject;
    expect(check(proto, {}, { additionalProperties: { type: 'string' } })).toBe(
      'schema /__proto__ → /additionalProperties/type: /__proto__ must be string, not number.',
    );
    expect(check(proto, {}, { additionalProperties: false })).toBe(
      'schema /__proto__ → /additionalProperties: The state may not have the key "__proto__".',
    );
    expect(check(proto, {}, { required: ['__proto__'] })).toBeUndefined();
    expect(check({}, {}, { required: ['__proto__'] })).toBe(
      'schema  → /required: The state must have the key "__proto__".',
    );
  });

  it("compares values whose keys are those of an object's own methods", () => {
    const schema: JsonObject = {
      properties: {
        a: { const: { valueOf: 1, toString: 2, constructor: 3 } },
        b: { enum: [{ valueOf: null }] },
      },
    };
    expect(check({ a: { valueOf: 1, toString: 2, constructor: 3 } }, {}, schema)).toBeUndefined();
    expect(check({ a: { valueOf: 1, toString: 2, constructor: 4 } }, {}, schema)).toMatch(
      /^schema \/a → \/properties\/a\/const: /,
    );
    expect(check({ b: { valueOf: 'x' } }, {}, schema)).toMatch(/^schema \/b → \/properties\/b\/enum: /);
  });

  it('escapes keys in pointers, and places behind %-escapes and references', () => {
    const schema: JsonObject = {
      properties: {
        'a/b': { type: 'string' },
        'c%d': { $ref: '#/$defs/per%25cent' },
        deep: { $ref: '#/$defs/list' },
      },
      $defs: {
        'per%cent': { type: 'string' },
        list: { items: { $ref: '#/$defs/list' }, type: 'array', maxItems: 1 },
      },
    };
    expect(check({ 'a/b': 1 }, {}, schema)).toBe(
      'schema /a~1b → /properties/a~1b/type: /a~1b must be string, not number.',
    );
    expect(check({ 'c%d': 1 }, {}, schema)).toBe(
      'schema /c%d → /$defs/per%cent/type: /c%d must be string, not number.',
    );
    expect(check({ deep: [[[], []]] }, {}, schema)).toBe(
      'schema /deep/0 → /$defs/list/maxItems: /deep/0 must have at most 1 item, not 2.',
    );
  });

  it('names the types of all alternatives, or what is wrong with the one that was meant', () => {
    const schema: JsonObject = {
      properties: {
        a: { anyOf: [{ type: 'string', maxLength: 2 }, { type: ['number', 'null'] }] },
        b: { oneOf: [{ type: 'object', required: ['x'] }, { type: 'array' }] },
        c: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      },
    };
    expect(check({ a: [] }, {}, schema)).toBe(
      'schema /a → /properties/a/anyOf: /a must be string, number or null, not array.',
    );
    expect(check({ a: 'abc' }, {}, schema)).toBe(
      'schema /a → /properties/a/anyOf/0/maxLength: /a must have at most 2 characters, not 3.',
    );
    expect(check({ b: {} }, {}, schema)).toBe(
      'schema /b → /properties/b/oneOf/0/required: /b must have the key "x".',
    );
    expect(check({ c: 1 }, {}, schema)).toBe(
      'schema /c → /properties/c/oneOf: /c fits more than one of the alternatives, of which it must fit exactly one.',
    );
  });

  it('knows the place of a schema that is only `false`', () => {
    const schema: JsonObject = {
      properties: {
        a: { $ref: '#/$defs/never' },
        b: JSON.parse('{"if":{"type":"string"},"then":false}'),
        c: { items: false },
        d: { allOf: [true, false] },
      },
      $defs: { never: false },
    };
    expect(check({ a: 1 }, {}, schema)).toBe('schema /a → /$defs/never: /a is not allowed.');
    expect(check({ b: 'x' }, {}, schema)).toBe('schema /b → /properties/b/then: /b is not allowed.');
    expect(check({ c: [1] }, {}, schema)).toMatch(/^schema \/c.* → \/properties\/c\/items: \/c/);
    expect(check({ d: 1 }, {}, schema)).toBe('schema /d → /properties/d/allOf/1: /d is not allowed.');
  });

  it('explains the free-form default', () => {
    const validator = createStateValidator(defaultStateSchema(), limits);
    const reject = (patch: JsonObject): string | undefined => line(validator.checkMerged(patch, patch));
    expect(reject({ notes: ['a'], entry: { text: 'b', list: [1] } })).toBeUndefined();
    expect(reject({ entry: { text: 'x'.repeat(251) } })).toMatch(
      /^schema \/entry\/text → .*: \/entry\/text must have at most 250 characters, not 251\.$/,
    );
    expect(reject({ ['k'.repeat(65)]: 1 })).toMatch(
      /^schema \/k+ → \/propertyNames\/maxLength: The key "k+…" of the state must have at most 64 characters, not 65\.$/,
    );
    expect(
      reject(Object.fromEntries(Array.from({ length: 33 }, (_value, index) => [`k${index}`, index]))),
    ).toBe('schema  → /maxProperties: The state must have at most 32 keys, not 33.');
  });

  it('knows both dialects', () => {
    const tuple = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }], additionalItems: false } },
    };
    expect(check({ a: ['x', 1] }, {}, tuple)).toBe(
      'schema /a → /properties/a/additionalItems: /a must have at most 1 item, not 2.',
    );
    const prefix = { properties: { a: { prefixItems: [{ type: 'string' }], items: false } } };
    expect(check({ a: ['x', 1] }, {}, prefix)).toBe(
      'schema /a → /properties/a/items: /a must have at most 1 item, not 2.',
    );
    expect(check({ a: [1] }, {}, prefix)).toBe(
      'schema /a/0 → /properties/a/prefixItems/0/type: /a/0 must be string, not number.',
    );
  });
});

describe('class invariant', () => {
  const schema: JsonObject = {
    type: 'object',
    'x-invariants': [
      { expression: 'unique(values(state.inventory))', message: 'One item may not lie on two shelves.' },
      { expression: 'size(state.inventory) <= 2', message: 'At most two shelves.' },
      { expression: 'state.inventory', message: 'Not a question.' },
    ],
  };

  it('says what the schema says, at the deepest place that holds all writes', () => {
    const rejection = rejectionOf(
      { ...schema, 'x-invariants': (schema['x-invariants'] as JsonValue[]).slice(0, 2) },
      { inventory: { a: 'x' } },
      { inventory: { b: 'x', c: 'z' } },
    );
    expect(line(rejection)).toBe(
      'invariant /inventory → /x-invariants/0: One item may not lie on two shelves.',
    );
    expect(rejection?.violations?.map((violation) => violation.schemaLocation)).toEqual([
      '/x-invariants/0',
      '/x-invariants/1',
    ]);
  });

  it('rejects where an invariant cannot be evaluated, or answers something else', () => {
    expect(rejectionOf(schema, { inventory: {} }, { note: 'x' })?.violations).toEqual([
      {
        pointer: '/note',
        schemaLocation: '/x-invariants/2',
        message: 'The invariant gives neither true nor false. (It is to ensure: Not a question.)',
      },
    ]);
    expect(line(rejectionOf(schema, { inventory: {} }, { inventory: null }))).toBe(
      'invariant /inventory → /x-invariants/0: The invariant could not be evaluated: No such key: inventory. (It is to ensure: One item may not lie on two shelves.)',
    );
  });

  it('comes after the schema', () => {
    expect(
      rejectionOf({ ...schema, properties: { inventory: { type: 'object' } } }, {}, { inventory: 1 })?.class,
    ).toBe('schema');
  });
});

describe('class writer', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      clock: { type: 'integer', 'x-writer': 'environment' },
      orders: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { note: {}, status: { 'x-writer': 'environment' } },
        },
      },
      sensors: { type: 'object', 'x-writer': 'environment', properties: { a: { type: 'number' } } },
      notes: { type: 'string' },
    },
  };

  it.each<[JsonObject, string | undefined]>([
    [{ notes: 'x' }, undefined],
    [{ orders: { o1: { note: 'x' } } }, undefined],
    [
      { clock: 1 },
      'writer /clock → /properties/clock/x-writer: /clock may only be written by the environment.',
    ],
    [
      { clock: null },
      'writer /clock → /properties/clock/x-writer: /clock may only be written by the environment.',
    ],
    [
      { sensors: { a: 1 } },
      'writer /sensors → /properties/sensors/x-writer: /sensors may only be written by the environment.',
    ],
    [
      { orders: { o1: { note: 'x', status: 'done' } } },
      'writer /orders/o1/status → /properties/orders/additionalProperties/properties/status/x-writer: /orders/o1/status may only be written by the environment.',
    ],
    [
      { orders: { o1: null } },
      'writer /orders/o1 → /properties/orders/additionalProperties/properties/status/x-writer: /orders/o1 may only be written by the environment.',
    ],
    [
      { orders: null },
      'writer /orders → /properties/orders/additionalProperties/properties/status/x-writer: /orders may only be written by the environment.',
    ],
  ])('%j', (patch, expected) => {
    expect(line(validatorOf(schema).checkPatch(patch, 'model'))).toBe(expected);
    expect(validatorOf(schema).checkPatch(patch, 'environment')).toBeUndefined();
  });
});

describe('class limit', () => {
  it('bounds the size of Σ in characters', () => {
    const small = { ...limits, stateCharacters: 10 };
    expect(rejectionOf({}, {}, { a: '12' }, small)).toBeUndefined();
    expect(line(rejectionOf({}, {}, { a: '123' }, small))).toBe(
      'limit /a → -: The state would take 11 characters; 10 are allowed.',
    );
  });

  it('bounds nesting before anything recursive runs', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`) as JsonObject;
    const recursive = { properties: { a: { $ref: '#' } } };
    expect(validatorOf(recursive).checkMerged(deep, { b: 1 })).toEqual({
      class: 'limit',
      message: `The state nests more than ${limits.depth} objects and arrays in each other.`,
      pointer: '/b',
    });
  });

  it('gives up on a schema that refers to itself without end', () => {
    const message =
      'limit /a → -: The state schema refers to itself so often that this state cannot be checked.';
    expect(
      check(
        { a: 1 },
        {},
        { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      ),
    ).toBe(message);
  });

  it('gives up on a schema whose work doubles with every level', () => {
    const doubling = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
    const nested = JSON.parse(`${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`) as JsonObject;
    expect(check(nested, {}, doubling)).toMatch(/^limit .*refers to itself so often/);
    expect(check({ a: { a: {} } }, {}, doubling)).toBeUndefined();
  });
});

describe('checkInitial', () => {
  it('points into Σ itself', () => {
    const validator = validatorOf(warehouse as unknown as JsonValue);
    expect(validator.checkInitial(stock)).toEqual([]);
    expect(validator.checkInitial({ inventory: { shelf_1: 5 } })).toEqual([
      {
        class: 'schema',
        pointer: '/inventory/shelf_1',
        schemaLocation: '/$defs/item/type',
        message: '/inventory/shelf_1 must be string, not number.',
      },
    ]);
    expect(validator.checkInitial({}).map((violation) => violation.pointer)).toEqual(['/inventory']);
  });
});

describe('an invariant that cannot be read', () => {
  it.each([
    ['size(state.list', 'The expression is not complete: '],
    ['size(state.list) and 1', '"and" cannot stand here; '],
    ['stat.list', 'Unknown variable: stat.'],
    ["state.name == 'a", 'Unterminated string.'],
  ])('%s is named by its place', (expression, message) => {
    const text = `type: object\nx-invariants:\n  - expression: ${expression}\n    message: x\n`;
    const schema = loadStateSchema({ path: 'state.schema.yaml', text });
    const start = `state.schema.yaml:3:17: The invariant ${JSON.stringify(expression)} can't be read. ${message}`;
    expect(() => createStateValidator(schema, limits)).toThrow(StateSchemaFailure);
    expect(() => createStateValidator(schema, limits)).toThrow(start);
  });
});

describe('schemas that mean harm', () => {
  it('does not backtrack over a catastrophic pattern', () => {
    const schema = {
      properties: { a: { pattern: '^(a+)+$' }, b: { patternProperties: { '^(b+)+$': { type: 'string' } } } },
    };
    expect(check({ a: `${'a'.repeat(50_000)}!` }, {}, schema)).toMatch(
      /^schema \/a → \/properties\/a\/pattern: /,
    );
    expect(check({ b: { [`${'b'.repeat(50_000)}!`]: 1 } }, {}, schema)).toBeUndefined();
    expect(check({ b: { bb: 1 } }, {}, schema)).toMatch(/^schema \/b\/bb → /);
  });

  it('keeps every pattern apart from the others', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' }, c: { pattern: '^c$' } } };
    expect(check({ a: 'a', b: 'b', c: 'c' }, {}, schema)).toBeUndefined();
    expect(check({ a: 'b' }, {}, schema)).toMatch(/^schema \/a /);
  });

  it('checks uniqueItems over 20,000 objects', () => {
    const items = Array.from({ length: 20_000 }, (_value, index) => ({
      id: index,
      tags: ['x', { y: index }],
    }));
    const schema = { properties: { a: { uniqueItems: true } } };
    const roomy = { ...limits, stateCharacters: 100_000_000 };
    expect(rejectionOf(schema, {}, { a: items }, roomy)).toBeUndefined();
    expect(line(rejectionOf(schema, {}, { a: [...items, { tags: ['x', { y: 7 }], id: 7 }] }, roomy))).toBe(
      'schema /a → /properties/a/uniqueItems: /a must not have equal items, but items 7 and 20000 are.',
    );
  });

  it.each([
    'date',
    'time',
    'date-time',
    'iso-time',
    'iso-date-time',
    'duration',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'regex',
    'uuid',
    'json-pointer',
    'json-pointer-uri-fragment',
    'relative-json-pointer',
    'byte',
  ])('checks format %s of long texts in linear time', (format) => {
    const validator = validatorOf(
      { properties: { a: { format } } },
      { ...limits, stateCharacters: 10_000_000 },
    );
    for (const part of [
      'a',
      '1',
      ':',
      '.',
      '-',
      '/',
      '@',
      'a.',
      'a-',
      'a:',
      '1.',
      '%41',
      '{a',
      '~0',
      '[',
      '\n',
      ' ',
    ]) {
      for (const text of [part, `http://${part}`, `a@${part}`, `P${part}`].map(
        (start) => `${start}${part.repeat(20_000)} !`,
      )) {
        expect(['schema', undefined]).toContain(validator.checkMerged({ a: text }, { a: text })?.class);
      }
    }
  });

  it('still knows a URL', () => {
    const schema = { properties: { a: { format: 'url' } } };
    expect(check({ a: 'https://example.com/a?b=c#d' }, {}, schema)).toBeUndefined();
    expect(check({ a: 'example' }, {}, schema)).toBe(
      'schema /a → /properties/a/format: /a must be in the format url.',
    );
  });

  it('counts only its own errors when a message quotes keys and values', () => {
    const key = 'k'.repeat(100_000);
    const rejection = rejectionOf(
      { properties: { a: { enum: [key] } }, additionalProperties: false },
      {},
      { [key]: 1, a: key.slice(1) },
    );
    for (const { message } of rejection?.violations ?? []) expect(message.length).toBeLessThan(400);
  });

  it.each<[string, JsonValue]>([
    ['an unsupported pattern', { properties: { a: { pattern: '(?=a)b' } } }],
    ['an invalid pattern', { properties: { a: { pattern: '(' } } }],
    ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/nowhere' } } }],
    ['an unknown type', { properties: { a: { type: 'text' } } }],
  ])('refuses %s by name', (_what, schema) => {
    expect(() => createStateValidator(schemaOf(schema), limits)).toThrow(StateSchemaFailure);
    expect(() => createStateValidator(schemaOf(schema), limits)).toThrow(
      /^state\.schema\.json cannot be used: /,
    );
  });
});

describe('a schema with too many subschemas', () => {
  const many = (count: number, entry: (index: number) => [string, JsonValue]): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_value, index) => entry(index)));
  const branches = Array.from({ length: 201 }, (_value, index) => ({ minimum: index }));

  it.each<[string, JsonObject, string]>([
    [
      'patternProperties',
      { patternProperties: many(2_000, (index) => [`^k${index}_`, true]), additionalProperties: false },
      'patternProperties has 2000 subschemas, more than 200',
    ],
    ['oneOf', { properties: { a: { oneOf: branches } } }, 'oneOf has 201 subschemas, more than 200'],
    [
      'properties',
      { properties: many(3_000, (index) => [`k${index}`, true]) },
      'The schema has more than 2000 subschemas',
    ],
    [
      'pattern',
      { properties: many(120, (index) => [`k${index}`, { pattern: `^a${index}[a-z]{1,999}[0-9]{1,999}$` }]) },
      'The patterns of the schema repeat too much together',
    ],
    [
      'k1000',
      { dependentRequired: many(1_001, (index) => [`k${index}`, ['a']]) },
      'dependentRequired has rules for more than 1000 keys',
    ],
    [
      'k1000',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        dependencies: many(1_001, (index) => [`k${index}`, ['a']]),
      },
      'dependencies has rules for more than 1000 keys',
    ],
    [
      'k1',
      { dependentRequired: { k0: ['a'], k1: Array.from({ length: 1_000 }, (_value, index) => `k${index}`) } },
      'dependentRequired requires too many keys',
    ],
  ])('in %s says so at its place, and is not compiled', (keyword, rest, message) => {
    const schema = schemaOf({ type: 'object', ...rest });
    const tooLarge = schema.problems.filter(({ code }) => code === 'state.too-large');
    expect(tooLarge).toMatchObject([{ severity: 'error', message: expect.stringContaining(message) }]);
    if (keyword !== 'properties') {
      const { start, end } = tooLarge[0]?.range ?? { start: { character: 0 }, end: { character: 0 } };
      expect(schema.text.slice(start.character, end.character)).toBe(`"${keyword}"`);
    }
    expect(() => createStateValidator(schema, limits)).toThrow(StateSchemaFailure);
    expect(() => createStateValidator(schema, limits)).toThrow(message);
  });

  it('is not one with as many patterns and formats as it has properties, each of which is held', () => {
    const names = Array.from({ length: 1_900 }, (_value, index) => `p${index}`);
    const schema = schemaOf({
      type: 'object',
      properties: many(1_900, (index) => [
        `p${index}`,
        { type: 'string', pattern: `^a${index}$`, enum: [`a${index}`, `b${index}`] },
      ]),
    });
    expect(schema.problems).toEqual([]);
    const compiled = compileStateSchema(schema);
    const fitting = Object.fromEntries(names.map((name, index) => [name, `a${index}`]));
    expect(compiled.violations(fitting)).toEqual([]);
    const violations = compiled.violations({
      ...fitting,
      p0: 'b0',
      p499: 'a1',
      p500: 'b500',
      p1899: 'b1899',
    });
    expect(
      violations === 'exhausted' ? violations : violations.map(({ schemaLocation }) => schemaLocation),
    ).toEqual([
      '/properties/p0/pattern',
      '/properties/p499/enum',
      '/properties/p499/pattern',
      '/properties/p500/pattern',
      '/properties/p1899/pattern',
    ]);
  });

  it('is not one that refers to a large definition often', () => {
    const definition = {
      type: 'object',
      properties: many(300, (index) => [`k${index}`, { type: 'string' }]),
    };
    const schema = {
      type: 'object',
      properties: many(300, (index) => [`p${index}`, { $ref: '#/$defs/a' }]),
      $defs: { a: definition },
    };
    expect(check({ p7: { k3: 1 } }, {}, schema)).toBe(
      'schema /p7/k3 → /$defs/a/properties/k3/type: /p7/k3 must be string, not number.',
    );
  });
});
