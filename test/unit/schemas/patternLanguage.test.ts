/** What is told of a pattern's texts without running it, checked against the engine. */
import { describe, expect, test } from 'vitest';
import { findBacktracking } from '../../../schemas/text/patternBacktracking';
import { patternLanguage } from '../../../schemas/text/patternLanguage';
import { compilePattern } from '../../../schemas/text/safePattern';

describe('the texts of a pattern', () => {
  test.each([
    ['^shelf_(0|[1-9][0-9]?|[1-4][0-9]{2})$', 9, 500],
    ['^(a|b)(a|b)?$', 2, 6],
    ['^x$', 1, 1],
    ['^$', 0, 1],
    ['^a{2,4}$', 4, 3],
    ['^[0-9a-f]$', 1, 16],
    ['^(?:yes|no)$', 3, 2],
    ['^(?<name>a|b)$|^c$', 1, 3],
    ['^\\u{1F600}\\x41\\n\\.$', 4, 1],
    ['^[^\\s\\S]?$', 1, 1],
    ['^[\\w-]$', 1, 64],
  ])('%s', (source, maxLength, count) => {
    const language = patternLanguage(source);
    expect(language?.maxLength).toBe(maxLength);
    const texts = language?.texts();
    expect(texts?.length).toBe(count);
    const pattern = compilePattern(source);
    for (const text of texts ?? []) expect(pattern.ok && pattern.test(text), text).toBe(true);
  });

  test.each([['a'], ['^a'], ['a$'], ['^a|b$'], ['^(a$|b)'], ['('], ['^(a)\\1$'], ['^(?=a)b']])(
    'nothing of the whole text is told by %s',
    (source) => {
      expect(patternLanguage(source)).toBeUndefined();
    },
  );

  test.each([['^a*$'], ['^[^"]+$'], ['^(ab)+$'], ['^.{1,2000}$'], ['^\\p{L}$']])(
    'those of %s are not written out',
    (source) => {
      expect(patternLanguage(source)?.texts()).toBeUndefined();
    },
  );

  test.each([
    ['^item_(0|[1-9][0-9]*)$', 24],
    ['^[a-z]{2}(-[A-Z]{2})?$', 5],
    ['^(\\d{3}-){2}\\d{4}$', 12],
    ['^(short|a longer one)$', 12],
    ['^[\\p{L} ]*$', 7],
  ])('a sample of %s fits it', (source, length) => {
    const sample = patternLanguage(source)?.sample(length) ?? '';
    expect([...sample]).toHaveLength(length);
    const pattern = compilePattern(source);
    expect(pattern.ok && pattern.test(sample), sample).toBe(true);
  });
});

test('the part that backtracks is named', () => {
  const source = '^id: (\\w+\\s?)*;$';
  const part = findBacktracking(source);
  expect(part && source.slice(part.start, part.end)).toBe('(\\w+\\s?)*');
  expect(findBacktracking('^id: (\\w+;)*$')).toBeUndefined();
});
