/**
 * Makes a checked CEL expression draw on a {@link StepBudget}: every part of it, each time it is evaluated, and every
 * operation by the size of what it is given. The library has no hook for that, but keeps with every part of an
 * expression the functions that evaluate it, which are wrapped here.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { patternSize } from '../../../schemas/text/patternSize';
import { type StepBudget, shallowSteps } from './stepBudget';

/** What an error costs that the expression may absorb, in steps: the library draws the source into each. */
const errorSteps = 200;
const charactersPerErrorStep = 10;

/** What a formatter of the host costs, in steps: the getters of a timestamp that take a time zone make one. */
const timeZoneSteps = 2_000;

/** What a call costs beside its arguments: the library looks for the function that takes them. */
const callSteps = 10;

/** What the first value of another type costs: the library makes that type, and looks for operators of it. */
const newTypeSteps = 2_000;

/** What each level of a value's nesting costs where its type is found out. */
const typeLevelSteps = 4;

/** `unique` writes every value out as a text. */
const uniqueFactor = 12;

/** How many items of a list are compared with a simple value in one step. */
const itemsPerStep = 4;

/** What compiling a pattern costs, for each of its parts, and how many of them are tried on a character in one step. */
const compileSteps = 100;
const partsPerStep = 4;

/** The function that `matches` is replaced by. */
export const safeMatches = 'matchesSafely';

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;
type Handle = (...values: unknown[]) => unknown;

/** A part of an expression as the library keeps it, after the check. */
interface Part {
  readonly op: string;
  readonly args: unknown;
  readonly input?: string;
  /** What the part stands for is in `alternate` (a loop, a constant) or `macro` (`has`), if there is one. */
  readonly meta: { readonly alternate?: Part; readonly macro?: Runnable; readonly evaluate: Evaluate };
  evaluate: Evaluate;
  /** Applies an operator, a call or a loop to values. */
  handle?: Handle;
}

interface Runnable {
  evaluate: Evaluate;
}

/** Wraps every part of a checked expression, once. */
export function meterExpression(root: ASTNode, budget: StepBudget): void {
  let lastError: unknown;
  const chargeError = (error: unknown, part: Part): void => {
    if (error === lastError) return;
    lastError = error;
    budget.take(errorSteps + (part.input?.length ?? 0) / charactersPerErrorStep);
  };
  const pending: unknown[] = [root];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) {
      pending.push(...next);
      continue;
    }
    if (!isPart(next) || seen.has(next)) continue;
    seen.add(next);
    pending.push(...partsOf(next));
    meterPart(next, budget, chargeError);
  }
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value;
}

function partsOf({ op, args, meta }: Part): readonly unknown[] {
  const { alternate } = meta;
  if (op !== 'comprehension') return [args, alternate];
  const { iterable, init, step } = args as { iterable: unknown; init: unknown; step: unknown };
  return [iterable, init, step];
}

function meterPart(part: Part, budget: StepBudget, chargeError: (error: unknown, part: Part) => void): void {
  const { alternate, macro, evaluate } = part.meta;
  if (typeof evaluate !== 'function')
    throw new Error(`The expression library evaluates ${part.op} unexpectedly`);
  const target: Runnable | undefined = alternate ?? macro;
  part.evaluate = (evaluator, node, context) => {
    budget.take(1);
    try {
      return target === undefined
        ? evaluate(evaluator, node, context)
        : target.evaluate(evaluator, target, context);
    } catch (error) {
      chargeError(error, part);
      throw error;
    }
  };
  meterCondition(part, budget);
  const { handle } = part;
  const charge = chargeOf(part);
  if (handle === undefined || charge === undefined) return;
  part.handle = (...values) => {
    charge(budget, values);
    const result = handle(...values);
    // What an operation makes may be larger than what it is given: `split`.
    if (Array.isArray(result)) budget.takeShallow(result);
    return result;
  };
}

/** `all` and `exists` absorb the errors of what they ask of an item, but not those of the condition to go on. */
function meterCondition({ op, args }: Part, budget: StepBudget): void {
  if (op !== 'comprehension') return;
  const loop = args as { condition?: (accumulator: unknown) => boolean };
  const { condition } = loop;
  loop.condition = (accumulator) => {
    budget.take(1);
    return condition === undefined || condition(accumulator);
  };
}

type Charge = (budget: StepBudget, values: readonly unknown[]) => void;

