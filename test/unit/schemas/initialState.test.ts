import { describe, expect, test } from 'vitest';
import { initialStateOf, loadInitialState } from '../../../schemas/state/initialState';
import { loadStateSchema } from '../../../schemas/state/stateSchema';
import { findings, marked } from './located';

function load(text: string, path = 'state.initial.yaml') {
  return loadInitialState({ path, text });
}

function defaults(text: string): unknown {
  return initialStateOf(loadStateSchema({ path: 'state.schema.yaml', text }));
}

describe('an initial state', () => {
  test('is read from YAML or JSON', () => {
    expect(load('a: {b: [1]}').state).toEqual({ a: { b: [1] } });
    expect(load('{"a": {"b": [1]}}', 'x.json').state).toEqual({ a: { b: [1] } });
    expect(load('{}').problems).toEqual([]);
  });
  test('knows where its values stand', () => {
    const text = 'a:\n  b: [1, two]\n';
    const ranges = load(text).rangesOf(['a', 'b', '1']);
    expect(ranges && marked(text, ranges.value)).toBe('two');
    const property = load(text).rangesOf(['a', 'b']);
    expect(property && [marked(text, property.key), marked(text, property.value)]).toEqual(['b', '[1, two]']);
    expect(load(text).rangesOf(['c'])).toBeUndefined();
  });
  test.each([
    ['- a', 'initial.not-an-object «- a»'],
    ['text', 'initial.not-an-object «text»'],
    ['', 'initial.not-an-object «»'],
    ['a: [', 'initial.syntax «»'],
    ['a: 1\na: 2', 'initial.duplicate-key «a»'],
    ['a: .nan', 'initial.unsupported-yaml «.nan»'],
    ['a: 1\n---\nb: 2', 'initial.multiple-documents «-»'],
  ])('%j', (text, finding) => expect(findings(text, load(text).problems)).toEqual([finding]));
});

describe('the schema’s defaults', () => {
  test.each<[string, string, unknown]>([
    ['of properties', 'properties: {a: {default: 1}, b: {type: string}}', { a: 1 }],
    [
      'of properties further in',
      'properties: {a: {type: object, properties: {b: {default: [1]}}}}',
      { a: { b: [1] } },
    ],
    [
      'a whole value before its properties',
      'properties: {a: {type: object, default: {x: 1}, properties: {b: {default: 1}}}}',
      { a: { x: 1 } },
    ],
    ['of the root', 'default: {x: 1}\nproperties: {a: {default: 1}}', { x: 1 }],
    ['null and false', 'properties: {a: {default: null}, b: {default: false}}', { a: null, b: false }],
    [
      'required objects and lists begin empty',
      'required: [a, b, c]\nproperties: {a: {type: object}, b: {type: array}, c: {type: string}, d: {type: array}}',
      { a: {}, b: [] },
    ],
    ['through references', 'properties: {a: {$ref: "#/$defs/b"}}\n$defs: {b: {default: 2}}', { a: 2 }],
    [
      'through allOf',
      'allOf: [{properties: {a: {default: 1}}}]\nproperties: {b: {allOf: [{default: 2}]}}',
      { a: 1, b: 2 },
    ],
    [
      'not of branches',
      'anyOf: [{properties: {a: {default: 1}}}]\nproperties: {b: {oneOf: [{default: 2}]}}',
      {},
    ],
    [
      'a property named like a keyword',
      'properties: {else: {default: 1}, anyOf: {type: object, properties: {a: {default: 2}}}}',
      { else: 1, anyOf: { a: 2 } },
    ],
    [
      'not of what a branch refers to',
      'properties: {a: {anyOf: [{$ref: "#/$defs/b"}, {type: "null"}]}}\n$defs: {b: {default: 1}}',
      {},
    ],
    ['`__proto__`', 'properties: {__proto__: {default: {a: 1}}}', JSON.parse('{"__proto__": {"a": 1}}')],
    ['of no schema', 'true', {}],
  ])('%s', (_name, text, state) => expect(defaults(text)).toEqual(state));

  test('a schema that contains itself ends', () => {
    const state = defaults('properties: {a: {$ref: "#"}, b: {default: 1}}\ntype: object\nrequired: [a]');
    expect(JSON.stringify(state).length).toBeLessThan(1_000);
  });
  test('of as many properties as a schema may have', () => {
    const names = Array.from({ length: 1_900 }, (_, index) => `p${index}`);
    const declared = names.map((name, index) => `  ${name}: {type: integer, default: ${index}}\n`).join('');
    expect(defaults(`type: object\nproperties:\n${declared}`)).toEqual(
      Object.fromEntries(names.map((name, index) => [name, index])),
    );
  });
  test('a schema that branches into itself ends', () => {
    const state = defaults('type: object\nproperties: {a: {$ref: "#"}, b: {$ref: "#"}}\nrequired: [a, b]');
    expect(JSON.stringify(state).length).toBeLessThan(200_000);
  });
  test('looks once into what has no defaults, however often a schema contains itself', () => {
    const schema = loadStateSchema({
      path: 'state.schema.yaml',
      text: 'type: object\nproperties: {a: {$ref: "#"}, b: {$ref: "#"}, c: {$ref: "#"}, d: {$ref: "#"}}\n',
    });
    let asked = 0;
    const state = initialStateOf({
      pointersAt: (path) => schema.pointersAt(path),
      subschemasAt: (path) => schema.subschemasAt(path),
      certainSubschemasAt(path) {
        asked++;
        return schema.certainSubschemasAt(path);
      },
    });
    expect(state).toEqual({});
    expect(asked).toBeLessThan(1_000);
  });
});
