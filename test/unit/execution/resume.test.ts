/** A run that was interrupted anywhere goes on to the very trace that the unbroken run gives. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Environment } from '../../../client/src/runtime/environment';
import { RunFailure } from '../../../client/src/runtime/execution';
import type { RunOptions } from '../../../client/src/runtime/options';
import { TraceMismatch } from '../../../client/src/runtime/recorder';
import { planResume } from '../../../client/src/runtime/resume';
import { formatRecord, readTrace, type TraceRecord } from '../../../schemas/trace/trace';
import { memoryRun, replyingModel, replyOf, skillOf, traceText } from '../../support/memoryRun';

const options: Partial<RunOptions> = { horizon: 12, seed: 5, keyframeEvery: 4 };
const faults = { faults: 0.4, faultSeed: 2 };

/** Repeats a prefix of a trace and goes on; gives the whole file's records. */
async function resumed(
  prefix: readonly TraceRecord[],
  more: Partial<RunOptions> = {},
  environment: Environment = createWarehouse(),
) {
  const content = readTrace(new TextEncoder().encode(traceText(prefix)));
  const plan = planResume(content);
  const run = await memoryRun({
    environment,
    ...faults,
    options: { ...options, ...more },
    recorded: plan.recorded,
  });
  await run.finish();
  return [...prefix, ...run.records];
}

const withoutResumed = (records: readonly TraceRecord[]) =>
  records.filter(({ kind }) => kind !== 'resumed').map(formatRecord);

describe.each([
  ['on-propose, reobserve', { commit: 'on-propose', onExhausted: 'reobserve' }],
  ['on-accept, continue, no retries', { commit: 'on-accept', onExhausted: 'continue', maxRetries: 0 }],
] as const)('a run with %s', (_name, more) => {
  it('killed after any record is resumed to the same records, with one resumed record', async () => {
    const unbroken = await memoryRun({ ...faults, options: { ...options, ...more } });
    await unbroken.finish();
    const expected = unbroken.records.map(formatRecord);
    expect(unbroken.records.some(({ kind }) => kind === 'rejection')).toBe(true);
    for (let length = 1; length < unbroken.records.length; length++) {
      const all = await resumed(unbroken.records.slice(0, length), more);
      expect(withoutResumed(all)).toEqual(expected);
      expect(all.filter(({ kind }) => kind === 'resumed')).toEqual([
        { kind: 'resumed', after: length - 1, time: 0 },
      ]);
    }
  });
});

it('a run that is given up while its trace is repeated leaves the trace as it is', async () => {
  const unbroken = await memoryRun({ ...faults, options });
  await unbroken.finish();
  const recorded = planResume(
    readTrace(new TextEncoder().encode(traceText(unbroken.records.slice(0, 30)))),
  ).recorded;
  const run = await memoryRun({ ...faults, options, recorded });
  const { signal } = new AbortController();
  await run.execution.start(signal);
  for (let phase = 0; phase < 5; phase++) await run.execution.advance(signal);
  run.execution.end({ outcome: 'cancelled', reason: 'Enough.', resumable: true });
  expect(run.execution.run?.end?.outcome).toBe('cancelled');
  expect(run.records).toEqual([]);
});

it('a run killed twice is resumed twice', async () => {
  const unbroken = await memoryRun({ ...faults, options });
  await unbroken.finish();
  const once = (await resumed(unbroken.records.slice(0, 9))).slice(0, 20);
  const twice = await resumed(once);
  expect(withoutResumed(twice)).toEqual(unbroken.records.map(formatRecord));
  expect(twice.filter(({ kind }) => kind === 'resumed')).toHaveLength(2);
});

it('a cancelled run goes on after its end record', async () => {
  const unbroken = await memoryRun({ ...faults, options });
  await unbroken.finish();
  const run = await memoryRun({ ...faults, options });
  const { signal } = new AbortController();
  await run.execution.start(signal);
  for (let phases = 0; phases < 30; phases++) await run.execution.advance(signal);
  run.execution.end({ outcome: 'cancelled', reason: 'Enough.', resumable: true });
  const all = await resumed(run.records);
  const bodies = (records: readonly TraceRecord[]) =>
    records
      .filter((record) => record.kind !== 'resumed' && !(record.kind === 'end' && record.resumable))
      .map((record) => ({ ...record, id: 0, parent: 0 }));
  expect(bodies(all)).toEqual(bodies(unbroken.records));
  const ids = all.flatMap((record) => (record.kind === 'resumed' ? [] : [record.id]));
  expect(ids).toEqual(ids.map((_, index) => index));
  expect(readTrace(new TextEncoder().encode(traceText(all))).problems).toEqual([]);
});

it('a finished run has nothing to resume', async () => {
  const run = await memoryRun({ options });
  await run.finish();
  expect(planResume(readTrace(new TextEncoder().encode(traceText(run.records)))).finished).toBe(true);
});

