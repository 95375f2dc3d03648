/** The keys of an object as entries of which each comes at most once. */
import { AutomatonTooLarge, combined, listedTexts, refused } from './automaton';
import { automatonExpression, jsonEscapes } from './automatonExpression';
import { type BoundedTexts, boundedTexts } from './automatonLength';
import type { Entry } from './entryOrders';
import { type Expression, sequence, text } from './grammarExpression';
import { type KeySet, partitions } from './keyColours';
import { patternTexts } from './patternAutomaton';
import { isScalar, type Member, type ObjectShape, type Shape, union } from './shapes';
import { keyCharacters, keysOf, type Note, otherCharacters } from './stringTexts';

/** By groups, and by how deep their object is nested. */
export type KeptKeys = WeakMap<ObjectShape['groups'], Map<number, KeySet | 'none'>>;

/** What writes the values. */
export interface ValueWriter {
  value(shape: Shape, depth: number): Expression | undefined;
  note: Note;
  /** The keys of groups, which are the same at every step. */
  readonly keys: KeptKeys;
}

/** Entries of which some are taken. */
export interface EntryChoice {
  readonly entries: readonly Entry[];
  readonly min: number;
  readonly max: number;
}

/** Up to so many keys are entries of their own; of more, those that aren't required are parted into sets. */
const maxSingle = 24;
/** In how many ways keys are parted, where their values are short: each is followed at the same time as the others. */
const maxPartitions = 3;

/** Different ways to write an object's keys; each has texts that the others don't have, and some that they have. */
export function keyEntries(shape: ObjectShape, depth: number, writer: ValueWriter): readonly EntryChoice[] {
  const min = shape.isChange ? 0 : shape.minEntries;
  const listed = [...shape.members, ...shape.known];
  const isFew = listed.length <= maxSingle || listed.some(({ isRequired }) => isRequired);
  const single = isFew ? listed : [];
  const entries: Entry[] = [];
  for (const member of single) {
    const value = writer.value(member.shape, depth + 1);
    if (value !== undefined)
      entries.push({ expression: memberText(member, value), isRequired: member.isRequired });
    else if (member.isRequired) return [];
  }
  const labels = new ValueLabels(depth + 1, writer);
  const others = othersOf(shape, isFew ? [] : listed, labels, writer);
  const choice = (more: readonly Entry[]): EntryChoice => {
    const all = [...entries, ...more];
    const max = shape.isChange ? all.length : Math.min(all.length, shape.maxNew);
    return { entries: all, min, max };
  };
  if (others === undefined) return [choice([])];
  const written = others.flatMap((parts) => {
    const more = parts.flatMap((part) => labels.entry(part) ?? []);
    return more.length === 0 ? [] : [choice(more)];
  });
  return written.length === 0 ? [choice([])] : written;
}

function memberText({ key }: Member, value: Expression): Expression {
  return sequence(text(`${JSON.stringify(key)}:`), value);
}

/** Values by small numbers, so that keys of which the values are alike share their rules. */
class ValueLabels {
  readonly #expressions: Expression[] = [];
  readonly #labels = new Map<Shape, number>();
  readonly depth: number;
  readonly #writer: ValueWriter;

  constructor(depth: number, writer: ValueWriter) {
    this.depth = depth;
    this.#writer = writer;
  }

  /** {@link refused} for what can't be written. */
  of(shape: Shape): number {
    let label = this.#labels.get(shape);
    if (label === undefined) {
      const value = this.#writer.value(shape, this.depth);
      label = value === undefined ? refused : this.#expressions.push(value) - 1;
      this.#labels.set(shape, label);
    }
    return label;
  }

