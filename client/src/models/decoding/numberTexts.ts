/** The decimal numbers of a range as texts without exponents. */
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
import { automatonExpression, noEscapes, nothingBehind } from './automatonExpression';
import {
  choice,
  type Expression,
  nothing,
  optional,
  repeat,
  ruleOf,
  sequence,
  text,
} from './grammarExpression';
import { allowsNumber, type NumberShape } from './shapes';

/** Where nothing limits a number: whole digits, and those behind the point. */
const maxWholeDigits = 15;
const maxDecimals = 6;

/** Of a number that has to be a multiple of something, a state for each remainder. */
const maxModulus = 1_000n;

const digits: readonly CodeRange[] = [[0x30, 0x39]];

/** Undefined where the bounds, or what it has to be a multiple of, have too many digits to be written out; `none` where there is no such number. */
export function numberExpression(shape: NumberShape): Expression | 'none' | undefined {
  try {
    return expressionFor(shape);
  } catch (error) {
    if (error instanceof AutomatonTooLarge) return undefined;
    throw error;
  }
}

function expressionFor(shape: NumberShape): Expression | 'none' | undefined {
  const isMultiple = shape.multiples.length > 0;
  if (boundsOf(shape).length === 0 && !isMultiple) return plainNumber(shape.isInteger);
  const decimals = shape.isInteger ? 0 : Math.max(0, ...boundsOf(shape).map(decimalsOf));
  const multiples = shape.multiples.map((multiple) => ({ multiple, decimals: decimalsOf(multiple) }));
  if (decimals > maxDecimals || multiples.some((multiple) => multiple.decimals > maxDecimals))
    return undefined;
  if (!shape.isInteger && !isMultiple) return realNumbers(shape, decimals);
  const scale = Math.max(decimals, ...multiples.map((multiple) => multiple.decimals));
  const range = scaledRange(shape, scale);
  if (range === undefined) return undefined;
  const modulus = leastCommonMultiple(multiples.map(({ multiple }) => scaled(multiple, scale)));
  if (modulus > maxModulus) return undefined;
  const whole = wholeNumbers(range, 10n ** BigInt(scale), modulus);
  const options = [whole];
  if (!shape.isInteger) options.push(...multiplesWithDecimals(range, scale, modulus));
  const some = options.filter((option) => option !== undefined);
  if (some.length === 0) return 'none';
  return ruleOf(choice(some));
}

function boundsOf(shape: NumberShape): readonly number[] {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = shape;
  return [minimum, exclusiveMinimum, maximum, exclusiveMaximum].filter((bound) => bound !== undefined);
}

