/** The quick look at a value: whatever it lets pass, the validator lets pass too. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonArray, type JsonValue } from '../../../schemas/json/jsonValue';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { surelyFits, surelyFitsInPart } from '../../../server/src/languageService/state/surelyFits';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

function looked(schema: JsonValue, value: JsonValue, pointer = ''): boolean {
  const text = JSON.stringify(schema);
  return surelyFits(loadStateSchema({ path: 'state.schema.json', text }), pointer, value);
}

describe('the quick look', () => {
  it.each<[JsonValue, JsonValue, boolean]>([
    [{ type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }, { a: 1 }, true],
    [{ type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }, { a: 0 }, false],
    [{ type: 'object', required: ['a'], additionalProperties: false, properties: { a: {} } }, { a: 0 }, true],
    [{ type: 'object', required: ['a'] }, {}, false],
    [{ type: 'object', additionalProperties: false }, { a: 1 }, false],
    [{ type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: { pattern: '^a' } } }, ['a', 'ab'], true],
    [{ type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: { pattern: '^a' } } }, ['b'], false],
    [{ type: ['string', 'null'], maxLength: 1 }, null, true],
    [{ enum: [{ a: 1 }] }, { a: 1 }, true],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, false],
    [{ anyOf: [{ type: 'string' }, { const: 1 }] }, 1, true],
    [{ $ref: '#' }, 1, false],
    // What it doesn't know is left to the validator.
    [{ oneOf: [{ type: 'string' }] }, 'a', false],
    [{ format: 'date' }, '2000-01-01', false],
  ])('of %j at %j: %j', (schema, value, expected) => {
    expect(looked(schema, value)).toBe(expected);
  });

  it('begins at any subschema', () => {
    expect(looked({ properties: { 'a/b': { type: 'string' } } }, 'x', '/properties/a~1b')).toBe(true);
    expect(looked({ properties: { 'a/b': { type: 'string' } } }, 1, '/properties/a~1b')).toBe(false);
    expect(looked({}, 1, '/properties/none')).toBe(false);
  });
});

describe('the quick look at a part', () => {
  it('lets objects lack keys, but not those in arrays', () => {
    const item = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };
    const text = JSON.stringify({
      ...item,
      properties: { ...item.properties, list: { type: 'array', items: item } },
    });
    const schema = loadStateSchema({ path: 'state.schema.json', text });
    expect(surelyFitsInPart(schema, {})).toBe(true);
    expect(surelyFitsInPart(schema, { a: 'x' })).toBe(false);
    expect(surelyFitsInPart(schema, { list: [{ a: 1 }] })).toBe(true);
    expect(surelyFitsInPart(schema, { list: [{}] })).toBe(false);
    expect(surelyFits(schema, '', {})).toBe(false);
  });
});

describe('the JSON Schema Test Suite', () => {
  const folder = sharedFolder('json-schema-test-suite');
  const files = filesBelow(folder, '.json').filter(
    (path) => /draft2020-12|draft7/.test(path) && !path.includes('/optional/'),
  );

  it.runIf(files.length > 0)('has no value that passes here and is not valid', () => {
    const wrong: string[] = [];
    let passed = 0;
    for (const file of files) {
      for (const group of groupsOf(file)) {
        const schema = group.schema ?? true;
        const dialect = file.includes('draft7') ? 'http://json-schema.org/draft-07/schema#' : undefined;
        const whole =
          isJsonObject(schema) && dialect !== undefined ? { $schema: dialect, ...schema } : schema;
        const loaded = loadStateSchema({ path: 'state.schema.json', text: JSON.stringify(whole) });
        for (const test of Array.isArray(group.tests) ? (group.tests as JsonArray) : []) {
          if (!isJsonObject(test) || !surelyFits(loaded, '', test.data ?? null)) continue;
          passed++;
          if (test.valid !== true) wrong.push(`${basename(file)}: ${String(test.description)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(passed).toBeGreaterThan(500);
  });
});

function groupsOf(file: string): { readonly schema?: JsonValue; readonly tests?: JsonValue }[] {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Array.isArray(parsed) ? parsed.filter(isJsonObject) : [];
}
