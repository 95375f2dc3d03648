/** No reply, however mangled, changes Σ to something that its schema rejects. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../client/src/runtime/merge';
import { rejectionClasses } from '../../../client/src/runtime/rejection';
import { parseReply } from '../../../client/src/runtime/replyParser';
import { createStateValidator } from '../../../client/src/runtime/validation';
import { parsePointer, valueAt } from '../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import { limits, schemaOf } from './schemaOf';

const schema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['inventory'],
  properties: {
    inventory: {
      type: 'object',
      maxProperties: 4,
      propertyNames: { pattern: '^shelf_[0-9]+$' },
      additionalProperties: { type: 'string', minLength: 1, maxLength: 8 },
    },
    queue: {
      type: 'array',
      items: { type: 'integer' },
      maxItems: 3,
      'x-merge': 'append',
      'x-evict': 'oldest',
    },
    seen: { type: 'array', items: { type: 'string' }, maxItems: 3, 'x-merge': 'union' },
    mode: { enum: ['open', 'closed', null] },
    nested: { type: 'object', additionalProperties: { $ref: '#/properties/nested' }, maxProperties: 2 },
    clock: { type: 'integer', 'x-writer': 'environment' },
  },
  'x-invariants': [{ expression: 'unique(values(state.inventory))', message: 'One item, one shelf.' }],
};

const stateSchema = schemaOf(schema);
const validator = createStateValidator(stateSchema, limits);
const independent = new Ajv2020({ strict: false, ownProperties: true }).compile(schema);

const state: JsonObject = {
  inventory: { shelf_1: 'item_1', shelf_2: 'item_2' },
  queue: [1, 2],
  seen: ['a'],
  mode: 'open',
  nested: { a: { b: {} } },
  clock: 7,
};

const item = fc.constantFrom<JsonValue>(
  'item_1',
  'item_3',
  'item_4',
  'item_1',
  'item_2',
  'item_3',
  '',
  'far too long',
  null,
  5,
  [],
  {},
);
const plausiblePatch = fc.record({
  inventory: fc.dictionary(
    fc.constantFrom('shelf_2', 'shelf_3', 'shelf_4'),
    fc.constantFrom<JsonValue>('item_1', 'item_3', 'item_4', null),
  ),
});
const wildPatch = fc.record(
  {
    inventory: fc.oneof(
      fc.dictionary(fc.constantFrom('shelf_1', 'shelf_2', 'shelf_3', 'shelf_4', 'dock', '__proto__'), item),
      item,
    ),
    queue: fc.oneof(fc.array(fc.constantFrom<JsonValue>(1, 2, 2.5, '1')), item),
    seen: fc.oneof(fc.array(fc.constantFrom<JsonValue>('a', 'b', 1)), item),
    mode: fc.constantFrom<JsonValue>('open', 'closed', 'ajar', null),
    nested: fc.constantFrom<JsonValue>(
      { a: null },
      { a: { b: { c: {} } } },
      { a: 1 },
      { constructor: {}, toString: {} },
      null,
    ),
    clock: fc.constantFrom<JsonValue>(8, null),
    other: fc.constantFrom<JsonValue>(1),
  },
  { requiredKeys: [] },
);

const patch: fc.Arbitrary<object> = fc.oneof(plausiblePatch, wildPatch);

const fragment = fc.constantFrom(
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'null',
  '5',
  '"a"',
  '```',
  '```json',
  '\n',
  '\\',
  '"inventory":',
  '"shelf_3"',
  ' ',
  '\ufeff',
  '\u2028',
  '\ud800',
  '0',
);
const edit = fc.record({
  at: fc.integer({ min: 0, max: 9_999 }),
  remove: fc.nat(6),
  insert: fc.array(fragment, { maxLength: 2 }),
});

const edits = fc.oneof(fc.constant([]), fc.array(edit, { maxLength: 3 }));

/** The reply's object around a patch: mostly right, now and then with the mistakes that models make. */
const envelope = fc.constantFrom(
  (statePatch: unknown) => ({ state_patch: statePatch, action: 'Wait' }),
  (statePatch: unknown) => ({ action: 'Wait', state_patch: statePatch }),
  (statePatch: unknown) => ({ state_patch: statePatch, action: 'Wait', reasoning: 'Hm.' }),
  (statePatch: unknown) => ({ state_patch: [statePatch], action: 'Wait' }),
  (statePatch: unknown) => ({ state_patch: statePatch, action: ['Wait'] }),
  (statePatch: unknown) => ({ patch: statePatch, action: 'Wait' }),
);

function mangle(
  text: string,
  edits: readonly { at: number; remove: number; insert: readonly string[] }[],
): string {
  return edits.reduce((mangled, { at, remove, insert }) => {
    const start = Math.floor((at / 10_000) * mangled.length);
    return mangled.slice(0, start) + insert.join('') + mangled.slice(start + remove);
  }, text);
}

describe('mangled replies', () => {
  it('leave Σ valid: what is not rejected is valid by an independent ajv too', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        patch,
        edits,
        envelope,
        fc.constantFrom(undefined, 1),
        (statePatch, chosenEdits, around, indent) => {
          const json = JSON.stringify(around(statePatch), null, indent);
          const reply = mangle(`Reasoning.\n\`\`\`json\n${json}\n\`\`\`\n`, chosenEdits);
          const before = JSON.stringify(state);
          const parse = parseReply(reply, limits);
          const proposed = parse.ok ? parse.reply.patch : {};
          const merged = applyPatch(state, proposed, stateSchema);
          const rejection = parse.ok
            ? (validator.checkPatch(proposed, 'model') ?? validator.checkMerged(merged.state, proposed))
            : parse.rejection;
          expect(JSON.stringify(state)).toBe(before);
          if (rejection === undefined) {
            seen.add('accepted');
            expect(independent(merged.state)).toBe(true);
            const items = Object.values(merged.state.inventory as JsonObject);
            expect(new Set(items).size).toBe(items.length);
            expect(merged.state.clock).toBe(7);
            return;
          }
          seen.add(rejection.class);
          expect(rejectionClasses).toContain(rejection.class);
          expect(rejection.message.length).toBeLessThan(600);
          if (rejection.offset !== undefined) expect(rejection.offset).toBeLessThanOrEqual(reply.length);
          if (parse.ok && rejection.pointer !== undefined) {
            const path = parsePointer(rejection.pointer);
            expect(path && valueAt(proposed, path)).not.toBeUndefined();
          }
          if (rejection.class === 'schema') expect(independent(merged.state)).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(seen).toContain('accepted');
    for (const expected of rejectionClasses) if (expected !== 'limit') expect(seen).toContain(expected);
  });
});
