/** The tokens of JSON (RFC 8259), strictly: what JSON.parse would refuse is a `fault` with its place. */

type Punctuation = '{' | '}' | '[' | ']' | ':' | ',';

/** A token from `start` to `end`, in UTF-16 offsets. `literal` is true, false or null; `end` is the end of the text. */
export type JsonToken =
  | {
      readonly type: Punctuation | 'string' | 'number' | 'literal' | 'end';
      readonly start: number;
      readonly end: number;
    }
  /** `start` is the offending character. */
  | { readonly type: 'fault'; readonly message: string; readonly start: number; readonly end: number };

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A number with everything that looks as if it belonged to it. */
const numberLikePattern = /[-+.\w]+/y;
const wordPattern = /[\p{L}_$][\p{L}\p{N}_$]*/uy;

/** The token that starts at `offset` or behind the white space there. */
export function tokenAt(text: string, offset: number): JsonToken {
  let start = offset;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start++;
  const character = text[start];
  switch (character) {
    case undefined:
      return { type: 'end', start, end: start };
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
      return { type: character, start, end: start + 1 };
    case '"':
      return stringAt(text, start);
  }
  if (character === '-' || (character >= '0' && character <= '9')) return numberAt(text, start);
  for (const literal of ['true', 'false', 'null']) {
    if (matchEnd(wordPattern, text, start) === start + literal.length && text.startsWith(literal, start)) {
      return { type: 'literal', start, end: start + literal.length };
    }
  }
  return fault(start, describeStray(text, start, character));
}

function stringAt(text: string, start: number): JsonToken {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return { type: 'string', start, end: at + 1 };
    if (code === 0x0a || code === 0x0d) return fault(at, 'a string is not closed before the end of its line');
    if (code < 0x20) return fault(at, 'a control character inside a string has to be escaped');
    if (code === 0x5c) {
      const sequence = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.exec(text.slice(at + 1, at + 6));
      if (sequence === null) return fault(at, 'a string contains an unknown escape');
      at += sequence[0].length;
    }
  }
  return fault(start, 'a string is not closed');
}

function numberAt(text: string, start: number): JsonToken {
  const end = matchEnd(numberPattern, text, start);
  const likeEnd = matchEnd(numberLikePattern, text, start) ?? start + 1;
  if (end === undefined) return fault(start, 'a minus sign without a number');
  if (likeEnd > end)
    return fault(
      end,
      text[start] === '0' && end === start + 1 && /\d/.test(text[end] ?? '')
        ? 'a number may not start with 0'
        : 'a number is malformed',
    );
  return { type: 'number', start, end };
}

function describeStray(text: string, start: number, character: string): string {
  if (character === "'") return 'strings stand in double quotes, not in single ones';
  if (text.startsWith('//', start) || text.startsWith('/*', start)) return 'JSON has no comments';
  const end = matchEnd(wordPattern, text, start);
  if (end !== undefined)
    return `${JSON.stringify(text.slice(start, Math.min(end, start + 24)))} is not a JSON value`;
  const code = text.codePointAt(start) ?? 0;
  return code > 0x20 && code < 0x7f
    ? `${JSON.stringify(character)} cannot stand here`
    : `the character U+${code.toString(16).toUpperCase().padStart(4, '0')} cannot stand here`;
}

function matchEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function fault(start: number, message: string): JsonToken {
  return { type: 'fault', message, start, end: start };
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
