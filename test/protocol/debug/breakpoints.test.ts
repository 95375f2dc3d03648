/** Breakpoints of every kind: conditions, hit conditions, log messages, actions by name, paths of Σ; and what is refused. */
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../client/src/runtime/environment';
import { connectInMemory, type DebugClient, editorClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const skillFile = '/skills/skill/SKILL.md';
const schemaFile = '/skills/skill/state.schema.yaml';

/** The lines of the warehouse sample, as people count them. */
const lines = { store: 50, ship: 51, inventory: 9 };

async function begun(options: Parameters<DebugClient['launch']>[1] = {}, attributes: object = {}) {
  const { client } = connectInMemory(memoryHost());
  await client.launch({ skill: 'warehouse', horizon: 12, seed: 42, ...attributes }, options);
  await client.event('stopped');
  return client;
}

async function inventoryVariable(client: DebugClient, scope = 'State Σ') {
  const found = (await client.scopes()).find(({ name }) => name === scope);
  return found?.variablesReference ?? 0;
}

describe('source breakpoints', () => {
  it('have conditions, hit conditions and log messages; what cannot be read is said and binds nothing', async () => {
    const client = await begun();
    await client.ask('setBreakpoints', {
      source: { path: skillFile },
      breakpoints: [
        { line: lines.ship, condition: 'step > 2 && action.endsWith("shelf_1")' },
        { line: lines.ship, hitCondition: '% 2', condition: 'attempt == 1' },
        { line: lines.ship, logMessage: 't={step} \\{{action}\\} has {state.inventory.size()} shelves' },
        { line: lines.ship, condition: 'step >' },
        { line: lines.ship, condition: 'shelf == 1' },
        { line: lines.ship, hitCondition: 'often' },
        { line: lines.ship, hitCondition: '% 0' },
        { line: lines.ship, logMessage: 'open {step' },
        { line: 55, condition: 'step >' },
      ],
    });
    await client.ask('setBreakpoints', {
      source: { path: schemaFile },
      breakpoints: [{ line: lines.inventory, condition: 'proposed.inventory.size() == 3', logMessage: '' }],
    });
    for (let stop = 0; stop < 2; stop++) {
      await client.go('continue');
      await client.stack();
    }
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expectGolden('debug/conditions.txt', client.transcript());
  });

  it('tell once that a condition cannot be evaluated, and do not stop', async () => {
    const client = await begun();
    await client.request('setBreakpoints', {
      source: { path: skillFile },
      breakpoints: [
        { line: lines.store, condition: 'state.nothing.at.all == 1' },
        { line: lines.store, condition: 'action' },
      ],
    });
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    expectGolden('debug/conditionProblems.txt', client.transcript());
  });
});

describe('function breakpoints', () => {
  it('stop before actions by name', async () => {
    const client = await begun();
    await client.ask('setFunctionBreakpoints', {
      breakpoints: [
        { name: 'Ship' },
        { name: 'Sto*', hitCondition: '3' },
        { name: 'Move *shelf_2', condition: 'step == 8' },
        { name: 'Fly' },
        { name: 'Ship', condition: '1 +' },
        { name: ' ' },
      ],
    });
    for (let stop = 0; stop < 4; stop++) {
      await client.go('continue');
      await client.stack();
      await client.evaluate('action');
    }
    await client.ask('setFunctionBreakpoints', { breakpoints: [{ name: 'Ship' }] });
    await client.ask('setFunctionBreakpoints', { breakpoints: [{ condition: 'true' }] });
    expectGolden('debug/functionBreakpoints.txt', client.transcript());
  });

  it('wait for the skill, and take any name where no actions are declared', async () => {
    const skill = await skillOf({
      'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
    });
    const model = () => replyingModel([replyOf({}, 'look around'), replyOf({}, 'jump(3)')]);
    const { client } = connectInMemory(memoryHost({ skill, model, environment: () => talkative() }));
    await client.request('initialize', editorClient);
    expect(await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'jump' }] })).toEqual({
      breakpoints: [{ id: 1, verified: false, message: 'The skill is not loaded yet.' }],
    });
    await client.request('launch', { skill: 'skill', stopOnEntry: false });
    expect(await client.event('breakpoint')).toEqual({
      reason: 'changed',
      breakpoint: { id: 1, verified: true },
    });
    await client.request('configurationDone');
    expect(await client.event('stopped')).toMatchObject({
      reason: 'function breakpoint',
      hitBreakpointIds: [1],
    });
    expect(await client.evaluate('action')).toBe('"jump(3)"');
  });
});

