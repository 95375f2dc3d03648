/** `patch`, `trace show`, `act`, and a skill that declares nothing, as processes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const command = (args: readonly string[], input?: string) => runCommand(args, folder.path, input);
const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
const warehouse = join(repository, 'samples', 'warehouse');

describe('patch', () => {
  beforeAll(() => {
    write(
      'schema.yaml',
      'type: object\nproperties:\n  shelves:\n    type: object\n    additionalProperties: {type: string}\n  count: {type: integer, maximum: 5}\n  log: {type: array, x-merge: append}\n  seen: {type: string, x-writer: environment}\nrequired: [shelves]\nadditionalProperties: false\n',
    );
    write('state.json', '{"shelves":{"a":"x"},"count":1,"log":[1]}');
  });

  const patch = async (text: string, ...flags: string[]) => {
    write('patch.json', text);
    return command([
      'patch',
      '--schema',
      'schema.yaml',
      '--state',
      'state.json',
      '--patch',
      'patch.json',
      ...flags,
    ]);
  };

  it.each([
    ['{}', { shelves: { a: 'x' }, count: 1, log: [1] }],
    ['{"shelves":{"a":null,"b":"y"},"count":null,"log":[2]}', { shelves: { b: 'y' }, log: [1, 2] }],
    ['\uFEFF{"count":2}\r\n', { shelves: { a: 'x' }, count: 2, log: [1] }],
  ])('merges %s', async (text, state) => {
    const { code, stdout, stderr } = await patch(text, '--json');
    expect({ code, stderr, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: '',
      printed: { state },
    });
  });

  it.each([
    ['{"count":9}', { class: 'schema', pointer: '/count', schemaLocation: '/properties/count/maximum' }],
    ['{"shelves":null}', { class: 'schema', pointer: '/shelves', schemaLocation: '/required' }],
    [
      '{"shelves":{"a":3}}',
      {
        class: 'schema',
        pointer: '/shelves/a',
        schemaLocation: '/properties/shelves/additionalProperties/type',
      },
    ],
    ['{"more":1}', { class: 'schema', pointer: '/more', schemaLocation: '/additionalProperties' }],
    ['{"seen":"me"}', { class: 'writer', pointer: '/seen' }],
    ['{"count":1,}', { class: 'syntax', pointer: null, schemaLocation: null }],
    ['{"count":1,"count":2}', { class: 'syntax' }],
    ['[]', { class: 'not-an-object' }],
    [`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, { class: 'limit' }],
    ['{"count":1e999}', { class: 'limit' }],
  ])('rejects case %#', async (text, rejection) => {
    const { code, stdout, stderr } = await patch(text, '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      rejection: { message: expect.stringMatching(/^.+$/), ...rejection },
    });
    expect((await patch(text)).stdout).toMatch(/^rejected, /);
  });

  it.each([
    [2, ['--schema', 'nowhere.yaml', '--state', 'state.json', '--patch', 'patch.json']],
    [2, ['--schema', 'schema.yaml', '--state', 'state.json']],
    [1, ['--schema', 'broken.yaml', '--state', 'state.json', '--patch', 'patch.json']],
    [1, ['--schema', 'schema.yaml', '--state', 'list.json', '--patch', 'patch.json']],
  ])('exits with %i for %s', async (expected, args) => {
    write('broken.yaml', 'type: [object');
    write('list.json', '[]');
    const { code, stdout, stderr } = await command(['patch', ...args]);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
  });
});

describe('trace show', () => {
  beforeAll(async () => {
    await command([
      'run',
      warehouse,
      '--horizon',
      '25',
      '--seed',
      '42',
      '--faults',
      '0.12',
      '--fault-seed',
      '59',
      '--trace',
      'run.skilltrace.jsonl',
      '--json',
    ]);
  });

  it('shows the steps', async () => {
    const { code, stdout } = await command(['trace', 'show', 'run.skilltrace.jsonl']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('t='))).toHaveLength(25);
    expect(stdout).toMatch(/\[rejected: schema/);
    expect(stdout).toMatch(/completed: /);
  });

  it('shows everything about one step', async () => {
    const all = JSON.parse((await command(['trace', 'show', 'run.skilltrace.jsonl', '--json'])).stdout);
    expect(all.steps).toHaveLength(25);
    const rejected = all.steps.find((step: { rejections: string[] }) => step.rejections.includes('schema'));
    const { stdout } = await command([
      'trace',
      'show',
      'run.skilltrace.jsonl',
      '--step',
      String(rejected.step),
      '--json',
    ]);
    const details = JSON.parse(stdout);
    expect(details.attempts).toHaveLength(2);
    expect(details.attempts[0].rejection).toMatchObject({
      class: 'schema',
      pointer: expect.stringMatching(/^\//),
      schemaLocation: expect.stringMatching(/^\//),
    });
    expect(details.attempts[1].prompt.startsWith(details.attempts[0].prompt)).toBe(true);
    expect(details.attempts[0].prompt).toContain(JSON.stringify(details.state));
    expect(details.action).toBe(rejected.action);
    const text = (await command(['trace', 'show', 'run.skilltrace.jsonl', '--step', String(rejected.step)]))
      .stdout;
    for (const part of [
      '── Observation',
      '── Prompt, attempt 2',
      '── Rejected, schema at /',
      '── State changes',
    ])
      expect(text).toContain(part);
  });

  it('says what is wrong with a broken trace, and shows the rest', async () => {
    const { stdout } = await command(['trace', 'show', 'run.skilltrace.jsonl', '--json']);
    expect(JSON.parse(stdout).run).toMatchObject({ skill: 'warehouse', outcome: 'completed' });
    write('foreign.skilltrace.jsonl', '{"kind":"run","format":"other"}\n');
    const foreign = await command(['trace', 'show', 'foreign.skilltrace.jsonl']);
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toMatch(/^foreign\.skilltrace\.jsonl:1: This is not a SKILL\.state trace/);
    expect(foreign.stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['prose', '# Title\n\nMuch\nto\nread.\n'],
    ['JSON of others', '[1]\n{"a": 1}\n'],
    ['binary', '\u0000\u0001\n\u0002\n'],
    ['empty', ''],
  ])('says in one line that a file is no trace: %s', async (name, text) => {
    write(`${name}.txt`, text);
    const { code, stdout, stderr } = await command(['trace', 'show', `${name}.txt`]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^[^\n]+\.txt(?: is no trace: (?:its first line is not a run record|it is empty)\.|:1: [^\n]+)\n$/,
    );
  });

  it('counts what is wrong beyond the first ten lines', async () => {
    const whole = readFileSync(join(folder.path, 'run.skilltrace.jsonl'), 'utf8');
    write('broken.skilltrace.jsonl', `${whole}${'not JSON\n'.repeat(59)}`);
    const { code, stdout, stderr } = await command(['trace', 'show', 'broken.skilltrace.jsonl']);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith('t='))).toHaveLength(25);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[10]).toBe("broken.skilltrace.jsonl: 49 more lines can't be read as they are.");
  });
});

describe('act', () => {
  it('plays an environment by hand', async () => {
    const { code, stdout } = await command(
      ['act', 'warehouse', '--seed', '42', '--horizon', '3', '--json'],
      'Store item_0 shelf_0\nDance\nWait\n',
    );
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(lines).toHaveLength(5);
    expect(Object.keys(lines[0])).toEqual(['observation']);
    expect(lines[1]).toMatchObject({ accepted: true, done: false });
    expect(lines[2]).toMatchObject({
      accepted: false,
      observation: expect.stringMatching(/^Error: unknown action "Dance"\.\n/),
    });
    expect(lines[3]).toMatchObject({ observation: 'Success: Waited.', done: true });
    expect(Object.keys(lines[4])).toEqual(['score']);
  });

  it('gives no score where nothing was to be done', async () => {
    write('none', '');
    const act = ['act', 'warehouse', '--actions', 'none'];
    expect((await command(act)).stdout).toMatch(/\nScore: n\/a \(0 of 0 events\)\n$/);
    expect((await command([...act, '--json'])).stdout).toMatch(/\n\{"score":null\}\n$/);
  });

  it('exits with 2 for an environment that is not there', async () => {
    expect((await command(['act', 'moon'])).code).toBe(2);
  });
});

describe('a skill without schema and actions', () => {
  const replies = [
    JSON.stringify('I note it.\n```json\n{"state_patch":{"notes":["started"]},"action":"look around"}\n```'),
    JSON.stringify('No block at all'),
    JSON.stringify('Again.\n```json\n{"state_patch":{"notes":null,"done":true},"action":"finish"}\n```'),
  ].join('\n');
  const observations = ['"A request came in."', '"You see a door."'].join('\r\n');

  function plays(skill: string) {
    return async () => {
      write('replies.jsonl', `${replies}\n`);
      write('observations.jsonl', observations);
      const trace = `${Math.abs(skill.length)}-${skill.split(/[\\/]/).at(-1)}.skilltrace.jsonl`;
      const { code, stdout, stderr } = await command([
        ...['run', skill, '--model', 'manual', '--environment', 'manual', '--replies', 'replies.jsonl'],
        ...['--observations', 'observations.jsonl', '--trace', trace, '--json'],
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        steps: 2,
        rejectedReplies: { 'no-block': 1 },
        retries: 1,
        score: null,
        outcome: 'completed',
      });
      const shown = JSON.parse((await command(['trace', 'show', trace, '--step', '1', '--json'])).stdout);
      expect(shown).toMatchObject({
        state: { notes: ['started'] },
        nextState: { done: true },
        action: 'finish',
        observation: 'You see a door.',
      });
    };
  }

  it('of ours is run by hand', plays(join(repository, 'samples', 'release-notes')));

  const corpus = join(
    process.env.SKILL_STATE_DATA ?? join(repository, '..', 'shared', 'data'),
    'skills-corpus',
  );
  if (!existsSync(corpus))
    console.log(`Skipped: public skills are run by hand, since ${corpus} is not there.`);
  it.skipIf(!existsSync(corpus))('of the public is run by hand', async () => {
    const skills = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('SKILL.md'))
      .sort();
    mkdirSync(join(folder.path, 'corpus'), { recursive: true });
    for (const path of skills.filter((_, index) => index % Math.ceil(skills.length / 6) === 0)) {
      await plays(join(corpus, path, '..'))();
    }
  });
});
