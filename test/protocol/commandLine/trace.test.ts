/** `trace show` and `trace blame` on traces with branches, and on broken, foreign and newer ones, as processes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { longTraceBytes } from '../../support/longTrace';
import { skillOf, traceText } from '../../support/memoryRun';
import { writtenTrace } from '../../support/writtenTrace';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const command = (...args: readonly string[]) => runCommand(['trace', ...args], folder.path);
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder.path, name), content);

/** The lines of a trace of 40 steps with a branch that leaves it in the middle of step 17. */
let lines: readonly string[];
let text: string;
beforeAll(async () => {
  const forks = [{ step: 17, at: 'act', steps: 12 }] as const;
  const bytes = await longTraceBytes({ steps: 40, seed: 5, keyframeEvery: 8, forks });
  text = new TextDecoder().decode(bytes);
  lines = text.trimEnd().split('\n');
  write('branched.skilltrace.jsonl', bytes);
});

const lineWith = (part: string) => lines.findIndex((line) => line.includes(part));

describe('trace show', () => {
  it('shows the original run, and where branches leave it', async () => {
    const { code, stdout, stderr } = await command('show', 'branched.skilltrace.jsonl');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const shown = stdout.trimEnd().split('\n');
    expect(shown.filter((line) => line.startsWith('t='))).toHaveLength(40);
    expect(shown.find((line) => line.startsWith('t=17 '))).toContain('branch 1 begins');
    expect(shown.at(-1)).toBe(
      'branch 1: leaves branch 0 at step 17, 29 steps along its line, completed: The environment is done.',
    );
  });

  it('shows a branch along its line of history, with the steps as they were recorded', async () => {
    const { stdout } = await command('show', 'branched.skilltrace.jsonl', '--branch', '1', '--json');
    const shown = JSON.parse(stdout);
    expect(shown.branches).toMatchObject([
      { id: 0, parent: null, steps: 40 },
      { id: 1, parent: { branch: 0, step: 17 }, from: 17, steps: 29 },
    ]);
    expect(shown.steps.map(({ step }: { step: number }) => step)).toEqual([...Array(29).keys()]);
    expect(shown.steps[16].action).toMatch(/^Move /);
    expect(shown.steps[17].action).toMatch(/^Inspect /);
    const step = await command(
      'show',
      'branched.skilltrace.jsonl',
      '--branch',
      '1',
      '--step',
      '17',
      '--json',
    );
    expect(JSON.parse(step.stdout)).toMatchObject({ step: 17, action: expect.stringMatching(/^Inspect /) });
    expect(step.stderr).toBe('');
  });

  it.each([
    [['--branch', '2'], 'branched.skilltrace.jsonl has no branch 2: it has branches 0 to 1.'],
    [
      ['--branch', '1', '--step', '29'],
      'branched.skilltrace.jsonl has no step 29: branch 1 has steps 0 to 28.',
    ],
    [['--step', '40'], 'branched.skilltrace.jsonl has no step 40: it has steps 0 to 39.'],
  ])('refuses %j', async (flags, message) => {
    const { code, stdout, stderr } = await command('show', 'branched.skilltrace.jsonl', ...flags);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `skill-state: ${message}\n` });
  });

  it('shows what is left of a broken trace, and says what is not', async () => {
    const commit = lines.findIndex((line) => line.includes('"kind":"commit"') && line.includes('"step":20'));
    const fork = lineWith('"kind":"fork"');
    write(
      'broken.skilltrace.jsonl',
      [
        ...lines.slice(0, commit),
        '{"kind":',
        ...lines.slice(commit + 1, fork),
        ...lines.slice(fork + 1),
      ].join('\n'),
    );
    const { code, stdout, stderr } = await command('show', 'broken.skilltrace.jsonl', '--branch', '1');
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `broken.skilltrace.jsonl:${commit + 1}: The line is not JSON.`,
      expect.stringContaining('belongs to branch 1, whose beginning is missing.'),
      expect.stringContaining('The last record is incomplete'),
    ]);
    expect(stdout).toContain("t=16  (its records can't be read)");
    expect(stdout).toMatch(/t=17 {2}Inspect /);
    const step = await command('show', 'broken.skilltrace.jsonl', '--step', '21');
    expect(step.code).toBe(0);
    expect(step.stderr).toContain(
      "The states around step 21 may differ from these: lines before can't be read.",
    );
  });

  it('says of a run without an end whether a branch goes on from it', async () => {
    const end = lineWith('"kind":"end"');
    write('left.skilltrace.jsonl', [...lines.slice(0, end), ...lines.slice(end + 1)].join('\n'));
    const left = await command('show', 'left.skilltrace.jsonl');
    expect(left.stdout).toContain(
      'no end: branch 1 goes on from step 17, or the run was killed, or is still going on.',
    );
    write('killed.skilltrace.jsonl', lines.slice(0, end).join('\n'));
    const killed = await command('show', 'killed.skilltrace.jsonl');
    expect(killed.stdout).toContain('no end: the run was killed, or is still going on.');
  });

  it('shows what it knows of a newer trace', async () => {
    const newer = [
      (lines[0] ?? '').replace('"version":1', '"version":2').replace('"skill":', '"weather":"fine","skill":'),
      '{"kind":"dream","id":1,"parent":0,"branch":0,"step":0,"time":1}',
      ...lines.slice(1, 30).map((line, index) =>
        line
          .replace(/"id":\d+/, `"id":${index + 2}`)
          .replace(/"parent":\d+/, `"parent":${index + 1}`)
          .replace('"time":', '"mood":1,"time":'),
      ),
    ];
    write('newer.skilltrace.jsonl', `${newer.join('\n')}\n`);
    const { code, stdout, stderr } = await command('show', 'newer.skilltrace.jsonl');
    expect(code).toBe(0);
    expect(stderr).toBe(
      'newer.skilltrace.jsonl:1: The trace has version 2, and this program reads up to 1: use a newer SKILL.state.\n',
    );
    expect(stdout).toMatch(/^warehouse in steady/);
    expect(stdout).toMatch(/t=3 {2}Move /);
    const step = await command('show', 'newer.skilltrace.jsonl', '--step', '2', '--json');
    expect(JSON.parse(step.stdout)).toMatchObject({ step: 2, state: { inventory: expect.anything() } });
  });

  it('says where a prompt is not the one that was sent, and a text not the one that was recorded', async () => {
    const attempt = lineWith('"kind":"attempt"');
    const hash = /"sha256":"[0-9a-f]{64}"/;
    const changed = lines.map((line, index) =>
      index === attempt
        ? line.replace(hash, `"sha256":"${'0'.repeat(64)}"`)
        : index === 0
          ? line.replace('Runs a warehouse', 'Runs a Warehouse')
          : line,
    );
    write('edited.skilltrace.jsonl', `${changed.join('\n')}\n`);
    const { code, stderr } = await command('show', 'edited.skilltrace.jsonl', '--step', '0');
    expect(code).toBe(0);
    expect(stderr).toContain(
      "edited.skilltrace.jsonl:1: The recorded text of SKILL.md doesn't have the hash that is recorded with it: the trace was edited.",
    );
    expect(stderr).toContain(
      "The prompt of step 0, attempt 1, isn't the one that was sent: its hash is another.",
    );
  });

  it.each([
    ['utf16', Buffer.from('\uFEFF{"kind":"run"}\n', 'utf16le'), /:1: The file is UTF-16 text/],
    ['empty', '', / is no trace: it is empty\.$/],
    ['nul', new Uint8Array(5_000), / is no trace: its first line is not a run record\.$/],
    [
      'noise',
      Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7_919) % 251),
      / is no trace: |:1: The line/,
    ],
  ])('says in one line what is wrong with a file: %s', async (name, content, expected) => {
    write(`${name}.bin`, content);
    const { code, stdout, stderr } = await command('show', `${name}.bin`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ['a folder', 1, 'folder', "The trace folder can't be read: it is a folder."],
    ['nothing', 2, 'nowhere', "The trace nowhere can't be read: it doesn't exist."],
  ])('says so where there is %s', async (_what, expected, name, message) => {
    mkdirSync(join(folder.path, 'folder'), { recursive: true });
    const { code, stderr } = await command('show', name);
    expect({ code, stderr }).toEqual({ code: expected, stderr: `skill-state: ${message}\n` });
  });
});

