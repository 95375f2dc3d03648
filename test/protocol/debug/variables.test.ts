/** The Variables view: pages, ranges, proposals, and where values are declared. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../client/src/runtime/environment';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const schema = `$schema: https://json-schema.org/draft/2020-12/schema
type: object
properties:
  shelves:
    type: object
    maxProperties: 20000
    additionalProperties: { type: string, maxLength: 20 }
  list:
    type: array
    maxItems: 5000
    items: { type: integer }
  "odd key":
    type: string
    maxLength: 2000
`;

/** An environment that accepts what begins with `ok`. */
function yesOrNo(): Environment {
  return {
    name: 'yes-or-no',
    deterministic: true,
    reset: async () => ({ observation: 'Go.', done: false }),
    execute: async (action) => ({ observation: action, accepted: action.startsWith('ok'), done: false }),
    skip: async () => ({ observation: '', accepted: false, done: false }),
  };
}

/** A session that stands before the act of a step whose patch was `patch`. */
async function sessionWith(patch: unknown, action = 'ok', client: object = {}): Promise<DebugClient> {
  const skill = await skillOf({
    'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
    'state.schema.yaml': schema,
  });
  const model = replyingModel([replyOf(patch, action)]);
  const session = connectInMemory(memoryHost({ skill, model: () => model, environment: yesOrNo }));
  await session.client.launch({ skill: 'skill' }, { client });
  await session.client.event('stopped');
  await session.client.go('next');
  return session.client;
}

async function scopeNamed(client: DebugClient, name: string): Promise<DebugProtocol.Scope> {
  const scope = (await client.scopes()).find((candidate) => candidate.name === name);
  if (scope === undefined) throw new Error(`There is no scope ${name}`);
  return scope;
}

async function stateVariable(client: DebugClient, name: string): Promise<DebugProtocol.Variable> {
  const { variablesReference } = await scopeNamed(client, 'State Σ');
  const variable = (await client.variables({ variablesReference })).find(
    (candidate) => candidate.name === name,
  );
  if (variable === undefined) throw new Error(`There is no ${name} in the state`);
  return variable;
}

function shelves(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`shelf_${index}`, `item_${index}`]));
}

describe('objects with many keys', () => {
  it('are listed in ranges of a hundred', async () => {
    const client = await sessionWith({ shelves: shelves(500) });
    const { variablesReference, namedVariables, value } = await stateVariable(client, 'shelves');
    expect(namedVariables).toBe(5);
    expect(value).toMatch(/^\{shelf_0: "item_0", .* …\}$/);
    const ranges = await client.variables({ variablesReference });
    expect(ranges.map(({ name, value }) => [name, value])).toEqual([
      ['[0…99]', 'shelf_0 … shelf_99'],
      ['[100…199]', 'shelf_100 … shelf_199'],
      ['[200…299]', 'shelf_200 … shelf_299'],
      ['[300…399]', 'shelf_300 … shelf_399'],
      ['[400…499]', 'shelf_400 … shelf_499'],
    ]);
    const last = await client.variables({ variablesReference: ranges[4]?.variablesReference ?? 0 });
    expect(last).toHaveLength(100);
    expect(last[99]).toMatchObject({
      name: 'shelf_499',
      value: '"item_499"',
      evaluateName: 'state.shelves.shelf_499',
    });
    const page = await client.variables({
      variablesReference: ranges[0]?.variablesReference ?? 0,
      start: 10,
      count: 2,
    });
    expect(page.map(({ name }) => name)).toEqual(['shelf_10', 'shelf_11']);
    expect(await client.variables({ variablesReference, filter: 'indexed' })).toEqual([]);
  });

  it('are listed in ranges of ranges where there are more than ten thousand', async () => {
    const client = await sessionWith({ shelves: shelves(10_001) });
    const { variablesReference } = await stateVariable(client, 'shelves');
    const outer = await client.variables({ variablesReference });
    expect(outer.map(({ name }) => name)).toEqual(['[0…9999]', '[10000…10000]']);
    const inner = await client.variables({ variablesReference: outer[0]?.variablesReference ?? 0 });
    expect(inner).toHaveLength(100);
    expect(inner[99]?.name).toBe('[9900…9999]');
  });

  it('of a hundred keys are listed as they are', async () => {
    const client = await sessionWith({ shelves: shelves(100) });
    const { variablesReference, namedVariables } = await stateVariable(client, 'shelves');
    expect(namedVariables).toBe(100);
    expect(await client.variables({ variablesReference })).toHaveLength(100);
  });
});

