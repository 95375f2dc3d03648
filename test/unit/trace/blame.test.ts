/** Blame: for any path of Σ, who wrote it, with what, and whether that is confirmed. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BlameEntry, type BlameHistory, blame } from '../../../client/src/runtime/blame';
import { TraceGap } from '../../../client/src/runtime/traceGap';
import { parsePointer, valueAt } from '../../../schemas/json/jsonPointer';
import type { JsonObject, JsonValue } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import { longTraceBytes } from '../../support/longTrace';
import { memoryRun, skillOf, traceText } from '../../support/memoryRun';
import { growingBytes, readerOf } from '../../support/memoryTrace';
import { type WrittenStep, writtenTrace } from '../../support/writtenTrace';

async function all(
  history: BlameHistory,
  pointer: string,
  step: number,
  more: { branch?: number; upTo?: number } = {},
): Promise<readonly BlameEntry[]> {
  const entries: BlameEntry[] = [];
  const path = parsePointer(pointer) ?? [];
  for await (const entry of blame(history, { branch: 0, step, path, ...more })) entries.push(entry);
  return entries;
}

/** `3 model set = 1` for each write. */
const lines = (entries: readonly BlameEntry[]) =>
  entries.map(
    ({ step, by, change, value, confirmed }) =>
      `${step} ${by} ${change} ${value === undefined ? 'gone' : JSON.stringify(value)}${confirmed ? '' : ' (proposed)'}`,
  );

let skill: Skill;
beforeAll(async () => {
  skill = await skillOf({
    'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nDo it.\n',
    'state.schema.yaml': [
      'type: object',
      'properties:',
      '  log: {type: array, x-merge: append, x-evict: oldest, maxItems: 3}',
      '  tags: {type: array, x-merge: union}',
      '  list: {type: array}',
    ].join('\n'),
    'state.initial.json': '{"a":{"x":1},"list":[0,1]}',
  });
});

async function told(steps: readonly WrittenStep[], pointer: string, step = steps.length) {
  return lines(await all(await readerOf(traceText(writtenTrace(skill, steps))), pointer, step));
}

