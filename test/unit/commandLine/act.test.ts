/** `skill-state act`: its two forms of output, and where its actions come from. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ActFlags, act } from '../../../client/src/commandLine/act';
import { UsageFailure } from '../../../client/src/commandLine/terminal';
import { FileFailure } from '../../../client/src/hosts/node/skillFolder';

interface Played {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Plays with `input` on standard input. */
async function play(flags: ActFlags, input: string, signal = new AbortController().signal): Promise<Played> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdin.end(input);
  const code = await act('warehouse', flags, { stdin, stdout, stderr, signal });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const jsonLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('act', () => {
  it('writes an observation for each action, and the score', async () => {
    const { code, stdout, stderr } = await play({ seed: 0, horizon: 2 }, 'Store item_0 shelf_0\nDance\n');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'Shipment arrived containing item_0.',
      'Success: Stored item_0 on shelf_0.',
      expect.stringMatching(/^(Shipment|Customer|Maintenance) /),
      'Error: unknown action "Dance".',
      'Score: 0.5 (1 of 2 events)',
      '',
    ]);
  });

  it('writes an object a line with --json', async () => {
    const { code, stdout } = await play(
      { seed: 0, horizon: 2, json: true },
      'Store item_0 shelf_0\r\n\r\nDance',
    );
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toEqual([
      { observation: 'Shipment arrived containing item_0.' },
      {
        observation: expect.stringMatching(/^Success: Stored item_0 on shelf_0\.\n/),
        accepted: true,
        done: false,
      },
      { observation: 'Error: unknown action "Dance".', accepted: false, done: true },
      { score: 0.5 },
    ]);
  });

  it('scores what was done where actions end early, and ignores those after the end', async () => {
    expect(jsonLines((await play({ json: true }, 'Store item_0 shelf_3\n')).stdout).at(-1)).toEqual({
      score: 1,
    });
    expect(jsonLines((await play({ json: true }, '')).stdout)).toHaveLength(2);
    expect(jsonLines((await play({ horizon: 1, json: true }, 'Wait\nWait\nWait\n')).stdout)).toEqual([
      { observation: 'Shipment arrived containing item_0.' },
      { observation: 'Success: Waited.', accepted: true, done: true },
      { score: 0 },
    ]);
  });

  it('reads actions from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'act-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'actions.txt');
    await writeFile(file, '\uFEFFStore item_0 shelf_0\r\n');
    const fromFile = await play({ actions: file, json: true }, 'Dance\n');
    expect(fromFile).toEqual(await play({ actions: '-', json: true }, 'Store item_0 shelf_0\n'));
  });

  it('is used wrongly with an environment or a file that is not there', async () => {
    const terminal = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      signal: new AbortController().signal,
    };
    for (const name of ['warehuose', 'manual']) {
      await expect(act(name, {}, terminal)).rejects.toBeInstanceOf(UsageFailure);
      await expect(act(name, {}, terminal)).rejects.toThrow(
        `no environment "${name}" to act in; there is warehouse.`,
      );
    }
    const missing = act('warehouse', { actions: join(tmpdir(), 'no', 'such', 'file') }, terminal);
    await expect(missing).rejects.toBeInstanceOf(FileFailure);
  });

  it('ends without a score when it is interrupted', async () => {
    const controller = new AbortController();
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const playing = act(
      'warehouse',
      {},
      { stdin: new PassThrough(), stdout, stderr, signal: controller.signal },
    );
    stdout.once('data', () => controller.abort());
    expect(await playing).toBe(1);
    expect(stdout.read()).toBeNull();
  });

  it('prompts at a terminal and completes what is typed', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const screen = new Screen(stdout);
    const { signal } = new AbortController();
    const playing = act('warehouse', { horizon: 1 }, { stdin, stdout, stderr: new PassThrough(), signal });
    await screen.shows('> ');
    stdin.write('Sto');
    stdin.write('\t');
    await screen.shows('Store ');
    stdin.write('\t');
    await screen.shows('item_0 ');
    stdin.write('shelf_7\r');
    expect(await playing).toBe(0);
    await screen.shows('Success: Stored item_0 on shelf_7.\nScore: 1 (1 of 1 events)\n');
  });

  it('ends at a terminal on Ctrl-C, with the score', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const screen = new Screen(stdout);
    const { signal } = new AbortController();
    const playing = act('warehouse', {}, { stdin, stdout, stderr: new PassThrough(), signal });
    await screen.shows('> ');
    stdin.write('\u0003');
    expect(await playing).toBe(0);
    await screen.shows('\nScore: n/a (0 of 0 events)\n');
  });
});

/** Everything that was written so far. */
class Screen {
  #text = '';
  readonly #output: PassThrough;

  constructor(output: PassThrough) {
    this.#output = output;
    output.on('data', (chunk) => {
      this.#text += String(chunk);
    });
  }

  async shows(text: string): Promise<void> {
    while (!this.#text.includes(text)) await once(this.#output, 'data');
  }
}
