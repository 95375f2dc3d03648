/** Evaluation in every context, completions, formats, and the lines that breakpoints can be set on. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { replyingModel, replyOf, skillOf } from '../../support/memoryRun';

const files = {
  'SKILL.md': '---\nname: skill\ndescription: Test.\n---\n\nDo it.\n',
  'state.schema.yaml': `type: object
properties:
  inventory:
    type: object
    maxProperties: 200000
    additionalProperties: { type: string, maxLength: 3000 }
  list: { type: array, maxItems: 200000, items: { type: integer } }
  "odd key": { type: integer }
  counts: { type: object, maxProperties: 200000, additionalProperties: { type: integer } }
  declared: { type: string, maxLength: 5 }
`,
};

/** A session before its first act. */
async function session(patch: unknown, client: object = {}): Promise<DebugClient> {
  const skill = await skillOf(files);
  const model = () => replyingModel([replyOf(patch, 'look around')]);
  const connected = connectInMemory(memoryHost({ skill, model }));
  await connected.client.launch({ skill: 'skill', environment: 'warehouse' }, { client });
  await connected.client.event('stopped');
  await connected.client.go('next');
  return connected.client;
}

const patch = { inventory: { shelf_1: 'item_1', shelf_2: 'item_2' }, list: [31, -255, 3], 'odd key': 16 };

describe('evaluate', () => {
  it('gives paths with their place in Σ, and CEL over everything there is', async () => {
    const client = await session(patch);
    for (const expression of [
      'state.inventory',
      'state["odd key"]',
      'state.inventory.size() > 1',
      'state.inventory.filter(key, state.inventory[key] != "item_1")',
      'state == before',
      'patch',
      'state["odd key"] + step * 2',
      'tokens.total - tokens.completion',
      'action + "!"',
      '1 + 1',
      '[1, "a", {"b": null}]',
      'state.list[0]-1',
      'stat',
      'state.nothing',
      'state.nothing + 1',
      'state.list[7]',
      'state.list.size',
      'rejection.class',
      'size(state.list',
      'state.list = = 3',
      'score',
      ' ',
    ]) {
      await client.ask('evaluate', { expression, context: 'repl' });
    }
    const [filtered] = [
      await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
        expression: 'state.inventory.map(key, {"key": key})',
        context: 'watch',
      }),
    ];
    const [item] = await client.variables({ variablesReference: filtered.variablesReference });
    await client.variables({ variablesReference: item?.variablesReference ?? 0 });
    expect(await client.evaluate(item?.evaluateName ?? '')).toBe('{key: "shelf_1"}');
    expectGolden('debug/evaluate.txt', client.transcript());
  });

  it('changes nothing outside the console, whatever is written', async () => {
    const client = await session(patch);
    for (const context of ['hover', 'watch', 'clipboard', 'variables']) {
      for (const expression of ['delete state.list', 'state.list = 3', 'blame(state.list)'])
        expect(await client.ask('evaluate', { expression, context })).toMatchObject({ success: false });
    }
    expect(await client.evaluate('state.list.size()')).toBe('3');
  });

  it('knows the rejection that the run stopped on', async () => {
    const skill = await skillOf(files);
    const model = () => replyingModel([replyOf({ list: 'no' }, 'look around')]);
    const { client } = connectInMemory(memoryHost({ skill, model }));
    await client.launch({ skill: 'skill', environment: 'warehouse' }, { filters: ['rejected'] });
    await client.event('stopped');
    expect(await client.ask('evaluate', { expression: 'rejection.class' })).toMatchObject({ success: false });
    await client.go('continue');
    expect(await client.evaluate('rejection')).toMatch(/^\{class: "schema", message: /);
    expect(await client.evaluate("rejection.pointer == '/list' && attempt == 1")).toBe('true');
  });

  it('cuts long texts and gives them whole to the clipboard', async () => {
    const text = 'x'.repeat(2_500);
    const client = await session({ inventory: { shelf_1: text } });
    expect(await client.evaluate('state.inventory.shelf_1')).toBe(
      `"${'x'.repeat(2_000)}"… (2500 characters)`,
    );
    expect(await client.evaluate('state.inventory.shelf_1', 'repl')).toBe(`"${text}"`);
    expect(await client.evaluate('state.inventory.shelf_1', 'clipboard')).toBe(text);
    expect(await client.evaluate('[state.inventory.shelf_1]', 'clipboard')).toBe(
      JSON.stringify([text], undefined, 2),
    );
  });
});

