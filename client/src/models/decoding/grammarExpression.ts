/** Expressions of which grammars and patterns are made, and GBNF, the grammars of llama.cpp, written from them. */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';

export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'characters'; readonly ranges: readonly CodeRange[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly rule: GrammarRule };

/** A named part, so that it is written once however often it is used. Its body may come later. */
export interface GrammarRule {
  body: Expression;
}

export const nothing: Expression = { kind: 'sequence', parts: [] };

export function isNothing(expression: Expression): boolean {
  return expression.kind === 'sequence' && expression.parts.length === 0;
}

export function text(value: string): Expression {
  return value === '' ? nothing : { kind: 'text', text: value };
}

/** One after the other; texts that follow each other become one. */
export function sequence(...parts: readonly Expression[]): Expression {
  const flat: Expression[] = [];
  for (const part of parts) {
    for (const item of part.kind === 'sequence' ? part.parts : [part]) {
      const last = flat.at(-1);
      if (item.kind === 'text' && last?.kind === 'text') flat[flat.length - 1] = text(last.text + item.text);
      else flat.push(item);
    }
  }
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind: 'sequence', parts: flat };
}

/** One of them; that one may be left out where one of them is {@link nothing}. */
export function choice(options: readonly Expression[]): Expression {
  const some = options.filter((option) => !isNothing(option));
  const [only] = some;
  const chosen: Expression =
    some.length === 1 && only !== undefined ? only : { kind: 'choice', options: some };
  return some.length === options.length ? chosen : optional(some.length === 0 ? nothing : chosen);
}

export function optional(part: Expression): Expression {
  if (isNothing(part)) return part;
  return part.kind === 'repeat' && part.min <= 1 ? repeat(part.part, 0, part.max) : repeat(part, 0, 1);
}

export function repeat(part: Expression, min: number, max: number): Expression {
  if (max <= 0 || isNothing(part)) return nothing;
  return min === 1 && max === 1 ? part : { kind: 'repeat', part, min, max };
}

export function ruleOf(body: Expression): Expression {
  return body.kind === 'rule' ? body : { kind: 'rule', rule: { body } };
}

/** Thrown where a grammar or pattern would become longer than it may be. */
export class ExpressionTooLong extends Error {
  override readonly name: string = 'ExpressionTooLong';
}

/**
 * A grammar whose root is `expression`. The same expression gives the same text.
 *
 * @throws ExpressionTooLong for more than `maxLength` characters
 */
export function writeGrammar(expression: Expression, maxLength: number): string {
  const names = new Map<GrammarRule, string>();
  const rules: GrammarRule[] = [];
  const repeated = new Map<Expression, GrammarRule>();
  const nameOf = (rule: GrammarRule): string => {
    let name = names.get(rule);
    if (name === undefined) {
      rules.push(rule);
      name = `r${rules.length.toString(36)}`;
      names.set(rule, name);
    }
    return name;
  };
  const nameOfPart = (part: Expression): string => {
    const rule = repeated.get(part) ?? { body: part };
    repeated.set(part, rule);
    return nameOf(rule);
  };
  const chunks = new Map<Expression, Expression>();
  const chunkOf = (part: Expression): Expression => {
    const chunk = chunks.get(part) ?? ruleOf(repeat(part, chunkSize, chunkSize));
    chunks.set(part, chunk);
    return chunk;
  };
  let grammar = '';
  const add = (name: string, body: Expression): void => {
    grammar += `${name} ::= ${written(body, 'choice', { nameOf, nameOfPart, chunkOf })}\n`;
    if (grammar.length > maxLength) throw new ExpressionTooLong();
  };
  add('root', expression);
  // Appended to while it is read.
  for (const rule of rules) add(nameOf(rule), rule.body);
  return grammar;
}

type Level = 'choice' | 'sequence' | 'atom';

interface Naming {
  nameOf(rule: GrammarRule): string;
  /** Of a part that is repeated, so that it is a rule of its own. */
  nameOfPart(part: Expression): string;
  /** {@link chunkSize} of a part. */
  chunkOf(part: Expression): Expression;
}

