/** Writes shapes as a grammar of compact JSON, in which every text ends. */
import type { JsonValue } from '../../../../schemas/json/jsonValue';
import type { CodeRange } from '../../../../schemas/text/patternSyntax';
import { AutomatonTooLarge, listedTexts } from './automaton';
import { automatonExpression, jsonEscapes, nothingBehind } from './automatonExpression';
import { type Entry, entriesInOrders } from './entryOrders';
import {
  choice,
  type Expression,
  ExpressionTooLong,
  maxBound,
  nothing,
  optional,
  repeat,
  ruleOf,
  sequence,
  text,
} from './grammarExpression';
import { numberExpression, plainNumber } from './numberTexts';
import { type KeptKeys, keyEntries } from './objectKeys';
import {
  type ArrayShape,
  isScalar,
  type LiteralShape,
  type NumberShape,
  type ObjectShape,
  objectOfAny,
  optionsOf,
  type Shape,
  type StringShape,
  union,
} from './shapes';
import { everyCharacter, keyCharacters, type Note, otherCharacters, textsOfString } from './stringTexts';

/** The longest text in code points, where nothing limits it. */
export const maxTextLength = 20_000;
export const maxPatternLength = 1_000;
/** How many items a list may have that isn't limited, by how deep it is nested in others. */
export const maxItems = [100, 50, 20, 6, 3];
/** Deeper than this nothing is written that may be anything. */
const maxAnyDepth = 2;
/** How many kinds of objects one grammar may have. */
const maxObjects = 300;

/** Writes the shapes of one schema; those that stay the same from step to step are written once. */
export class ShapeGrammar {
  readonly #written = new Map<number, WeakMap<Shape, Expression | 'none'>>();
  readonly #any = new Map<string, Shape>();
  readonly keys: KeptKeys = new WeakMap();
  readonly #note: Note;
  /** How many have been written for the grammar that is derived now. */
  #objects = 0;
  readonly #character: Expression;
  readonly #numbers = { whole: plainNumber(true), decimal: plainNumber(false) };

  constructor(note: Note) {
    this.#note = note;
    const plain: CodeRange[] = [...keyCharacters, ...otherCharacters];
    const escaped = choice(['"', '\\', 'n', 'r', 't'].map((letter) => text(`\\${letter}`)));
    this.#character = ruleOf(choice([{ kind: 'characters', ranges: plain }, escaped]));
  }

  note(pointer: string, keyword: string, reason: string): void {
    this.#note(pointer, keyword, reason);
  }

  /** The texts of a shape; undefined where there are none. @param depth in how many objects and lists it is nested */
  value(shape: Shape, depth: number): Expression | undefined {
    const level = isScalar(shape) ? 0 : Math.min(depth, maxItems.length);
    const written = this.#written.get(level) ?? new WeakMap<Shape, Expression | 'none'>();
    this.#written.set(level, written);
    const known = written.get(shape);
    if (known !== undefined) return known === 'none' ? undefined : known;
    if (shape.kind === 'object' && ++this.#objects > maxObjects) throw new ExpressionTooLong();
    const expression = this.#write(shape, depth);
    written.set(shape, expression ?? 'none');
    return expression;
  }

  #write(shape: Shape, depth: number): Expression | undefined {
    switch (shape.kind) {
      case 'any':
        return this.value(this.#anyShape(shape, depth), depth);
      case 'null':
        return text('null');
      case 'boolean':
        return choice([text('true'), text('false')]);
      case 'literal':
        return this.#literal(shape);
      case 'number':
        return this.#number(shape);
      case 'string':
        return this.#string(shape);
      case 'array':
        return this.#array(shape, depth);
      case 'object':
        return this.#object(shape, depth);
      case 'union': {
        const options = shape.options.flatMap((option) => this.value(option, depth) ?? []);
        return options.length === 0 ? undefined : ruleOf(choice(options));
      }
    }
  }

  #literal({ values }: LiteralShape): Expression | undefined {
    if (values.length === 0) return undefined;
    const texts = values.filter((value) => typeof value === 'string');
    const others = values.filter((value) => typeof value !== 'string');
    const options = others.map((value) => text(JSON.stringify(value)));
    if (texts.length > 0) options.push(sequence(text('"'), listed(texts), text('"')));
    return ruleOf(choice(options));
  }

