/** Texts as one word of a command that is pasted into a shell. */

/** Nothing is read in single quotes; a single quote itself is written outside them. */
export function posixLiteral(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In double quotes, as both of Windows' shells read a file's name, which has none of them in it. */
export function windowsLiteral(text: string): string {
  return /^[\w./\\:+-]+$/.test(text) ? text : `"${text}"`;
}
