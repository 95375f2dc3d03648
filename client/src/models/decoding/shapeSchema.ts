/** Writes shapes as JSON Schemas in what a server understands of it. */
import type { JsonObject, JsonValue } from '../../../../schemas/json/jsonValue';
import { type Provider, providerTitles, unsupportedBy } from '../../../../schemas/state/providerKeywords';
import { AutomatonTooLarge } from './automaton';
import { automatonExpression, noEscapes, nothingBehind } from './automatonExpression';
import { ExpressionTooLong } from './grammarExpression';
import { keySchemas } from './keySchemas';
import {
  endlessKeys,
  integerBounds,
  limitedAny,
  maxOptional,
  maxRepetition,
  mostItems,
  usualItems,
  usualLength,
} from './llamaLimits';
import { wholePattern } from './regexpText';
import type { Dialect } from './replyConstraint';
import { isSendable, sendableObject } from './sendable';
import type {
  AnyShape,
  ArrayShape,
  LiteralShape,
  Member,
  NumberShape,
  ObjectShape,
  Shape,
  StringShape,
} from './shapes';
import {
  describedTexts,
  keyCharacters,
  type Note,
  otherCharacters,
  plainCharacters,
  textsOfString,
} from './stringTexts';

/** A schema that is still being put together. */
export type SchemaDraft = Record<string, JsonValue>;

/** How many members may be left out or not, where a schema has to list all combinations. */
const maxCombined = 3;

/** Writes the shapes of one state schema for one dialect. The same shape gives the same object. */
export class ShapeSchema {
  readonly dialect: Dialect;
  readonly note: Note;
  readonly #provider: Provider | undefined;
  readonly #written = new Map<Shape, JsonObject | undefined>();

  readonly #isSet: boolean;

  /** @param isSet whether values are set by operations, instead of merged */
  constructor(dialect: Dialect, note: Note, isSet = false) {
    this.#isSet = isSet;
    this.dialect = dialect;
    this.note = note;
    this.#provider = dialect === 'json-schema' ? undefined : dialect;
  }

  /** Undefined where a shape allows nothing that can be said. */
  value(shape: Shape): JsonObject | undefined {
    if (this.#written.has(shape)) return this.#written.get(shape);
    const schema = this.#write(shape);
    this.#written.set(shape, schema);
    return schema;
  }

  /** Sets a keyword where the dialect knows it; else it is noted as left out. */
  put(draft: SchemaDraft, keyword: string, value: JsonValue, pointer: string): boolean {
    const provider = this.#provider;
    const isUnknown =
      provider !== undefined &&
      unsupportedBy(keyword, { ...draft, [keyword]: value }).some((one) => one.provider === provider);
    if (isUnknown) this.note(pointer, keyword, `is unknown to ${providerTitles[provider]}`);
    else draft[keyword] = value;
    return !isUnknown;
  }

  #write(shape: Shape): JsonObject | undefined {
    switch (shape.kind) {
      case 'any':
        return this.#any(shape);
      case 'null':
      case 'boolean':
        return { type: shape.kind };
      case 'literal':
        return this.#literal(shape);
      case 'number':
        return this.#number(shape);
      case 'string':
        return this.#string(shape);
      case 'array':
        return this.#array(shape);
      case 'object':
        return this.object(shape);
      case 'union': {
        const options = shape.options.flatMap<JsonObject>((option) => this.value(option) ?? []);
        const [only] = options;
        return options.length <= 1 ? only : { anyOf: options };
      }
    }
  }

  #any({ pointer, withNull }: AnyShape): JsonObject {
    const scalars = ['string', 'number', 'boolean'];
    if (this.dialect === 'openai') {
      const reason =
        'is needed: what is not described can only be a text, a number, true or false, or a list of them';
      this.note(pointer, 'type', reason);
      const types = (withNull ? [...scalars, 'null'] : scalars).map((type) => ({ type }));
      return { anyOf: [...types, { type: 'array', items: { anyOf: types } }] };
    }
    if (this.dialect === 'llama.cpp') {
      this.note(pointer, 'type', `is needed: without it ${endlessKeys}`);
      return limitedAny(withNull);
    }
    if (withNull) return {};
    if (!this.#isSet) return { type: [...scalars, 'object', 'array'] };
    // Null in an object would delete, which an operation that sets can't.
    const plain = { type: [...scalars, 'array'] };
    const inner = { anyOf: [plain, { type: 'object', additionalProperties: plain }] };
    return { anyOf: [plain, { type: 'object', additionalProperties: inner }] };
  }

