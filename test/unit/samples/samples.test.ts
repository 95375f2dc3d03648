/** The samples are whole: valid skills that fit the environments and files they are run with. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { describe, expect, it } from 'vitest';
import { createWarehouse } from '../../../client/src/environments/warehouse/warehouse';
import { withChosenModel } from '../../../client/src/hosts/chosenModel';
import { createSkillFiles } from '../../../client/src/hosts/node/skillFolder';
import { warehousePolicy } from '../../../client/src/models/scripted/warehousePolicy';
import { parseAnswers } from '../../../client/src/runtime/asker';
import { loadSkill } from '../../../schemas/skill/skill';

const samples = join(import.meta.dirname, '..', '..', '..', 'samples');
const load = (name: string) => loadSkill(createSkillFiles(join(samples, name)));

describe.each([
  ['warehouse', []],
  ['release-notes', ['skill.no-state-schema']],
])('the sample %s', (name, hints) => {
  it('is a skill without problems', async () => {
    expect((await load(name)).problems.map(({ problem }) => problem.code)).toEqual(hints);
  });
});

describe('the warehouse sample', () => {
  it('declares the actions of its environment', async () => {
    const { actions, environment } = await load('warehouse');
    expect(environment).toBe('warehouse');
    expect(actions.map(({ text }) => text)).toEqual(createWarehouse().actions);
  });

  it('starts with an empty inventory, and its schema fits the warehouse at all times', async () => {
    const { stateSchema, initialState } = await load('warehouse');
    expect(initialState).toEqual({ inventory: {} });
    const isValid = new Ajv({ ownProperties: true }).compile(stateSchema.schema);
    const warehouse = createWarehouse();
    const { signal } = new AbortController();
    let { observation, done } = await warehouse.reset(
      { seed: 4, horizon: 500, repeatUnserved: false },
      signal,
    );
    while (!done) {
      const state = warehouse.truth?.() ?? {};
      expect(isValid(state)).toBe(true);
      const { action } = warehousePolicy({ instructions: '', state, observation });
      ({ observation, done } = await warehouse.execute(action, signal));
    }
  });

  it('has a schema that lets losses through and stops wrong types and names', async () => {
    const { stateSchema } = await load('warehouse');
    const isValid = new Ajv({ ownProperties: true }).compile(stateSchema.schema);
    for (const state of [{}, { inventory: {} }, { inventory: { shelf_499: 'item_0' } }]) {
      expect(isValid(state)).toBe(true);
    }
    for (const inventory of [[], null, { shelf_500: 'item_1' }, { shelf_007: 'item_1' }, { shelf_0: 7 }]) {
      expect(isValid({ inventory })).toBe(false);
    }
    expect(isValid({ inventory: { shelf_0: 'item_01' } })).toBe(false);
    expect(isValid({ shelves: {} })).toBe(false);
  });
});

describe('the release-notes sample', () => {
  it.each(['replies', 'observations'])('has %s for four steps', async (kind) => {
    const path = join(samples, 'release-notes', `${kind}.jsonl`);
    const parsed = parseAnswers(await readFile(path, 'utf8'), path);
    expect(parsed).toMatchObject({ ok: true, answers: { length: 4 } });
  });
});

describe('launch.json of the samples', () => {
  it('begins with the scripted model, and has a configuration that runs on the chosen one', async () => {
    const text = await readFile(join(samples, '.vscode', 'launch.json'), 'utf8');
    const { configurations } = JSON.parse(text) as { configurations: Record<string, unknown>[] };
    expect(configurations[0]).toMatchObject({ name: 'Warehouse', model: 'scripted', faultSeed: 76 });
    const open = configurations.find(({ name }) => name === 'Warehouse on the chosen model');
    const local = { model: 'openai:qwen', baseUrl: 'http://127.0.0.1:9000/v1' };
    expect(withChosenModel({ ...open }, local, {})).toEqual({ ...open, ...local });
  });
});
