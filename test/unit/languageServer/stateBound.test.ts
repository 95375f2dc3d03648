/** The bound of Σ: sizes by hand, and what makes a schema unbounded. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { largestFreeFormState } from '../../../schemas/state/defaultSchema';
import { largestPart, stateBound, unboundedPlaces } from '../../../schemas/state/stateBound';
import { defaultStateSchema, loadStateSchema } from '../../../schemas/state/stateSchema';

function load(schema: unknown) {
  return loadStateSchema({ path: 'state.schema.json', text: JSON.stringify(schema) });
}

/** The bound of a property beside nothing else. */
function boundOf(property: unknown, rest: Record<string, unknown> = {}) {
  const schema = load({ type: 'object', properties: { a: property }, additionalProperties: false, ...rest });
  expect(schema.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const bound = stateBound(schema);
  return {
    bytes: bound.at('/properties/a')?.bytes,
    boundedBytes: bound.at('/properties/a')?.boundedBytes,
    root: bound.root.bytes,
    unbounded: unboundedPlaces(bound.root).map(({ pointer, missing }) => `${pointer} ${missing}`),
  };
}

describe('the bound of a scalar', () => {
  test.each([
    [{ type: 'null' }, 4],
    [{ type: 'boolean' }, 5],
    [{ type: 'integer', minimum: 0, maximum: 99 }, 2],
    [{ type: 'integer', minimum: -100, maximum: 99 }, 4],
    [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10.5 }, 2],
    [{ type: 'integer', exclusiveMinimum: -10, exclusiveMaximum: 100 }, 2],
    [{ type: 'number', multipleOf: 5, minimum: 0, maximum: 1000 }, 4],
    [{ type: 'number' }, '-1.7976931348623157e+308'.length],
    [{ type: 'integer' }, 24],
    [{ type: 'integer', minimum: 0 }, 23],
    // Six bytes for each character: \u0001.
    [{ type: 'string', maxLength: 3 }, JSON.stringify('\u0001\u0001\u0001').length],
    [{ type: 'string', maxLength: 3, pattern: '^[a-z]*$' }, 5],
    [{ type: 'string', maxLength: 3, pattern: '[a-z]' }, 20],
    [{ type: 'string', maxLength: 3, pattern: '^[a-zé]*$' }, 8],
    [{ type: 'string', pattern: '^(yes|no|"")$' }, JSON.stringify('""').length],
    [{ type: 'string', maxLength: 24, pattern: '^item_(0|[1-9][0-9]*)$' }, 26],
    [{ type: 'string', pattern: '^[a-f0-9]{4}(-[a-f0-9]{2}){0,3}$' }, 4 + 3 * 3 + 2],
    [{ type: 'string', pattern: '^\\p{L}{2}$' }, 14],
    [{ type: 'string', format: 'date' }, 12],
    [{ type: 'string', format: 'uuid' }, 47],
    [{ type: 'string', format: 'date-time', maxLength: 30 }, 92],
    [{ enum: ['a', 'bcd', 'é'] }, 5],
    [{ const: { k: [1, 'x'] } }, JSON.stringify({ k: [1, 'x'] }).length],
    [{ enum: ['abc', 1], type: 'integer' }, 1],
    [{ type: ['string', 'null'], maxLength: 0 }, 4],
    [{ type: ['integer', 'boolean'], minimum: 0, maximum: 7 }, 5],
  ])('%j takes %i bytes', (property, bytes) => {
    expect(boundOf(property)).toEqual({
      bytes,
      boundedBytes: bytes,
      root: '{"a":}'.length + bytes,
      unbounded: [],
    });
  });
});

