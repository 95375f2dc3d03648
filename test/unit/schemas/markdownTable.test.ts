/** Tables that are read as text, and as Markdown. */
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { markdownTable } from '../../../schemas/text/markdownTable';

describe('markdownTable', () => {
  it('makes columns as wide as their cells, and no narrower than Markdown wants', () => {
    expect(markdownTable(['a', 'longer'], [['x'.repeat(5), 'y']])).toEqual([
      '| a     | longer |',
      '| ----- | ------ |',
      '| xxxxx | y      |',
    ]);
    expect(markdownTable(['', 'b'], [])).toEqual(['|     | b   |', '| --- | --- |']);
  });

  it('lets one long cell leave a column that has a limit', () => {
    expect(markdownTable(['a', 'b'], [['x'.repeat(9), 'y']], { widest: 4 })).toEqual([
      '| a    | b   |',
      '| ---- | --- |',
      `| ${'x'.repeat(9)} | y   |`,
    ]);
  });

  it('is a table to readers of Markdown', () => {
    const html = new MarkdownIt().render(markdownTable(['a', 'b'], [['1', '2']]).join('\n'));
    expect(html).toContain('<td>2</td>');
  });

  it('takes very many rows', () => {
    const rows = Array.from({ length: 200_000 }, () => ['1', '2']);
    expect(markdownTable(['a', 'b'], rows)).toHaveLength(rows.length + 2);
  });
});
