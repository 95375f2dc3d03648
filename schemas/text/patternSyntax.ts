/** The syntax tree of a pattern (ECMA-262, Unicode mode), for what can be said of its texts without running it. */

/** Code points, both ends included. */
export type CodeRange = readonly [from: number, to: number];

/** A part of a pattern; `start` and `end` are UTF-16 offsets in its source. */
export type PatternNode = { readonly start: number; readonly end: number } & (
  | {
      /** One code point of a set. */
      readonly kind: 'character';
      readonly ranges: readonly CodeRange[];
      /** False where `ranges` is too large a set, as for `\p{L}`. */
      readonly exact: boolean;
    }
  | { readonly kind: 'sequence' | 'alternatives'; readonly parts: readonly PatternNode[] }
  /** `max` is Infinity for `*`, `+` and `{2,}`. */
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  /** Takes no text: `^`, `$`, `\b` and looking around. */
  | { readonly kind: 'assertion'; readonly place: 'start' | 'end' | 'other' }
);

const lastCodePoint = 0x10ffff;
const any: readonly CodeRange[] = [[0, lastCodePoint]];
const digits: readonly CodeRange[] = [[48, 57]];
const wordCharacters: readonly CodeRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: readonly CodeRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: readonly CodeRange[] = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

/** How deep groups may nest to be looked at. */
const maxGroupDepth = 100;

/** Thrown inside of this file for what has no tree. */
class Unreadable extends Error {}

/**
 * Reads a pattern that is valid in Unicode mode. Undefined for one with back-references or very deep groups; for an
 * invalid one the result means nothing.
 */
export function parsePattern(source: string): PatternNode | undefined {
  try {
    return new PatternReader(source).alternatives(0);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** All code points that are not in a set. */
function complementOf(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const complement: CodeRange[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) complement.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= lastCodePoint) complement.push([next, lastCodePoint]);
  return complement;
}

interface CharacterSet {
  readonly ranges: readonly CodeRange[];
  readonly exact: boolean;
}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(depth: number): PatternNode {
    if (depth > maxGroupDepth) throw new Unreadable();
    const start = this.#at;
    const parts = [this.#sequence(depth)];
    while (this.#takeIf('|')) parts.push(this.#sequence(depth));
    const [only] = parts;
    return parts.length === 1 && only !== undefined
      ? only
      : { kind: 'alternatives', parts, start, end: this.#at };
  }

  #sequence(depth: number): PatternNode {
    const start = this.#at;
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? '')) {
      parts.push(this.#repeated(this.#atom(depth)));
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined
      ? only
      : { kind: 'sequence', parts, start, end: this.#at };
  }

  #repeated(part: PatternNode): PatternNode {
    const quantifier = this.#match(/[*+?]|\{(\d+)(?:(,)(\d*))?\}/y);
    if (quantifier === undefined) return part;
    this.#takeIf('?');
    const [sign, least, comma, most] = quantifier;
    const place = { start: part.start, end: this.#at };
    if (sign === '*') return { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY, ...place };
    if (sign === '+') return { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY, ...place };
    if (sign === '?') return { kind: 'repeat', part, min: 0, max: 1, ...place };
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { kind: 'repeat', part, min, max, ...place };
  }

  #atom(depth: number): PatternNode {
    const start = this.#at;
    const character = this.#take();
    const assertion = (place: 'start' | 'end' | 'other'): PatternNode => ({
      kind: 'assertion',
      place,
      start,
      end: this.#at,
    });
    switch (character) {
      case '^':
        return assertion('start');
      case '$':
        return assertion('end');
      case '(': {
        const looksAround = this.#match(/\?<?[=!]/y) !== undefined;
        if (!looksAround) this.#match(/\?(?:<[^>]*>|[a-z-]*:)/y);
        const inner = this.alternatives(depth + 1);
        this.#takeIf(')');
        return looksAround ? assertion('other') : { ...inner, start, end: this.#at };
      }
      case '[':
        return { kind: 'character', ...this.#class(), start, end: this.#at };
      case '.':
        return { kind: 'character', ranges: complementOf(lineEnds), exact: true, start, end: this.#at };
      case '\\': {
        if (/[bB]/.test(this.#source[this.#at] ?? '')) {
          this.#at++;
          return assertion('other');
        }
        return { kind: 'character', ...this.#escape(), start, end: this.#at };
      }
      default:
        return { kind: 'character', ...single(codePointOf(character)), start, end: this.#at };
    }
  }

  #class(): CharacterSet {
    const negated = this.#takeIf('^');
    const ranges: CodeRange[] = [];
    let exact = true;
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const from = this.#classMember();
      exact &&= from.exact;
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']';
      const first = from.ranges[0]?.[0];
      if (!isRange || first === undefined) {
        ranges.push(...from.ranges);
        continue;
      }
      this.#at++;
      const to = this.#classMember();
      ranges.push([first, to.ranges[0]?.[1] ?? first]);
    }
    this.#takeIf(']');
    if (!exact) return { ranges: any, exact };
    return { ranges: negated ? complementOf(ranges) : ranges, exact };
  }

  #classMember(): CharacterSet {
    const character = this.#take();
    if (character !== '\\') return single(codePointOf(character));
    if (this.#takeIf('b')) return single(8);
    return this.#escape();
  }

  #escape(): CharacterSet {
    const character = this.#take();
    switch (character) {
      case 'd':
        return { ranges: digits, exact: true };
      case 'D':
        return { ranges: complementOf(digits), exact: true };
      case 'w':
        return { ranges: wordCharacters, exact: true };
      case 'W':
        return { ranges: complementOf(wordCharacters), exact: true };
      case 's':
        return { ranges: spaces, exact: true };
      case 'S':
        return { ranges: complementOf(spaces), exact: true };
      case 't':
        return single(9);
      case 'n':
        return single(10);
      case 'v':
        return single(11);
      case 'f':
        return single(12);
      case 'r':
        return single(13);
      case '0':
        return single(0);
      case 'c':
        return single(codePointOf(this.#take()) % 32);
      case 'x':
        return single(Number.parseInt(this.#match(/[0-9a-fA-F]{2}/y)?.[0] ?? '0', 16));
      case 'u':
        return single(this.#unicodeEscape());
      case 'p':
      case 'P':
        this.#match(/\{[^}]*\}/y);
        return { ranges: any, exact: false };
      case 'k':
        throw new Unreadable();
      default:
        if (/[1-9]/.test(character)) throw new Unreadable();
        return single(codePointOf(character));
    }
  }

  #unicodeEscape(): number {
    const braced = this.#match(/\{([0-9a-fA-F]+)\}/y)?.[1];
    if (braced !== undefined) return Number.parseInt(braced, 16);
    const unit = Number.parseInt(this.#match(/[0-9a-fA-F]{4}/y)?.[0] ?? '0', 16);
    const isHigh = unit >= 0xd800 && unit <= 0xdbff;
    const low = isHigh ? this.#match(/\\u([dD][c-fC-F][0-9a-fA-F]{2})/y)?.[1] : undefined;
    return low === undefined ? unit : (unit - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000;
  }

  /** The next code point. */
  #take(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #takeIf(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** What a sticky expression finds here. */
  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found === null) return undefined;
    this.#at = sticky.lastIndex;
    return found;
  }
}

function single(codePoint: number): CharacterSet {
  return { ranges: [[codePoint, codePoint]], exact: true };
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