describe('blame', () => {
  it('tells the writes to a value, newest first, and Σ_0', async () => {
    const steps: WrittenStep[] = [
      { patch: { a: { x: 2 } }, accepted: true },
      { patch: { b: 1 }, accepted: true },
      { patch: { a: { x: null } }, accepted: false },
      { patch: { a: { x: 3 } }, accepted: true },
    ];
    expect(await told(steps, '/a/x')).toEqual([
      '3 model set 3',
      '2 model deleted gone (proposed)',
      '0 model changed 2',
      '0 initial initial 1',
    ]);
    expect(await told(steps, '/a/x', 2)).toEqual(['0 model changed 2', '0 initial initial 1']);
    expect(await told(steps, '/a/x', 0)).toEqual(['0 initial initial 1']);
    expect(await told(steps, '/b')).toEqual(['1 model set 1']);
    expect(await told(steps, '/never')).toEqual([]);
  });

  it('has what the step saw, wanted and wrote', async () => {
    const steps: WrittenStep[] = [{}, { patch: { b: { c: 1 } }, accepted: false }];
    const reader = await readerOf(traceText(writtenTrace(skill, steps)));
    expect(await all(reader, '/b', 2)).toEqual([
      {
        step: 1,
        attempt: 1,
        by: 'model',
        change: 'set',
        value: { c: 1 },
        before: undefined,
        pointers: ['/b/c'],
        patch: { b: { c: 1 } },
        action: 'Act 1',
        observation: 'O 1',
        confirmed: false,
        proposedSince: 1,
      },
    ]);
  });

  it('counts writes above and below', async () => {
    const steps: WrittenStep[] = [
      { patch: { a: { x: 2 } }, accepted: true },
      { patch: { a: null }, accepted: true },
      { patch: { a: 5 }, accepted: true },
      { patch: { a: { x: 1, y: 2 } }, accepted: true },
    ];
    expect(await told(steps, '/a')).toEqual([
      '3 model members {"x":1,"y":2}',
      '2 model set 5',
      '1 model deleted gone',
      '0 model members {"x":2}',
      '0 initial initial {"x":1}',
    ]);
    expect(await told(steps, '/a/x')).toEqual([
      '3 model set 1',
      '1 model deleted gone',
      '0 model changed 2',
      '0 initial initial 1',
    ]);
  });

  it('tells arrays that were replaced, appended to, united and cut', async () => {
    const steps: WrittenStep[] = [
      { patch: { log: [1], tags: ['a'], list: [0, 2] }, accepted: true },
      { patch: { log: [2, 3], tags: ['b', 'a'] }, accepted: true },
      { patch: { log: [4], tags: ['a'], list: [0, 2] }, accepted: true },
    ];
    expect(await told(steps, '/log')).toEqual([
      '2 model array-appended [2,3,4]',
      '1 model array-appended [1,2,3]',
      '0 model set [1]',
    ]);
    expect(await told(steps, '/log/0')).toEqual(['2 model evicted 2', '0 model array-appended 1']);
    expect(await told(steps, '/log/1')).toEqual(['2 model evicted 3', '1 model array-appended 2']);
    expect(await told(steps, '/tags')).toEqual([
      '2 model same ["a","b"]',
      '1 model array-united ["a","b"]',
      '0 model set ["a"]',
    ]);
    expect(await told(steps, '/list')).toEqual([
      '2 model same [0,2]',
      '0 model array-replaced [0,2]',
      '0 initial initial [0,1]',
    ]);
    expect(await told(steps, '/list/1')).toEqual([
      '2 model same 2',
      '0 model changed 2',
      '0 initial initial 1',
    ]);
  });

  it('tells facts and edits, which need no confirmation, in their order', async () => {
    const steps: WrittenStep[] = [
      {
        edits: [
          ['/b', 1],
          ['/a/x', undefined],
        ],
        patch: { b: 2 },
        accepted: false,
        facts: { b: 3 },
      },
      { edits: [['/list/0', undefined]] },
    ];
    expect(await told(steps, '/b')).toEqual([
      '0 environment changed 3',
      '0 model changed 2 (proposed)',
      '0 user set 1',
    ]);
    expect(await told(steps, '/a/x')).toEqual(['0 user deleted gone', '0 initial initial 1']);
    expect(await told(steps, '/list/0')).toEqual(['1 user changed 1', '0 initial initial 0']);
    expect(await told(steps, '/list/1')).toEqual(['1 user deleted gone', '0 initial initial 1']);
  });

  it('takes the same value written again for as confirmed as it was', async () => {
    const confirmed: WrittenStep[] = [
      { patch: { b: 1 }, accepted: true },
      { patch: { b: 1 }, accepted: false },
      { patch: { b: 1 }, accepted: false },
    ];
    expect(await told(confirmed, '/b')).toEqual(['2 model same 1', '1 model same 1', '0 model set 1']);
    const proposed = [{ patch: { b: 1 }, accepted: false }, ...confirmed.slice(1)];
    expect(await told(proposed, '/b')).toEqual([
      '2 model same 1 (proposed)',
      '1 model same 1 (proposed)',
      '0 model set 1 (proposed)',
    ]);
    expect(await told([...proposed, { patch: { b: 1 }, accepted: true }], '/b')).toContain('3 model same 1');
  });

  it('counts what the step itself wrote up to a record', async () => {
    const records = writtenTrace(skill, [{ patch: { b: 1 }, accepted: true, facts: { b: 2 } }]);
    const reader = await readerOf(traceText(records));
    const commit = records.findIndex(({ kind }) => kind === 'commit');
    expect(lines(await all(reader, '/b', 0, { upTo: commit }))).toEqual(['0 model set 1 (proposed)']);
    expect(lines(await all(reader, '/b', 0, { upTo: records.length }))).toEqual([
      '0 environment changed 2',
      '0 model set 1',
    ]);
    expect(lines(await all(reader, '/b', 0))).toEqual([]);
  });

  it('follows a branch into the line that it left', async () => {
    const forks = [{ step: 30, at: 'act', steps: 5 }] as const;
    const reader = await readerOf(await longTraceBytes({ steps: 60, faults: 0, forks }));
    const [own] = await all(reader, '/inventory/shelf_153', 35, { branch: 1 });
    expect(own).toMatchObject({ step: 33, by: 'model', action: expect.stringMatching(/^Store /) });
    const [inherited] = await all(reader, '/inventory/shelf_130', 35, { branch: 1 });
    expect(inherited).toMatchObject({ step: 30, change: 'deleted', action: 'Inspect shelf_130' });
    const [earlier] = await all(reader, '/inventory/shelf_145', 35, { branch: 1 });
    expect(earlier).toMatchObject({ step: 25, action: expect.stringMatching(/^Move /) });
  });

  it('says what is lost once it gets there', async () => {
    const [, ...records] = writtenTrace(skill, [
      { patch: { b: 1 }, accepted: true },
      { patch: { c: 1 }, accepted: true },
      { keyframe: { b: 1, c: 1 }, patch: { b: 2 }, accepted: true },
    ]);
    const reader = await readerOf(traceText(records));
    const entries: BlameEntry[] = [];
    const asked = (async () => {
      for await (const entry of blame(reader, { branch: 0, step: 3, path: ['b'] })) entries.push(entry);
    })();
    await expect(asked).rejects.toThrow(TraceGap);
    expect(lines(entries)).toEqual(['2 model changed 2']);
  });
});

