/** Changes by hand: at the live tip recorded, in the past on a branch, and refused with place and rule. */
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { EnvironmentFailure } from '../../../client/src/runtime/environment';
import { memoryJourney, seen } from '../../support/memoryJourney';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const options = { horizon: 12, seed: 5 };
const phases = ['observe', 'prompt', 'generate', 'parse', 'validate', 'merge', 'act'];

const shelf = (value?: string) => ({
  target: 'state' as const,
  pointer: '/inventory/shelf_400',
  ...(value !== undefined && { value }),
});

describe('an edit of the state', () => {
  it.each(phases.map((phase, index) => [phase, index] as const))(
    'before %s is recorded at the live tip, and repeated from its record',
    async (phase, index) => {
      const { journey, runTo, run, records } = await memoryJourney({ options });
      await runTo({ step: 3, index });
      const unedited = journey.run?.state;
      expect(await journey.edit(shelf('item_77'))).toEqual({ ok: true, branch: 0, forked: false });
      expect(records.at(-1)).toMatchObject({
        kind: 'edit',
        phase,
        target: 'state',
        pointer: '/inventory/shelf_400',
        value: 'item_77',
      });
      const edited = seen(journey.run);
      expect(journey.run?.state).toMatchObject({ inventory: { shelf_400: 'item_77' } });
      expect(unedited).not.toEqual(journey.run?.state);
      if (phase === 'generate') expect(journey.run?.prompt?.text).toContain('"shelf_400":"item_77"');
      await run(40);
      const later = seen(journey.run);
      expect(journey.run?.state).toMatchObject({ inventory: { shelf_400: 'item_77' } });
      const { position } = journey;
      await journey.goTo({ branch: 0, step: 3, index });
      expect(seen(journey.run)).toEqual(edited);
      await journey.goTo(position);
      expect(seen(journey.run)).toEqual(later);
      expect(journey.deviation).toBeUndefined();
    },
  );

  it.each(phases.map((phase, index) => [phase, index] as const))(
    'before %s in the past begins a branch, and the original stays',
    async (_phase, index) => {
      const { journey, runTo, run } = await memoryJourney({ options });
      await runTo({ step: 6, index: 2 });
      const tip = seen(journey.run);
      await journey.goTo({ branch: 0, step: 3, index });
      const past = seen(journey.run);
      expect(await journey.edit(shelf('item_77'))).toEqual({ ok: true, branch: 1, forked: true });
      const edited = seen(journey.run);
      await run(30);
      expect(journey.run?.state).toMatchObject({ inventory: { shelf_400: 'item_77' } });
      await journey.goTo({ branch: 0, step: 3, index });
      expect(seen(journey.run)).toEqual(past);
      await journey.goTo({ branch: 1, step: 3, index });
      expect(seen(journey.run)).toEqual(edited);
      await journey.goTo({ branch: 0, step: 6, index: 2 });
      expect(seen(journey.run)).toEqual(tip);
    },
  );

  it('can be taken back by deleting it, and is confirmed where it was proposed', async () => {
    const { journey, runTo } = await memoryJourney({
      options,
      model: replyingModel([
        replyOf({ inventory: { shelf_400: 'item_1', shelf_401: 'item_2' } }, 'Ship item_9 shelf_9'),
      ]),
    });
    await runTo({ step: 0, index: 6 });
    const proposed = () => [...(journey.run?.proposals.keys() ?? [])];
    expect(proposed()).toEqual(['/inventory/shelf_400', '/inventory/shelf_401']);
    expect(await journey.edit(shelf('item_3'))).toMatchObject({ ok: true });
    expect(proposed()).toEqual(['/inventory/shelf_401']);
    expect(await journey.edit(shelf())).toMatchObject({ ok: true });
    expect(journey.run?.state).toEqual({ inventory: { shelf_401: 'item_2' } });
    // What the prompt showed stays what it was.
    expect(journey.run?.before).toEqual({ inventory: {} });
  });

  it('that does not fit the schema is refused with the place and the rule', async () => {
    const { journey, runTo, records } = await memoryJourney({ options });
    await runTo({ step: 2, index: 0 });
    const before = seen(journey.run);
    const written = records.length;
    for (const [edit, refusal] of [
      [
        shelf('bread'),
        { pointer: '/inventory/shelf_400', schemaLocation: expect.stringMatching(/\/pattern$/) },
      ],
      [{ ...shelf('item_1'), pointer: '/inventory/table' }, { pointer: '/inventory/table' }],
      [{ ...shelf('item_1'), pointer: '/shelves/shelf_1' }, { pointer: '/shelves' }],
      [shelf(), { pointer: '/inventory/shelf_400', message: expect.stringContaining('There is no') }],
      [{ ...shelf('x'), pointer: '' }, { message: 'The state has to be an object.' }],
      [{ ...shelf(), pointer: '' }, { message: expect.stringContaining('deleted') }],
      [{ ...shelf('item_1'), pointer: 'inventory' }, { message: expect.stringContaining('JSON Pointer') }],
      [
        { target: 'state', pointer: '/inventory/__proto__', value: 'item_1' },
        { pointer: '/inventory/__proto__' },
      ],
    ] as const) {
      expect(await journey.edit(edit)).toMatchObject({ ok: false, ...refusal });
    }
    expect(seen(journey.run)).toEqual(before);
    expect(records).toHaveLength(written);
  });
});

