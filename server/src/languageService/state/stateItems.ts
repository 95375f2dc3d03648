/** What can be written at a place of a state or a patch: keys with the least value they take, and values. */
import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import { type JsonPath, valueAt } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { declaredKeysAt } from '../../../../schemas/state/declaredKeys';
import { freshText } from '../../../../schemas/state/sampleText';
import { sampleValueAt } from '../../../../schemas/state/sampleValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { LineIndex } from '../../../../schemas/text/position';
import { type Cursor, keyText, valueText } from '../cursor';
import { describeSchema } from '../schema/schemaDetail';
import { escapeSnippet } from '../schema/snippet';
import { completionItem } from './completionItem';
import { inlineText } from './dataEdits';
import { sampleSnippet } from './sampleSnippet';
import { surelyFits } from './surelyFits';

/** Where something is written, and by which schema. */
export interface StatePlace {
  readonly cursor: Cursor;
  readonly lines: LineIndex;
  readonly schema: StateSchema;
  /** The cursor's path as a path of Σ. */
  readonly path: JsonPath;
  /** In a patch null deletes, and what belongs to the environment isn't written. */
  readonly isPatch: boolean;
  /** Its keys are offered in maps. */
  readonly initialState: JsonObject;
  /** What stands behind the key at the cursor, which stays; undefined where there is nothing or it can't be read. */
  readonly present: JsonValue | undefined;
}

/** The items at a place, the likeliest first. */
export function stateItems(place: StatePlace): readonly CompletionItem[] {
  const { cursor } = place;
  const keys = cursor.part === 'key' || cursor.keyOrValue ? keyItems(place) : [];
  const values = cursor.part === 'value' || cursor.keyOrValue ? valueItems(place) : [];
  return [...keys, ...values];
}

function keyItems(place: StatePlace): CompletionItem[] {
  const { cursor, lines, schema, path, isPatch, initialState } = place;
  const siblings = new Set(cursor.siblings);
  const declared = declaredKeysAt(schema, path).filter(({ name }) => !siblings.has(name));
  const isWritable = (name: string): boolean => !isPatch || schema.writerAt([...path, name]) === 'model';
  const offered = declared.filter(({ name }) => isWritable(name));
  const ordered = [
    ...offered.filter(({ required }) => required),
    ...offered.filter(({ required }) => !required),
  ];
  const names = ordered.map(({ name, required }) => ({ name, note: required ? 'required' : '' }));
  for (const name of mapKeys(schema, path, siblings, isPatch ? initialState : {})) {
    if (isWritable(name) && names.every((one) => one.name !== name)) names.push({ name, note: '' });
  }
  const taking = cursor.hasColon ? names.filter(({ name }) => takesPresent(place, name)) : names;
  return taking.map(({ name, note }, index) => {
    const at = [...path, name];
    const described = descriptionOf(schema, at);
    const snippet = escapeSnippet(keyText(cursor, name));
    const value = cursor.hasColon ? '' : sampleSnippet(cursor, beginningAt(schema, at, isPatch));
    return completionItem(cursor, lines, {
      label: name,
      kind: CompletionItemKind.Property,
      // A value on lines of its own leaves no blank behind the colon.
      snippet: value.startsWith('\n') ? snippet.trimEnd() + value : snippet + value,
      detail: [described.detail, note].filter((part) => part !== '').join(', '),
      documentation: described.documentation,
      isDeprecated: described.isDeprecated,
      order: index,
    });
  });
}

/** Whether a key can have the value that the key at the cursor has. */
function takesPresent({ schema, path, present, isPatch }: StatePlace, name: string): boolean {
  const at = [...path, name];
  if (present === undefined) return false;
  if (present === null && isPatch) return mayDelete(schema, at);
  const pointers = schema.pointersAt(at);
  return pointers.length > 0 && pointers.every((pointer) => surelyFits(schema, pointer, present));
}

/** What a new key begins with. An object in a patch changes nothing yet, unless an array gives it whole. */
function beginningAt(schema: StateSchema, path: JsonPath, isPatch: boolean): JsonValue {
  const value = sampleValueAt(schema, path);
  if (value === undefined) return isPatch && mayDelete(schema, path) ? null : '';
  // In a patch null would delete what is to be written.
  if (value === null && isPatch && !mayDelete(schema, path)) return '';
  return value;
}

