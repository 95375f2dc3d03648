/**
 * The patterns of a JSON Schema (ECMA-262, Unicode mode) on an engine that runs in linear time. A pattern is data
 * from somebody's workspace: `^(a+)+$` must not be able to stop the host.
 */
import { RE2JS } from 're2js';
import { patternSize } from './patternSize';
import { translatePattern } from './patternTranslation';

/** A pattern that can be run. */
export interface SafePattern {
  readonly ok: true;
  readonly source: string;
  /** True where the pattern occurs anywhere in the text. */
  test(text: string): boolean;
  /** Where it occurs, from left to right, in UTF-16 offsets; each search goes on where the last match ended. */
  matches(text: string): Iterable<{ readonly start: number; readonly end: number }>;
  /** Names the pattern; ajv keeps compiled patterns by this text. */
  toString(): string;
}

export type PatternCompilation = SafePattern | PatternRefusal;

/** Why a pattern can't be run: it is `invalid`, or `unsupported` by an engine that does not backtrack. */
export interface PatternRefusal {
  readonly ok: false;
  readonly reason: 'invalid' | 'unsupported';
  readonly message: string;
}

/** How large a pattern's program may be; the time that compiling it takes grows with it. */
const maxPatternSize = 20_000;

const maxCached = 2_000;
const cache = new Map<string, PatternCompilation>();

/** Compiles a pattern, or says why not. Results are kept, since every look-up of a schema asks again. */
export function compilePattern(source: string): PatternCompilation {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (cache.size >= maxCached) cache.clear();
  cache.set(source, compiled);
  return compiled;
}

/** A pattern as ajv takes it. */
export interface RegExpLike {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The engine for ajv's `code.regExp`. Throws a SyntaxError for a pattern it refuses; a loaded state schema has
 * reported those already.
 */
export const safeRegExp: { (source: string, flags: string): RegExpLike; code: string } = Object.assign(
  (source: string): RegExpLike => {
    const compiled = compilePattern(source);
    if (!compiled.ok) throw new SyntaxError(compiled.message);
    return compiled;
  },
  { code: 'safeRegExp' },
);

function compile(source: string): PatternCompilation {
  const translation = translatePattern(source);
  if (!translation.ok) return translation;
  if (patternSize(source) > maxPatternSize) {
    const message = 'The pattern repeats too much to be run without backtracking; write it more simply.';
    return { ok: false, reason: 'unsupported', message };
  }
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(translation.pattern);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const message = `The pattern cannot be run without backtracking (${detail}); write it more simply.`;
    return { ok: false, reason: 'unsupported', message };
  }
  return {
    ok: true,
    source,
    test: (text) => pattern.test(text),
    *matches(text) {
      const matcher = pattern.matcher(text);
      while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
    },
    toString: () => `/${source}/u`,
  };
}
