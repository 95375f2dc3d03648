import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { codeSpan, markdownEscaped } from '../../../server/src/languageService/markdownText';

const rendered = (markdown: string) => new MarkdownIt({ linkify: true }).render(markdown).trim();

const asHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const hostile = [
  '![x](https://example.com/x.png)',
  '[x](command:x) and https://example.com, www.example.com, a@example.com',
  '<img src=x onerror=x> &lt; &#60;',
  '# a',
  '> a',
  '- a',
  '1. a',
  '1) a',
  '`a` ``b` *c* __d__ ~~e~~ \\*f\\*',
  '| a | b |',
  '```js',
];

describe('foreign text in Markdown', () => {
  it.each(hostile)('shows %j as it is', (text) => {
    expect(rendered(markdownEscaped(text))).toBe(`<p>${asHtml(text)}</p>`);
  });

  it.each(hostile)('shows %j as code', (text) => {
    expect(rendered(codeSpan(text))).toBe(`<p><code>${asHtml(text)}</code></p>`);
  });

  it.each(['===', '---', '***'])('takes no line above %s for a heading', (line) => {
    expect(rendered(markdownEscaped(`a\n${line}`))).toBe(`<p>a<br>\n${line}</p>`);
  });

  it('holds any number of backticks', () => {
    expect(codeSpan('` '.repeat(200_000)).slice(0, 4)).toBe('`` `');
  });
});