describe('blame and the states', () => {
  const key = fc.constantFrom('a', 'b', '__proto__', 'x/~y');
  const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
    fc.nat(2),
    fc.constant(null),
    fc.array(fc.nat(2), { maxLength: 2 }),
  );
  const patch = fc
    .array(fc.tuple(fc.array(key, { minLength: 1, maxLength: 4 }), leaf), { maxLength: 3 })
    .map((writes) => writes.reduce<JsonObject>((all, [path, value]) => merged(all, path, value), {}));
  const lists = fc.record(
    { log: fc.array(fc.nat(3), { maxLength: 3 }), tags: fc.array(fc.nat(3), { maxLength: 2 }) },
    { requiredKeys: [] },
  );
  const step: fc.Arbitrary<WrittenStep> = fc.record(
    {
      patch: fc.tuple(patch, lists).map(([one, other]) => ({ ...one, ...other })),
      accepted: fc.boolean(),
      facts: patch,
      edits: fc.array(
        fc.tuple(fc.constantFrom('/a', '/b', '/list/0', '/a/a'), fc.option(fc.nat(2), { nil: undefined })),
        {
          maxLength: 2,
        },
      ),
    },
    { requiredKeys: [] },
  );

  it('agree: the last write that changed anything is where the value changed last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const reader = await readerOf(traceText(writtenTrace(skill, steps)));
        const states: JsonObject[] = [];
        for (let at = 0; at <= steps.length; at++) states.push(await reader.stateAt(0, at));
        const unfiltered: BlameHistory = {
          stateAt: (branch, at) => reader.stateAt(branch, at),
          recordsOf: (branch, at) => reader.recordsOf(branch, at),
          policiesAt: (branch, at) => reader.policiesAt(branch, at),
        };
        for (const pointer of [
          '',
          '/a',
          '/b',
          '/a/b',
          '/a/b/a',
          '/a/b/a/__proto__',
          '/log',
          '/log/0',
          '/tags/1',
          '/list/0',
          '/x~1~0y',
          '/__proto__',
        ]) {
          const entries = await all(reader, pointer, steps.length);
          expect(entries).toEqual(await all(unfiltered, pointer, steps.length));
          const path = parsePointer(pointer) ?? [];
          const now = valueAt(states.at(-1) ?? {}, path);
          if (entries[0]) expect(entries[0].value).toEqual(now);
          let changedIn = -1;
          for (let at = 0; at < steps.length; at++) {
            const before = valueAt(states[at] ?? {}, path);
            const after = valueAt(states[at + 1] ?? {}, path);
            if (JSON.stringify(before) !== JSON.stringify(after)) changedIn = at;
          }
          const changes = entries.filter(({ change, step: at }) => change !== 'same' && at >= changedIn);
          if (changedIn >= 0) expect(changes.some(({ step: at }) => at === changedIn)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('agree on faulty runs, whose proposals are those of the runtime', async () => {
    const seen = { confirmed: 0, proposed: 0 };
    for (const faultSeed of [1, 2, 3, 4, 5, 6]) {
      const options = { horizon: 60, seed: 11, keyframeEvery: 8 };
      const run = await memoryRun({ options, faults: 0.3, faultSeed });
      const last = await run.finish();
      const reader = await readerOf(traceText(run.records));
      const { steps } = reader.branches[0] ?? { steps: 0 };
      const stored = Object.keys(last.state.inventory ?? {}).map((shelf) => `/inventory/${shelf}`);
      for (const pointer of new Set([...stored, ...last.proposals.keys()])) {
        const [newest] = await all(reader, pointer, steps);
        const proposal = last.proposals.get(pointer);
        const expected = { since: proposal?.step, confirmed: proposal === undefined };
        const found = { since: newest?.proposedSince, confirmed: newest?.confirmed };
        expect({ pointer, ...found }).toEqual({ pointer, ...expected });
        seen[expected.confirmed ? 'confirmed' : 'proposed'] += 1;
      }
    }
    expect(seen.confirmed).toBeGreaterThan(10);
    expect(seen.proposed).toBeGreaterThan(1);
  });

  it('are asked for only where the step may have written there', async () => {
    const bytes = growingBytes(await longTraceBytes({ steps: 4_000, faults: 0 }));
    const reader = await readerOf(bytes);
    const before = bytes.bytesRead;
    const question = { branch: 0, step: 4_000, path: ['inventory', 'shelf_130'] } as const;
    const { value } = await blame(reader, question).next();
    expect(value).toMatchObject({ step: 3_630, change: 'deleted' });
    expect(bytes.bytesRead - before).toBeLessThan(before / 5);
  });
});

function merged(into: JsonObject, [first = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const present = Object.hasOwn(into, first) ? into[first] : undefined;
  const inner = typeof present === 'object' && present !== null && !Array.isArray(present) ? present : {};
  const member = rest.length === 0 ? value : merged(inner as JsonObject, rest, value);
  return Object.fromEntries([...Object.entries(into).filter(([key]) => key !== first), [first, member]]);
}