describe('the bound of lists and maps', () => {
  const digit = { type: 'integer', minimum: 0, maximum: 9 };

  test.each([
    [{ type: 'array', items: digit, maxItems: 3 }, '[9,9,9]'],
    [{ type: 'array', items: digit, maxItems: 0 }, '[]'],
    [{ type: 'array', prefixItems: [digit, { type: 'null' }], items: false }, '[9,null]'],
    [{ type: 'array', prefixItems: [digit], items: { type: 'null' }, maxItems: 2 }, '[9,null]'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true }, '["a","b"]'],
    [{ type: 'array', prefixItems: [false], maxItems: 4 }, '[]'],
    [{ type: 'object', properties: { b: digit, c: digit }, additionalProperties: false }, '{"b":9,"c":9}'],
    [
      {
        type: 'object',
        properties: { b: digit, c: { type: 'null' } },
        additionalProperties: false,
        maxProperties: 1,
      },
      '{"c":null}',
    ],
    [
      {
        type: 'object',
        additionalProperties: digit,
        maxProperties: 2,
        propertyNames: { pattern: '^[a-z]{2}$' },
      },
      '{"aa":9,"bb":9}',
    ],
    [{ type: 'object', additionalProperties: digit, propertyNames: { enum: ['x', 'yy'] } }, '{"x":9,"yy":9}'],
    // The keys are counted: k_0 to k_19.
    [
      { type: 'object', additionalProperties: digit, propertyNames: { pattern: '^k_(\\d|1\\d)$' } },
      `{${Array.from({ length: 20 }, (_, index) => `"k_${index}":9`).join()}}`,
    ],
    [
      { type: 'object', patternProperties: { '^[xy]$': digit }, additionalProperties: false },
      '{"x":9,"y":9}',
    ],
    [
      {
        allOf: [
          { type: 'object', properties: { b: digit } },
          { properties: { b: true }, additionalProperties: false },
        ],
      },
      '{"b":9}',
    ],
    [{ type: 'object', allOf: [{ properties: { b: digit } }], unevaluatedProperties: false }, '{"b":9}'],
    [{ type: 'array', maxItems: 2, allOf: [{ items: digit }, { maxItems: 5 }] }, '[9,9]'],
    [{ anyOf: [digit, { type: 'array', items: digit, maxItems: 2 }] }, '[9,9]'],
    [{ type: 'object', properties: { k: digit }, oneOf: [{ additionalProperties: false }] }, '{}'],
    [JSON.parse('{"if":{"type":"null"},"then":{"type":"null"},"else":{"type":"boolean"}}'), 'false'],
  ])('%j', (property, largest) => {
    const { bytes, unbounded } = boundOf(property);
    expect(bytes).toBe(largest.length);
    expect(unbounded).toEqual([]);
  });

  test('follows references, and keywords beside them', () => {
    const rest = { $defs: { word: { type: 'string', pattern: '^[a-z]*$' } } };
    expect(boundOf({ $ref: '#/$defs/word', maxLength: 4 }, rest).bytes).toBe(6);
    expect(boundOf({ $ref: '#/$defs/word' }, rest).unbounded).toEqual(['/$defs/word maxLength']);
  });

  test('a draft-07 list of items', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const bound = boundOf(
      { type: 'array', items: [{ type: 'null' }], additionalItems: { type: 'boolean' }, maxItems: 3 },
      { $schema },
    );
    expect(bound.bytes).toBe('[null,false,false]'.length);
  });
});

describe('what makes it unbounded', () => {
  const text = { type: 'string', maxLength: 1 };

  test.each([
    [{ type: 'string' }, ['/properties/a maxLength']],
    [{ type: 'string', format: 'date-time' }, ['/properties/a maxLength']],
    [true, ['/properties/a type']],
    [{}, ['/properties/a type']],
    [{ maxLength: 5 }, ['/properties/a type']],
    [{ type: 'array', items: text }, ['/properties/a maxItems']],
    [{ type: 'array', maxItems: 3 }, ['/properties/a items']],
    [
      { type: 'array', items: { type: 'string' } },
      ['/properties/a maxItems', '/properties/a/items maxLength'],
    ],
    [{ type: 'object' }, ['/properties/a additionalProperties']],
    [
      { type: 'object', additionalProperties: true, maxProperties: 3 },
      ['/properties/a additionalProperties'],
    ],
    [{ type: 'object', properties: { b: text } }, ['/properties/a additionalProperties']],
    [{ type: 'object', additionalProperties: text }, ['/properties/a maxProperties']],
    [{ type: 'object', additionalProperties: text, maxProperties: 2 }, ['/properties/a propertyNames']],
    [
      { type: 'object', patternProperties: { '^a+$': text }, additionalProperties: false },
      ['/properties/a maxProperties'],
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'array', items: text }] },
      ['/properties/a/anyOf/0 maxLength', '/properties/a/anyOf/1 maxItems'],
    ],
    [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, ['/properties/a/allOf/0 maxLength']],
  ])('%j', (property, places) => {
    const { unbounded, bytes, root } = boundOf(property);
    expect([...unbounded].sort()).toEqual([...places].sort());
    expect(bytes).toBe(Number.POSITIVE_INFINITY);
    expect(root).toBe(Number.POSITIVE_INFINITY);
  });

  test('a schema that contains itself, unless something cuts it off', () => {
    const tree = (maxItems: number) => ({
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' }, maxItems } },
          additionalProperties: false,
        },
      },
    });
    expect(boundOf({ $ref: '#/$defs/node' }, tree(2)).unbounded).toEqual([
      '/$defs/node/properties/children/items $ref',
    ]);
    expect(boundOf({ $ref: '#/$defs/node' }, tree(0)).bytes).toBe('{"children":[]}'.length);
    expect(boundOf({ $ref: '#/$defs/loop' }, { $defs: { loop: { $ref: '#/$defs/loop' } } }).bytes).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  test('the bound of the rest', () => {
    const { boundedBytes } = boundOf({
      type: 'object',
      properties: { b: { type: 'string' }, c: { type: 'boolean' }, d: { type: 'array', items: text } },
      additionalProperties: false,
    });
    expect(boundedBytes).toBe('{"b":"","c":false,"d":[]}'.length);
  });
});