describe('an edit of the pending patch', () => {
  it.each([
    ['validate', 4, 'on-propose'],
    ['merge', 5, 'on-propose'],
    ['act', 6, 'on-accept'],
  ] as const)('before %s is what is merged', async (_phase, index, commit) => {
    const { journey, runTo, run } = await memoryJourney({ options: { ...options, commit } });
    await runTo({ step: 0, index });
    const patch = { inventory: { shelf_9: 'item_0' } };
    expect(await journey.edit({ target: 'patch', pointer: '', value: patch })).toMatchObject({ ok: true });
    await runTo({ step: 1, index: 0 });
    expect(journey.run?.state).toEqual(patch);
    await run();
    await journey.goTo({ branch: 0, step: 1, index: 0 });
    expect(journey.run?.state).toEqual(patch);
    expect(journey.deviation).toBeUndefined();
  });

  it('is checked as a whole, where it was valid', async () => {
    const { journey, runTo } = await memoryJourney({ options });
    await runTo({ step: 0, index: 4 });
    const wrong = { target: 'patch', pointer: '/inventory/shelf_1', value: 3 } as const;
    const refusal = { ok: false, pointer: '/inventory/shelf_1', schemaLocation: expect.any(String) };
    expect(await journey.edit(wrong)).toMatchObject(refusal);
    await runTo({ step: 0, index: 5 });
    expect(await journey.edit(wrong)).toMatchObject(refusal);
    await runTo({ step: 0, index: 6 });
    expect(await journey.edit(wrong)).toMatchObject({
      ok: false,
      message: expect.stringContaining('before validate or merge'),
    });
  });

  it('may mend what is wrong piece by piece', async () => {
    const wrong = replyOf({ inventory: { shelf_1: 1, shelf_2: 2 } }, 'Wait');
    const { journey, runTo, run } = await memoryJourney({ options, model: replyingModel([wrong]) });
    await runTo({ step: 0, index: 4 });
    for (const name of ['shelf_1', 'shelf_2']) {
      const edit = { target: 'patch', pointer: `/inventory/${name}`, value: 'item_0' } as const;
      expect(await journey.edit(edit)).toMatchObject({ ok: true });
    }
    await run(1);
    expect(journey.run?.phase).toBe('merge');
  });
});

