/**
 * ECMA-262 patterns in Unicode mode, rewritten in RE2's syntax so that they match the same texts. The library's own
 * `translateRegExp` keeps RE2's meaning of `.`, `\s` and `$`, and lets back-references through that match wrongly.
 */
import type { PatternRefusal } from './safePattern';
import { unicodeClass } from './unicodeClasses';

export type PatternTranslation = { readonly ok: true; readonly pattern: string } | PatternRefusal;

/** The longest pattern that is looked at, in UTF-16 units. */
const maxPatternLength = 10_000;

/** RE2's own limit on `{n}`. */
const maxRepeat = 1_000;

const space =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Rewrites a pattern, or says why it can't be: `invalid` ECMA-262, or `unsupported` without backtracking. */
export function translatePattern(source: string): PatternTranslation {
  if (source.length > maxPatternLength) {
    return unsupported(`it has more than ${maxPatternLength} characters`);
  }
  try {
    new RegExp(source, 'u');
  } catch (error) {
    const detail =
      error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
    return {
      ok: false,
      reason: 'invalid',
      message: `This is not a valid pattern in Unicode mode: ${detail}.`,
    };
  }
  return new Translator(source).translate();
}

function unsupported(what: string): PatternRefusal {
  const message = `The pattern cannot be run safely: ${what}; write it without.`;
  return { ok: false, reason: 'unsupported', message };
}

/** Walks a pattern that is known to be valid in Unicode mode, atom by atom. */
class Translator {
  readonly #source: string;
  #at = 0;
  #refusal: PatternRefusal | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  translate(): PatternTranslation {
    let pattern = '';
    while (this.#at < this.#source.length && this.#refusal === undefined) pattern += this.#next();
    return this.#refusal ?? { ok: true, pattern };
  }

  #refuse(what: string): string {
    this.#refusal ??= unsupported(what);
    return '';
  }

  #next(): string {
    const character = this.#take();
    switch (character) {
      case '\\':
        return this.#escape(false);
      case '[':
        return this.#characterClass();
      case '(':
        return this.#group();
      case '{':
        return this.#repeat();
      case '.':
        return '[^\\n\\r\\x{2028}\\x{2029}]';
      case '^':
        return '\\A';
      case '$':
        return '\\z';
      case ')':
      case '|':
      case '*':
      case '+':
      case '?':
        return character;
      default:
        return literal(character);
    }
  }

  /** The next code point. */
  #take(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #takeMatch(expression: RegExp): string | undefined {
    const sticky = new RegExp(expression.source, 'y');
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match === null) return undefined;
    this.#at = sticky.lastIndex;
    return match[1] ?? match[0];
  }

  #group(): string {
    if (this.#takeMatch(/\?:/) !== undefined) return '(?:';
    if (this.#takeMatch(/\?<?[=!]/) !== undefined) return this.#refuse('it looks ahead or behind');
    if (this.#takeMatch(/\?<[^>]*>/) !== undefined) return '(?:';
    return this.#source[this.#at] === '?' ? this.#refuse('it sets flags inside a group') : '(?:';
  }

  #repeat(): string {
    const counts = this.#takeMatch(/([^}]*)\}/) ?? '';
    if (counts.split(',').some((count) => Number(count) > maxRepeat)) {
      return this.#refuse(`it repeats something more than ${maxRepeat} times`);
    }
    return `{${counts}}`;
  }

  #escape(inClass: boolean): string {
    const character = this.#take();
    switch (character) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 't':
      case 'n':
      case 'v':
      case 'f':
      case 'r':
        return `\\${character}`;
      case 's':
        return inClass ? space : `[${space}]`;
      case 'S':
        return inClass ? notSpace : `[${notSpace}]`;
      case 'b':
        return inClass ? '\\x{8}' : '\\b';
      case 'B':
        return '\\B';
      case 'k':
        return this.#refuse('it refers back to a group');
      case 'p':
      case 'P':
        return this.#unicodeProperty(character);
      default:
        if (/[1-9]/.test(character)) return this.#refuse('it refers back to a group');
        return hexadecimal(this.#escapedCodePoint(character));
    }
  }

  #escapedCodePoint(character: string): number {
    switch (character) {
      case '0':
        return 0;
      case 'c':
        return this.#take().charCodeAt(0) % 32;
      case 'x':
        return Number.parseInt(this.#takeMatch(/[0-9a-fA-F]{2}/) ?? '', 16);
      case 'u': {
        const braced = this.#takeMatch(/\{([0-9a-fA-F]+)\}/);
        if (braced !== undefined) return Number.parseInt(braced, 16);
        const unit = Number.parseInt(this.#takeMatch(/[0-9a-fA-F]{4}/) ?? '', 16);
        const isHigh = unit >= 0xd800 && unit <= 0xdbff;
        const low = isHigh ? this.#takeMatch(/\\u([dD][c-fC-F][0-9a-fA-F]{2})/) : undefined;
        if (low === undefined) return unit;
        return (unit - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000;
      }
      default:
        return character.codePointAt(0) ?? 0;
    }
  }

  #unicodeProperty(letter: 'p' | 'P'): string {
    const name = this.#takeMatch(/\{([^}]*)\}/) ?? '';
    const found = unicodeClass(name);
    if (found === undefined) return this.#refuse(`it uses \\${letter}{${name}}`);
    return `\\${letter}{${found}}`;
  }

  #characterClass(): string {
    const negated = this.#takeMatch(/\^/) !== undefined;
    let members = '';
    while (this.#source[this.#at] !== ']' && this.#refusal === undefined) {
      members += this.#classAtom();
      if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']') {
        this.#at++;
        members += `-${this.#classAtom()}`;
      }
    }
    this.#at++;
    if (members === '') return negated ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]';
    return `[${negated ? '^' : ''}${members}]`;
  }

  #classAtom(): string {
    const character = this.#take();
    return character === '\\' ? this.#escape(true) : literal(character);
  }
}

function hexadecimal(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

function literal(character: string): string {
  return /^[A-Za-z0-9_ ]$/.test(character) ? character : hexadecimal(character.codePointAt(0) ?? 0);
}
