/** Keys of a schema that have no effect there: misspelt keywords, those of another dialect, notes without `x-`. */
import { nearestName } from '../text/nearestName';
import type { SourceProperty } from '../text/sourceTree';
import { annotationNames } from './schemaAnnotations';
import type { ReportProblem } from './schemaIndex';
import { keywordsOf } from './schemaKeywords';
import type { Dialect } from './stateSchema';

/** A key of a schema that is no keyword. */
export interface UnknownKeyword {
  readonly keyword: string;
  readonly pointer: string;
  readonly property: SourceProperty;
}

/** How many of them are told. */
const maxTold = 500;

/**
 * Reports the keys of a schema that are no keywords. JSON Schema allows any, so they are never errors; one that
 * references lead into does have an effect.
 */
export function reportUnknown(
  unknown: readonly UnknownKeyword[],
  targets: readonly string[],
  dialect: Dialect,
  report: ReportProblem,
): void {
  const sorted = unknown.length === 0 ? [] : [...targets].sort();
  let told = 0;
  for (const { keyword, pointer, property } of unknown) {
    if (leadInto(sorted, pointer)) continue;
    const message = messageOf(keyword, dialect);
    if (message === undefined) continue;
    if (++told > maxTold) {
      const rest = `Only the first ${maxTold} keys that are no keywords of JSON Schema are told; remove them to see the others.`;
      report('state.unknown-keyword', rest, keyPlaceOf(property));
      return;
    }
    report('state.unknown-keyword', message, keyPlaceOf(property));
  }
}

/** Undefined for annotations of others, which begin with `x-`. */
function messageOf(keyword: string, dialect: Dialect): string | undefined {
  const written = JSON.stringify(keyword);
  if (/^x-/i.test(keyword)) {
    const meant = nearestName(keyword, annotationNames);
    return meant === undefined
      ? undefined
      : `${written} is no annotation of SKILL.state and has no effect. Did you mean ${meant}?`;
  }
  const other: Dialect = dialect === '2020-12' ? 'draft-07' : '2020-12';
  if (keywordsOf(other).has(keyword)) {
    return `${keyword} has no effect in ${dialect}: it is a keyword of ${other}.`;
  }
  const meant = nearestName(keyword, [...keywordsOf(dialect).keys(), ...annotationNames]);
  const advice =
    meant === undefined
      ? 'Remove it, or let its name begin with x- if it is a note of yours.'
      : `Did you mean ${meant}?`;
  return `${written} is no keyword of JSON Schema ${dialect} and has no effect. ${advice}`;
}

/** True where one of the sorted pointers is a place or lies below it. */
function leadInto(targets: readonly string[], pointer: string): boolean {
  return (
    isFirstFrom(targets, pointer, (target) => target === pointer) ||
    isFirstFrom(targets, `${pointer}/`, (target) => target.startsWith(`${pointer}/`))
  );
}

/** Whether the first of the sorted texts that doesn't come before a text is such a one. */
function isFirstFrom(sorted: readonly string[], text: string, isSuch: (one: string) => boolean): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  const first = sorted[low];
  return first !== undefined && isSuch(first);
}

/** The key of a property as its own place. */
export function keyPlaceOf({ keyStart, keyEnd, node }: SourceProperty): SourceProperty {
  return { keyStart, keyEnd, node: { ...node, start: keyStart, end: keyEnd } };
}
