/** `skill-state validate`, as a process: exit codes, and its three formats. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from '../../support/commandLine';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const validate = (...args: string[]) => runCommand(['validate', ...args], folder.path);
const write = (path: string, content: string | Uint8Array) => {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

interface JsonReport {
  readonly version: number;
  readonly files: readonly {
    readonly path: string;
    readonly problems: readonly {
      readonly code: string;
      readonly severity: string;
      readonly message: string;
      readonly start: { readonly line: number; readonly column: number };
      readonly end: { readonly line: number; readonly column: number };
    }[];
  }[];
  readonly summary: Readonly<Record<string, number>>;
}

const report = async (
  ...args: string[]
): Promise<{ readonly code: number | undefined; readonly json: JsonReport }> => {
  const { code, stdout, stderr } = await validate('--format', 'json', ...args);
  expect(stderr).toBe('');
  return { code, json: JSON.parse(stdout) };
};

beforeAll(() => {
  const good = (name: string, more = '') =>
    `---\nname: ${name}\ndescription: Sorts things.\n${more}---\n# Sort\n\nKeep \`count\`.\n`;
  write('good/SKILL.md', good('good'));
  write(
    'good/state.schema.yaml',
    'type: object\nproperties:\n  count: {type: integer, minimum: 0, maximum: 9}\nadditionalProperties: false\n',
  );
  write('tree/one/SKILL.md', good('wrong').replaceAll('\n', '\r\n'));
  write(
    'tree/deep/er/two/SKILL.md',
    good(
      'two',
      'metadata:\n  include: part.md latin.md\n  state-schema: my.yaml\n  initial-state: my.json\n',
    ),
  );
  write('tree/deep/er/two/part.md', '# Part\n');
  write('tree/deep/er/two/latin.md', Buffer.from('caf\xe9', 'latin1'));
  write('tree/deep/er/two/my.yaml', 'type: [object\n');
  write('tree/deep/er/two/my.json', '{"𝕊": 1,}');
  write('tree/node_modules/x/SKILL.md', 'x');
  write('tree/.git/y/SKILL.md', 'y');
  write('tree/loose/state.schema.yaml', 'type: 7\n');
  write('empty/README.md', '# Nothing\n');
  symlinkSync(join(folder.path, 'tree'), join(folder.path, 'tree/deep/circle'));
  symlinkSync(join(folder.path, 'good'), join(folder.path, 'tree/good'));
});

describe('exit codes', () => {
  it.each([
    [0, ['good']],
    [0, ['good/SKILL.md', 'good']],
    [0, ['good/state.schema.yaml']],
    [1, ['tree']],
    [1, ['good', 'tree/one/SKILL.md']],
    [1, ['tree/deep/er/two/my.yaml']],
    [2, ['nowhere']],
    [2, ['good', 'nowhere']],
    [2, ['empty']],
    [2, ['empty/README.md']],
    [2, ['']],
    [2, ['good', '']],
    [2, []],
    [2, ['good', '--format', 'xml']],
    [2, ['good', '--profile', 'other']],
    [2, ['good', '--severity', 'fatal']],
  ])('%i for %j', async (expected, args) => {
    const { code, stdout, stderr } = await validate(...args);
    expect(code).toBe(expected);
    if (expected === 2) {
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^skill-state: [^\n]+\n$/);
    } else {
      expect(stderr).toBe('');
    }
  });
});

describe('a folder without a skill', () => {
  it('says so, and what to do about a file whose name is nearly right', async () => {
    write('empty/readme.md', 'Nothing.\n');
    write('nearly/skill.md', '---\nname: nearly\ndescription: A skill.\n---\n# Do\n');
    const empty = await validate('empty');
    expect([empty.code, empty.stderr]).toEqual([
      2,
      'skill-state: There is no skill in empty: a skill is a folder with a SKILL.md in it.\n',
    ]);
    const nearly = await validate('nearly');
    expect(nearly.code).toBe(2);
    expect(nearly.stderr).toContain('rename skill.md');
  });
});

describe('what cannot be read', () => {
  it('is told from what is not there', async () => {
    mkdirSync(join(folder.path, 'circle'));
    symlinkSync('SKILL.md', join(folder.path, 'circle/SKILL.md'));
    expect(await validate('circle/SKILL.md')).toEqual({
      code: 1,
      stdout: '',
      stderr: "skill-state: circle/SKILL.md can't be read: its links lead in a circle.\n",
    });
    const { code, stdout } = await validate('circle');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('[skill.unreadable-file]') });
  });

  const isRoot = process.getuid?.() === 0;
  if (isRoot) console.log('Skipped: folders without permissions, since the superuser may read them.');
  it.skipIf(isRoot)('fails the check: a folder without permissions', async () => {
    write('closed/open/SKILL.md', '---\nname: open\ndescription: Some.\n---\n# Some\n');
    mkdirSync(join(folder.path, 'closed/shut'));
    chmodSync(join(folder.path, 'closed/shut'), 0);
    const message = "closed/shut can't be read";
    expect(await validate('closed/shut')).toEqual({
      code: 1,
      stdout: '',
      stderr: `skill-state: ${message}: permission denied.\n`,
    });
    const { code, stdout, stderr } = await validate('closed');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `skill-state: ${message}, so nothing in it was checked.\n`,
    });
    expect(stdout).toContain('closed/open/SKILL.md');
    chmodSync(join(folder.path, 'closed/shut'), 0o700);
  });
});

describe('text', () => {
  it('has a line for each finding, and one that sums up', async () => {
    const { stdout } = await validate('tree/one');
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines.slice(0, -1)) {
      expect(line).toMatch(
        /^tree\/one\/SKILL\.md:\d+:\d+ (error|warning|information) .+ \[[a-z-]+\.[a-z-]+\]$/,
      );
    }
    expect(lines.some((line) => line.startsWith('tree/one/SKILL.md:2:7 error '))).toBe(true);
    expect(lines.at(-1)).toMatch(/^1 error.* in 1 file\.$/);
  });

  it('leaves out what is less severe', async () => {
    const { stdout } = await validate('tree', '--severity', 'error');
    expect(stdout).toContain(' error ');
    expect(stdout).not.toMatch(/ (warning|information|hint) /);
    const hints = await validate('good', '--severity', 'hint');
    expect(hints.stdout).toMatch(/ in 2 files\.\n$/);
  });

  it('escapes what would move the cursor of a terminal', async () => {
    write('odd\u001b[31m/SKILL.md', '---\nname: "\u001b]0;x"\n---\n');
    const { stdout } = await validate('odd\u001b[31m');
    // The tests run without colours, so that none is ours.
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('\\u001b');
  });
});

describe('JSON', () => {
  it('names every file of each skill in the order of the paths, each once', async () => {
    const { code, json } = await report('tree', 'tree/one', 'good');
    expect(code).toBe(1);
    expect(json.version).toBe(1);
    expect(json.files.map(({ path }) => path)).toEqual(
      [
        'good/SKILL.md',
        'good/state.schema.yaml',
        'tree/deep/er/two/SKILL.md',
        'tree/deep/er/two/latin.md',
        'tree/deep/er/two/my.json',
        'tree/deep/er/two/my.yaml',
        'tree/deep/er/two/part.md',
        'tree/good/SKILL.md',
        'tree/good/state.schema.yaml',
        'tree/loose/state.schema.yaml',
        'tree/one/SKILL.md',
      ].filter((path) => !path.endsWith('latin.md')),
    );
    const problemsIn = (path: string) => json.files.find((file) => file.path === path)?.problems ?? [];
    expect(problemsIn('tree/deep/er/two/SKILL.md')).toContainEqual(
      expect.objectContaining({ severity: 'error', message: 'latin.md is not UTF-8 text.' }),
    );
    expect(problemsIn('tree/deep/er/two/my.yaml').some(({ severity }) => severity === 'error')).toBe(true);
    expect(problemsIn('tree/loose/state.schema.yaml').some(({ severity }) => severity === 'error')).toBe(
      true,
    );
    const counted = json.files.flatMap(({ problems }) => problems.map(({ severity }) => severity));
    expect(json.summary).toEqual({
      files: json.files.length,
      error: counted.filter((severity) => severity === 'error').length,
      warning: counted.filter((severity) => severity === 'warning').length,
      information: counted.filter((severity) => severity === 'information').length,
      hint: 0,
    });
  });

  it('counts lines and columns from 1, in UTF-16 code units', async () => {
    const { json } = await report('tree/deep/er/two/my.json');
    const [problem] = json.files[0]?.problems.filter(({ severity }) => severity === 'error') ?? [];
    // The comma of `{"𝕊": 1,}`, or what follows it.
    expect(problem?.start.line).toBe(1);
    expect([9, 10]).toContain(problem?.start.column);
  });

  it('is the same for the same files, and when it is piped', async () => {
    const first = await validate('tree', '--format', 'json');
    expect(await validate('tree', '--format', 'json')).toEqual(first);
  });
});

describe('SARIF', () => {
  it('has what version 2.1.0 asks for', async () => {
    const { code, stdout } = await validate('tree', '--format', 'sarif');
    expect(code).toBe(1);
    const log = JSON.parse(stdout);
    expect(log).toMatchObject({
      version: '2.1.0',
      $schema: expect.stringMatching(/sarif.*2\.1\.0.*\.json$/),
      runs: [{ tool: { driver: { name: 'skill-state' } }, columnKind: 'utf16CodeUnits' }],
    });
    const [run] = log.runs;
    const ids: string[] = run.tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { shortDescription, fullDescription, help } of run.tool.driver.rules) {
      for (const { text } of [shortDescription, fullDescription, help]) expect(text).toMatch(/^[A-Z]/);
    }
    expect(run.results.length).toBeGreaterThan(0);
    for (const { ruleId, ruleIndex, level, message, locations } of run.results) {
      expect(ids[ruleIndex]).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).toMatch(/\S/);
      expect(locations).toHaveLength(1);
      const { artifactLocation, region } = locations[0].physicalLocation;
      expect(artifactLocation).toEqual({
        uri: expect.stringMatching(/^tree\/[\w./-]+$/),
        uriBaseId: '%SRCROOT%',
      });
      expect(region.startLine).toBeGreaterThan(0);
      expect(region.startColumn).toBeGreaterThan(0);
      expect(
        region.endLine > region.startLine ||
          (region.endLine === region.startLine && region.endColumn >= region.startColumn),
      ).toBe(true);
    }
  });

  it('names files elsewhere by their whole URI, and escapes paths', async () => {
    write('a b/ü/SKILL.md', 'x');
    const here = JSON.parse((await validate('a b', '--format', 'sarif')).stdout);
    expect(here.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(
      'a%20b/%C3%BC/SKILL.md',
    );
    const { stdout } = await runCommand(
      ['validate', join(folder.path, 'tree/one'), '--format', 'sarif'],
      join(folder.path, 'good'),
    );
    const { artifactLocation } = JSON.parse(stdout).runs[0].results[0].locations[0].physicalLocation;
    expect(artifactLocation).toEqual({ uri: expect.stringMatching(/^file:\/\/\/.*\/tree\/one\/SKILL\.md$/) });
  });
});

describe('many skills', () => {
  it('are all checked, more than one service takes', async () => {
    for (let index = 0; index < 450; index++) {
      write(`many/skill-${index}/SKILL.md`, `---\nname: skill-${index}\ndescription: Some.\n---\n# Some\n`);
    }
    const { code, json } = await report('many');
    expect({ code, files: json.files.length, errors: json.summary.error }).toEqual({
      code: 0,
      files: 450,
      errors: 0,
    });
  });
});