  /** Whether all values are short enough to be followed in several ways at a time. */
  get areShort(): boolean {
    return [...this.#labels.keys()].every(isScalar);
  }

  entry(keys: BoundedTexts): Entry | undefined {
    if (keys.automaton.length === 0) return undefined;
    const behind = (label: number): Expression => {
      const value = this.#expressions[label];
      return value === undefined ? text('":') : sequence(text('":'), value);
    };
    const expression = sequence(text('"'), automatonExpression(keys, { behind, escapes: jsonEscapes }));
    return { expression, isRequired: false };
  }
}

/** The other keys, parted; undefined where there are none. */
function othersOf(
  shape: ObjectShape,
  listed: readonly Member[],
  labels: ValueLabels,
  writer: ValueWriter,
): readonly (readonly BoundedTexts[])[] | undefined {
  try {
    const declaredNew = shape.isChange ? shape.members.filter(({ isNew }) => isNew).length : 0;
    if (declaredNew > shape.maxNew) writer.note(shape.pointer, 'maxProperties', 'counts keys');
    // Groups come first, so that their labels are the same however many keys there are.
    const group = groupKeys(shape, labels, writer);
    const added = shape.maxNew > declaredNew ? group : undefined;
    const known = listed.map(({ key, shape: value }) => [key, labels.of(value)] as const);
    const depth = labels.depth - 1;
    const count = labels.areShort && shape.members.length <= 6 ? maxPartitions : 1;
    if (added === undefined) {
      const keys = keySetOf(known);
      return keys && partitions(keys, count, depth);
    }
    if (!shape.isChange || shape.maxNew > maxSingle)
      return partitions(withListed(added, known, shape.excluded), count, depth);
    // Where few more keys fit in, one is added at a time.
    const { automaton, maxLength } = withListed(added, [], shape.excluded);
    const oneMore = boundedTexts(automaton, 0, maxLength);
    const keys = keySetOf(known);
    const parted = keys === undefined ? [[]] : partitions(keys, count, depth);
    return parted.map((parts) => [...parts, oneMore]);
  } catch (error) {
    if (!(error instanceof AutomatonTooLarge)) throw error;
    const reason = 'and other keywords about keys are too large to be written out';
    writer.note(shape.pointer, 'propertyNames', reason);
    return shape.members.length > 0 && listed.length === 0
      ? undefined
      : anyKeys(shape, listed, labels, writer);
  }
}

/** Any key with any of the values, where it can't be said which keys have which. */
function anyKeys(
  { pointer, groups }: ObjectShape,
  listed: readonly Member[],
  labels: ValueLabels,
  writer: ValueWriter,
): readonly (readonly BoundedTexts[])[] | undefined {
  const values = new Set([...groups, ...listed].map(({ shape }) => shape));
  const label = labels.of(union(pointer, [...values]));
  if (label === refused) return undefined;
  const { automaton, maxLength } = keysOf(undefined, keyCharacters, writer.note);
  const labelled = automaton.map((state) => (state.label === refused ? state : { ...state, label }));
  return partitions({ automaton: labelled, maxLength }, 1, labels.depth - 1);
}

function keySetOf(known: readonly (readonly [key: string, label: number])[]): KeySet | undefined {
  const writable = known.filter(([, label]) => label !== refused);
  if (writable.length === 0) return undefined;
  return { automaton: listedTexts(writable), maxLength: longest(writable) };
}

function longest(keys: readonly (readonly [key: string, label: number])[]): number {
  return keys.reduce((most, [key]) => Math.max(most, [...key].length), 0);
}

const notWritable = 1e9;

/** Keys of groups, some of which are listed with labels of their own, or may not be written. */
export function withListed(
  keys: KeySet,
  known: readonly (readonly [key: string, label: number])[],
  excluded: ReadonlySet<string>,
): KeySet {
  const labels = new Map<string, number>();
  for (const key of excluded) labels.set(key, notWritable);
  for (const [key, label] of known) labels.set(key, label === refused ? notWritable : label);
  if (labels.size === 0) return keys;
  const automaton = combined(
    [keys.automaton, listedTexts(labels)].map((one) => ({ automaton: one, isNeeded: false })),
    ([label = refused, own = refused]) => (own === notWritable ? refused : own === refused ? label : own),
  );
  return { automaton, maxLength: Math.max(keys.maxLength, longest(known)) };
}

/** Keys that aren't listed, with the labels of their groups. */
function groupKeys(shape: ObjectShape, labels: ValueLabels, writer: ValueWriter): KeySet | undefined {
  const groups = shape.groups.map((group) => ({ ...group, label: labels.of(group.shape) }));
  const byDepth = writer.keys.get(shape.groups) ?? new Map<number, KeySet | 'none'>();
  writer.keys.set(shape.groups, byDepth);
  const kept = byDepth.get(labels.depth);
  if (kept !== undefined) return kept === 'none' ? undefined : kept;
  const keys = groups.every(({ label }) => label === refused)
    ? undefined
    : keysOfGroups(shape, groups, { isWide: true, note: writer.note });
  byDepth.set(labels.depth, keys ?? 'none');
  return keys;
}

/** Keys that aren't listed, with the labels of their groups. @throws AutomatonTooLarge */
export function keysOfGroups(
  shape: Pick<ObjectShape, 'names'>,
  groups: readonly (ObjectShape['groups'][number] & { readonly label: number })[],
  { isWide, note }: { readonly isWide: boolean; readonly note: Note },
): KeySet | undefined {
  const characters = isWide ? [...keyCharacters, ...otherCharacters] : keyCharacters;
  const named = keysOf(shape.names, characters, note);
  const patterns = [...new Set(groups.flatMap(({ matches, avoids }) => [...matches, ...avoids]))];
  const automata = patterns.map((source) => {
    const automaton = patternTexts(source);
    if (automaton === undefined) throw new AutomatonTooLarge();
    return automaton;
  });
  const automaton = combined(
    [
      { automaton: named.automaton, isNeeded: true },
      ...automata.map((one) => ({ automaton: one, isNeeded: false })),
    ],
    ([name, ...matching]) => {
      if (name === refused) return refused;
      const matched = new Set(patterns.filter((_, index) => matching[index] !== refused));
      const group = groups.find(
        ({ matches, avoids }) =>
          matches.every((source) => matched.has(source)) && !avoids.some((source) => matched.has(source)),
      );
      return group?.label ?? refused;
    },
  );
  return automaton.length === 0 ? undefined : { automaton, maxLength: named.maxLength };
}
