/** Branches: what begins in the past, and that nothing recorded is overwritten. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import type { Environment } from '../../../client/src/runtime/environment';
import type { JourneyPlace } from '../../../client/src/runtime/journey';
import { loadSkill } from '../../../schemas/skill/skill';
import { readTrace } from '../../../schemas/trace/trace';
import { memoryJourney, seen } from '../../support/memoryJourney';
import { replyingModel, replyOf, sampleFiles, skillOf, traceText } from '../../support/memoryRun';

const options = { horizon: 12, seed: 5 };
const faults = { faults: 0.4, faultSeed: 2 };

/** A model that answers otherwise each time it is asked. */
function changingModel() {
  return replyingModel(Array.from({ length: 400 }, (_, n) => replyOf({ note: n }, `go ${n}`)));
}

const plain = () => skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });

/** A world that counts, and can't be taken back. */
function countingEnvironment(more: Partial<Environment> = {}): Environment & { executed: string[] } {
  const executed: string[] = [];
  return {
    name: 'counting',
    executed,
    deterministic: false,
    reset: async () => ({ observation: 'begin', done: false }),
    execute: async (action) => {
      executed.push(action);
      return { observation: `${executed.length} done`, accepted: true, done: executed.length === 30 };
    },
    skip: async () => ({ observation: 'skipped', accepted: false, done: false }),
    ...more,
  };
}

describe('a fork', () => {
  it('at any place leaves what was recorded as it is, in a chain that holds', async () => {
    const first = await memoryJourney({ ...faults, options });
    await first.run();
    const reports = await first.journey.reportsOf(0, 4);
    for (let index = 0; index < reports.length; index++) {
      const { journey, run, records } = await memoryJourney({ ...faults, options });
      await run();
      const before = traceText(records);
      const ended = seen(journey.run);
      await journey.goTo({ branch: 0, step: 4, index });
      expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
      const last = await run();
      const after = traceText(records);
      expect(after.startsWith(before)).toBe(true);
      expect(readTrace(new TextEncoder().encode(after)).problems).toEqual([]);
      // The scripted model and the warehouse answer alike: the branch tells the same story to its end.
      expect(seen(last)).toEqual(ended);
      const fork = records.find(({ kind }) => kind === 'fork');
      const carriedOut = reports.slice(0, index).flatMap((report) => report.records);
      const parent = carriedOut.at(-1) ?? (await journey.recordsOf(0, 3)).at(-1);
      expect(fork).toMatchObject({ parent: parent?.id, branch: 1, step: 4 });
      expect(journey.branches).toMatchObject([
        { id: 0, parent: undefined, steps: 12, end: { outcome: 'completed' } },
        { id: 1, parent: { branch: 0, step: 4 }, from: 4, steps: 12, end: { outcome: 'completed' } },
      ]);
    }
  });

  it('of a fork shares the line before it; every place of every branch is as it was', async () => {
    const { journey, run } = await memoryJourney({
      skill: await plain(),
      model: changingModel(),
      environment: countingEnvironment(),
      forkWithoutRewind: true,
    });
    const visits = new Map<string, { place: JourneyPlace; run: unknown }>();
    const runNoting = async (phases: number) => {
      for (let count = 0; count < phases; count++) {
        await run(1);
        const { branch, step, index } = journey.position;
        visits.set(`${branch} ${step} ${index}`, { place: { branch, step, index }, run: seen(journey.run) });
      }
    };
    await run(0);
    await runNoting(60);
    await journey.goTo({ branch: 0, step: 5, index: 2 });
    await journey.fork();
    await runNoting(33);
    const { branch, step, index } = journey.position;
    await journey.goTo({ branch: 1, step: 3, index: 0 });
    await journey.fork();
    await runNoting(10);
    await journey.goTo({ branch, step, index });
    await runNoting(5);
    for (const { place, run: expected } of [...visits.values()].toReversed()) {
      await journey.goTo(place);
      expect(seen(journey.run)).toEqual(expected);
    }
    expect(visits.size).toBe(108);
    // The second branch tells the first one's story up to its fork, and another one from there.
    await journey.goTo({ branch: 1, step: 4, index: 2 });
    expect(seen(journey.run)).toEqual(visits.get('0 4 2')?.run);
    await journey.goTo({ branch: 1, step: 5, index: 3 });
    expect(seen(journey.run)).not.toEqual(visits.get('0 5 3')?.run);
    expect(journey.branches.map(({ parent, from }) => ({ parent, from }))).toEqual([
      { parent: undefined, from: 0 },
      { parent: { branch: 0, step: 5 }, from: 5 },
      { parent: { branch: 0, step: 3 }, from: 3 },
    ]);
  });

  it('at the live tip is not needed', async () => {
    const { journey, runTo, records } = await memoryJourney({ options });
    await runTo({ step: 2, index: 3 });
    const written = records.length;
    expect(await journey.fork()).toEqual({ ok: true, branch: 0 });
    expect(records).toHaveLength(written);
  });
});

