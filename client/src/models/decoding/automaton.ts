/** Deterministic automata over code points: sets of texts that can be intersected, told apart and written down as a grammar. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';

export interface Transition {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

export interface AutomatonState {
  /** What a text that ends here is; {@link refused} where it doesn't belong to the set. */
  readonly label: number;
  /** Disjoint, by code points. */
  readonly transitions: readonly Transition[];
}

/** The first state is where a text begins. No states: no texts. */
export type Automaton = readonly AutomatonState[];

export const refused = -1;
export const accepted = 0;

export const lastCodePoint = 0x10ffff;

/** Bounds for what patterns of somebody's workspace may cost; {@link AutomatonTooLarge} beyond. */
export const maxStates = 4_000;
export const maxWork = 400_000;

/** Thrown where a set of texts takes too many states. */
export class AutomatonTooLarge extends Error {
  override readonly name: string = 'AutomatonTooLarge';
}

/** All texts. */
export const anyText: Automaton = [
  { label: accepted, transitions: [{ from: 0, to: lastCodePoint, target: 0 }] },
];

/** Listed texts with their labels; of a text that is listed twice the first label counts. */
export function listedTexts(texts: Iterable<readonly [text: string, label: number]>): Automaton {
  const states: { label: number; next: Map<number, number> }[] = [{ label: refused, next: new Map() }];
  for (const [text, label] of texts) {
    let state = states[0];
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const known = state?.next.get(code);
      if (known === undefined) {
        state?.next.set(code, states.length);
        state = { label: refused, next: new Map() };
        states.push(state);
        if (states.length > 20 * maxStates) throw new AutomatonTooLarge();
      } else state = states[known];
    }
    if (state?.label === refused) state.label = label;
  }
  return minimized(
    states.map(({ label, next }) => ({
      label,
      transitions: [...next]
        .sort(([a], [b]) => a - b)
        .map(([code, target]) => ({ from: code, to: code, target })),
    })),
  );
}

/** Cuts overlapping ranges where any of them begins or ends. */
export function* stretches(
  moves: readonly { readonly ranges: readonly CodeRange[]; readonly target: number }[],
): Generator<[from: number, to: number, targets: readonly number[]]> {
  const cuts: { at: number; target: number; change: 1 | -1 }[] = [];
  for (const { ranges, target } of moves) {
    for (const [from, to] of ranges) {
      if (from > to) continue;
      cuts.push({ at: from, target, change: 1 }, { at: to + 1, target, change: -1 });
    }
  }
  cuts.sort((a, b) => a.at - b.at);
  const open = new Map<number, number>();
  for (let index = 0; index < cuts.length; ) {
    const at = cuts[index]?.at ?? 0;
    for (let cut = cuts[index]; cut !== undefined && cut.at === at; cut = cuts[++index]) {
      const count = (open.get(cut.target) ?? 0) + cut.change;
      if (count === 0) open.delete(cut.target);
      else open.set(cut.target, count);
    }
    const next = cuts[index]?.at;
    if (open.size > 0 && next !== undefined) yield [at, next - 1, [...open.keys()]];
  }
}

/** A part of a product. */
export interface Factor {
  readonly automaton: Automaton;
  /** True where texts that it refuses can't be in the result. */
  readonly isNeeded: boolean;
}

/**
 * The texts by the labels that they have in all of several automata: `combine` gives the label, or {@link refused}.
 *
 * @throws AutomatonTooLarge
 */
export function combined(
  factors: readonly Factor[],
  combine: (labels: readonly number[]) => number,
): Automaton {
  const dead = -1;
  const states: { at: readonly number[]; label: number; transitions: Transition[] }[] = [];
  const byKey = new Map<string, number>();
  const enter = (at: readonly number[]): number => {
    const key = at.join();
    const known = byKey.get(key);
    if (known !== undefined) return known;
    if (states.length >= maxStates) throw new AutomatonTooLarge();
    const label = combine(
      factors.map(({ automaton }, index) => automaton[at[index] ?? dead]?.label ?? refused),
    );
    byKey.set(key, states.length);
    return states.push({ at, label, transitions: [] }) - 1;
  };
  if (factors.some(({ automaton, isNeeded }) => isNeeded && automaton.length === 0)) return [];
  enter(factors.map(({ automaton }) => (automaton.length === 0 ? dead : 0)));
  let work = 0;
  for (const state of states) {
    const moves = factors.flatMap(({ automaton }, index) =>
      (automaton[state.at[index] ?? dead]?.transitions ?? []).map(({ from, to, target }) => ({
        ranges: [[from, to]] satisfies CodeRange[],
        // Which automaton it is of, and where it leads there.
        target: target * factors.length + index,
      })),
    );
    for (const [from, to, targets] of stretches(moves)) {
      if (++work > maxWork) throw new AutomatonTooLarge();
      const at = factors.map(() => dead);
      for (const target of targets) at[target % factors.length] = Math.floor(target / factors.length);
      if (factors.some(({ isNeeded }, index) => isNeeded && at[index] === dead)) continue;
      state.transitions.push({ from, to, target: enter(at) });
    }
  }
  return minimized(states);
}

