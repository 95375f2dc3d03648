/** The text of a state: keys in one order, so that a diff shows what has changed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateText } from '../../../client/src/views/documents/stateText';
import { isJsonObject, type JsonObject } from '../../../schemas/json/jsonValue';
import { loadStateSchema } from '../../../schemas/state/stateSchema';

const schema = loadStateSchema({
  path: 'state.schema.yaml',
  text: 'type: object\nproperties:\n  second: {}\n  first:\n    properties: {z: {}, a: {}}\n',
});

function keysOf(text: string): string[] {
  return [...text.matchAll(/"([^"]+)":/g)].map(([, key = '']) => key);
}

describe('stateText', () => {
  it("has declared keys in the schema's order, then the others by name", () => {
    const text = stateText({ shelf_10: 1, first: { a: 1, z: 2 }, shelf_2: 2, second: 3 }, schema);
    expect(keysOf(text)).toEqual(['second', 'first', 'z', 'a', 'shelf_2', 'shelf_10']);
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('has them by name without a schema', () => {
    expect(keysOf(stateText({ b: 1, a: { d: 1, c: [{ f: 1, e: 2 }] } }))).toEqual([
      'a',
      'c',
      'e',
      'f',
      'd',
      'b',
    ]);
  });

  it('keeps hostile keys', () => {
    const state = JSON.parse('{"constructor":1,"__proto__":{"x":1},"a":2}');
    expect(stateText(state)).toBe(
      '{\n  "__proto__": {\n    "x": 1\n  },\n  "a": 2,\n  "constructor": 1\n}\n',
    );
  });

  it('bears any depth', () => {
    let state: JsonObject = {};
    for (let depth = 0; depth < 1_000; depth++) state = { a: state };
    expect(JSON.parse(stateText(state))).toEqual(state);
  });

  it('says the same of equal states, whatever order their keys came in', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const state = JSON.parse(JSON.stringify(value));
        if (!isJsonObject(state)) return;
        const turned: JsonObject = Object.fromEntries(Object.entries(state).reverse());
        expect(stateText(turned)).toBe(stateText(state));
        expect(JSON.parse(stateText(state))).toEqual(state);
      }),
    );
  });
});
