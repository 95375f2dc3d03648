/**
 * Keys of a map parted into sets that have no key in common, so that a grammar can say that no key comes twice: by one of
 * their characters, which a few rules tell apart where all pairs of 500 keys would take hundreds.
 */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { type Automaton, minimized, refused, type Transition } from './automaton';
import { type BoundedTexts, boundedTexts, commonStart, textsOf } from './automatonLength';

/** Keys by what they are labelled with; of bounded length once they are written. */
export interface KeySet {
  readonly automaton: Automaton;
  readonly maxLength: number;
}

const manyColours = 10;

/** Characters that are told apart where there are many: what names begin with. By how deep the object is nested. */
const fineGroups = 'a b c d e fg hi jkl m n o p qr s t uvwxyz ABCDEFG HIJKLMNOP QRSTUVWXYZ 01234 56789'.split(
  ' ',
);
const coarseGroups = 'abcde fghijkl mnopqr stuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789'.split(' ');
const depthGroups = [fineGroups, fineGroups, coarseGroups, coarseGroups];

/** Up to so many keys are parted one by one. */
const maxSingle = 24;

/**
 * Partitions of a set of keys, up to `count` of them: two keys that are in the same part of one may be in different parts
 * of another. Deep in other objects there is one part only, so that one key at most is written.
 *
 * @throws AutomatonTooLarge
 */
export function partitions(keys: KeySet, count: number, depth: number): readonly (readonly BoundedTexts[])[] {
  const all = boundedTexts(keys.automaton, 0, keys.maxLength);
  const groups = depthGroups[depth];
  if (groups === undefined) return all.automaton.length === 0 ? [] : [[all]];
  const texts = textsOf(all, maxSingle);
  if (texts !== undefined) {
    const single = texts.map(([text, label]) => ({ automaton: chainOf(text, label), loopLimit: 0 }));
    return single.length === 0 ? [] : [single];
  }
  const { text } = commonStart(all.automaton);
  const start = [...text].length;
  const found: { readonly offset: number; readonly colours: readonly Colour[] }[] = [];
  for (let position = 0; position < Math.max(count, 4); position++) {
    const colours = coloursAt(all.automaton, start + position, groups);
    if (colours.length < 2) break;
    found.push({ offset: start + position, colours });
  }
  if (found.length === 0) return [[all]];
  // Where one has to do it tells nearly as many apart as any other. Of keys without end the first tells enough.
  const most = Math.max(...found.map(({ colours }) => colours.length));
  if (count === 1)
    found.splice(
      0,
      found.findIndex(({ colours }) => colours.length >= 0.7 * most),
    );
  else if (all.loopLimit > 0 && most >= manyColours) found.length = 1;
  return found
    .slice(0, count)
    .map(({ offset, colours }) =>
      colours
        .map((colour) => boundedTexts(ofColour(keys.automaton, offset, colour), 0, keys.maxLength))
        .filter(({ automaton }) => automaton.length > 0),
    );
}

/** The characters at a place; undefined for the keys that end before it. */
type Colour = readonly CodeRange[] | undefined;

function coloursAt(automaton: Automaton, offset: number, groups: readonly string[]): readonly Colour[] {
  let level = new Set(automaton.length > 0 ? [0] : []);
  let endsBefore = false;
  for (let depth = 0; ; depth++) {
    endsBefore ||= [...level].some((state) => automaton[state]?.label !== refused);
    if (depth === offset) break;
    level = new Set(
      [...level].flatMap((state) => automaton[state]?.transitions.map(({ target }) => target) ?? []),
    );
  }
  const codes = new Set<number>();
  let others = false;
  for (const state of level) {
    for (const { from, to } of automaton[state]?.transitions ?? []) {
      for (let code = from; code <= Math.min(to, 0x7f); code++) codes.add(code);
      others ||= to > 0x7f;
    }
  }
  const colours: Colour[] = endsBefore ? [undefined] : [];
  if (codes.size < groups.length)
    for (const code of [...codes].sort((a, b) => a - b)) colours.push([[code, code]]);
  else {
    const left = new Set(codes);
    for (const group of groups) {
      const members = [...group]
        .map((character) => character.charCodeAt(0))
        .filter((code) => left.delete(code));
      if (members.length > 0) colours.push(members.map((code) => [code, code]));
    }
    if (left.size > 0) colours.push([...left].sort((a, b) => a - b).map((code) => [code, code]));
  }
  if (others) colours.push([[0x80, 0x10ffff]]);
  return colours;
}

/** The texts, with their labels, whose character at an offset is of a colour. */
function ofColour(automaton: Automaton, offset: number, colour: Colour): Automaton {
  const states: { label: number; transitions: Transition[] }[] = [];
  const entered: { at: number; depth: number }[] = [];
  const byPlace = new Map<number, number>();
  const enter = (at: number, depth: number): number => {
    const place = at * (offset + 2) + depth;
    const known = byPlace.get(place);
    if (known !== undefined) return known;
    byPlace.set(place, states.length);
    entered.push({ at, depth });
    const isIn = colour === undefined || depth > offset;
    return states.push({ label: isIn ? (automaton[at]?.label ?? refused) : refused, transitions: [] }) - 1;
  };
  if (automaton.length > 0) enter(0, 0);
  // Appended to while it is read.
  for (const [index, { at, depth }] of entered.entries()) {
    const transitions = states[index]?.transitions;
    const next = Math.min(depth + 1, offset + 1);
    for (const { from, to, target } of automaton[at]?.transitions ?? []) {
      if (depth !== offset) transitions?.push({ from, to, target: enter(target, next) });
      else
        for (const range of colour ?? [])
          if (range[0] <= to && range[1] >= from)
            transitions?.push({
              from: Math.max(from, range[0]),
              to: Math.min(to, range[1]),
              target: enter(target, next),
            });
    }
  }
  return minimized(states);
}

function chainOf(text: string, label: number): Automaton {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  return [
    ...codes.map((code, index) => ({
      label: refused,
      transitions: [{ from: code, to: code, target: index + 1 }],
    })),
    { label, transitions: [] },
  ];
}
