/** How long the texts of an automaton are, and automata without those that are too short or too long. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import {
  type Automaton,
  type AutomatonState,
  AutomatonTooLarge,
  combined,
  minimized,
  refused,
  type Transition,
} from './automaton';

/** The length of the shortest text in code points; undefined where there is none. */
export function shortestLength(automaton: Automaton): number | undefined {
  let level = automaton.length > 0 ? [0] : [];
  const seen = new Set(level);
  for (let length = 0; level.length > 0; length++) {
    if (level.some((state) => automaton[state]?.label !== refused)) return length;
    const next: number[] = [];
    for (const state of level) {
      for (const { target } of automaton[state]?.transitions ?? []) {
        if (seen.has(target)) continue;
        seen.add(target);
        next.push(target);
      }
    }
    level = next;
  }
  return undefined;
}

/**
 * The lengths of the longest ways from each state; states that lead back to themselves directly count as if they
 * didn't, and `loops` is how many of them are on one way. Undefined where states lead back over others.
 */
interface LongestWays {
  readonly length: number;
  readonly loops: number;
}

function longestWays(automaton: Automaton): LongestWays | undefined {
  const waiting = automaton.map(
    ({ transitions }, state) =>
      new Set(transitions.map(({ target }) => target).filter((target) => target !== state)),
  );
  const sources: number[][] = automaton.map(() => []);
  for (const [state, targets] of waiting.entries())
    for (const target of targets) sources[target]?.push(state);
  const ready = waiting.flatMap((targets, state) => (targets.size === 0 ? [state] : []));
  const ways: LongestWays[] = [];
  let done = 0;
  for (let state = ready.pop(); state !== undefined; state = ready.pop()) {
    done++;
    let length = 0;
    let loops = 0;
    let isLoop = false;
    for (const { target } of automaton[state]?.transitions ?? []) {
      const way = ways[target];
      isLoop ||= target === state;
      if (way === undefined || target === state) continue;
      length = Math.max(length, way.length + 1);
      loops = Math.max(loops, way.loops);
    }
    ways[state] = { length, loops: loops + (isLoop ? 1 : 0) };
    for (const source of sources[state] ?? []) {
      waiting[source]?.delete(state);
      if (waiting[source]?.size === 0) ready.push(source);
    }
  }
  return done === automaton.length ? (ways[0] ?? { length: 0, loops: 0 }) : undefined;
}

/** A set of texts of bounded length. */
export interface BoundedTexts {
  /** Without ways back except from a state to itself. */
  readonly automaton: Automaton;
  /** How often a state may lead back to itself, one after the other, so that no text is too long. */
  readonly loopLimit: number;
}

/** From this length on texts are bounded roughly: not every text of a lesser length may be among them. */
const maxCounted = 64;
const maxWrittenOut = 300;

/**
 * The texts of at least `min` and at most `max` code points. Of those with ways back only shorter ones may be kept.
 *
 * @throws AutomatonTooLarge
 */
export function boundedTexts(automaton: Automaton, min: number, max: number): BoundedTexts {
  const least = min > (shortestLength(automaton) ?? 0) ? withLeast(automaton, min) : automaton;
  const ways = longestWays(least);
  if (ways !== undefined && ways.length <= max) {
    const loopLimit = ways.loops === 0 ? 0 : Math.floor((max - ways.length) / ways.loops);
    // A loop that may be taken a few times only is better counted.
    if (ways.loops === 0 || loopLimit >= 4 || ways.length + ways.loops * 4 > maxCounted)
      return { automaton: least, loopLimit };
  }
  // Ways back over other states are written out, so the more of them there are the shorter they have to be.
  const shortest = shortestLength(least) ?? 0;
  for (let most = Math.min(max, Math.max(maxCounted, min)); ; most = Math.ceil(most / 2)) {
    const counted = withMost(least, most);
    if (counted.length <= maxWrittenOut || most / 2 < Math.max(shortest, min, 4))
      return { automaton: counted, loopLimit: 0 };
  }
}

function withLeast(automaton: Automaton, min: number): Automaton {
  if (min > 1_000) throw new AutomatonTooLarge();
  const everything = (target: number): readonly Transition[] => [{ from: 0, to: 0x10ffff, target }];
  const counter: AutomatonState[] = [];
  for (let length = 0; length < min; length++)
    counter.push({ label: refused, transitions: everything(length + 1) });
  counter.push({ label: 0, transitions: everything(min) });
  return withLabelsOf(automaton, counter);
}

function withMost(automaton: Automaton, max: number): Automaton {
  const counter: AutomatonState[] = [];
  for (let length = 0; length <= max; length++) {
    const transitions = length < max ? [{ from: 0, to: 0x10ffff, target: length + 1 }] : [];
    counter.push({ label: 0, transitions });
  }
  return withLabelsOf(automaton, counter);
}

/** The texts of one automaton, with its labels, that another one has too. */
function withLabelsOf(automaton: Automaton, other: Automaton): Automaton {
  const factors = [automaton, other].map((factor) => ({ automaton: factor, isNeeded: true }));
  return combined(factors, ([label, needed]) => (needed === refused ? refused : (label ?? refused)));
}

/** The texts of one automaton, with its labels, that another one doesn't have. */
export function without(automaton: Automaton, other: Automaton): Automaton {
  return combined(
    [
      { automaton, isNeeded: true },
      { automaton: other, isNeeded: false },
    ],
    ([label, unwanted]) => (unwanted === refused ? (label ?? refused) : refused),
  );
}

/** The texts of an automaton that consist of some characters only. */
export function ofCharacters(automaton: Automaton, allowed: readonly CodeRange[]): Automaton {
  return minimized(
    automaton.map(({ label, transitions }) => ({
      label,
      transitions: transitions.flatMap(({ from, to, target }) =>
        allowed
          .filter((range) => range[0] <= to && range[1] >= from)
          .map((range) => ({ from: Math.max(from, range[0]), to: Math.min(to, range[1]), target })),
      ),
    })),
  );
}

/** The text that all texts of an automaton begin with, and the state behind it. */
export function commonStart(automaton: Automaton): { readonly text: string; readonly state: number } {
  let text = '';
  let at = 0;
  for (;;) {
    const state = automaton[at];
    const [only, ...others] = state?.transitions ?? [];
    if (state?.label !== refused || only === undefined || others.length > 0 || only.from !== only.to) break;
    if (text.length > 1_000) break;
    text += String.fromCodePoint(only.from);
    at = only.target;
  }
  return { text, state: at };
}

/** Every text with its label, where there are at most so many; undefined where there are more. */
export function textsOf(
  { automaton, loopLimit }: BoundedTexts,
  limit: number,
): readonly (readonly [text: string, label: number])[] | undefined {
  if (loopLimit > 0) return undefined;
  const texts: [string, number][] = [];
  let level: [string, number][] = automaton.length > 0 ? [['', 0]] : [];
  while (level.length > 0) {
    const next: [string, number][] = [];
    for (const [text, at] of level) {
      const state = automaton[at];
      if (state === undefined) continue;
      if (state.label !== refused) texts.push([text, state.label]);
      for (const { from, to, target } of state.transitions) {
        // What isn't repeated is left at once.
        if (target === at) continue;
        if (to - from >= limit) return undefined;
        for (let code = from; code <= to; code++) next.push([text + String.fromCodePoint(code), target]);
      }
      if (texts.length > limit || next.length > limit) return undefined;
    }
    level = next;
  }
  return texts;
}
