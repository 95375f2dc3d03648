import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadStateSchema } from '../../../schemas/state/stateSchema';

function load(text: string) {
  const schema = loadStateSchema({ path: 'state.schema.yaml', text: `type: object\n${text}` });
  expect(schema.problems).toEqual([]);
  return schema;
}

describe('which subschemas describe a path', () => {
  test.each<[string, string, string[], string[]]>([
    ['the state itself', 'title: a', [], ['']],
    ['a property', 'properties: {a: {properties: {b: true}}}', ['a', 'b'], ['/properties/a/properties/b']],
    ['nothing', 'properties: {a: {}}', ['a', 'b'], []],
    ['a property that is not declared', 'properties: {a: {}}', ['b'], []],
    [
      'additional properties',
      'properties: {a: {}}\nadditionalProperties: {type: string}',
      ['b'],
      ['/additionalProperties'],
    ],
    [
      'no additional properties',
      'properties: {a: {}}\nadditionalProperties: false',
      ['b'],
      ['/additionalProperties'],
    ],
    [
      'additional properties are not for declared ones',
      'properties: {a: {}}\nadditionalProperties: {}',
      ['a'],
      ['/properties/a'],
    ],
    [
      'patterns',
      'patternProperties: {^a: {}, b$: {}}',
      ['ab'],
      ['/patternProperties/^a', '/patternProperties/b$'],
    ],
    [
      'a pattern and a property',
      'properties: {ab: {}}\npatternProperties: {^a: {}}\nadditionalProperties: {}',
      ['ab'],
      ['/properties/ab', '/patternProperties/^a'],
    ],
    ['unevaluated properties', 'unevaluatedProperties: {}', ['a'], ['/unevaluatedProperties']],
    ['items', 'properties: {a: {items: {title: x}}}', ['a', '0'], ['/properties/a/items']],
    [
      'items before the others',
      'properties: {a: {prefixItems: [{}], items: {}}}',
      ['a', '0'],
      ['/properties/a/prefixItems/0'],
    ],
    [
      'items after the first',
      'properties: {a: {prefixItems: [{}], items: {}}}',
      ['a', '1'],
      ['/properties/a/items'],
    ],
    ['no item', 'properties: {a: {items: {}}}', ['a', 'b'], []],
    [
      'a reference',
      'properties: {a: {$ref: "#/$defs/b"}}\n$defs: {b: {properties: {c: {}}}}',
      ['a', 'c'],
      ['/$defs/b/properties/c'],
    ],
    [
      'references in a row',
      'properties: {a: {$ref: "#b"}}\n$defs: {b: {$anchor: b, $ref: "#/$defs/c"}, c: {}}',
      ['a'],
      ['/properties/a', '/$defs/b', '/$defs/c'],
    ],
    [
      'a schema with an id',
      'properties: {a: {$ref: "b.json"}}\n$defs: {b: {$id: b.json, properties: {x: {$ref: "#/$defs/c"}}, $defs: {c: {}}}}',
      ['a', 'x'],
      ['/$defs/b/properties/x', '/$defs/b/$defs/c'],
    ],
    [
      'a dynamic reference',
      'properties: {a: {$dynamicRef: "#n"}}\n$defs: {b: {$dynamicAnchor: n}}',
      ['a'],
      ['/properties/a', '/$defs/b'],
    ],
    [
      'all of',
      'allOf: [{properties: {a: {}}}, {properties: {a: {}}}]',
      ['a'],
      ['/allOf/0/properties/a', '/allOf/1/properties/a'],
    ],
    [
      'branches',
      'anyOf: [{properties: {a: {}}}]\noneOf: [{}, {properties: {a: {}}}]\nif: {properties: {a: {}}}\nthen: {properties: {a: {}}}\nelse: {properties: {a: {}}}',
      ['a'],
      ['/anyOf/0/properties/a', '/oneOf/1/properties/a', '/then/properties/a', '/else/properties/a'],
    ],
    [
      'names that are special elsewhere',
      'properties: {__proto__: {properties: {constructor: {}}}}',
      ['__proto__', 'constructor'],
      ['/properties/__proto__/properties/constructor'],
    ],
    ['names that only prototypes have', 'properties: {}', ['constructor'], []],
    ['names with / and ~', 'properties: {a/b~c: {}}', ['a/b~c'], ['/properties/a~1b~0c']],
    ['boolean schemas', 'properties: {a: true}', ['a', 'b'], []],
  ])('%s', (_name, text, path, pointers) => expect(load(text).pointersAt(path)).toEqual(pointers));

  test('draft-07’s items', () => {
    const schema = load(
      '$schema: http://json-schema.org/draft-07/schema#\nproperties: {a: {items: [{}], additionalItems: {}}}',
    );
    expect(schema.pointersAt(['a', '0'])).toEqual(['/properties/a/items/0']);
    expect(schema.pointersAt(['a', '1'])).toEqual(['/properties/a/additionalItems']);
  });
  test('the subschemas come in the same order', () => {
    expect(load('properties: {a: {$ref: "#/$defs/b"}}\n$defs: {b: {title: B}}').subschemasAt(['a'])).toEqual([
      { $ref: '#/$defs/b' },
      { title: 'B' },
    ]);
  });
  test('a schema that refers to itself ends', () => {
    const schema = load('properties: {a: {$ref: "#/properties/a"}, b: {$ref: "#"}}\nallOf: [{$ref: "#"}]');
    expect(schema.pointersAt(['a'])).toEqual(['/properties/a']);
    expect(schema.pointersAt(Array.from({ length: 10_000 }, () => 'b'))).toEqual([
      '/properties/b',
      '',
      '/allOf/0',
    ]);
  });
  test('branches that multiply are cut off', () => {
    const levels = Array.from(
      { length: 20 },
      (_, level) =>
        `  l${level}: {anyOf: [{$ref: "#/$defs/l${level + 1}"}, {$ref: "#/$defs/l${level + 1}"}, {}]}`,
    );
    const schema = load(
      `properties: {a: {$ref: "#/$defs/l0"}}\n$defs:\n${levels.join('\n')}\n  l20: {anyOf: [${'{}, '.repeat(199)}{}]}`,
    );
    expect(schema.pointersAt(['a']).length).toBeLessThanOrEqual(256);
  });
  test('many different keys do not pile up', () => {
    const schema = load('additionalProperties: {maxItems: 1}');
    for (let key = 0; key < 50_000; key++) schema.pointersAt([`k${key}`]);
    expect(schema.pointersAt(['k1'])).toEqual(['/additionalProperties']);
  });
});

