/** `skill-state run` as a process: what it prints, its exit codes, and that a killed run resumes to the same bytes. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTrace } from '../../../schemas/trace/trace';
import { endOf, runCommand, startCommand, temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const warehouse = join(repository, 'samples', 'warehouse');
const run = (...args: string[]) => runCommand(['run', warehouse, ...args], folder.path);

describe('run --json', () => {
  it('prints one object and nothing else, and the scripted model serves every event', async () => {
    const { code, stdout, stderr } = await run(
      '--model',
      'scripted',
      '--horizon',
      '100',
      '--seed',
      '42',
      '--trace',
      'hundred.skilltrace.jsonl',
      '--json',
    );
    const report = JSON.parse(stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(report).toMatchObject({
      skill: 'warehouse',
      runtime: 'skill-state',
      environment: 'warehouse',
      model: 'scripted',
      seed: 42,
      horizon: 100,
      steps: 100,
      score: 1,
      actionable: 100,
      successful: 100,
      rejectedReplies: {},
      retries: 0,
      failedSteps: 0,
      warnings: {},
      trace: 'hundred.skilltrace.jsonl',
      outcome: 'completed',
    });
    expect(report.tokens).toMatchObject({
      total: report.tokens.prompt + report.tokens.completion,
      source: 'estimated',
      estimated: report.tokens.total,
      byExtension: 0,
      cached: 0,
      thinking: 0,
      failed: 0,
    });
    expect(report).toMatchObject({ cost: null, knownCost: 0 });
    expect(Object.keys(report)).toEqual([
      ...[
        'skill',
        'runtime',
        'environment',
        'model',
        'seed',
        'horizon',
        'steps',
        'score',
        'actionable',
        'successful',
      ],
      ...[
        'rejectedReplies',
        'cutReplies',
        'retries',
        'failedSteps',
        'warnings',
        'tokens',
        'cost',
        'knownCost',
        'costAtMost',
        'prompt',
      ],
      ...['trace', 'outcome'],
    ]);
  });

  it('keeps the longest prompt at a horizon of 1,000 within what the occupied shelves explain', async () => {
    const file = join(folder.path, 'thousand.skilltrace.jsonl');
    const { stdout } = await run('--horizon', '1000', '--seed', '42', '--trace', file, '--json');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ score: 1, rejectedReplies: {} });
    const records = readTrace(readFileSync(file)).records;
    const first = records.find((record) => record.kind === 'attempt');
    const states = records.flatMap((record) =>
      record.kind === 'step' && record.state ? [JSON.stringify(record.state).length] : [],
    );
    // An occupied shelf takes at most `"shelf_499":"item_9999",`; an observation two lines.
    const shelf = 24;
    const occupied = 60;
    expect(Math.max(...states)).toBeLessThan(occupied * shelf);
    expect(report.prompt.maxChars).toBeLessThan((first?.prompt.characters ?? 0) + occupied * shelf + 200);
  });

  it('counts what faults lead to', async () => {
    const { code, stdout } = await run(
      '--horizon',
      '100',
      '--seed',
      '42',
      '--faults',
      '0.3',
      '--fault-seed',
      '1',
      '--json',
    );
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    const rejected = Object.values<number>(report.rejectedReplies).reduce((sum, count) => sum + count, 0);
    const records = readTrace(readFileSync(join(folder.path, report.trace))).records;
    expect(rejected).toBe(records.filter(({ kind }) => kind === 'rejection').length);
    expect(Object.values<number>(report.warnings).reduce((sum, count) => sum + count, 0)).toBe(
      records.filter(({ kind }) => kind === 'warning').length,
    );
    expect(rejected).toBeGreaterThan(0);
    expect(report.score).toBeLessThan(1);
  });
});

it('run prints each step, then a summary with a token graph and where the trace is', async () => {
  const { code, stdout, stderr } = await run(
    '--horizon',
    '3',
    '--seed',
    '42',
    '--trace',
    'three.skilltrace.jsonl',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const part of [
    't=0 of 3',
    'Shipment arrived containing item_',
    'Store item_',
    '+ /inventory/shelf_0 = ',
    'tokens ',
    'completed: ',
    'score      1',
    'Tokens per step',
    'trace      three.skilltrace.jsonl',
  ]) {
    expect(stdout).toContain(part);
  }
});

describe('wrong usage', () => {
  it.each([
    [2, ['run'], /Name the skill/],
    [2, ['run', 'nowhere'], /no skill at nowhere/],
    [2, ['run', warehouse, '--environment', 'moon'], /moon.*warehouse/],
    [2, ['run', warehouse, '--model', 'oracle'], /oracle.*scripted/],
    [2, ['run', warehouse, '--faults', '2'], /from 0 to 1/],
    [2, ['run', warehouse, '--horizon', '0'], /at least 1/],
    [2, ['run', warehouse, '--seed', '1.5'], /whole number/],
    [2, ['run', warehouse, '--timeout', '86401'], /--timeout.*at most 86400/],
    [2, ['run', warehouse, '--commit', 'never'], /on-propose/],
    [2, ['run', warehouse, '--surprise'], /surprise/],
    [2, ['dance'], /dance/],
    [2, ['trace', 'show', 'hundred.skilltrace.jsonl', '--step', '100'], /steps 0 to 99/],
    [2, ['trace', 'show', 'nowhere.skilltrace.jsonl'], /doesn't exist/],
    [2, ['run', warehouse, '--resume', 'hundred.skilltrace.jsonl', '--seed', '1'], /--seed/],
    [1, ['run', warehouse, '--budget-tokens', '1'], /1 tokens/],
    [1, ['run', warehouse, '--trace', 'hundred.skilltrace.jsonl'], /never overwritten/],
  ])('%i: %s', async (expected, args, message) => {
    const { code, stderr } = await runCommand(args, folder.path);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
    expect(code).toBe(expected);
  });

  it('help and version are no errors', async () => {
    for (const args of [['--help'], ['run', '--help'], ['--version']]) {
      const { code, stdout, stderr } = await runCommand(args, folder.path);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.length).toBeGreaterThan(3);
    }
  });
});

describe('mistakes in a skill', () => {
  const skillWith = (metadata: string, files: Readonly<Record<string, string>> = {}) => {
    const path = join(folder.path, 'mistaken');
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    const text = `---\nname: mistaken\ndescription: Is mistaken.\nmetadata:\n  ${metadata}\n---\nDo it.\n`;
    writeFileSync(join(path, 'SKILL.md'), text);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    return runCommand(['run', 'mistaken', '--trace', 'mistaken.skilltrace.jsonl'], folder.path);
  };

  it.each([
    ['environment: moon', {}, /SKILL\.md:5:16: metadata\.environment names "moon"/],
    [
      'version: "1"',
      { 'state.schema.yaml': 'type: object\nproperties:\n  list: {type: object, default: []}\n' },
      /state\.schema\.yaml:3:33: .* \/list must be object, not array\. Correct this default/,
    ],
    [
      'version: "1"',
      {
        'state.schema.yaml': 'type: object\nx-invariants:\n  - expression: size(state.list\n    message: a\n',
      },
      /state\.schema\.yaml:3:17: The invariant .* is not complete/,
    ],
    [
      'include: a.md, b.md',
      { 'a.md': 'A', 'b.md': 'B' },
      /SKILL\.md:5:12: .* by spaces: include: a\.md b\.md/,
    ],
  ])('%s, %j', async (metadata, files, message) => {
    const { code, stdout, stderr } = await skillWith(metadata, files);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('that keep nothing from running are warnings', async () => {
    const { stdout } = await skillWith('version: 1', {
      'state.schema.yaml': 'type: object\nminProperty: 0\n',
    });
    expect(stdout).toContain('SKILL.md:5: warning: The metadata entry version is the number 1');
    expect(stdout).toContain('state.schema.yaml:2: warning: "minProperty" is no keyword');
    expect(stdout).not.toContain('error:');
  });
});

describe('a killed run', () => {
  const settings = ['--horizon', '600', '--seed', '9', '--faults', '0.4', '--fault-seed', '4'];
  const comparable = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('{"kind":"resumed"'))
      .map((line) => line.replace(/"time":\d+}$/, '"time":0}'));

  it('resumes to the bytes of the unbroken run, wherever it was killed', async () => {
    const whole = join(folder.path, 'whole.skilltrace.jsonl');
    await run(...settings, '--trace', whole, '--json');
    const expected = comparable(whole);
    for (const killedAfter of [1, 2, 7, 20, 41]) {
      const path = join(folder.path, `killed-${killedAfter}.skilltrace.jsonl`);
      const child = startCommand(['run', warehouse, ...settings, '--trace', path], folder.path);
      const end = endOf(child);
      let seen = 0;
      child.stdout.on('data', (part: string) => {
        seen += part.split('\nt=').length - 1;
        if (seen >= killedAfter) child.kill('SIGKILL');
      });
      await end;
      expect(readTrace(readFileSync(path)).records.at(-1)?.kind).not.toBe('end');
      const { code } = await runCommand(['run', warehouse, '--resume', path, '--json'], folder.path);
      expect(code).toBe(0);
      expect(comparable(path)).toEqual(expected);
    }
  });

  it('resumes when its trace was cut at any byte', async () => {
    const whole = readFileSync(join(folder.path, 'whole.skilltrace.jsonl'));
    const header = whole.indexOf(10) + 1;
    const expected = comparable(join(folder.path, 'whole.skilltrace.jsonl'));
    for (let part = 0; part < 12; part++) {
      const path = join(folder.path, `cut-${part}.skilltrace.jsonl`);
      writeFileSync(
        path,
        whole.subarray(0, header + Math.floor((part / 12) * (whole.length - header)) + part),
      );
      expect((await runCommand(['run', '--resume', path, '--json'], folder.path)).code).toBe(0);
      expect(comparable(path)).toEqual(expected);
    }
  });

  it('that was cancelled with Ctrl-C says so, and can be resumed', async () => {
    const path = join(folder.path, 'cancelled.skilltrace.jsonl');
    const child = startCommand(['run', warehouse, '--horizon', '100000', '--trace', path], folder.path);
    const end = endOf(child);
    child.stdout.once('data', () => child.kill('SIGINT'));
    const { code, stderr } = await end;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^skill-state: cancelled: /);
    expect(readTrace(readFileSync(path)).records.at(-1)).toMatchObject({
      kind: 'end',
      outcome: 'cancelled',
      resumable: true,
    });
  });

  it('is not resumed with another skill', async () => {
    const { code, stderr } = await runCommand(
      ['run', join(repository, 'samples', 'release-notes'), '--resume', 'whole.skilltrace.jsonl'],
      folder.path,
    );
    expect(code).toBe(2);
    expect(stderr).toContain('SKILL.md');
  });
});

it('the output can be cut short by whoever reads it', async () => {
  const path = join(folder.path, 'head.skilltrace.jsonl');
  const child = startCommand(['run', warehouse, '--horizon', '20000', '--trace', path], folder.path);
  const end = endOf(child);
  child.stdout.once('data', () => child.stdout.destroy());
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(readTrace(readFileSync(path)).records.at(-1)).toMatchObject({
    kind: 'end',
    outcome: 'cancelled',
    resumable: true,
  });
});

it('a trace has one writer: of two resumes at once, one is told so', async () => {
  const path = join(folder.path, 'shared.skilltrace.jsonl');
  await run('--horizon', '3000', '--trace', path, '--json');
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, Math.floor(whole.length / 2)));
  const ends = await Promise.all(
    [1, 2].map(() => runCommand(['run', '--resume', path, '--json'], folder.path)),
  );
  expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(ends.map(({ stderr }) => stderr).join('')).toMatch(/is being written by (another )?process/);
  const { records, problems } = readTrace(readFileSync(path));
  expect(problems).toEqual([]);
  expect(records.filter(({ kind }) => kind === 'step')).toHaveLength(3000);
});

it.each([
  ['--model', 'manual', '--faults', '0.1'],
  ['--replies', 'replies.jsonl'],
  ['--observations', 'observations.jsonl'],
])('a flag that nothing would come of is refused: %s %s', async (...flags) => {
  const { code, stderr } = await run(...flags);
  expect(stderr).toMatch(/^skill-state: (faults|replies|observations) are [^\n]+\n$/);
  expect(code).toBe(2);
});
