/** How values that don't fit a state schema can be mended: in initial states, defaults and examples alike. */
import type { JsonPath } from '../../../../schemas/json/jsonPointer';
import {
  isJsonObject,
  type JsonArray,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { declaredKeysAt } from '../../../../schemas/state/declaredKeys';
import { sampleValueAt } from '../../../../schemas/state/sampleValue';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import { nearestName } from '../../../../schemas/text/nearestName';
import type { LineIndex } from '../../../../schemas/text/position';
import { propertyAt } from '../../../../schemas/text/sourceTree';
import { editsOf, type Fix } from '../finding';
import {
  addProperties,
  addProperty,
  type DataEdit,
  type DataText,
  inlineText,
  removeProperty,
  renameKey,
  replaceValue,
} from './dataEdits';

/** A text with values, in a document. */
export interface FixTarget extends DataText {
  readonly uri: string;
  readonly lines: LineIndex;
  /** Where the text begins in the document. */
  readonly offset: number;
  /** True inside of a Markdown quotation, where lines begin with a mark that the text has as blanks. */
  readonly isQuoted?: boolean;
}

/** What is wrong, in the text and in Σ. */
export interface Misfit {
  /** A key that may not be there, one that has to be and isn't, or a value. */
  readonly kind: 'forbidden' | 'missing' | 'value';
  /** In the text; of a missing key, where it belongs. */
  readonly path: JsonPath;
  /** Of the same place in Σ. */
  readonly statePath: JsonPath;
}

/** More allowed values than these are left to completion. */
const maxChoices = 8;

/** So many missing keys are added at once. */
const maxAdded = 50;

/** The fixes of a misfit, the likeliest first. Each leaves a text that can be read. */
export function fixesOf(
  target: FixTarget,
  schema: StateSchema | undefined,
  { kind, path, statePath }: Misfit,
): readonly Fix[] {
  switch (kind) {
    case 'forbidden':
      return forbiddenKeyFixes(target, schema, path, statePath);
    case 'missing':
      return schema === undefined ? [] : missingKeyFixes(target, schema, path, statePath);
    case 'value':
      return schema === undefined ? [] : valueFixes(target, schema, path, statePath);
  }
}

/** Fixes of a reply that lacks one of its keys. */
export function replyKeyFixes(target: FixTarget, name: string, value: JsonValue): readonly Fix[] {
  return fix(target, `Add ${inlineText(name)}: ${short(value)}`, addProperty(target, [], name, value), true);
}

/** Fixes of a text at a path that has to be another one. */
export function textFixes(target: FixTarget, path: JsonPath, text: string): readonly Fix[] {
  return fix(target, `Write ${short(text)}`, replaceValue(target, path, text), true);
}

function forbiddenKeyFixes(
  target: FixTarget,
  schema: StateSchema | undefined,
  path: JsonPath,
  statePath: JsonPath,
): readonly Fix[] {
  const name = path.at(-1) ?? '';
  const present = propertyAt(target.root, path.slice(0, -1))?.node.properties;
  const known = schema === undefined ? [] : declaredKeysAt(schema, statePath.slice(0, -1));
  const free = known.map((key) => key.name).filter((key) => present?.has(key) !== true);
  const meant = nearestName(name, free);
  return [
    ...(meant === undefined
      ? []
      : fix(
          target,
          `Rename ${inlineText(name)} to ${inlineText(meant)}`,
          renameKey(target, path, meant),
          true,
        )),
    ...fix(target, `Remove ${inlineText(name)}`, removeProperty(target, path)),
  ];
}

function missingKeyFixes(
  target: FixTarget,
  schema: StateSchema,
  path: JsonPath,
  statePath: JsonPath,
): readonly Fix[] {
  const name = path.at(-1);
  if (name === undefined) return [];
  const value = sampleValueAt(schema, statePath) ?? '';
  const parent = path.slice(0, -1);
  const edit = addProperty(target, parent, name, value);
  return [
    ...fix(target, `Add ${inlineText(name)}: ${short(value)}`, edit, true),
    ...allMissingFix(target, schema, parent, statePath.slice(0, -1)),
  ];
}

/** Where more than one required key is missing. */
function allMissingFix(
  target: FixTarget,
  schema: StateSchema,
  path: JsonPath,
  statePath: JsonPath,
): readonly Fix[] {
  const present = propertyAt(target.root, path)?.node.properties;
  const missing = declaredKeysAt(schema, statePath).filter(
    ({ name, required }) => required && present?.has(name) === false,
  );
  if (missing.length < 2) return [];
  const entries = missing
    .slice(0, maxAdded)
    .map(({ name }) => [name, sampleValueAt(schema, [...statePath, name]) ?? ''] as const);
  return fix(target, 'Add all required keys', addProperties(target, path, entries));
}

function valueFixes(
  target: FixTarget,
  schema: StateSchema,
  path: JsonPath,
  statePath: JsonPath,
): readonly Fix[] {
  const value = propertyAt(target.root, path)?.node.value;
  if (value === undefined) return [];
  const fixes: Fix[] = [];
  const offer = (other: JsonValue, preferred: boolean): void => {
    fixes.push(...fix(target, `Write ${short(other)}`, replaceValue(target, path, other), preferred));
  };
  const types = typesAt(schema, statePath);
  const converted = conversionOf(value, types);
  if (converted !== undefined) offer(converted, true);
  const allowed = allowedAt(schema, statePath);
  const nearest =
    typeof value === 'string'
      ? nearestName(
          value,
          allowed.filter((one) => typeof one === 'string'),
        )
      : undefined;
  const choices = [...allowed].sort((a, b) => Number(b === nearest) - Number(a === nearest));
  for (const choice of choices.slice(0, maxChoices))
    offer(choice, choice === nearest || allowed.length === 1);
  if (value === null && types.size > 0 && !types.has('null')) {
    const name = path.at(-1) ?? '';
    fixes.push(...fix(target, `Remove ${inlineText(name)}`, removeProperty(target, path)));
    const sample = sampleValueAt(schema, statePath);
    if (sample !== undefined && sample !== null && allowed.length === 0) offer(sample, false);
  }
  return fixes;
}

/** The types that are allowed for certain at a path; empty where any is. */
function typesAt(schema: StateSchema, path: JsonPath): ReadonlySet<string> {
  for (const subschema of schema.certainSubschemasAt(path)) {
    const type = isJsonObject(subschema) ? ownProperty(subschema, 'type') : undefined;
    const list: readonly JsonValue[] = Array.isArray(type) ? (type as JsonArray) : [type ?? null];
    const names = list.filter((name) => typeof name === 'string');
    if (names.length > 0) return new Set(names);
  }
  return new Set();
}

/** The only values that are allowed at a path; empty where that isn't said. */
function allowedAt(schema: StateSchema, path: JsonPath): JsonArray {
  for (const subschema of schema.certainSubschemasAt(path).filter(isJsonObject)) {
    const constant = ownProperty(subschema, 'const');
    if (constant !== undefined) return [constant];
    const list = ownProperty(subschema, 'enum');
    if (Array.isArray(list)) return list as JsonArray;
  }
  return [];
}

/** The same value as another type that is allowed; undefined where it isn't plain what was meant. */
function conversionOf(value: JsonValue, types: ReadonlySet<string>): JsonValue | undefined {
  if (types.size === 0) return undefined;
  if (typeof value === 'string') {
    const text = value.trim();
    if (/^-?(?:0|[1-9]\d*)$/.test(text) && (types.has('integer') || types.has('number')))
      return safe(Number(text));
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && types.has('number')) return safe(Number(text));
    if (types.has('boolean')) {
      if (/^(?:true|yes|on)$/i.test(text)) return true;
      if (/^(?:false|no|off)$/i.test(text)) return false;
    }
    return text === 'null' && types.has('null') ? null : undefined;
  }
  if (typeof value === 'number' || typeof value === 'boolean')
    return types.has('string') ? String(value) : undefined;
  return undefined;
}

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : undefined;
}

function fix(target: FixTarget, title: string, edit: DataEdit | undefined, preferred = false): Fix[] {
  if (edit === undefined) return [];
  const { uri, lines, offset, isQuoted } = target;
  // A further line would need the quotation's mark.
  if (isQuoted === true && /[\r\n]/.test(edit.text)) return [];
  const range = lines.rangeOf(offset + edit.start, offset + edit.end);
  return [{ title, edits: editsOf(uri, { range, text: edit.text }), ...(preferred && { preferred }) }];
}

function short(value: JsonValue): string {
  const text = inlineText(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
