/** Changes by hand: of Σ, the pending patch, the action and the observation, at the tip and in the past; and blame. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../client/src/runtime/environment';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md': `---
name: skill
description: Test.
---

# Actions

- \`Go <place>\`: goes.
`,
  'state.schema.yaml': `type: object
properties:
  place: { type: string, maxLength: 9 }
  count: { type: integer }
  bag:
    type: object
    maxProperties: 3
    additionalProperties: { type: array, maxItems: 3, items: { type: string, maxLength: 9 } }
`,
  'state.initial.yaml': 'place: home\nbag: { food: [bread] }\n',
};

/** Accepts everything, and can be taken back. */
function road(): Environment {
  let trips = 0;
  return {
    name: 'road',
    deterministic: true,
    reset: async () => {
      trips = 0;
      return { observation: 'You are at home.', done: false };
    },
    execute: async (action) => {
      trips++;
      return { observation: `${action}, trip ${trips}.`, accepted: true, done: false };
    },
    skip: async () => ({ observation: 'Nothing.', accepted: false, done: false }),
    snapshot: () => trips,
    restore: (snapshot) => {
      trips = Number(snapshot);
    },
  };
}

async function session(client: object = {}): Promise<DebugClient> {
  const skill = await skillOf(files);
  const model = () =>
    replyingModel([
      replyOf({ place: 'shop', bag: { food: ['bread', 'cheese'] } }, 'Go shop'),
      replyOf({ place: 'park' }, 'Go park'),
      replyOf({ place: 'home', count: 3 }, 'Go home'),
    ]);
  const connected = connectInMemory(memoryHost({ skill, model, environment: road }));
  await connected.client.launch({ skill: 'skill' }, { client });
  await connected.client.event('stopped');
  return connected.client;
}

async function reference(client: DebugClient, scope: string, ...names: readonly string[]): Promise<number> {
  let { variablesReference } = (await client.scopes()).find(({ name }) => name === scope) ?? {
    variablesReference: 0,
  };
  for (const name of names) {
    const found = (await client.variables({ variablesReference })).find((one) => one.name === name);
    variablesReference = found?.variablesReference ?? 0;
  }
  return variablesReference;
}

describe('setVariable', () => {
  it('changes Σ, the pending patch, the action and the observation', async () => {
    const client = await session();
    const state = await reference(client, 'State Σ');
    await client.ask('setVariable', { variablesReference: state, name: 'place', value: 'shop' });
    await client.event('invalidated');
    await client.ask('setVariable', {
      variablesReference: await reference(client, 'State Σ', 'bag', 'food'),
      name: '[0]',
      value: '"cake"',
    });
    await client.ask('setVariable', {
      variablesReference: await reference(client, 'Observation'),
      name: 'text',
      value: 'You are at the shop.',
    });
    // To the merge of the patch.
    for (let phase = 0; phase < 5; phase++) await client.go('stepIn');
    await client.ask('setVariable', {
      variablesReference: await reference(client, 'Patch ΔΣ'),
      name: 'place',
      value: '"park"',
    });
    await client.ask('setVariable', {
      variablesReference: await reference(client, 'Action'),
      name: 'action',
      value: 'Go park',
    });
    await client.stack();
    await client.evaluate('proposed');
    await client.go('next');
    await client.go('stepOut');
    await client.evaluate('state');
    await client.evaluate('observation');
    expectGolden('debug/setVariable.txt', client.transcript());
  });

  it('is refused with the place and the rule', async () => {
    const client = await session();
    const set = async (scope: string, name: string, value: string, ...names: readonly string[]) =>
      client.ask('setVariable', {
        variablesReference: await reference(client, scope, ...names),
        name,
        value,
      });
    await set('State Σ', 'place', '7');
    await set('State Σ', 'place', 'far too far away');
    await set('State Σ', 'bag', '[]');
    await set('State Σ', 'bag', 'nonsense');
    await set('State Σ', 'place', '');
    await set('State Σ', 'nothing', '1');
    await set('Tokens', 'total', '1');
    await client.go('next');
    await set('Patch ΔΣ', 'place', 'park');
    await set('Action', 'action', 'Fly home');
    await set('Action', 'place', 'park');
    await set('Observation', 'text', 'Another.');
    await client.ask('setVariable', { variablesReference: 9999, name: 'place', value: '1' });
    await client.ask('setVariable', { name: 'place', value: '1' });
    expectGolden('debug/setVariableRefused.txt', client.transcript());
  });
});

