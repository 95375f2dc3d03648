/**
 * Text from a model, an environment, a skill or a trace as a terminal may show it: whoever wrote it must not be able to
 * move the cursor, recolour, retitle or reorder what the user sees.
 */

/** Control characters but tab and line feed, line separators, and marks that reorder text (Unicode TR 36). */
const controls = /(?![\t\n])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The text with every such character as JSON would escape it, so that JSON stays the same JSON. Line ends become LF. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(controls, escaped);
}

/** The same on one line: tabs and line feeds are escaped too. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
