/** Which paths stay proposed, and when they are confirmed. */
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../client/src/runtime/merge';
import {
  confirm,
  isProposed,
  isProposedInPart,
  type Proposals,
  propose,
} from '../../../client/src/runtime/provenance';
import type { JsonObject } from '../../../schemas/json/jsonValue';

/** Patches one after the other, each by its own step from 1 on. */
function proposalsAfter(state: JsonObject, ...patches: readonly JsonObject[]): Proposals {
  let proposals: Proposals = new Map();
  let current = state;
  for (const [index, patch] of patches.entries()) {
    const merged = applyPatch(current, patch);
    proposals = propose(proposals, merged.writes, index + 1);
    current = merged.state;
  }
  return proposals;
}

const shown = (proposals: Proposals): Record<string, number> =>
  Object.fromEntries([...proposals].map(([pointer, { step }]) => [pointer, step]));

describe('propose', () => {
  it('marks what a patch wrote, deletions too', () => {
    const proposals = proposalsAfter({ a: 1, gone: { x: 1 } }, { a: 2, gone: null, fresh: { 'b/c': 1 } });
    expect(shown(proposals)).toEqual({ '/a': 1, '/gone': 1, '/fresh/b~1c': 1 });
  });

  it('drops entries below what is deleted or replaced, and above what is set', () => {
    expect(shown(proposalsAfter({}, { a: { b: 1, c: 2 } }, { a: null }))).toEqual({ '/a': 2 });
    expect(shown(proposalsAfter({}, { a: { b: 1 } }, { a: 'x' }))).toEqual({ '/a': 2 });
    expect(shown(proposalsAfter({ a: { b: 1 } }, { a: null }, { a: { c: 1 } }))).toEqual({ '/a/c': 2 });
    expect(shown(proposalsAfter({}, { ab: 1 }, { a: 1 }))).toEqual({ '/ab': 1, '/a': 2 });
  });

  it('leaves confirmed values confirmed when they are only repeated, and moves proposed ones to the later step', () => {
    expect(shown(proposalsAfter({ a: 1 }, { a: 1, never: null }))).toEqual({});
    expect(shown(proposalsAfter({}, { a: 1, b: 1 }, { a: 1 }))).toEqual({ '/a': 2, '/b': 1 });
  });

  it('does not change the map it was given', () => {
    const first = proposalsAfter({}, { a: 1 });
    propose(first, [{ path: ['b'], kind: 'set', changed: true }], 2);
    expect(shown(first)).toEqual({ '/a': 1 });
    expect(propose(first, [], 2)).toBe(first);
  });
});

describe('confirm', () => {
  it('confirms what that step wrote, and nothing else', () => {
    const proposals = proposalsAfter({}, { a: 1, b: 1 }, { b: 2 });
    expect(shown(confirm(proposals, 2))).toEqual({ '/a': 1 });
    expect(confirm(proposals, 3)).toBe(proposals);
  });
});

describe('isProposed', () => {
  it('looks at the path and at what is around it', () => {
    const proposals = proposalsAfter({ inventory: {} }, { inventory: { shelf_1: [1] } });
    expect(isProposed(proposals, ['inventory', 'shelf_1'])).toEqual({ step: 1 });
    expect(isProposed(proposals, ['inventory', 'shelf_1', '0'])).toEqual({ step: 1 });
    expect(isProposed(proposals, ['inventory'])).toBeUndefined();
    expect(isProposed(proposals, ['inventory', 'shelf_10'])).toBeUndefined();
    expect(isProposed(new Map([['', { step: 4 }]]), ['a'])).toEqual({ step: 4 });
  });
});

describe('isProposedInPart', () => {
  it('finds the oldest proposal inside, and none at the path itself or beside it', () => {
    const proposals = proposalsAfter(
      { inventory: {}, list: {} },
      { inventory: { shelf_1: 1 } },
      { inventory: { shelf_2: 1 }, 'a/b': { c: { d: 1 } } },
    );
    expect(isProposedInPart(proposals, ['inventory'])).toEqual({ step: 1 });
    expect(isProposedInPart(proposals, [])).toEqual({ step: 1 });
    expect(isProposedInPart(proposals, ['a/b'])).toEqual({ step: 2 });
    expect(isProposedInPart(proposals, ['inventory', 'shelf_1'])).toBeUndefined();
    expect(isProposedInPart(proposals, ['list'])).toBeUndefined();
    expect(isProposedInPart(proposals, ['a'])).toBeUndefined();
    expect(isProposedInPart(confirm(proposals, 1), ['inventory'])).toEqual({ step: 2 });
    expect(isProposedInPart(new Map(), [])).toBeUndefined();
  });
});
