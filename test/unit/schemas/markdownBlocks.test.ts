import { describe, expect, it } from 'vitest';
import { textBlocks } from '../../../schemas/skill/markdownBlocks';

describe('blocks of text', () => {
  it('have the definitions of links among them, by line', () => {
    const blocks = textBlocks('[a]: a.md\n\nText with [a].\n\n- [b]: b.md\n');
    expect(blocks.map(({ kind, startLine, content }) => [kind, startLine, content])).toEqual([
      ['definition', 0, '[a]: a.md'],
      ['paragraph', 2, 'Text with [a].'],
      ['definition', 4, '- [b]: b.md'],
    ]);
  });

  it('are as many as a text has', () => {
    const definitions = Array.from({ length: 130_000 }, (_, index) => `[${index}]: a\n`).join('');
    expect(textBlocks(definitions)).toHaveLength(130_000);
  });
});
