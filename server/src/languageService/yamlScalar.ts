/** How a text is written as a YAML scalar on one line, so that the core schema (YAML 1.2, chapter 10.3) reads it back as that text. */

/** What the core schema resolves to null, a boolean or a number. */
const resolved =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Characters that a plain scalar doesn't begin with, or not without looking at the next one. */
const indicator = /^[-?:,[\]{}#&*!|>'"%@`]/;

/** A colon or a hash that ends a plain scalar. */
const ending = /:(?:[ \t]|$)|[ \t]#/;

/** Line ends, control characters and others that are read back otherwise or not at all. */
const unprintable = /[^\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** Plain where that is safe, quoted elsewhere. `inFlow`: inside of `{}` or `[]`. */
export function yamlScalarText(text: string, inFlow: boolean): string {
  return isPlain(text, inFlow) ? text : quoted(text, undefined);
}

function isPlain(text: string, inFlow: boolean): boolean {
  if (text === '' || text !== text.trim() || text === '<<' || text.startsWith('...')) return false;
  if (indicator.test(text) || ending.test(text) || unprintable.test(text) || resolved.test(text))
    return false;
  return !(inFlow && /[,[\]{}]/.test(text));
}

/** In the quotes that are asked for, or those which need no escapes. Single quotes can't hold unprintable characters. */
export function quoted(text: string, quote: '"' | "'" | undefined): string {
  const escapes = /["\\]/.test(text);
  if ((quote === "'" || (quote === undefined && escapes)) && !unprintable.test(text)) {
    return `'${text.replaceAll("'", "''")}'`;
  }
  return JSON.stringify(text);
}

/** The end of a quoted scalar that begins at `start`, behind its closing quote; undefined where it isn't closed before `limit`. */
export function quotedEnd(text: string, start: number, limit: number, onOneLine = false): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < limit; at++) {
    const character = text[at];
    if (onOneLine && character === '\n') return undefined;
    if (character === '\\' && quote === '"') at++;
    else if (character === quote) {
      if (quote === "'" && text[at + 1] === "'") at++;
      else return at + 1;
    }
  }
  return undefined;
}

/** What a scalar as written on one line stands for; a text in broken quotes is taken without them. */
export function unquoted(written: string): string {
  const [quote] = written;
  if (quote === "'") return written.replace(/^'|'$/g, '').replaceAll("''", "'");
  if (quote !== '"') return written;
  const inner = written.length > 1 && written.endsWith('"') ? written.slice(1, -1) : written.slice(1);
  return inner.includes('\\') ? inner.replace(escapes, resolveEscape) : inner;
}

/** An escape in double quotes (YAML 1.2.2, 5.7), which JSON's are among. */
const escapes = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^xuU]))/g;

const namedEscapes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    0: '\0',
    a: '\x07',
    b: '\b',
    t: '\t',
    n: '\n',
    v: '\v',
    f: '\f',
    r: '\r',
    e: '\x1b',
    N: '\x85',
    _: '\xa0',
    L: '\u2028',
    P: '\u2029',
  }),
);

function resolveEscape(written: string, x?: string, u?: string, long?: string, name = ''): string {
  const digits = x ?? u ?? long;
  if (digits === undefined) return namedEscapes.get(name) ?? name;
  const code = Number.parseInt(digits, 16);
  return code > 0x10ffff ? written : String.fromCodePoint(code);
}
