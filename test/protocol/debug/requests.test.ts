/** Requests that a client may get wrong, and the order of responses and events. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import { connectInMemory, editorClient } from '../../support/debugClient';
import { memoryHost } from '../../support/debugHosts';
import { expectGolden } from '../../support/golden';
import { sampleFiles } from '../../support/memoryRun';

describe('malformed requests', () => {
  it('are answered with what is wrong, each once', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.ask('initialize', { ...editorClient, pathFormat: 'uri' });
    await client.ask('initialize', { linesStartAt1: 'yes' });
    await client.request('initialize', editorClient);
    await client.ask('launch', []);
    await client.ask('launch');
    await client.ask('attach', {});
    await client.ask('configurationDone');
    await client.ask('setBreakpoints', { breakpoints: [{ line: 1 }] });
    await client.ask('setBreakpoints', { source: 'SKILL.md' });
    await client.ask('setBreakpoints', { source: { path: '/a' }, breakpoints: [{ line: 'one' }] });
    await client.ask('setBreakpoints', { source: { path: '/a' }, breakpoints: { line: 1 } });
    await client.ask('setBreakpoints', { source: { path: 5 }, breakpoints: [{ line: 1 }] });
    await client.ask('setBreakpoints', { source: { path: '/a', sourceReference: 'x' } });
    await client.ask('setExceptionBreakpoints', { filters: [1] });
    await client.ask('next');
    await client.ask('next', { threadId: '1' });
    await client.ask('next', { threadId: 1 });
    await client.ask('scopes', {});
    await client.ask('variables', { variablesReference: 1.5 });
    await client.ask('evaluate', { context: 'repl' });
    await client.ask('source', {});
    await client.ask('__proto__', {});
    await client.ask('toString', {});
    await client.ask('cancel', {});
    expectGolden('debug/malformed.txt', client.transcript());
  });

  it('may say null for what may be left out', async () => {
    const { client } = connectInMemory(memoryHost());
    const texts = { condition: null, hitCondition: null, logMessage: null };
    await client.request('initialize', { ...editorClient, locale: null, supportsVariableType: null });
    await client.request('launch', { skill: 'warehouse', noDebug: null });
    await client.request('setBreakpoints', {
      source: { path: '/skills/skill/SKILL.md', sourceReference: null },
      breakpoints: [{ line: 50, column: null, ...texts }],
      lines: null,
    });
    await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'Store', ...texts }] });
    await client.request('setExceptionBreakpoints', {
      filters: [],
      filterOptions: [{ filterId: 'rejected', condition: null }],
    });
    await client.request('configurationDone', null);
    await client.event('stopped');
    const { stackFrames } = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: 1,
      startFrame: null,
      levels: null,
      format: null,
    });
    expect(stackFrames.map(({ name }) => name)).toEqual(['observe', 'step 0']);
    await client.request('evaluate', { expression: 'step', frameId: null, context: null, format: null });
    expect((await client.go('next')).reason).toBe('breakpoint');
  });

  it('does not disturb a session that runs', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse' });
    await client.event('stopped');
    await client.ask('launch', { skill: 'warehouse' });
    await client.ask('next', { threadId: 2 });
    await client.ask('scopes', { frameId: 99 });
    await client.ask('variables', { variablesReference: 99 });
    await client.ask('locations', { locationReference: 99 });
    await client.ask('source', { sourceReference: 99 });
    await client.ask('source', { sourceReference: 0, source: { path: '/etc/passwd' } });
    await client.ask('exceptionInfo', { threadId: 1 });
    await client.ask('evaluate', { expression: ' ' });
    await client.ask('evaluate', { expression: 'patch' });
    await client.ask('evaluate', { expression: 'state.nothing' });
    await client.ask('evaluate', { expression: 'process.exit(1)' });
    expect((await client.go('next')).reason).toBe('step');
    expectGolden('debug/refused.txt', client.transcript());
  });
});

describe('order', () => {
  it('answers breakpoints that come before the launch, and tells when they bind', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.request('initialize', editorClient);
    const source = { path: '/skills/skill/SKILL.md' };
    const early = await client.request('setBreakpoints', {
      source,
      breakpoints: [{ line: 50 }, { line: 1 }],
    });
    expect(early).toEqual({
      breakpoints: [
        { id: 1, verified: false, line: 50, message: 'The skill is not loaded yet.' },
        { id: 2, verified: false, line: 1, message: 'The skill is not loaded yet.' },
      ],
    });
    await client.request('launch', { skill: 'warehouse', stopOnEntry: false });
    await client.event('initialized');
    expect(await client.event('breakpoint')).toMatchObject({
      breakpoint: { id: 1, verified: true, line: 50 },
    });
    expect(await client.event('breakpoint')).toMatchObject({
      breakpoint: { id: 2, verified: false, line: 1 },
    });
    await client.request('configurationDone');
    expect(await client.event('stopped')).toMatchObject({ reason: 'breakpoint', hitBreakpointIds: [1] });
  });

  it('starts once configurationDone has come, even before the launch is through', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.request('initialize', editorClient);
    const launched = client.request('launch', { skill: 'warehouse' });
    await client.request('configurationDone');
    await launched;
    expect(await client.event('stopped')).toMatchObject({ reason: 'entry' });
  });

  it('sends the response of a request before the stop it causes', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse', horizon: 3 });
    await client.event('stopped');
    for (const command of ['stepIn', 'next', 'stepOut', 'next'] as const) await client.go(command);
    const order = client.exchanges.flatMap(({ message }) => {
      if ('event' in message) return message.event === 'stopped' ? ['stopped'] : [];
      return 'request_seq' in message ? [message.command] : [];
    });
    expect(order.slice(order.indexOf('configurationDone'))).toEqual([
      'configurationDone',
      'stopped',
      'stepIn',
      'stopped',
      'next',
      'stopped',
      'stepOut',
      'stopped',
      'next',
      'stopped',
    ]);
  });

  it('answers a launch that is under way when the client leaves', async () => {
    const host = memoryHost();
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = {
      ...host,
      open: async (...args: Parameters<typeof host.open>) => gate.then(() => host.open(...args)),
    };
    const { client, closed } = connectInMemory(slow);
    await client.request('initialize', editorClient);
    const launched = client.ask('launch', { skill: 'warehouse' });
    await client.request('disconnect');
    const answered = launched.then(({ success }) => success);
    expect(await Promise.race([answered, closed])).toBe(false);
    await closed;
    expect(host.closed.count).toBe(0);
    open();
    await expect.poll(() => host.closed.count).toBe(1);
  });

  it('refuses what comes twice or too early', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.request('initialize', editorClient);
    const answers = ['launch', 'launch', 'restart', 'initialize'].map((command) =>
      client.ask(command, command === 'launch' ? { skill: 'warehouse' } : {}),
    );
    expect((await Promise.all(answers)).map(({ success, message }) => success || message)).toEqual([
      true,
      'This session has a run already: use "restart".',
      'The skill is being made ready: restart it when it runs.',
      '"initialize" came after "launch": it has to be first.',
    ]);
  });
});

describe('clients that count from 0', () => {
  it('get and set lines and columns as they count', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch(
      { skill: 'warehouse', stopOnEntry: false },
      {
        client: { linesStartAt1: false, columnsStartAt1: false },
        breakpoints: { '/skills/skill/SKILL.md': [49] },
      },
    );
    await client.event('stopped');
    expect((await client.stack())[0]).toMatchObject({
      name: 'act',
      line: 49,
      column: 3,
      endLine: 49,
      endColumn: 35,
    });
  });

  it('get pages of the stack', async () => {
    const { client } = connectInMemory(memoryHost());
    await client.launch({ skill: 'warehouse' });
    await client.event('stopped');
    const page = await client.request('stackTrace', { threadId: 1, startFrame: 1, levels: 1 });
    expect(page).toMatchObject({ totalFrames: 2, stackFrames: [{ name: 'step 0' }] });
  });
});

describe('files that change while the skill runs', () => {
  it('are shown as they were, by reference', async () => {
    const host = memoryHost();
    const { client } = connectInMemory(host);
    await client.launch({ skill: 'warehouse' });
    await client.event('stopped');
    await client.go('next');
    host.changedFiles.set('SKILL.md', 'Something else.');
    const [top] = await client.stack();
    expect(top?.source).toMatchObject({ name: 'SKILL.md (as the run began)' });
    expect(top?.source?.path).toBeUndefined();
    expect(await client.request('source', { sourceReference: top?.source?.sourceReference })).toEqual({
      content: expect.stringContaining('# Warehouse'),
      mimeType: 'text/x-markdown',
    });
    host.changedFiles.delete('SKILL.md');
    expect((await client.stack())[0]?.source).toEqual({ name: 'SKILL.md', path: '/skills/skill/SKILL.md' });
  });

  it('keep their breakpoints, on lines that moved and were not changed themselves', async () => {
    const host = memoryHost();
    const { client } = connectInMemory(host);
    const source = { path: '/skills/skill/SKILL.md' };
    await client.launch({ skill: 'warehouse' }, { breakpoints: { [source.path]: [50] } });
    await client.event('stopped');
    const text = (await sampleFiles('warehouse').read('SKILL.md')) ?? '';
    host.changedFiles.set('SKILL.md', text.replace('# Warehouse\n', '# Warehouse\n\nIt is new.\n'));
    const set = await client.request('setBreakpoints', {
      source,
      breakpoints: [{ line: 52 }, { line: 11 }],
      sourceModified: true,
    });
    expect(set).toMatchObject({
      breakpoints: [
        { verified: true, line: 52 },
        { verified: false, message: expect.stringContaining('restart') },
      ],
    });
    expect((await client.go('continue')).reason).toBe('breakpoint');
    expect((await client.stack())[0]).toMatchObject({ name: 'act', line: 50 });
  });
});

describe('several sessions', () => {
  it('have nothing to do with each other', async () => {
    const host = memoryHost();
    const [one, two] = [connectInMemory(host).client, connectInMemory(host).client];
    await Promise.all([one.launch({ skill: 'warehouse' }), two.launch({ skill: 'warehouse', seed: 7 })]);
    await Promise.all([one.event('stopped'), two.event('stopped')]);
    await one.go('next');
    await one.go('next');
    expect([await one.evaluate('step'), await two.evaluate('step')]).toEqual(['1', '0']);
    await one.request('disconnect');
    expect((await two.go('next')).reason).toBe('step');
  });
});
