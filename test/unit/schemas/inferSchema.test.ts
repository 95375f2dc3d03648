/** Inferred schemas: every state that was seen is valid, what wasn't seen has a bound, and the text reads back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileStateSchema } from '../../../client/src/runtime/compiledSchema';
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import { type InferOptions, inferStateSchema } from '../../../schemas/state/inferSchema';
import { stateBound } from '../../../schemas/state/stateBound';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { anyJsonObject } from '../runtime/arbitraries';

function infer(samples: readonly JsonObject[], options: InferOptions = {}) {
  const inferred = inferStateSchema(samples, options);
  if (!inferred.ok) throw new Error(inferred.message);
  const loaded = loadStateSchema({ path: 'state.schema.yaml', text: inferred.yaml });
  return { ...inferred, loaded, check: compileStateSchema(loaded).violations };
}

/** A state as a patch can make it: no property is null, at any depth. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withoutNulls(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutNulls(child)]));
}

/** Places of a schema without a bound. */
function unbounded(schema: JsonValue, place = ''): string[] {
  if (!isJsonObject(schema)) return [`${place}: ${JSON.stringify(schema)}`];
  const found: string[] = [];
  const types = [ownProperty(schema, 'type')].flat();
  const has = (keyword: string) => Object.hasOwn(schema, keyword);
  if (types.includes('string') && !has('maxLength') && !has('enum')) found.push(`${place}: string`);
  if (types.includes('array')) {
    if (!has('maxItems')) found.push(`${place}: array`);
    found.push(...unbounded(ownProperty(schema, 'items') ?? true, `${place}/items`));
  }
  if (types.includes('object')) {
    const open = ownProperty(schema, 'additionalProperties') ?? true;
    if (open !== false) {
      const names = ownProperty(schema, 'propertyNames');
      if (!has('maxProperties') || !isJsonObject(names) || !Object.hasOwn(names, 'maxLength')) {
        found.push(`${place}: object`);
      }
      found.push(...unbounded(open, `${place}/additionalProperties`));
    }
    const properties = ownProperty(schema, 'properties');
    if (isJsonObject(properties)) {
      for (const [name, child] of Object.entries(properties))
        found.push(...unbounded(child, `${place}/${name}`));
    }
  }
  return found;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    'item_1',
    'item_22',
    'shelf_007',
    '2026-02-28',
    '2026-02-30',
    '2026-01-01T10:00:00Z',
    'a@b.org',
  ),
  fc.constantFrom(
    'https://a.org/x',
    'yes',
    '~',
    '# no',
    '- x',
    'a: b',
    '3',
    '0x1',
    "it's",
    '^a$',
    '{',
    '\u2028',
  ),
  fc.uuid(),
);
const state = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.constantFrom<JsonValue>(true, 0, -1, 7, 2.5, 1e300, -1e-7, Number.MAX_SAFE_INTEGER),
    fc.integer(),
    fc.array(fc.oneof(tie('value'), fc.constant(null)), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b', '__proto__', 'toString')), tie('value'), {
    maxKeys: 8,
  }),
})).object;

