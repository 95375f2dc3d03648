/**
 * What llama.cpp's way from JSON Schema to a grammar loses or can't bear, and the bounds that replies get there where the
 * state schema has none: a small model may go on without end wherever it is let.
 *
 * Tried with version 0.7.0, and read in `common/json-schema-to-grammar.cpp`
 * (https://github.com/ggml-org/llama.cpp/blob/master/common/json-schema-to-grammar.cpp).
 */
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { NumberShape } from './shapes';
import type { Note } from './stringTexts';

/** Nothing is repeated more often: a larger bound counts as none there, or the request is refused. */
export const maxRepetition = 2_000;
/** The longest text and the longest list where the state schema limits neither. */
export const usualLength = 1_000;
export const usualItems = 64;
/** The longest list at all. */
export const mostItems = 1_000;
/** With how many optional keys an object is written; the server's work grows with their third power: 300 take 0.2 s. */
export const maxOptional = 300;
/** How deep anything goes. */
const anyDepth = 3;

/** The rest of a sentence about a map: a key is any text, and there may be any number of them. */
export const endlessKeys =
  'keys can be of any length and number there, so that a reply may not end by itself';

/** Bounds of whole numbers have at most so many digits: by a longer one, the server's own grammar grows until its memory is full. */
const boundDigits = 15;

/** In how many places keys that aren't listed may part from those that are. */
const maxPartings = 900;

/** Whether the server can tell a key from others, which it writes as classes of the bytes that follow; it escapes none there. */
export function isSeparable(key: string): boolean {
  return /^[\x20\x21\x23-\x2c\x2e-\x5b\x5f-\x7e]*$/.test(key);
}

/** Whether it can tell all of them from others: each beginning of a key takes a rule, and their number is limited. */
export function areSeparable(keys: readonly string[]): boolean {
  const beginnings = new Set<string>();
  for (const key of keys)
    for (let end = key.length; end > 0 && !beginnings.has(key.slice(0, end)); end--) {
      if (beginnings.size >= maxPartings || end > maxPartings) return false;
      beginnings.add(key.slice(0, end));
    }
  return true;
}

/** Anything, with bounds to all but the keys of objects. @param withNull false where null would delete */
export function limitedAny(withNull: boolean): JsonObject {
  const scalars = [{ type: 'string', maxLength: usualLength }, { type: 'number' }, { type: 'boolean' }];
  const items: readonly JsonObject[] = [...scalars, { type: 'null' }];
  const plain = withNull ? items : scalars;
  let item: JsonObject = { anyOf: items };
  let value: JsonObject = { anyOf: plain };
  for (let depth = 0; depth < anyDepth; depth++) {
    const list = { type: 'array', items: item, maxItems: usualItems };
    const object = { type: 'object', additionalProperties: value };
    item = { anyOf: [...items, list, object] };
    value = { anyOf: [...plain, list, object] };
  }
  return value;
}

/**
 * One bound on each side, since of two on one side the server takes the first, and none beyond what it can count;
 * undefined where no whole number is between them.
 */
export function integerBounds(shape: NumberShape, note: Note): JsonObject | undefined {
  const { pointer, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = shape;
  const least = Math.max(
    Math.ceil(minimum ?? Number.NEGATIVE_INFINITY),
    Math.floor(exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + 1,
  );
  const most = Math.min(
    Math.floor(maximum ?? Number.POSITIVE_INFINITY),
    Math.ceil(exclusiveMaximum ?? Number.POSITIVE_INFINITY) - 1,
  );
  if (least > most) return undefined;
  const bounds: Record<string, number> = {};
  for (const [keyword, bound] of [['minimum', least] as const, ['maximum', most] as const]) {
    if (Math.abs(bound) < 10 ** boundDigits) bounds[keyword] = bound;
    else if (Number.isFinite(bound)) note(pointer, keyword, 'is too far from zero to be counted there');
  }
  return bounds;
}
