/** The trace reader tells of every step what the run itself knew, however the bytes come. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunState } from '../../../client/src/runtime/runState';
import { createTraceReader, type TraceReader } from '../../../client/src/runtime/traceReader';
import { formatRecord, type TraceRecord } from '../../../schemas/trace/trace';
import { longTrace, longTraceBytes } from '../../support/longTrace';
import { type MemoryRun, memoryRun, traceText } from '../../support/memoryRun';
import { growingBytes, readerOf } from '../../support/memoryTrace';

describe('the reader of a finished run', () => {
  let run: MemoryRun;
  let last: RunState;
  let reader: TraceReader;
  /** The run as each step began, and after the last. */
  let starts: readonly RunState[];
  beforeAll(async () => {
    let time = 1_000;
    run = await memoryRun({
      options: { horizon: 60, seed: 7, keyframeEvery: 8, onExhausted: 'continue', maxRetries: 1 },
      faults: 0.6,
      faultSeed: 3,
      now: () => time++,
    });
    last = await run.finish();
    const begun = run.phases.filter(({ phase, end }) => phase === 'observe' && !end);
    starts = [...begun.slice(0, 60), last];
    reader = await readerOf(traceText(run.records));
  });

  it('has the header, the end, one branch and nothing to complain of', () => {
    expect(reader.header).toEqual(run.records[0]);
    expect(reader.problems).toEqual([]);
    expect(reader.progress).toMatchObject({ complete: true });
    expect(reader.branches).toMatchObject([{ id: 0, parent: undefined, steps: 60, ownFrom: 0 }]);
    expect(reader.branches[0]?.end).toEqual(run.records.at(-1));
  });

  it('sums up what the run had used before each step', () => {
    for (const [step, start] of starts.entries()) {
      const { activeMilliseconds: _, ...totals } = reader.totals(0, step);
      const { activeMilliseconds: __, ...expected } = start.totals;
      expect({ step, ...totals }).toEqual({ step, ...expected });
    }
  });

  it('makes Σ_t again, in any order', async () => {
    const order = starts.map((_, step) => (step * 37) % starts.length);
    for (const step of order) expect(await reader.stateAt(0, step)).toEqual(starts[step]?.state);
    expect(starts.map((_, step) => reader.isStateCertain(0, step))).toEqual(starts.map(() => true));
  });

  it('gives the records of each step as they were written', async () => {
    for (let step = 0; step < 60; step++) {
      const expected = run.records.filter((record) => 'step' in record && record.step === step);
      expect(await reader.recordsOf(0, step)).toEqual(expected);
    }
  });

  it('puts steps together, with the observation that the prompt showed', async () => {
    for (let step = 0; step < 60; step++) {
      const recorded = await reader.step(0, step);
      expect(recorded.observation).toBe(starts[step]?.observation);
      expect(recorded.attempts).toHaveLength(reader.summary(0, step).attempts);
    }
  });

  it('makes every prompt again, to the hash', async () => {
    for (let step = 0; step < 60; step++) {
      for (let attempt = 1; attempt <= reader.summary(0, step).attempts; attempt++)
        expect((await reader.promptOf(0, step, attempt)).matches).toBe(true);
    }
    await expect(reader.promptOf(0, 3, 9)).rejects.toThrow(RangeError);
  });

  it('summarises each step as its records tell', async () => {
    const statuses = new Set<string>();
    for (let step = 0; step < 60; step++) {
      const summary = reader.summary(0, step);
      const { attempts, commits, intent, outcome, warnings } = await reader.step(0, step);
      const rejections = attempts.flatMap(({ rejection }) => rejection ?? []);
      const keys = new Set(commits.flatMap(({ patch }) => Object.keys(patch)));
      statuses.add(summary.status);
      expect(summary).toMatchObject({
        branch: 0,
        step,
        status: outcome?.skipped ? 'skipped' : outcome?.accepted ? 'accepted' : 'refused',
        action: intent?.action,
        accepted: outcome?.accepted,
        done: outcome?.done,
        edited: false,
        forks: [],
        changedCount: keys.size,
        rejections: rejections.length,
        warnings: warnings.length,
        cost: undefined,
      });
      expect(new Set(summary.rejectionClasses)).toEqual(new Set(rejections.map((one) => one.class)));
      expect(new Set(summary.warningClasses)).toEqual(new Set(warnings.map((one) => one.class)));
      expect(new Set(summary.changedKeys)).toEqual(keys);
      const wasted = attempts.filter(({ rejection }) => rejection);
      expect(summary.tokens.retried).toBe(
        wasted.reduce((sum, { record: { tokens } }) => sum + tokens.prompt + tokens.completion, 0),
      );
      expect(summary.tokens.source).toBe('estimated');
    }
    expect([...statuses].sort()).toEqual(['accepted', 'refused', 'skipped']);
  });

  it.each([1, 2, 7, 60, 1000])('has the same sums in at most %i bars', (count) => {
    const bins = reader.bins(0, 0, 60, count);
    expect(bins.length).toBeLessThanOrEqual(count);
    expect(bins.map(({ from }) => from)).toEqual([0, ...bins.slice(0, -1).map(({ to }) => to)]);
    const sum = (of: (bin: (typeof bins)[number]) => number) => bins.reduce((all, bin) => all + of(bin), 0);
    expect(sum(({ tokens }) => tokens.completion)).toBe(last.totals.completionTokens);
    expect(sum(({ tokens }) => tokens.prompt)).toBe(last.totals.promptTokens);
    expect(sum(({ attempts }) => attempts)).toBe(last.totals.attempts);
    expect(sum(({ failed }) => failed)).toBe(last.totals.failedSteps);
  });

  it('says RangeError where there is no such step, branch or stretch', async () => {
    for (const [branch, step] of [
      [1, 0],
      [0, -1],
      [0, 60],
      [0, 0.5],
      [0, Number.NaN],
    ] as const) {
      expect(() => reader.summary(branch, step)).toThrow(RangeError);
      await expect(reader.step(branch, step)).rejects.toThrow(RangeError);
    }
    expect(() => reader.totals(0, 61)).toThrow(RangeError);
    await expect(reader.stateAt(0, 61)).rejects.toThrow(RangeError);
    expect(() => reader.bins(0, 5, 61, 3)).toThrow(RangeError);
  });

  it('reads the same in pieces of any size', async () => {
    const records = run.records.slice(0, 40);
    const text = traceText(records);
    const whole = await readerOf(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5_000 }), async (size) => {
        const pieces = await readerOf(growingBytes(text, size));
        expect(everything(pieces)).toEqual(everything(whole));
        expect(await pieces.stateAt(0, 3)).toEqual(await whole.stateAt(0, 3));
      }),
      { numRuns: 30 },
    );
  });

  it('follows a run that is going on, whenever it looks', async () => {
    const text = traceText(run.records);
    const bytes = new TextEncoder().encode(text);
    const whole = everything(await readerOf(text));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const growing = growingBytes();
        const follower = createTraceReader({ bytes: growing });
        let at = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          growing.append(bytes.subarray(at, cut));
          at = cut;
          await follower.read();
          const torn = cut > 0 && bytes[cut - 1] !== 10;
          expect(follower.problems.some(({ code }) => code === 'trace.torn-record')).toBe(torn);
          for (const { id, steps } of follower.branches) if (steps > 0) await follower.stateAt(id, steps - 1);
        }
        expect(everything(follower)).toEqual(whole);
        for (let step = 0; step <= 60; step += 7)
          expect(await follower.stateAt(0, step)).toEqual(starts[step]?.state);
      }),
      { numRuns: 20 },
    );
  });

  it('knows the action of a reply until it is executed, and what somebody made of it', async () => {
    const growing = growingBytes();
    const follower = createTraceReader({ bytes: growing });
    const act = run.records.findIndex(({ kind }) => kind === 'intent');
    const intent = run.records[act];
    if (intent?.kind !== 'intent') throw new Error('No action was executed.');
    const chosen = () => follower.summary(0, 0).chosen;
    for (const record of run.records.slice(0, act)) {
      growing.append(formatRecord(record));
      await follower.read();
      if (record.kind === 'rejection') expect(chosen()).toBeUndefined();
    }
    expect(follower.summary(0, 0)).toMatchObject({ status: 'running', action: undefined });
    expect(chosen()).toBe(intent.action);
    const place = { id: act, parent: act - 1, branch: 0, step: 0, time: 5 } as const;
    growing.append(
      formatRecord({ kind: 'edit', ...place, phase: 'act', target: 'action', value: 'Wait '.repeat(100) }),
    );
    await follower.read();
    expect(chosen()).toMatch(/^(Wait )+.*…$/);
    expect(chosen()?.length).toBe(120);
    growing.append(formatRecord({ ...intent, id: act + 1, parent: act }));
    await follower.read();
    expect(follower.summary(0, 0)).toMatchObject({ action: intent.action, chosen: undefined });
  });

  it('shows the step under way, and forgets the end when the run goes on', async () => {
    const growing = growingBytes();
    const follower = createTraceReader({ bytes: growing });
    const act = run.records.findIndex(({ kind }) => kind === 'intent');
    growing.append(traceText(run.records.slice(0, act + 1)));
    await follower.read();
    expect(follower.summary(0, 0)).toMatchObject({ status: 'running', action: expect.any(String) });
    const state = starts[1]?.state ?? {};
    const end = { kind: 'end', id: act + 1, parent: act, branch: 0, steps: 0, state, time: 5 } as const;
    growing.append(formatRecord({ ...end, outcome: 'cancelled', reason: 'Cancelled.', resumable: true }));
    await follower.read();
    expect(follower.branches[0]?.end?.reason).toBe('Cancelled.');
    growing.append(formatRecord({ kind: 'resumed', after: act, time: 9 }));
    await follower.read();
    expect(follower.branches[0]?.end).toBeUndefined();
  });
});

