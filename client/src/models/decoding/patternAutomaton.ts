/** The texts of patterns as automata. */
import { type CodeRange, type PatternNode, parsePattern } from '../../../../schemas/text/patternSyntax';
import { compilePattern } from '../../../../schemas/text/safePattern';
import {
  type Automaton,
  AutomatonTooLarge,
  accepted,
  lastCodePoint,
  maxStates,
  maxWork,
  minimized,
  refused,
  stretches,
  type Transition,
} from './automaton';

/** The texts in which a pattern (ECMA-262, Unicode mode) occurs; undefined where that can't be said, as with `\b`. */
export function patternTexts(source: string): Automaton | undefined {
  if (patterns.has(source)) return patterns.get(source);
  const automaton = textsOfPattern(source);
  if (patterns.size >= maxPatterns) patterns.clear();
  patterns.set(source, automaton);
  return automaton;
}

/** Results are kept, since every step asks for the same ones. */
const patterns = new Map<string, Automaton | undefined>();
const maxPatterns = 500;

function textsOfPattern(source: string): Automaton | undefined {
  const compiled = compilePattern(source);
  const tree = compiled.ok ? parsePattern(source) : undefined;
  if (tree === undefined) return undefined;
  const nodes = new PatternStates(source);
  try {
    return minimized(determined(nodes, tree));
  } catch (error) {
    if (error instanceof AutomatonTooLarge || error instanceof UnknownTexts) return undefined;
    throw error;
  }
}

/** Thrown inside of this file for what a pattern's tree doesn't say. */
class UnknownTexts extends Error {}

interface PatternState {
  /** Followed without taking a character; `start` and `end` only there. */
  readonly free: { readonly target: number; readonly place: 'start' | 'end' | undefined }[];
  readonly taking: { readonly ranges: readonly CodeRange[]; readonly target: number }[];
}

/** A pattern as states of which several hold at once. */
class PatternStates {
  readonly states: PatternState[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  add(): number {
    if (this.states.length >= maxStates) throw new AutomatonTooLarge();
    return this.states.push({ free: [], taking: [] }) - 1;
  }

  free(from: number, target: number, place?: 'start' | 'end'): void {
    this.states[from]?.free.push({ target, place });
  }

  /** @returns the state behind a node whose texts begin at `from` */
  build(node: PatternNode, from: number): number {
    switch (node.kind) {
      case 'character': {
        const target = this.add();
        const ranges = node.exact ? node.ranges : rangesOf(this.#source.slice(node.start, node.end));
        this.states[from]?.taking.push({ ranges, target });
        return target;
      }
      case 'assertion': {
        if (node.place === 'other') throw new UnknownTexts();
        const target = this.add();
        this.free(from, target, node.place);
        return target;
      }
      case 'sequence':
        return node.parts.reduce((at, part) => this.build(part, at), from);
      case 'alternatives': {
        const target = this.add();
        for (const part of node.parts) {
          const start = this.add();
          this.free(from, start);
          this.free(this.build(part, start), target);
        }
        return target;
      }
      case 'repeat': {
        let at = from;
        for (let count = 0; count < node.min; count++) at = this.build(node.part, at);
        if (node.max === Number.POSITIVE_INFINITY) {
          const loop = this.add();
          this.free(at, loop);
          this.free(this.build(node.part, loop), loop);
          return loop;
        }
        const target = this.add();
        this.free(at, target);
        for (let count = node.min; count < node.max; count++) {
          at = this.build(node.part, at);
          this.free(at, target);
        }
        return target;
      }
    }
  }
}

const propertyRanges = new Map<string, readonly CodeRange[]>();

/** The characters of a class that names a Unicode property: of the basic plane, the longest stretches. */
function rangesOf(classText: string): readonly CodeRange[] {
  const known = propertyRanges.get(classText);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${classText}$`, 'u');
  const ranges: [number, number][] = [];
  for (let code = 0; code <= 0xffff; code++) {
    if (code === 0xd800) code = 0xe000;
    if (!pattern.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  const plain = ranges.filter(([from]) => from < 0x180);
  const others = ranges.filter(([from]) => from >= 0x180);
  const longest = others.sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, 24);
  const kept = [...plain, ...longest].sort(([a], [b]) => a - b);
  if (propertyRanges.size > 100) propertyRanges.clear();
  propertyRanges.set(classText, kept);
  return kept;
}

/** The subset construction. A pattern may occur anywhere, so all texts may stand before and behind it. */
function determined(nodes: PatternStates, tree: PatternNode): Automaton {
  const start = nodes.add();
  const begin = nodes.add();
  const everything: readonly CodeRange[] = [[0, lastCodePoint]];
  nodes.states[start]?.taking.push({ ranges: everything, target: start });
  nodes.free(start, begin);
  const last = nodes.build(tree, begin);
  const final = nodes.add();
  nodes.free(last, final);
  nodes.states[final]?.taking.push({ ranges: everything, target: final });

  let work = 0;
  const closure = (from: Iterable<number>, atStart: boolean, atEnd: boolean): number[] => {
    const found = new Set(from);
    for (const state of found) {
      for (const { target, place } of nodes.states[state]?.free ?? []) {
        if (++work > maxWork) throw new AutomatonTooLarge();
        if (place === undefined || (place === 'start' ? atStart : atEnd)) found.add(target);
      }
    }
    return [...found].sort((a, b) => a - b);
  };
  const states: { set: readonly number[]; label: number; transitions: Transition[] }[] = [];
  const byKey = new Map<string, number>();
  const enter = (set: readonly number[], atStart: boolean): number => {
    // Once it has occurred it doesn't matter what follows.
    const isOver = set.includes(final);
    const kept = isOver ? [final] : set;
    const key = `${atStart && !isOver}${kept.join()}`;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    if (states.length >= maxStates) throw new AutomatonTooLarge();
    const isIn = isOver || closure(kept, atStart, true).includes(final);
    byKey.set(key, states.length);
    return states.push({ set: kept, label: isIn ? accepted : refused, transitions: [] }) - 1;
  };
  enter(closure([start], true, false), true);
  for (const state of states) {
    const moves = state.set.flatMap((member) => nodes.states[member]?.taking ?? []);
    work += moves.length;
    for (const [from, to, targets] of stretches(moves)) {
      work += targets.length;
      if (work > maxWork) throw new AutomatonTooLarge();
      state.transitions.push({ from, to, target: enter(closure(targets, false, false), false) });
    }
  }
  return states;
}