  #number(shape: NumberShape): Expression | undefined {
    const { whole, decimal } = this.#numbers;
    const number = numberExpression(shape);
    if (number === 'none') return undefined;
    if (number !== undefined) return number;
    const keyword = shape.multiples.length > 0 ? 'multipleOf' : 'minimum';
    this.#note(shape.pointer, keyword, 'and other bounds of the number have too many digits');
    return shape.isInteger ? whole : decimal;
  }

  #string(shape: StringShape): Expression | undefined {
    const quote = text('"');
    const texts = textsOfString(shape, everyCharacter, this.#note, maxPatternLength);
    if (texts !== undefined) {
      if (texts.automaton.length === 0) return undefined;
      try {
        const body = automatonExpression(texts, { behind: nothingBehind, escapes: jsonEscapes });
        return ruleOf(sequence(quote, body, quote));
      } catch (error) {
        if (!(error instanceof AutomatonTooLarge)) throw error;
        this.#note(shape.pointer, 'pattern', 'is too large to be written out');
      }
    }
    const { minLength, maxLength, pointer } = shape;
    if (minLength > maxLength) return undefined;
    if (minLength > maxBound) this.#note(pointer, 'minLength', `is more than ${maxBound}`);
    const least = Math.min(minLength, maxBound);
    const most = Math.min(Number.isFinite(maxLength) ? maxLength : maxTextLength, maxBound);
    return ruleOf(sequence(quote, repeat(this.#character, least, Math.max(least, most)), quote));
  }

  #array(shape: ArrayShape, depth: number): Expression | undefined {
    const unlimited = Math.max(maxItems[depth] ?? 1, shape.length + 8, shape.first.length, shape.minItems);
    const max = Math.min(shape.maxItems, unlimited, 1_000);
    if (shape.minItems > max) return undefined;
    const first = shape.first.map((one) => this.value(one, depth + 1));
    const impossible = first.indexOf(undefined);
    const items = impossible >= 0 ? undefined : this.value(shape.items, depth + 1);
    const most =
      impossible >= 0 ? Math.min(max, impossible) : items === undefined ? Math.min(max, first.length) : max;
    if (shape.minItems > most) return undefined;
    const body = shape.isUnique
      ? this.#uniqueItems(shape, items, depth, most)
      : itemsFrom(0, first, items, shape.minItems, most);
    return body && ruleOf(sequence(text('['), body, text(']')));
  }

  /** Different items, where they are few enough to be listed; else one. */
  #uniqueItems(
    shape: ArrayShape,
    items: Expression | undefined,
    depth: number,
    max: number,
  ): Expression | undefined {
    const values = optionsOf(shape.items).flatMap<JsonValue | undefined>((option) => {
      if (option.kind === 'literal') return option.values;
      if (option.kind === 'null') return [null];
      return option.kind === 'boolean' ? [true, false] : [undefined];
    });
    if (shape.first.length === 0 && values.length <= 64 && !values.includes(undefined)) {
      const texts = new Set(values.map((value) => JSON.stringify(value)));
      const entries = [...texts].map((value): Entry => ({ expression: text(value), isRequired: false }));
      return entriesInOrders(entries, shape.minItems, Math.min(max, entries.length));
    }
    if (shape.minItems > 1) this.#note(shape.pointer, 'uniqueItems', 'compares items with each other');
    const first = shape.first.map((one) => this.value(one, depth + 1));
    return itemsFrom(0, first, items, shape.minItems, shape.minItems > 1 ? max : Math.min(1, max));
  }

  /** What may change in Σ. @throws ExpressionTooLong */
  patch(shape: ObjectShape, depth: number): Expression | undefined {
    this.#objects = 0;
    return this.#object(shape, depth);
  }

  #object(shape: ObjectShape, depth: number): Expression | undefined {
    const alternatives = keyEntries(shape, depth, this);
    const options = alternatives.flatMap(({ entries, min, max }) => entriesInOrders(entries, min, max) ?? []);
    if (options.length === 0) return undefined;
    return ruleOf(sequence(text('{'), choice(withOneEmpty(options)), text('}')));
  }

  #anyShape(
    { pointer, withNull }: { readonly pointer: string; readonly withNull: boolean },
    depth: number,
  ): Shape {
    const level = Math.min(depth, maxAnyDepth + 1);
    const key = `${level}${withNull}`;
    let shape = this.#any.get(key);
    if (shape === undefined) {
      shape = anyShape(pointer, withNull, level);
      this.#any.set(key, shape);
    }
    return shape;
  }
}

