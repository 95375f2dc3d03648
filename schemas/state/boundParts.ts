/** The parts that bounds are made of: scalars, lists and maps at their largest, and what they lack. */
import { jsonSize, jsonStringSize } from '../json/jsonSize';
import type { JsonValue } from '../json/jsonValue';
import type { ScalarBound } from './scalarBounds';

/**
 * What a place lacks: a keyword; `$ref` stands for a schema that contains itself, `fewer subschemas` for one that is too
 * intricate to tell.
 */
export type MissingLimit =
  | 'items'
  | 'maxItems'
  | 'maxLength'
  | 'maxProperties'
  | 'additionalProperties'
  | 'propertyNames'
  | 'type'
  | '$ref'
  | 'fewer subschemas';

/** A place that makes Σ unbounded. */
export interface UnboundedPlace {
  /** JSON Pointer of the subschema. */
  readonly pointer: string;
  readonly missing: MissingLimit;
}

/** One part of a list or map at its largest. */
export interface BoundPart {
  /** The key; undefined for the items of a list and for keys that aren't declared. */
  readonly key: string | undefined;
  /** A key as this part's entries may have it; undefined in lists. */
  keySample(): string | undefined;
  /** How often it occurs. */
  readonly count: number;
  /** All of its occurrences together. */
  readonly bytes: number;
  readonly value: Bound;
  /** The subschema of the value; undefined where none describes it. */
  readonly pointer: string | undefined;
}

/** The bound of one value. */
export interface Bound {
  /** Infinity where there is none. */
  readonly bytes: number;
  /** The bound of what is bounded: an endless list counts as `[]`, an endless text as `""`. */
  readonly boundedBytes: number;
  /** The parts of the largest list or map; empty for other values. */
  readonly parts: readonly BoundPart[];
  /** The largest value, where it is no list or map. */
  readonly scalar: ScalarBound | undefined;
  /** What this place itself lacks. */
  readonly lacks: readonly UnboundedPlace[];
  /** Where to look further for what makes it unbounded. */
  readonly through: readonly Bound[];
}

const noParts: readonly BoundPart[] = [];

/** The bound of a value that is neither list nor map; `lacks` where nothing limits it. */
export function scalarOf(
  scalar: ScalarBound,
  lacks: readonly UnboundedPlace[] = [],
  boundedBytes = scalar.bytes,
): Bound {
  return { bytes: scalar.bytes, boundedBytes, parts: noParts, scalar, lacks, through: [] };
}

/** The bound of a value that is written in one way, in ASCII. */
export function fixed(text: string): Bound {
  return scalarOf({ bytes: text.length, sample: () => ({ text, scale: 1 }) });
}

/** A value of which nothing limits the size, for a reason that is said. */
export function endless(
  lacks: readonly UnboundedPlace[],
  boundedBytes = 0,
  through: readonly Bound[] = [],
): Bound {
  return { bytes: Number.POSITIVE_INFINITY, boundedBytes, parts: noParts, scalar: undefined, lacks, through };
}

/** Brackets, and the parts with a comma each but for the last. */
export function containerOf(
  parts: readonly BoundPart[],
  lacks: readonly UnboundedPlace[],
  through: readonly Bound[] = [],
): Bound {
  let bytes = parts.length === 0 ? 2 : 1;
  let boundedBytes = bytes;
  let endlessParts = false;
  for (const part of parts) {
    bytes += part.bytes;
    boundedBytes += boundedBytesOf(part);
    endlessParts ||= !Number.isFinite(part.bytes);
  }
  if (lacks.length > 0) bytes = Number.POSITIVE_INFINITY;
  const inner = parts.filter(({ value }) => !Number.isFinite(value.bytes)).map(({ value }) => value);
  return {
    bytes,
    boundedBytes: endlessParts || lacks.length > 0 ? boundedBytes : bytes,
    parts: parts.map((part) =>
      Number.isFinite(part.bytes) ? part : { ...part, bytes: boundedBytesOf(part) },
    ),
    scalar: undefined,
    lacks,
    through: [...inner, ...through.filter(({ bytes: of }) => !Number.isFinite(of))],
  };
}

function boundedBytesOf({ key, count, bytes, value }: BoundPart): number {
  if (Number.isFinite(bytes)) return bytes;
  if (!Number.isFinite(count)) return 0;
  return count * (value.boundedBytes + (key === undefined ? 1 : jsonStringSize(key) + 2));
}

/** The larger of two bounds, for a value that may be either. */
export function larger(a: Bound, b: Bound): Bound {
  if (a.bytes !== b.bytes) return a.bytes > b.bytes ? a : b;
  if (Number.isFinite(a.bytes)) return a;
  // Both make it endless: what is shown is the larger, what is blamed are both.
  const [shown, other] = a.boundedBytes >= b.boundedBytes ? [a, b] : [b, a];
  return { ...shown, through: [...shown.through, other] };
}

/** Leaves out the smallest parts where a map may not have all of them. */
export function fitting(parts: readonly BoundPart[], most: number): readonly BoundPart[] {
  if (!Number.isFinite(most) || parts.reduce((sum, { count }) => sum + count, 0) <= most) return parts;
  let room = most;
  const sorted = [...parts].sort((a, b) => b.bytes / b.count - a.bytes / a.count);
  return sorted.flatMap((part) => {
    const count = Math.min(room, part.count);
    room -= count;
    return count === 0 ? [] : [{ ...part, count, bytes: (part.bytes / part.count) * count }];
  });
}

/** The bound of a value that is one of those listed; undefined where none is. */
export function listedBound(values: readonly JsonValue[]): Bound | undefined {
  let largest: JsonValue | undefined;
  let bytes = -1;
  for (const value of values) {
    const size = jsonSize(value);
    if (size <= bytes) continue;
    largest = value;
    bytes = size;
  }
  if (largest === undefined) return undefined;
  const value = largest;
  return scalarOf({ bytes, sample: () => ({ text: JSON.stringify(value).slice(0, 2_000), scale: 1 }) });
}
