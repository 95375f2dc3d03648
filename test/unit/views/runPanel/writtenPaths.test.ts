import { describe, expect, it } from 'vitest';
import type { MergePolicies } from '../../../../client/src/runtime/merge';
import type { RecordedStep } from '../../../../client/src/runtime/traceReader';
import { writtenPaths } from '../../../../client/src/views/runPanel/writtenPaths';
import type { JsonObject } from '../../../../schemas/json/jsonValue';
import type { CommitRecord, EditRecord } from '../../../../schemas/trace/trace';

const replacing: MergePolicies = {
  hasMergePolicies: false,
  mergePolicyAt: () => ({ merge: 'replace', evict: undefined, maxItems: undefined }),
};
const appending: MergePolicies = {
  hasMergePolicies: true,
  mergePolicyAt: () => ({ merge: 'append', evict: undefined, maxItems: undefined }),
};

const place = { parent: 0, branch: 0, step: 4, time: 0 };

function commit(id: number, patch: JsonObject, by: CommitRecord['by'] = 'model'): CommitRecord {
  return { kind: 'commit', id, ...place, by, patch };
}

function rows(
  state: JsonObject,
  step: Partial<Pick<RecordedStep, 'commits' | 'edits' | 'records'>>,
  policies = replacing,
) {
  return writtenPaths(state, { commits: [], edits: [], records: [], ...step }, policies).map(
    ({ path, kind, by, before, after }) => [path.join('/'), kind, by, before, after],
  );
}

describe('the writes of a step', () => {
  it('say what was added, changed, deleted, replaced, and what was there already', () => {
    const state = { a: 1, b: { c: 'x', d: 'y' }, list: [1, 2], same: true };
    const patch = { a: 2, b: { c: null, e: 'new' }, list: [1], same: true };
    expect(rows(state, { commits: [commit(1, patch)] })).toEqual([
      ['a', 'changed', 'model', 1, 2],
      ['b/c', 'deleted', 'model', 'x', undefined],
      ['b/e', 'added', 'model', undefined, 'new'],
      ['list', 'replaced', 'model', [1, 2], [1]],
      ['same', 'unchanged', 'model', true, true],
    ]);
  });

  it('tell an array that was added to from one that was replaced', () => {
    expect(rows({ list: [1] }, { commits: [commit(1, { list: [2, 3] })] }, appending)).toEqual([
      ['list', 'appended', 'model', [1], [1, 2, 3]],
    ]);
  });

  it('take each write from where the one before it left Σ: facts of the environment, edits by hand', () => {
    const edit: EditRecord = {
      kind: 'edit',
      id: 2,
      ...place,
      phase: 'act',
      target: 'state',
      pointer: '/a',
      value: 7,
    };
    const records = [commit(1, { a: 5 }), edit, commit(3, { a: 9 }, 'environment')];
    expect(rows({ a: 1 }, { records })).toEqual([
      ['a', 'changed', 'model', 1, 5],
      ['a', 'changed', 'user', 5, 7],
      ['a', 'changed', 'environment', 7, 9],
    ]);
  });

  it('are safe with any key', () => {
    const patch: JsonObject = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "x", "a/b~": 2}');
    expect(rows({}, { commits: [commit(1, patch)] })).toEqual([
      ['__proto__/polluted', 'added', 'model', undefined, 1],
      ['constructor', 'added', 'model', undefined, 'x'],
      ['a/b~', 'added', 'model', undefined, 2],
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