describe('formats', () => {
  it('write integers to the base of 16 where the client wants that', async () => {
    const client = await session(patch);
    const hex = (expression: string) =>
      client.ask('evaluate', { expression, context: 'watch', format: { hex: true } });
    await hex('state.list[0]');
    await hex('state.list[1]');
    await hex('state.list');
    await hex('1.5');
    await hex('state.inventory.shelf_1');
    const { variablesReference } = await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression: 'state',
    });
    await client.ask('variables', { variablesReference, format: { hex: true } });
    await client.ask('variables', { variablesReference, format: { hex: 'yes' } });
    const stack = (format: object) =>
      client.ask('stackTrace', { threadId: 1, startFrame: 0, levels: 1, format });
    await stack({ parameters: true, line: true });
    await stack({ line: true });
    await stack({ line: 1 });
    await client.ask('evaluate', { expression: 'state', context: 'clipboard' });
    expectGolden('debug/formats.txt', client.transcript());
  });
});

describe('completions', () => {
  it('are keys, roots and functions, in the numbers of the client', async () => {
    const client = await session(patch);
    const ask = (text: string, column = text.length + 1, line?: number) =>
      client.ask('completions', { text, column, ...(line !== undefined && { line }) });
    await ask('state.inventory.');
    await ask('state.o');
    await ask('state["d');
    await ask('1 + pro');
    await ask('del');
    await ask('"😀" + state.inventory.shelf');
    await ask('state.list\nstate.inv', 10, 2);
    await ask('state.x', 100);
    await ask('state.', -5);
    await client.ask('completions', { text: 'state.' });
    expectGolden('debug/completions.txt', client.transcript());
  });

  it('count from 0 for clients that do', async () => {
    const client = await session(patch, { linesStartAt1: false, columnsStartAt1: false });
    const { targets } = await client.request<DebugProtocol.CompletionsResponse['body']>('completions', {
      text: 'a\nstate.inv',
      line: 1,
      column: 9,
    });
    expect(targets).toEqual([
      { label: 'inventory', detail: 'object', type: 'property', start: 8, length: 3, sortText: '0000' },
    ]);
  });
});

describe('breakpoint locations', () => {
  it('are the lines that declare actions or properties', async () => {
    const host = memoryHost();
    const { client } = connectInMemory(host);
    await client.launch({ skill: 'warehouse' });
    await client.event('stopped');
    const ask = (path: string, line: number, endLine?: number) =>
      client.ask('breakpointLocations', { source: { path }, line, ...(endLine && { endLine }) });
    await ask('/skills/skill/SKILL.md', 1, 1_000_000_000);
    await ask('/skills/skill/SKILL.md', 50);
    await ask('/skills/skill/SKILL.md', 1);
    await ask('/skills/skill/state.schema.yaml', 1, 100);
    await ask('/skills/skill/state.initial.yaml', 1, 100);
    await ask('/elsewhere/SKILL.md', 1, 100);
    await client.ask('breakpointLocations', { source: { sourceReference: 1 }, line: 1 });
    await client.ask('breakpointLocations', { source: { path: '/skills/skill/SKILL.md' } });
    expectGolden('debug/breakpointLocations.txt', client.transcript());
  });
});

describe('values with 100,000 parts', () => {
  const count = 100_000;

  it('are served in pages and ranges, each as it is asked for', async () => {
    // Short keys, so that the reply stays within a million characters.
    const names = Array.from({ length: count }, (_, index) => `k${index.toString(36)}`);
    const client = await session({ counts: Object.fromEntries(names.map((name) => [name, 7])) });
    const body = (expression: string) =>
      client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', { expression, context: 'watch' });
    const counts = await body('state.counts');
    expect(counts).toMatchObject({ namedVariables: 10 });
    const thousands = await client.variables({ variablesReference: counts.variablesReference });
    expect(thousands.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, at) => `[${at * 10_000}…${at * 10_000 + 9_999}]`),
    );
    const hundreds = await client.variables({ variablesReference: thousands[9]?.variablesReference ?? 0 });
    expect(hundreds).toHaveLength(100);
    const last = await client.variables({ variablesReference: hundreds[99]?.variablesReference ?? 0 });
    expect(last.map(({ name }) => name)).toEqual(names.slice(-100));
    expect(await client.evaluate(last.at(-1)?.evaluateName ?? '')).toBe('7');
    expect(await client.evaluate('state.counts.size() + state.counts.k1')).toBe(String(count + 7));
  });

  it('are pages of an array', async () => {
    const client = await session({ list: Array.from({ length: count }, (_, index) => index) });
    const list = await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
      expression: 'state.list',
    });
    expect(list).toMatchObject({ indexedVariables: count });
    const page = await client.variables({
      variablesReference: list.variablesReference,
      filter: 'indexed',
      start: count - 50,
      count: 100,
    });
    expect(page.map(({ value }) => value)).toEqual(
      Array.from({ length: 50 }, (_, at) => String(count - 50 + at)),
    );
  });
});
