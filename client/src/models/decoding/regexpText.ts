/**
 * Expressions as patterns that all engines read alike: ECMA-262, RE2, Rust's, and llama.cpp's, which copies what is between
 * brackets into its grammar.
 */
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { type Expression, ExpressionTooLong } from './grammarExpression';

/** The longest pattern that is written, in characters. */
const maxLength = 8_000;

/** The pattern of an expression without rules that lead back to themselves, without anchors. @throws ExpressionTooLong */
export function regexpText(expression: Expression): string {
  const pattern = written(expression, 'choice', 0);
  if (pattern.length > maxLength) throw new ExpressionTooLong();
  return pattern;
}

/** Of the whole text. @throws ExpressionTooLong */
export function wholePattern(expression: Expression): string {
  return `^${written(expression, 'sequence', 0)}$`;
}

type Level = 'choice' | 'sequence' | 'atom';

function written(expression: Expression, level: Level, depth: number): string {
  // Rules are written out, so what is small as a grammar may be large here.
  if (depth > 200) throw new ExpressionTooLong();
  switch (expression.kind) {
    case 'text': {
      const characters = [...expression.text];
      const [only = ''] = characters;
      // llama.cpp repeats the last byte of what stands outside of a class or a group.
      if (level === 'atom' && characters.length === 1 && only > '\x7f') return `[${only}]`;
      const text = characters.map(literal).join('');
      return level === 'atom' && characters.length !== 1 ? `(${text})` : text;
    }
    case 'characters':
      return `[${expression.ranges.map(rangeText).join('')}]`;
    case 'rule':
      return checked(written(expression.rule.body, level, depth + 1));
    case 'repeat':
      return written(expression.part, 'atom', depth + 1) + quantifier(expression.min, expression.max);
    case 'sequence': {
      let text = '';
      for (const part of expression.parts) text = checked(text + written(part, 'sequence', depth + 1));
      return level === 'atom' && expression.parts.length !== 1 ? `(${text})` : text;
    }
    case 'choice': {
      let text = '';
      for (const [index, option] of expression.options.entries())
        text = checked(`${text}${index === 0 ? '' : '|'}${written(option, 'sequence', depth + 1)}`);
      return level === 'choice' || expression.options.length === 1 ? text : `(${text})`;
    }
  }
}

function checked(text: string): string {
  if (text.length > maxLength) throw new ExpressionTooLong();
  return text;
}

function quantifier(min: number, max: number): string {
  if (min === 0 && max === 1) return '?';
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function literal(character: string): string {
  return /[$()*+.?[\\\]^{|}]/.test(character) ? `\\${character}` : character;
}

function rangeText([from, to]: CodeRange): string {
  if (from === to) return inClass(from);
  return `${inClass(from)}${to === from + 1 ? '' : '-'}${inClass(to)}`;
}

function inClass(code: number): string {
  if (/[A-Za-z0-9_ !"#%&',:;<=>@`~]/.test(String.fromCodePoint(code)) && code < 0x7f)
    return String.fromCodePoint(code);
  const digits = code.toString(16).toUpperCase();
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : String.fromCodePoint(code);
}
