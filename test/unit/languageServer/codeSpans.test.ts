import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { readProse } from '../../../server/src/languageService/symbols/codeSpans';

function spans(text: string): string[] {
  const { spans: found } = readProse(text, new LineIndex(text));
  for (const span of found) expect(text.slice(span.start, span.end)).toBe(span.text);
  return found.map((span) => span.text);
}

describe('code spans', () => {
  it.each([
    ['a `b` c `d`', ['b', 'd']],
    ['``a ` b``', ['a ` b']],
    ['` b ` and `  `', ['b']],
    ['`never closed', []],
    ['``two` one `x`', ['one']],
    ['an escaped \\`a` b`', ['b']],
    ['`a\\` b`', ['a\\']],
    ['<a title="`"> `b` </a>', ['b']],
    ['<https://e.org/`x> `b`', ['b']],
    ['text <!-- `a` --> `b`', ['b']],
    ['`Store <item>`', ['Store <item>']],
    ['# `a`\n\n- `b`\n  - `c`\n\n> `d`\n', ['a', 'b', 'c', 'd']],
    ['```\n`a`\n```\n\n    `b`\n\n<!--\n`c`\n-->\n\n`d`', ['d']],
    ['one `a\n\nb` two', []],
    ['one `a\nb` two', ['a\nb']],
    ['| x | y |\n|---|---|\n| `a` | `b \\| c` |\n| `d | e` |', ['a', 'b \\| c']],
    ['\uFEFFx `a`\r\ny `b`\rz `😀.c`', ['a', 'b', '😀.c']],
  ])('%j', (text, expected) => {
    expect(spans(text)).toEqual(expected);
  });

  it('keeps offsets in a part of a file', () => {
    const text = '---\nname: `x`\n---\na `b`\n';
    const { spans: found } = readProse(text, new LineIndex(text), text.indexOf('a `b`'));
    expect(found.map(({ start, outer }) => [start, outer.start, outer.end])).toEqual([
      [text.indexOf('b`'), text.indexOf('`b'), text.indexOf('`b') + 3],
    ]);
  });

  it('reads hostile backticks in one pass', () => {
    const rising = Array.from({ length: 2_000 }, (_, index) => '`'.repeat(index + 1)).join(' ');
    expect(spans(rising)).toEqual([]);
    expect(spans('`a` '.repeat(100_000))).toHaveLength(100_000);
    expect(spans(`x ${'<!-- `a` '.repeat(50_000)}`)).toHaveLength(50_000);
    expect(spans(`x ${'<a b="`" '.repeat(50_000)}`).length).toBeGreaterThan(0);
    expect(spans('\\`'.repeat(500_000))).toEqual([]);
  });

  it('reads rows of many cells', () => {
    const table = `| a | b |\n|---|---|\n${'| `c` '.repeat(150_000)}|\n`;
    expect(readProse(table, new LineIndex(table)).spans).toHaveLength(150_000);
  });

  it('leaves a text of 10 MB unread', () => {
    expect(spans('`a` b\n'.repeat(1_700_000))).toEqual([]);
  });
});
