/** What a schema says of a field, in words. */
import { parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { SchemaNode } from './schemaGraph';

const maxText = 2_000;
const maxValues = 12;

/** `string or null`, `list of string`, `map to object`; empty where the schema names no type. */
export function typeText(node: SchemaNode): string {
  const types = new Set<string>();
  for (const schema of objectsOf(node)) {
    const type = ownProperty(schema, 'type');
    for (const one of Array.isArray(type) ? type : [type]) if (typeof one === 'string') types.add(one);
  }
  return [...types].map((type) => detailed(type, node)).join(' or ');
}

function detailed(type: string, node: SchemaNode): string {
  const inner =
    type === 'array'
      ? node.item()
      : type === 'object' && node.declared.size === 0
        ? node.anyKey()
        : undefined;
  const innerTypes = new Set(
    inner && objectsOf(inner).flatMap((schema) => ownProperty(schema, 'type') ?? []),
  );
  const [only] = innerTypes;
  const of = innerTypes.size === 1 && typeof only === 'string' ? only : undefined;
  if (type === 'array') return of === undefined ? 'list' : `list of ${of}`;
  return type === 'object' && of !== undefined ? `map to ${of}` : type;
}

/** The first description of what declarations declare, or of what they refer to. */
export function declarationText(schema: StateSchema, declarations: readonly string[]): string | undefined {
  for (const pointer of declarations) {
    const value = valueAt(schema.schema, parsePointer(pointer) ?? []);
    const text = isJsonObject(value) ? textOf(value) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The description of a value. */
export function descriptionOf(node: SchemaNode): string | undefined {
  for (const schema of objectsOf(node)) {
    const text = textOf(schema);
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOf(schema: JsonObject): string | undefined {
  for (const keyword of ['description', 'title']) {
    const text = ownProperty(schema, keyword);
    if (typeof text === 'string' && text.trim() !== '') return clipped(text.trim(), maxText);
  }
  return undefined;
}

/** Bounds, values and rules of merging, each in a few words. */
export function factsOf(node: SchemaNode): string[] {
  const facts: string[] = [];
  const schemas = objectsOf(node);
  const number = (keyword: string): number | undefined => {
    const values = schemas
      .map((schema) => ownProperty(schema, keyword))
      .filter((value) => typeof value === 'number');
    return values.length === 0
      ? undefined
      : /^max|^exclusiveMax/.test(keyword)
        ? Math.min(...values)
        : Math.max(...values);
  };
  const between = (unit: string, least: number | undefined, most: number | undefined) => {
    if (least !== undefined && most !== undefined) facts.push(`${least} to ${most}${unit}`);
    else if (most !== undefined) facts.push(`at most ${most}${unit}`);
    else if (least !== undefined) facts.push(`at least ${least}${unit}`);
  };
  between(' characters', number('minLength'), number('maxLength'));
  between(' items', number('minItems'), number('maxItems'));
  between(' keys', number('minProperties'), number('maxProperties'));
  between('', number('minimum'), number('maximum'));
  for (const schema of schemas) {
    const values = ownProperty(schema, 'enum');
    if (Array.isArray(values)) facts.push(`one of ${valuesText(values)}`);
    const constant = ownProperty(schema, 'const');
    if (constant !== undefined) facts.push(`always ${clipped(JSON.stringify(constant), 200)}`);
    const pattern = ownProperty(schema, 'pattern');
    if (typeof pattern === 'string') facts.push(`fits the pattern ${clipped(pattern, 200)}`);
    const merge = ownProperty(schema, 'x-merge');
    if (merge === 'append') facts.push('a patch appends to it');
    if (merge === 'union') facts.push('a patch adds what it has not yet');
    if (ownProperty(schema, 'x-evict') === 'oldest') facts.push('the oldest give way when it is full');
    if (ownProperty(schema, 'x-writer') === 'environment') facts.push('only the environment writes it');
  }
  return [...new Set(facts)];
}

function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, maxValues).map((value) => clipped(JSON.stringify(value), 100));
  return values.length > maxValues
    ? `${shown.join(', ')} and ${values.length - maxValues} more`
    : shown.join(', ');
}

function objectsOf(node: SchemaNode): JsonObject[] {
  return node.places.map(({ schema }) => schema).filter(isJsonObject);
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