/** llama.cpp repeats nothing more often, and counts each group within what is repeated as often as it is repeated. */
const maxRepetition = 2_000;
/** What is repeated more often comes in chunks, so that the server has few rules to make. */
const chunkSize = 200;
/** The largest bound that repetitions may have. */
export const maxBound = maxRepetition * chunkSize;
const maxGroupRepetition = 16;

function written(expression: Expression, level: Level, naming: Naming): string {
  switch (expression.kind) {
    case 'text':
      return quotedText(expression.text);
    case 'characters':
      return characterClass(expression.ranges);
    case 'rule':
      return naming.nameOf(expression.rule);
    case 'repeat': {
      const { min, max } = expression;
      if (Math.max(min, Number.isFinite(max) ? max : 0) > maxRepetition)
        return written(inChunks(expression, naming), level, naming);
      return repeatedPart(expression, naming) + quantifier(min, max);
    }
    case 'sequence': {
      if (expression.parts.length === 0) return '""';
      const parts = expression.parts.map((part) => written(part, 'sequence', naming)).join(' ');
      return level === 'atom' && expression.parts.length > 1 ? `(${parts})` : parts;
    }
    case 'choice': {
      const options = expression.options.map((option) => written(option, 'sequence', naming)).join(' | ');
      return level !== 'choice' && expression.options.length > 1 ? `(${options})` : options;
    }
  }
}

function repeatedPart({ part, min, max }: Extract<Expression, { kind: 'repeat' }>, naming: Naming): string {
  const times = Number.isFinite(max) ? max : min;
  if (part.kind === 'characters' || part.kind === 'rule') return written(part, 'atom', naming);
  // A quantifier takes the last character of a text alone.
  if (part.kind === 'text' && part.text.length === 1) return written(part, 'atom', naming);
  if (times > maxGroupRepetition) return naming.nameOfPart(part);
  return part.kind === 'text' ? `(${written(part, 'atom', naming)})` : written(part, 'atom', naming);
}

/**
 * The same in chunks. Of what follows there are two readings at most, so that the server never follows many at a time: one
 * more chunk, or the last parts, which make no chunk.
 *
 * @throws ExpressionTooLong for bounds beyond {@link maxBound}
 */
function inChunks(
  { part, min, max }: Extract<Expression, { kind: 'repeat' }>,
  { chunkOf }: Naming,
): Expression {
  const chunk = chunkOf(part);
  const times = (count: number) => [Math.floor(count / chunkSize), count % chunkSize] as const;
  const [chunks, parts] = times(min);
  const more = max - min;
  const [moreChunks, moreParts] = times(more);
  if (chunks > maxRepetition || (Number.isFinite(more) && moreChunks > maxRepetition))
    throw new ExpressionTooLong();
  const least = sequence(repeat(chunk, chunks, chunks), repeat(part, parts, parts));
  if (!Number.isFinite(more) || moreChunks === 0) return sequence(least, repeat(part, 0, more));
  const fewer = sequence(repeat(chunk, 0, moreChunks - 1), repeat(part, 0, chunkSize - 1));
  const most = sequence(repeat(chunk, moreChunks, moreChunks), repeat(part, 0, moreParts));
  return sequence(least, choice([fewer, most]));
}

function quantifier(min: number, max: number): string {
  if (min === 0 && max === 1) return '?';
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** A literal. What isn't plain is written by its number, since not every version knows the same escapes. */
function quotedText(value: string): string {
  let result = '"';
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === '\\') result += `\\${character}`;
    else if (character === '\n') result += '\\n';
    else if (character === '\t') result += '\\t';
    else result += code >= 0x20 && code < 0x7f ? character : numbered(code);
  }
  return `${result}"`;
}

function characterClass(ranges: readonly CodeRange[]): string {
  const parts = ranges.map(([from, to]) =>
    from === to ? inClass(from) : `${inClass(from)}${to === from + 1 ? '' : '-'}${inClass(to)}`,
  );
  return `[${parts.join('')}]`;
}

function inClass(code: number): string {
  const character = String.fromCodePoint(code);
  return /[A-Za-z0-9_ .,:;!?'(){}<>=+*/|~@#$%&]/.test(character) && code < 0x7f ? character : numbered(code);
}

function numbered(code: number): string {
  const digits = code.toString(16).toUpperCase();
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
