/** Breakpoints with hit conditions, in both directions and on branches; data breakpoints over patches and facts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakpointOptions } from '../../../client/src/debug/breakpointOptions';
import { dataBreakpointInfo, differenceAt } from '../../../client/src/debug/dataBreakpoints';
import { HitCounts, type StepHistory } from '../../../client/src/debug/hitCounts';
import { noStopPoints } from '../../../client/src/debug/stopRules';
import type { PhaseReport } from '../../../client/src/runtime/execution';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';
import { historyOf, notedStops, setLines, walkedRun } from '../../support/stoppedRun';

describe('hits', () => {
  it('count by the place on the branch: the same stops forward, backward and over again', async () => {
    const run = await walkedRun({ options: { horizon: 40, seed: 42 } });
    const points = noStopPoints();
    points.functions.set([
      { name: 'Store', hitCondition: '% 3' },
      { name: 'Ship', hitCondition: '>= 5', condition: 'step % 2 == 0' },
      { name: 'Move', hitCondition: '2' },
    ]);
    const history = historyOf(run);
    const forward = await notedStops(run, points, { history });
    expect(forward.stops.length).toBeGreaterThan(5);
    const backward = await notedStops(run, points, { history, backward: true });
    expect([...backward.stops].reverse()).toEqual(forward.stops);
    expect((await notedStops(run, points, { history })).stops).toEqual(forward.stops);
    expect((await notedStops(run, points)).stops).toEqual(forward.stops);
  });

  it('count alike in both directions, whatever is asked', async () => {
    const run = await walkedRun({ options: { horizon: 25, seed: 5 }, faults: 0.5, faultSeed: 2 });
    const history = historyOf(run);
    const name = fc.constantFrom('Store', 'Ship', 'Move', 'Wait', 'S*', '*shelf_1*', '*');
    const hitCondition = fc
      .tuple(fc.constantFrom('', '>=', '<', '%'), fc.integer({ min: 1, max: 6 }))
      .map(([operator, number]) => `${operator} ${number}`);
    const condition = fc.constantFrom(
      '',
      'step % 2 == 0',
      'attempt > 1',
      'patch.size() > 0',
      'state.nothing',
    );
    const breakpoint = fc.record({ name, hitCondition, condition });
    const dataId = fc.constantFrom(
      'state',
      'state.inventory',
      'state.inventory.shelf_0',
      'state.inventory.shelf_1',
    );
    const dataBreakpoint = fc.record({ dataId, hitCondition, condition });
    await fc.assert(
      fc.asyncProperty(
        fc.array(breakpoint, { maxLength: 4 }),
        fc.array(dataBreakpoint, { maxLength: 3 }),
        async (functions, data) => {
          const points = noStopPoints();
          points.functions.set(functions);
          points.data.set(data);
          const forward = await notedStops(run, points, { history });
          const backward = await notedStops(run, points, { history, backward: true });
          expect([...backward.stops].reverse()).toEqual(forward.stops);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('of a breakpoint that is set on the way include those before it was', async () => {
    const run = await walkedRun({ options: { horizon: 30, seed: 42 } });
    const points = noStopPoints();
    points.functions.set([{ name: 'Store', hitCondition: '% 3' }]);
    const all = await notedStops(run, points, { history: historyOf(run) });
    const late = { ...run, phases: run.phases.slice(100) };
    const from = late.phases[0]?.place.step ?? 0;
    const found = await notedStops(late, points, { history: historyOf(run) });
    expect(found.stops.length).toBeGreaterThan(0);
    expect(found.stops).toEqual(all.stops.filter((stop) => Number(stop.split(' ')[0]) >= from));
  });

  it('are asked for once in each step, and along the line of a branch', async () => {
    const asked: string[] = [];
    const history: StepHistory = {
      branches: [
        { id: 0 },
        { id: 1, parent: { branch: 0, step: 5 } },
        { id: 2, parent: { branch: 1, step: 3 } },
        { id: 3, parent: { branch: 1, step: 8 } },
      ],
      reportsOf: async (branch, step) => {
        asked.push(`${branch}:${step}`);
        return new Array<PhaseReport>(branch * 10 + 1).fill({} as PhaseReport);
      },
    };
    const counts = new HitCounts(history, async () => {});
    const breakpoint = breakpointOptions('', { hitCondition: '1' });
    const countBefore = (branch: number, step: number, index = 0) =>
      counts.before(breakpoint, () => 1, { branch, step, index });
    // Branch 0 has a hit a step, branch 1 eleven, branch 2 twenty-one, branch 3 thirty-one.
    expect(await countBefore(0, 4)).toBe(4);
    expect(await countBefore(0, 4)).toBe(4);
    expect(asked).toEqual(['0:0', '0:1', '0:2', '0:3']);
    expect(await countBefore(0, 6)).toBe(6);
    expect(asked.slice(4)).toEqual(['0:4', '0:5']);
    expect(await countBefore(1, 5)).toBe(5);
    expect(await countBefore(1, 7)).toBe(5 + 2 * 11);
    expect(await countBefore(3, 10)).toBe(5 + 3 * 11 + 2 * 31);
    // Branch 2 left branch 1 in a step before branch 1 had any of its own.
    expect(await countBefore(2, 4)).toBe(3 + 21);
    expect(await countBefore(2, 4, 2)).toBe(3 + 21 + 2);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe('log messages', () => {
  it('are written where their conditions hold and their hits count, and stop nothing', async () => {
    const run = await walkedRun({ options: { horizon: 12, seed: 42 } });
    const points = noStopPoints();
    const line = run.skill.actions.find(({ name }) => name === 'Ship')?.range.start.line ?? 0;
    await setLines(points, run.skill, 'SKILL.md', [
      { line, logMessage: 'shipped at {step}', hitCondition: '>= 2' },
      { line, logMessage: 'never', condition: 'step > 100' },
    ]);
    const { stops, logs } = await notedStops(run, points);
    expect(stops).toEqual([]);
    expect(logs).toEqual(['shipped at 4', 'shipped at 5']);
  });
});

const schema = `type: object
properties:
  place: { type: string, maxLength: 20 }
  bag:
    type: object
    maxProperties: 9
    additionalProperties: { type: array, maxItems: 9, items: { type: string, maxLength: 9 } }
`;

async function travelled(patches: readonly object[], options: { commit?: 'on-accept' } = {}) {
  const skill = await skillOf({
    'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
    'state.schema.yaml': schema,
    'state.initial.yaml': 'place: home\nbag: { food: [bread], tools: [] }\n',
  });
  return walkedRun({
    skill,
    model: replyingModel(patches.map((patch) => replyOf(patch, 'on'))),
    environment: {
      name: 'road',
      deterministic: true,
      reset: async () => ({ observation: 'Go.', done: false }),
      execute: async () => ({ observation: '', accepted: true, done: false }),
      skip: async () => ({ observation: '', accepted: false, done: false }),
    },
    options: { ...options, budget: { steps: patches.length } },
  });
}

describe('data breakpoints', () => {
  const patches = [
    { place: 'shop' },
    { place: 'shop' },
    { bag: { food: ['bread'] } },
    { bag: { food: ['bread', 'cheese'] } },
    { bag: { tools: ['saw'] } },
    { bag: null },
    { bag: null },
    { bag: { food: [] } },
    { place: null },
  ];

  it.each([
    ['state.place', [0, 8], ['set', 'delete']],
    ['state.bag.food', [3, 5, 7], ['set', 'delete', 'set']],
    ['state.bag.food[1]', [3, 5], ['set', 'delete']],
    ['state.bag["tools"]', [4, 5], ['set', 'delete']],
    ['state.bag', [3, 4, 5, 7], ['set', 'set', 'delete', 'set']],
    ['state', [0, 3, 4, 5, 7, 8], ['set', 'set', 'set', 'set', 'set', 'set']],
    ['state.bag.nothing', [], []],
  ])('on %s stop where its value changes', async (dataId, steps, changes) => {
    const points = noStopPoints();
    points.data.set([{ dataId }]);
    const run = await travelled(patches);
    expect((await notedStops(run, points)).stops).toEqual(
      steps.map((step) => `${step} merge data breakpoint`),
    );
    for (const kind of ['set', 'delete']) {
      points.data.set([{ dataId, condition: `change == '${kind}'` }]);
      expect((await notedStops(run, points)).stops).toHaveLength(
        changes.filter((one) => one === kind).length,
      );
    }
  });

  it('say what becomes of the value, from what', async () => {
    const points = noStopPoints();
    points.data.set([{ dataId: 'state.place' }, { dataId: 'state.bag.food[1]' }]);
    const { reasons } = await notedStops(await travelled(patches), points);
    const changes = reasons.map((reason) => (reason.kind === 'breakpoint' ? reason.change : undefined));
    expect(changes.map((change) => change?.short).slice(0, 2)).toEqual([
      'place: "home" becomes "shop"',
      'food[1]: "cheese" is new',
    ]);
    expect(changes.map((change) => change?.text)).toEqual([
      'state.place: "home" becomes "shop".',
      'state.bag.food[1]: "cheese" is new.',
      'state.bag.food[1]: "cheese" is deleted.',
      'state.place: "shop" is deleted.',
    ]);
  });

  it('say so briefly of paths and values of any length, without what moves text about', async () => {
    const key = 'deep'.repeat(500);
    const points = noStopPoints();
    points.data.set([{ dataId: `proposed.bag.${key}` }]);
    const patch = { bag: { [key]: ['\u202eb', 'ccccccccc', 'd', 'e', 'f', 'g', 'h', 'i'] } };
    const { reasons } = await notedStops(await travelled([patch, { bag: null }]), points);
    for (const reason of reasons) {
      const change = reason.kind === 'breakpoint' ? reason.change : undefined;
      expect(change?.text).toMatch(/^state\.bag\.deep/);
      expect(change?.short).toMatch(/^…[dep]{80}: \["\\u202eb"/);
      expect(change?.short.length).toBeLessThan(200);
    }
    expect(reasons).toHaveLength(2);
  });

  it('stop once for a patch that is committed with the act', async () => {
    const points = noStopPoints();
    points.data.set([{ dataId: 'state.place' }]);
    const run = await travelled(patches, { commit: 'on-accept' });
    expect((await notedStops(run, points)).stops).toEqual([
      '0 merge data breakpoint',
      '8 merge data breakpoint',
    ]);
  });

  it('are the most special of several reasons, with all ids', async () => {
    const run = await travelled(patches);
    const points = noStopPoints();
    points.data.set([{ dataId: 'state.place' }]);
    await setLines(points, run.skill, 'state.schema.yaml', [{ line: 2 }]);
    const { reasons } = await notedStops(run, points);
    expect(reasons[0]).toEqual({
      kind: 'breakpoint',
      reason: 'breakpoint',
      ids: [2, 1],
      focus: { schemaPointer: '/properties/place' },
    });
  });

  it('have ids that read as expressions, and mean the same again', async () => {
    const { skill } = await travelled([{}]);
    const state: JsonObject = { bag: { 'a b': ['x'], '0': [] } };
    const idOf = (path: readonly string[]) => dataBreakpointInfo(path, state, skill.stateSchema).dataId;
    expect(idOf(['bag', 'a b', '0'])).toBe('state.bag["a b"][0]');
    expect(idOf(['bag', '0'])).toBe('state.bag["0"]');
    expect(idOf(['place', 'deeper'])).toBeNull();
    const points = noStopPoints();
    const [breakpoint] = points.data.set([{ dataId: 'state.bag["a b"][0]' }]);
    expect(breakpoint?.target).toEqual({ path: ['bag', 'a b', '0'] });
  });

  it('are refused for paths of any length at once', async () => {
    const { skill } = await travelled([{}]);
    const path = new Array<string>(100_000).fill('a');
    expect(dataBreakpointInfo(path, {}, skill.stateSchema)).toEqual({
      dataId: null,
      description: 'No state nests as deep as this path of 100000 keys.',
    });
  });

  it('take hostile paths for what they are', () => {
    const before: JsonObject = JSON.parse('{"__proto__": {"x": 1}, "a": []}') as JsonObject;
    const after: JsonObject = JSON.parse('{"__proto__": {"x": 2}, "a": []}') as JsonObject;
    expect(differenceAt(['__proto__', 'x'], before, after)).toEqual({ previous: 1, value: 2 });
    expect(differenceAt(['constructor'], before, after)).toBeUndefined();
    expect(differenceAt(['a', 'length'], before, after)).toBeUndefined();
    expect(differenceAt(new Array<string>(100_000).fill('a'), before, after)).toBeUndefined();
  });
});

describe('names of function breakpoints', () => {
  it.each([
    ['Go', true],
    ['go', false],
    ['G*', true],
    ['*o', true],
    ['*', true],
    ['G*o', true],
    ['Go*o', false],
    ['Go * shop', true],
    ['*slowly*', true],
    ['Go slowly to the shop', true],
    ['*a*a*', false],
    ['**', true],
    ['G.', false],
  ])('%s', async (name, hits) => {
    const points = noStopPoints();
    points.functions.set([{ name }]);
    const run = { parsed: { action: 'Go slowly to the shop' } } as Parameters<
      typeof points.functions.hits
    >[0];
    expect(points.functions.hits(run)).toHaveLength(hits ? 1 : 0);
  });

  it('are matched without backtracking', () => {
    const points = noStopPoints();
    points.functions.set([{ name: '*a'.repeat(5_000) }]);
    const run = { parsed: { action: `${'a'.repeat(100_000)}b` } } as Parameters<
      typeof points.functions.hits
    >[0];
    expect(points.functions.hits(run)).toEqual([]);
  });
});