describe('branches', () => {
  const options = {
    steps: 40,
    seed: 5,
    keyframeEvery: 8,
    forks: [
      { step: 10, at: 'start', steps: 30 },
      { step: 17, at: 'act', steps: 12 },
      { step: 0, at: 'start', steps: 3 },
      { step: 0, at: 'act', steps: 1 },
    ],
  } as const;
  let records: readonly TraceRecord[];
  let reader: TraceReader;
  beforeAll(async () => {
    const made: TraceRecord[] = [];
    for await (const record of longTrace(options)) made.push(record);
    records = made;
    reader = await readerOf(await longTraceBytes(options));
  });

  /** The records along a branch's line by the chain of parents, as the format has it. */
  function line(branch: number): readonly TraceRecord[] {
    const byId = new Map(records.flatMap((record) => ('id' in record ? [[record.id, record] as const] : [])));
    const found: TraceRecord[] = [];
    let at = records.findLast(
      (record) => 'branch' in record && record.branch === branch && record.kind !== 'end',
    );
    while (at) {
      found.unshift(at);
      at = 'parent' in at ? byId.get(at.parent) : undefined;
    }
    return found;
  }

  it('are told with where they leave', () => {
    expect(reader.problems).toEqual([]);
    expect(reader.branches).toMatchObject([
      { id: 0, parent: undefined, steps: 40, ownFrom: 0 },
      { id: 1, parent: { branch: 0, step: 10 }, steps: 40, ownFrom: 10 },
      { id: 2, parent: { branch: 0, step: 17 }, steps: 29, ownFrom: 17 },
      { id: 3, parent: { branch: 0, step: 0 }, steps: 3, ownFrom: 0 },
      { id: 4, parent: { branch: 0, step: 0 }, steps: 1, ownFrom: 0 },
    ]);
    expect(reader.branches.every(({ end }) => end?.outcome === 'completed')).toBe(true);
    expect(reader.summary(0, 17).forks).toEqual([2]);
    expect(reader.summary(2, 17).forks).toEqual([]);
    expect(reader.summary(1, 5).forks).toEqual([]);
    expect(reader.bins(0, 0, 40, 4).map(({ forks }) => forks)).toEqual([2, 2, 0, 0]);
  });

  it('have on each step the records of their line of history', async () => {
    for (const { id, steps } of reader.branches) {
      const all = line(id);
      for (let step = 0; step < steps; step++) {
        const expected = all.filter((record) => 'step' in record && record.step === step);
        expect({ id, step, records: await reader.recordsOf(id, step) }).toEqual({
          id,
          step,
          records: expected,
        });
      }
    }
  });

  it('count what their line has used, and end where their last state is', async () => {
    for (const { id, steps, end } of reader.branches) {
      const attempts = line(id).filter((record) => record.kind === 'attempt');
      for (let step = 0; step <= steps; step++) {
        const before = attempts.filter((record) => record.step < step);
        expect(reader.totals(id, step)).toMatchObject({
          attempts: before.length,
          promptTokens: before.reduce((sum, { tokens }) => sum + tokens.prompt, 0),
          promptCharacters: { sum: before.reduce((sum, { prompt }) => sum + prompt.characters, 0) },
        });
      }
      expect(await reader.stateAt(id, steps)).toEqual(end?.state);
    }
  });

  it('have the prompts that were sent', async () => {
    for (const { id, steps } of reader.branches)
      for (let step = 0; step < steps; step++)
        for (let attempt = 1; attempt <= reader.summary(id, step).attempts; attempt++)
          expect((await reader.promptOf(id, step, attempt)).matches).toBe(true);
  });

  it.each(['at once', 'later'])(
    'that repeat what they left have its numbers and states, wherever they begin: %s',
    async (when) => {
      const run = await memoryRun({ options: { horizon: 6, seed: 7, keyframeEvery: 3 }, faults: 0.5 });
      await run.finish();
      const original = run.records.filter(({ kind }) => kind !== 'end');
      const expected = await readerOf(traceText(original));
      for (let cut = 1; cut < original.length; cut++) {
        const following = original[cut];
        const step = following && 'step' in following ? following.step : 0;
        const kept = when === 'later' ? original : original.slice(0, cut);
        const fork = { kind: 'fork', id: kept.length, parent: cut - 1, branch: 1, step, time: 0 } as const;
        const again = original.slice(cut).map((record, index) => ({
          ...record,
          id: kept.length + 1 + index,
          parent: kept.length + index,
          branch: 1,
        }));
        const branched = await readerOf(traceText([...kept, fork, ...(again as TraceRecord[])]));
        expect({ cut, problems: branched.problems }).toEqual({ cut, problems: [] });
        const { steps } = expected.branches[0] ?? { steps: 0 };
        expect(branched.branches[1]).toMatchObject({ steps, ownFrom: step });
        for (let at = 0; at < steps; at++) {
          const summary = { ...branched.summary(1, at), branch: 0, forks: [] };
          expect({ cut, ...summary }).toEqual({ cut, ...expected.summary(0, at) });
          const { activeMilliseconds: _, ...totals } = branched.totals(1, at + 1);
          const { activeMilliseconds: __, ...before } = expected.totals(0, at + 1);
          expect({ cut, totals }).toEqual({ cut, totals: before });
          expect(await branched.stateAt(1, at + 1)).toEqual(await expected.stateAt(0, at + 1));
          expect((await branched.step(1, at)).observation).toBe((await expected.step(0, at)).observation);
        }
      }
    },
  );

  it('are followed as they grow, whatever was asked meanwhile', async () => {
    const bytes = await longTraceBytes(options);
    const expected = everything(reader);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 9 }), async (cuts) => {
        const growing = growingBytes();
        const follower = createTraceReader({ bytes: growing });
        let at = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          growing.append(bytes.subarray(at, cut));
          at = cut;
          await follower.read();
          for (const { id, steps } of follower.branches) {
            follower.totals(id, steps);
            if (steps === 0) continue;
            follower.summary(id, steps - 1);
            await follower.recordsOf(id, steps - 1);
            await follower.stateAt(id, steps);
          }
        }
        expect(everything(follower)).toEqual(expected);
        for (const { id, steps, end } of follower.branches)
          expect(await follower.stateAt(id, steps)).toEqual(end?.state);
      }),
      { numRuns: 25 },
    );
  });

  it('may be written in turn', async () => {
    const first = records.findIndex((record) => record.kind === 'end');
    const kept = records.slice(0, first);
    const tip = kept.at(-1);
    const id = kept.length;
    const parent = tip && 'id' in tip ? tip.id : 0;
    const note = (more: object) => `${JSON.stringify({ ...more, time: 1_700_000_900_000 })}\n`;
    const text =
      traceText(kept) +
      note({ kind: 'step', id, parent, branch: 0, step: 40, observation: 'O' }) +
      note({ kind: 'fork', id: id + 1, parent: id, branch: 1, step: 40 }) +
      note({ kind: 'intent', id: id + 2, parent: id + 1, branch: 1, step: 40, action: 'Left' }) +
      note({ kind: 'intent', id: id + 3, parent: id, branch: 0, step: 40, action: 'Right' }) +
      note({
        kind: 'outcome',
        id: id + 4,
        parent: id + 2,
        branch: 1,
        step: 40,
        accepted: true,
        done: false,
        observation: 'L',
      }) +
      note({
        kind: 'outcome',
        id: id + 5,
        parent: id + 3,
        branch: 0,
        step: 40,
        accepted: false,
        done: false,
        observation: 'R',
      });
    const both = await readerOf(text);
    expect(both.problems).toEqual([]);
    expect(both.summary(0, 40)).toMatchObject({ action: 'Right', status: 'refused', forks: [1] });
    expect(both.summary(1, 40)).toMatchObject({ action: 'Left', status: 'accepted', forks: [] });
    expect((await both.recordsOf(1, 40)).map(({ kind }) => kind)).toEqual([
      'step',
      'fork',
      'intent',
      'outcome',
    ]);
    expect((await both.recordsOf(0, 40)).map(({ kind }) => kind)).toEqual(['step', 'intent', 'outcome']);
    expect((await both.step(1, 40)).observation).toBe('O');
  });
});

