/** Line ends, byte order marks and blank lines of plain texts. */

const byteOrderMark = '\uFEFF';

/** The text with LF line ends and without a byte order mark at its start. */
export function normalizeText(text: string): string {
  return (text.startsWith(byteOrderMark) ? text.slice(1) : text).replace(/\r\n?/g, '\n');
}

/** A text with LF line ends without the blank lines around it; the first line keeps its indentation. */
export function trimBlankLines(text: string): string {
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end === -1 || text.slice(start, end).trim() !== '') break;
    start = end + 1;
  }
  if (text.slice(start).trim() === '') return '';
  let end = text.length;
  for (;;) {
    const lineStart = text.lastIndexOf('\n', end - 1);
    if (lineStart < start || text.slice(lineStart + 1, end).trim() !== '') break;
    end = lineStart;
  }
  return text.slice(start, end);
}

/** How many characters a text has as JSON Schema counts them: Unicode code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const high = text.charCodeAt(index);
    if (high < 0xd800 || high > 0xdbff) continue;
    const low = text.charCodeAt(index + 1);
    if (low >= 0xdc00 && low <= 0xdfff) {
      count--;
      index++;
    }
  }
  return count;
}
