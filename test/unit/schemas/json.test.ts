import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPointer, parsePointer, pointerFragment, valueAt } from '../../../schemas/json/jsonPointer';
import {
  defineOwnProperty,
  isJsonObject,
  type JsonValue,
  ownProperty,
} from '../../../schemas/json/jsonValue';

describe('pointers', () => {
  test.each<[readonly string[], string]>([
    [[], ''],
    [[''], '/'],
    [['a', '0'], '/a/0'],
    [['a/b', 'm~n', '~1'], '/a~1b/m~0n/~01'],
  ])('%j', (path, pointer) => {
    expect(formatPointer(path)).toBe(pointer);
    expect(parsePointer(pointer)).toEqual(path);
  });
  test('one without a slash is none', () => expect(parsePointer('a')).toBeUndefined());
  test('any path comes back', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(parsePointer(formatPointer(path))).toEqual(path);
      }),
    );
  });

  test.each([
    ['', ''],
    ['/a b/ü', '/a%20b/%C3%BC'],
    ['/\ud800a b/😀\udc00', '/\ud800a%20b/%F0%9F%98%80\udc00'],
  ])('%j is a fragment', (pointer, fragment) => {
    expect(pointerFragment(pointer)).toBe(fragment);
    expect(decodeURIComponent(fragment)).toBe(pointer);
  });
});

describe('values', () => {
  const value: JsonValue = JSON.parse('{"a": [1, {"b": null}], "__proto__": {"c": 2}}');
  test.each<[readonly string[], JsonValue | undefined]>([
    [[], value],
    [['a', '0'], 1],
    [['a', '1', 'b'], null],
    [['a', '01'], undefined],
    [['a', '-1'], undefined],
    [['a', 'length'], undefined],
    [['__proto__', 'c'], 2],
    [['constructor'], undefined],
    [['a', '0', 'x'], undefined],
  ])('at %j', (path, expected) => expect(valueAt(value, path)).toEqual(expected));

  test('own properties are read and set, whatever their names', () => {
    const object: Record<string, JsonValue> = {};
    defineOwnProperty(object, '__proto__', { a: 1 });
    defineOwnProperty(object, 'toString', 2);
    expect(JSON.stringify(object)).toBe('{"__proto__":{"a":1},"toString":2}');
    expect(ownProperty(object, '__proto__')).toEqual({ a: 1 });
    expect(ownProperty({}, 'toString')).toBeUndefined();
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });
  test.each<[unknown, boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ['a', false],
    [undefined, false],
  ])('%j is an object: %j', (candidate, expected) => expect(isJsonObject(candidate)).toBe(expected));
});
