/** How long the texts are that a pattern takes, how many there are, and what they look like. */
import { jsonCharacterSize } from '../json/jsonSize';
import { type CodeRange, type PatternNode, parsePattern } from './patternSyntax';
import { compilePattern } from './safePattern';

/** The texts of a pattern that is anchored at both ends, so that it describes all of them. */
export interface PatternLanguage {
  /** In code points; Infinity where nothing limits it. */
  readonly maxLength: number;
  /** In UTF-8 bytes inside of a JSON string, without the quotes. */
  readonly maxBytes: number;
  /** The largest size of one of its characters, likewise. */
  readonly characterBytes: number;
  /** At least as many as there are texts; Infinity where there is no end of them. */
  readonly maxCount: number;
  /** Every text, where there are few enough to be written out. */
  texts(): readonly string[] | undefined;
  /** One of the longest texts, cut to a length in code points. */
  sample(maxLength: number): string;
}

/** Up to how many texts are written out. */
const maxTexts = 2_000;
const maxCached = 500;
const cache = new Map<string, PatternLanguage | undefined>();

/** Undefined for a pattern that says nothing of the whole text, or can't be read. */
export function patternLanguage(source: string): PatternLanguage | undefined {
  if (cache.has(source)) return cache.get(source);
  const language = read(source);
  if (cache.size >= maxCached) cache.clear();
  cache.set(source, language);
  return language;
}

function read(source: string): PatternLanguage | undefined {
  if (!compilePattern(source).ok) return undefined;
  const tree = parsePattern(source);
  if (tree === undefined || !isAnchored(tree, 'start') || !isAnchored(tree, 'end')) return undefined;
  const measure = measureOf(tree);
  let texts: readonly string[] | undefined;
  let written = false;
  return {
    ...measure,
    texts() {
      if (!written && measure.maxCount <= maxTexts && measure.maxLength <= maxTexts)
        texts = [...textsOf(tree)];
      written = true;
      return texts;
    },
    sample: (maxLength) => sampleOf(tree, Math.min(maxLength, measure.maxLength), 0).join(''),
  };
}

/** True where a match can't begin after the start of the text, or end before its end. */
function isAnchored(node: PatternNode, place: 'start' | 'end'): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.place === place;
    case 'alternatives':
      return node.parts.every((part) => isAnchored(part, place));
    case 'sequence': {
      const outermost = place === 'start' ? node.parts[0] : node.parts.at(-1);
      return outermost !== undefined && isAnchored(outermost, place);
    }
    case 'repeat':
      return node.min > 0 && isAnchored(node.part, place);
    case 'character':
      return false;
  }
}

type Measure = Pick<PatternLanguage, 'maxLength' | 'maxBytes' | 'characterBytes' | 'maxCount'>;

const empty: Measure = { maxLength: 0, maxBytes: 0, characterBytes: 0, maxCount: 1 };

function measureOf(node: PatternNode): Measure {
  switch (node.kind) {
    case 'assertion':
      return empty;
    case 'character': {
      const bytes = Math.max(0, ...node.ranges.map(largestCharacter));
      // A set without characters counts as one, so that a count of none hides no other part's.
      const maxCount = Math.max(
        1,
        node.ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0),
      );
      return { maxLength: 1, maxBytes: bytes, characterBytes: bytes, maxCount };
    }
    case 'sequence':
      return node.parts.map(measureOf).reduce(
        (all, part) => ({
          maxLength: all.maxLength + part.maxLength,
          maxBytes: all.maxBytes + part.maxBytes,
          characterBytes: Math.max(all.characterBytes, part.characterBytes),
          maxCount: all.maxCount * part.maxCount,
        }),
        empty,
      );
    case 'alternatives':
      return node.parts.map(measureOf).reduce((all, part) => ({
        maxLength: Math.max(all.maxLength, part.maxLength),
        maxBytes: Math.max(all.maxBytes, part.maxBytes),
        characterBytes: Math.max(all.characterBytes, part.characterBytes),
        maxCount: all.maxCount + part.maxCount,
      }));
    case 'repeat': {
      const part = measureOf(node.part);
      if (part.maxLength === 0 || node.max === 0) return empty;
      return {
        maxLength: part.maxLength * node.max,
        maxBytes: part.maxBytes * node.max,
        characterBytes: part.characterBytes,
        maxCount: repeatedCount(part.maxCount, node.min, node.max),
      };
    }
  }
}

