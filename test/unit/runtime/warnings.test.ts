/** What is not rejected and yet worth a warning. */
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../client/src/runtime/merge';
import {
  argumentWarnings,
  divergenceWarning,
  mergeWarnings,
  type Warning,
} from '../../../client/src/runtime/warnings';
import { containsToken } from '../../../client/src/runtime/wholeToken';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { MatchedAction } from '../../../schemas/skill/actionSignature';
import { loadStateSchema } from '../../../schemas/state/stateSchema';

const lines = (warnings: readonly Warning[]): string[] =>
  warnings.map(({ class: warningClass, message, pointer }) => `${warningClass} ${pointer ?? '-'} ${message}`);

function merging(
  before: JsonObject,
  patch: JsonObject,
  previousPatch?: JsonObject,
  stateBytesBudget?: number,
): string[] {
  const { state: after } = applyPatch(before, patch);
  return lines(
    mergeWarnings({
      before,
      after,
      patch,
      previousPatch,
      ...(stateBytesBudget !== undefined && { stateBytesBudget }),
    }),
  );
}

describe('mergeWarnings', () => {
  it('warns of an array that shrinks', () => {
    expect(merging({ a: { list: [1, 2, 3] } }, { a: { list: [4] } })).toEqual([
      'array-shrunk /a/list /a/list went from 3 items to 1.',
    ]);
    expect(merging({ list: [1, 2] }, { list: [2, 3] })).toEqual([]);
    expect(merging({ list: [1, 2] }, { list: null })).toEqual([]);
  });

  it('warns of keys that are erased with their parent', () => {
    expect(merging({ inventory: { a: 1, b: 2 } }, { inventory: null })).toEqual([
      'keys-erased /inventory Deleting /inventory erased 2 keys.',
    ]);
    expect(merging({ inventory: { a: 1 } }, { inventory: [] })).toEqual([
      'keys-erased /inventory Replacing /inventory erased 1 key.',
    ]);
    expect(merging({ inventory: {}, a: { b: 'x' } }, { inventory: null, a: { b: null } })).toEqual([]);
  });

  it('warns of the previous patch sent again', () => {
    expect(merging({}, { a: { c: 1, b: [2] } }, { a: { b: [2], c: 1 } })).toEqual([
      'repeated-patch - The patch is the same as the previous one.',
    ]);
    expect(merging({}, {}, {})).toEqual([]);
    expect(merging({}, { a: 1 }, { a: 2 })).toEqual([]);
  });

  it('warns of a state over its budget in UTF-8 bytes', () => {
    expect(merging({}, { a: 'é€😀' }, undefined, 16)).toEqual([
      'state-over-budget - The state takes 17 bytes, more than its budget of 16.',
    ]);
    expect(merging({}, { a: 'é€😀' }, undefined, 17)).toEqual([]);
  });

  it('stays calm before keys such as __proto__ and constructor', () => {
    const patch = JSON.parse('{"__proto__":null,"constructor":null,"toString":{"a":[]}}') as JsonObject;
    expect(merging({}, patch)).toEqual([]);
  });
});