/** The keys of a map that are known: those of Σ_0, and one more by the pattern of its keys. */
function mapKeys(
  schema: StateSchema,
  path: JsonPath,
  siblings: ReadonlySet<string>,
  initialState: JsonObject,
): readonly string[] {
  const known = valueAt(initialState, path);
  const names = isJsonObject(known) ? Object.keys(known).slice(0, maxMapKeys) : [];
  const patterns = schema
    .certainSubschemasAt(path)
    .filter(isJsonObject)
    .flatMap((subschema) => {
      const rule = ownProperty(subschema, 'propertyNames');
      const pattern = isJsonObject(rule) ? ownProperty(rule, 'pattern') : undefined;
      const byPattern = ownProperty(subschema, 'patternProperties');
      return [
        ...(typeof pattern === 'string' ? [pattern] : []),
        ...(isJsonObject(byPattern) ? Object.keys(byPattern) : []),
      ];
    });
  const fresh = patterns.flatMap((pattern) => freshText(pattern, [...siblings, ...names]) ?? []);
  const allowed = (name: string): boolean =>
    !siblings.has(name) && !schema.certainSubschemasAt([...path, name]).includes(false);
  return [...new Set([...names, ...fresh])].filter(allowed);
}

const maxMapKeys = 100;
const maxValueItems = 200;

/** A value to offer, and why. */
interface OfferedValue {
  readonly value: JsonValue;
  readonly note: string;
}

function valueItems({ cursor, lines, schema, path, isPatch }: StatePlace): CompletionItem[] {
  if (isPatch && schema.writerAt(path) === 'environment') return [];
  // The state itself is begun by its keys.
  if (path.length === 0 && cursor.style !== 'json') return [];
  const offered = new Map<string, OfferedValue>();
  for (const one of valuesAt(schema, path, isPatch)) {
    if (offered.size >= maxValueItems) break;
    const key = JSON.stringify(one.value);
    const taken = typeof one.value === 'string' && isUniqueItem(schema, path, cursor, one.value);
    if (!taken && !offered.has(key)) offered.set(key, one);
  }
  return [...offered.values()].map(({ value, note }, index) => {
    const label = typeof value === 'string' && value !== '' ? value : inlineText(value);
    const isContainer = typeof value === 'object' && value !== null;
    const space = cursor.needsSpace ? ' ' : '';
    return completionItem(cursor, lines, {
      label: label.length > 60 ? `${label.slice(0, 59)}…` : label,
      kind: isContainer ? CompletionItemKind.Struct : CompletionItemKind.Value,
      snippet: isContainer
        ? space + sampleSnippet({ ...cursor, style: cursor.style === 'block' ? 'flow' : cursor.style }, value)
        : escapeSnippet(valueText(cursor, value)),
      detail: note,
      order: 10_000 + index,
    });
  });
}

/** The values that the schema names for a place, then the least of its type. */
function* valuesAt(schema: StateSchema, path: JsonPath, isPatch: boolean): Generator<OfferedValue> {
  const certain = schema.certainSubschemasAt(path).filter(isJsonObject);
  const subschemas = schema.subschemasAt(path).filter(isJsonObject);
  const allowed = (value: JsonValue): boolean =>
    certain.every((subschema, index) => allows(subschema, enums[index], value)) &&
    !(isPatch && value === null && !isItem(path, schema));
  const enums = certain.map(enumOf);
  const named: OfferedValue[] = [];
  for (const subschema of subschemas) {
    const listOf = (keyword: string): JsonArray => {
      const list = ownProperty(subschema, keyword);
      return Array.isArray(list) ? (list as JsonArray) : [];
    };
    const single = (keyword: string): JsonValue[] =>
      Object.hasOwn(subschema, keyword) ? [subschema[keyword] ?? null] : [];
    const add = (values: JsonArray, note: string) => {
      for (const value of values) named.push({ value, note });
    };
    add(single('default'), 'default');
    add(single('const'), 'the only value');
    add(listOf('enum'), '');
    add(listOf('examples'), 'example');
    const type = ownProperty(subschema, 'type');
    const types: JsonArray = Array.isArray(type) ? (type as JsonArray) : [type ?? ''];
    if (types.includes('boolean')) named.push({ value: true, note: '' }, { value: false, note: '' });
    if (types.includes('null')) named.push({ value: null, note: '' });
  }
  for (const one of named) if (allowed(one.value)) yield one;
  const sample = sampleValueAt(schema, path);
  const isNamed = named.length > 0 && (typeof sample !== 'object' || sample === null);
  if (sample !== undefined && sample !== '' && !isNamed && allowed(sample)) yield { value: sample, note: '' };
  if (isPatch && path.length > 0 && !isItem(path, schema) && mayDelete(schema, path))
    yield { value: null, note: 'deletes the key' };
}