describe('setExpression and the console', () => {
  it('set and delete by path', async () => {
    const client = await session();
    const setExpression = (expression: string, value: string) =>
      client.ask('setExpression', { expression, value });
    const evaluate = (expression: string) => client.ask('evaluate', { expression, context: 'repl' });
    await setExpression('state.place', 'park');
    await setExpression('state.bag["tools"]', '["saw"]');
    await setExpression('state.count', '31');
    await client.ask('setExpression', { expression: 'state.count', value: '255', format: { hex: true } });
    await setExpression('state.nothing', '1');
    await setExpression('state.nothing.deeper', '1');
    await setExpression('state.count + 1', '1');
    await setExpression('before.count', '1');
    await setExpression('proposed.count', '1');
    await evaluate('state.count = state.count + 1');
    await evaluate('state.bag.tools = state.bag.tools + ["axe"]');
    await evaluate('delete state.bag.tools[0]');
    await evaluate('delete state.count');
    await evaluate('delete state.count');
    await evaluate('delete state');
    await evaluate('delete action');
    await evaluate('delete nothing');
    await evaluate('observation = You see a park.');
    await evaluate('observation');
    await evaluate('state');
    expectGolden('debug/setExpression.txt', client.transcript());
  });

  it('are refused while the skill runs, and once it is over', async () => {
    const client = await session();
    await client.request('setFunctionBreakpoints', { breakpoints: [] });
    await client.request('terminate');
    await client.event('terminated');
    expect(await client.ask('setExpression', { expression: 'state.place', value: 'park' })).toMatchObject({
      success: false,
      message: 'The run is over.',
    });
    expect(
      await client.ask('evaluate', { expression: 'state.place = "park"', context: 'repl' }),
    ).toMatchObject({ success: false });
  });

  it('tell no client that does not want to know that something changed', async () => {
    const client = await session({ supportsInvalidatedEvent: false });
    await client.request('setExpression', { expression: 'state.place', value: 'park' });
    expect(await client.evaluate('state.place')).toBe('"park"');
    expect(client.transcript()).not.toContain('* invalidated');
  });
});

describe('what can be changed', () => {
  it('is not marked as read-only, and everything else is', async () => {
    const client = await session();
    await client.go('next');
    const marks: string[] = [];
    for (const { name, variablesReference } of await client.scopes()) {
      for (const { presentationHint, ...variable } of await client.variables({ variablesReference })) {
        if (!presentationHint?.attributes?.includes('readOnly')) marks.push(`${name}: ${variable.name}`);
      }
    }
    expect(marks).toEqual([
      'State Σ: place',
      'State Σ: bag',
      'Patch ΔΣ: place',
      'Patch ΔΣ: bag',
      'Observation: text',
      'Action: action',
    ]);
  });

  it('shows its new value also where a rejected reply is shown', async () => {
    const skill = await skillOf(files);
    const model = () => replyingModel([replyOf({ place: 7 }, 'Go shop'), replyOf({}, 'Go shop')]);
    const { client } = connectInMemory(memoryHost({ skill, model, environment: road }));
    await client.launch({ skill: 'skill', stopOnEntry: false }, { filters: ['rejected'] });
    await client.event('stopped');
    expect(await client.request('setExpression', { expression: 'state.place', value: 'park' })).toMatchObject(
      {
        value: '"park"',
      },
    );
    expect(await client.evaluate('state.place')).toBe('"park"');
    await client.go('next');
    expect(await client.evaluate('before.place')).toBe('"park"');
    expect(await client.evaluate('attempts[1].prompt')).toContain('park');
  });
});

describe('a change in the past', () => {
  it('begins a branch, on which the run goes on', async () => {
    const client = await session();
    for (let act = 0; act < 3; act++) await client.go('next');
    await client.request('stepBack', { threadId: 1 });
    await client.event('stopped');
    await client.request('stepBack', { threadId: 1 });
    await client.event('stopped');
    await client.stack();
    await client.ask('evaluate', { expression: 'state.place = "beach"', context: 'repl' });
    expect(await client.event('skill-state/branches')).toMatchObject({ branches: [{ id: 0 }, { id: 1 }] });
    await client.go('next');
    expect(await client.evaluate('before.place')).toBe('"beach"');
    expectGolden('debug/editInThePast.txt', client.transcript());
  });
});

describe('blame', () => {
  it('tells who wrote a value, newest first', async () => {
    const client = await session();
    for (let act = 0; act < 3; act++) await client.go('next');
    await client.go('stepOut');
    await client.request('evaluate', { expression: 'state.bag.food = ["cake"]', context: 'repl' });
    const blame = (expression: string) =>
      client.ask('evaluate', { expression: `blame(${expression})`, context: 'repl' });
    await blame('state.place');
    const { body } = (await blame('state.bag.food')) as DebugProtocol.EvaluateResponse;
    const entries = await client.variables({ variablesReference: body.variablesReference });
    await client.variables({ variablesReference: entries[0]?.variablesReference ?? 0 });
    await client.variables({ variablesReference: entries[1]?.variablesReference ?? 0 });
    await blame('state.nothing');
    await blame('action');
    await blame('');
    await client.ask('skill-state/blame', { expression: 'state.count' });
    await client.ask('skill-state/blame', { expression: 'tokens' });
    await client.ask('skill-state/blame', {});
    expectGolden('debug/blame.txt', client.transcript());
  });

  it('tells in the past of changes by hand up to there, and of none beyond', async () => {
    const client = await session();
    const blame = (expression: string) => client.evaluate(`blame(${expression})`, 'repl');
    await client.evaluate('state.place = "beach"', 'repl');
    for (let phase = 0; phase < 4; phase++) await client.go('stepIn');
    expect(await client.evaluate('phase')).toBe('"validate"');
    await client.evaluate('state.count = 7', 'repl');
    await client.go('next');
    await client.go('next');
    await client.request('skill-state/goTo', { branch: 0, step: 0 });
    await client.event('stopped');
    expect(await blame('state.place')).toBe('step 0: you changed it: "beach" (2 writes)');
    expect(await blame('state.count')).toBe('Nothing has written state.count yet.');
    for (let phase = 0; phase < 3; phase++) await client.go('stepIn');
    expect(await client.evaluate('phase')).toBe('"parse"');
    expect(await blame('state.count')).toBe('Nothing has written state.count yet.');
    await client.go('stepIn');
    expect(await blame('state.count')).toBe('step 0: you set it: 7 (1 write)');
  });
});