describe('argumentWarnings', () => {
  const schema = loadStateSchema({
    path: 'state.schema.json',
    text: JSON.stringify({
      type: 'object',
      properties: {
        inventory: { type: 'object', propertyNames: { pattern: '^shelf_\\d{1,3}$' } },
        mode: { enum: ['fast', 'slow'] },
        kind: { const: 'warehouse' },
        byColour: {
          type: 'object',
          propertyNames: { enum: ['red'] },
          patternProperties: { '^blue-\\d$': {} },
        },
      },
    }),
  });
  const matched = (...args: readonly string[]): MatchedAction => ({
    signature: {
      name: 'Store',
      form: 'command',
      parameters: [
        { name: 'item_id', rest: false },
        { name: 'shelf_id', rest: false },
        { name: 'remark', rest: true },
      ],
      text: 'Store <item_id> <shelf_id> <remark...>',
      file: 'SKILL.md',
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    },
    arguments: args,
  });
  const unknown = (args: readonly string[], declares?: (name: string) => boolean): string[] =>
    lines(
      argumentWarnings({
        matched: matched(...args),
        instructions: 'Use dock_1 first.',
        state: { inventory: { shelf_42: 'item_12' }, counts: [7, { deep: 'under the "roof"' }] },
        observation: 'Shipment arrived containing item_3.',
        stateSchema: schema,
        ...(declares && { declares }),
      }),
    );

  it('accepts what P, Σ, O or a declaration names', () => {
    expect(unknown(['item_3', 'shelf_7', 'whatever that is'])).toEqual([]);
    expect(unknown(['item_12', 'dock_1'])).toEqual([]);
    expect(unknown(['7', 'roof'])).toEqual([]);
    expect(unknown(['fast', 'warehouse'])).toEqual([]);
    expect(unknown(['red', 'blue-3'])).toEqual([]);
    expect(unknown(['bay_9', 'bay_8'], (name) => name.startsWith('bay_'))).toEqual([]);
  });

  it('warns of what appears nowhere, or only as a part of a longer name', () => {
    expect(unknown(['item_1', 'shelf_1000'])).toEqual([
      'unknown-argument - The argument "item_1" (item_id) of "Store" appears in none of instructions, state and observation.',
      'unknown-argument - The argument "shelf_1000" (shelf_id) of "Store" appears in none of instructions, state and observation.',
    ]);
  });

  it.each(['SHIPMENT', 'Item_12', 'DOCK_1', 'ROOF', 'Fast', 'RED', '1', '-1', '2.50', 'x', ''])(
    'accepts %j: case, numbers and single characters say nothing',
    (argument) => expect(unknown([argument])).toEqual([]),
  );

  it.each(['ship', 'shipments', '1a', '1.2.3', 'BLUE-3', 'xy'])('warns of %j', (argument) => {
    expect(unknown([argument])).toHaveLength(1);
  });

  it('says nothing where the skill declares no actions', () => {
    expect(
      argumentWarnings({
        matched: undefined,
        instructions: '',
        state: {},
        observation: '',
        stateSchema: schema,
      }),
    ).toEqual([]);
  });
});

describe('containsToken', () => {
  it.each([
    ['item_1.', 'item_1', true],
    ['item_12', 'item_1', false],
    ['an-item_1', 'item_1', false],
    ['item_12, item_1', 'item_1', true],
    ['(src/a.ts)', 'src/a.ts', true],
    ['run "make x"', '"make', true],
    ['größe', 'gr', false],
    ['', '', false],
  ])('%j has %j: %s', (text, token, expected) => {
    expect(containsToken(text, token)).toBe(expected);
  });
});

describe('divergenceWarning', () => {
  it('counts stale and omitted paths and names the first', () => {
    const state = { inventory: { shelf_1: 'item_1', shelf_2: 'item_9', shelf_5: 'x' }, notes: 'mine' };
    const truth = { inventory: { shelf_1: 'item_1', shelf_2: 'item_2', shelf_3: 'item_3' } };
    expect(divergenceWarning(state, truth)).toEqual({
      class: 'diverged',
      message:
        'The state differs from the world: 2 stale (/inventory/shelf_2, /inventory/shelf_5), 1 omitted (/inventory/shelf_3).',
      pointer: '/inventory/shelf_2',
    });
  });

  it('names no more than three', () => {
    const truth = {
      inventory: Object.fromEntries(Array.from({ length: 5 }, (_value, index) => [`s${index}`, 'x'])),
    };
    expect(divergenceWarning({ inventory: {} }, truth)?.message).toBe(
      'The state differs from the world: 5 omitted (/inventory/s0, /inventory/s1, /inventory/s2, …).',
    );
    expect(divergenceWarning({}, truth)?.message).toBe(
      'The state differs from the world: 1 omitted (/inventory).',
    );
  });

  it('is silent where they agree, in whatever order', () => {
    expect(
      divergenceWarning({ b: [1], a: { x: 1, y: 2 }, extra: 1 }, { a: { y: 2, x: 1 }, b: [1] }),
    ).toBeUndefined();
  });
});
