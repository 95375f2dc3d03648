import fc from 'fast-check';
import { expect, it } from 'vitest';
import { oneLine } from '../../../schemas/text/oneLine';

it.each([
  ['', ''],
  [' one line ', ' one line '],
  ['two\nlines', 'two lines'],
  ['with  \r\n \r\n\t indentation', 'with indentation'],
  ['\nat both ends\n', ' at both ends '],
])('%j becomes %j', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

it('line ends go with the blanks around them, and nothing else does', () => {
  const piece = fc.constantFrom(' ', '\t', '\n', '\r', 'a', '\u00a0', '\ud83d\ude00');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      expect(oneLine(text)).toBe(text.replaceAll(/\s*[\r\n]+\s*/g, ' '));
    }),
  );
});

it('blanks without a line end take no time', () => {
  const blanks = ' '.repeat(3_000_000);
  expect(oneLine(`a${blanks}b`)).toHaveLength(blanks.length + 2);
  expect(oneLine(`a${blanks}\n${blanks}b`)).toBe('a b');
});
