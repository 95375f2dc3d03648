import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialectUris, keywordsOf } from '../../../schemas/state/schemaKeywords';
import { type Dialect, loadStateSchema } from '../../../schemas/state/stateSchema';
import stateMetaSchema from '../../../schemas/state/stateSchema.schema.json';
import { filesBelow, sharedFolder } from './sharedData';

const options = { strict: false, ownProperties: true, validateFormats: false };
const dialects = {
  '2020-12': new Ajv2020(options),
  'draft-07': new Ajv(options),
} as const satisfies Record<Dialect, Ajv>;

/** Only these speak of values that the meta-schema speaks of too. */
const metaSchemaCodes = ['state.invalid-keyword', 'state.invalid-annotation', 'state.not-a-schema'];

function isValidByLoader(schema: unknown, dialect: Dialect): boolean {
  const text = JSON.stringify({
    $schema: dialectUris[dialect],
    type: 'object',
    properties: { value: schema },
  });
  return !loadStateSchema({ path: 'a.json', text }).problems.some(({ code }) =>
    metaSchemaCodes.includes(code),
  );
}

describe.each(Object.keys(dialects) as Dialect[])('the keyword table of %s', (dialect) => {
  const ajv = dialects[dialect];
  const keywords = [...keywordsOf(dialect).keys()];
  const part = fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    '',
    'a',
    'string',
    'a#b',
    '#a',
    '1a',
    {},
    { type: 'string' },
    { type: 1 },
    { a: true },
    { a: 1 },
    { a: ['b'] },
    { a: ['b', 'b'] },
    [],
    [true],
    ['a'],
    ['a', 'a'],
    ['string', 'null'],
    ['string', 'nothing'],
    [{}],
    [{ type: 1 }],
    [1],
  );

  test('agrees with its meta-schema on any value of any keyword', () => {
    fc.assert(
      fc.property(fc.constantFrom(...keywords), part, (keyword, value) => {
        // `$schema` in a subschema names no dialect of ours, and draft-07 of ajv knows no rule for `$id`.
        fc.pre(keyword !== '$schema' && !(dialect === '2020-12' && keyword === '$id' && value === ''));
        const schema = { [keyword]: value };
        if (keyword === 'enum' && Array.isArray(value) && value.length === 0) return; // ajv takes none
        const expected = ajv.validateSchema(schema) === true;
        expect([keyword, value, isValidByLoader(schema, dialect)]).toEqual([keyword, value, expected]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the published meta-schema', () => {
  const validate = new Ajv2020(options).compile(stateMetaSchema);

  test.each<[string, unknown, boolean]>([
    ['annotations', { type: 'array', maxItems: 1, 'x-merge': 'append', 'x-evict': 'oldest' }, true],
    ['an unknown policy', { 'x-merge': 'prepend' }, false],
    ['an unknown policy further in', { properties: { a: { items: { 'x-merge': 'prepend' } } } }, false],
    ['an unknown writer', { 'x-writer': 'tool' }, false],
    ['eviction without a bound', { 'x-merge': 'append', 'x-evict': 'oldest' }, false],
    ['invariants', { 'x-invariants': [{ expression: 'true', message: 'a' }] }, true],
    ['an invariant without expression', { 'x-invariants': [{ message: 'a' }] }, false],
    ['a wrong keyword further in', { properties: { a: { type: 'strin' } } }, false],
  ])('%s', (_name, schema, valid) => expect(validate(schema)).toBe(valid));
});

const suite = sharedFolder('json-schema-test-suite');

/** A group of the suite: a schema, and values that are tried on it. */
interface Group {
  readonly description: string;
  readonly schema: unknown;
}

describe.skipIf(suite === undefined)('the JSON Schema Test Suite', () => {
  /** What the suite uses and a state schema can't: files elsewhere, numbers beyond doubles, an empty enum, keys that are no keywords. */
  const allowed = new Set(['state.external-reference', 'state.inexact-number', 'state.unknown-keyword']);

  test.each<[string, Dialect]>([
    ['draft2020-12', '2020-12'],
    ['draft7', 'draft-07'],
  ])('%s loads without false findings, and look-ups end', (folder, dialect) => {
    const files = filesBelow(suite && `${suite}/tests/${folder}`, '.json');
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) {
      for (const { description, schema } of JSON.parse(readFileSync(file, 'utf8')) as Group[]) {
        // Each is a root of its own there: an `$id` keeps its `#` from meaning the state.
        const isObject = typeof schema === 'object' && schema !== null;
        const value =
          isObject && !('$id' in schema) ? { $id: 'http://localhost:1234/wrapped', ...schema } : schema;
        const text = JSON.stringify({ $schema: dialectUris[dialect], type: 'object', properties: { value } });
        const loaded = loadStateSchema({ path: 'a.json', text });
        const unexpected = loaded.problems.filter(
          ({ code, message }) => !allowed.has(code) && !message.includes('there is no file'),
        );
        expect([description, unexpected.map(({ message }) => message)]).toEqual([
          description,
          description === 'empty enum' ? [expect.stringContaining('enum')] : [],
        ]);
        for (const path of [['value'], ['value', 'foo', 'bar', '0'], ['value', '0', '__proto__']]) {
          expect(loaded.pointersAt(path)).toHaveLength(loaded.subschemasAt(path).length);
        }
      }
    }
  });
});
