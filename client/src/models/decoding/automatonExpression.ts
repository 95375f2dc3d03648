/** Automata as expressions: for each text one way only, so that whoever follows a grammar has little to keep in mind. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { type Automaton, AutomatonTooLarge, refused } from './automaton';
import type { BoundedTexts } from './automatonLength';
import {
  choice,
  type Expression,
  type GrammarRule,
  nothing,
  repeat,
  sequence,
  text,
} from './grammarExpression';

export interface AutomatonWriting {
  /** What stands behind a text with a label. */
  readonly behind: (label: number) => Expression;
  /** Characters that are written otherwise, as `"` is inside of a JSON string. */
  readonly escapes: ReadonlyMap<number, string>;
}

/** Up to which size an expression is written again rather than named. */
const maxCopied = 6;

/** How deep expressions nest; what nests deeper is left to the runtime's check. */
const maxDepth = 300;

/** The texts from a state on, the first one if none is given. */
export function automatonExpression(
  { automaton, loopLimit }: BoundedTexts,
  writing: AutomatonWriting,
  from = 0,
): Expression {
  return new Writer(automaton, loopLimit, writing).state(from);
}

interface Group {
  readonly ranges: readonly CodeRange[];
  readonly target: number;
}

class Writer {
  readonly #groups: readonly (readonly Group[])[];
  readonly #uses: readonly number[];
  readonly #written = new Map<number, Expression>();
  readonly #automaton: Automaton;
  readonly #loopLimit: number;
  readonly #writing: AutomatonWriting;
  #depth = 0;

  constructor(automaton: Automaton, loopLimit: number, writing: AutomatonWriting) {
    this.#automaton = automaton;
    this.#loopLimit = loopLimit;
    this.#writing = writing;
    this.#groups = automaton.map(({ transitions }) => groupsOf(transitions));
    const uses = automaton.map(() => 0);
    for (const [state, groups] of this.#groups.entries())
      for (const { target } of groups) if (target !== state) uses[target] = (uses[target] ?? 0) + 1;
    this.#uses = uses;
  }

  /** Nests as deep as ways part; where they don't, states are followed in a loop. @throws AutomatonTooLarge */
  state(start: number): Expression {
    const known = this.#written.get(start);
    if (known !== undefined) return known;
    if (++this.#depth > maxDepth) throw new AutomatonTooLarge();
    const expression = this.#follow(start);
    this.#depth--;
    return expression;
  }

  #follow(start: number): Expression {
    const parts: Expression[] = [];
    let at = start;
    for (;;) {
      const run = this.#run(at);
      if (run === undefined) break;
      parts.push(run.expression);
      if (run.target === undefined) return this.#keep(start, parts);
      at = run.target;
      const shared = (this.#uses[at] ?? 0) > 1 ? this.state(at) : undefined;
      if (shared === undefined) continue;
      parts.push(shared);
      return this.#keep(start, parts);
    }
    parts.push(...this.#branches(at));
    return this.#keep(start, parts);
  }

  #keep(state: number, parts: readonly Expression[]): Expression {
    let expression = sequence(...parts);
    if ((this.#uses[state] ?? 0) > 1 && sizeOf(expression, maxCopied) > maxCopied) {
      const rule: GrammarRule = { body: expression };
      expression = { kind: 'rule', rule };
    }
    this.#written.set(state, expression);
    return expression;
  }

  /** A state with a single way on, and those behind it that take the same characters; undefined where ways part. */
  #run(start: number): { readonly expression: Expression; readonly target: number | undefined } | undefined {
    const [only, ...others] = this.#groups[start] ?? [];
    if (only === undefined || others.length > 0 || only.target === start) return undefined;
    const label = this.#automaton[start]?.label ?? refused;
    const key = String(only.ranges);
    let count = 1;
    let at = only.target;
    for (;;) {
      const [next, ...more] = this.#groups[at] ?? [];
      const goesOn =
        next !== undefined &&
        more.length === 0 &&
        next.target !== at &&
        String(next.ranges) === key &&
        this.#automaton[at]?.label === label &&
        this.#uses[at] === 1;
      if (!goesOn) break;
      count++;
      at = next.target;
    }
    const characters = this.#characters(only.ranges);
    if (label === refused) return { expression: repeat(characters, count, count), target: at };
    // All may end here: the last one too, if nothing more follows.
    const isLast = this.#automaton[at]?.label === label && this.#groups[at]?.length === 0;
    if (!isLast) return undefined;
    return {
      expression: sequence(repeat(characters, 0, count), this.#writing.behind(label)),
      target: undefined,
    };
  }

  /** What stands behind a state whose ways part. */
  #branches(state: number): Expression[] {
    const groups = this.#groups[state] ?? [];
    const label = this.#automaton[state]?.label ?? refused;
    const loop = groups.find(({ target }) => target === state);
    const options: Expression[] = label === refused ? [] : [this.#writing.behind(label)];
    for (const { ranges, target } of groups) {
      if (target !== state) options.push(sequence(this.#characters(ranges), this.state(target)));
    }
    const rest = choice(options);
    return loop === undefined ? [rest] : [repeat(this.#characters(loop.ranges), 0, this.#loopLimit), rest];
  }

  #characters(ranges: readonly CodeRange[]): Expression {
    const [only] = ranges;
    if (ranges.length === 1 && only !== undefined && only[0] === only[1])
      return text(this.#writing.escapes.get(only[0]) ?? String.fromCodePoint(only[0]));
    const plain: CodeRange[] = [];
    const escaped: Expression[] = [];
    for (const [from, to] of ranges) {
      let start = from;
      for (const [code, written] of this.#writing.escapes) {
        if (code < from || code > to) continue;
        escaped.push(text(written));
        if (code > start) plain.push([start, code - 1]);
        start = code + 1;
      }
      if (start <= to) plain.push([start, to]);
    }
    const [single] = plain;
    if (plain.length === 1 && single !== undefined && single[0] === single[1])
      escaped.unshift(text(String.fromCodePoint(single[0])));
    else if (plain.length > 0) escaped.unshift({ kind: 'characters', ranges: plain });
    return choice(escaped);
  }
}

/** The transitions by where they lead. */
function groupsOf(transitions: Automaton[number]['transitions']): readonly Group[] {
  const groups = new Map<number, CodeRange[]>();
  for (const { from, to, target } of transitions) {
    const ranges = groups.get(target) ?? [];
    ranges.push([from, to]);
    groups.set(target, ranges);
  }
  return [...groups].map(([target, ranges]) => ({ target, ranges }));
}

/** How many parts an expression has, up to a bit more than a limit. */
export function sizeOf(expression: Expression, limit: number): number {
  switch (expression.kind) {
    case 'text':
      return 1 + expression.text.length / 8;
    case 'characters':
      return 1 + expression.ranges.length / 2;
    case 'rule':
      return 1;
    case 'repeat':
      return 1 + sizeOf(expression.part, limit);
    case 'sequence':
    case 'choice': {
      let size = 0;
      for (const part of expression.kind === 'sequence' ? expression.parts : expression.options) {
        size += sizeOf(part, limit);
        if (size > limit) break;
      }
      return size;
    }
  }
}

/** Of a JSON string. */
export const jsonEscapes: ReadonlyMap<number, string> = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

export const noEscapes: ReadonlyMap<number, string> = new Map();

/** Nothing behind a text, whatever its label. */
export const nothingBehind = (): Expression => nothing;