/** The texts that all of several automata have; labels are lost. */
export function intersection(automata: readonly Automaton[]): Automaton {
  const [first = anyText, ...others] = automata;
  if (others.length === 0) return first;
  return combined(
    automata.map((automaton) => ({ automaton, isNeeded: true })),
    (labels) => (labels.includes(refused) ? refused : accepted),
  );
}

/** Without the states from which nothing is reached that is accepted, and with states that mean the same made one. */
export function minimized(states: readonly AutomatonState[]): Automaton {
  const live = liveStates(states);
  if (!live.has(0)) return [];
  const blocks = blocksFromTheEnd(states, live) ?? refinedBlocks(states, live);
  const order = new Map<number, number>();
  const result: AutomatonState[] = [];
  for (const state of live) {
    const block = blocks.get(state) ?? 0;
    if (order.has(block)) continue;
    order.set(block, order.size);
    result.push(states[state] ?? { label: refused, transitions: [] });
  }
  return result.map(({ label, transitions }) => ({
    label,
    transitions: joined(transitions, blocks).map(({ from, to, block }) => ({
      from,
      to,
      target: order.get(block) ?? 0,
    })),
  }));
}

/** Which states mean the same, where no state leads back to itself; undefined where one does. */
function blocksFromTheEnd(
  states: readonly AutomatonState[],
  live: ReadonlySet<number>,
): Map<number, number> | undefined {
  const waiting = new Map<number, number>();
  const sources = new Map<number, number[]>();
  for (const state of live) {
    const targets = new Set<number>();
    for (const { target } of states[state]?.transitions ?? []) if (live.has(target)) targets.add(target);
    waiting.set(state, targets.size);
    for (const target of targets) {
      const list = sources.get(target) ?? [];
      list.push(state);
      sources.set(target, list);
    }
  }
  const blocks = new Map<number, number>();
  const known = new Map<string, number>();
  const ready = [...live].filter((state) => waiting.get(state) === 0);
  for (let state = ready.pop(); state !== undefined; state = ready.pop()) {
    const key = `${states[state]?.label}${moveKey(states[state], blocks)}`;
    if (!known.has(key)) known.set(key, known.size);
    blocks.set(state, known.get(key) ?? 0);
    for (const source of sources.get(state) ?? []) {
      const left = (waiting.get(source) ?? 0) - 1;
      waiting.set(source, left);
      if (left === 0) ready.push(source);
    }
  }
  return blocks.size === live.size ? blocks : undefined;
}

/** The same where states do lead back: begins with labels, and tells apart until nothing more differs. */
function refinedBlocks(states: readonly AutomatonState[], live: ReadonlySet<number>): Map<number, number> {
  let blocks = new Map<number, number>();
  for (const state of live) blocks.set(state, states[state]?.label ?? refused);
  let work = 0;
  for (let count = new Set(blocks.values()).size; ; ) {
    const next = new Map<number, number>();
    const refined = new Map<string, number>();
    for (const state of live) {
      work += states[state]?.transitions.length ?? 0;
      const key = `${blocks.get(state)}${moveKey(states[state], blocks)}`;
      if (!refined.has(key)) refined.set(key, refined.size);
      next.set(state, refined.get(key) ?? 0);
    }
    if (work > maxWork) throw new AutomatonTooLarge();
    blocks = next;
    if (refined.size === count) return blocks;
    count = refined.size;
  }
}

function moveKey(state: AutomatonState | undefined, blocks: ReadonlyMap<number, number>): string {
  let key = '';
  for (const { from, to, block } of joined(state?.transitions ?? [], blocks))
    key += `,${from}-${to}:${block}`;
  return key;
}

function liveStates(states: readonly AutomatonState[]): ReadonlySet<number> {
  const reached = new Set<number>(states.length > 0 ? [0] : []);
  const sources = new Map<number, number[]>();
  for (const state of reached) {
    for (const { target } of states[state]?.transitions ?? []) {
      reached.add(target);
      const list = sources.get(target) ?? [];
      list.push(state);
      sources.set(target, list);
    }
  }
  const useful = new Set([...reached].filter((state) => states[state]?.label !== refused));
  for (const state of useful) for (const source of sources.get(state) ?? []) useful.add(source);
  // In the order in which they are reached, so that the same set of texts gives the same automaton.
  return new Set([...reached].filter((state) => useful.has(state)));
}

/** Neighbouring transitions to the same block as one; those that lead nowhere are left out. */
function joined(
  transitions: readonly Transition[],
  blocks: ReadonlyMap<number, number>,
): { from: number; to: number; block: number }[] {
  const result: { from: number; to: number; block: number }[] = [];
  for (const { from, to, target } of transitions) {
    const block = blocks.get(target);
    if (block === undefined) continue;
    const last = result.at(-1);
    if (last !== undefined && last.block === block && last.to === from - 1) last.to = to;
    else result.push({ from, to, block });
  }
  return result;
}

/** What an automaton makes of a text. */
export function labelOf(automaton: Automaton, text: string): number {
  let state = automaton[0];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const transition = state?.transitions.find(({ from, to }) => from <= code && code <= to);
    if (transition === undefined) return refused;
    state = automaton[transition.target];
  }
  return state?.label ?? refused;
}