describe('trace blame', () => {
  beforeAll(async () => {
    const skill = await skillOf({
      'SKILL.md': '---\nname: skill\ndescription: A skill.\n---\nDo it.\n',
      'state.initial.json': '{"a":{"x":1}}',
    });
    write(
      'written.skilltrace.jsonl',
      traceText(
        writtenTrace(skill, [
          { patch: { a: { x: 2 } }, accepted: true },
          { patch: { a: { y: '\u001b[31mred' } }, accepted: true, facts: { seen: true } },
          { patch: { a: { x: null } }, accepted: false },
          { edits: [['/a/x', 5]] },
        ]),
      ),
    );
  });

  it('tells who wrote a value, newest first', async () => {
    const { code, stdout, stderr } = await command('blame', 'written.skilltrace.jsonl', '/a/x');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      't=3  a person set it: 5',
      '     observation  O 3',
      't=2  the model deleted it: (gone)  [proposed since t=2]',
      '     action       Act 2',
      '     observation  O 2',
      't=0  the model changed it: 2',
      '     action       Act 0',
      '     observation  O 0',
      't=0  was there from the start: 1',
      '',
    ]);
  });

  it('of an object tells what was written into it, safe for a terminal', async () => {
    const { stdout } = await command('blame', 'written.skilltrace.jsonl', 'a', '--step', '2', '--limit', '1');
    expect(stdout).toMatch(/^t=1 {2}the model wrote into it: \/a\/y\n/);
    const value = await command('blame', 'written.skilltrace.jsonl', '/a/y');
    expect(value.stdout).toContain('\\u001b[31mred');
    expect(value.stdout).not.toContain('\u001b');
  });

  it('takes a path as the debug console does', async () => {
    const { stdout } = await command('blame', 'written.skilltrace.jsonl', '/a/y');
    for (const path of ['state.a.y', 'state["a"].y'])
      expect((await command('blame', 'written.skilltrace.jsonl', path)).stdout).toBe(stdout);
    const { code, stderr } = await command('blame', 'written.skilltrace.jsonl', 'state.a..y');
    expect(code).toBe(2);
    expect(stderr).toContain('can\'t be read: after state, write .name, ["name"] or [0].');
  });

  it('gives JSON', async () => {
    const { stdout } = await command('blame', 'written.skilltrace.jsonl', '/seen', '--json');
    expect(JSON.parse(stdout)).toEqual({
      pointer: '/seen',
      step: 4,
      branch: 0,
      entries: [
        {
          step: 1,
          attempt: null,
          by: 'environment',
          change: 'set',
          pointers: ['/seen'],
          confirmed: true,
          value: true,
          before: null,
          patch: { seen: true },
          action: 'Act 1',
          observation: 'O 1',
          proposedSince: null,
        },
      ],
    });
  });

  it.each([
    [['/a/x', '--step', '5'], 2, 'written.skilltrace.jsonl has no state 5: it has states 0 to 4.'],
    [['/a/x', '--branch', '3'], 2, 'written.skilltrace.jsonl has no branch 3: it has branch 0 alone.'],
  ])('refuses %j', async (args, expected, message) => {
    const { code, stderr } = await command('blame', 'written.skilltrace.jsonl', ...args);
    expect({ code, stderr }).toEqual({ code: expected, stderr: `skill-state: ${message}\n` });
  });

  it('says where nobody wrote', async () => {
    const { code, stdout } = await command('blame', 'written.skilltrace.jsonl', '/never');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '/never was written by no step before 4.\n' });
  });

  it.each([
    ['a.x', ' A path of names begins with state: state.a.x.'],
    ['a["x"]', ' A path of names begins with state: state.a["x"].'],
    ['a.', ''],
    ['never', ''],
    ['/a.x', ''],
  ])('says of %s, which nobody wrote, what may be meant', async (pointer, hint) => {
    const { stdout } = await command('blame', 'written.skilltrace.jsonl', pointer);
    const written = pointer.replace(/^(?!\/)/, '/');
    expect(stdout).toBe(`${written} was written by no step before 4.${hint}\n`);
  });
});