describe('a trace that tells another story', () => {
  it('is refused where a recorded reply would now be judged otherwise', async () => {
    const run = await memoryRun({ ...faults, options });
    await run.finish();
    const edited = run.records
      .slice(0, 9)
      .map((record) => (record.kind === 'commit' ? { ...record, patch: { inventory: {} } } : record));
    await expect(resumed(edited)).rejects.toThrow(TraceMismatch);
  });

  it('is refused where the environment answers otherwise than it did', async () => {
    const run = await memoryRun({ ...faults, options });
    await run.finish();
    const environment = createWarehouse();
    const execute = environment.execute.bind(environment);
    environment.execute = async (action, signal) => ({
      ...(await execute(action, signal)),
      observation: 'Everything is different.',
    });
    await expect(resumed(run.records.slice(0, 20), {}, environment)).rejects.toThrow(RunFailure);
  });
});

describe('an environment that is not deterministic', () => {
  const executed: string[] = [];
  const environment = (harmless: boolean): Environment => ({
    name: 'once',
    deterministic: false,
    harmless,
    reset: async () => ({ observation: 'first', done: false }),
    execute: async (action) => {
      executed.push(action);
      return { observation: 'next', accepted: true, done: executed.length >= 3 };
    },
    skip: async () => ({ observation: 'next', accepted: false, done: false }),
  });
  const skill = () => skillOf({ 'SKILL.md': '---\nname: skill\ndescription: Once.\n---\nDo it.\n' });
  const model = () => replyingModel([replyOf({}, 'go')]);

  async function begun(kind: TraceRecord['kind']): Promise<readonly TraceRecord[]> {
    executed.length = 0;
    const run = await memoryRun({ skill: await skill(), environment: environment(false), model: model() });
    await run.finish();
    const last = run.records.findLastIndex((record) => record.kind === kind);
    return run.records.slice(0, last + 1);
  }

  it('keeps its recorded outcomes: nothing is executed twice', async () => {
    const recorded = await begun('step');
    executed.length = 2;
    const run = await memoryRun({
      skill: await skill(),
      environment: environment(false),
      model: model(),
      recorded,
    });
    await run.finish();
    expect(executed).toHaveLength(3);
  });

  it('is never asked again for an action whose outcome is not known', async () => {
    const recorded = await begun('intent');
    const run = await memoryRun({
      skill: await skill(),
      environment: environment(false),
      model: model(),
      recorded,
    });
    await expect(run.finish()).rejects.toThrow('"go"');
  });

  it('unless asking twice does no harm', async () => {
    const recorded = await begun('intent');
    executed.length = 2;
    const run = await memoryRun({
      skill: await skill(),
      environment: environment(true),
      model: model(),
      recorded,
    });
    expect((await run.finish()).end?.outcome).toBe('completed');
  });
});

describe('a budget of seconds', () => {
  /** A clock that goes on by 100 ms whenever it is looked at. */
  const clock = (start: number) => {
    let now = start;
    return () => (now += 100);
  };

  it('counts what the run took before it was resumed, and not what lay between', async () => {
    const budget = { seconds: 20 };
    const unbroken = await memoryRun({ options: { ...options, horizon: 60, budget }, now: clock(0) });
    const cappedAt = (await unbroken.finish()).totals.steps;
    expect(unbroken.records.at(-1)).toMatchObject({ kind: 'end', outcome: 'capped' });

    const prefix = unbroken.records.slice(0, Math.floor(unbroken.records.length / 2));
    const hours = 36_000_000;
    const settings = { options: { ...options, horizon: 60, budget }, recorded: prefix, now: clock(hours) };
    const resumedRun = await memoryRun(settings);
    const last = await resumedRun.finish();
    expect(last.end?.outcome).toBe('capped');
    expect(last.totals.steps).toBeGreaterThan(prefix.filter(({ kind }) => kind === 'outcome').length);
    expect(last.totals.steps).toBeLessThanOrEqual(cappedAt);
  });

  it('that was used up when the run was killed leaves the model nothing to answer', async () => {
    const budget = { seconds: 20 };
    const settings = { options: { ...options, horizon: 60, budget } };
    const unbroken = await memoryRun({ ...settings, now: clock(0) });
    await unbroken.finish();
    const recorded = unbroken.records.slice(0, -1);
    expect(recorded.at(-1)?.kind).toBe('outcome');
    const model = replyingModel(['No answer.']);
    const run = await memoryRun({ ...settings, recorded, model, now: clock(36_000_000) });
    expect((await run.finish()).end).toMatchObject({
      outcome: 'capped',
      reason: 'The budget of 20 seconds is used up.',
    });
    expect(model.prompts).toEqual([]);
  });

  it('that is used up can not be resumed, and says so', async () => {
    const run = await memoryRun({ options: { ...options, budget: { steps: 2 } } });
    await run.finish();
    expect(() => planResume(readTrace(new TextEncoder().encode(traceText(run.records))))).toThrow('2 steps');
  });
});
