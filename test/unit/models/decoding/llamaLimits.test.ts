/** What a schema has to have so that llama.cpp makes a grammar of it that ends by itself, and what of it is said to be lost. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type DroppedKeyword, replyConstraint } from '../../../../client/src/models/decoding/replyConstraint';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { sampleValueAt } from '../../../../schemas/state/sampleValue';
import { schemaOf } from '../../runtime/schemaOf';
import { anyStateSchema } from './anySchema';

interface Derived {
  readonly schema: JsonObject;
  readonly dropped: readonly DroppedKeyword[];
}

function derived(schema: JsonObject, given: JsonObject, encoding: 'json-schema' | 'operations'): Derived {
  const expected = { stateSchema: schemaOf(schema), state: given, actions: [] };
  const constraint = replyConstraint(expected, encoding, 'llama.cpp', { maxTokens: 600 });
  if (constraint.kind !== 'json') throw new Error('No schema');
  return constraint;
}

/** The schema of a property's values, and what is said to be lost of it. */
function written(property: JsonObject): { readonly schema: JsonValue | undefined; readonly said: string[] } {
  const object = {
    type: 'object',
    properties: { a: property },
    required: ['a'],
    additionalProperties: false,
  };
  const { schema, dropped } = derived(object, {}, 'json-schema');
  const patch = at(schema, 'properties', 'state_patch', 'properties', 'a');
  return { schema: patch, said: dropped.map(({ keyword, reason }) => `${keyword} ${reason}`) };
}

function at(schema: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce((value, key) => (isJsonObject(value) ? ownProperty(value, key) : undefined), schema);
}

/** All objects within a schema that say what a value is. */
function subschemas(schema: JsonValue): JsonObject[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap((part: JsonValue) => subschemas(part));
  return isJsonObject(schema) && typeof schema.type === 'string' ? [schema, ...inner] : inner;
}

/** Whether keys of objects are limited. */
function isClosed({ type, additionalProperties }: JsonObject): boolean {
  return type !== 'object' || additionalProperties === false;
}

const closed = { type: 'object', additionalProperties: false };

