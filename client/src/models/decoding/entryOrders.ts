/** Entries of an object or a list, each at most once, as far as a grammar can say so in few rules. */
import {
  choice,
  type Expression,
  type GrammarRule,
  nothing,
  optional,
  ruleOf,
  sequence,
  text,
} from './grammarExpression';

export interface Entry {
  readonly expression: Expression;
  readonly isRequired: boolean;
}

/** Up to so many entries come in any order. */
const maxFreelyOrdered = 4;
/** Up to so many in every order of two, and in turn: from any of them on to the last, then from the first. */
const maxRotated = 64;
/** Up to so many in their own order; what comes first of several thousand is slow to find. */
const maxOrdered = 400;
/** How many are counted one by one. */
const maxCounted = 6;

/**
 * At least `min` and at most `max` of the entries with commas between them, all that are required among them. Undefined
 * where that can't be; {@link nothing} is one of the texts where `min` is 0.
 */
export function entriesInOrders(entries: readonly Entry[], min: number, max: number): Expression | undefined {
  const required = entries.filter(({ isRequired }) => isRequired).length;
  const least = Math.max(min, required);
  if (least > entries.length || least > max) return undefined;
  if (entries.length === 0 || max === 0) return nothing;
  const kept = entries.length <= maxOrdered ? entries : withoutSome(entries);
  const shared = kept.map(({ expression, isRequired }) => ({ expression: ruleOf(expression), isRequired }));
  if (shared.length <= maxFreelyOrdered) return inAnyOrder(shared, least, max);
  if (max < shared.length || min > Math.max(1, required))
    return counted(shared, least, Math.min(max, Math.max(least, maxCounted)));
  const some = shared.length <= maxRotated ? rotated(shared) : inOrder(shared);
  return least === 0 ? optional(some) : some;
}

/** What is required, and as many others as there is room for. */
function withoutSome(entries: readonly Entry[]): readonly Entry[] {
  let room = maxOrdered - entries.filter(({ isRequired }) => isRequired).length;
  return entries.filter(({ isRequired }) => isRequired || room-- > 0);
}

/** Every order of every choice. */
function inAnyOrder(entries: readonly Entry[], min: number, max: number): Expression | undefined {
  const rests = new Map<number, Expression | undefined>();
  const has = (set: number, index: number): boolean => (set >> index) % 2 === 1;
  /** What may follow the entries of a set; undefined where what is required no longer fits in. */
  const after = (set: number): Expression | undefined => {
    if (rests.has(set)) return rests.get(set);
    const count = entries.filter((_, index) => has(set, index)).length;
    const options: Expression[] = [];
    for (const [index, { expression }] of entries.entries()) {
      if (has(set, index) || count === max) continue;
      const rest = after(set | (1 << index));
      if (rest !== undefined) options.push(sequence(text(count === 0 ? '' : ','), expression, rest));
    }
    const isEnough = entries.every(({ isRequired }, index) => !isRequired || has(set, index));
    if (count >= min && isEnough) options.push(nothing);
    const body = options.length === 0 ? undefined : choice(options);
    const rest = body === undefined || options.length === 1 ? body : ruleOf(body);
    rests.set(set, rest);
    return rest;
  };
  const expression = after(0);
  return expression?.kind === 'rule' ? expression.rule.body : expression;
}

/** From any entry on to the last one, then from the first one up to before it. */
function rotated(entries: readonly Entry[]): Expression {
  const following: Expression[] = [];
  let rest: Expression = nothing;
  for (let index = entries.length - 1; index >= 0; index--) {
    following[index] = rest;
    rest = ruleOf(sequence(joined(entries[index]), rest));
  }
  const options: Expression[] = [];
  let before: Expression = nothing;
  for (const [index, entry] of entries.entries()) {
    options.push(sequence(entry.expression, following[index] ?? nothing, before));
    before = ruleOf(sequence(before, joined(entry)));
  }
  return ruleOf(choice(options));
}

function joined(entry: Entry | undefined): Expression {
  if (entry === undefined) return nothing;
  const one = sequence(text(','), entry.expression);
  return entry.isRequired ? one : optional(one);
}

/** In the order in which they stand. */
function inOrder(entries: readonly Entry[]): Expression {
  const options: Expression[] = [];
  let rest: Expression = nothing;
  const firstRequired = entries.findIndex(({ isRequired }) => isRequired);
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined) continue;
    // Nothing that is required may be passed over.
    if (firstRequired < 0 || index <= firstRequired) options.unshift(sequence(entry.expression, rest));
    rest = ruleOf(sequence(joined(entry), rest));
  }
  return ruleOf(choice(options));
}

/** In the order in which they stand, at most so many; of two, in both orders. */
function counted(entries: readonly Entry[], min: number, max: number): Expression | undefined {
  if (max === 2 && !entries.some(({ isRequired }) => isRequired)) return pairs(entries, min);
  const rules = new Map<string, GrammarRule>();
  const from = (index: number, taken: number): Expression => {
    const entry = entries[index];
    if (entry === undefined || taken === max) return nothing;
    const key = `${index} ${taken}`;
    const known = rules.get(key);
    if (known !== undefined) return { kind: 'rule', rule: known };
    const rule: GrammarRule = { body: nothing };
    rules.set(key, rule);
    const needed = entries.slice(index).filter(({ isRequired }) => isRequired).length;
    const left = entries.length - index;
    const options: Expression[] = [];
    const takes = entry.isRequired || max - taken > needed;
    if (takes)
      options.push(sequence(text(taken === 0 ? '' : ','), entry.expression, from(index + 1, taken + 1)));
    if (!entry.isRequired && taken + left - 1 >= min) options.push(from(index + 1, taken));
    rule.body = choice(options);
    return { kind: 'rule', rule };
  };
  return from(0, 0);
}

function pairs(entries: readonly Entry[], min: number): Expression {
  const after: Expression[] = [];
  let rest: Expression = nothing;
  for (let index = entries.length - 1; index >= 0; index--) {
    after[index] = rest;
    const entry = entries[index]?.expression ?? nothing;
    rest = rest === nothing ? entry : ruleOf(choice([entry, rest]));
  }
  const options: Expression[] = [];
  let before: Expression = nothing;
  for (const [index, { expression }] of entries.entries()) {
    const others = [before, after[index] ?? nothing].filter((part) => part !== nothing);
    const second = sequence(text(','), choice(others));
    options.push(sequence(expression, min === 2 ? second : optional(second)));
    before = before === nothing ? expression : ruleOf(choice([before, expression]));
  }
  const some = ruleOf(choice(options));
  return min === 0 ? optional(some) : some;
}
