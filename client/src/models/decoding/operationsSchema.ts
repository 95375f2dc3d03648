/** What may be set and deleted where, as a schema of a list of operations. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import { providerTitles } from '../../../../schemas/state/providerKeywords';
import { compilePattern } from '../../../../schemas/text/safePattern';
import { type Automaton, AutomatonTooLarge, listedTexts, minimized, refused } from './automaton';
import { automatonExpression, nothingBehind } from './automatonExpression';
import { type BoundedTexts, boundedTexts } from './automatonLength';
import { choice, type Expression, ExpressionTooLong, sequence, text } from './grammarExpression';
import { usualLength } from './llamaLimits';
import { keysOfGroups, withListed } from './objectKeys';
import { wholePattern } from './regexpText';
import { sendableObject } from './sendable';
import type { ShapeSchema } from './shapeSchema';
import { isNever, type Member, type ObjectShape, optionsOf, type Shape, union } from './shapes';

/** How many operations a list may have. */
const maxOperations = 32;
/** How many places may have operations of their own; objects in objects have many. */
const maxPlaces = 2_000;
/** How long the pattern of keys may get, in characters, so that they are bounded where the schema doesn't bound them. */
const maxBoundedPattern = 2_000;
/** Up to how many paths are listed; more become a pattern. */
const maxListedPaths = 64;

/** Characters of keys that a JSON Pointer writes otherwise (RFC 6901, section 3). */
const pointerEscapes: ReadonlyMap<number, string> = new Map([
  [0x2f, '~1'],
  [0x7e, '~0'],
]);

/** Paths that are written alike. `listed` is undefined where they aren't known one by one. */
interface Paths {
  readonly listed: readonly string[] | undefined;
  readonly expression: Expression;
}

/** A list of operations on an object of each of the shapes. */
export function operationsSchema(shapes: readonly ObjectShape[], writer: ShapeSchema): JsonObject {
  const found = new Operations(writer);
  for (const shape of shapes) found.addObject(shape, { listed: [''], expression: text('') });
  const operations = found.schemas();
  const [only] = operations;
  if (only === undefined) return { type: 'array', items: { type: 'boolean' }, maxItems: 0 };
  const wrong = 'may be written by two operations, or as if values had keys, which makes the reply no patch';
  writer.note('', 'properties', wrong);
  const items = operations.length === 1 ? only : { anyOf: operations };
  return { type: 'array', items, maxItems: maxOperations };
}

class Operations {
  readonly #writer: ShapeSchema;
  /** Paths by what may be set there. */
  readonly #values = new Map<Shape, Paths[]>();
  readonly #deleted: Paths[] = [];
  /** Objects made without members. */
  readonly #empty: Paths[] = [];
  #places = 0;

  constructor(writer: ShapeSchema) {
    this.#writer = writer;
  }

