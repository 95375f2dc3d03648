/** The keys of an object that it doesn't declare, as JSON Schema. */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import { AutomatonTooLarge, listedTexts, refused } from './automaton';
import { automatonExpression, noEscapes, nothingBehind } from './automatonExpression';
import { boundedTexts, textsOf } from './automatonLength';
import { ExpressionTooLong } from './grammarExpression';
import { areSeparable, endlessKeys, isSeparable } from './llamaLimits';
import { keysOfGroups, withListed } from './objectKeys';
import { wholePattern } from './regexpText';
import type { SchemaDraft, ShapeSchema } from './shapeSchema';
import { isScalar, type Member, type ObjectShape, type Shape, union } from './shapes';

/** How many keys of Σ are told apart by their shapes. */
const maxKnown = 200;
/** Up to how many keys are listed where patterns of keys are unknown. */
const maxListed = 64;

/** Adds what is said of other keys to a draft and its properties. */
export function keySchemas(
  shape: ObjectShape,
  draft: SchemaDraft,
  properties: SchemaDraft,
  writer: ShapeSchema,
): void {
  const { groups, known } = shape;
  if (groups.length === 0 && known.length === 0) {
    draft.additionalProperties = false;
    return;
  }
  if (writer.dialect === 'json-schema') patternKeys(shape, draft, properties, writer);
  else otherKeys(shape, draft, properties, writer);
}

/** For servers that know patterns of keys. */
function patternKeys(
  shape: ObjectShape,
  draft: SchemaDraft,
  properties: SchemaDraft,
  writer: ShapeSchema,
): void {
  const { pointer, groups, names } = shape;
  for (const key of unwritable(shape)) properties[key] = false;
  const patterns: SchemaDraft = {};
  const sources = [...new Set(groups.flatMap(({ matches }) => matches))];
  // A key that matches several patterns has to satisfy all of them, so what Σ has and what is new can't be told apart there.
  const known = sources.length > 0 ? [] : shape.known;
  const { apart, together } = byShape(known);
  for (const [one, keys] of apart) {
    const schema = writer.value(one);
    const pattern = listPattern(keys);
    if (schema !== undefined && pattern !== undefined) patterns[pattern] = schema;
    else together.push(one);
  }
  if (sources.length > 0) together.push(...shape.known.map((member) => member.shape));
  if (together.some((one) => !isScalar(one)))
    writer.note(pointer, 'required', 'depends on which keys are there');
  for (const source of sources) {
    const shapes = groups.filter(({ matches }) => matches.includes(source)).map((group) => group.shape);
    const schema = writer.value(union(pointer, [...shapes, ...together]));
    if (schema !== undefined) patterns[source] = schema;
  }
  const rest = groups.find(({ matches }) => matches.length === 0);
  const others = union(pointer, [
    ...(rest === undefined ? [] : [rest.shape]),
    ...(sources.length > 0 ? [] : together),
  ]);
  draft.additionalProperties = writer.value(others) ?? false;
  if (Object.keys(patterns).length > 0) draft.patternProperties = patterns;
  const name = names && writer.value(names);
  if (name !== undefined) draft.propertyNames = name;
}

/** For servers that don't: keys are listed where they are few; else a key may be any. */
function otherKeys(
  shape: ObjectShape,
  draft: SchemaDraft,
  properties: SchemaDraft,
  writer: ShapeSchema,
): void {
  const { pointer, groups, known, names } = shape;
  const listed = listedKeys(shape, writer);
  if (listed !== undefined) {
    for (const [key, schema] of listed) properties[key] = schema;
    draft.additionalProperties = false;
    return;
  }
  const shapes: Shape[] = groups.map((group) => group.shape);
  const isScalars = known.every((member) => isScalar(member.shape));
  if (isScalars || known.length > maxKnown || !areFew(writer, known, properties)) {
    if (!isScalars) writer.note(pointer, 'required', 'depends on which keys are there');
    shapes.push(...known.map((member) => member.shape));
  } else
    for (const member of known) {
      const schema = writer.value(member.shape);
      if (schema !== undefined) properties[member.key] = schema;
    }
  if (groups.some(({ matches }) => matches.length > 0)) writer.put({}, 'patternProperties', {}, pointer);
  if (names !== undefined) writer.put({}, 'propertyNames', {}, pointer);
  if (writer.dialect === 'llama.cpp' && !tellApart(shape, properties, shapes, writer)) {
    draft.additionalProperties = false;
    return;
  }
  if (shape.maxNew < Number.POSITIVE_INFINITY) writer.put({}, 'maxProperties', shape.maxNew, pointer);
  if (writer.dialect === 'llama.cpp') {
    const reason = `may have one key twice, which makes the reply no JSON, and ${endlessKeys}`;
    writer.note(pointer, 'additionalProperties', reason);
  }
  for (const key of unwritable(shape))
    if (!Object.hasOwn(properties, key))
      writer.note(pointer, 'x-writer', `of ${JSON.stringify(key)} can't be told from other keys`);
  const schema = writer.value(union(pointer, shapes));
  draft.additionalProperties = schema ?? false;
}

