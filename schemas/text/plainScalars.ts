/** The scalars and keys of plain YAML: where they begin and end in a line, and what they mean. */
import { CST } from 'yaml';
import type { JsonValue } from '../json/jsonValue';

/** A key, and the offset behind its colon, in the text. */
export interface PlainKey {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly behind: number;
}

/** Keys over this length may be too long for YAML (1.2.2, 7.4.2: 1,024 characters with what is around them). */
const maxKeyLength = 900;

export const space = 0x20;
export const hash = 0x23;
const doubleQuote = 0x22;
const singleQuote = 0x27;
export const dash = 0x2d;
const colon = 0x3a;
const backslash = 0x5c;

/** What no plain scalar begins with, or only where something else follows (YAML 1.2.2, 5.3); a dash may. */
const indicators = codesOf('?:,[]{}#&*!|>\'"%@`');
const flowIndicators = codesOf(',[]{}');

function codesOf(marks: string): ReadonlySet<number> {
  return new Set([...marks].map((mark) => mark.charCodeAt(0)));
}

/** YAML's white space and line ends (YAML 1.2, 5.4 and 5.5); collections end behind theirs. */
export function isBlank(code: number): boolean {
  return code === space || code === 0x0a || code === 0x0d || code === 0x09;
}

export function isQuote(code: number): boolean {
  return code === doubleQuote || code === singleQuote;
}

/** The offset of the first character from `offset` on that is no space; tabs are no indentation (YAML 1.2, 6.1). */
export function behindSpaces(text: string, offset: number): number {
  let at = offset;
  while (text.charCodeAt(at) === space) at++;
  return at;
}

/** The end of what stands between two offsets, blanks at its end left out. */
export function withoutBlanks(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** True at the colon that ends a key in a line. */
export function isKeyMark(text: string, offset: number, lineEnd: number): boolean {
  return offset < lineEnd && text.charCodeAt(offset) === colon && isSpaceOrEnd(text, offset + 1, lineEnd);
}

/** True at the dash of a list's item in a line. */
export function isItemMark(text: string, offset: number, lineEnd: number): boolean {
  return offset < lineEnd && text.charCodeAt(offset) === dash && isSpaceOrEnd(text, offset + 1, lineEnd);
}

function isSpaceOrEnd(text: string, offset: number, lineEnd: number): boolean {
  return offset === lineEnd || text.charCodeAt(offset) === space;
}

/** True where a line of a plain scalar would begin a map. */
export function holdsKeyMark(line: string): boolean {
  return line.includes(': ') || line.endsWith(':');
}

/** True for what a plain scalar may begin with, between brackets too. */
export function beginsPlain(text: string, offset: number, lineEnd: number): boolean {
  if (offset >= lineEnd) return false;
  const first = text.charCodeAt(offset);
  if (first !== dash) return !indicators.has(first);
  return !isSpaceOrEnd(text, offset + 1, lineEnd) && !flowIndicators.has(text.charCodeAt(offset + 1));
}

/** The end of a plain scalar between brackets; undefined where it isn't certain. */
export function flowPlainEnd(text: string, start: number, lineEnd: number): number | undefined {
  if (!beginsPlain(text, start, lineEnd)) return undefined;
  let at = start;
  for (; at < lineEnd && !isKeyMark(text, at, lineEnd); at++) {
    const code = text.charCodeAt(at);
    if (flowIndicators.has(code)) break;
    // Where they end a scalar depends on what is around them.
    if (code === hash || (code === colon && flowIndicators.has(text.charCodeAt(at + 1)))) return undefined;
  }
  return withoutBlanks(text, start, at);
}

/** The name of an anchor of letters and digits of ASCII, `_` and `-`; empty for others. */
export function anchorName(text: string, start: number, lineEnd: number): string {
  let end = start;
  while (end < lineEnd && isNamePart(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

function isNamePart(code: number): boolean {
  const letter = code | 0x20; // in lower case
  return (
    (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === dash
  );
}

/** A key that isn't quoted; undefined for what it takes `yaml` to read. */
export function plainKey(text: string, start: number, end: number, behind: number): PlainKey | undefined {
  const name = text.slice(start, end);
  // Merge keys are reported.
  if (name.length > maxKeyLength || name === '<<' || name.includes(' #')) return undefined;
  return { name, start, end, behind };
}

/** A key in quotes, likewise. */
export function quotedKey(text: string, start: number, end: number, behind: number): PlainKey | undefined {
  if (end - start > maxKeyLength) return undefined;
  const name = quotedText(text.slice(start, end));
  return name === undefined ? undefined : { name, start, end, behind };
}

/** The offset behind the quotation mark that closes the one at `start`; undefined where there is none. */
export function quotedEnd(text: string, start: number): number | undefined {
  const mark = text.charCodeAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash && mark === doubleQuote) at++;
    else if (code !== mark) continue;
    // In single quotes, two of them are one.
    else if (mark === singleQuote && text.charCodeAt(at + 1) === mark) at++;
    else return at + 1;
  }
  return undefined;
}

/** The text of a scalar in quotes, which are part of `source`; undefined where it has a mistake. */
export function quotedText(source: string): string | undefined {
  const isSingle = source.charCodeAt(0) === singleQuote;
  const inside = source.slice(1, -1);
  if (!inside.includes(isSingle ? "'" : '\\') && !inside.includes('\n')) return inside;
  return resolvedText({ type: isSingle ? 'single-quoted-scalar' : 'double-quoted-scalar', source });
}

const words: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

/** What the core schema takes for a number (YAML 1.2.2, 10.3.2). */
const coreNumber =
  /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const plainNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** A plain scalar's value by the core schema; undefined for numbers that are written in any but the plainest way. */
export function plainValue(source: string): JsonValue | undefined {
  const word = words.get(source);
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  // Digits, and + - . that numbers begin with.
  if ((first < 0x30 || first > 0x39) && first !== 0x2b && first !== 0x2d && first !== 0x2e) return source;
  if (plainNumber.test(source)) return Number(source);
  return coreNumber.test(source) ? undefined : source;
}

/** A scalar over several lines, or with escapes; `header` is what stands in the line before a block scalar. */
export type IntricateScalar =
  | { readonly type: 'scalar' | 'single-quoted-scalar' | 'double-quoted-scalar'; readonly source: string }
  | { readonly type: 'block-scalar'; readonly header: string; readonly source: string };

/** A scalar's text as `yaml` reads it; undefined where it finds a mistake. Where a scalar stands has no effect on it. */
export function resolvedText(scalar: IntricateScalar): string | undefined {
  const place = { offset: 0, indent: 0 };
  let isWrong = false;
  const resolved = CST.resolveAsScalar(
    scalar.type === 'block-scalar'
      ? {
          type: scalar.type,
          ...place,
          props: [
            { type: 'block-scalar-header', ...place, source: scalar.header },
            { type: 'newline', ...place, source: '\n' },
          ],
          source: scalar.source,
        }
      : { ...scalar, ...place },
    true,
    () => {
      isWrong = true;
    },
  );
  return isWrong || resolved === null ? undefined : resolved.value;
}