describe('a long trace', () => {
  it('shows its first hundred steps before the rest is read', async () => {
    const bytes = await longTraceBytes({ steps: 3_000, seed: 1 });
    const growing = growingBytes(bytes);
    const reader = createTraceReader({ bytes: growing });
    const abort = new AbortController();
    let read = 0;
    reader.onChange(() => {
      if (read > 0 || (reader.branches[0]?.steps ?? 0) < 100) return;
      read = growing.bytesRead;
      expect(reader.header?.skill.name).toBe('warehouse');
      expect(reader.summary(0, 99).action).toMatch(/^Move /);
      expect(reader.progress.complete).toBe(false);
      abort.abort();
    });
    await expect(reader.read(abort.signal)).rejects.toThrow('abort');
    expect(read).toBeLessThan(bytes.length / 3);
    await reader.read();
    expect(reader.branches[0]?.steps).toBe(3_000);
    expect(reader.progress).toEqual({ bytesRead: bytes.length, bytes: bytes.length, complete: true });
  });

  it('without keyframes gives every state all the same', async () => {
    const options = { steps: 2_000, seed: 2, faults: 0.1 };
    const dense = await readerOf(await longTraceBytes(options));
    const sparse = await readerOf(await longTraceBytes({ ...options, keyframeEvery: 1_000_000 }));
    for (const step of [1_999, 0, 2_000, 1_024, 1_023, 1_500, 37])
      expect(await sparse.stateAt(0, step)).toEqual(await dense.stateAt(0, step));
  });
});

/** What a reader knows without reading again. */
function everything(reader: TraceReader) {
  return {
    header: reader.header,
    problems: reader.problems,
    progress: reader.progress,
    branches: reader.branches,
    steps: reader.branches.map(({ id, steps }) =>
      Array.from({ length: steps }, (_, step) => [reader.summary(id, step), reader.totals(id, step)]),
    ),
  };
}
