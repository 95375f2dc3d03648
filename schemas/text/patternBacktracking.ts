/**
 * Patterns that take exponential time on an engine which tries every way to match: a repetition whose turns can be
 * told apart in many ways, such as `(a+)+` or `(\w|\d)*`, and after which the match can still fail. Conservative: a
 * pattern that is not reported may be slow as well.
 */
import { type CodeRange, type PatternNode, parsePattern } from './patternSyntax';

/** The part of a pattern that makes it so, as UTF-16 offsets in its source. */
export interface BacktrackingPart {
  readonly start: number;
  readonly end: number;
}

/** The first such part of a pattern that is valid in Unicode mode; undefined where none is found. */
export function findBacktracking(source: string): BacktrackingPart | undefined {
  if (cache.has(source)) return cache.get(source);
  const part = analyse(source);
  if (cache.size >= maxCached) cache.clear();
  cache.set(source, part);
  return part;
}

const maxCached = 500;
const cache = new Map<string, BacktrackingPart | undefined>();

function analyse(source: string): BacktrackingPart | undefined {
  // Without two quantifiers or a choice under one there is none.
  const groupEnd = source.indexOf(')');
  if (groupEnd === -1) return undefined;
  if (!/[*+{]/.test(source.slice(groupEnd)) && !/[*+}]\)/.test(source)) return undefined;
  const tree = parsePattern(source);
  const found = tree && find(tree, false);
  return found && { start: found.start, end: found.end };
}

/** How many turns make a repetition count as endless. */
const manyTurns = 10;

function find(node: PatternNode, canFailAfter: boolean): PatternNode | undefined {
  switch (node.kind) {
    case 'character':
    case 'assertion':
      return undefined;
    case 'alternatives':
      return firstOf(node.parts, (part) => find(part, canFailAfter));
    case 'sequence': {
      let fails = canFailAfter;
      let found: PatternNode | undefined;
      for (const part of [...node.parts].reverse()) {
        found = find(part, fails) ?? found;
        fails ||= !isEmptyable(part) || part.kind === 'assertion';
      }
      return found;
    }
    case 'repeat':
      if (canFailAfter && node.max >= manyTurns && hasUnclearTurns(node.part)) return node;
      return find(node.part, canFailAfter);
  }
}

function firstOf<Item, Found>(
  items: readonly Item[],
  found: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const result = found(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** True where the same text can be one turn of a repetition or several, or one turn in two ways. */
function hasUnclearTurns(turn: PatternNode): boolean {
  if (turn.kind === 'alternatives')
    return turn.parts.some(hasUnclearTurns) || someOverlap(turn.parts.flatMap((part) => setOf(part) ?? []));
  const parts = turn.kind === 'sequence' ? turn.parts : [turn];
  return parts.some((part, index) => {
    const others = parts.filter((_, other) => other !== index);
    if (part.kind === 'repeat' && part.max > part.min && part.max > 1) {
      const set = setOf(part.part);
      if (set === undefined) return others.every(isEmptyable) && hasUnclearTurns(part.part);
      return others.every((other) => isEmptyable(other) || sharesCharacters(set, other));
    }
    return part.kind === 'alternatives' && others.every(isEmptyable) && hasUnclearTurns(part);
  });
}

interface CharacterSet {
  readonly ranges: readonly CodeRange[];
  readonly exact: boolean;
}

/** The set of a part that is one character, or one repeated, or a row of the same; undefined for others. */
function setOf(node: PatternNode): CharacterSet | undefined {
  if (node.kind === 'character') return node;
  if (node.kind === 'repeat') return node.part.kind === 'character' ? node.part : undefined;
  if (node.kind !== 'sequence') return undefined;
  const sets = node.parts.map(setOf);
  const [first] = sets;
  const written = JSON.stringify(first?.ranges);
  return sets.every((set) => set !== undefined && JSON.stringify(set.ranges) === written) ? first : undefined;
}

function sharesCharacters(set: CharacterSet, other: PatternNode): boolean {
  const otherSet = setOf(other);
  return otherSet !== undefined && someOverlap([set, otherSet]);
}

/** True where two of the sets share a character; sets that aren't exact share none. */
function someOverlap(sets: readonly CharacterSet[]): boolean {
  const ranges = sets
    .filter(({ exact }) => exact)
    .flatMap((set, owner) => set.ranges.map(([from, to]) => ({ from, to, owner })))
    .sort((a, b) => a.from - b.from);
  let furthest: { to: number; owner: number } | undefined;
  for (const { from, to, owner } of ranges) {
    if (furthest !== undefined && from <= furthest.to && owner !== furthest.owner) return true;
    if (furthest === undefined || to > furthest.to) furthest = { to, owner };
  }
  return false;
}

function isEmptyable(node: PatternNode): boolean {
  switch (node.kind) {
    case 'assertion':
      return true;
    case 'character':
      return false;
    case 'sequence':
      return node.parts.every(isEmptyable);
    case 'alternatives':
      return node.parts.some(isEmptyable);
    case 'repeat':
      return node.min === 0 || isEmptyable(node.part);
  }
}
