/** The actions that a skill declares, as texts that a grammar or a pattern can hold a model to. */
import type { ActionParameter, ActionSignature } from '../../../../schemas/skill/actionSignature';
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { automatonExpression, nothingBehind } from './automatonExpression';
import { type BoundedTexts, commonStart } from './automatonLength';
import { choice, type Expression, optional, repeat, ruleOf, sequence, text } from './grammarExpression';
import type { ObjectShape, Shape, StringShape } from './shapes';
import { keyCharacters, otherCharacters, textsOfString } from './stringTexts';

/** How texts are written: with the escapes of JSON inside of a JSON string, without any in a pattern. */
export interface TextWriting {
  /** Arguments that follow a pattern, so that each is written once. */
  readonly named: Map<BoundedTexts, Expression>;
  readonly escapes: ReadonlyMap<number, string>;
  /** Whether texts may have characters beyond ASCII. */
  readonly isWide: boolean;
  /** True where quotes and backslashes can't be written. */
  readonly isQuoteless?: boolean;
}

/** In characters: of one argument, and of what takes the rest of a line. */
const maxWordLength = 64;
const maxRestLength = 400;
/** Of an action that no signature describes. */
export const maxActionLength = 1_000;

/** The names of things that the state schema gives patterns to, such as `shelf` for keys like `shelf_12`. */
export type NamedTexts = ReadonlyMap<string, BoundedTexts>;

/** @param shapes what the state schema describes */
export function namedTexts(shapes: Iterable<Shape>): NamedTexts {
  const found = new Map<string, { readonly key: string; readonly texts: BoundedTexts } | undefined>();
  for (const shape of stringsIn(shapes)) {
    const key = shape.patterns.join('\n');
    if (key === '') continue;
    const texts = textsOfString(shape, keyCharacters, () => undefined);
    if (texts === undefined || texts.automaton.length === 0) continue;
    const noun = /^(\p{L}+)[_-]$/u.exec(commonStart(texts.automaton).text)?.[1]?.toLowerCase();
    if (noun === undefined) continue;
    // Two patterns for one noun leave open which of them an argument follows.
    const other = found.get(noun);
    if (!found.has(noun)) found.set(noun, { key, texts });
    else if (other !== undefined && other.key !== key) found.set(noun, undefined);
  }
  const certain = new Map<string, BoundedTexts>();
  for (const [noun, one] of found) if (one !== undefined) certain.set(noun, one.texts);
  return certain;
}

function* stringsIn(shapes: Iterable<Shape>): Generator<StringShape> {
  const seen = new Set(shapes);
  for (const shape of seen) {
    if (shape.kind === 'string') yield shape;
    else if (shape.kind === 'union') for (const option of shape.options) seen.add(option);
    else if (shape.kind === 'array') for (const item of [...shape.first, shape.items]) seen.add(item);
    else if (shape.kind === 'object') for (const part of partsOf(shape)) seen.add(part);
  }
}

function partsOf({ members, known, groups, names }: ObjectShape): readonly Shape[] {
  const values = [...members, ...known, ...groups].map(({ shape }) => shape);
  return names === undefined ? values : [names, ...values];
}

const trailingWords = new Set(['id', 'ids', 'key', 'name', 'no', 'number']);

/** The texts of a parameter whose name ends with a thing that has a pattern: `old_shelf_id`, `item`. */
export function textsOfParameter(name: string, named: NamedTexts): BoundedTexts | undefined {
  const words = name.toLowerCase().split(/[_\s-]+/);
  while (words.length > 1 && trailingWords.has(words.at(-1) ?? '')) words.pop();
  return named.get(words.at(-1) ?? '');
}

/** The actions as they are written in a reply; any line where none is declared. */
export function actionTexts(
  signatures: readonly ActionSignature[],
  named: NamedTexts,
  writing: TextWriting,
): Expression {
  if (signatures.length === 0) return lineOf(maxActionLength, writing);
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
  if (rest) return lineOf(maxRestLength, writing, form === 'call' ? [0x22, 0x27, 0x28, 0x29] : []);
  const character = characters(writing, separators(form));
  return ruleOf(repeat(character, 1, maxWordLength));
}

/** What ends an argument, or means something around it. */
function separators(form: ActionSignature['form']): readonly number[] {
  return form === 'command' ? [0x20] : [0x20, 0x22, 0x27, 0x28, 0x29, 0x2c];
}

/** A line that doesn't begin with a space. */
function lineOf(maxLength: number, writing: TextWriting, without: readonly number[] = []): Expression {
  const first = characters(writing, [0x20, ...without]);
  return ruleOf(sequence(first, optional(repeat(characters(writing, without), 1, maxLength - 1))));
}

/** One printable character; those that have escapes are written so. */
function characters({ escapes, isWide, isQuoteless }: TextWriting, excluded: readonly number[]): Expression {
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
  ranges.push([start, 0x7e]);
  if (isWide) ranges.push(...otherCharacters);
  const escaped = [0x22, 0x5c].flatMap((code) => {
    const written = without.includes(code) ? undefined : escapes.get(code);
    return written === undefined ? [] : [text(written)];
  });
  return choice([{ kind: 'characters', ranges }, ...escaped]);
}
