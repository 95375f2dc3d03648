/** The actions that a skill declares, as texts that a grammar or a pattern can hold a model to. */
import type { ActionParameter, ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { listedTexts } from './automaton';
import { automatonExpression, nothingBehind } from './automatonExpression';
import { type BoundedTexts, commonStart } from './automatonLength';
import { choice, type Expression, repeat, ruleOf, sequence, text } from './grammarExpression';
import { type ObjectShape, optionsOf, type Shape } from './shapes';
import { keyCharacters, otherCharacters, textsOfString } from './stringTexts';

/** How texts are written: with the escapes of JSON inside of a JSON string, without any in a pattern. */
export interface TextWriting {
  /** Arguments that follow a pattern, so that each is written once. */
  readonly named: Map<BoundedTexts, Expression>;
  readonly escapes: ReadonlyMap<number, string>;
  /** The longest argument, and the longest of what takes the rest of a line, in characters. */
  readonly maxWord: number;
  readonly maxRest: number;
  /** True where quotes and backslashes can't be written. */
  readonly isQuoteless?: boolean;
}

/** In characters, of a line that is a pattern of a schema. */
export const maxActionLength = 1_000;

/**
 * The texts of things that the state schema enumerates or gives a pattern to, by the names of those things: `shelf` for
 * keys like `shelf_12`, `room` for a key `room` that has an `enum`.
 *
 * They come from the schema, and never from what Σ_t has: Σ_t may be wrong, and the observation newer than it, so that the
 * right action is about something that isn't there yet, such as an item that has just arrived. What the schema allows is
 * all that Σ may ever have.
 */
export type NamedTexts = ReadonlyMap<string, BoundedTexts>;

/** How many values are written out. */
const maxEnumerated = 100;

/** @param shapes what the state schema describes */
export function namedTexts(shapes: Iterable<Shape>): NamedTexts {
  const found = new Map<string, { readonly key: string; readonly texts: BoundedTexts } | undefined>();
  // Two sets of texts for one noun leave open which of them an argument follows.
  const add = (noun: string | undefined, key: string, texts: BoundedTexts): void => {
    if (noun === undefined) return;
    const other = found.get(noun);
    if (!found.has(noun)) found.set(noun, { key, texts });
    else if (other !== undefined && other.key !== key) found.set(noun, undefined);
  };
  for (const shape of shapesIn(shapes)) {
    const described = describedWords(shape);
    if (described !== undefined) add(nounOf(described.texts), described.key, described.texts);
    if (shape.kind !== 'object') continue;
    for (const { key, shape: value } of shape.members) {
      const enumerated = optionsOf(value).find(({ kind }) => kind === 'literal');
      const words = enumerated && describedWords(enumerated);
      if (words !== undefined) add(wordsOf(key).join('_'), words.key, words.texts);
    }
  }
  const certain = new Map<string, BoundedTexts>();
  for (const [noun, one] of found) if (one !== undefined) certain.set(noun, one.texts);
  return certain;
}

/** The texts of an enumeration or a pattern, and what tells them from others; undefined where they aren't known as such. */
function describedWords(shape: Shape): { readonly key: string; readonly texts: BoundedTexts } | undefined {
  if (shape.kind === 'string') {
    const key = shape.patterns.join('\n');
    const texts =
      key === '' ? undefined : textsOfString(shape, [...keyCharacters, ...otherCharacters], () => undefined);
    return texts === undefined || texts.automaton.length === 0 ? undefined : { key, texts };
  }
  if (shape.kind !== 'literal') return undefined;
  const values = shape.values.filter((value) => value !== null);
  const words = values.filter((value) => typeof value === 'string' && /^[^"\\\p{Cc}\p{Cs}]+$/u.test(value));
  if (words.length === 0 || words.length < values.length || words.length > maxEnumerated) return undefined;
  const texts = words.map((word) => [String(word), 0] as const);
  return { key: JSON.stringify(words), texts: { automaton: listedTexts(texts), loopLimit: 0 } };
}

/** What all texts begin with, such as `shelf` of `shelf_12`. */
function nounOf({ automaton }: BoundedTexts): string | undefined {
  return /^(\p{L}+)[_-]$/u.exec(commonStart(automaton).text)?.[1]?.toLowerCase();
}

function shapesIn(shapes: Iterable<Shape>): Iterable<Shape> {
  const seen = new Set(shapes);
  // Added to while it is read.
  for (const shape of seen) {
    if (shape.kind === 'union') for (const option of shape.options) seen.add(option);
    else if (shape.kind === 'array') for (const item of [...shape.first, shape.items]) seen.add(item);
    else if (shape.kind === 'object') for (const part of partsOf(shape)) seen.add(part);
  }
  return seen;
}

function partsOf({ members, known, groups, names }: ObjectShape): readonly Shape[] {
  const values = [...members, ...known, ...groups].map(({ shape }) => shape);
  return names === undefined ? values : [names, ...values];
}

const trailingWords = new Set(['id', 'ids', 'key', 'name', 'no', 'number']);

function wordsOf(name: string): string[] {
  const words = name.toLowerCase().split(/[_\s-]+/);
  while (words.length > 1 && trailingWords.has(words.at(-1) ?? '')) words.pop();
  return words;
}

/** The texts of a parameter whose name is, or ends with, that of a thing with texts of its own: `old_shelf_id`, `item`. */
export function textsOfParameter(name: string, named: NamedTexts): BoundedTexts | undefined {
  const words = wordsOf(name);
  return named.get(words.join('_')) ?? named.get(words.at(-1) ?? '');
}

/** The actions as they are written in a reply; any line where none is declared. */
export function actionTexts(
  signatures: readonly ActionSignature[],
  named: NamedTexts,
  writing: TextWriting,
): Expression {
  if (signatures.length === 0) return lineOf(writing);
  return choice(signatures.map((signature) => actionText(signature, named, writing)));
}

export function actionText(signature: ActionSignature, named: NamedTexts, writing: TextWriting): Expression {
  const values = signature.parameters.map((parameter) => argumentText(signature, parameter, named, writing));
  if (signature.form === 'command')
    return sequence(text(signature.name), ...values.flatMap((value) => [text(' '), value]));
  const between = values.flatMap((value, index) => (index === 0 ? [value] : [text(', '), value]));
  return sequence(text(`${signature.name}(`), ...between, text(')'));
}

function argumentText(
  { form }: ActionSignature,
  { name, rest }: ActionParameter,
  named: NamedTexts,
  writing: TextWriting,
): Expression {
  const texts = rest ? undefined : textsOfParameter(name, named);
  const isWord = texts?.automaton.every(({ transitions }) =>
    transitions.every(({ from, to }) => !separators(form).some((code) => from <= code && code <= to)),
  );
  if (texts !== undefined && isWord === true) {
    const known = writing.named.get(texts);
    if (known !== undefined) return known;
    const { escapes } = writing;
    const expression = ruleOf(automatonExpression(texts, { behind: nothingBehind, escapes }));
    writing.named.set(texts, expression);
    return expression;
  }
  if (rest) return lineOf(writing, form === 'call' ? [0x22, 0x27, 0x28, 0x29] : []);
  const character = characters(writing, separators(form));
  if (form === 'command') return ruleOf(repeat(character, 1, writing.maxWord));
  // Between commas there may be several words.
  const inside = characters(
    writing,
    separators(form).filter((code) => code !== 0x20),
  );
  return ruleOf(sequence(character, repeat(inside, 0, writing.maxWord - 1)));
}

/** What ends an argument, or means something around it. */
function separators(form: ActionSignature['form']): readonly number[] {
  return form === 'command' ? [0x20] : [0x20, 0x22, 0x27, 0x28, 0x29, 0x2c];
}

/** A line that doesn't begin with a space. */
function lineOf(writing: TextWriting, without: readonly number[] = []): Expression {
  const first = characters(writing, [0x20, ...without]);
  return ruleOf(sequence(first, repeat(characters(writing, without), 0, writing.maxRest - 1)));
}

/** One printable character; those that have escapes are written so. */
function characters({ escapes, isQuoteless }: TextWriting, excluded: readonly number[]): Expression {
  const without = isQuoteless === true ? [...excluded, 0x22, 0x5c] : excluded;
  const apart = new Set(
    [...without, 0x22, 0x5c].filter((code) => without.includes(code) || escapes.size > 0),
  );
  const ranges: CodeRange[] = [];
  let start = 0x20;
  for (const code of [...apart].sort((a, b) => a - b)) {
    if (code > start) ranges.push([start, code - 1]);
    start = code + 1;
  }
  ranges.push([start, 0x7e], ...otherCharacters);
  const escaped = [0x22, 0x5c].flatMap((code) => {
    const written = without.includes(code) ? undefined : escapes.get(code);
    return written === undefined ? [] : [text(written)];
  });
  return choice([{ kind: 'characters', ranges }, ...escaped]);
}