describe('an edit of the action', () => {
  it.each([
    ['validate', 4],
    ['merge', 5],
    ['act', 6],
  ] as const)('before %s is what is executed', async (_phase, index) => {
    const { journey, runTo, run, records } = await memoryJourney({ options });
    await runTo({ step: 1, index });
    expect(await journey.edit({ target: 'action', value: 'Wait' })).toMatchObject({ ok: true });
    await runTo({ step: 2, index: 0 });
    expect(records.findLast(({ kind }) => kind === 'intent')).toMatchObject({ step: 1, action: 'Wait' });
    expect(journey.run?.observation).toMatch(/^Success: Waited/);
    const after = seen(journey.run);
    await run(8);
    await journey.goTo({ branch: 0, step: 2, index: 0 });
    expect(seen(journey.run)).toEqual(after);
  });

  it('may follow an attempt to execute another one, and is repeated all the same', async () => {
    let fails = true;
    const warehouse = createWarehouse();
    const { journey, runTo, run } = await memoryJourney({
      options,
      environment: {
        ...warehouse,
        execute: (action, signal) => {
          if (fails) throw new EnvironmentFailure('Closed.');
          return warehouse.execute(action, signal);
        },
      },
    });
    await runTo({ step: 0, index: 6 });
    const { signal } = new AbortController();
    await expect(journey.advance(signal)).rejects.toThrow('Closed.');
    await expect(journey.advance(signal)).rejects.toThrow('Closed.');
    fails = false;
    expect(await journey.edit({ target: 'action', value: 'Wait' })).toMatchObject({ ok: true });
    await run(9);
    const { position } = journey;
    const later = seen(journey.run);
    await journey.goTo({ branch: 0, step: 0, index: 6 });
    expect(journey.run?.parsed?.action).toBe('Wait');
    await journey.goTo({ branch: 0, step: 1, index: 0 });
    expect(journey.run?.observation).toMatch(/^Success: Waited/);
    await journey.goTo(position);
    expect(seen(journey.run)).toEqual(later);
    expect(journey.deviation).toBeUndefined();
  });

  it('is held against what the skill declares, and needs a reply', async () => {
    const { journey, runTo } = await memoryJourney({ options });
    await runTo({ step: 1, index: 2 });
    const edit = (value: string) => journey.edit({ target: 'action', value });
    expect(await edit('Wait')).toMatchObject({ message: expect.stringContaining('No action is chosen') });
    await runTo({ step: 1, index: 6 });
    expect(await edit('Dance')).toMatchObject({ ok: false, message: expect.stringContaining('Dance') });
    expect(await edit('Wait\nShip item_0 shelf_0')).toMatchObject({ ok: false });
  });
});

describe('an edit of the observation', () => {
  it.each([0, 1])('before the prompt is what the model sees (%i)', async (index) => {
    const { journey, runTo, run } = await memoryJourney({ options });
    await runTo({ step: 2, index });
    const value = 'Nothing happened.';
    expect(await journey.edit({ target: 'observation', value })).toMatchObject({ ok: true });
    await runTo({ step: 2, index: 2 });
    expect(journey.run?.prompt?.text).toContain(`Latest Observation: ${value}`);
    const prompted = seen(journey.run);
    await run(6);
    await journey.goTo({ branch: 0, step: 2, index: 2 });
    expect(seen(journey.run)).toEqual(prompted);
  });

  it('comes too late once the prompt shows it', async () => {
    const { journey, runTo } = await memoryJourney({ options });
    await runTo({ step: 2, index: 2 });
    expect(await journey.edit({ target: 'observation', value: 'x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('step back to the start of the step'),
    });
  });
});

it('nothing can be changed once the run is over', async () => {
  const { journey, run } = await memoryJourney({ options });
  await run();
  expect(await journey.edit(shelf('item_1'))).toMatchObject({ ok: false });
});

it('arrays are changed by index, and appended to', async () => {
  const skill = await skillOf({ 'SKILL.md': '---\nname: skill\ndescription: One.\n---\nDo it.\n' });
  const { journey, runTo } = await memoryJourney({
    skill,
    options,
    model: replyingModel([replyOf({ list: [1, 2, 3] }, 'Wait')]),
  });
  await runTo({ step: 0, index: 6 });
  const edit = (pointer: string, value?: number) =>
    journey.edit({ target: 'state', pointer, ...(value !== undefined && { value }) });
  await edit('/list/1', 7);
  await edit('/list/-', 9);
  await edit('/list/0');
  expect(journey.run?.state).toEqual({ list: [7, 3, 9] });
  expect(await edit('/list/5', 1)).toMatchObject({ ok: false, pointer: '/list/5' });
  expect(await edit('/list/01', 1)).toMatchObject({ ok: false });
});