describe('whole schemas', () => {
  test('the default one is bounded, and by no more than its own bound', () => {
    const { root } = stateBound(defaultStateSchema());
    expect(root.bytes).toBe(largestFreeFormState());
  });

  test('the warehouse: 500 shelves, each with an item', () => {
    const text = readFileSync(
      new URL('../../../samples/warehouse/state.schema.yaml', import.meta.url),
      'utf8',
    );
    const { root } = stateBound(loadStateSchema({ path: 'state.schema.yaml', text }));
    const inventory = Object.fromEntries(
      Array.from({ length: 500 }, (_, shelf) => [`shelf_${shelf}`, `item_${'1'.repeat(19)}`]),
    );
    expect(root.bytes).toBe(JSON.stringify({ inventory }).length);
    expect(largestPart(root)?.part.key).toBe('inventory');
    expect(largestPart(root)?.share).toBeGreaterThan(0.99);
  });

  test('a root that says nothing of its type is an object all the same', () => {
    const { root } = stateBound(load({ properties: { a: { type: 'null' } }, additionalProperties: false }));
    expect(root.bytes).toBe('{"a":null}'.length);
  });

  test('keys with a meaning in JavaScript', () => {
    const schema = loadStateSchema({
      path: 'state.schema.json',
      text: '{"type":"object","properties":{"__proto__":{"type":"null"},"constructor":{"type":"null"}},"additionalProperties":false}',
    });
    expect(stateBound(schema).root.bytes).toBe('{"__proto__":null,"constructor":null}'.length);
  });

  describe('what a schema closes as a whole', () => {
    const yes = { const: 1 };
    const when = (condition: object, met: object) =>
      Object.fromEntries([
        ['if', condition],
        ['then', met],
      ]);
    const closed = (rest: object) => ({ type: 'object', unevaluatedProperties: false, ...rest });
    test.each([
      [
        'both parts of a condition',
        closed({ properties: { b: yes }, ...when({}, { properties: { c: yes } }) }),
        { b: 1, c: 1 },
      ],
      ['what a condition itself describes', closed({ if: { properties: { b: yes } } }), { b: 1 }],
      [
        'either side of a condition',
        closed({
          ...when({ properties: { b: yes }, required: ['b'] }, { properties: { c: yes } }),
          else: { properties: { d: { const: 1000000000 } } },
        }),
        { d: 1000000000 },
      ],
      [
        'what a key brings with it',
        closed({ properties: { b: yes }, dependentSchemas: { b: { properties: { c: yes } } } }),
        { b: 1, c: 1 },
      ],
      [
        'several branches of anyOf at once',
        closed({ anyOf: [{ properties: { b: yes } }, { properties: { c: yes } }] }),
        { b: 1, c: 1 },
      ],
      [
        'one branch of oneOf',
        closed({ oneOf: [{ properties: { b: yes } }, { properties: { c: { const: 10 } } }] }),
        { c: 10 },
      ],
      [
        'one branch of each of two oneOfs',
        closed({ allOf: [{ oneOf: [{ properties: { b: yes } }] }, { oneOf: [{ properties: { c: yes } }] }] }),
        { b: 1, c: 1 },
      ],
      [
        'a map that a part describes',
        closed({ allOf: [{ additionalProperties: yes, propertyNames: { enum: ['b', 'c'] } }] }),
        { b: 1, c: 1 },
      ],
      [
        'an inner part that leaves nothing',
        {
          type: 'object',
          allOf: [{ unevaluatedProperties: yes, propertyNames: { enum: ['b'] } }],
          unevaluatedProperties: false,
        },
        { b: 1 },
      ],
      [
        'items that a part describes',
        { type: 'array', allOf: [{ items: yes }], unevaluatedItems: false, maxItems: 2 },
        [1, 1],
      ],
    ])('%s', (_, property, largest) => {
      expect(boundOf(property)).toMatchObject({ bytes: JSON.stringify(largest).length, unbounded: [] });
    });

    test('draft-07 knows nothing of it', () => {
      const { unbounded } = boundOf(closed({ properties: { b: yes } }), {
        $schema: 'http://json-schema.org/draft-07/schema#',
      });
      expect(unbounded).toEqual(['/properties/a additionalProperties']);
    });
  });

  test('many choices within choices end', () => {
    const choice = (depth: number): unknown =>
      depth === 0
        ? { type: 'null' }
        : { allOf: [0, 1].map(() => ({ anyOf: [choice(depth - 1), { type: 'boolean' }] })) };
    expect(boundOf(choice(8)).bytes).toBe(5);
  });
});
