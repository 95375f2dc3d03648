/** `new`, `infer` and `prompt`, as processes. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const command = (args: readonly string[]) => runCommand(args, folder.path);
const path = (...names: readonly string[]) => join(folder.path, ...names);
const warehouse = join(repository, 'samples', 'warehouse');

describe('new', () => {
  it('writes a skill that runs', async () => {
    const made = await command([
      'new',
      'shelves',
      '--description',
      'Sorts: "all".',
      '--template',
      'warehouse',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout.trimEnd().split('\n')).toEqual([
      join('shelves', 'SKILL.md'),
      join('shelves', 'state.schema.yaml'),
    ]);
    const ran = await command(['run', 'shelves', '--horizon', '3', '--json']);
    expect(ran).toMatchObject({ code: 0 });
  });

  it('overwrites nothing', async () => {
    await command(['new', 'mine', '--description', 'First.']);
    const before = readFileSync(path('mine', 'SKILL.md'), 'utf8');
    const again = await command(['new', 'mine', '--description', 'Second.']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Nothing is overwritten');
    expect(readFileSync(path('mine', 'SKILL.md'), 'utf8')).toBe(before);
  });

  it('says what is wrong with a name, and writes nothing', async () => {
    const { code, stderr } = await command(['new', '../Up', '--description', 'Up.']);
    expect({ code, made: existsSync(path('..', 'Up')) }).toEqual({ code: 2, made: false });
    expect(stderr).toContain('lowercase letters');
  });
});

describe('infer', () => {
  it('prints a schema that the states fit', async () => {
    writeFileSync(path('one.yaml'), 'open: {task_1: write}\n');
    writeFileSync(path('two.json'), '{"open":{"task_1":"write","task_12":"test"},"done":3}');
    const { code, stdout } = await command(['infer', 'one.yaml', 'two.json']);
    expect(code).toBe(0);
    writeFileSync(path('inferred.yaml'), stdout);
    writeFileSync(path('patch.json'), '{"done":4}');
    const merge = ['patch', '--schema', 'inferred.yaml', '--state', 'two.json', '--patch', 'patch.json'];
    expect(await command(merge)).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes a file only where there is none', async () => {
    writeFileSync(path('state.json'), '{"a":1}');
    expect(await command(['infer', 'state.json', '--output', 'schema.yaml'])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(readFileSync(path('schema.yaml'), 'utf8')).toContain('maximum: 10');
    expect(await command(['infer', 'state.json', '--output', 'schema.yaml'])).toMatchObject({ code: 1 });
    const elsewhere = join('nowhere', 'schema.yaml');
    expect((await command(['infer', 'state.json', '--output', elsewhere])).stderr).toBe(
      `skill-state: ${elsewhere} can't be written: there is no such folder.\n`,
    );
  });

  it('names the place in a state that cannot be read', async () => {
    writeFileSync(path('broken.yaml'), 'a: 1\nb: [\n');
    const { code, stderr } = await command(['infer', 'broken.yaml']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.yaml:\d+: /);
  });
});

describe('prompt', () => {
  it('prints the prompt, and its split beside it', async () => {
    writeFileSync(path('now.json'), '{"inventory":{"shelf_3":"item_9"}}');
    const args = ['prompt', warehouse, '--state', 'now.json', '--observation', 'Customer ordered item_9.'];
    const { code, stdout, stderr } = await command(args);
    expect(code).toBe(0);
    expect(stdout).toContain('```json\n{"inventory":{"shelf_3":"item_9"}}\n```');
    expect(stdout).toContain('Latest Observation: Customer ordered item_9.');
    expect(stderr).toMatch(/^\d+ tokens: instructions \d+, state \d+, observation \d+, scaffold \d+ /);
  });

  it('says of a state that no run has what forbids it', async () => {
    writeFileSync(path('never.json'), '{"inventory":{"shelf_3":9}}');
    const { code, stdout, stderr } = await command(['prompt', warehouse, '--state', 'never.json']);
    expect(code).toBe(0);
    expect(stdout).toContain('{"inventory":{"shelf_3":9}}');
    expect(stderr).toMatch(/^No run has this state, at \/inventory\/shelf_3: .+\n\d+ tokens: /);
  });

  it('has both in one object with --json', async () => {
    const { stdout, stderr } = await command(['prompt', warehouse, '--json']);
    const { prompt, tokens } = JSON.parse(stdout);
    expect(stderr).toBe('');
    expect(prompt).toContain('{"inventory":{}}');
    expect(tokens.total).toBe(tokens.instructions + tokens.state + tokens.observation + tokens.scaffold);
  });

  it('is what a run sends, to the letter and the token, for the same state and observation', async () => {
    const run = ['run', warehouse, '--horizon', '4', '--trace', 'run.skilltrace.jsonl'];
    expect(await command(run)).toMatchObject({ code: 0 });
    const records = readFileSync(path('run.skilltrace.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const attempts = records.filter(({ kind, attempt }) => kind === 'attempt' && attempt === 1);
    expect(attempts.length).toBeGreaterThan(3);
    for (const attempt of attempts) {
      const show = ['trace', 'show', 'run.skilltrace.jsonl', '--step', String(attempt.step), '--json'];
      const { state, observation } = JSON.parse((await command(show)).stdout);
      writeFileSync(path('then.json'), JSON.stringify(state));
      const args = ['prompt', warehouse, '--state', 'then.json', '--observation', observation];
      const { stdout } = await command(args);
      expect(createHash('sha256').update(stdout).digest('hex')).toBe(attempt.prompt.sha256);
      const { tokens } = JSON.parse((await command([...args, '--json'])).stdout);
      expect(tokens).toMatchObject(attempt.tokens.split);
    }
  });

  it('says what is wrong with a state', async () => {
    writeFileSync(path('list.json'), '[1]');
    expect(await command(['prompt', warehouse, '--state', 'list.json'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'skill-state: list.json holds no state: a state is an object.\n',
    });
    expect(await command(['prompt', warehouse, '--state', 'nowhere.json'])).toMatchObject({
      code: 2,
      stderr: "skill-state: nowhere.json can't be read: it doesn't exist.\n",
    });
  });
});