/** Keeps it possible once to write nothing: an optional part beside another one could be read in two ways. */
function withOneEmpty(options: readonly Expression[]): readonly Expression[] {
  if (options.length === 1) return options;
  let mayBeEmpty = false;
  const some = options.map((option) => {
    const isOptional = option.kind === 'repeat' && option.min === 0 && option.max === 1;
    mayBeEmpty ||= isOptional;
    return isOptional ? option.part : option;
  });
  return mayBeEmpty ? [optional(choice(some))] : some;
}

function itemsFrom(
  index: number,
  first: readonly (Expression | undefined)[],
  items: Expression | undefined,
  min: number,
  max: number,
): Expression {
  if (index >= max) return nothing;
  const item = first[index] ?? items;
  if (item === undefined) return nothing;
  const comma = text(index === 0 ? '' : ',');
  const rest =
    index + 1 >= first.length && items !== undefined
      ? repeat(sequence(text(','), items), Math.max(0, min - index - 1), max - index - 1)
      : itemsFrom(index + 1, first, items, min, max);
  const some = sequence(comma, item, rest);
  return index < min ? some : optional(some);
}

/** Listed texts as they stand in JSON, without the quotes. */
function listed(texts: readonly string[]): Expression {
  try {
    const automaton = listedTexts(texts.map((value) => [value, 0] as const));
    // What can't stand in a grammar as it is, such as a lone half of a pair, is written as JSON escapes it.
    const isPlain = texts.every((value) => !/[\p{Cc}\p{Cs}]/u.test(value.replaceAll(/[\n\t]/g, '')));
    if (isPlain)
      return automatonExpression(
        { automaton, loopLimit: 0 },
        { behind: nothingBehind, escapes: jsonEscapes },
      );
  } catch (error) {
    if (!(error instanceof AutomatonTooLarge)) throw error;
  }
  return choice(texts.map((value) => (value === '' ? nothing : text(JSON.stringify(value).slice(1, -1)))));
}

function anyShape(pointer: string, withNull: boolean, level: number): Shape {
  const unlimited = {
    minLength: 0,
    maxLength: Number.POSITIVE_INFINITY,
    patterns: [],
    formats: [],
  };
  const bounds = {
    minimum: undefined,
    maximum: undefined,
    exclusiveMinimum: undefined,
    exclusiveMaximum: undefined,
  };
  const scalars: Shape[] = [
    { kind: 'string', pointer, ...unlimited },
    { kind: 'number', pointer, isInteger: false, ...bounds, multiples: [] },
    { kind: 'boolean', pointer },
  ];
  if (withNull) scalars.push({ kind: 'null', pointer });
  if (level > maxAnyDepth) return union(pointer, scalars);
  const items: Shape = { kind: 'any', pointer, withNull: true };
  const inside: Shape = { kind: 'any', pointer, withNull };
  return union(pointer, [
    ...scalars,
    {
      kind: 'array',
      pointer,
      first: [],
      items,
      minItems: 0,
      maxItems: Number.POSITIVE_INFINITY,
      isUnique: false,
      length: 0,
    },
    objectOfAny(pointer, [inside], false),
  ]);
}
