/** Scalars of YAML and JSON as they are written: where each character of their text stands, and how to write another. */
import type { SourceNode } from '../../../../schemas/text/sourceTree';
import { quoted, yamlScalarText } from '../yamlScalar';
import type { TextSpan } from './codeSpans';

/** A scalar's text with the place of each of its characters. */
export interface ScalarText {
  /** What the scalar says; of one over several lines, the lines as they are written. */
  readonly text: string;
  /** The place in the file of a part of the text. */
  placeOf(start: number, end: number): TextSpan;
  /** A text as it is written inside of this scalar, between its quotes if it has some. */
  written(part: string): string;
}

/** Reads the scalar that stands at a node of a file. */
export function scalarTextOf(file: string, { start, end }: Pick<SourceNode, 'start' | 'end'>): ScalarText {
  const raw = file.slice(start, end);
  const [first] = raw;
  if (raw.length > 1 && first === '"' && raw.endsWith('"')) {
    const { text, offsets } = unescaped(raw, /\\(?:u[\da-f]{4}|x[\da-f]{2}|U[\da-f]{8}|.)/iy, doubleEscape);
    return textAt(
      text,
      (offset) => start + (offsets[offset] ?? raw.length - 1),
      (part) => JSON.stringify(part).slice(1, -1),
    );
  }
  if (raw.length > 1 && first === "'" && raw.endsWith("'")) {
    const { text, offsets } = unescaped(raw, /''/y, () => "'");
    return textAt(
      text,
      (offset) => start + (offsets[offset] ?? raw.length - 1),
      (part) => part.replaceAll("'", "''"),
    );
  }
  return textAt(
    raw,
    (offset) => start + offset,
    (part) => part,
  );
}

function textAt(
  text: string,
  place: (offset: number) => number,
  written: (part: string) => string,
): ScalarText {
  return {
    text,
    placeOf: (start, end) => ({ start: place(start), end: place(end) }),
    written,
  };
}

/** The text between the quotes, with the offset of each of its UTF-16 units and of its end. */
function unescaped(
  raw: string,
  pattern: RegExp,
  meaning: (written: string) => string,
): { readonly text: string; readonly offsets: readonly number[] } {
  let text = '';
  const offsets: number[] = [];
  let at = 1;
  while (at < raw.length - 1) {
    pattern.lastIndex = at;
    const found = pattern.exec(raw)?.[0];
    const part = found === undefined ? (raw[at] ?? '') : meaning(found);
    for (let unit = 0; unit < part.length; unit++) offsets.push(at);
    text += part;
    at += found?.length ?? 1;
  }
  offsets.push(raw.length - 1);
  return { text, offsets };
}

const plainEscapes: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\r', '\r'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

function doubleEscape(written: string): string {
  const code = /^\\[uxU]([\da-f]+)$/i.exec(written)?.[1];
  if (code !== undefined) {
    const point = Number.parseInt(code, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
  }
  return plainEscapes.get(written) ?? written.slice(1);
}

/** How a whole scalar, a key or a value, is written that stood there as `old`: in the same quotes, plain where it can be. */
export function rewrittenScalar(old: string, text: string, format: 'yaml' | 'json'): string {
  if (format === 'json' || old.startsWith('"')) return JSON.stringify(text);
  if (old.startsWith("'")) return quoted(text, "'");
  return /^(?:y|n|yes|no|on|off)$/i.test(text) ? JSON.stringify(text) : yamlScalarText(text, true);
}
