/** `skill-state dap` as a process on stdio: whole sessions on the warehouse sample, as golden transcripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandProcess, type endOf, startCommand, temporaryFolder } from '../../support/commandLine';
import { DebugClient } from '../../support/debugClient';
import { expectGolden } from '../../support/golden';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const skill = join(repository, 'samples', 'warehouse');
const skillFile = join(skill, 'SKILL.md');
const schemaFile = join(skill, 'state.schema.yaml');

/** The line of a file, from 1, on which a text first stands. */
function lineOf(path: string, text: string): number {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

describe('skill-state dap on stdio', () => {
  let child: CommandProcess;
  let ended: ReturnType<typeof endOf>;
  let client: DebugClient;

  beforeEach(() => {
    child = startCommand(['dap'], folder.path);
    client = new DebugClient(
      { input: child.stdout, output: child.stdin },
      {
        masks: [
          [join(repository, 'samples'), '<samples>'],
          [folder.path, '<folder>'],
        ],
      },
    );
    ended = new Promise((resolve, reject) => {
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        stderr += part;
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code: code ?? undefined, stdout: '', stderr }));
    });
  });
  afterEach(() => child.kill());

  /** Disconnects; the process has to end by itself, and in order. */
  async function leave(): Promise<void> {
    await client.request('disconnect');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  }

  it('walks through phases and steps, and runs to the end', async () => {
    await client.launch({ skill, horizon: 6, seed: 42, trace: 'walk.skilltrace.jsonl' });
    await client.event('stopped');
    await client.request('threads');
    await client.stack();
    for (const _phase of ['prompt', 'generate', 'parse', 'validate', 'merge', 'act', 'observe']) {
      await client.go('stepIn');
      await client.stack();
    }
    await client.go('next');
    await client.stack();
    for (const scope of await client.scopes())
      await client.variables({ variablesReference: scope.variablesReference });
    await client.evaluate('state.inventory');
    await client.evaluate('tokens.total');
    await client.go('stepOut');
    await client.stack();
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    await leave();
    expectGolden('debug/walk.txt', client.transcript());
  });

  it('stops at breakpoints of both kinds, and says why others do not bind', async () => {
    const breakpoints = {
      [skillFile]: [lineOf(skillFile, '- `Ship '), lineOf(skillFile, '## Example')],
      [schemaFile]: [lineOf(schemaFile, '  inventory:'), lineOf(schemaFile, 'type: object')],
      [join(skill, 'elsewhere.md')]: [3],
    };
    await client.launch(
      { skill, horizon: 12, seed: 42, stopOnEntry: false, trace: 'breakpoints.skilltrace.jsonl' },
      { breakpoints },
    );
    await client.event('stopped');
    await client.stack();
    await client.request('setBreakpoints', { source: { path: schemaFile }, breakpoints: [] });
    await client.go('continue');
    await client.stack();
    await client.request('setBreakpoints', { source: { path: skillFile }, lines: [] });
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    await leave();
    expectGolden('debug/breakpoints.txt', client.transcript());
  });

  it('stops on rejected replies at the rule that was violated', async () => {
    await client.launch(
      {
        skill,
        horizon: 25,
        seed: 42,
        faults: 0.3,
        faultSeed: 1,
        stopOnEntry: false,
        trace: 'rejected.skilltrace.jsonl',
      },
      { filters: ['rejected'] },
    );
    for (let stops = 0; stops < 2; stops++) {
      if (stops > 0) await client.request('continue', { threadId: 1 });
      await client.event('stopped');
      await client.request('exceptionInfo', { threadId: 1 });
      const [top] = await client.stack();
      const { scopes } = await client.request<DebugProtocol.ScopesResponse['body']>('scopes', {
        frameId: top?.id,
      });
      for (const name of ['Patch ΔΣ', 'Attempts']) {
        const scope = scopes.find((candidate) => candidate.name === name);
        await client.variables({ variablesReference: scope?.variablesReference ?? 0 });
      }
      if (top?.source?.sourceReference)
        await client.request('source', { sourceReference: top.source.sourceReference });
    }
    await client.go('next');
    await client.stack();
    await leave();
    expectGolden('debug/rejected.txt', client.transcript());
  });

  it('stops when the retries are exhausted', async () => {
    await client.launch(
      {
        skill,
        horizon: 25,
        faults: 1,
        maxRetries: 1,
        onExhausted: 'stop',
        stopOnEntry: false,
        trace: 'exhausted.skilltrace.jsonl',
      },
      { filters: ['exhausted'] },
    );
    await client.event('stopped');
    await client.request('exceptionInfo', { threadId: 1 });
    await client.stack();
    await client.request('continue', { threadId: 1 });
    await client.event('terminated');
    await leave();
    expectGolden('debug/exhausted.txt', client.transcript());
  });

  it('answers whatever arrives, and goes on', async () => {
    await client.ask('threads');
    await client.request('initialize', { adapterID: 'x' });
    client.sendRaw('Content-Length: 9\r\n\r\n{"seq": 1');
    await client.event('output');
    client.sendRaw('Content-Length: 4\r\n\r\nnull');
    await client.event('output');
    client.sendRaw('Nonsense: 1\r\n\r\n');
    await client.event('output');
    await client.ask('fly');
    await client.ask('stackTrace', { threadId: 1 });
    await client.ask('launch', { skill: join(folder.path, 'nowhere') });
    await client.ask('launch', { skill, horizon: 0, commit: 'never' });
    await client.launch(
      { skill, noDebug: true, horizon: 3, trace: 'answers.skilltrace.jsonl' },
      { filters: ['rejected'] },
    );
    await client.event('terminated');
    await client.ask('continue', { threadId: 1 });
    await leave();
    expectGolden('debug/answers.txt', client.transcript());
  });

  it('ends when the client hangs up, and leaves a trace that can be resumed', async () => {
    await client.launch({ skill, horizon: 5, trace: 'hungUp.skilltrace.jsonl' });
    await client.event('stopped');
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    const last = readFileSync(join(folder.path, 'hungUp.skilltrace.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ kind: 'end', outcome: 'cancelled', resumable: true });
  });
});
