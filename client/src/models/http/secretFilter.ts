/** Keeps keys out of everything that is said, shown or recorded: each occurrence becomes `[key]`. */

/** What stands in a key's place. */
const hiddenKey = '[key]';

/** A key of so many characters is hidden in all texts. */
const shortestKey = 8;

/**
 * A shorter one, as local servers are given, could be a word of a reply: it is hidden only where an error says it back, and only as
 * a whole word. What is even shorter is no secret.
 */
const shortestWord = 4;

/** What is given for a key where a server wants none, in lower case. */
const placeholders: ReadonlySet<string> = new Set([
  'dummy',
  'empty',
  'local',
  'none',
  'null',
  'ollama',
  'test',
]);

export interface SecretFilter {
  /** Hides one more key from now on, also where it is percent-encoded, or stands in JSON or a web page, whatever is escaped there. */
  add(key: string): void;
  /** A text without the keys. */
  hide(text: string): string;
  /** A text of an error without the keys, also short ones. */
  hideInError(text: string): string;
  /** A copy of what was thrown and of its causes, without the keys. */
  hideError(error: unknown): unknown;
  /** The same as `hide` for a text that comes in pieces, which may break a key in two. */
  pieces(): SecretFilterPieces;
}

export interface SecretFilterPieces {
  /** Takes a piece, and gives what can be said already: an end that could be a key's beginning is kept back. */
  write(piece: string): string;
  /** The rest. */
  end(): string;
}

export function createSecretFilter(): SecretFilter {
  const secrets = new Set<string>();
  const keys = new Set<string>();
  const words = new Set<string>();
  let pattern: RegExp | undefined;
  let wordPattern: RegExp | undefined;
  let longest = 0;

  const hide = (text: string) => (pattern === undefined ? text : text.replace(pattern, hiddenKey));
  const hideInError = (text: string) =>
    wordPattern === undefined ? hide(text) : hide(text).replace(wordPattern, hiddenKey);

  /** Where the text's end begins that could go on as a key. */
  function openEnd(text: string): number {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start++) {
      const end = text.slice(start);
      for (const secret of secrets) if (secret.startsWith(end)) return start;
    }
    return text.length;
  }

  return {
    add(key) {
      if (key.length < shortestKey) {
        if (key.length < shortestWord || placeholders.has(key.toLowerCase())) return;
        for (const word of [key, encoded3986(key)]) words.add(word);
        wordPattern = new RegExp(`(?<![\\w-])(?:${[...words].map(literal).join('|')})(?![\\w-])`, 'g');
        return;
      }
      const encoded = encoded3986(key);
      const lowerCase = encoded.replaceAll(/%../g, (code) => code.toLowerCase());
      const inJson = JSON.stringify(key).slice(1, -1);
      // As some servers write JSON.
      const withSlashes = inJson.replaceAll('/', '\\/');
      for (const secret of [key, encoded, lowerCase, inJson, withSlashes]) secrets.add(secret);
      longest = Math.max(...[...secrets].map(({ length }) => length));
      keys.add(key);
      const longestFirst = [...keys].sort((a, b) => b.length - a.length);
      pattern = new RegExp(longestFirst.map(inAnyWriting).join('|'), 'g');
    },
    hide,
    hideInError,
    hideError: (error) => copyOf(error, hideInError, 0),
    pieces() {
      let kept = '';
      return {
        write(piece) {
          const text = hide(kept + piece);
          const end = openEnd(text);
          kept = text.slice(end);
          return text.slice(0, end);
        },
        end() {
          const rest = kept;
          kept = '';
          return rest;
        },
      };
    },
  };
}

/** So many causes are kept. */
const maxCauses = 5;

function copyOf(error: unknown, hide: (text: string) => string, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? hide(error) : undefined;
  const cause = depth < maxCauses ? copyOf(error.cause, hide, depth + 1) : undefined;
  const copy = new Error(hide(error.message), cause === undefined ? {} : { cause });
  copy.name = hide(error.name);
  if (error.stack !== undefined) copy.stack = hide(error.stack);
  if ('code' in error && typeof error.code === 'string') Object.assign(copy, { code: hide(error.code) });
  return copy;
}

/** Percent-encoded (RFC 3986), without failing at halves of surrogate pairs. */
function encoded3986(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._~-]/gu, (character) =>
    /\p{Cs}/u.test(character) ? character : encodeURIComponent(character),
  );
}

const entities: ReadonlyMap<string, string> = new Map([
  ['"', '&quot;'],
  ['&', '&amp;'],
  ["'", '&apos;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** A pattern of a key however JSON, a web page or an address writes its characters: which are escaped differs between writers. */
function inAnyWriting(key: string): string {
  const characters = key.split('').map((character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const percent = code.startsWith('00') ? [`%${digits.slice(2)}`] : [];
    const escaped = /["\\/]/.test(character) ? [`\\\\${literal(character)}`] : [];
    const entity = entities.get(character);
    const inPage = [
      ...(entity === undefined ? [] : [entity]),
      `&#0{0,5}${character.charCodeAt(0)};`,
      `&#[xX]0{0,5}${digits.replace(/^0+/, '')};`,
    ];
    return `(?:${[...inPage, ...escaped, `\\\\u${digits}`, ...percent, literal(character)].join('|')})`;
  });
  return characters.join('');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