describe('an environment', () => {
  it.each([
    ['with snapshots', createWarehouse()],
    ['that is only executed again', { ...createWarehouse(), snapshot: undefined, restore: undefined }],
  ] as const)('%s is taken back with the run, and forward to a live tip', async (_name, world) => {
    const { snapshot: _, restore: __, ...others } = world;
    const environment: Environment = world.snapshot ? (world as Environment) : others;
    const { journey, run, runTo } = await memoryJourney({
      ...faults,
      environment,
      options: { ...options, horizon: 150 },
    });
    await runTo({ step: 140, index: 3 });
    const truth = environment.truth?.();
    await journey.goTo({ branch: 0, step: 70, index: 0 });
    expect(environment.truth?.()).toEqual(truth);
    await journey.fork();
    expect(environment.truth?.()).not.toEqual(truth);
    await run(30);
    await journey.goTo({ branch: 0, step: 140, index: 3 });
    await runTo({ step: 141, index: 0 });
    const last = await run();
    const unbroken = await memoryJourney({ ...faults, options: { ...options, horizon: 150 } });
    expect(seen(last)).toEqual(seen(await unbroken.run()));
  });

  it('that answers otherwise when its actions are executed again makes no branch', async () => {
    const { snapshot: _, restore: __, ...environment } = createWarehouse();
    let reset = 0;
    const changed: Environment = {
      ...environment,
      reset: (how, signal) => environment.reset({ ...how, seed: reset++ }, signal),
    };
    const { journey, run, records } = await memoryJourney({ environment: changed, options });
    await run();
    const written = records.length;
    await journey.goTo({ branch: 0, step: 6, index: 0 });
    expect(await journey.fork()).toMatchObject({
      ok: false,
      message: expect.stringContaining('has changed'),
    });
    expect(records).toHaveLength(written);
  });

  it('that is being taken back when the run is ended carries out nothing more', async () => {
    let atReset = () => {};
    const environment = countingEnvironment({
      deterministic: true,
      async reset() {
        atReset();
        return { observation: 'begin', done: false };
      },
      async execute(action) {
        environment.executed.push(action);
        return { observation: 'done', accepted: true, done: false };
      },
    });
    const { journey, run, runTo, records } = await memoryJourney({
      skill: await plain(),
      model: changingModel(),
      environment,
    });
    await runTo({ step: 3, index: 6 });
    await journey.goTo({ branch: 0, step: 2, index: 6 });
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    await journey.goTo({ branch: 0, step: 3, index: 6 });
    atReset = () => journey.end({ outcome: 'cancelled', reason: 'Enough.', resumable: true });
    await expect(run(1)).rejects.toThrow('The run has ended meanwhile.');
    expect(records.at(-1)).toMatchObject({ kind: 'end', branch: 0, outcome: 'cancelled' });
    expect(environment.executed.at(-1)).toBe('go 2');
  });

  it('that can not be taken back keeps the past from being changed, unless asked otherwise', async () => {
    const environment = countingEnvironment();
    const settings = { skill: await plain(), model: changingModel(), environment };
    const { journey, runTo, records } = await memoryJourney(settings);
    await runTo({ step: 3, index: 4 });
    expect(journey.notUndone).toContain('counting');
    // Nothing was done in it since: this step may be generated again.
    await journey.goTo({ branch: 0, step: 3, index: 1 });
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    await journey.goTo({ branch: 1, step: 2, index: 0 });
    const written = records.length;
    expect(journey.forkObstacle).toContain("can't be taken back");
    // Whoever launched the run knows how it is allowed; the command line has no launch configuration.
    expect(journey.forkObstacle).not.toContain('forkWithoutRewind');
    expect(await journey.fork()).toMatchObject({
      ok: false,
      message: journey.forkObstacle,
      liftedBy: 'forkWithoutRewind',
    });
    const edit = { target: 'state', pointer: '/note', value: 1 } as const;
    expect(await journey.edit(edit)).toMatchObject({ ok: false, message: journey.forkObstacle });
    expect(records).toHaveLength(written);
  });

  it('that can not be taken back is still where it was after it was refused to go on elsewhere', async () => {
    const environment = countingEnvironment();
    const { journey, run, runTo } = await memoryJourney({
      skill: await plain(),
      model: changingModel(),
      environment,
    });
    await runTo({ step: 3, index: 1 });
    // Another line goes on from there and acts: the first one can't act any more.
    await journey.goTo({ branch: 0, step: 3, index: 0 });
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    await runTo({ step: 4, index: 1 });
    await journey.goTo({ branch: 0, step: 3, index: 1 });
    await expect(run(10)).rejects.toThrow("can't be taken back");
    await journey.goTo({ branch: 1, step: 4, index: 1 });
    expect(journey.forkObstacle).toBeUndefined();
    await runTo({ step: 5, index: 0 });
    expect(environment.executed).toHaveLength(5);
  });

  it('that is a person is never asked to undo anything', async () => {
    const stood: number[] = [];
    const environment = countingEnvironment({ harmless: true, standAfter: (count) => stood.push(count) });
    const { journey, runTo } = await memoryJourney({
      skill: await plain(),
      model: changingModel(),
      environment,
    });
    await runTo({ step: 3, index: 4 });
    expect(journey.notUndone).toBeUndefined();
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(await journey.fork()).toEqual({ ok: true, branch: 1 });
    expect(stood).toEqual([3]);
  });
});

