/** Nothing that a terminal obeys is left in a text, and JSON stays the same JSON. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable, printableLine } from '../../../schemas/text/printable';

const obeyed = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const anyText = fc.string({ unit: 'binary' });

it.each([
  ['Success: Stored item_1 on shelf_2.', 'Success: Stored item_1 on shelf_2.'],
  ['\x1b]0;title\x07', '\\u001b]0;title\\u0007'],
  ['\x9b2J', '\\u009b2J'],
  ['over\rwritten\b', 'over\\u000dwritten\\u0008'],
  ['a\r\nb\tc\n', 'a\nb\tc\n'],
  ['\u202Etxt.exe', '\\u202etxt.exe'],
  ['日本語 😀 ‏עברית', '日本語 😀 ‏עברית'],
])('shows %j as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('leaves tab and line feed alone, and on one line not even those', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(new Set(printable(text).match(obeyed) ?? [])).toSatisfy((left: Set<string>) =>
        [...left].every((character) => character === '\n' || character === '\t'),
      );
      expect(printableLine(text)).not.toMatch(obeyed);
    }),
  );
});

it('keeps JSON the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      const indented = JSON.stringify(value, undefined, 2);
      expect(JSON.parse(printable(indented))).toEqual(JSON.parse(indented));
    }),
  );
});
