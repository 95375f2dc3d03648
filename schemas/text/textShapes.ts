/** What the texts at one place have in common: a format, or letters around numbers, such as `shelf_7` and `shelf_12`. */

/** A rule that all the texts keep. */
export type TextShape =
  | { readonly kind: 'format'; readonly format: string; readonly maxLength: number }
  | { readonly kind: 'pattern'; readonly pattern: string; readonly maxLength: number };

/** Formats that are recognised, stricter than the validator takes them, each with its longest text. */
const formats: readonly {
  readonly format: string;
  readonly maxLength: number | undefined;
  matches(text: string): boolean;
}[] = [
  { format: 'date', maxLength: 10, matches: isDate },
  {
    format: 'date-time',
    maxLength: 35,
    matches: (text) => {
      const parts =
        /^(\d{4}-\d{2}-\d{2})T(\d{2}):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?(?:Z|[+-]([01]\d):[0-5]\d)$/.exec(
          text,
        );
      return parts !== null && isDate(parts[1] ?? '') && Number(parts[2]) < 24;
    },
  },
  {
    format: 'uuid',
    maxLength: 36,
    matches: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  },
  {
    format: 'email',
    maxLength: undefined,
    matches: (text) =>
      text.length < 200 &&
      /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+$/i.test(text),
  },
  {
    format: 'uri',
    maxLength: undefined,
    matches: (text) =>
      /^https?:\/\/[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d{1,5})?(?:\/[a-z0-9._~/-]*)?$/i.test(text),
  },
];

/** How long a text may be of which a pattern is made. */
const maxPatterned = 100;

/**
 * The shape of several texts; undefined where they have none in common. Bounds leave room beyond what was seen.
 *
 * @param texts distinct; a pattern is made of two or more, a format is seen in one
 */
export function shapeOf(texts: readonly string[]): TextShape | undefined {
  if (texts.length === 0) return undefined;
  const longest = texts.reduce((length, text) => Math.max(length, text.length), 0);
  for (const { format, maxLength, matches } of formats) {
    if (texts.every(matches))
      return { kind: 'format', format, maxLength: maxLength ?? roundedUp(longest * 2) };
  }
  return texts.length < 2 || longest > maxPatterned ? undefined : numbered(texts);
}

/** The smallest of 10, 20, 50, 100, 200, … that is at least `count`. */
export function roundedUp(count: number): number {
  for (let decade = 10; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (decade * factor >= count) return decade * factor;
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** `shelf_7` and `shelf_12` as `^shelf_[0-9]{1,3}$`. */
function numbered(texts: readonly string[]): TextShape | undefined {
  const split = texts.map((text) => text.split(/(\d+)/));
  const [first = []] = split;
  // Of the pieces, those at odd places are the numbers.
  if (first.length < 3 || first.length > 15) return undefined;
  let pattern = '';
  let maxLength = 0;
  if (split.some((pieces) => pieces.length !== first.length)) return undefined;
  for (const [place, piece] of first.entries()) {
    const pieces = split.map((all) => all[place] ?? '');
    if (place % 2 === 0) {
      if (!/^[\x20-\x7e]*$/.test(piece) || pieces.some((other) => other !== piece)) return undefined;
      pattern += piece.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      maxLength += piece.length;
    } else {
      const digits = digitsOf(pieces);
      pattern += digits.pattern;
      maxLength += digits.maxLength;
    }
  }
  return { kind: 'pattern', pattern: `^${pattern}$`, maxLength };
}

/** Numbers with leading zeros keep their width; others may get a digit more. */
function digitsOf(numbers: readonly string[]): { readonly pattern: string; readonly maxLength: number } {
  let [longest, shortest] = [0, Number.POSITIVE_INFINITY];
  for (const { length } of numbers) {
    longest = Math.max(longest, length);
    shortest = Math.min(shortest, length);
  }
  if (longest === shortest && numbers.some((text) => longest > 1 && text.startsWith('0'))) {
    return { pattern: `[0-9]{${longest}}`, maxLength: longest };
  }
  return { pattern: `[0-9]{1,${longest + 1}}`, maxLength: longest + 1 };
}
