import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeRelativePath } from '../../../schemas/skill/fileMentions';
import { characterCount, normalizeText, trimBlankLines } from '../../../schemas/text/plainText';
import { LineIndex } from '../../../schemas/text/position';

describe('plain text', () => {
  test('line ends become LF, and a byte order mark goes', () => {
    expect(normalizeText('\uFEFFa\r\nb\rc\n\r\n')).toBe('a\nb\nc\n\n');
  });
  test.each([
    ['\n \n  a\n\nb \n\t\n', '  a\n\nb '],
    ['a', 'a'],
    ['', ''],
    ['\n \n', ''],
    [' ', ''],
    ['a\n', 'a'],
    ['\na', 'a'],
  ])('%j without outer blank lines', (text, trimmed) => expect(trimBlankLines(text)).toBe(trimmed));
  test('trimming twice changes nothing more', () => {
    const text = fc.array(fc.constantFrom('a', ' ', '\n', '\t')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (any) => {
        const trimmed = trimBlankLines(any);
        expect(trimBlankLines(trimmed)).toBe(trimmed);
        expect(any).toContain(trimmed);
        expect(trimmed.trim()).toBe(any.trim());
      }),
    );
  });
  test('characters are code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(characterCount(text)).toBe([...text].length);
      }),
    );
    expect(characterCount('\ud83c\ud83c\udfed\udfed')).toBe(3);
  });
});

describe('positions', () => {
  test('go to offsets and back', () => {
    const text = fc.array(fc.constantFrom('a', '🏭', '\n', '\r', '\r\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(60), (any, offset) => {
        const lines = new LineIndex(any);
        const position = lines.positionAt(offset);
        expect(lines.offsetAt(position)).toBe(Math.min(offset, any.length));
        expect(position.line).toBeLessThan(lines.lineCount);
      }),
    );
  });
  test('outside the text are clamped', () => {
    const lines = new LineIndex('ab\ncd');
    expect(lines.offsetAt({ line: 9, character: 0 })).toBe(5);
    expect(lines.offsetAt({ line: -1, character: 0 })).toBe(0);
    expect(lines.offsetAt({ line: 0, character: 9 })).toBe(2);
    expect(new LineIndex('ab\r\ncd').offsetAt({ line: 0, character: 9 })).toBe(2);
    expect(lines.positionAt(99)).toEqual({ line: 1, character: 2 });
  });
});

describe('relative paths', () => {
  test.each([
    ['a.md', 'a.md'],
    ['./a/../b//c.md', 'b/c.md'],
    ['a/./b', 'a/b'],
    ['../a', undefined],
    ['a/../../b', undefined],
    ['/a', undefined],
    ['', undefined],
    ['.', undefined],
    ['a/', undefined],
    ['a\\b', undefined],
    ['C:/a', undefined],
    ['a\0', undefined],
  ])('%j', (path, normal) => expect(normalizeRelativePath(path)).toBe(normal));
});
