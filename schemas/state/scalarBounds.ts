/** How large the strings and numbers are that subschemas allow together, and what the largest look like. */

import { jsonStringSize, maxCharacterSize } from '../json/jsonSize';
import { type JsonObject, ownProperty } from '../json/jsonValue';
import { type PatternLanguage, patternLanguage } from '../text/patternLanguage';

/** Strings or numbers within a bound. */
export interface ScalarBound {
  /** As JSON, in UTF-8 bytes; Infinity for strings of any length. */
  readonly bytes: number;
  /** A large one as JSON, cut to a length that can be shown; `scale` is how many times longer the largest is. */
  sample(): { readonly text: string; readonly scale: number };
}

/** What is known of the strings of a format that the validator checks. */
interface FormatBound {
  readonly maxLength: number;
  readonly characterBytes: number;
  readonly sample: string;
}

/**
 * By what ajv-formats asserts. Fractions of a second, durations and addresses have no longest text there, but plain
 * characters; what stands between date and time may be any white space.
 */
const formats: ReadonlyMap<string, FormatBound> = new Map(
  Object.entries({
    date: { maxLength: 10, characterBytes: 1, sample: '2026-01-31' },
    time: { maxLength: Number.POSITIVE_INFINITY, characterBytes: 1, sample: '12:34:56.789+01:00' },
    'date-time': {
      maxLength: Number.POSITIVE_INFINITY,
      characterBytes: 3,
      sample: '2026-01-31T12:34:56.789+01:00',
    },
    duration: { maxLength: Number.POSITIVE_INFINITY, characterBytes: 1, sample: 'P3DT12H30M5S' },
    email: { maxLength: Number.POSITIVE_INFINITY, characterBytes: 1, sample: 'first.last@example.org' },
    hostname: { maxLength: 254, characterBytes: 1, sample: 'a-host.some-department.example.org' },
    ipv4: { maxLength: 15, characterBytes: 1, sample: '192.168.100.200' },
    ipv6: { maxLength: 45, characterBytes: 1, sample: '2001:0db8:85a3:0000:0000:8a2e:192.168.100.200' },
    uuid: { maxLength: 45, characterBytes: 1, sample: 'urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301' },
  }),
);

/** How much of a long string is shown as its sample. */
const maxSampleLength = 400;

/** What stands for a text of which only the length is known. */
const prose =
  'The next step is to compare both lists and to note which of the open points were settled since the last report. ';

/** The strings that all of the subschemas allow. Undefined where a pattern or length leaves none. */
export function stringBound(schemas: readonly JsonObject[]): ScalarBound | undefined {
  let maxLength = leastOf(schemas, 'maxLength');
  let characterBytes = maxCharacterSize;
  let maxBytes = Number.POSITIVE_INFINITY;
  let language: PatternLanguage | undefined;
  let format: FormatBound | undefined;
  for (const schema of schemas) {
    const pattern = ownProperty(schema, 'pattern');
    const found = typeof pattern === 'string' ? patternLanguage(pattern) : undefined;
    if (found !== undefined) {
      language ??= found;
      maxLength = Math.min(maxLength, found.maxLength);
      maxBytes = Math.min(maxBytes, found.maxBytes);
      characterBytes = Math.min(characterBytes, found.characterBytes);
    }
    const name = ownProperty(schema, 'format');
    const known = typeof name === 'string' ? formats.get(name) : undefined;
    if (known !== undefined) {
      format ??= known;
      maxLength = Math.min(maxLength, known.maxLength);
      characterBytes = Math.min(characterBytes, known.characterBytes);
    }
  }
  const bytes = 2 + Math.min(maxBytes, maxLength === 0 ? 0 : maxLength * characterBytes);
  const text = (length: number): string =>
    language?.sample(length) ??
    (format === undefined ? repeated(prose, length) : repeated(format.sample, length));
  return {
    bytes,
    sample() {
      const length = Math.min(maxLength, maxSampleLength);
      const scale = Number.isFinite(maxLength) && length > 0 ? maxLength / length : 1;
      return { text: JSON.stringify(text(length)), scale };
    },
  };
}

