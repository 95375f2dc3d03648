/** What a state schema says of a place of Σ, in Markdown: for hovers wherever that place is named. */
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { codeSpan, markdownEscaped } from '../markdownText';
import { describeSchema } from './schemaDetail';

const maxShownValues = 20;
const maxValueLength = 60;
const maxDescriptionLength = 2_000;

/**
 * The facts of the value at a path of Σ: type, description, what limits it, who writes it, how patches change it.
 * Undefined where the schema says nothing of it.
 */
export function propertyFactsAt(schema: StateSchema, path: JsonPath): string | undefined {
  const all = schema.subschemasAt(path);
  if (all.length === 0) return undefined;
  const certain = schema.certainSubschemasAt(path);
  const subschemas = all.filter(isJsonObject);
  const paragraphs = [headingOf(path, subschemas, certain.includes(false))];
  const description = textOf(subschemas, 'description') ?? textOf(subschemas, 'title');
  if (description !== undefined) {
    const shown = description.slice(0, maxDescriptionLength);
    paragraphs.push(markdownEscaped(shown.length < description.length ? `${shown}…` : shown));
  }
  const facts = [...limitsOf(subschemas), ...changesOf(schema, path)];
  if (facts.length > 0) paragraphs.push(facts.map((fact) => `- ${fact}`).join('\n'));
  const place = placeOf(schema, path);
  if (place !== undefined) paragraphs.push(place);
  return paragraphs.join('\n\n');
}

function headingOf(path: JsonPath, subschemas: readonly JsonObject[], isForbidden: boolean): string {
  const name = path.length === 0 ? 'state' : path.join('.');
  if (isForbidden) return `${codeSpan(name)}: not allowed by the state schema`;
  const details = subschemas.map(describeSchema).filter((text) => text !== '');
  const detail = details.find((text) => !text.startsWith('→')) ?? details[0];
  return detail === undefined ? codeSpan(name) : `${codeSpan(name)}: ${codeSpan(detail)}`;
}

const limits: readonly (readonly [keyword: string, before: string, after: string])[] = [
  ['minLength', 'At least', 'characters'],
  ['maxLength', 'At most', 'characters'],
  ['minItems', 'At least', 'items'],
  ['maxItems', 'At most', 'items'],
  ['minProperties', 'At least', 'keys'],
  ['maxProperties', 'At most', 'keys'],
  ['minimum', 'At least', ''],
  ['exclusiveMinimum', 'More than', ''],
  ['maximum', 'At most', ''],
  ['exclusiveMaximum', 'Less than', ''],
  ['multipleOf', 'A multiple of', ''],
  ['pattern', 'Matches', ''],
  ['format', 'In the format', ''],
  ['default', 'Default', ''],
];

/** What limits a value, one fact each: keywords of size and range, allowed values, the default. */
export function limitsOf(subschemas: readonly JsonObject[]): string[] {
  const facts: string[] = [];
  for (const subschema of subschemas) {
    const allowed = ownProperty(subschema, 'enum');
    if (Array.isArray(allowed)) facts.push(`One of ${valuesText(allowed as JsonArray)}`);
    const constant = ownProperty(subschema, 'const');
    if (constant !== undefined) facts.push(`Only ${valueSpan(constant)}`);
    for (const [keyword, before, after] of limits) {
      const value = ownProperty(subschema, keyword);
      if (value === undefined) continue;
      const isText = keyword === 'pattern' || keyword === 'format';
      const shown = isText && typeof value === 'string' ? codeSpan(shortened(value)) : valueSpan(value);
      facts.push(`${before} ${shown} ${after}`.trimEnd());
    }
    if (ownProperty(subschema, 'uniqueItems') === true) facts.push('No item twice');
    if (ownProperty(subschema, 'deprecated') === true) facts.push('Deprecated');
  }
  return [...new Set(facts)];
}

function changesOf(schema: StateSchema, path: JsonPath): string[] {
  const facts: string[] = [];
  const name = path.at(-1);
  const parents = schema.certainSubschemasAt(path.slice(0, -1)).filter(isJsonObject);
  const isRequired = parents.some((parent) => {
    const list = ownProperty(parent, 'required');
    return name !== undefined && Array.isArray(list) && (list as JsonArray).includes(name);
  });
  if (isRequired) facts.push('Required: a patch can’t delete it');
  if (schema.writerAt(path) === 'environment') facts.push('Written by the environment, not by the model');
  const types = schema.subschemasAt(path).flatMap((subschema) => {
    const type = isJsonObject(subschema) ? ownProperty(subschema, 'type') : undefined;
    return Array.isArray(type) ? (type as JsonArray) : [type ?? null];
  });
  if (types.includes('array')) facts.push(mergeFact(schema, path));
  if (path.length > 0 && types.includes('null') && !isRequired)
    facts.push('A patch can’t set it to null: null deletes the key');
  return facts;
}

function mergeFact(schema: StateSchema, path: JsonPath): string {
  const { merge, evict, maxItems } = schema.mergePolicyAt(path);
  const evicted =
    evict === 'oldest' && maxItems !== undefined ? `; beyond ${maxItems} the oldest are dropped` : '';
  switch (merge) {
    case 'replace':
      return 'A patch replaces the whole array';
    case 'append':
      return `A patch’s items are appended${evicted}`;
    case 'union':
      return `A patch’s items are added where they aren’t there yet${evicted}`;
  }
}

/** `state.schema.yaml:12`. */
function placeOf(schema: StateSchema, path: JsonPath): string | undefined {
  const pointer = schema.pointersAt(path)[0];
  const place = pointer === undefined ? undefined : schema.placeOf(pointer);
  if (place?.path === undefined) return undefined;
  return codeSpan(`${place.path}:${place.key.start.line + 1}`);
}

function textOf(subschemas: readonly JsonObject[], keyword: string): string | undefined {
  for (const subschema of subschemas) {
    const text = ownProperty(subschema, keyword);
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return undefined;
}

function valuesText(values: JsonArray): string {
  const shown = values.slice(0, maxShownValues).map(valueSpan);
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function valueSpan(value: JsonValue): string {
  return codeSpan(shortened(JSON.stringify(value)));
}

function shortened(text: string): string {
  if (text.length <= maxValueLength) return text;
  return `${text.slice(0, maxValueLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