  addObject(given: ObjectShape, prefix: Paths): void {
    const shape = sendableObject(given, this.#writer.note);
    if (shape === undefined) return;
    const single = [...shape.members, ...shape.known];
    for (const [one, members] of byShape(single)) this.#addPlaces(one, below(prefix, listedKeys(members)));
    for (const [one, keys] of this.#groups(shape)) this.#addPlaces(one, below(prefix, keys));
  }

  /** Keys that aren't listed, by what they may be. */
  #groups(shape: ObjectShape): readonly (readonly [Shape, Paths])[] {
    const { groups, pointer } = shape;
    if (groups.length === 0 || shape.maxNew === 0) return [];
    const shapes = [...new Set(groups.map((group) => group.shape))].filter((one) => !isNever(one));
    try {
      const labelled = groups.map((group) => ({ ...group, label: shapes.indexOf(group.shape) }));
      const keys = keysOfGroups(shape, labelled, { isWide: true, note: this.#writer.note });
      if (keys === undefined) return [];
      const { automaton, maxLength } = withListed(keys, [], shape.excluded);
      return shapes.flatMap((one, label): (readonly [Shape, Paths])[] => {
        const labelled = withLabel(automaton, label);
        if (labelled.length === 0) return [];
        // Without end they make a shorter pattern than with a bound of ours, which only small models need.
        const endless = { automaton: labelled, loopLimit: Number.POSITIVE_INFINITY };
        if (isLimited(shape.names)) return [[one, keyPaths(boundedTexts(labelled, 0, maxLength))]];
        const bounded = this.#writer.dialect === 'llama.cpp' ? shortPaths(labelled, maxLength) : undefined;
        return [[one, bounded ?? keyPaths(endless)]];
      });
    } catch (error) {
      if (!(error instanceof AutomatonTooLarge)) throw error;
      this.#writer.note(
        pointer,
        'propertyNames',
        'and other keywords about keys are too large to be written out',
      );
      return [];
    }
  }

  #addPlaces(shape: Shape, paths: Paths): void {
    if (++this.#places > maxPlaces) throw new ExpressionTooLong();
    const values: Shape[] = [];
    for (const option of optionsOf(shape)) {
      if (option.kind === 'null') this.#deleted.push(paths);
      else if (option.kind !== 'object') values.push(option);
      else if (option.isChange) this.addObject(option, paths);
      else if (this.#writer.dialect !== 'openai') values.push(option);
      else this.#addNewObject(option, paths, values);
    }
    const value = union(shape.pointer, values);
    if (isNever(value)) return;
    const known = this.#values.get(value) ?? [];
    known.push(paths);
    this.#values.set(value, known);
  }

  /** Where every key of an object has to be required, some objects can only be written key by key. */
  #addNewObject(shape: ObjectShape, paths: Paths, values: Shape[]): void {
    const required = shape.members.some(({ isRequired }) => isRequired);
    if (shape.groups.length === 0 && (required || shape.members.length > 0)) values.push(shape);
    if (!required && shape.minEntries === 0) this.#empty.push(paths);
    if (required) this.#writer.note(shape.pointer, 'required', 'depends on which keys are there');
  }

  schemas(): readonly JsonObject[] {
    const schemas: JsonObject[] = [];
    for (const [shape, paths] of this.#values) {
      const value = this.#writer.value(shape);
      if (value !== undefined) schemas.push(this.#operation('set', paths, value));
    }
    if (this.#empty.length > 0) {
      const nothing = { type: 'object', properties: {}, required: [], additionalProperties: false };
      schemas.push(this.#operation('set', this.#empty, nothing));
    }
    if (this.#deleted.length > 0) schemas.push(this.#operation('delete', this.#deleted, undefined));
    return schemas;
  }

  #operation(op: 'set' | 'delete', paths: readonly Paths[], value: JsonObject | undefined): JsonObject {
    const properties = {
      op: { type: 'string', enum: [op] },
      path: this.#path(paths),
      ...(value !== undefined && { value }),
    };
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  }

  #path(paths: readonly Paths[]): JsonObject {
    const listed = paths.map((one) => one.listed);
    const all = listed.flatMap((one) => one ?? []);
    if (!listed.includes(undefined) && all.length <= maxListedPaths)
      return { type: 'string', enum: [...new Set(all)] };
    const draft = { type: 'string' };
    if (this.#writer.dialect === 'gemini') {
      this.#writer.note(
        '',
        'propertyNames',
        `can't be said of paths: patterns are unknown to ${providerTitles.gemini}`,
      );
      return draft;
    }
    try {
      const pattern = wholePattern(choice(paths.map(({ expression }) => expression)));
      if (!compilePattern(pattern).ok) throw new ExpressionTooLong();
      return { ...draft, pattern };
    } catch (error) {
      if (!(error instanceof ExpressionTooLong)) throw error;
      this.#writer.note(
        '',
        'propertyNames',
        'and other keywords about keys make paths too long to be written out',
      );
    }
    if (this.#writer.dialect === 'llama.cpp') return { ...draft, maxLength: usualLength };
    return draft;
  }
}

/** Whether the schema bounds the length of keys. */
function isLimited(names: Shape | undefined): boolean {
  return names !== undefined && !(names.kind === 'string' && names.maxLength === Number.POSITIVE_INFINITY);
}

function byShape(members: readonly Member[]): ReadonlyMap<Shape, readonly string[]> {
  const found = new Map<Shape, string[]>();
  for (const { key, shape } of members) {
    const keys = found.get(shape) ?? [];
    keys.push(key);
    found.set(shape, keys);
  }
  return found;
}

function listedKeys(keys: readonly string[]): Paths {
  const tokens = keys.map(tokenOf);
  if (keys.length <= maxListedPaths) return { listed: tokens, expression: choice(tokens.map(text)) };
  const automaton = listedTexts(keys.map((key) => [key, 0] as const));
  return { listed: undefined, expression: keyPaths({ automaton, loopLimit: 0 }).expression };
}

function keyPaths(keys: BoundedTexts): Paths {
  const expression = automatonExpression(keys, { behind: nothingBehind, escapes: pointerEscapes });
  return { listed: undefined, expression };
}

/** Undefined where they make a long pattern. */
function shortPaths(keys: Automaton, maxLength: number): Paths | undefined {
  try {
    const paths = keyPaths(boundedTexts(keys, 0, maxLength));
    return wholePattern(paths.expression).length > maxBoundedPattern ? undefined : paths;
  } catch (error) {
    if (error instanceof AutomatonTooLarge || error instanceof ExpressionTooLong) return undefined;
    throw error;
  }
}

function tokenOf(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function below(prefix: Paths, keys: Paths): Paths {
  const { listed } = keys;
  const all =
    prefix.listed === undefined ||
    listed === undefined ||
    prefix.listed.length * listed.length > maxListedPaths
      ? undefined
      : prefix.listed.flatMap((one) => listed.map((key) => `${one}/${key}`));
  return { listed: all, expression: sequence(prefix.expression, text('/'), keys.expression) };
}

function withLabel(automaton: Automaton, label: number): Automaton {
  return minimized(automaton.map((state) => (state.label === label ? state : { ...state, label: refused })));
}
