/** Going through a recorded run: the same at every place as when it was live, and on from there. */
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../client/src/runtime/environment';
import type { JourneyPlace } from '../../../client/src/runtime/journey';
import type { RunOptions } from '../../../client/src/runtime/options';
import { recordedRun } from '../../../client/src/runtime/recordedSteps';
import { readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import {
  type MemoryJourney,
  type MemoryJourneyOptions,
  memoryJourney,
  seen,
} from '../../support/memoryJourney';
import { replyingModel, replyOf, skillOf, traceText } from '../../support/memoryRun';
import { readerOf } from '../../support/memoryTrace';

const faults = { faults: 0.4, faultSeed: 7 };

async function replayed(
  records: readonly TraceRecord[],
  settings: MemoryJourneyOptions = { environment: 'none' },
): Promise<MemoryJourney> {
  const reader = await readerOf(traceText(records));
  if (reader.header === undefined) throw new Error('The trace has no header');
  return memoryJourney({ ...settings, recorded: recordedRun(reader, reader.header) });
}

type Visit = JourneyPlace & { readonly run: unknown };

/** What is seen at every place of the line on which the journey is, to its end. */
async function walked({ journey, run }: MemoryJourney): Promise<Visit[]> {
  const visits: Visit[] = [];
  await run(0);
  for (;;) {
    const { branch, step, index } = journey.position;
    visits.push({ branch, step, index, run: seen(journey.run) });
    if (journey.position.atEndOfRecord) return visits;
    await run(1);
  }
}

const kinds: readonly (readonly [string, Partial<RunOptions>])[] = [
  [
    'on-propose, reobserve',
    { commit: 'on-propose', onExhausted: 'reobserve', maxRetries: 0, exhaustedInARow: 9 },
  ],
  ['on-accept, continue', { commit: 'on-accept', onExhausted: 'continue', maxRetries: 0 }],
  ['with a cap', { budget: { steps: 150 } }],
];

describe.each(kinds)('a recorded faulty run of 200 steps: %s', (_name, more) => {
  const options = { horizon: 200, seed: 3, keyframeEvery: 32, ...more };

  it('shows the same at every place, in any order, without anybody to go on', async () => {
    const live = await memoryJourney({ ...faults, options });
    const visits = await walked(live);
    const recorded = await replayed(live.records, { environment: 'none', options });
    expect(await walked(recorded)).toEqual(visits);
    const { journey, records } = await replayed(live.records, { environment: 'none', options });
    await recorded.run(0);
    const { signal } = new AbortController();
    await journey.start(signal);
    for (const { run: expected, ...place } of [...visits].sort(
      (a, b) => ((a.step * 97) % 211) - ((b.step * 97) % 211),
    )) {
      await journey.goTo(place);
      expect(seen(journey.run)).toEqual(expected);
    }
    expect(journey.deviation).toBeUndefined();
    expect(records).toEqual([]);
  });
});

describe('a recorded run', () => {
  const options = { horizon: 40, seed: 3, keyframeEvery: 8 };

  it('begins every branch with what was observed first, though the branch has not recorded it', async () => {
    const live = await memoryJourney({ options });
    await live.runTo({ step: 1, index: 0 });
    for (const value of ['Other.', 'item_9'] as const) {
      await live.journey.goTo({ branch: 0, step: 0, index: 0 });
      await live.journey.edit(
        value === 'Other.'
          ? { target: 'observation', value }
          : { target: 'state', pointer: '/inventory/shelf_3', value },
      );
    }
    const { journey, run } = await replayed(live.records, { environment: 'none', options });
    await run(0);
    const first = live.journey.branches.map(({ id }) => live.journey.startOf(id, 0));
    for (const [id, expected] of (await Promise.all(first)).entries()) {
      expect(expected.observation).not.toBe('');
      expect((await journey.startOf(id, 0)).observation).toBe(expected.observation);
    }
  });

  it('has all its branches and edits', async () => {
    const live = await memoryJourney({ ...faults, options });
    await live.run();
    for (const [branch, step, index] of [
      [0, 20, 4],
      [1, 12, 6],
      [2, 25, 0],
      [1, 30, 2],
    ] as const) {
      await live.journey.goTo({ branch, step, index });
      await live.journey.edit({
        target: 'state',
        pointer: `/inventory/shelf_4${step}`,
        value: `item_${step}`,
      });
      await live.run();
    }
    await live.journey.goTo({ branch: 3, step: 24, index: 6 });
    await live.journey.edit({ target: 'action', value: 'Wait' });
    const { journey } = await replayed(live.records, { environment: 'none', options });
    await journey.start(new AbortController().signal);
    const described = (one: typeof journey) => one.branches.map((branch) => ({ ...branch }));
    expect(described(journey)).toEqual(described(live.journey));
    for (const { id, steps } of live.journey.branches) {
      for (let step = steps - 1; step >= 0; step--) {
        const reports = await live.journey.reportsOf(id, step);
        const again = await journey.reportsOf(id, step);
        expect(again.map(({ before, after }) => [seen(before), seen(after)])).toEqual(
          reports.map(({ before, after }) => [seen(before), seen(after)]),
        );
        expect(await journey.recordsOf(id, step)).toEqual(await live.journey.recordsOf(id, step));
      }
    }
    expect(journey.deviation).toBeUndefined();
  });

  it('goes on where it was interrupted, to what it would have come to', async () => {
    const unbroken = await memoryJourney({ ...faults, options });
    const end = seen(await unbroken.run());
    for (const length of [1, 2, 3, 40, 41, 42, 43, 44, 45, 46, 90]) {
      const torn = unbroken.records.slice(0, length);
      // In what Σ differed from a world that is gone is in no other record.
      if (unbroken.records[length]?.kind === 'warning' && torn.at(-1)?.kind === 'outcome') continue;
      const { journey, run, records } = await replayed(torn, { ...faults, options });
      const last = await run();
      expect({ ...(seen(last) as object), totals: 0 }).toEqual({ ...(end as object), totals: 0 });
      expect(records[0]).toEqual({ kind: 'resumed', after: length - 1, time: 0 });
      const whole = [...torn, ...records];
      expect(readTrace(new TextEncoder().encode(traceText(whole))).problems).toEqual([]);
      expect(whole.filter(({ kind }) => kind !== 'resumed')).toEqual(unbroken.records);
      expect(journey.branches).toHaveLength(1);
    }
  });

  it('goes on to the same, and shows the same when gone back to, wherever its session was ended', async () => {
    const unbroken = await memoryJourney({ ...faults, options });
    // No record tells what the score was before the first action.
    const plain = (run: unknown) => ({ ...(run as object), score: undefined });
    const expected = (await walked(unbroken))
      .slice(0, -1)
      .map(({ run, ...place }) => ({ place, run: plain(run) }));
    const rejected = expected.findIndex(({ run }) => 'correction' in run && run.correction !== undefined);
    // Every phase of the first steps, and those about a rejected reply.
    const ends = expected.flatMap((_, at) => (at < 22 || Math.abs(at - rejected) < 4 ? [at] : []));
    for (const phases of ends) {
      const ended = await memoryJourney({ ...faults, options });
      await ended.run(phases);
      ended.journey.end({ outcome: 'cancelled', reason: 'The session is over.', resumable: true });
      const { journey, run } = await replayed(ended.records, { ...faults, options });
      await run();
      const back: unknown[] = [];
      for (const { place } of expected.toReversed()) {
        await journey.goTo(place);
        back.unshift({ place, run: plain(seen(journey.run)) });
      }
      expect(back).toEqual(expected);
      expect(journey.deviation).toBeUndefined();
    }
  });

  it('is forked with an environment that is executed up to there, at the end of its file', async () => {
    const live = await memoryJourney({ ...faults, options });
    const end = seen(await live.run());
    const { journey, run, records } = await replayed(live.records, { ...faults, options });
    await run(0);
    await journey.goTo({ branch: 0, step: 17, index: 2 });
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    expect(seen(await run())).toEqual(end);
    const whole = traceText([...live.records, ...records]);
    expect(readTrace(new TextEncoder().encode(whole)).problems).toEqual([]);
    expect(records[0]).toMatchObject({ kind: 'fork', id: live.records.length, branch: 1, step: 17 });
    // All of the new line is there, what it shares with the record as well.
    const steps = journey.branches.at(-1)?.steps ?? 0;
    expect(steps).toBe(40);
    for (let step = steps - 1; step >= 0; step--) {
      await journey.goTo({ branch: 1, step, index: 0 });
      expect(seen(journey.run)).toEqual(seen(await live.journey.startOf(0, step)));
    }
  });

  it('can not be changed without anybody to go on', async () => {
    const live = await memoryJourney({ ...faults, options });
    await live.run();
    const { journey, run } = await replayed(live.records);
    await run(20);
    expect(journey.forkObstacle).toBe('Nobody is there to go on.');
    expect(await journey.fork()).toEqual({ ok: false, message: 'Nobody is there to go on.' });
    const edit = { target: 'observation', value: 'x' } as const;
    await journey.goTo({ branch: 0, step: 4, index: 0 });
    expect(await journey.edit(edit)).toEqual({ ok: false, message: 'Nobody is there to go on.' });
    await run();
    await expect(journey.advance(new AbortController().signal)).rejects.toThrow('Nobody is there to go on.');
  });

  it('that tells otherwise than would be decided now is shown as it was recorded', async () => {
    const live = await memoryJourney({ ...faults, options });
    await live.run();
    const told = live.records.map((record) =>
      record.kind === 'commit' && record.step === 10
        ? { ...record, patch: { inventory: { shelf_77: 'item_77' } } }
        : record.kind === 'outcome' && record.step === 12
          ? { ...record, accepted: !record.accepted }
          : record,
    );
    const { journey, run } = await replayed(told, { environment: 'none', options });
    const last = await run();
    expect(journey.deviation).toContain('Step 10');
    expect(last.totals.steps).toBe(40);
    await journey.goTo({ branch: 0, step: 11, index: 0 });
    expect(journey.run?.state).toMatchObject({ inventory: { shelf_77: 'item_77' } });
  });

  it('that has lost lines is gone through beyond them', async () => {
    const live = await memoryJourney({ ...faults, options });
    await live.run();
    const lost = (step: number) => (record: TraceRecord) =>
      !('step' in record) || record.step !== step || record.kind === 'step';
    for (const records of [
      live.records.filter(lost(13)),
      live.records.filter((record) => !('step' in record) || record.step !== 13),
      live.records.filter((record) => !('step' in record) || record.step < 5 || record.step > 9),
    ]) {
      const { journey, run } = await replayed(records, { environment: 'none', options });
      await run();
      expect(journey.position.step).toBe(40);
      expect(journey.run?.end?.outcome).toBe('completed');
      expect(journey.deviation).toContain('lost a part of step');
      // From the next keyframe on everything is as it was.
      await journey.goTo({ branch: 0, step: 17, index: 4 });
      await live.journey.goTo({ branch: 0, step: 17, index: 4 });
      expect(journey.run?.state).toEqual(live.journey.run?.state);
      expect(journey.run?.prompt).toEqual(live.journey.run?.prompt);
    }
  });

  it('that has lost thousands of steps is gone through beyond them, and back, without making them', async () => {
    const live = await memoryJourney({ ...faults, options });
    await live.run();
    const lost = 20_000;
    const later = live.records.flatMap((record): TraceRecord[] => {
      if (!('step' in record) || record.step < 8) return [record];
      return record.step < 24 ? [] : [{ ...record, step: record.step + lost }];
    });
    let pauses = 0;
    const pause = async () => void pauses++;
    const { journey, run } = await replayed(later, { environment: 'none', options, pause });
    await run();
    expect(journey.position.step).toBe(40 + lost);
    for (let step = 40 + lost; step >= 0; step--) {
      const reports = await journey.reportsOf(0, step);
      expect(reports.length > 0).toBe(step < 8 || (step >= 24 + lost && step < 40 + lost));
    }
    await journey.goTo({ branch: 0, step: lost, index: 0 });
    expect(journey.position).toMatchObject({ step: 24 + lost, index: 0 });
    await journey.goTo({ branch: 0, step: 7, index: 0 });
    expect(seen(journey.run)).toEqual(seen(await live.journey.startOf(0, 7)));
    // One pause for every hundred steps that are made again.
    expect(pauses).toBeLessThan(5);
  });

  it('goes on in an environment that can not be taken back, where it was left', async () => {
    const executed: string[] = [];
    const environment = (): Environment => ({
      name: 'one way',
      deterministic: false,
      reset: async () => ({ observation: 'first', done: false }),
      execute: async (action) => {
        executed.push(action);
        return { observation: `${executed.length} done`, accepted: true, done: executed.length === 6 };
      },
      skip: async () => ({ observation: 'next', accepted: false, done: false }),
    });
    const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
    const model = () => replyingModel(Array.from({ length: 9 }, (_, n) => replyOf({ note: n }, `go ${n}`)));
    const live = await memoryJourney({ skill, environment: environment(), model: model(), options });
    await live.runTo({ step: 3, index: 2 });
    const again = await replayed(live.records, {
      skill,
      environment: environment(),
      model: model(),
      options,
    });
    await again.run(0);
    await again.journey.goTo({ branch: 0, step: 1, index: 0 });
    expect(again.journey.forkObstacle).toContain("can't be taken back");
    expect((await again.run()).end?.outcome).toBe('completed');
    expect(executed).toHaveLength(6);
  });

  it('says what to do where an environment has no snapshot of a place, and leaves it as it is', async () => {
    const reset: string[] = [];
    const environment = (): Environment => ({
      name: 'shots',
      deterministic: false,
      reset: async () => {
        reset.push('reset');
        return { observation: 'first', done: false };
      },
      execute: async (action) => ({ observation: `did ${action}`, accepted: true, done: false }),
      skip: async () => ({ observation: 'next', accepted: false, done: false }),
      snapshot: () => null,
      restore: () => undefined,
    });
    const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
    const model = () => replyingModel(Array.from({ length: 9 }, (_, n) => replyOf({ note: n }, `go ${n}`)));
    const live = await memoryJourney({ skill, environment: environment(), model: model(), options });
    await live.runTo({ step: 3, index: 2 });
    reset.length = 0;
    // Snapshots are kept in memory: another session has none.
    const settings = { skill, environment: environment(), model: model(), options };
    const { journey, run, records } = await replayed(live.records, settings);
    await run(0);
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    const refusal = {
      ok: false,
      message: "The environment shots has no snapshot of this place, so it can't be taken here.",
      liftedBy: 'forkWithoutRewind',
    };
    expect(await journey.fork()).toEqual(refusal);
    expect(await journey.edit({ target: 'state', pointer: '/note', value: 1 })).toEqual(refusal);
    expect(records).toEqual([]);
    expect(reset).toEqual([]);
    const lifted = await replayed(live.records, { ...settings, forkWithoutRewind: true });
    await lifted.run(0);
    await lifted.journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(await lifted.journey.fork()).toEqual({ ok: true, branch: 1 });
    expect(reset).toEqual(['reset']);
  });

  it('whose action was under way in an environment that can not tell is not executed again', async () => {
    const environment: Environment = {
      name: 'once',
      deterministic: false,
      reset: async () => ({ observation: 'first', done: false }),
      execute: async () => ({ observation: 'next', accepted: true, done: false }),
      skip: async () => ({ observation: 'next', accepted: false, done: false }),
    };
    const live = await memoryJourney({ options });
    await live.runTo({ step: 3, index: 0 });
    const intent = live.records.findLastIndex(({ kind }) => kind === 'intent');
    const { run } = await replayed(live.records.slice(0, intent + 1), {
      environment,
      options,
      forkWithoutRewind: true,
      model: { name: 'silent', generate: async function* () {} },
    });
    await expect(run()).rejects.toThrow("can't tell whether it happened");
  });
});
