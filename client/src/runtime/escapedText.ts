/** What a text says once its escapes are read, as JSON and YAML have them, and where each of its units stands as it is written. */

/** A reading of a text. */
export interface EscapedReading {
  readonly text: string;
  /** Where a part of the reading is written, in UTF-16 offsets of the text as it stands; `start` is before `end`. */
  written(start: number, end: number): { readonly start: number; readonly end: number };
}

/** Texts in texts in texts: what is escaped more often is no text that anybody reads. */
const mostReadings = 4;

const escapePattern = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|(["\\/bfnrt]))/g;
const short: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** The text as it stands, then with its escapes read once, twice, … as long as something is escaped. */
export function* escapedReadings(text: string): Generator<EscapedReading> {
  let reading: EscapedReading = { text, written: (start, end) => ({ start, end }) };
  yield reading;
  for (let count = 0; count < mostReadings; count++) {
    const next = readOnce(reading);
    if (next === undefined) return;
    yield next;
    reading = next;
  }
}

/** Undefined where nothing is escaped. */
function readOnce(given: EscapedReading): EscapedReading | undefined {
  if (!given.text.includes('\\')) return undefined;
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;
  let from = 0;
  // Of each unit that is escaped, `starts` has where it is in the reading and where it is written, `ends` where that ends.
  const add = (meaning: string, start: number, end: number) => {
    parts.push(given.text.slice(from, start), meaning);
    length += start - from;
    for (let unit = 0; unit < meaning.length; unit++) {
      starts.push(length + unit, start);
      ends.push(end);
    }
    length += meaning.length;
    from = end;
  };
  for (const match of given.text.matchAll(escapePattern)) {
    const meaning = meaningOf(match);
    if (meaning !== undefined) add(meaning, match.index, match.index + match[0].length);
  }
  if (from === 0) return undefined;
  parts.push(given.text.slice(from));
  /** Where a unit of the reading stands in the text that was read. */
  const place = (unit: number): { readonly start: number; readonly end: number } => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[2 * middle] ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    const escapeStart = starts[2 * low - 2];
    const writtenStart = starts[2 * low - 1];
    const writtenEnd = ends[low - 1];
    if (escapeStart === undefined || writtenStart === undefined || writtenEnd === undefined)
      return { start: unit, end: unit + 1 };
    if (escapeStart === unit) return { start: writtenStart, end: writtenEnd };
    const start = writtenEnd + (unit - escapeStart - 1);
    return { start, end: start + 1 };
  };
  return {
    text: parts.join(''),
    written: (start, end) => given.written(place(start).start, place(end - 1).end),
  };
}

/** Undefined for a number that no character has. */
function meaningOf([, four, eight, two, character]: RegExpExecArray): string | undefined {
  const hexadecimal = four ?? eight ?? two;
  if (hexadecimal === undefined) return short.get(character ?? '') ?? character;
  const code = Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
