/** The example test cases of RFC 7396, appendix A, as they stand there. */
import type { JsonValue } from '../../../schemas/json/jsonValue';

export interface MergePatchCase {
  readonly original: JsonValue;
  readonly patch: JsonValue;
  readonly result: JsonValue;
}

export const appendixA: readonly MergePatchCase[] = [
  { original: { a: 'b' }, patch: { a: 'c' }, result: { a: 'c' } },
  { original: { a: 'b' }, patch: { b: 'c' }, result: { a: 'b', b: 'c' } },
  { original: { a: 'b' }, patch: { a: null }, result: {} },
  { original: { a: 'b', b: 'c' }, patch: { a: null }, result: { b: 'c' } },
  { original: { a: ['b'] }, patch: { a: 'c' }, result: { a: 'c' } },
  { original: { a: 'c' }, patch: { a: ['b'] }, result: { a: ['b'] } },
  { original: { a: { b: 'c' } }, patch: { a: { b: 'd', c: null } }, result: { a: { b: 'd' } } },
  { original: { a: [{ b: 'c' }] }, patch: { a: [1] }, result: { a: [1] } },
  { original: ['a', 'b'], patch: ['c', 'd'], result: ['c', 'd'] },
  { original: { a: 'b' }, patch: ['c'], result: ['c'] },
  { original: { a: 'foo' }, patch: null, result: null },
  { original: { a: 'foo' }, patch: 'bar', result: 'bar' },
  { original: { e: null }, patch: { a: 1 }, result: { e: null, a: 1 } },
  { original: [1, 2], patch: { a: 'b', c: null }, result: { a: 'b' } },
  { original: {}, patch: { a: { bb: { ccc: null } } }, result: { a: { bb: {} } } },
];

/** The longer example of the RFC's section 3. */
export const sectionThree: MergePatchCase = {
  original: {
    title: 'Goodbye!',
    author: { givenName: 'John', familyName: 'Doe' },
    tags: ['example', 'sample'],
    content: 'This will be unchanged',
  },
  patch: {
    title: 'Hello!',
    phoneNumber: '+01-123-456-7890',
    author: { familyName: null },
    tags: ['example'],
  },
  result: {
    title: 'Hello!',
    author: { givenName: 'John' },
    tags: ['example'],
    content: 'This will be unchanged',
    phoneNumber: '+01-123-456-7890',
  },
};

/** MergePatch(Target, Patch) written down from the RFC's pseudocode, to compare with. */
export function mergePatchByTheLetter(target: JsonValue, patch: JsonValue): JsonValue {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, JsonValue> = Object.create(null);
  if (typeof target === 'object' && target !== null && !Array.isArray(target)) {
    for (const [name, value] of Object.entries(target)) result[name] = value;
  }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else
      result[name] = mergePatchByTheLetter(
        Object.hasOwn(result, name) ? (result[name] ?? null) : null,
        value,
      );
  }
  return Object.fromEntries(Object.entries(result));
}