  #literal({ pointer, values: all }: LiteralShape): JsonObject | undefined {
    const values = all.filter(isSendable);
    if (values.length < all.length)
      this.note(pointer, 'enum', 'has a value with half of a surrogate pair, which no server takes');
    const types = new Set(values.map(typeOf));
    const [type] = types;
    if (type === undefined) return undefined;
    if (this.dialect === 'json-schema' || this.dialect === 'llama.cpp')
      return types.size === 1 && type !== 'object' && type !== 'array'
        ? { type, enum: values }
        : { enum: values };
    // Strings and numbers can be listed; the others are known by their types.
    const options: JsonObject[] = [];
    for (const one of types) {
      const some = values.filter((value) => typeOf(value) === one);
      if (one === 'string' || one === 'integer' || one === 'number') options.push({ type: one, enum: some });
      else if (one === 'null' || (one === 'boolean' && some.length === 2)) options.push({ type: one });
      else if (one === 'boolean') {
        this.note(pointer, 'enum', `of true or false is unknown to ${providerTitles[this.dialect]}`);
        options.push({ type: one });
      } else this.note(pointer, 'enum', `of objects and lists is unknown to ${providerTitles[this.dialect]}`);
    }
    const [only] = options;
    return options.length <= 1 ? only : { anyOf: options };
  }

  #number(shape: NumberShape): JsonObject | undefined {
    const draft: SchemaDraft = { type: shape.isInteger ? 'integer' : 'number' };
    if (this.dialect === 'llama.cpp' && shape.isInteger) {
      const bounds = integerBounds(shape, this.note);
      if (bounds === undefined) return undefined;
      Object.assign(draft, bounds);
    } else
      for (const keyword of ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const) {
        const bound = shape[keyword];
        if (bound !== undefined) this.put(draft, keyword, bound, shape.pointer);
      }
    const [multiple, ...others] = shape.multiples;
    if (multiple !== undefined) this.put(draft, 'multipleOf', multiple, shape.pointer);
    if (others.length > 0) this.note(shape.pointer, 'multipleOf', 'stands here more than once');
    return draft;
  }

  #string(shape: StringShape): JsonObject | undefined {
    const draft: SchemaDraft = { type: 'string' };
    const { pointer, minLength, maxLength, patterns, formats } = shape;
    if (this.dialect === 'json-schema') {
      if (minLength > 0) draft.minLength = minLength;
      if (maxLength < Number.POSITIVE_INFINITY) draft.maxLength = maxLength;
      const [pattern, ...more] = patterns;
      const [format] = formats;
      if (pattern !== undefined) draft.pattern = pattern;
      if (more.length > 0) draft.allOf = more.map((source) => ({ pattern: source }));
      if (format !== undefined) draft.format = format;
      return draft;
    }
    if (this.dialect === 'gemini' || patterns.length + formats.length === 0) {
      const [pattern] = patterns;
      if (pattern !== undefined) this.put(draft, 'pattern', pattern, pointer);
      this.#lengths(draft, shape);
      for (const format of formats) this.put(draft, 'format', format, pointer);
      return draft;
    }
    const isLimited = this.dialect === 'llama.cpp' && maxLength > maxRepetition;
    const pattern = this.#pattern(isLimited ? { ...shape, maxLength: maxRepetition } : shape);
    if (pattern === 'none') return undefined;
    if (pattern !== undefined) draft.pattern = pattern;
    else this.#lengths(draft, shape);
    return draft;
  }

  #lengths(draft: SchemaDraft, { pointer, minLength, maxLength }: StringShape): void {
    const isLimited = this.dialect === 'llama.cpp';
    const least = isLimited ? Math.min(minLength, maxRepetition) : minLength;
    if (minLength > least) this.note(pointer, 'minLength', `is more than ${maxRepetition}`);
    if (least > 0) this.put(draft, 'minLength', least, pointer);
    if (maxLength < Number.POSITIVE_INFINITY)
      this.put(draft, 'maxLength', Math.min(maxLength, maxRepetition), pointer);
    else if (isLimited) draft.maxLength = Math.max(usualLength, least);
  }

  /** Patterns, formats and lengths as one pattern; `none` where no text has them all. */
  #pattern(shape: StringShape): string | 'none' | undefined {
    const { patterns, formats, minLength, maxLength } = shape;
    const [source] = patterns;
    const isPlain = patterns.length === 1 && formats.length === 0 && minLength === 0;
    // llama.cpp takes characters for what they are, so quotes and backslashes would end the JSON string.
    if (
      this.dialect === 'openai' &&
      source !== undefined &&
      isPlain &&
      maxLength === Number.POSITIVE_INFINITY
    )
      return source;
    const characters = [
      ...(this.dialect === 'llama.cpp' ? keyCharacters : plainCharacters),
      ...otherCharacters,
    ];
    const texts = textsOfString(shape, characters, this.note);
    if (texts === undefined) return undefined;
    if (texts.automaton.length === 0) return 'none';
    if (this.dialect === 'llama.cpp' && describedTexts(shape, this.note) === undefined) return undefined;
    try {
      return wholePattern(automatonExpression(texts, { behind: nothingBehind, escapes: noEscapes }));
    } catch (error) {
      if (!(error instanceof AutomatonTooLarge || error instanceof ExpressionTooLong)) throw error;
      this.note(shape.pointer, 'pattern', 'is too large to be written out');
      return undefined;
    }
  }

  #array(shape: ArrayShape): JsonObject | undefined {
    const { pointer, minItems, maxItems, isUnique, length } = shape;
    const draft: SchemaDraft = { type: 'array' };
    const first = shape.first.map((one) => this.value(one));
    const items = this.value(shape.items);
    const impossible = first.indexOf(undefined);
    const known = first.filter((one) => one !== undefined).slice(0, impossible < 0 ? undefined : impossible);
    let most = impossible >= 0 ? Math.min(maxItems, impossible) : maxItems;
    if (items === undefined) most = Math.min(most, known.length);
    if (minItems > most) return undefined;
    if (known.length > 0 && !this.put(draft, 'prefixItems', known, pointer)) {
      // Without places, an item may be any of them.
      const all = items === undefined ? known : [...known, items];
      draft.items = all.length === 1 ? (all[0] ?? {}) : { anyOf: all };
    } else if (items !== undefined) draft.items = items;
    else if (this.dialect === 'json-schema') draft.items = false;
    const isLimited = this.dialect === 'llama.cpp';
    if (isLimited && most === Number.POSITIVE_INFINITY)
      most = Math.max(usualItems, length + 8, known.length, minItems);
    if (isLimited) most = Math.min(most, mostItems);
    const least = Math.min(minItems, most);
    if (minItems > least) this.note(pointer, 'minItems', `is more than ${most}`);
    if (least > 0) this.put(draft, 'minItems', least, pointer);
    if (most < Number.POSITIVE_INFINITY) this.put(draft, 'maxItems', most, pointer);
    if (isUnique) this.put(draft, 'uniqueItems', true, pointer);
    if (!Object.hasOwn(draft, 'items')) draft.items = known[0] ?? { type: 'boolean' };
    return draft;
  }

  /** An object, or what changes in one. */
  object(given: ObjectShape): JsonObject | undefined {
    const shape = sendableObject(given, this.note);
    if (shape === undefined) return undefined;
    const members: (Member & { readonly schema: JsonObject })[] = [];
    for (const member of shape.members) {
      const schema = this.value(member.shape);
      if (schema !== undefined) members.push({ ...member, schema });
      else if (member.isRequired) return undefined;
    }
    if (this.dialect === 'openai') return this.#closedObject(shape, members);
    const properties: SchemaDraft = Object.create(null) as SchemaDraft;
    for (const { key, schema } of members) properties[key] = schema;
    const draft: SchemaDraft = { type: 'object', properties };
    const required = members.filter(({ isRequired }) => isRequired).map(({ key }) => key);
    if (this.dialect === 'llama.cpp' && members.length - required.length > maxOptional)
      throw new ExpressionTooLong();
    if (required.length > 0) draft.required = required;
    keySchemas(shape, draft, properties, this);
    if (shape.isChange) {
      if (shape.groups.length > 0 && shape.maxNew < 16)
        this.note(shape.pointer, 'maxProperties', 'depends on how many keys are there');
    } else {
      if (shape.minEntries > 0) this.put(draft, 'minProperties', shape.minEntries, shape.pointer);
      if (shape.maxNew < Number.POSITIVE_INFINITY)
        this.put(draft, 'maxProperties', shape.maxNew, shape.pointer);
    }
    const declared = Object.entries(properties);
    if (declared.length > 0 || draft.additionalProperties === false)
      draft.properties = Object.fromEntries(declared);
    else delete draft.properties;
    return draft;
  }

  /** An object all of whose keys are required: those that aren't make several of it. */
  #closedObject(
    shape: ObjectShape,
    members: readonly (Member & { readonly schema: JsonObject })[],
  ): JsonObject {
    if (shape.groups.length > 0)
      this.note(shape.pointer, 'additionalProperties', `is unknown to ${providerTitles.openai}`);
    const optional = members.filter(({ isRequired }) => !isRequired);
    const combined = optional.slice(0, maxCombined);
    if (optional.length > combined.length)
      this.note(
        shape.pointer,
        'properties',
        `has more than ${maxCombined} keys that aren't required, which can't be told apart`,
      );
    const rest = new Set(optional.slice(maxCombined).map(({ key }) => key));
    const variants: JsonObject[] = [];
    for (let set = (1 << combined.length) - 1; set >= 0; set--) {
      const left = new Set(combined.filter((_, index) => (set >> index) % 2 === 0).map(({ key }) => key));
      // The others are there with all of these, or not at all.
      const kept = members.filter(({ key }) => !left.has(key) && !(left.size > 0 && rest.has(key)));
      const properties = Object.fromEntries(kept.map(({ key, schema }) => [key, schema]));
      variants.push({
        type: 'object',
        properties,
        required: kept.map(({ key }) => key),
        additionalProperties: false,
      });
    }
    const [only] = variants;
    return variants.length === 1 && only !== undefined ? only : { anyOf: variants };
  }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
