/** The fast check of records says what ajv says, about records and about what is nearly one. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../schemas/json/jsonValue';
import { fitsRecord, recordKinds } from '../../../schemas/trace/recordShape';
import { recordProblem, type TraceRecord } from '../../../schemas/trace/trace';
import traceSchema from '../../../schemas/trace/trace.schema.json';
import { memoryRun } from '../../support/memoryRun';

/** Records of every kind, those that one run doesn't make written by hand with all that they may have. */
let records: readonly JsonValue[] = [];
beforeAll(async () => {
  const run = await memoryRun({
    options: {
      ...{ horizon: 12, seed: 7, keyframeEvery: 4, budget: { steps: 100, seconds: 0.5 } },
      ...{ maxTokens: 9, retryTemperature: 0.7 },
    },
    faults: 0.4,
    faultSeed: 3,
  });
  await run.finish();
  const place = { id: 9, parent: 8, branch: 1, step: 2 };
  const sha256 = '0'.repeat(64);
  const others = [
    { kind: 'resumed', after: 3, time: 0 },
    {
      kind: 'fork',
      ...place,
      skill: { files: [{ path: 'SKILL.md', role: 'skill', sha256, text: '' }] },
      instructions: { sha256, text: 'Do.' },
      time: 5,
    },
    { kind: 'edit', ...place, phase: 'act', target: 'state', pointer: '/a', value: { b: [1] }, time: 5 },
    {
      kind: 'outcome',
      ...place,
      accepted: true,
      done: false,
      observation: '',
      facts: {},
      skipped: true,
      time: 1,
    },
    {
      kind: 'outcome',
      ...place,
      accepted: true,
      done: false,
      observation: '',
      score: { actionable: 1, successful: 0 },
      diverged: true,
      time: 1,
    },
    {
      kind: 'commit',
      ...place,
      by: 'model',
      patch: {},
      evicted: [{ pointer: '/a', items: [1, {}] }],
      time: 1,
    },
    {
      kind: 'attempt',
      ...place,
      attempt: 2,
      prompt: { sha256, characters: 3, correction: 'x' },
      failures: [{ class: 'rate-limit', message: 'Busy.', wait: 1_000 }],
      thinking: 'Hm.',
      reply: 'x',
      finish: 'stop',
      tokens: {
        prompt: 1,
        completion: 2,
        cached: 1,
        thinking: 1,
        source: 'reported',
        split: { instructions: 1, state: 0, observation: 0, scaffold: 0 },
      },
      cost: 0.5,
      time: 1,
    },
    {
      kind: 'end',
      ...{ id: 9, parent: 8, branch: 1 },
      outcome: 'stopped',
      reason: 'Gone.',
      resumable: true,
      failures: [{ class: 'connection', message: 'Gone.' }],
      steps: 1,
      state: {},
      time: 1,
    },
    { kind: 'step', ...place, observation: 'x', state: { a: {} }, proposed: { '/a': 1 }, time: 1 },
  ];
  records = [...run.records.map(plain), ...others.map(plain)];
});

function plain(value: TraceRecord | object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function agree(value: JsonValue): boolean {
  const fits = fitsRecord(value, JSON.stringify(value).length);
  expect({ value, fits }).toEqual({ value, fits: recordProblem(value) === undefined });
  return fits;
}

/** Every place in a value, as the steps that lead to it. */
function places(value: JsonValue, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item: JsonValue, index) => places(item, [...path, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => places(item, [...path, key]))
      : [];
  return [path, ...inner];
}

const gone = Symbol('gone');

/** A copy with something else at a place, or nothing. */
function changed(
  value: JsonValue,
  [first, ...rest]: readonly (string | number)[],
  replacement: JsonValue | typeof gone,
): JsonValue {
  if (first === undefined) return replacement === gone ? null : replacement;
  const copy = JSON.parse(JSON.stringify(value));
  if (rest.length === 0 && replacement === gone) {
    if (Array.isArray(copy)) copy.splice(Number(first), 1);
    else delete copy[first];
  } else copy[first] = changed(copy[first] ?? null, rest, replacement);
  return copy;
}

const oddValues: readonly JsonValue[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 1e300, 2 ** 53, '', 'model', 'schema', 'skill-state', 'x'.repeat(64)],
  ...[[], {}, [1], { a: 1 }, '0'.repeat(64), '0'.repeat(63)],
];

describe('the fast check of records', () => {
  it('takes what a run writes, and knows every kind of the format', () => {
    expect(records.every((record) => agree(record))).toBe(true);
    const kinds = new Set(records.map((record) => (isJsonObject(record) ? record.kind : undefined)));
    expect([...kinds].sort()).toEqual([...recordKinds().keys()].sort());
    expect(recordKinds().size).toBe(traceSchema.oneOf.length);
  });

  it('agrees with ajv wherever something is missing', () => {
    for (const record of records) for (const place of places(record)) agree(changed(record, place, gone));
  });

  it('agrees with ajv whatever stands at any place', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.oneof(
          fc.constantFrom(...oddValues),
          fc.jsonValue().map((value) => plain({ value })),
        ),
        (which, where, replacement) => {
          const record = records[which % records.length] ?? null;
          const candidates = places(record);
          agree(changed(record, candidates[where % candidates.length] ?? [], replacement));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'other'])('agrees with ajv about a key %s', (key) => {
    for (const record of records) {
      for (const place of places(record)) {
        const text = JSON.stringify(changed(record, place, { [`${key}-`]: 1 })).replaceAll(
          `"${key}-"`,
          `"${key}"`,
        );
        agree(JSON.parse(text));
        if (place.length > 0) continue;
        agree(JSON.parse(JSON.stringify(record).replace('{', `{${JSON.stringify(key)}:1,`)));
      }
    }
  });

  it.each([999, 1_000, 1_001])('agrees with ajv on a record that nests %i deep', (depth) => {
    const inner = depth - 1;
    const state = `${'{"a":'.repeat(inner)}1${'}'.repeat(inner)}`;
    const text = `{"kind":"step","id":1,"parent":0,"branch":0,"step":0,"state":${state},"time":0}`;
    expect(agree(JSON.parse(text))).toBe(depth <= 1_000);
  });
});