/** A name as the largest keys of a map may be, as far as it is shown: short where nothing says how long. */
export function keySample(schemas: readonly JsonObject[], pattern: string | undefined): string {
  const sources = schemas.map((schema) => ownProperty(schema, 'pattern'));
  const maxLength = leastOf(schemas, 'maxLength');
  const limit = Math.min(maxLength, Number.isFinite(maxLength) ? maxSampleLength : 16);
  for (const source of [pattern, ...sources]) {
    const language = typeof source === 'string' ? patternLanguage(source) : undefined;
    if (language !== undefined) return language.sample(limit);
  }
  return repeated('some_entry_of_the_map_', limit);
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** The least number of a keyword; Infinity where none has it. */
export function leastOf(schemas: readonly JsonObject[], keyword: string): number {
  return schemas.reduce((least, schema) => {
    const value = ownProperty(schema, keyword);
    return typeof value === 'number' ? Math.min(least, value) : least;
  }, Number.POSITIVE_INFINITY);
}

function greatestOf(schemas: readonly JsonObject[], keyword: string): number {
  return schemas.reduce((greatest, schema) => {
    const value = ownProperty(schema, keyword);
    return typeof value === 'number' ? Math.max(greatest, value) : greatest;
  }, Number.NEGATIVE_INFINITY);
}

/** The longest that ECMA-262 prints a number: `-1.2345678901234567e-300`; one byte less without a sign. */
const longestNumber = '-1.2345678901234567e-300';

/** The numbers that all of the subschemas allow; undefined where they leave none. */
export function numberBound(schemas: readonly JsonObject[], wholeOnly: boolean): ScalarBound | undefined {
  const least = Math.max(greatestOf(schemas, 'minimum'), greatestOf(schemas, 'exclusiveMinimum'));
  const greatest = Math.min(leastOf(schemas, 'maximum'), leastOf(schemas, 'exclusiveMaximum'));
  if (least > greatest) return undefined;
  const whole = wholeOnly || schemas.some((schema) => isWhole(ownProperty(schema, 'multipleOf')));
  const printed = (text: string, bytes = text.length): ScalarBound => ({
    bytes,
    sample: () => ({ text, scale: 1 }),
  });
  // From 1e21 on, whole numbers are printed with an exponent.
  if (whole && least > -1e21 && greatest < 1e21) {
    const lowest = Math.max(
      Math.ceil(greatestOf(schemas, 'minimum')),
      Math.floor(greatestOf(schemas, 'exclusiveMinimum')) + 1,
    );
    const highest = Math.min(
      Math.floor(leastOf(schemas, 'maximum')),
      Math.ceil(leastOf(schemas, 'exclusiveMaximum')) - 1,
    );
    if (lowest > highest) return undefined;
    const ends = [String(lowest), String(highest)];
    return printed(ends.reduce((longest, end) => (end.length > longest.length ? end : longest)));
  }
  return printed(least >= 0 ? longestNumber.slice(1) : longestNumber);
}

function isWhole(divisor: unknown): boolean {
  return typeof divisor === 'number' && Number.isInteger(divisor) && divisor > 0;
}

/** The keys that a map may have besides those it declares. */
export interface KeyBound {
  /** The largest, as JSON. */
  readonly bytes: number;
  /** How many there are; Infinity where there is no end of them. */
  readonly count: number;
  /** The sizes of all, largest first, where they are few enough. */
  readonly sizes: readonly number[] | undefined;
  /** Such a key. */
  sample(): string;
}

/** Keys that `propertyNames` (those of all subschemas) and a pattern of `patternProperties` allow. */
export function keyBound(names: readonly JsonObject[], pattern: string | undefined): KeyBound {
  const schemas = pattern === undefined ? names : [...names, { pattern }];
  const listed = names.map(listedNames).find((list) => list !== undefined);
  const allowed = listed ?? writtenOut(schemas);
  const bytes = stringBound(schemas)?.bytes ?? 2;
  if (allowed !== undefined) {
    const sizes = allowed.map(jsonStringSize).sort((a, b) => b - a);
    return {
      bytes: Math.min(bytes, sizes[0] ?? 2),
      count: sizes.length,
      sizes,
      sample: () => allowed[Math.floor(allowed.length / 2)] ?? '',
    };
  }
  const counts = schemas.map((schema) => {
    const source = ownProperty(schema, 'pattern');
    return (
      (typeof source === 'string' ? patternLanguage(source)?.maxCount : undefined) ?? Number.POSITIVE_INFINITY
    );
  });
  return {
    bytes,
    count: Math.min(Number.POSITIVE_INFINITY, ...counts),
    sizes: undefined,
    sample: () => keySample(names, pattern),
  };
}

function listedNames(schema: JsonObject): readonly string[] | undefined {
  const list = ownProperty(schema, 'enum');
  if (Array.isArray(list)) return list.filter((name): name is string => typeof name === 'string');
  const only = ownProperty(schema, 'const');
  return typeof only === 'string' ? [only] : undefined;
}

function writtenOut(schemas: readonly JsonObject[]): readonly string[] | undefined {
  const maxLength = leastOf(schemas, 'maxLength');
  for (const schema of schemas) {
    const source = ownProperty(schema, 'pattern');
    const texts = typeof source === 'string' ? patternLanguage(source)?.texts() : undefined;
    if (texts !== undefined) return texts.filter((text) => [...text].length <= maxLength);
  }
  return undefined;
}
