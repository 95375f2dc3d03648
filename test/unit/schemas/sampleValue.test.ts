/** The least values that schemas allow: each fits its schema. */
import { describe, expect, it } from 'vitest';
import { compileStateSchema } from '../../../client/src/runtime/compiledSchema';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { freshText } from '../../../schemas/state/sampleText';
import { sampleValueAt } from '../../../schemas/state/sampleValue';
import { loadStateSchema } from '../../../schemas/state/stateSchema';

describe('the least value', () => {
  it.each([
    [{ type: 'string' }, ''],
    [{ type: 'string', minLength: 2 }, 'xx'],
    [{ type: 'string', minLength: 2, examples: ['a', 'ab'] }, 'ab'],
    [{ type: 'string', pattern: '^item_' }, 'item_'],
    [{ type: 'string', pattern: '^shelf_(0|[1-9][0-9]?|[1-4][0-9]{2})$' }, 'shelf_0'],
    [{ type: 'string', format: 'date' }, '2000-01-01'],
    [{ type: 'integer' }, 0],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: 'integer', exclusiveMinimum: 3 }, 4],
    [{ type: 'integer', maximum: -3 }, -3],
    [{ type: 'integer', minimum: 3, multipleOf: 5 }, 5],
    [{ type: ['null', 'boolean'] }, false],
    [{ type: 'null' }, null],
    [{ const: 'x' }, 'x'],
    [{ enum: ['b', 'a'] }, 'b'],
    [{ type: 'string', default: 'd' }, 'd'],
    [{ type: 'array', items: { type: 'integer' } }, []],
    [{ type: 'array', minItems: 2, items: { type: 'integer' } }, [0, 0]],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
      { a: '' },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ''],
    [{ oneOf: [{ type: 'object', required: ['k'], properties: { k: { const: 1 } } }] }, { k: 1 }],
    [{ $ref: '#/$defs/deep' }, { at: 0 }],
  ])('of %j', (subschema, expected) => {
    const schema = loadStateSchema({
      path: 'state.schema.json',
      text: JSON.stringify({
        type: 'object',
        properties: { value: subschema },
        $defs: { deep: { type: 'object', required: ['at'], properties: { at: { type: 'integer' } } } },
      }),
    });
    const value = sampleValueAt(schema, ['value']);
    expect(value).toEqual(expected);
    const state: JsonObject = value === undefined ? {} : { value };
    expect(compileStateSchema(schema).violations(state)).toEqual([]);
  });

  it('of a schema that requires itself ends', () => {
    const schema = loadStateSchema({
      path: 'state.schema.json',
      text: '{"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}',
    });
    expect(JSON.stringify(sampleValueAt(schema, []))).toContain('{"next":{"next":');
  });

  it('is not said where the schema says nothing', () => {
    const schema = loadStateSchema({ path: 'state.schema.json', text: '{"type": "object"}' });
    expect(sampleValueAt(schema, ['any'])).toBeUndefined();
  });
});

describe('a further text of a pattern', () => {
  it('is none that is taken', () => {
    expect(freshText('^shelf_(0|[1-9])$', ['shelf_0', 'shelf_2'])).toBe('shelf_1');
    expect(freshText('^(a|b)$', ['a', 'b'])).toBeUndefined();
  });
});
