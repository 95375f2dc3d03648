/** The facts of one subschema, in Markdown: what it describes, of which type and size, who writes it, how patches change it. */
import { type JsonPath, parsePointer, valueAt } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { initialStateOf } from '../../../../schemas/state/initialState';
import { stateBound } from '../../../../schemas/state/stateBound';
import { stateFieldName } from '../../../../schemas/state/stateFieldName';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { SchemaPage } from '../documents';
import { codeSpan, markdownEscaped } from '../markdownText';
import { limitsOf } from './propertyFacts';
import { describeSchema } from './schemaDetail';
import { describeBound } from './stateBoundHints';

const maxReferences = 20;
const maxDescription = 2_000;
const maxName = 120;
const maxValue = 80;

/** The facts of the subschema at a JSON Pointer; undefined where there is none. */
export function subschemaFacts(page: SchemaPage, pointer: string): string | undefined {
  const { schema } = page;
  const own = valueAt(schema.schema, parsePointer(pointer) ?? []);
  if (own === undefined) return undefined;
  const schemas = withReferences(schema, pointer).filter(isJsonObject);
  const paragraphs = [headingOf(schemas, own, nameOf(schema, pointer))];
  const description = firstText(schemas, ['description', 'title']);
  if (description !== undefined) paragraphs.push(markdownEscaped(shortened(description, maxDescription)));
  const facts = [
    ...limitsOf(schemas),
    ...presenceOf(page, pointer),
    ...writerOf(schemas, schema, pointer),
    ...mergeOf(schemas),
    ...boundOf(schema, pointer),
  ];
  if (facts.length > 0) paragraphs.push(facts.map((fact) => `- ${fact}`).join('\n'));
  return paragraphs.join('\n\n');
}

/** The field, or the place in another file. */
function nameOf(schema: StateSchema, pointer: string): string {
  const location = schema.locationText(pointer);
  return shortened(location === pointer ? stateFieldName(pointer) : location, maxName);
}

function headingOf(schemas: readonly JsonObject[], own: JsonValue, fieldName: string): string {
  const name = codeSpan(fieldName);
  if (own === false) return `${name}: never allowed`;
  const details = schemas.map(describeSchema).filter((detail) => detail !== '');
  const detail = details.find((text) => !text.startsWith('→')) ?? details[0];
  return detail === undefined ? name : `${name}: ${codeSpan(detail)}`;
}

/** The subschema, and those that it refers to, each once. */
function withReferences(schema: StateSchema, pointer: string): readonly JsonValue[] {
  const pointers = new Set([pointer]);
  for (const next of pointers) {
    if (pointers.size > maxReferences) break;
    for (const target of schema.references.get(next) ?? []) pointers.add(target);
  }
  return [...pointers].flatMap((next) => valueAt(schema.schema, parsePointer(next) ?? []) ?? []);
}

/** Whether it has to be there, and what it is in the beginning. */
function presenceOf({ schema, model }: SchemaPage, pointer: string): readonly string[] {
  const tokens = parsePointer(pointer) ?? [];
  const name = tokens.at(-1);
  if (name === undefined || tokens.at(-2) !== 'properties') return [];
  const parent = valueAt(schema.schema, tokens.slice(0, -2));
  const required = isJsonObject(parent) ? ownProperty(parent, 'required') : undefined;
  const facts: string[] = [];
  if (Array.isArray(required) && required.includes(name)) {
    facts.push('Required: a patch that deletes it is rejected');
  }
  const path = statePathOf(tokens);
  if (path === undefined) return facts;
  const isOfSkill = model?.skill.stateSchema.text === schema.text;
  const initial = valueAt(isOfSkill ? model.skill.initialState : initialStateOf(schema), path);
  facts.push(
    initial === undefined ? 'Not in the initial state' : `In the initial state: ${valueSpan(initial)}`,
  );
  return facts;
}

/** The path of Σ that a pointer through `properties` alone describes. */
function statePathOf(tokens: JsonPath): JsonPath | undefined {
  const isDirect = tokens.every((token, index) => index % 2 === 1 || token === 'properties');
  return isDirect ? tokens.filter((_, index) => index % 2 === 1) : undefined;
}

function writerOf(schemas: readonly JsonObject[], schema: StateSchema, pointer: string): readonly string[] {
  const path = statePathOf(parsePointer(pointer) ?? []);
  const isOfEnvironment =
    schemas.some((subschema) => ownProperty(subschema, 'x-writer') === 'environment') ||
    (path !== undefined && schema.writerAt(path) === 'environment');
  return isOfEnvironment ? ['Written by the environment; a model’s patch to it is rejected'] : [];
}

function mergeOf(schemas: readonly JsonObject[]): readonly string[] {
  const first = (keyword: string) =>
    schemas.map((subschema) => ownProperty(subschema, keyword)).find((value) => value !== undefined);
  const types = schemas.flatMap((subschema) => ownProperty(subschema, 'type') ?? []);
  if (!types.includes('array')) return [];
  const maxItems = first('maxItems');
  const full =
    typeof maxItems !== 'number'
      ? ''
      : first('x-evict') === 'oldest'
        ? `; beyond ${maxItems} the oldest are dropped`
        : `; beyond ${maxItems} it is rejected`;
  switch (first('x-merge')) {
    case 'append':
      return [`A patch’s items are added at the end${full}`];
    case 'union':
      return [`A patch’s items are added where they aren’t there yet${full}`];
    default:
      return ['A patch replaces the whole array'];
  }
}

/** In bytes alone: a hover doesn't wait for the table of tokens. */
function boundOf(schema: StateSchema, pointer: string): readonly string[] {
  const bound = stateBound(schema).at(pointer);
  return bound === undefined ? [] : [`Size: ${codeSpan(describeBound(bound, pointer, undefined).label)}`];
}

function firstText(schemas: readonly JsonObject[], keywords: readonly string[]): string | undefined {
  for (const subschema of schemas) {
    for (const keyword of keywords) {
      const text = ownProperty(subschema, keyword);
      if (typeof text === 'string' && text.trim() !== '') return text;
    }
  }
  return undefined;
}

function valueSpan(value: JsonValue): string {
  return codeSpan(shortened(JSON.stringify(value), maxValue));
}

function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
