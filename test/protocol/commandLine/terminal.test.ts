/** What comes from a model, an environment, a skill or a trace never controls the terminal; output that is lost is told. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../client/src/commandLine/run';
import { createTerminalAsker } from '../../../client/src/commandLine/terminalAsker';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const command = (args: readonly string[], input?: string) => runCommand(args, folder.path, input);
const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);

/** Sets a title, clears the screen, hides text, goes back and overwrites, reverses, by seven and by eight bits. */
const evil = '\x1b]0;x\x07\x1b[2J\x1b[8m\x9b31m\x9dx\x9c\b\r\0\x7f\x85\u2028\u202e\u2066';
const obeyed = /(?![\t\n])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe('a hostile model', () => {
  const reply = (patch: unknown, action: unknown, more = {}) =>
    `${evil}\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action, ...more })}\n\`\`\`\n${evil}`;
  const replies = [
    reply({ [evil]: evil, 'two\nlines': 1 }, `look ${evil}`),
    reply({ [evil]: { a: { b: { c: { d: 1 } } } } }, 'look'),
    reply({}, 'look', { [evil]: 1 }),
    reply({}, 1),
    reply({ [evil]: null }, 'look'),
    evil,
  ];
  const answers = ['--replies', 'replies.jsonl', '--observations', 'observations.jsonl'];
  const stringLines = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join('\n');

  beforeAll(() => {
    mkdirSync(join(folder.path, 'hostile'));
    write(
      join('hostile', 'SKILL.md'),
      `---\nname: ${JSON.stringify(evil).replaceAll('\u2028', '\\u2028')}\ndescription: d\n---\nDo it.${evil.replace('\0', '')}\n`,
    );
    write('replies.jsonl', stringLines(replies));
    write('observations.jsonl', stringLines([evil, `${evil}\nsecond line`, evil, evil]));
  });

  it.each([
    ['run', [...answers]],
    ['run as JSON', [...answers, '--json']],
    ['run by hand', []],
    ['a run that stops', [...answers, '--max-retries', '0', '--on-exhausted', 'stop']],
  ])('%s', async (name, flags) => {
    const trace = `${name.replaceAll(' ', '-')}.skilltrace.jsonl`;
    const typed = `${evil}\n.\n${replies[0]}\n.\n${evil}\n.\n`;
    const { code, stdout, stderr } = await command(['run', 'hostile', '--trace', trace, ...flags], typed);
    expect(code).toBe(1);
    expect(stdout).not.toMatch(obeyed);
    expect(stderr).not.toMatch(obeyed);
    for (const view of [[], ['--json'], ['--step', '0'], ['--step', '0', '--json']]) {
      const shown = await command(['trace', 'show', trace, ...view]);
      expect(shown.code).toBe(0);
      expect(shown.stdout).not.toMatch(obeyed);
      if (view.includes('--json')) JSON.parse(shown.stdout);
    }
  });

  it.each([[[]], [['--json']]])('patch %j', async (flags) => {
    write('schema.yaml', 'type: object\nadditionalProperties: {type: [string, integer]}\n');
    write('state.json', JSON.stringify({ [evil]: evil }));
    for (const [patch, expected] of [
      [{ a: evil }, 0],
      [{ [evil]: [] }, 1],
    ] as const) {
      write('patch.json', JSON.stringify(patch));
      const files = ['--schema', 'schema.yaml', '--state', 'state.json', '--patch', 'patch.json'];
      const { code, stdout } = await command(['patch', ...files, ...flags]);
      expect(code).toBe(expected);
      expect(stdout).not.toMatch(obeyed);
    }
  });

  it.each([[[]], [['--json']]])('act %j', async (flags) => {
    const { stdout } = await command(['act', 'warehouse', ...flags], `${evil.replaceAll('\r', '')}\n`);
    expect(stdout).not.toMatch(obeyed);
  });

  it('names of files in errors', async () => {
    const { stderr } = await command(['run', `no${evil.replace('\0', '')}where`]);
    expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
    expect(stderr).not.toMatch(obeyed);
  });
});

it.each([[[]], [['trace']]])('%j without a command says to name one', async (args) => {
  const { code, stdout, stderr } = await command(args);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: 'skill-state: Name a command; --help lists them.\n',
  });
});

it.skipIf(!existsSync('/dev/full')).each([['--json'], ['--seed=1']])(
  'output that is lost is a failure (%s)',
  (flag) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        join(repository, 'dist', 'cli.js'),
        ...['run', join(repository, 'samples', 'warehouse'), '--horizon', '2', flag],
      ],
      {
        cwd: folder.path,
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        encoding: 'utf8',
      },
    );
    expect(status).toBe(1);
    expect(stderr).toContain("skill-state: The output can't be written: the disk is full.\n");
    expect(stderr).not.toMatch(/\n\s+at /);
  },
);

describe('a run that does not complete', () => {
  /** Runs in this process, with outputs that say they are terminals or not. */
  async function runIn(outputs: { readonly stdout: boolean; readonly stderr: boolean }, json = false) {
    const path = join(folder.path, `${outputs.stdout}-${outputs.stderr}-${json}.skilltrace.jsonl`);
    const stream = (isTTY: boolean) => Object.assign(new PassThrough().setEncoding('utf8'), { isTTY });
    const [stdout, stderr] = [stream(outputs.stdout), stream(outputs.stderr)];
    const { signal } = new AbortController();
    const terminal = { stdin: new PassThrough(), stdout, stderr, signal };
    const flags = { budgetSteps: 1, trace: path, json };
    const code = await run(join(repository, 'samples', 'warehouse'), flags, terminal);
    expect(code).toBe(1);
    return { stdout: String(stdout.read()), stderr: String(stderr.read()) };
  }
  it.each([
    { stdout: true, stderr: true },
    { stdout: false, stderr: true },
    { stdout: false, stderr: false },
    { stdout: true, stderr: false },
  ])('says why once, wherever its outputs go: %j', async (outputs) => {
    const { stdout, stderr } = await runIn(outputs);
    expect(stdout).toMatch(/^capped$/m);
    expect(stdout).not.toMatch(/capped:|^resume/m);
    expect(stderr).toMatch(/^skill-state: capped: [^\n]+\n$/);
  });

  it('says why beside its JSON', async () => {
    const { stdout, stderr } = await runIn({ stdout: true, stderr: true }, true);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'capped' });
    expect(stderr).toMatch(/^skill-state: capped: [^\n]+\n$/);
  });
});

it('the terminal says how an action is refused, once there is one', async () => {
  const stderr = new PassThrough().setEncoding('utf8');
  const stdin = new PassThrough();
  const { signal } = new AbortController();
  const asker = createTerminalAsker({ stdin, stdout: new PassThrough(), stderr, signal });
  stdin.write('a\n.\nError: b\n.\n');
  const observation = { kind: 'observation', title: 'What now?' } as const;
  expect(await asker.ask({ ...observation, step: 0, action: undefined }, signal)).toBe('a');
  expect(String(stderr.read())).not.toContain('Error:');
  expect(await asker.ask({ ...observation, step: 1, action: 'go' }, signal)).toBe('Error: b');
  expect(String(stderr.read())).toContain('Begin with "Error:" to refuse the action.');
  asker.close();
});