/** The values that a subschema lists, as JSON; undefined where it lists none. */
function enumOf(subschema: JsonObject): ReadonlySet<string> | undefined {
  const list = ownProperty(subschema, 'enum');
  return Array.isArray(list) ? new Set((list as JsonArray).map((value) => JSON.stringify(value))) : undefined;
}

/** What a subschema, with the values that it lists, says of a value by naming values and types. */
function allows(subschema: JsonObject, listed: ReadonlySet<string> | undefined, value: JsonValue): boolean {
  const text = JSON.stringify(value);
  if (listed !== undefined && !listed.has(text)) return false;
  if (Object.hasOwn(subschema, 'const') && JSON.stringify(subschema.const) !== text) return false;
  const type = ownProperty(subschema, 'type');
  if (type === undefined) return true;
  const types: JsonArray = Array.isArray(type) ? (type as JsonArray) : [type];
  return typesOf(value).some((name) => types.includes(name));
}

function typesOf(value: JsonValue): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

/** True for an optional key, which null in a patch may delete. */
function mayDelete(schema: StateSchema, path: JsonPath): boolean {
  const name = path.at(-1);
  return schema
    .certainSubschemasAt(path.slice(0, -1))
    .every((subschema) => !isJsonObject(subschema) || !requires(subschema, name));
}

function requires(subschema: JsonObject, name: string | undefined): boolean {
  const list = ownProperty(subschema, 'required');
  return Array.isArray(list) && name !== undefined && (list as JsonArray).includes(name);
}

/** True for an item of an array, where null is a value in a patch too. */
function isItem(path: JsonPath, schema: StateSchema): boolean {
  if (!/^\d+$/.test(path.at(-1) ?? '')) return false;
  return schema.certainSubschemasAt(path.slice(0, -1)).some((subschema) => {
    const type = isJsonObject(subschema) ? ownProperty(subschema, 'type') : undefined;
    return type === 'array' || (Array.isArray(type) && (type as JsonArray).includes('array'));
  });
}

/** True for an item that its array has already and may not have twice. */
function isUniqueItem(schema: StateSchema, path: JsonPath, cursor: Cursor, value: string): boolean {
  if (!isItem(path, schema) || !cursor.siblings.includes(value)) return false;
  return schema
    .certainSubschemasAt(path.slice(0, -1))
    .some((subschema) => isJsonObject(subschema) && ownProperty(subschema, 'uniqueItems') === true);
}

/** What an item says beside its label. */
function descriptionOf(
  schema: StateSchema,
  path: JsonPath,
): { readonly detail: string; readonly documentation: string | undefined; readonly isDeprecated: boolean } {
  const subschemas = schema.subschemasAt(path).filter(isJsonObject);
  const details = subschemas.map(describeSchema).filter((text) => text !== '');
  const texts = subschemas.flatMap((subschema) => {
    const text = ownProperty(subschema, 'description') ?? ownProperty(subschema, 'title');
    return typeof text === 'string' ? [text] : [];
  });
  return {
    // A reference says less than what it leads to.
    detail: details.find((text) => !text.startsWith('→')) ?? details[0] ?? '',
    documentation: texts[0],
    isDeprecated: subschemas.some((subschema) => ownProperty(subschema, 'deprecated') === true),
  };
}
