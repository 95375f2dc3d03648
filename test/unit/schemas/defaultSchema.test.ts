import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { freeFormBounds, largestFreeFormState } from '../../../schemas/state/defaultSchema';
import { defaultStateSchema } from '../../../schemas/state/stateSchema';

const schema = defaultStateSchema();
const validate = new Ajv2020({ strict: false, ownProperties: true }).compile(
  typeof schema.schema === 'boolean' ? {} : schema.schema,
);
const [outer, middle, inner] = freeFormBounds.levels;

/** An object of `count` entries with that value and keys of full length. */
function entries(count: number, value: unknown): Record<string, unknown> {
  const key = (index: number) =>
    `${'\u0001'.repeat(freeFormBounds.keyLength - 4)}${String(index).padStart(4, '0')}`;
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), value]));
}

describe('the free-form default', () => {
  test('is a schema without problems', () => {
    expect(schema.problems).toEqual([]);
    expect([schema.origin, schema.path]).toEqual(['default', undefined]);
    expect(schema.text).toBe(`${JSON.stringify(schema.schema, null, 2)}\n`);
  });
  test.each<[string, unknown]>([
    ['an empty state', {}],
    ['scalars', { a: 'b', c: 1, d: true, e: null }],
    ['lists of texts', { todo: ['a', 'b'] }],
    ['maps of texts', { files: { 'a.md': 'read' } }],
    ['lists of small maps', { tasks: [{ id: 1, done: false }] }],
    [
      'the fullest',
      entries(outer.entries, entries(middle.entries, entries(inner.entries, 'x'.repeat(inner.stringLength)))),
    ],
  ])('allows %s', (_name, state) => expect(validate(state)).toBe(true));

  test.each<[string, unknown]>([
    ['a list', []],
    ['too many entries', entries(outer.entries + 1, 1)],
    ['too many entries further in', { a: entries(middle.entries + 1, 1) }],
    ['too many items', { a: Array.from({ length: middle.entries + 1 }, () => 1) }],
    ['a long text', { a: 'x'.repeat(outer.stringLength + 1) }],
    ['a long text further in', { a: ['x'.repeat(middle.stringLength + 1)] }],
    ['a long key', { ['x'.repeat(freeFormBounds.keyLength + 1)]: 1 }],
    ['deep nesting', { a: { b: { c: { d: 1 } } } }],
    ['a deep list', { a: { b: { c: [1] } } }],
  ])('refuses %s', (_name, state) => expect(validate(state)).toBe(false));

  test('the fullest state has the size that is documented', () => {
    const text = '\u0001'.repeat(inner.stringLength);
    const state = entries(outer.entries, entries(middle.entries, entries(inner.entries, text)));
    expect(validate(state)).toBe(true);
    expect(JSON.stringify(state).length).toBeLessThanOrEqual(largestFreeFormState());
    expect(largestFreeFormState()).toBeLessThan(20_000_000);
  });
});
