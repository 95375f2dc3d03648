/** What was thrown, as text for those who mend this program. */

/** The most characters of a text. */
const longest = 4_000;

/** The stack of an error, and of what caused it. Other properties are left out, which may be requests with their keys. */
export function stackText(error: unknown): string {
  const parts: string[] = [];
  const told = new Set<unknown>();
  for (let at = error; at !== undefined && !told.has(at); at = at instanceof Error ? at.cause : undefined) {
    told.add(at);
    parts.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : String(at));
  }
  const text = parts.join('\ncaused by ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
