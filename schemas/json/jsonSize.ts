/** How large values are as JSON without spaces, in UTF-8 bytes. */
import type { JsonValue } from './jsonValue';

/** The most that one code point takes in a JSON string: `\u0001`. */
export const maxCharacterSize = 6;

/** The bytes of a code point inside of a JSON string, as `JSON.stringify` writes it. */
export function jsonCharacterSize(codePoint: number): number {
  if (codePoint < 0x20) return codePoint >= 8 && codePoint <= 13 && codePoint !== 11 ? 2 : 6;
  if (codePoint === 0x22 || codePoint === 0x5c) return 2;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 6;
  return codePoint < 0x10000 ? 3 : 4;
}

/** The bytes of a string with its quotes. */
export function jsonStringSize(text: string): number {
  let size = 2;
  for (const character of text) size += jsonCharacterSize(character.codePointAt(0) ?? 0);
  return size;
}

/** The bytes of a value. Values of a source tree nest no deeper than it does. */
export function jsonSize(value: JsonValue): number {
  if (typeof value === 'string') return jsonStringSize(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.reduce<number>((sum, item) => sum + jsonSize(item) + 1, items.length === 0 ? 2 : 1);
  }
  const entries = Object.entries(value);
  return entries.reduce(
    (sum, [key, item]) => sum + jsonStringSize(key) + jsonSize(item) + 2,
    entries.length === 0 ? 2 : 1,
  );
}