/** How many rows of `min` to `max` items there are of `count` different ones. */
function repeatedCount(count: number, min: number, max: number): number {
  if (max === Number.POSITIVE_INFINITY) return max;
  if (count === 1) return max - min + 1;
  let sum = 0;
  for (let length = min; length <= max; length++) {
    sum += count ** length;
    if (sum > 1e15) return Number.POSITIVE_INFINITY;
  }
  return sum;
}

/** Characters whose size in JSON stands for all of those around them. */
const sizeBorders = [0, 0x20, 0x22, 0x5c, 0x80, 0x800, 0xd800, 0xe000, 0x10000];

function largestCharacter([from, to]: CodeRange): number {
  const within = sizeBorders.filter((border) => border > from && border <= to);
  return Math.max(...[from, to, ...within].map(jsonCharacterSize));
}

function textsOf(node: PatternNode): ReadonlySet<string> {
  switch (node.kind) {
    case 'assertion':
      return new Set(['']);
    case 'character': {
      const characters = new Set<string>();
      for (const [from, to] of node.ranges)
        for (let code = from; code <= to; code++) characters.add(String.fromCodePoint(code));
      return characters;
    }
    case 'sequence':
      return node.parts.map(textsOf).reduce(joined, new Set(['']));
    case 'alternatives':
      return new Set(node.parts.flatMap((part) => [...textsOf(part)]));
    case 'repeat': {
      const part = textsOf(node.part);
      const all = new Set<string>();
      let row: ReadonlySet<string> = new Set(['']);
      for (let count = 0; count <= node.max; count++) {
        if (count >= node.min) for (const text of row) all.add(text);
        if (part.size === 1 && part.has('')) break;
        if (count < node.max) row = joined(row, part);
      }
      return all;
    }
  }
}

function joined(starts: ReadonlySet<string>, ends: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const start of starts) for (const end of ends) all.add(start + end);
  return all;
}

/** The characters of one of the longest texts; `seed` varies which of a set are taken. */
function sampleOf(node: PatternNode, maxLength: number, seed: number): string[] {
  if (maxLength <= 0) return [];
  switch (node.kind) {
    case 'assertion':
      return [];
    case 'character':
      // Most properties that patterns name are those of letters.
      return [characterOf(node.exact ? node.ranges : [[0x61, 0x7a]], seed)];
    case 'sequence': {
      const characters: string[] = [];
      let fixed = node.parts.reduce((sum, part) => sum + shortest(part), 0);
      for (const part of node.parts) {
        fixed -= shortest(part);
        const room = Math.max(0, maxLength - characters.length - fixed);
        characters.push(...sampleOf(part, room, seed + characters.length));
      }
      return characters;
    }
    case 'alternatives': {
      const fitting = node.parts.filter((part) => shortest(part) <= maxLength);
      const [first] = [...fitting].sort((a, b) => measureOf(b).maxLength - measureOf(a).maxLength);
      return first === undefined ? [] : sampleOf(first, maxLength, seed);
    }
    case 'repeat': {
      const characters: string[] = [];
      for (let count = 0; count < node.max && characters.length < maxLength; count++) {
        const next = sampleOf(node.part, maxLength - characters.length, seed + characters.length);
        if (next.length === 0) break;
        characters.push(...next);
      }
      return characters;
    }
  }
}

function shortest(node: PatternNode): number {
  switch (node.kind) {
    case 'assertion':
      return 0;
    case 'character':
      return 1;
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + shortest(part), 0);
    case 'alternatives':
      return Math.min(...node.parts.map(shortest));
    case 'repeat':
      return node.min * shortest(node.part);
  }
}

/** A printable character of a set where it has one. */
function characterOf(ranges: readonly CodeRange[], seed: number): string {
  const printable = ranges
    .map(([from, to]): CodeRange => [Math.max(from, 0x30), Math.min(to, 0x7a)])
    .filter(([from, to]) => from <= to);
  const usable = printable.length > 0 ? printable : ranges;
  const range = usable[seed % Math.max(1, usable.length)];
  if (range === undefined) return '';
  const [from, to] = range;
  return String.fromCodePoint(from + ((seed * 7 + 3) % (to - from + 1)));
}
