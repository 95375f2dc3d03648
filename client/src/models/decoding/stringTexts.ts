/** The texts that a string of the state schema may be, by its patterns, formats and lengths. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { type Automaton, AutomatonTooLarge, anyText, combined, intersection, listedTexts } from './automaton';
import { type BoundedTexts, boundedTexts, ofCharacters, shortestLength } from './automatonLength';
import { formatPattern, otherFormats } from './formatPatterns';
import { patternTexts } from './patternAutomaton';
import type { Shape, StringShape } from './shapes';

/** The longest text that has a pattern, in code points, where nothing limits it. */
const maxPatternLength = 200;
/** The longest key where nothing limits it. */
export const maxKeyLength = 64;

/** Says what of a string is left out. */
export type Note = (pointer: string, keyword: string, reason: string) => void;

/** Printable ASCII, and the white space that texts may have. */
export const plainCharacters: readonly CodeRange[] = [
  [0x09, 0x0a],
  [0x20, 0x7e],
];
/** Of keys and words: without what JSON escapes. */
export const keyCharacters: readonly CodeRange[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x7e],
];
/**
 * Characters beyond ASCII, of all scripts; without the byte order mark, which is none of a text.
 *
 * llama.cpp's grammars know characters, of which a token may be a part: it takes those bytes alone that can become one of
 * these, and no end within one. Surrogates and what is beyond Unicode are none of them. It takes two bytes too many for the
 * same character (an overlong form, which no vocabulary is made of), and writes U+FFFD for each of its bytes.
 */
export const otherCharacters: readonly CodeRange[] = [
  [0xa0, 0xd7ff],
  [0xe000, 0xfefe],
  [0xff00, 0xfffd],
  [0x10000, 0x10ffff],
];

export const everyCharacter: readonly CodeRange[] = [...plainCharacters, ...otherCharacters];

/** The texts of a string that has patterns or formats, of any length; undefined for one that has none that can be said. */
export function describedTexts(shape: StringShape, note: Note): Automaton | undefined {
  const automata: Automaton[] = [];
  for (const source of shape.patterns) {
    const automaton = patternTexts(source);
    if (automaton === undefined) note(shape.pointer, 'pattern', 'is too large or looks around');
    else automata.push(automaton);
  }
  for (const format of shape.formats) {
    const source = formatPattern(format);
    const automaton = source === undefined ? undefined : patternTexts(source);
    if (automaton !== undefined) automata.push(automaton);
    else if (otherFormats.has(format)) note(shape.pointer, 'format', `${format} has no pattern`);
  }
  if (automata.length === 0) return undefined;
  try {
    return intersection(automata);
  } catch (error) {
    if (!(error instanceof AutomatonTooLarge)) throw error;
    note(shape.pointer, 'pattern', 'is too large together with the others');
    return automata[0];
  }
}

/**
 * The texts of a string, in some characters only if it has any there; undefined where nothing but its length is known.
 *
 * @param usualLength the longest where nothing limits it, in code points
 */
export function textsOfString(
  shape: StringShape,
  characters: readonly CodeRange[],
  note: Note,
  usualLength = maxPatternLength,
): BoundedTexts | undefined {
  const described = describedTexts(shape, note);
  if (described === undefined) return undefined;
  try {
    const plain = ofCharacters(described, characters);
    const texts = plain.length > 0 ? plain : ofCharacters(described, everyCharacter);
    return boundedTexts(texts, shape.minLength, mostOf(shape, texts, usualLength));
  } catch (error) {
    if (!(error instanceof AutomatonTooLarge)) throw error;
    note(shape.pointer, 'pattern', 'is too large together with its lengths');
    return undefined;
  }
}

/** As long as the schema says; where it doesn't, long enough for the shortest text. */
function mostOf(shape: StringShape, texts: Automaton, usual: number): number {
  return Math.min(
    shape.maxLength,
    Math.max(usual, (shortestLength(texts) ?? 0) + usual / 4, shape.minLength),
  );
}

/** Keys that a map may get, by what `propertyNames` says of them. */
export interface NamedKeys {
  readonly automaton: Automaton;
  readonly maxLength: number;
}

/** @throws AutomatonTooLarge */
export function keysOf(names: Shape | undefined, characters: readonly CodeRange[], note: Note): NamedKeys {
  switch (names?.kind) {
    case 'string': {
      const described = describedTexts(names, note);
      const plain = ofCharacters(described ?? anyText, characters);
      const texts =
        plain.length > 0 || described === undefined ? plain : ofCharacters(described, everyCharacter);
      // At least one character, since an empty key is most likely a mistake.
      const least = Math.max(
        names.minLength,
        shortestLength(texts) === 0 && names.patterns.length === 0 ? 1 : 0,
      );
      const maxLength = mostOf(names, texts, maxKeyLength);
      return { automaton: least > 0 ? withLeastLength(texts, least) : texts, maxLength };
    }
    case 'literal': {
      const texts = names.values.filter((value) => typeof value === 'string');
      return { automaton: listedTexts(texts.map((value) => [value, 0] as const)), maxLength: longest(texts) };
    }
    case 'union': {
      const parts = names.options.map((option) => keysOf(option, characters, note));
      const automaton = combined(
        parts.map((part) => ({ automaton: part.automaton, isNeeded: false })),
        (labels) => Math.max(...labels),
      );
      return { automaton, maxLength: Math.max(...parts.map(({ maxLength }) => maxLength)) };
    }
    default:
      return { automaton: withLeastLength(ofCharacters(anyText, characters), 1), maxLength: maxKeyLength };
  }
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, value) => Math.max(most, [...value].length), 0);
}

function withLeastLength(automaton: Automaton, least: number): Automaton {
  return boundedTexts(automaton, least, Number.POSITIVE_INFINITY).automaton;
}