/** How many digits a number has behind the point. */
function decimalsOf(value: number): number {
  const [, decimals = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.max(0, decimals.length - Number(exponent));
}

/** A number times a power of ten, of which it has no more decimals. */
function scaled(value: number, scale: number): bigint {
  const [, sign = '', whole = '0', decimals = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const zeros = scale + Number(exponent) - decimals.length;
  const all = BigInt(whole + decimals);
  const magnitude = zeros >= 0 ? all * 10n ** BigInt(zeros) : all / 10n ** BigInt(-zeros);
  return sign === '-' ? -magnitude : magnitude;
}

interface Range {
  readonly from: bigint;
  readonly to: bigint;
  /** How far from zero nothing but the number of digits limits it. */
  readonly most: bigint;
}

/** What is allowed, in units of the last decimal; undefined for bounds beyond what a double keeps exactly. */
function scaledRange(shape: NumberShape, scale: number): Range | undefined {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = shape;
  if (boundsOf(shape).some((bound) => Math.abs(bound) > 1e21)) return undefined;
  // Bounds of a whole number may have decimals.
  const up = (bound: number): bigint => scaled(shape.isInteger ? Math.ceil(bound) : bound, scale);
  const down = (bound: number): bigint => scaled(shape.isInteger ? Math.floor(bound) : bound, scale);
  const unit = shape.isInteger ? 10n ** BigInt(scale) : 1n;
  const most = largestOf(shape, scale);
  const lower = [minimum === undefined ? undefined : up(minimum)];
  if (exclusiveMinimum !== undefined) lower.push(down(exclusiveMinimum) + unit);
  const upper = [maximum === undefined ? undefined : down(maximum)];
  if (exclusiveMaximum !== undefined) upper.push(up(exclusiveMaximum) - unit);
  const from =
    lower.filter((bound) => bound !== undefined).reduce<bigint | undefined>(larger, undefined) ?? -most;
  const to =
    upper.filter((bound) => bound !== undefined).reduce<bigint | undefined>(smaller, undefined) ?? most;
  if (from > most || to < -most) return undefined;
  return { from: larger(-most, from), to: smaller(most, to), most };
}

/** The largest number that is written, in units of the last decimal. */
function largestOf({ multiples }: NumberShape, scale: number): bigint {
  const largest = 10n ** BigInt(maxWholeDigits + scale) - 1n;
  // Of larger numbers the validator can't tell whether they are a multiple of one with decimals.
  return multiples
    .filter((multiple) => decimalsOf(multiple) > 0)
    .map((multiple) => scaled(multiple, scale) * 1_000_000n)
    .reduce(smaller, largest);
}

function larger(a: bigint | undefined, b: bigint): bigint {
  return a === undefined || b > a ? b : a;
}

function smaller(a: bigint | undefined, b: bigint): bigint {
  return a === undefined || b < a ? b : a;
}

function leastCommonMultiple(values: readonly bigint[]): bigint {
  return values.reduce((all, value) => (value <= 0n ? all : (all * value) / commonDivisor(all, value)), 1n);
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}

/** Those without decimals; undefined where there are none. */
function wholeNumbers({ from, to }: Range, unit: bigint, modulus: bigint): Expression | undefined {
  const least = ceiling(from, unit);
  const most = floor(to, unit);
  if (least > most) return undefined;
  // Multiples of what is no multiple of the unit repeat only over several units.
  let every = 1n;
  while ((every * unit) % modulus !== 0n) every++;
  return signed(least, most, (low, high) => wholeDigits(low, high, every));
}

/** Those multiples that are written with decimals, with every number of them that there can be. */
function multiplesWithDecimals(
  { from, to }: Range,
  scale: number,
  modulus: bigint,
): readonly (Expression | undefined)[] {
  return Array.from({ length: scale }, (_, index) => {
    const decimals = index + 1;
    const unit = 10n ** BigInt(scale - decimals);
    return signed(ceiling(from, unit), floor(to, unit), (low, high) =>
      decimalDigits(low, high, decimals, modulus / commonDivisor(modulus, unit)),
    );
  });
}

/** Numbers that need be no multiple, with as many decimals as a double tells apart beside the bounds. */
function realNumbers(shape: NumberShape, decimals: number): Expression | 'none' | undefined {
  const wholeDigits = Math.max(1, ...boundsOf(shape).map((bound) => String(scaled(bound, 0)).length));
  const scale = Math.max(decimals, Math.min(maxDecimals, maxWholeDigits - wholeDigits));
  const range = scaledRange(shape, scale);
  if (range === undefined) return undefined;
  const expression = signed(range.from, range.to, (low, high) => realMagnitudes(low, high, scale));
  if (expression !== undefined) return ruleOf(expression);
  // Between bounds that lie closer together there are numbers with more decimals.
  return allowsNumber(shape, (Number(range.from) + Number(range.to)) / 2 / 10 ** scale) ? undefined : 'none';
}

/** From zero on, in units of the last decimal; undefined where there are none. */
function realMagnitudes(low: bigint, high: bigint, scale: number): Expression | undefined {
  if (low > high) return undefined;
  if (scale === 0) return wholeDigits(low, high, 1n);
  const unit = 10n ** BigInt(scale);
  const ends = { low: low / unit, high: high / unit };
  const fractions = { low: low % unit, high: high % unit };
  const beside = (whole: bigint, from: bigint, to: bigint) =>
    sequence(text(String(whole)), fraction(from, to, scale));
  if (ends.low === ends.high) return beside(ends.low, fractions.low, fractions.high);
  // Where all fractions of a whole number are allowed, it is one of those between.
  const first = fractions.low === 0n ? ends.low : ends.low + 1n;
  const last = fractions.high === unit - 1n ? ends.high : ends.high - 1n;
  const between = first > last ? undefined : wholeDigits(first, last, 1n);
  return choice([
    ...(first > ends.low ? [beside(ends.low, fractions.low, unit - 1n)] : []),
    ...(between === undefined ? [] : [sequence(between, fraction(0n, unit - 1n, scale))]),
    ...(last < ends.high ? [beside(ends.high, 0n, fractions.high)] : []),
  ]);
}

/** What stands behind a whole number, nothing among it where that is allowed: a point, and decimals from one value to another. */
function fraction(from: bigint, to: bigint, scale: number): Expression {
  const low = String(from).padStart(scale, '0');
  const high = String(to).padStart(scale, '0');
  const isWhole = from === 0n;
  const decimals =
    isWhole && to === 10n ** BigInt(scale) - 1n
      ? repeat({ kind: 'characters', ranges: digits }, 1, scale)
      : expressionOf(
          minimized(
            digitStrings(
              low,
              high,
              (index, isLowest) => index > 0 && !(isLowest && /[1-9]/.test(low.slice(index))),
            ),
          ),
        );
  const some = decimals === undefined ? nothing : sequence(text('.'), decimals);
  return isWhole ? optional(some) : some;
}

function floor(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  return value < 0n && quotient * unit !== value ? quotient - 1n : quotient;
}

function ceiling(value: bigint, unit: bigint): bigint {
  return -floor(-value, unit);
}

/** Writes the magnitudes below and from zero apart; zero itself is written once. */
function signed(
  from: bigint,
  to: bigint,
  write: (low: bigint, high: bigint) => Expression | undefined,
): Expression | undefined {
  const negative = from < 0n ? write(to < 0n ? -to : 1n, -from) : undefined;
  const positive = to >= 0n ? write(from > 0n ? from : 0n, to) : undefined;
  if (negative === undefined) return positive;
  const below = sequence(text('-'), negative);
  return positive === undefined ? below : choice([positive, below]);
}

/** The whole numbers of a range from zero on without leading zeros, every so many. */
function wholeDigits(low: bigint, high: bigint, every: bigint): Expression | undefined {
  return expressionOf(digitAutomaton(low, high, every, 0));
}

function decimalDigits(low: bigint, high: bigint, scale: number, modulus: bigint): Expression | undefined {
  return expressionOf(digitAutomaton(low, high, modulus, scale));
}

function expressionOf(automaton: Automaton): Expression | undefined {
  if (automaton.length === 0) return undefined;
  return automatonExpression({ automaton, loopLimit: 0 }, { behind: nothingBehind, escapes: noEscapes });
}

/** The digits of a range's numbers, with a point before the last `scale` of them and a zero before that where nothing else stands. */
function digitAutomaton(low: bigint, high: bigint, modulus: bigint, scale: number): Automaton {
  if (low > high) return [];
  const longest = Math.max(String(high).length, scale + 1);
  const factors: Automaton[] = [];
  const lengths: Automaton[] = [];
  for (let length = Math.max(String(low).length, scale + 1); length <= longest; length++) {
    const isShortest = length === Math.max(String(low).length, scale + 1);
    const least = isShortest ? low : 10n ** BigInt(length - 1);
    const most = length === longest ? high : 10n ** BigInt(length) - 1n;
    if (least <= most)
      lengths.push(fixedLength(String(least).padStart(length, '0'), String(most).padStart(length, '0')));
  }
  factors.push(
    lengths.reduce((all, one) =>
      combined(
        [all, one].map((automaton) => ({ automaton, isNeeded: false })),
        (labels) => Math.max(...labels),
      ),
    ),
  );
  if (modulus > 1n) factors.push(remainders(modulus));
  const numbers = combined(
    factors.map((automaton) => ({ automaton, isNeeded: true })),
    (labels) => Math.min(...labels),
  );
  return scale === 0 ? numbers : withPoint(numbers, scale);
}

/** Digit strings from one to another of the same length. */
function fixedLength(low: string, high: string): Automaton {
  return minimized(digitStrings(low, high, (index) => index === low.length));
}

/**
 * Digit strings that begin like one between two others of the same length.
 *
 * @param isEnd whether one may end after so many digits, which are those of the lowest one or not
 */
function digitStrings(
  low: string,
  high: string,
  isEnd: (index: number, isLowest: boolean) => boolean,
): Automaton {
  const states: { label: number; transitions: Transition[] }[] = [];
  const byKey = new Map<string, number>();
  const enter = (index: number, isLowest: boolean, isHighest: boolean): number => {
    const key = `${index}${isLowest}${isHighest}`;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const state = { label: isEnd(index, isLowest) ? 0 : refused, transitions: [] as Transition[] };
    const number = states.push(state) - 1;
    byKey.set(key, number);
    if (index === low.length) return number;
    const from = isLowest ? Number(low[index]) : 0;
    const to = isHighest ? Number(high[index]) : 9;
    for (let digit = from; digit <= to; digit++) {
      const target = enter(index + 1, isLowest && digit === from, isHighest && digit === to);
      state.transitions.push({ from: 0x30 + digit, to: 0x30 + digit, target });
    }
    return number;
  };
  enter(0, true, true);
  return states;
}

function remainders(modulus: bigint): Automaton {
  const count = Number(modulus);
  return Array.from({ length: count }, (_, remainder) => ({
    label: remainder === 0 ? 0 : refused,
    transitions: Array.from({ length: 10 }, (_, digit) => ({
      from: 0x30 + digit,
      to: 0x30 + digit,
      target: (remainder * 10 + digit) % count,
    })),
  }));
}

/** Puts a point before the last digits of texts without ways back. */
function withPoint(automaton: Automaton, scale: number): Automaton {
  const states: AutomatonState[] = [];
  const byKey = new Map<string, number>();
  // How many digits follow is a state's own only where all its texts are equally long: so each length is a way of its own.
  const enter = (at: number, left: number): number => {
    const key = `${at} ${left}`;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const state = automaton[at];
    const transitions: Transition[] = [];
    const number = states.push({ label: left === 0 ? (state?.label ?? refused) : refused, transitions }) - 1;
    byKey.set(key, number);
    if (left > 0) {
      for (const { from, to, target } of state?.transitions ?? []) {
        const next = enter(target, left - 1);
        if (left !== scale + 1) {
          transitions.push({ from, to, target: next });
          continue;
        }
        const point =
          states.push({ label: refused, transitions: [{ from: 0x2e, to: 0x2e, target: next }] }) - 1;
        transitions.push({ from, to, target: point });
      }
    }
    return number;
  };
  const parts: Automaton[] = [];
  for (let length = scale + 1; length <= maxWholeDigits + scale + 1; length++) {
    states.length = 0;
    byKey.clear();
    enter(0, length);
    const part = minimized([...states]);
    if (part.length > 0) parts.push(part);
  }
  const [first, ...others] = parts;
  if (first === undefined) return [];
  return others.reduce(
    (all, one) =>
      combined(
        [all, one].map((automaton) => ({ automaton, isNeeded: false })),
        (labels) => Math.max(...labels),
      ),
    first,
  );
}

/** Numbers that nothing limits. */
export function plainNumber(isInteger: boolean): Expression {
  const digit: Expression = { kind: 'characters', ranges: digits };
  const whole = choice([
    text('0'),
    sequence({ kind: 'characters', ranges: [[0x31, 0x39]] }, repeat(digit, 0, maxWholeDigits - 1)),
  ]);
  const signedWhole = sequence(optional(text('-')), whole);
  return ruleOf(
    isInteger
      ? signedWhole
      : sequence(signedWhole, optional(sequence(text('.'), repeat(digit, 1, maxDecimals)))),
  );
}
