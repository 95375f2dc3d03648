/** The parts of which derived grammars are made: texts of patterns, numbers, and entries in several orders. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelOf, refused } from '../../../../client/src/models/decoding/automaton';
import {
  automatonExpression,
  noEscapes,
  nothingBehind,
} from '../../../../client/src/models/decoding/automatonExpression';
import { boundedTexts } from '../../../../client/src/models/decoding/automatonLength';
import { entriesInOrders } from '../../../../client/src/models/decoding/entryOrders';
import {
  type Expression,
  ExpressionTooLong,
  repeat,
  sequence,
  text,
  writeGrammar,
} from '../../../../client/src/models/decoding/grammarExpression';
import { numberExpression } from '../../../../client/src/models/decoding/numberTexts';
import { patternTexts } from '../../../../client/src/models/decoding/patternAutomaton';
import { wholePattern } from '../../../../client/src/models/decoding/regexpText';
import { allowsNumber, type NumberShape } from '../../../../client/src/models/decoding/shapes';
import { characterCount } from '../../../../schemas/text/plainText';
import { compilePattern } from '../../../../schemas/text/safePattern';
import { isOfGrammar } from '../../../support/grammarSample';

const patterns = [
  '^shelf_(0|[1-9][0-9]?|[1-4][0-9]{2})$',
  '^(ab|c)+d?$',
  'b',
  '^a|b$',
  '(^a|b)c',
  '^[^a]*$',
  '^$',
  '',
  '^(a?b){2,3}$',
  '^\\w+\\s\\d$',
  '^[a-c]{0,3}(x|yy){1,2}$',
  '^.é$',
  '^\\p{L}+$',
  '^(a|b)*a(a|b){3}$',
  '^(?:a(?:b|(?:c|d)*))$',
  '$^',
  'a$|^b',
];

const piece = fc.constantFrom(
  'a',
  'b',
  'c',
  'd',
  'x',
  'y',
  'é',
  '1',
  '0',
  '_',
  ' ',
  '\n',
  '"',
  'shelf_',
  '499',
  '😀',
);
const anyText = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));

test('an automaton has the texts in which its pattern occurs', () => {
  fc.assert(
    fc.property(fc.constantFrom(...patterns), anyText, (source, value) => {
      const automaton = patternTexts(source);
      const pattern = compilePattern(source);
      expect(automaton && labelOf(automaton, value) !== refused).toBe(pattern.ok && pattern.test(value));
    }),
    { numRuns: 2_000 },
  );
});

test('what looks around, or takes too many states, is no automaton', () => {
  for (const source of ['\\bword\\b', 'a(?=b)', '(a|b)*a(a|b){20}', '(a)\\1'])
    expect(patternTexts(source)).toBeUndefined();
});

test('grammars and patterns of an automaton have its texts, up to a length', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      anyText,
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 3, max: 40 }),
      (source, value, min, max) => {
        const bounded = boundedTexts(patternTexts(source) ?? [], min, max);
        const expression = automatonExpression(bounded, { behind: nothingBehind, escapes: noEscapes });
        const isIn = bounded.automaton.length > 0 && isOfGrammar(writeGrammar(expression, 100_000), value);
        const length = characterCount(value);
        const pattern = compilePattern(source);
        const isAllowed = pattern.ok && pattern.test(value) && length >= min && length <= max;
        // Of long texts some may be missing.
        if (isIn) expect(isAllowed).toBe(true);
        else if (length <= max / 4) expect(isAllowed).toBe(false);
        if (bounded.automaton.length === 0) return;
        const whole = patternOf(expression);
        if (whole?.ok === true) expect(whole.test(value)).toBe(isIn);
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Undefined for one that is too long without rules. */
function patternOf(expression: Expression) {
  try {
    return compilePattern(wholePattern(expression));
  } catch (error) {
    if (error instanceof ExpressionTooLong) return undefined;
    throw error;
  }
}

const bound = fc.option(
  fc.oneof(
    fc.integer({ min: -130, max: 130 }),
    fc.integer({ min: -500, max: 500 }).map((n) => n / 20),
  ),
  {
    nil: undefined,
  },
);

const anyNumber: fc.Arbitrary<NumberShape> = fc
  .record({
    isInteger: fc.boolean(),
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    multiples: fc.subarray([2, 7, 0.5, 0.25], { maxLength: 2 }),
  })
  .map((shape) => ({ kind: 'number', pointer: '', ...shape }));

test('numbers are written as the schema bounds them, however many decimals they have', () => {
  const found = { allowed: 0, refused: 0 };
  fc.assert(
    fc.property(anyNumber, fc.integer({ min: -3_000, max: 3_000 }), (shape, hundredths) => {
      const expression = numberExpression(shape);
      if (expression === undefined) return;
      const grammar = expression === 'none' ? undefined : writeGrammar(expression, 200_000);
      const near = [shape.minimum, shape.exclusiveMinimum, shape.maximum, shape.exclusiveMaximum].flatMap(
        (bound) => (bound === undefined ? [] : [bound, bound - 0.001, bound + 0.001]),
      );
      for (const value of [hundredths / 20, Math.round(hundredths / 20), hundredths / 3_001, ...near]) {
        // Neither is written with an exponent.
        const text = String(Number(value.toFixed(6)) || 0);
        const isIn = grammar !== undefined && isOfGrammar(grammar, text);
        const isAllowed = allowsNumber(shape, Number(text));
        expect([text, isIn]).toEqual([text, isAllowed]);
        found[isAllowed ? 'allowed' : 'refused']++;
      }
    }),
    { numRuns: 500 },
  );
  expect(Math.min(found.allowed, found.refused)).toBeGreaterThan(100);
});

