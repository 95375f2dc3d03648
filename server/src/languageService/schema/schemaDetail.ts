/** A subschema in a few words, as it stands beside a name: `string ≤ 24`, `object of string`, `→ item`. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';

/** Values of an `enum` that are written out; more are counted. */
const shownValues = 4;
const maxLength = 80;

/** Type and bounds of a schema; empty where it says neither. References are named, not followed. */
export function describeSchema(schema: JsonValue): string {
  if (schema === false) return 'never';
  if (!isJsonObject(schema)) return '';
  const parts = [typeOf(schema), boundsOf(schema)].filter((part) => part !== '');
  const text = parts.join(' ');
  return text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

function typeOf(schema: JsonObject): string {
  const reference = ownProperty(schema, '$ref');
  if (typeof reference === 'string') return `→ ${oneLine(lastSegment(reference))}`;
  const constant = ownProperty(schema, 'const');
  if (constant !== undefined) return valueText(constant);
  const values = ownProperty(schema, 'enum');
  if (Array.isArray(values) && values.length > 0) {
    const shown = values.slice(0, shownValues).map(valueText);
    return `${shown.join(' | ')}${values.length > shownValues ? ` | … (${values.length})` : ''}`;
  }
  const written = ownProperty(schema, 'type');
  const types = (Array.isArray(written) ? written : [written]).filter((type) => typeof type === 'string');
  const content = types.includes('array')
    ? contentOf(schema, 'items')
    : types.includes('object') && ownProperty(schema, 'properties') === undefined
      ? contentOf(schema, 'additionalProperties')
      : '';
  return oneLine(types.join(' | ')) + content;
}

/** ` of string`, for what every item or other property is. */
function contentOf(schema: JsonObject, keyword: string): string {
  const content = ownProperty(schema, keyword);
  if (!isJsonObject(content)) return '';
  const reference = ownProperty(content, '$ref');
  if (typeof reference === 'string') return ` of ${oneLine(lastSegment(reference))}`;
  const type = ownProperty(content, 'type');
  return typeof type === 'string' ? ` of ${oneLine(type)}` : '';
}

const boundKeywords = [
  ['minLength', 'maxLength', ''],
  ['minItems', 'maxItems', ''],
  ['minProperties', 'maxProperties', ' keys'],
  ['minimum', 'maximum', ''],
] as const;

function boundsOf(schema: JsonObject): string {
  for (const [low, high, unit] of boundKeywords) {
    const from = ownProperty(schema, low);
    const to = ownProperty(schema, high);
    if (typeof from === 'number' && typeof to === 'number') return `${from}…${to}${unit}`;
    if (typeof to === 'number') return `≤ ${to}${unit}`;
    if (typeof from === 'number') return `≥ ${from}${unit}`;
  }
  const format = ownProperty(schema, 'format');
  return typeof format === 'string' ? `(${oneLine(format)})` : '';
}

function lastSegment(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1) || reference;
}

function valueText(value: JsonValue): string {
  const isContainer = typeof value === 'object' && value !== null;
  return isContainer ? (Array.isArray(value) ? '[…]' : '{…}') : oneLine(JSON.stringify(value));
}

function oneLine(text: string): string {
  const plain = text.slice(0, maxLength).replace(/\s+/g, ' ').trim();
  return plain.length > 40 ? `${plain.slice(0, 40).replace(/[\uD800-\uDBFF]$/, '')}…` : plain;
}
