/** Σ ⊕ ΔΣ against RFC 7396, and what it adds: sharing, writes, array policies, safety. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from '../../../client/src/runtime/jsonEquality';
import { applyPatch, type MergePolicies, mergePatch } from '../../../client/src/runtime/merge';
import { formatPointer, type JsonPath, valueAt } from '../../../schemas/json/jsonPointer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import type { MergePolicy } from '../../../schemas/state/stateSchema';
import { anyJson, anyJsonObject } from './arbitraries';
import { appendixA, type MergePatchCase, mergePatchByTheLetter, sectionThree } from './rfc7396';

const data =
  process.env.SKILL_STATE_DATA ?? fileURLToPath(new URL('../../../../shared/data', import.meta.url));
const fixtures = join(data, 'json-merge-patch', 'fixtures.json');

describe('mergePatch', () => {
  it.each(appendixA.map((example, index) => [index + 1, example] as const))(
    'does example %i of RFC 7396',
    (_number, example) => {
      expect(mergePatch(example.original, example.patch)).toEqual(example.result);
    },
  );

  it('does the example of section 3', () => {
    expect(mergePatch(sectionThree.original, sectionThree.patch)).toEqual(sectionThree.result);
  });

  it.skipIf(!existsSync(fixtures))(
    `does the cases of ${existsSync(fixtures) ? 'json-merge-patch' : `json-merge-patch (skipped: no ${fixtures}; set SKILL_STATE_DATA)`}`,
    () => {
      const cases = JSON.parse(readFileSync(fixtures, 'utf8')) as MergePatchCase[];
      expect(cases).toHaveLength(15);
      for (const { original, patch, result } of cases) expect(mergePatch(original, patch)).toEqual(result);
    },
  );

  it('agrees with the RFC by the letter on any values', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (target, patch) => {
        expect(jsonEqual(mergePatch(target, patch), mergePatchByTheLetter(target, patch))).toBe(true);
      }),
    );
  });

  it('keeps nulls inside arrays', () => {
    expect(mergePatch({ a: [1] }, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
  });

  it('survives a patch and a target of 10,000 levels', () => {
    const nested = (leaf: string, depth: number): JsonValue =>
      JSON.parse('{"a":'.repeat(depth) + leaf + '}'.repeat(depth));
    const depth = 10_000;
    let merged = mergePatch(nested('{"old":1}', depth), nested('{"new":2,"gone":null}', depth));
    for (let level = 0; level < depth; level++) merged = isJsonObject(merged) ? (merged.a ?? null) : null;
    expect(merged).toEqual({ old: 1, new: 2 });
  });
});

describe('applyPatch', () => {
  it('changes nothing by the empty patch', () => {
    fc.assert(
      fc.property(anyJsonObject, (state) => {
        const result = applyPatch(state, {});
        expect(result.state).toBe(state);
        expect(result.writes).toEqual([]);
      }),
    );
  });

  it('agrees with mergePatch where no policy is set', () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (state, patch) => {
        expect(jsonEqual(applyPatch(state, patch).state, mergePatch(state, patch))).toBe(true);
      }),
    );
  });

  it('gives the same object when applied again', () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (state, patch) => {
        const once = applyPatch(state, patch);
        const twice = applyPatch(once.state, patch);
        expect(twice.state).toBe(once.state);
        expect(twice.writes.filter((write) => write.changed)).toEqual([]);
      }),
    );
  });

  it('leaves its arguments alone and shares every subtree the patch has no key for', () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (state, patch) => {
        const before = JSON.stringify([state, patch]);
        const { state: next } = applyPatch(state, patch);
        expect(JSON.stringify([state, patch])).toBe(before);
        for (const key of Object.keys(state)) {
          if (!Object.hasOwn(patch, key)) expect(next[key]).toBe(state[key]);
        }
      }),
    );
  });

  it('never touches a prototype', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null}',
    ) as JsonObject;
    const { state } = applyPatch({ a: 1 }, patch);
    expect(Object.keys(state)).toEqual(['a', '__proto__', 'constructor']);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(applyPatch(state, JSON.parse('{"__proto__":{"polluted":null}}')).state).toEqual(
      JSON.parse('{"a":1,"__proto__":{},"constructor":{"prototype":{"polluted":1}}}'),
    );
    expect(Object.keys(applyPatch(state, JSON.parse('{"__proto__":null}')).state)).toEqual([
      'a',
      'constructor',
    ]);
  });

  it('tells the leaves it wrote, and whether they changed anything', () => {
    const state: JsonObject = { a: 1, same: 'x', gone: { deep: [1], other: 2 }, list: [1], scalar: 1 };
    const patch: JsonObject = {
      a: 2,
      same: 'x',
      gone: null,
      never: null,
      fresh: { p: { q: 1 }, empty: {}, nothing: null },
      hollow: { x: null },
      list: [1],
      scalar: { inner: true },
    };
    const writes = applyPatch(state, patch).writes.map(
      ({ path, kind, changed }) => `${kind} ${formatPointer(path)}${changed ? '' : ' (unchanged)'}`,
    );
    expect(writes).toEqual([
      'set /a',
      'set /same (unchanged)',
      'delete /gone',
      'delete /never (unchanged)',
      'set /fresh/p/q',
      'set /fresh/empty',
      'delete /fresh/nothing (unchanged)',
      'delete /hollow/x (unchanged)',
      'set /hollow',
      'set /list (unchanged)',
      'set /scalar/inner',
    ]);
  });

  it('says of every changed write what Σ has there afterwards', () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (state, patch) => {
        const result = applyPatch(state, patch);
        for (const { path, kind } of result.writes) {
          expect(valueAt(result.state, path) === undefined).toBe(kind === 'delete');
        }
        const changed = result.writes.some((write) => write.changed);
        expect(jsonEqual(result.state, state)).toBe(!changed);
      }),
    );
  });
});

describe('array policies', () => {
  const policies = (byPointer: Readonly<Record<string, Partial<MergePolicy>>>): MergePolicies => ({
    hasMergePolicies: true,
    mergePolicyAt: (path: JsonPath) => ({
      merge: 'replace',
      evict: undefined,
      maxItems: undefined,
      ...byPointer[formatPointer(path)],
    }),
  });

  it('appends, and unites by JSON equality', () => {
    const schema = policies({ '/log': { merge: 'append' }, '/tags': { merge: 'union' } });
    const state = { log: [1], tags: [{ a: 1, b: 2 }, 'x'], other: [1] };
    const result = applyPatch(
      state,
      { log: [1, null], tags: [{ b: 2, a: 1 }, 'y', 'y', 1], other: [2] },
      schema,
    );
    expect(result.state).toEqual({ log: [1, 1, null], tags: [{ a: 1, b: 2 }, 'x', 'y', 1], other: [2] });
    expect(result.evictions).toEqual([]);
  });

  it('deletes by null under every policy', () => {
    const schema = policies({ '/log': { merge: 'append' }, '/tags': { merge: 'union' } });
    expect(applyPatch({ log: [1], tags: [1] }, { log: null, tags: null }, schema).state).toEqual({});
  });

  it('starts from nothing where Σ has no array', () => {
    const schema = policies({ '/log': { merge: 'append' }, '/tags': { merge: 'union' } });
    expect(applyPatch({ tags: 'x' }, { log: [1], tags: [2, 2] }, schema).state).toEqual({
      log: [1],
      tags: [2],
    });
  });

  it('keeps the same array where nothing is added', () => {
    const schema = policies({ '/log': { merge: 'append' }, '/tags': { merge: 'union' } });
    const state = { log: [1], tags: [1] };
    const result = applyPatch(state, { log: [], tags: [1] }, schema);
    expect(result.state).toBe(state);
    expect(result.writes.map((write) => write.changed)).toEqual([false, false]);
  });

  it('lets the oldest items give way once maxItems is exceeded, and says which', () => {
    const schema = policies({ '/log': { merge: 'append', evict: 'oldest', maxItems: 3 } });
    const result = applyPatch({ log: [1, 2, 3] }, { log: [4, 5] }, schema);
    expect(result.state).toEqual({ log: [3, 4, 5] });
    expect(result.evictions).toEqual([{ path: ['log'], removed: [1, 2] }]);
    expect(applyPatch({ log: [1] }, { log: [2, 3, 4, 5] }, schema).state).toEqual({ log: [3, 4, 5] });
  });

  it('does not evict from an array that is replaced: that is for validation', () => {
    const schema = policies({ '/log': { evict: 'oldest', maxItems: 1 } });
    expect(applyPatch({ log: [1] }, { log: [2, 3] }, schema).state).toEqual({ log: [2, 3] });
  });
});
