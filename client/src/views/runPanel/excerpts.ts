/** Texts of models, environments and traces as the page gets them: their beginning, without characters that steer. */
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import type { Excerpt } from '../../../../schemas/messages/runPanelMessages';
import { printable, printableLine } from '../../../../schemas/text/printable';

/** UTF-16 units of a text of several lines, of a value in a line, and of a name. */
export const excerptLengths = { text: 2_000, value: 300, name: 160 } as const;

/** The beginning of a text; line ends stay. */
export function textExcerpt(text: string): Excerpt {
  return cut(text, excerptLengths.text, printable);
}

/** The beginning of a name, a pointer or a message, in one line. */
export function lineExcerpt(text: string, limit: number = excerptLengths.name): Excerpt {
  return cut(text, limit, printableLine);
}

/** The beginning of a text for people in one line: line ends and blanks in a row become one blank. */
export function proseExcerpt(text: string, limit: number = excerptLengths.value): Excerpt {
  const beginning = text
    .slice(0, 2 * limit)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text.length <= 2 * limit) return lineExcerpt(beginning, limit);
  const { text: shown } = lineExcerpt(beginning, limit);
  return { text: shown, characters: Math.max(text.length, shown.length + 1) };
}

/** A JSON value in one line. */
export function valueExcerpt(value: JsonValue): Excerpt {
  return cut(JSON.stringify(value), excerptLengths.value, printableLine);
}

/** The length is that of the whole text as it is shown, or more than the excerpt's where something is left out. */
function cut(text: string, limit: number, shown: (text: string) => string): Excerpt {
  if (text.length <= limit) {
    const whole = shown(text);
    return { text: whole, characters: whole.length };
  }
  const last = text.charCodeAt(limit - 1);
  const beginning = shown(text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit));
  return { text: beginning, characters: Math.max(text.length, beginning.length + 1) };
}