/** What is taken before an operation is applied; undefined where it takes no longer for larger values. */
function chargeOf({ op, args }: Part): Charge | undefined {
  switch (op) {
    case 'comprehension':
      // A map's keys are listed; a list's items are counted one by one.
      return (budget, [range]) => {
        if (!Array.isArray(range)) budget.takeShallow(range);
      };
    case '==':
    case '!=':
      return (budget, [left, right]) => {
        takeTypes(budget, left, right);
        takeComparison(budget, left, right);
      };
    case 'in':
      return (budget, [item, range]) => {
        takeTypes(budget, item, range);
        takeSearch(budget, item, range);
      };
    case '+':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return (budget, [left, right]) => {
        takeTypes(budget, left, right);
        takeOperand(budget, left);
        takeOperand(budget, right);
      };
    case 'call':
    case 'rcall': {
      const charge = callCharge((args as readonly [string])[0]);
      return (budget, [values]) => {
        // The receiver, if there is one, and the arguments.
        const given: readonly unknown[] = Array.isArray(values) ? values : [];
        budget.take(callSteps);
        takeTypes(budget, ...given);
        charge(budget, given);
      };
    }
    default:
      return undefined;
  }
}

function takeOperand(budget: StepBudget, value: unknown): void {
  if (typeof value === 'string' || typeof value === 'object') budget.takeShallow(value);
}

function takeComparison(budget: StepBudget, left: unknown, right: unknown): void {
  if (left === right || typeof left !== typeof right) return;
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) budget.takeShallow(left);
  } else if (sizeOf(left) === sizeOf(right)) {
    budget.takeDeep(left);
    budget.takeDeep(right);
  }
}

/** What has to agree where two values are equal. */
function sizeOf(value: unknown): unknown {
  return Array.isArray(value) ? value.length : value instanceof Map ? value.size : undefined;
}

function takeSearch(budget: StepBudget, item: unknown, range: unknown): void {
  if (!Array.isArray(range)) return;
  if (typeof item === 'object' && item !== null) {
    budget.takeDeep(range);
    budget.take(shallowSteps(item));
  } else {
    budget.take((shallowSteps(range) * shallowSteps(item)) / itemsPerStep);
  }
}

/** The functions that take a time zone all begin like this. */
const timestampGetter = /^get[A-Z]/;

function callCharge(name: string): Charge {
  if (name === 'unique') return (budget, [list]) => budget.takeDeep(list, uniqueFactor);
  if (name === 'size') return takeSize;
  if (name === 'join') return takeJoin;
  if (name === safeMatches) return takeMatch;
  if (timestampGetter.test(name))
    return (budget, values) => budget.take(values.length > 1 ? timeZoneSteps : 1);
  return (budget, values) => {
    for (const value of values) budget.takeShallow(value);
  };
}

/** Lists and maps know their sizes; the characters of a text are counted one by one. */
function takeSize(budget: StepBudget, [value]: readonly unknown[]): void {
  if (typeof value === 'string') budget.take(1 + value.length / 8);
}

function takeJoin(budget: StepBudget, [list, separator]: readonly unknown[]): void {
  budget.takeDeep(list);
  if (Array.isArray(list)) budget.take(list.length * shallowSteps(separator));
}

function takeMatch(budget: StepBudget, [text, pattern]: readonly unknown[]): void {
  if (typeof text !== 'string' || typeof pattern !== 'string') return;
  budget.takeShallow(pattern);
  const size = patternSize(pattern);
  if (budget.isNew(pattern)) budget.take(compileSteps * (size + 10));
  budget.take(((text.length + 10) * (size + 10)) / partsPerStep);
}

/** Takes what finding out the types of values costs: a list has the type of its first item, a map that of its first entry. */
function takeTypes(budget: StepBudget, ...values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const type = typeName(value);
    budget.take(type.length * typeLevelSteps);
    if (budget.isNew(`type ${type}`)) budget.take(newTypeSteps);
  }
}

/** The same text for values of one type of the library: `[[string`. */
function typeName(value: object): string {
  let name = '';
  let inner: unknown = value;
  while (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner)) {
    const isList = Array.isArray(inner);
    name += isList ? '[' : '{';
    inner = isList ? (inner as readonly unknown[])[0] : firstEntry(inner);
  }
  return name + typeof inner;
}

function firstEntry(map: object): unknown {
  if (map instanceof Map) return map.values().next().value;
  for (const key in map) return (map as Readonly<Record<string, unknown>>)[key];
  return undefined;
}
