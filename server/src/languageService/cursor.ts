/**
 * Where the cursor is in a YAML or JSON text that is being typed. Read from the lines around it and not from a parse:
 * what is half typed doesn't parse, and a long document must not be read anew for every key.
 */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonValue } from '../../../schemas/json/jsonValue';

/** A place at which a key or a value can be written. */
export interface Cursor {
  /** Of the object that the key is in, or of the value itself: keys and indices from the root. */
  readonly path: JsonPath;
  readonly part: 'key' | 'value';
  /** What has been typed of it before the cursor, without quotation marks. */
  readonly typed: string;
  /** The offsets of the text that a completion replaces: the whole token that the cursor is in, with its quotes. */
  readonly replace: { readonly start: number; readonly end: number };
  /** The quotation mark that the token begins with. */
  readonly quote: '"' | "'" | undefined;
  /** For a key: the other keys of its object. For an item of an array: the other scalar items, as texts. */
  readonly siblings: readonly string[];
  readonly style: 'block' | 'flow' | 'json';
  /** The indentation of lines below a key that is written here, in block style. */
  readonly childIndent: string;
  /** True where a colon follows the key already. */
  readonly hasColon: boolean;
  /** True where a key may begin here as well as a scalar, as behind `- ` or on an empty line below `key:`. */
  readonly keyOrValue: boolean;
}

/** A part of a text: offsets, `end` excluded. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/** The cursor at an offset; undefined in comments, in block scalars, and where neither key nor value can stand. */
export function cursorAt(
  _text: string,
  _offset: number,
  _format: 'yaml' | 'json',
  _part?: TextPart,
): Cursor | undefined {
  return undefined;
}

/** A key as it has to be written at the cursor, with its colon where none follows. */
export function keyText(_cursor: Cursor, _key: string): string {
  return '';
}

/** A value as it has to be written at the cursor, on one line. */
export function valueText(_cursor: Cursor, _value: JsonValue): string {
  return '';
}
