import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternSize } from '../../../schemas/text/patternSize';
import { compilePattern, safeRegExp } from '../../../schemas/text/safePattern';

const texts = [
  '',
  'a',
  'A',
  'abc',
  'a1',
  'a-b',
  'a_b',
  ' ',
  '\t',
  '\n',
  'a\nb',
  '\r',
  '\u00a0',
  '\u2028',
  '\ufeff',
  'é',
  'ß',
  'Ω',
  '🏭',
  '🏭🏭',
  '\ud800',
  '٣',
  '42',
  '-',
  ']',
  '[',
  '^',
  '\\',
  '/',
  '{',
  '.',
  '$',
  '\b',
  '\0',
  'shelf_42',
  'shelf_',
  'ⅷ',
  '€',
  '一',
  'aa',
  'aaa',
  '&&',
  ':alpha:',
];

function matches(source: string, text: string): boolean {
  const pattern = compilePattern(source);
  if (!pattern.ok) throw new Error(pattern.message);
  return pattern.test(text);
}

describe('a pattern matches as in Unicode mode', () => {
  test.each([
    '^shelf_\\d+$',
    'a',
    '^a$',
    '.',
    '^.$',
    '^..$',
    '\\s',
    '^\\S+$',
    '\\w',
    '\\W',
    '\\D',
    '\\bshelf',
    '\\Ba',
    '[a-c]',
    '[^a-c]',
    '[\\s\\S]',
    '[^\\s]',
    '[^\\S]',
    '[\\b]',
    '[\\d-]',
    '[--/]',
    '[+--]',
    '[a\\-z]',
    '[[:alpha:]',
    '[&&]',
    '[a&&b]',
    '[]',
    '[^]',
    '[\\]\\[]',
    '[^^]',
    '\\cJ',
    '\\0',
    '\\x41',
    '\\u0041',
    '\\u{1F3ED}',
    '\\ud83c\\udfed',
    '^\\ud83c\\udfed$',
    '🏭{2}',
    '^[🏭]$',
    '\\p{L}',
    '\\p{Letter}',
    '\\P{Letter}',
    '\\p{Lu}',
    '\\p{Uppercase_Letter}',
    '\\p{General_Category=Decimal_Number}',
    '\\p{gc=Nd}',
    '\\p{Script=Greek}',
    '\\p{sc=Han}',
    '[\\p{L}\\p{N}_-]',
    '\\p{Sc}',
    '(?<year>a)b',
    '(?:a|b)c',
    '(a)|(b)',
    'a{2}',
    'a{2,}',
    'a{1,2}?',
    'a*?b',
    '^$',
    '\\/',
    '/',
    '\\^\\$\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\\\',
    ' ',
    '^\\d{1,3}(?:,\\d{3})*$',
    '$^',
    'a$',
    '\\n',
  ])('%s', (source) => {
    const expected = new RegExp(source, 'u');
    for (const text of texts) expect([text, matches(source, text)]).toEqual([text, expected.test(text)]);
  });

  test('for patterns of random pieces', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\s',
      '\\w',
      '\\S',
      '[a-b]',
      '[^a]',
      '(?:',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '^',
      '$',
      '\\b',
      '-',
      '\\-',
      '\\/',
      '🏭',
      '\\p{L}',
      '[\\w-]',
    );
    const text = fc
      .array(fc.constantFrom('a', 'b', '1', ' ', '\n', '-', '/', '🏭', 'é', '\u2028'), { maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(text, { minLength: 1, maxLength: 5 }),
        (pieces, inputs) => {
          const source = pieces.join('');
          const compiled = compilePattern(source);
          let expected: RegExp;
          try {
            expected = new RegExp(source, 'u');
          } catch {
            expect(compiled.ok).toBe(false);
            return;
          }
          if (compiled.ok)
            for (const input of inputs)
              expect([source, input, compiled.test(input)]).toEqual([source, input, expected.test(input)]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('refused patterns', () => {
  test.each([
    ['(?=a)', 'looks ahead or behind'],
    ['(?!a)', 'looks ahead or behind'],
    ['(?<=a)b', 'looks ahead or behind'],
    ['(?<!a)b', 'looks ahead or behind'],
    ['(a)\\1', 'refers back'],
    ['(?<n>a)\\k<n>', 'refers back'],
    ['a{1001}', '1000 times'],
    ['a{2,5000}', '1000 times'],
    ['\\p{Emoji}', '\\p{Emoji}'],
    ['\\p{Script_Extensions=Greek}', '\\p{Script_Extensions=Greek}'],
    ['a'.repeat(10_001), '10000 characters'],
    ['((a{100}){100}){100}', 'without backtracking'],
  ])('%.20s', (source, words) => {
    const compiled = compilePattern(source);
    expect(compiled).toMatchObject({
      ok: false,
      reason: 'unsupported',
      message: expect.stringContaining(words),
    });
  });
  test.each([
    '[',
    '(',
    ')',
    '*',
    'a**',
    '[b-a]',
    '\\-',
    '{',
    ']',
    '\\q',
    '\\u{110000}',
    '(?<n>a)(?<n>b)',
    '\\p{Nonsense}',
    '('.repeat(9_000),
  ])('%.20s is no pattern', (source) => {
    expect(compilePattern(source)).toMatchObject({ ok: false, reason: 'invalid' });
  });
});

describe('a pattern that would backtrack', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '(x+x+)+y'])('%s ends on a long text', (source) => {
    expect(matches(source, `${'a'.repeat(20_000)}!`)).toBe(false);
  });
});

describe('as ajv’s engine', () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, code: { regExp: safeRegExp } });

  test('patterns are not mixed up', () => {
    const validate = ajv.compile({
      properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } },
      patternProperties: { '^c': { type: 'number' }, '^d': { type: 'string' } },
    });
    expect(validate({ a: 'a', b: 'b', c1: 1, d1: 'x' })).toBe(true);
    expect(validate({ b: 'a' })).toBe(false);
    expect(validate({ c1: 'x' })).toBe(false);
    expect(validate({ d1: 1 })).toBe(false);
  });
  test('a refused pattern throws', () => {
    expect(() => ajv.compile({ pattern: '(?=a)' })).toThrow(SyntaxError);
  });
});

describe('the size of a pattern', () => {
  test.each([
    ['', 0],
    ['^abc$', 5],
    ['[a-z\\]]+', 3],
    ['a{3}', 3],
    ['(ab){3}c', 10],
    ['((a{10}){10}){10}', 1_110],
    ['a{2,}b{2,5}', 7],
    ['\\p{L}', 22],
    ['\\{9{', 2],
    ['((', 0],
    [')', 1],
  ])('%s is about %i', (source, size) => expect(patternSize(source)).toBe(size));

  test('is limited', () => {
    expect(compilePattern('a{1000}'.repeat(20)).ok).toBe(true);
    expect(compilePattern('a{1000}'.repeat(21))).toMatchObject({
      ok: false,
      reason: 'unsupported',
      message: expect.stringContaining('repeats too much'),
    });
  });
});