function boundedNumber(bounds: Partial<NumberShape>): NumberShape {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const given = { minimum, maximum, exclusiveMinimum, exclusiveMaximum };
  return { kind: 'number', pointer: '', isInteger: false, multiples: [], ...given };
}

test.each([
  [
    { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    ['0.5', '0.05', '0.999999', '0.50'],
    ['0', '0.0', '1', '1.0', '-0.5'],
  ],
  [{ exclusiveMinimum: 0 }, ['0.5', '0.000001', '1', '999999999.5'], ['0', '0.000', '-1']],
  [{ minimum: 0, maximum: 1 }, ['0', '1', '1.0', '0.5'], ['1.000001', '-0.1']],
  [
    { minimum: -0.5, maximum: 2.25 },
    ['-0.5', '-0.25', '0.5', '1.5', '2.25', '2.2', '2'],
    ['-0.51', '2.26', '2.3'],
  ],
])('numbers between %j need not have as many decimals as a bound', (bounds, texts, wrong) => {
  const expression = numberExpression(boundedNumber(bounds));
  if (expression === undefined || expression === 'none') throw new Error('No numbers');
  const grammar = writeGrammar(expression, 10_000);
  expect(texts.filter((one) => !isOfGrammar(grammar, one))).toEqual([]);
  expect(wrong.filter((one) => isOfGrammar(grammar, one))).toEqual([]);
});

test('bounds that are too close for the decimals that are written are no bounds of nothing', () => {
  expect(
    numberExpression(boundedNumber({ exclusiveMinimum: 0, exclusiveMaximum: 0.000001 })),
  ).toBeUndefined();
  expect(numberExpression(boundedNumber({ exclusiveMinimum: 1, exclusiveMaximum: 1 }))).toBe('none');
  expect(numberExpression(boundedNumber({ minimum: 3, maximum: 2 }))).toBe('none');
});

test('numbers have no zeros before them, and none is below zero twice', () => {
  const expression = numberExpression(boundedNumber({ minimum: -5, maximum: 12.5 }));
  if (expression === undefined || expression === 'none') throw new Error('No numbers');
  const grammar = writeGrammar(expression, 10_000);
  const texts = ['-5', '-4.75', '-0.5', '0', '0.1', '12.5', '12.49', '7'];
  const wrong = ['-5.1', '12.51', '012', '+1', '1e1', '1.', '.5', '--1', '', '-'];
  expect(texts.filter((one) => !isOfGrammar(grammar, one))).toEqual([]);
  expect(wrong.filter((one) => isOfGrammar(grammar, one))).toEqual([]);
});

function grammarOfEntries(
  count: number,
  required: readonly number[],
  min: number,
  max: number,
): string | undefined {
  const entries = Array.from({ length: count }, (_, index) => ({
    expression: text(`${index}`),
    isRequired: required.includes(index),
  }));
  const expression: Expression | undefined = entriesInOrders(entries, min, max);
  return expression && writeGrammar(expression, 100_000);
}

test('entries come at most once, as often as they have to, and two of them in any order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 8 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 3 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 9 }),
      fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 8 }),
      (count, wanted, min, max, chosen) => {
        const required = wanted.filter((index) => index < count);
        const grammar = grammarOfEntries(count, required, min, max);
        const order = chosen.filter((index) => index < count);
        const isUnique = new Set(order).size === order.length;
        const isComplete = required.every((index) => order.includes(index));
        const isAllowed = isUnique && isComplete && order.length >= min && order.length <= max;
        const isIn = grammar !== undefined && isOfGrammar(grammar, order.join());
        if (isIn) expect(isAllowed).toBe(true);
        const isFew =
          count <= 4 ||
          (order.length <= 2 && required.length === 0 && min <= 1 && (max >= count || max <= 2));
        if (isFew && isAllowed)
          expect([count, required, min, max, order, isIn]).toEqual([count, required, min, max, order, true]);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('what is repeated often is written as servers take it', () => {
  const takes = (expression: Expression) => {
    const grammar = writeGrammar(expression, 10_000);
    for (const [, count] of grammar.matchAll(/[{,](\d+)(?=[,}])/g)) expect(Number(count)).toBeLessThan(2_001);
    return (value: string) => isOfGrammar(grammar, value);
  };
  const often = takes(repeat(text('k'), 2_500, 4_100));
  expect([2_499, 2_500, 4_100, 4_101].map((count) => often('k'.repeat(count)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const endless = takes(sequence(repeat(text('k'), 2_001, Number.POSITIVE_INFINITY), text('.')));
  expect([2_000, 2_001, 9_000].map((count) => endless(`${'k'.repeat(count)}.`))).toEqual([false, true, true]);
  // Each group in what is repeated counts as often, so that it has to be a rule.
  const group = sequence(text('a'), repeat(text('bc'), 0, 1));
  const grammar = writeGrammar(repeat(group, 0, 500), 10_000);
  expect(grammar).toContain('r1{0,500}');
  expect(isOfGrammar(grammar, 'aabca')).toBe(true);
  expect(isOfGrammar(grammar, 'ab')).toBe(false);
});