describe('arrays', () => {
  const list = Array.from({ length: 2_345 }, (_, index) => index * index);

  it('are served page by page', async () => {
    const client = await sessionWith({ list });
    const { variablesReference, indexedVariables, namedVariables } = await stateVariable(client, 'list');
    expect({ indexedVariables, namedVariables }).toEqual({
      indexedVariables: 2_345,
      namedVariables: undefined,
    });
    const page = await client.variables({ variablesReference, filter: 'indexed', start: 2_300, count: 100 });
    expect(page).toHaveLength(45);
    expect(page[0]).toMatchObject({
      name: '[2300]',
      value: '5290000',
      type: 'integer, proposed since step 0',
      evaluateName: 'state.list[2300]',
    });
    expect(await client.variables({ variablesReference, filter: 'named' })).toEqual([]);
  });

  it('come in ranges to clients that ask for everything', async () => {
    const client = await sessionWith({ list });
    const { variablesReference } = await stateVariable(client, 'list');
    const ranges = await client.variables({ variablesReference });
    expect(ranges).toHaveLength(24);
    const last = await client.variables({ variablesReference: ranges[23]?.variablesReference ?? 0 });
    expect(last.map(({ name }) => name).at(-1)).toBe('[2344]');
  });
});

describe('a value', () => {
  it('says since when it is proposed, until its action is accepted', async () => {
    const accepted = await sessionWith({ shelves: { shelf_1: 'item_1' } }, 'ok');
    expect(await stateVariable(accepted, 'shelves')).toMatchObject({
      type: 'object, parts of it proposed since step 0',
    });
    const { variablesReference } = await stateVariable(accepted, 'shelves');
    expect(await accepted.variables({ variablesReference })).toMatchObject([
      { type: 'string, proposed since step 0' },
    ]);
    await accepted.go('stepOut');
    const after = await stateVariable(accepted, 'shelves');
    expect(after).toMatchObject({ type: 'object' });
    expect(await accepted.variables({ variablesReference: after.variablesReference })).toMatchObject([
      { type: 'string' },
    ]);

    const refused = await sessionWith({ shelves: { shelf_1: 'item_1' } }, 'no');
    await refused.go('stepOut');
    const still = await stateVariable(refused, 'shelves');
    expect(await refused.variables({ variablesReference: still.variablesReference })).toMatchObject([
      { type: 'string, proposed since step 0' },
    ]);
  });

  it('leads to the line that declares it', async () => {
    const client = await sessionWith({ list: [1] });
    const { valueLocationReference } = await stateVariable(client, 'list');
    expect(await client.request('locations', { locationReference: valueLocationReference })).toEqual({
      source: { name: 'state.schema.yaml', path: '/skills/skill/state.schema.yaml' },
      line: 8,
      column: 3,
      endLine: 8,
      endColumn: 7,
    });
  });

  it('is cut in lists, and whole on the clipboard', async () => {
    const text = 'x'.repeat(1_500);
    const client = await sessionWith({ 'odd key': text });
    const variable = await stateVariable(client, 'odd key');
    expect(variable).toMatchObject({
      value: `"${'x'.repeat(1_000)}"… (1500 characters)`,
      evaluateName: 'state["odd key"]',
    });
    expect(await client.evaluate('state["odd key"]', 'clipboard')).toBe(text);
    expect(await client.evaluate('state', 'clipboard')).toBe(
      JSON.stringify({ 'odd key': text }, undefined, 2),
    );
  });

  it('has no type for clients that do not show it', async () => {
    const client = await sessionWith({ list: [1] }, 'ok', { supportsVariableType: false });
    expect(await stateVariable(client, 'list')).not.toHaveProperty('type');
  });
});

describe('references', () => {
  it('are the same within a stop and expire when the run goes on', async () => {
    const client = await sessionWith({ list: [1] });
    const first = await stateVariable(client, 'list');
    const second = await stateVariable(client, 'list');
    expect(second.variablesReference).toBe(first.variablesReference);
    const { variablesReference } = await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression: 'state.list',
    });
    expect(await client.variables({ variablesReference })).toMatchObject([
      { name: '[0]', evaluateName: 'state.list[0]' },
    ]);
    const [frame] = await client.stack();
    await client.go('stepIn');
    for (const reference of [first.variablesReference, variablesReference]) {
      expect(await client.ask('variables', { variablesReference: reference })).toMatchObject({
        success: false,
      });
    }
    // A client's request for the frame it showed may come after the next stop: that frame has nothing left to show.
    expect(await client.ask('scopes', { frameId: frame?.id })).toMatchObject({
      success: true,
      body: { scopes: [] },
    });
    for (const frameId of [0, -1, 9, (frame?.id ?? 0) + 1000, 1.5]) {
      expect(await client.ask('scopes', { frameId })).toMatchObject({ success: false });
    }
    expect((await stateVariable(client, 'list')).variablesReference).not.toBe(first.variablesReference);
  });

  it('of keys that JavaScript knows lead to the state, not to prototypes', async () => {
    const client = await sessionWith(JSON.parse('{"shelves": {"__proto__": "a", "constructor": "b"}}'));
    const { variablesReference } = await stateVariable(client, 'shelves');
    expect((await client.variables({ variablesReference })).map(({ name, value }) => [name, value])).toEqual([
      ['__proto__', '"a"'],
      ['constructor', '"b"'],
    ]);
    expect(await client.evaluate('state.shelves.__proto__')).toBe('"a"');
    expect(await client.ask('evaluate', { expression: 'state.shelves.toString' })).toMatchObject({
      success: false,
    });
  });
});
