/** A client in Python, which shares no code with the adapter, drives whole sessions; and the adapter on TCP. */
import { spawn, spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type CommandProcess,
  endOf,
  runCommand,
  startCommand,
  temporaryFolder,
} from '../../support/commandLine';
import { DebugClient } from '../../support/debugClient';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const skill = join(repository, 'samples', 'warehouse');
const script = join(repository, 'test', 'protocol', 'debug', 'independentClient.py');
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) {
  const reason =
    'There is no python3 on this machine: the tests of the debug adapter by a client in Python are left out.';
  if (process.env.CI) throw new Error(reason);
  process.stderr.write(`${reason}\n`);
}

/** Runs the client to its end; gives what it printed. */
function runClient(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', [script, ...args], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
    });
    child.stderr.on('data', (part) => {
      text += part;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}

/** The adapter on a free port, which it names on stderr. */
async function listening(): Promise<{
  readonly port: number;
  readonly child: CommandProcess;
  readonly ended: ReturnType<typeof endOf>;
}> {
  const child = startCommand(['dap', '--port', '0'], folder.path);
  const ended = endOf(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr.on('data', (part: string) => {
      const found = /127\.0\.0\.1:(\d+)/.exec(part)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.on('close', () => reject(new Error('The adapter ended before it listened')));
  });
  return { port, child, ended };
}

describe.skipIf(!hasPython)('a client in Python', () => {
  it('debugs the warehouse over stdio', async () => {
    const command = [process.execPath, join(repository, 'dist', 'cli.js'), 'dap'];
    expect(await runClient(['stdio', skill, ...command])).toEqual({
      code: 0,
      text: expect.stringContaining('ends in order'),
    });
  });

  it('debugs the warehouse over TCP, twice at once', async () => {
    const { port, child, ended } = await listening();
    const [one, two] = await Promise.all([
      runClient([`tcp:${port}`, skill]),
      runClient([`tcp:${port}`, skill]),
    ]);
    expect([one.code, two.code], `${one.text}\n${two.text}`).toEqual([0, 0]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('skill-state dap --port', () => {
  it('serves several clients, one after the other and at once, and survives one that hangs up', async () => {
    const { port, child, ended } = await listening();
    const sessions = await Promise.all(
      [1, 2].map(async (number) => {
        const socket = connect(port, '127.0.0.1');
        const client = new DebugClient({ input: socket, output: socket });
        await client.launch({ skill, seed: number, trace: `port-${number}.skilltrace.jsonl` });
        await client.event('stopped');
        return { socket, client };
      }),
    );
    sessions[0]?.socket.destroy();
    expect((await sessions[1]?.client.go('next'))?.reason).toBe('step');
    const socket = connect(port, '127.0.0.1');
    await new DebugClient({ input: socket, output: socket }).request('initialize', { adapterID: 'x' });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('has nothing to say however many clients there are', async () => {
    const { port, child, ended } = await listening();
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = connect(port, '127.0.0.1');
        await new DebugClient({ input: socket, output: socket }).request('initialize', { adapterID: 'x' });
      }),
    );
    child.kill('SIGTERM');
    expect(await ended).toEqual({
      code: 0,
      stdout: '',
      stderr: `The debug adapter listens on 127.0.0.1:${port}\n`,
    });
  });

  it('says in one line that a port is taken', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const result = await runCommand(['dap', '--port', String(port)], folder.path);
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: `skill-state: Can't listen on port ${port}: it is in use already.\n`,
    });
    await new Promise((resolve) => taken.close(resolve));
  });
});