describe('an edited skill', () => {
  it('goes on from the start of a step, and the record holds it whole', async () => {
    const { journey, runTo, records, run } = await memoryJourney({ options });
    await runTo({ step: 3, index: 4 });
    const files = sampleFiles('warehouse');
    const skill = await loadSkill({
      ...files,
      read: async (path) =>
        path === 'SKILL.md' ? `${await files.read(path)}\nBe quick.\n` : files.read(path),
    });
    expect(await journey.fork({ skill })).toEqual({ ok: true, branch: 1 });
    expect(journey.position).toMatchObject({ step: 3, index: 0, live: true });
    expect(journey.skill).toBe(skill);
    await run(2);
    expect(journey.run?.prompt?.text).toContain('Be quick.');
    expect(records.find(({ kind }) => kind === 'fork')).toMatchObject({
      skill: { files: expect.arrayContaining([expect.objectContaining({ path: 'SKILL.md' })]) },
      instructions: { text: skill.instructions },
    });
    await journey.goTo({ branch: 1, step: 2, index: 2 });
    expect(journey.skill).not.toBe(skill);
    expect(journey.run?.prompt?.text).not.toContain('Be quick.');
    await journey.goTo({ branch: 1, step: 3, index: 2 });
    expect(journey.skill).toBe(skill);
  });

  it('whose schema the state does not fit is refused with the place and the rule', async () => {
    const { journey, runTo, records } = await memoryJourney({ options });
    await runTo({ step: 3, index: 4 });
    const written = records.length;
    const files = sampleFiles('warehouse');
    const skill = await loadSkill({
      ...files,
      read: async (path) => {
        const text = await files.read(path);
        return path === 'state.schema.yaml' ? text?.replace(/type: string/g, 'type: integer') : text;
      },
    });
    expect(await journey.fork({ skill })).toMatchObject({
      ok: false,
      pointer: expect.stringMatching(/^\/inventory\//),
      schemaLocation: expect.stringContaining('/type'),
    });
    expect(records).toHaveLength(written);
    expect(journey.position).toMatchObject({ branch: 0, step: 3, index: 4 });
  });
});