describe('a derived schema', () => {
  test('limits texts, lists and whole numbers, and what it can’t limit is said', () => {
    const found = { closed: 0, open: 0 };
    fc.assert(
      fc.property(anyStateSchema, fc.constantFrom('json-schema', 'operations'), (schema, encoding) => {
        const state = sampleValueAt(schemaOf(schema), []);
        fc.pre(isJsonObject(state));
        const { schema: whole, dropped } = derived(schema, isJsonObject(state) ? state : {}, encoding);
        const parts = subschemas(whole);
        for (const part of parts) {
          const { type, pattern, maxLength, maxItems, minimum = 0, maximum = 0 } = part;
          if (type === 'string' && part.enum === undefined && pattern === undefined)
            expect(maxLength).toBeLessThanOrEqual(2_000);
          if (type === 'array') expect(maxItems).toBeLessThanOrEqual(1_000);
          if (type !== 'integer') continue;
          for (const bound of [minimum, maximum]) expect(Math.abs(Number(bound))).toBeLessThan(1e15);
          expect(Object.keys(part)).not.toContain('exclusiveMinimum');
        }
        if (parts.every(isClosed)) found.closed++;
        else {
          found.open++;
          expect(dropped.some(({ reason }) => reason.includes('keys can be of any length'))).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(found.closed, found.open)).toBeGreaterThan(20);
  });

  it('has one bound on each side of whole numbers', () => {
    const between = { minimum: 2.5, exclusiveMinimum: 7, maximum: 30, exclusiveMaximum: 9.5 };
    expect(written({ type: 'integer', ...between })).toEqual({
      schema: { type: 'integer', minimum: 8, maximum: 9 },
      said: [],
    });
    expect(written({ type: 'integer', minimum: 0.2, maximum: 0.8 }).schema).toBeUndefined();
  });

  it('leaves out bounds that can’t be counted there, which fail the request', () => {
    const { schema, said } = written({ type: 'integer', minimum: -1e20, maximum: 1e308 });
    expect(schema).toEqual({ type: 'integer' });
    expect(said).toEqual([
      'minimum is too far from zero to be counted there',
      'maximum is too far from zero to be counted there',
    ]);
  });

  it.each([
    ['minimum', 1_600_000_000_000_000],
    ['exclusiveMinimum', 1_600_000_000_000_000],
    ['minimum', Number.MAX_SAFE_INTEGER],
    ['maximum', -1_600_000_000_000_000],
  ])('leaves out %s %d, with which the server’s grammar never ends', (keyword, bound) => {
    const { schema, said } = written({ type: 'integer', [keyword]: bound });
    expect(schema).toEqual({ type: 'integer' });
    expect(said).toEqual([
      `${keyword === 'maximum' ? 'maximum' : 'minimum'} is too far from zero to be counted there`,
    ]);
  });

  it('keeps bounds that can be counted there', () => {
    const bounds = { type: 'integer', minimum: -999_999_999_999_999, maximum: 999_999_999_999_999 };
    expect(written(bounds)).toEqual({ schema: bounds, said: [] });
  });

  it('repeats a character beyond ASCII as a whole', () => {
    expect(written({ type: 'string', pattern: '^é*$', maxLength: 5 }).schema).toEqual({
      type: 'string',
      pattern: '^[é]{0,5}$',
    });
  });

  it('has paths that end', () => {
    const { schema } = derived({ type: 'object', additionalProperties: { type: 'null' } }, {}, 'operations');
    const { schema: open } = derived({ type: 'object' }, {}, 'operations');
    for (const path of subschemas([schema, open]).map(({ pattern }) => pattern))
      expect(path ?? '').not.toMatch(/[*+]\)*\$$/);
  });

  it('repeats nothing more often than the server does', () => {
    expect(written({ type: 'string', minLength: 3_000, maxLength: 9_000 })).toEqual({
      schema: { type: 'string', minLength: 2_000, maxLength: 2_000 },
      said: ['minLength is more than 2000'],
    });
    const flags = { type: 'array', items: { type: 'boolean' } };
    expect(written({ ...flags, maxItems: 100_000 }).schema).toEqual({ ...flags, maxItems: 1_000 });
    expect(written({ ...flags, minItems: 3_000 })).toEqual({
      schema: { ...flags, minItems: 1_000, maxItems: 1_000 },
      said: ['minItems is more than 1000'],
    });
    const { schema } = written({ type: 'string', pattern: '^[a-z]{0,5000}$', maxLength: 5_000 });
    for (const [, most] of String(at(schema, 'pattern')).matchAll(/,(\d+)\}/g))
      expect(Number(most)).toBeLessThanOrEqual(2_000);
  });
});

describe('keys beside a map', () => {
  const flag = { type: 'boolean' };
  const open = { type: 'object', additionalProperties: { type: 'null' } };
  const listed = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, flag]));

  const map = (keys: readonly string[], required: readonly string[] = []) => {
    const item = { ...open, properties: listed(keys), required };
    return written({ type: 'array', items: item, maxItems: 1 });
  };

  it('are told apart where the server can', () => {
    const { schema, said } = map(['a', 'due date', 'x.y']);
    expect(Object.keys(at(schema, 'items', 'properties') ?? {})).toEqual(['a', 'due date', 'x.y']);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('additionalProperties may have one key twice');
  });

  it.each(['a]', 'a\\b', '^', 'a-b', 'é', 'q"'])(
    'are taken for others where %j would break its grammar',
    (key) => {
      const { schema, said } = map(['a', key]);
      expect(Object.keys(at(schema, 'items', 'properties') ?? {})).toEqual(['a']);
      expect(at(schema, 'items', 'additionalProperties', 'anyOf')).toContainEqual(flag);
      expect(said).toContain(`properties such as ${JSON.stringify(key)} can't be told from other keys`);
    },
  );

  it('are the only ones where such a key is required', () => {
    const { schema, said } = map(['a', 'a-b'], ['a-b']);
    expect(at(schema, 'items')).toMatchObject({ ...closed, required: ['a-b'] });
    expect(said).toEqual(["additionalProperties can't be told from the keys that are required"]);
  });

  it('are taken for others where they are too many to be told apart', () => {
    const many = Array.from({ length: 300 }, (_, index) => `${(index * 7_919) % 1_009}_of_many`);
    expect(at(map(many).schema, 'items', 'properties')).toBeUndefined();
    expect(at(map(many, many).schema, 'items', 'additionalProperties')).toBe(false);
  });
});

it('an object with more optional keys than the server can take is held to its form alone', () => {
  const flag = { type: 'boolean' };
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, flag]));
  const of = (count: number) => derived({ ...closed, properties: keys(count) }, {}, 'json-schema');
  expect(at(of(300).schema, 'properties', 'state_patch')).toMatchObject(closed);
  expect(at(of(301).schema, 'properties', 'state_patch')).toEqual({ type: 'object' });
  expect(of(301).dropped).toHaveLength(1);
});
