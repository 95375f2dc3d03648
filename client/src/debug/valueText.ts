/** JSON values as one line of text with a limit, and the expressions that name their parts. */
import { type JsonPath, valueAt } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';

/** How many UTF-16 units a value may take in a list of variables. */
export const listedLength = 1_000;

/** How much of a structured value is shown before it is opened. */
const previewLength = 100;

/** How a client wants values written (DAP's ValueFormat). */
export interface ValueFormat {
  /** Integers to the base of 16: `0x1f`. */
  readonly hex?: boolean | undefined;
}

/** A value on one line: strings in quotes, objects as `{shelf_0: "item_1", …}`, cut where they get long. */
export function valueText(
  value: JsonValue,
  limit: number = listedLength,
  { hex = false }: ValueFormat = {},
): string {
  if (typeof value === 'string') return quoted(value, limit);
  if (typeof value !== 'object' || value === null) return plainText(value, hex);
  return preview(value, Math.min(limit, previewLength), hex);
}

function plainText(value: number | boolean | null, hex: boolean): string {
  if (!hex || typeof value !== 'number' || !Number.isInteger(value)) return String(value);
  const digits = BigInt(Math.abs(value)).toString(16);
  return `${value < 0 ? '-' : ''}0x${digits}`;
}

/** JSON's name of a type, with integers apart, as JSON Schema has them. */
export function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/**
 * `state` and `shelf_42` give `state.shelf_42`; names that CEL doesn't read after a dot are put in brackets, so that the
 * expression means the same wherever it is used.
 */
export function memberExpression(parent: string, key: string): string {
  return isWord(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

/** Whether a key can stand after a dot. */
export function isWord(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key);
}

/** `state.list` and 3 give `state.list[3]`. */
export function itemExpression(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** The expression of a path below a root; with `value`, the root's, indices of its arrays are written as such. */
export function pathExpression(root: string, path: JsonPath, value?: JsonValue): string {
  let expression = root;
  let at: JsonValue | undefined = value;
  for (const key of path) {
    expression = Array.isArray(at)
      ? itemExpression(expression, Number(key))
      : memberExpression(expression, key);
    at = at === undefined ? undefined : valueAt(at, [key]);
  }
  return expression;
}

function quoted(text: string, limit: number): string {
  return text.length <= limit
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, limit))}… (${text.length} characters)`;
}

/** The members from the front until the limit is reached; deeper levels are only hinted at. */
function preview(value: JsonValue & object, limit: number, hex: boolean): string {
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? '[]' : '{}';
  let text = '';
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    if (text.length >= limit) {
      text += ', …';
      break;
    }
    const member = (value as Readonly<Record<string, JsonValue>>)[key] ?? null;
    if (text !== '') text += ', ';
    if (!isArray) text += `${/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? key : quoted(key, 40)}: `;
    text += inner(member, hex);
  }
  return `${open}${text}${close}`;
}

function inner(value: JsonValue, hex: boolean): string {
  if (typeof value === 'string')
    return value.length <= 40 ? JSON.stringify(value) : `${JSON.stringify(value.slice(0, 40))}…`;
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.length} item${value.length === 1 ? '' : 's'}]`;
  if (isJsonObject(value)) return hasMembers(value) ? '{…}' : '{}';
  return typeof value === 'object' ? 'null' : plainText(value, hex);
}

function hasMembers(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}
