/**
 * Expressions of invariants and breakpoint conditions: CEL (the Common Expression Language), which has no side effects
 * and no access to the host. `state.inventory.all(shelf, state.inventory[shelf] != "")`.
 *
 * Beyond standard CEL, integers and other numbers mix (`state.price * 2`, where CEL would ask for `2.0`), `values(map)`
 * lists a map's values, and `unique(list)` is true where no two items are equal: `unique(values(state.inventory))`.
 * Every expression ends soon: whatever takes longer for larger data draws on one budget of steps, patterns don't
 * backtrack, and `cel.bind`, with which values could be doubled again and again, is refused.
 */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { compilePattern } from '../../../schemas/text/safePattern';
import { type CelValue, fromCel, toCel } from './celValues';
import { canonicalJson } from './jsonEquality';
import { meterExpression, safeMatches } from './meteredExpression';
import { quoted } from './quotation';
import { StepBudget } from './stepBudget';

/** The values of an expression's variables, such as `{ state }`. */
export type ExpressionVariables = Readonly<Record<string, JsonValue>>;

export type Evaluation =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

export type ExpressionCompilation =
  | {
      readonly ok: true;
      /** The variables that it may read; whoever evaluates it needs to give no others. */
      readonly names: readonly string[];
      evaluate(variables: ExpressionVariables): Evaluation;
    }
  /** `offset` is the UTF-16 offset in the source at which it went wrong. */
  | { readonly ok: false; readonly message: string; readonly offset?: number };

/** Limits of one expression's own size. */
const limits = { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 1_000, maxMapEntries: 1_000 };

const tooDeep = 'The expression is nested too deeply; write it shorter.';

/**
 * Compiles an expression. Where `variables` names those that exist, any other is an error here; without it one is an
 * error on evaluation.
 */
export function compileExpression(source: string, variables?: readonly string[]): ExpressionCompilation {
  const budget = new StepBudget();
  let expression: ReturnType<Environment['parse']>;
  try {
    expression = environmentFor(variables).parse(source);
    secure(expression.ast);
  } catch (error) {
    // The parser descends into repeated signs, such as `!!!!…`, before it counts how deep it is.
    if (error instanceof RangeError) return { ok: false, message: tooDeep };
    return { ok: false, ...describe(error, source) };
  }
  const check = expression.check();
  if (!check.valid) return { ok: false, ...describe(check.error, source) };
  const names = identifiersOf(expression.ast).filter((name) => variables?.includes(name) ?? true);
  meterExpression(expression.ast, budget);
  return {
    ok: true,
    names,
    evaluate: (values) => {
      budget.refill();
      try {
        const context = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, toCel(value)]),
        );
        const result: unknown = expression(context);
        // The expression may have absorbed the error: `… || true`.
        if (budget.exceeded !== undefined) throw budget.exceeded;
        budget.takeDeep(result, 2);
        return { ok: true, value: fromCel(result) };
      } catch (error) {
        return { ok: false, message: describe(budget.exceeded ?? error, source).message };
      }
    },
  };
}

/** An expression as the library reads it, to be looked through; undefined where it can't be read. */
export function parsedExpression(source: string, variables: readonly string[]): ASTNode | undefined {
  try {
    return environmentFor(variables).parse(source).ast;
  } catch {
    return undefined; // compileExpression says why
  }
}

const environments = new Map<string, Environment>();

function environmentFor(variables: readonly string[] | undefined): Environment {
  const key = variables?.join(' ') ?? '*';
  const known = environments.get(key);
  if (known !== undefined) return known;
  const environment = new Environment({
    unlistedVariablesAreDyn: variables === undefined,
    homogeneousAggregateLiterals: false,
    limits,
  });
  for (const name of variables ?? []) environment.registerVariable(name, 'dyn');
  for (const [left, right] of [
    ['int', 'double'],
    ['double', 'int'],
  ] as const) {
    environment.registerOperator(`${left} + ${right}: double`, (a, b) => Number(a) + Number(b));
    environment.registerOperator(`${left} - ${right}: double`, (a, b) => Number(a) - Number(b));
    environment.registerOperator(`${left} * ${right}: double`, (a, b) => Number(a) * Number(b));
    environment.registerOperator(`${left} / ${right}: double`, (a, b) => Number(a) / Number(b));
  }
  const sync = { async: false };
  environment.registerFunction('values(map): list', (map: Map<string, CelValue>) => [...map.values()], sync);
  environment.registerFunction('unique(list): bool', areUnique, sync);
  environment.registerFunction(`string.${safeMatches}(string): bool`, matchesSafely, sync);
  environments.set(key, environment);
  return environment;
}

function areUnique(list: readonly CelValue[]): boolean {
  const keys = list.map((item) => (typeof item === 'string' ? `"${item}` : canonicalJson(fromCel(item))));
  return new Set(keys).size === list.length;
}

/** The library's own `matches` uses the host's backtracking engine. */
function matchesSafely(text: string, pattern: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new ExpressionFault(compiled.message);
  return compiled.test(text);
}

/** What we refuse ourselves, beside the library. */
class ExpressionFault extends Error {
  override readonly name: string = 'ExpressionFault';
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** Prepares a parsed expression for the check: replaces `matches`, refuses what could not be bounded. */
function secure(root: ASTNode): void {
  const pending: unknown[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node)) {
      pending.push(...node);
      continue;
    }
    if (!isNode(node)) continue;
    if (node.op === 'rcall') secureCall(node);
    pending.push(node.args);
  }
}

function secureCall(node: ASTNode & { op: 'rcall' }): void {
  const [name, receiver] = node.args;
  if (name === 'matches') node.args[0] = safeMatches;
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') {
    throw new ExpressionFault('cel.bind is not available.', node.start);
  }
  // What it reads could nest without end.
  if (name === 'json') throw new ExpressionFault('json is not available.', node.start);
}

/** Every identifier of an expression, variables of its loops included. */
function identifiersOf(root: ASTNode): readonly string[] {
  const names = new Set<string>();
  const pending: unknown[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (Array.isArray(node)) {
      for (const part of node) pending.push(part);
    } else if (isNode(node)) {
      if (node.op === 'id') names.add(node.args);
      else pending.push(node.args);
    }
  }
  return [...names];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Codes of the library for what stands where it can't; its own words name tokens as the parser does. */
const misplacedTokens: ReadonlySet<unknown> = new Set([
  'expected_token',
  'unexpected_character',
  'unexpected_token',
]);

function misplacedMessage(source: string, offset: number): string {
  const rest = source.slice(offset).trim();
  if (rest === '') {
    return 'The expression is not complete: at its end something is missing, such as a value or a closing bracket.';
  }
  const token = /^(?:\w+|&&|\|\||[=!<>]=|.)/u.exec(rest)?.[0] ?? rest;
  return `${quoted(token)} cannot stand here; perhaps something is missing before it, such as an operator, a value or a closing bracket.`;
}

/** An error of the library, which carries a summary and a range, as one sentence without its drawing of the source. */
function describe(error: unknown, source: string): { message: string; offset?: number } {
  if (!(error instanceof Error)) return { message: String(error) };
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  const range: unknown = 'range' in error ? error.range : undefined;
  const start = typeof range === 'object' && range !== null && 'start' in range ? range.start : undefined;
  const offset = error instanceof ExpressionFault ? error.offset : start;
  const misplaced = 'code' in error && misplacedTokens.has(error.code) && typeof offset === 'number';
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`;
  const message = misplaced ? misplacedMessage(source, offset) : sentence;
  return typeof offset === 'number' ? { message, offset } : { message };
}
