/** Conditions and hit conditions of breakpoints and exception filters: how they are read, and what they speak of. */
import { type JsonValue, ownProperty } from '../../../schemas/json/jsonValue';
import type { PhaseReport } from '../runtime/execution';
import { compileExpression, type Evaluation } from '../runtime/expression';
import type { Position } from './position';
import { isExhausted } from './stopPolicy';
import { valueText } from './valueText';
import { rootNames, rootValue } from './view';

/** A moment of a run that an expression is evaluated at, with what it can name beside the roots of the console. */
export interface Moment {
  readonly position: Position;
  readonly extra: Readonly<Record<string, JsonValue>>;
}

/** An expression that is ready to be evaluated at any moment. */
export interface MomentExpression {
  readonly source: string;
  /** What it may look up. */
  readonly names: readonly string[];
  /** Only what the expression names is looked up. */
  evaluate(moment: Moment): Evaluation;
}

export type Compiled<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** The moment just before the phase that a report leads to; after a rejection that of the rejected reply. */
export function arrivalMoment(report: PhaseReport, extra: Moment['extra'] = {}): Moment {
  const rejected = report.rejection === undefined ? undefined : report;
  return {
    position: {
      run: report.after,
      underWay: false,
      partialReply: '',
      rejected,
      exhausted: rejected !== undefined && isExhausted(report),
    },
    extra,
  };
}

/** The moment at the end of a phase, still in the step that it belongs to, with Σ as the phase left it. */
export function closingMoment({ before, after }: PhaseReport, extra: Moment['extra'] = {}): Moment {
  const run = { ...before, state: after.state, totals: after.totals, score: after.score };
  return {
    position: { run, underWay: false, partialReply: '', rejected: undefined, exhausted: false },
    extra,
  };
}

/**
 * Compiles an expression over the roots of the console and `extra` names. Where it can't be read, the message says why,
 * and what it may name.
 */
export function compileMomentExpression(
  source: string,
  extra: readonly string[] = [],
): Compiled<MomentExpression> {
  const known = [...rootNames, ...extra];
  const compiled = compileExpression(source, known);
  if (!compiled.ok) {
    return { ok: false, message: `${compiled.message} It may name ${known.join(', ')}.` };
  }
  return {
    ok: true,
    value: {
      source,
      names: compiled.names,
      evaluate: (moment) =>
        compiled.evaluate(Object.fromEntries(compiled.names.map((name) => [name, namedValue(name, moment)]))),
    },
  };
}

/** What a name stands for; null where there is no such thing at that moment. */
function namedValue(name: string, { position, extra }: Moment): JsonValue {
  const root = rootNames.find((candidate) => candidate === name);
  return ownProperty(extra, name) ?? (root === undefined ? undefined : rootValue(root, position)) ?? null;
}

export type Verdict = boolean | { readonly problem: string };

/** Whether a condition holds; a problem where it can't be evaluated or gives neither true nor false. */
export function holds(condition: MomentExpression, moment: Moment): Verdict {
  const result = condition.evaluate(moment);
  if (!result.ok) return { problem: result.message };
  if (typeof result.value === 'boolean') return result.value;
  return { problem: `It gives ${valueText(result.value, 100)}, which is neither true nor false.` };
}

/** Whether the n-th hit counts, n from 1. */
export type HitTest = (hit: number) => boolean;

const hitPattern = /^(>=|<=|={1,3}|>|<|%)?\s*(\d{1,15})$/;

/**
 * Reads a hit condition: `5` or `== 5` is the fifth hit, `>= 5` the fifth and those after it, `< 5` those before it,
 * `% 3` every third.
 */
export function compileHitCondition(source: string): Compiled<HitTest> {
  const [, operator = '==', digits] = hitPattern.exec(source.trim()) ?? [];
  const number = Number(digits);
  if (digits === undefined || (operator === '%' && number === 0)) {
    const message = `The hit condition ${JSON.stringify(source)} can't be read: write a number, such as 5, or >= 5, < 5 or % 5.`;
    return { ok: false, message };
  }
  return { ok: true, value: hitTest(operator, number) };
}

function hitTest(operator: string, number: number): HitTest {
  switch (operator) {
    case '>=':
      return (hit) => hit >= number;
    case '>':
      return (hit) => hit > number;
    case '<=':
      return (hit) => hit <= number;
    case '<':
      return (hit) => hit < number;
    case '%':
      return (hit) => hit % number === 0;
    default:
      return (hit) => hit === number;
  }
}