/** Whether llama.cpp can tell so many keys of Σ from others, beside those that are declared. */
function areFew(writer: ShapeSchema, known: readonly Member[], properties: SchemaDraft): boolean {
  return (
    writer.dialect !== 'llama.cpp' ||
    areSeparable([...Object.keys(properties), ...known.map(({ key }) => key)])
  );
}

/**
 * Takes out of the properties those whose keys llama.cpp can't tell from other keys, and lets all keys have their values.
 * False where they are required, so that there can be no other keys.
 */
function tellApart(
  { pointer, members, known }: ObjectShape,
  properties: SchemaDraft,
  shapes: Shape[],
  { note }: ShapeSchema,
): boolean {
  const listed = [...members, ...known].filter(({ key }) => Object.hasOwn(properties, key));
  const apart = listed.filter(({ key }) => isSeparable(key));
  const together = areSeparable(apart.map(({ key }) => key))
    ? listed.filter(({ key }) => !isSeparable(key))
    : listed;
  const [first] = together;
  if (first === undefined) return true;
  if (together.some(({ isRequired }) => isRequired)) {
    note(pointer, 'additionalProperties', "can't be told from the keys that are required");
    return false;
  }
  note(pointer, 'properties', `such as ${JSON.stringify(first.key)} can't be told from other keys`);
  for (const member of together) {
    delete properties[member.key];
    shapes.push(member.shape);
  }
  return true;
}

/** Keys that a pattern or `additionalProperties` would allow, though nothing may be written there. */
function unwritable({ members, known, excluded, groups }: ObjectShape): readonly string[] {
  if (groups.length === 0) return [];
  const writable = new Set([...members, ...known].map(({ key }) => key));
  return [...excluded].filter((key) => !writable.has(key));
}

/** Keys of Σ by their shapes, as far as they are few; the shapes of the others. */
function byShape(known: readonly Member[]): { apart: Map<Shape, string[]>; together: Shape[] } {
  const apart = new Map<Shape, string[]>();
  if (known.length > maxKnown) return { apart, together: [...new Set(known.map(({ shape }) => shape))] };
  for (const { key, shape } of known) {
    const keys = apart.get(shape) ?? [];
    keys.push(key);
    apart.set(shape, keys);
  }
  return { apart, together: [] };
}

/** The pattern of some keys; undefined where they take too much room. */
function listPattern(keys: readonly string[]): string | undefined {
  try {
    const automaton = listedTexts(keys.map((key) => [key, 0] as const));
    return wholePattern(
      automatonExpression({ automaton, loopLimit: 0 }, { behind: nothingBehind, escapes: noEscapes }),
    );
  } catch (error) {
    if (error instanceof AutomatonTooLarge || error instanceof ExpressionTooLong) return undefined;
    throw error;
  }
}

/** All keys that there can be, with their schemas, where they are few. */
function listedKeys(
  shape: ObjectShape,
  writer: ShapeSchema,
): readonly (readonly [key: string, schema: JsonObject])[] | undefined {
  const shapes = new Map<Shape, number>();
  const schemas: JsonObject[] = [];
  const labelOf = (one: Shape): number => {
    let label = shapes.get(one);
    if (label === undefined) {
      const schema = writer.value(one);
      label = schema === undefined ? refused : schemas.push(schema) - 1;
      shapes.set(one, label);
    }
    return label;
  };
  try {
    const groups = shape.groups.map((group) => ({ ...group, label: labelOf(group.shape) }));
    const keys = keysOfGroups(shape, groups, { isWide: false, note: () => undefined }) ?? {
      automaton: [],
      maxLength: 0,
    };
    const known = shape.known.map((member) => [member.key, labelOf(member.shape)] as const);
    const { automaton, maxLength } = withListed(keys, known, shape.excluded);
    const texts = textsOf(boundedTexts(automaton, 0, maxLength), maxListed);
    return texts?.flatMap(([key, label]) => {
      const schema = schemas[label];
      return schema === undefined ? [] : [[key, schema] as const];
    });
  } catch (error) {
    if (error instanceof AutomatonTooLarge) return undefined;
    throw error;
  }
}