describe('merge policies', () => {
  const schema = load(
    'properties:\n  a: {type: array, x-merge: append, x-evict: oldest, maxItems: 5}\n  b: {$ref: "#/$defs/b", maxItems: 3}\n  c: {type: array}\n$defs:\n  b: {type: array, x-merge: union, maxItems: 7}\n',
  );
  test.each([
    ['a', { merge: 'append', evict: 'oldest', maxItems: 5 }],
    ['b', { merge: 'union', evict: undefined, maxItems: 3 }],
    ['c', { merge: 'replace', evict: undefined, maxItems: undefined }],
    ['d', { merge: 'replace', evict: undefined, maxItems: undefined }],
  ])('%s', (key, policy) => expect(schema.mergePolicyAt([key])).toEqual(policy));
});

describe('writers', () => {
  const schema = load(
    'properties:\n  clock: {x-writer: environment, properties: {hour: {x-writer: model}}}\n  note: {}\n  both: {allOf: [{x-writer: environment}]}\n',
  );
  test.each<[string[], string]>([
    [['clock'], 'environment'],
    [['clock', 'hour'], 'environment'],
    [['clock', 'hour', 'deeper', '0'], 'environment'],
    [['both'], 'environment'],
    [['note'], 'model'],
    [['other'], 'model'],
    [[], 'model'],
  ])('%j', (path, writer) => expect(schema.writerAt(path)).toBe(writer));
});

describe('any schema', () => {
  const name = fc.constantFrom('a', 'b', '0', '__proto__', 'constructor', '$ref', 'a/b');
  const reference = fc.constantFrom(
    '#',
    '#/$defs/a',
    '#/properties/a',
    '#a',
    '#/allOf/0',
    'x.json',
    '#/nowhere',
    '',
  );
  const { schema } = fc.letrec<{ schema: unknown; map: unknown }>((tie) => ({
    map: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
    schema: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(true, false, {}, { type: 'array', 'x-merge': 'append' }, 1, null, 'x'),
      fc.record({ $ref: reference }),
      fc.record(
        {
          properties: tie('map'),
          patternProperties: tie('map'),
          $defs: tie('map'),
          additionalProperties: tie('schema'),
          items: tie('schema'),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
          $ref: reference,
          $id: fc.constantFrom('x.json', 'http://example.org/'),
          $anchor: name,
        },
        { requiredKeys: [] },
      ),
    ),
  }));

  test('look-ups end, and name places of its text', () => {
    fc.assert(
      fc.property(schema, fc.array(name, { maxLength: 8 }), (value, path) => {
        const loaded = loadStateSchema({ path: 'a.json', text: JSON.stringify(value) });
        const pointers = loaded.pointersAt(path);
        expect(loaded.subschemasAt(path)).toHaveLength(pointers.length);
        if (loaded.rangesOf('') !== undefined)
          expect(pointers.map((pointer) => loaded.rangesOf(pointer) === undefined)).not.toContain(true);
        for (const { pointer } of loaded.declaredProperties) expect(loaded.rangesOf(pointer)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });
  test('loading never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
        fc.constantFrom('a.json', 'a.yaml'),
        (text, path) => {
          expect(loadStateSchema({ path, text }).problems).toBeInstanceOf(Array);
        },
      ),
    );
  });
});