/** Accepts everything, and after each act writes how often. */
function talkative(): Environment {
  let acts = 0;
  return {
    name: 'talkative',
    deterministic: true,
    reset: async () => ({ observation: 'Go.', done: false }),
    execute: async (action) => {
      acts++;
      return {
        observation: action,
        accepted: true,
        done: false,
        facts: { world: { acts, even: acts % 2 === 0 } },
      };
    },
    skip: async () => ({ observation: '', accepted: false, done: false }),
  };
}

describe('data breakpoints', () => {
  it('are offered on what is part of Σ, and stop before the merge that changes it', async () => {
    const client = await begun({}, { horizon: 6 });
    await client.go('next');
    const state = await inventoryVariable(client);
    const patch = await inventoryVariable(client, 'Patch ΔΣ');
    const action = await inventoryVariable(client, 'Action');
    const shelves = (await client.variables({ variablesReference: patch }))[0]?.variablesReference;
    for (const request of [
      { variablesReference: state, name: 'inventory' },
      { variablesReference: shelves, name: 'shelf_0' },
      { variablesReference: action, name: 'action' },
      { variablesReference: state, name: 'nothing' },
      { name: 'state.inventory.shelf_1' },
      { name: 'state.inventory["shelf 7"].deep' },
      { name: 'state.elsewhere' },
      { name: 'tokens.total' },
      { name: '1 + 1' },
      { variablesReference: 9999, name: 'inventory' },
      {},
    ]) {
      await client.ask('dataBreakpointInfo', request);
    }
    await client.ask('setDataBreakpoints', {
      breakpoints: [
        { dataId: 'state.inventory.shelf_0', accessType: 'write' },
        { dataId: 'state.inventory.shelf_1', condition: "change == 'delete' && previous == 'item_2'" },
        { dataId: 'state.inventory', hitCondition: '>= 5' },
        { dataId: 'state.inventory.shelf_0', accessType: 'read' },
        { dataId: 'state.elsewhere' },
        { dataId: 'nonsense' },
        { dataId: 'state', condition: 'changed' },
      ],
    });
    for (let stop = 0; stop < 4; stop++) {
      await client.go('continue');
      await client.stack();
      await client.evaluate('action');
    }
    expectGolden('debug/dataBreakpoints.txt', client.transcript());
  });

  it('see what the environment writes, after the act', async () => {
    const skill = await skillOf({
      'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
      'state.schema.yaml': `type: object
properties:
  world:
    x-writer: environment
    type: object
    properties:
      acts: { type: integer }
      even: { type: boolean }
    additionalProperties: false
  note: { type: string, maxLength: 9 }
`,
    });
    const model = () => replyingModel([replyOf({ note: 'a' }, 'act')]);
    const { client } = connectInMemory(memoryHost({ skill, model, environment: () => talkative() }));
    await client.launch({ skill: 'skill' });
    await client.event('stopped');
    await client.request('setDataBreakpoints', {
      breakpoints: [
        { dataId: 'state.world.even', condition: 'value == true && previous == false && action == "act"' },
      ],
    });
    expect(await client.go('continue')).toMatchObject({ reason: 'data breakpoint', hitBreakpointIds: [1] });
    expect(await client.evaluate('state.world.acts')).toBe('2');
    expect((await client.stack())[0]).toMatchObject({ name: 'observe', line: 8 });
  });
});
