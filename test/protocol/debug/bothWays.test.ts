/** Breakpoints of every kind stop at the same places forward, backward, and forward again; on branches too. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import { connectInMemory, type DebugClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';

const skillFile = '/skills/skill/SKILL.md';

/** Stops with everything that can stop a run. */
async function armed(client: DebugClient): Promise<void> {
  await client.request('setBreakpoints', {
    source: { path: skillFile },
    breakpoints: [
      { line: 50, hitCondition: '% 3', condition: 'attempt == 1' },
      { line: 51, logMessage: 'shipped at {step}' },
    ],
  });
  await client.request('setFunctionBreakpoints', {
    breakpoints: [{ name: 'Move', hitCondition: '>= 2' }],
  });
  await client.request('setDataBreakpoints', {
    breakpoints: [{ dataId: 'state.inventory.shelf_1', condition: "change == 'delete'", hitCondition: '2' }],
  });
  await client.request('setExceptionBreakpoints', {
    filters: [],
    filterOptions: [
      { filterId: 'rejected', condition: "rejection.class == 'schema'" },
      { filterId: 'state-loss' },
      { filterId: 'diverged', condition: 'step % 2 == 0' },
    ],
  });
}

/** Goes on until there is nothing further; gives each stop as `t phase reason ids`. */
async function stopsOf(
  client: DebugClient,
  command: 'continue' | 'reverseContinue',
): Promise<readonly string[]> {
  const stops: string[] = [];
  for (;;) {
    await client.request(command, { threadId: 1 });
    const {
      reason,
      hitBreakpointIds = [],
      text = '',
    } = await client.event<DebugProtocol.StoppedEvent['body']>('stopped');
    if (reason === 'end' || reason === 'start' || reason === 'entry') return stops;
    const [step, phase] = [await client.evaluate('step'), (await client.stack())[0]?.name];
    stops.push(`${step} ${phase} ${reason} ${hitBreakpointIds} ${text.split(':')[0]}`.trim());
  }
}

describe('a run with faults', () => {
  const configuration = {
    skill: 'warehouse',
    horizon: 40,
    seed: 7,
    faults: 0.4,
    faultSeed: 3,
    stopOnEnd: true,
  };

  it('stops at the same places in both directions, however often', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch(configuration);
    await client.event('stopped');
    await armed(client);
    const forward = await stopsOf(client, 'continue');
    expect(new Set(forward.map((stop) => stop.split(' ')[2]))).toEqual(
      new Set(['breakpoint', 'function', 'data', 'exception']),
    );
    const backward = await stopsOf(client, 'reverseContinue');
    expect([...backward].reverse()).toEqual(forward);
    expect(await stopsOf(client, 'continue')).toEqual(forward);
  });

  it('counts what was before a breakpoint was set, also when it goes back first', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch(configuration);
    await client.event('stopped');
    await armed(client);
    const forward = await stopsOf(client, 'continue');
    const late = connectInMemory(memoryHost()).client;
    await late.launch({ ...configuration, stopOnEntry: false });
    await late.event('stopped');
    await armed(late);
    expect([...(await stopsOf(late, 'reverseContinue'))].reverse()).toEqual(forward);
  });

  it('writes log messages forward, and none while it goes back', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch(configuration);
    await client.event('stopped');
    await client.request('setBreakpoints', {
      source: { path: skillFile },
      breakpoints: [{ line: 51, logMessage: 'shipped at {step}' }],
    });
    const written = () => client.transcript().match(/shipped at \d+/g) ?? [];
    await stopsOf(client, 'continue');
    const first = written();
    expect(first.length).toBeGreaterThan(1);
    await stopsOf(client, 'reverseContinue');
    expect(written()).toEqual(first);
    await stopsOf(client, 'continue');
    expect(written()).toEqual([...first, ...first]);
  });

  it('counts along the branch that it stands on', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ ...configuration, faults: 0 });
    await client.event('stopped');
    await client.request('setFunctionBreakpoints', {
      breakpoints: [{ name: 'Store', hitCondition: '% 2' }],
    });
    const before = await stopsOf(client, 'continue');
    expect(before.length).toBeGreaterThan(3);
    // Back to the second stop, where another action is taken: a branch begins there.
    for (let stop = before.length; stop > 1; stop--) {
      await client.request('reverseContinue', { threadId: 1 });
      await client.event('stopped');
    }
    await client.request('evaluate', { expression: 'action = Wait', context: 'repl' });
    const after = await stopsOf(client, 'continue');
    expect(after.length).toBeGreaterThan(0);
    const backward = await stopsOf(client, 'reverseContinue');
    expect([...backward].reverse()).toEqual([...before.slice(0, 2), ...after]);
    expect(await stopsOf(client, 'continue')).toEqual([...before.slice(0, 2), ...after]);
  });
});