describe('inferStateSchema', () => {
  it('accepts every state that it was inferred from, and bounds everything', () => {
    const samples = fc.array(
      fc.oneof(
        state,
        anyJsonObject.map((value) => withoutNulls(value) as JsonObject),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(samples, fc.boolean(), (seen, series) => {
        const { check, loaded, schema } = infer(seen, { series });
        expect(loaded.problems).toEqual([]);
        expect(loaded.schema).toEqual(schema);
        expect(unbounded(schema)).toEqual([]);
        expect(stateBound(loaded).root.bytes).toBeLessThan(Number.POSITIVE_INFINITY);
        for (const sample of seen) expect(check(sample)).toEqual([]);
      }),
    );
  });

  it('sees a map in keys that are numbered alike', () => {
    const { schema } = infer([
      { inventory: { shelf_0: 'item_3', shelf_17: 'item_12' } },
      { inventory: { shelf_17: 'item_12' } },
    ]);
    expect(schema).toMatchObject({
      required: ['inventory'],
      additionalProperties: false,
      properties: {
        inventory: {
          type: 'object',
          propertyNames: { pattern: '^shelf_[0-9]{1,3}$', maxLength: 9 },
          additionalProperties: { type: 'string', pattern: '^item_[0-9]{1,3}$', maxLength: 8 },
          maxProperties: 10,
        },
      },
    });
  });

  it('sees a map where the first of numbered keys has come, as in a run that ended early', () => {
    const { schema } = infer([{ inventory: {} }, { inventory: { shelf_0: 'item_0' } }], { series: true });
    expect(schema).toMatchObject({
      properties: { inventory: { propertyNames: { maxLength: 20 }, maxProperties: 10, default: {} } },
    });
    // One that is always there, or stands at the root, is a field.
    expect(infer([{ a: { part_1: 1 } }]).schema).toMatchObject({
      properties: { a: { required: ['part_1'] } },
    });
    expect(infer([{}, { part_1: 1 }]).schema).toMatchObject({ properties: { part_1: { type: 'integer' } } });
  });

  it('says where states disagree', () => {
    const { yaml, check } = infer([{ a: 1 }, { a: 'x' }, { a: 1.5 }]);
    expect(yaml).toContain(
      '  # The states disagree on what this is: string, number. Keep one if you can.\n  a:\n',
    );
    expect(check({ a: 'y' })).toEqual([]);
    expect(infer([{ a: 1 }, { a: 1.5 }]).yaml).not.toContain('disagree');
  });

  it('asks only for what every state has, and allows null nowhere', () => {
    const { schema } = infer([
      { a: 1, b: null, c: null },
      { a: 2, b: true, c: null },
    ]);
    expect(schema).toMatchObject({ required: ['a'], properties: { b: { type: 'boolean' } } });
    expect(schema.properties).not.toHaveProperty('c');
  });

  it('takes a few values that come again and again for a choice', () => {
    const samples = ['open', 'open', 'closed', 'open', 'closed', 'open'].map((phase) => ({ phase }));
    expect(infer(samples).schema).toMatchObject({ properties: { phase: { enum: ['closed', 'open'] } } });
    expect(infer(samples.slice(0, 3)).schema).toMatchObject({ properties: { phase: { maxLength: 20 } } });
  });

  it('rounds bounds up generously', () => {
    const { schema } = infer([
      { list: Array.from({ length: 60 }, (_, index) => index), note: 'x'.repeat(30) },
    ]);
    expect(schema).toMatchObject({
      properties: {
        list: { maxItems: 200, items: { type: 'integer', minimum: 0, maximum: 200 } },
        note: { maxLength: 100 },
      },
    });
  });

  it('suggests append for a list that only grew in a run, and keeps Σ_0 as defaults', () => {
    const run = [{ log: [] }, { log: ['a'] }, { log: ['a', 'b'] }];
    const { yaml, schema } = infer(run, { series: true });
    expect(yaml).toContain('x-merge: append');
    expect(schema).toMatchObject({ properties: { log: { default: [] } } });
    expect(infer(run).yaml).not.toContain('x-merge');
    expect(infer([...run, { log: ['b'] }], { series: true }).yaml).not.toContain('x-merge');
  });

  it('recognises formats, but not what only looks like one', () => {
    const { schema } = infer([{ day: '2024-02-29', other: '2023-02-29', at: '2024-02-29T23:59:59Z' }]);
    expect(schema).toMatchObject({
      properties: { day: { format: 'date' }, at: { format: 'date-time' }, other: { maxLength: 20 } },
    });
    expect(schema).not.toHaveProperty('properties.other.format');
  });

  it('writes a schema that people can read', () => {
    const { yaml } = infer([
      { openOrders: { order_1: { item: 'item_1', count: 2 }, order_2: { item: 'item_9', count: 1 } } },
    ]);
    expect(
      yaml,
    ).toBe(`# Inferred from one state. Bounds are about twice what was seen: adjust them to what can come.
$schema: https://json-schema.org/draft/2020-12/schema
title: State
type: object
properties:
  openOrders:
    description: Open orders.
    type: object
    propertyNames:
      pattern: '^order_[0-9]{1,2}$'
      maxLength: 8
    additionalProperties:
      type: object
      properties:
        item:
          description: Item.
          type: string
          pattern: '^item_[0-9]{1,2}$'
          maxLength: 7
        count:
          description: Count.
          type: integer
          minimum: 0
          maximum: 10
      required: [item, count]
      additionalProperties: false
    maxProperties: 10
required: [openOrders]
additionalProperties: false
`);
  });

  it('says why there is no schema for no state, and for one that nests without end', () => {
    expect(inferStateSchema([])).toMatchObject({ ok: false });
    let deep: JsonValue = 1;
    for (let level = 0; level < 40; level++) deep = { deep };
    expect(inferStateSchema([deep as JsonObject])).toMatchObject({ ok: false });
  });

  it('takes a hundred thousand entries', () => {
    const large = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 'v']));
    expect(infer([large]).schema).toMatchObject({ maxProperties: 200_000 });
  });
});
