/**
 * Where the cursor is in a YAML or JSON text that is being typed. Read from the lines around it and not from a parse:
 * what is half typed doesn't parse, and a long document must not be read anew for every key.
 */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { maxSourceDepth } from '../../../schemas/text/sourceTree';
import { flowCursor } from './flowCursor';
import { yamlCursor } from './yamlCursor';
import { quoted, yamlScalarText } from './yamlScalar';

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
  /** Where those siblings begin, in the same order. */
  readonly siblingStarts: readonly number[];
  /** Where the keys and items of `path` begin, in the same order. */
  readonly pathStarts: readonly number[];
  readonly style: 'block' | 'flow' | 'json';
  /** The whole indentation of lines below a key that is written here (`insertTextMode` has to be `asIs`). */
  readonly childIndent: string;
  /** True where a colon follows the key already. */
  readonly hasColon: boolean;
  /** For a key in block style: true where the lines below are inside of it already. */
  readonly hasChildren: boolean;
  /** True where a key may begin here as well as a scalar, as behind `- ` or on an empty line below `key:`. */
  readonly keyOrValue: boolean;
  /** True right behind a YAML `key:`, where a value needs a space first; {@link valueText} puts it. */
  readonly needsSpace: boolean;
  /** True where another entry follows without a comma between, in flow style and JSON: what is new has to end with one. */
  readonly needsComma: boolean;
}

/** True in front of a key that is there already: nothing has been begun there, and another key would take its place. */
export function isBeforeKey({ part, hasColon, replace }: Cursor, offset: number): boolean {
  return part === 'key' && hasColon && replace.start === offset && replace.end > offset;
}

/** A part of a text: offsets, `end` excluded. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/**
 * The cursor at an offset; undefined in comments, in block scalars, and where neither key nor value can stand.
 * `part` is the part of the text that holds the document; offsets are of the whole text all the same.
 */
export function cursorAt(
  text: string,
  offset: number,
  format: 'yaml' | 'json',
  part?: TextPart,
): Cursor | undefined {
  if (part !== undefined) {
    if (offset < part.start || offset > part.end) return undefined;
    const cursor = cursorAt(text.slice(part.start, part.end), offset - part.start, format);
    if (cursor === undefined) return undefined;
    const { start, end } = cursor.replace;
    return {
      ...cursor,
      replace: { start: start + part.start, end: end + part.start },
      siblingStarts: cursor.siblingStarts.map((sibling) => sibling + part.start),
      pathStarts: cursor.pathStarts.map((token) => token + part.start),
    };
  }
  const plain = withoutCarriageReturns(text);
  if (format === 'yaml') {
    const cursor = yamlCursor(plain, offset);
    // What no reader takes is not completed.
    return cursor !== undefined && cursor.path.length > maxSourceDepth ? undefined : cursor;
  }
  return flowCursor(plain, {
    start: plain.startsWith('\uFEFF') ? 1 : 0,
    offset,
    format,
    base: [],
    baseStarts: [],
  });
}

/** A text of the same length in which every line ends with a line feed. */
function withoutCarriageReturns(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', ' \n').replaceAll('\r', '\n') : text;
}

/** A key as it has to be written at the cursor, with its colon where none follows. */
export function keyText(cursor: Cursor, key: string): string {
  const colon = cursor.hasColon ? '' : ': ';
  return (cursor.style === 'json' ? JSON.stringify(key) : scalarText(cursor, key)) + colon;
}

/** A value as it has to be written at the cursor, on one line. */
export function valueText(cursor: Cursor, value: JsonValue): string {
  const space = cursor.needsSpace ? ' ' : '';
  if (cursor.style === 'json') return space + jsonText(value);
  return space + (typeof value === 'string' ? scalarText(cursor, value) : flowText(value));
}

function scalarText(cursor: Cursor, text: string): string {
  return cursor.quote === undefined
    ? yamlScalarText(text, cursor.style === 'flow')
    : quoted(text, cursor.quote);
}

function flowText(value: JsonValue): string {
  if (typeof value === 'string') return yamlScalarText(value, true);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${yamlScalarText(key, true)}: ${flowText(item)}`,
  );
  return `{${entries.join(', ')}}`;
}

function jsonText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item)}`);
  return `{${entries.join(', ')}}`;
}
