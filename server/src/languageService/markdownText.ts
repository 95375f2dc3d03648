/** Foreign text inside Markdown of ours, as hovers show it: it can neither format nor link nor run anything. */

const special = /[\\`*_{}[\]()<>#+\-.!|~&$:@=]/g;

/** A text as Markdown that shows just that text; line breaks stay line breaks. */
export function markdownEscaped(text: string): string {
  return text
    .trim()
    .split(/\r\n?|\n/)
    .map((line) => line.trim().replace(special, '\\$&'))
    .join('  \n');
}

/** A text as a code span on one line. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '` `';
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const gap = longest === 0 ? '' : ' ';
  return `${fence}${gap}${line}${gap}${fence}`;
}
