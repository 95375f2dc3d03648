import { describe, expect, test } from 'vitest';
import { blocksRun, loadSkill, type SkillFiles } from '../../../schemas/skill/skill';

const frontMatter = (metadata: string) =>
  `---\nname: a-skill\ndescription: Does something.\nmetadata:\n${metadata}\n---\n`;

/** A skill folder in memory that notes what was read. */
function folder(
  contents: Readonly<Record<string, string>>,
  folderName = 'a-skill',
): SkillFiles & { asked: string[] } {
  const asked: string[] = [];
  return {
    folderName,
    asked,
    read: (path) => {
      asked.push(path);
      return Promise.resolve(Object.hasOwn(contents, path) ? contents[path] : undefined);
    },
  };
}

async function load(contents: Readonly<Record<string, string>>) {
  const skill = await loadSkill(folder(contents));
  return { skill, codes: skill.problems.map(({ path, problem }) => `${path}: ${problem.code}`) };
}

const body = `${frontMatter('  x: y')}Do it.\n`;
const schema = 'type: object\nproperties:\n  items:\n    type: array\n    default: [a]\n';

describe('loading a skill', () => {
  test('without a schema gets the free-form default and an information', async () => {
    const { skill, codes } = await load({ 'SKILL.md': body });
    expect(codes).toEqual(['SKILL.md: skill.no-state-schema']);
    expect(skill.stateSchema.origin).toBe('default');
    expect(skill.initialState).toEqual({});
    expect(skill.instructions).toBe('Do it.');
    expect(skill.problems.filter(blocksRun)).toEqual([]);
    expect(skill.files.map(({ path, role }) => [path, role])).toEqual([['SKILL.md', 'skill']]);
  });
  test.each(['state.schema.yaml', 'state.schema.yml'])('finds %s', async (name) => {
    const { skill, codes } = await load({ 'SKILL.md': body, [name]: schema });
    expect(codes).toEqual([]);
    expect(skill.stateSchema.path).toBe(name);
    expect(skill.initialState).toEqual({ items: ['a'] });
  });
  test('finds state.schema.json and state.initial.json', async () => {
    const { skill, codes } = await load({
      'SKILL.md': body,
      'state.schema.json': '{"type": "object"}',
      'state.initial.json': '{"a": 1}',
    });
    expect(codes).toEqual([]);
    expect(skill.initialState).toEqual({ a: 1 });
    expect(skill.files.map(({ role }) => role)).toEqual(['skill', 'state-schema', 'initial-state']);
  });
  test('says which of several schemas and initial states it reads', async () => {
    const { skill } = await load({
      'SKILL.md': body,
      'state.schema.yml': schema,
      'state.schema.json': '{"type": "array"}',
      'state.initial.yaml': 'items: [b]',
      'state.initial.yml': '- broken',
      'state.initial.json': '[]',
    });
    expect(skill.problems.map(({ path, problem }) => [path, problem.severity, problem.message])).toEqual([
      [
        'state.schema.json',
        'warning',
        'state.schema.json is not read, because state.schema.yml is; keep one of them.',
      ],
      [
        'state.initial.yml',
        'warning',
        'state.initial.yml is not read, because state.initial.yaml is; keep one of them.',
      ],
      [
        'state.initial.json',
        'warning',
        'state.initial.json is not read, because state.initial.yaml is; keep one of them.',
      ],
    ]);
    expect(skill.initialState).toEqual({ items: ['b'] });
  });
  test('follows what metadata names', async () => {
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  state-schema: a/s.yaml\n  initial-state: ./a/i.yaml\n  environment: warehouse\n  terminal-actions: Stop  Done')}Do it.`,
      'a/s.yaml': schema,
      'a/i.yaml': 'items: [b]',
      'state.schema.yaml': 'not read',
    });
    expect(codes).toEqual([]);
    expect(skill.stateSchema.path).toBe('a/s.yaml');
    expect(skill.initialState).toEqual({ items: ['b'] });
    expect(skill.environment).toBe('warehouse');
    expect(skill.terminalActions).toEqual(['Stop', 'Done']);
  });
  test('joins a file once, however often and in whatever spelling it is included', async () => {
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  include: a.md ./a.md b/../a.md a.md')}\nDo it.\n`,
      'state.schema.yaml': schema,
      'a.md': 'Like this.\n',
    });
    expect(codes).toEqual([]);
    expect(skill.instructions).toBe('Do it.\n\nLike this.');
    expect(skill.files.filter(({ role }) => role === 'include')).toHaveLength(1);
  });
  test('reads included files up to a length, and says which is beyond', async () => {
    const long = 'word '.repeat(500_000);
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  include: a.md b.md c.md')}\nDo it.\n`,
      'a.md': long,
      'b.md': long,
      'c.md': 'Never read.',
    });
    expect(codes).toEqual(['SKILL.md: skill.too-large', 'SKILL.md: skill.no-state-schema']);
    expect(skill.problems[0]?.problem.message).toBe(
      'The included files have more than 4000000 characters together; leave out b.md, or shorten it.',
    );
    expect(skill.problems.filter(blocksRun)).toHaveLength(1);
    expect(skill.instructions.length).toBeLessThan(4_000_000);
  });
  test('takes actions up to a number, and says which file declares others', async () => {
    const actions = (from: number) =>
      `# Actions\n\n${Array.from({ length: 600 }, (_, index) => `- \`Act${from + index}\`\n`).join('')}`;
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  include: a.md')}\n${actions(0)}`,
      'a.md': actions(600),
    });
    expect(skill.actions).toHaveLength(1_000);
    expect(codes).toContain('SKILL.md: skill.too-many-actions');
    expect(skill.problems.filter(blocksRun).map(({ problem }) => problem.message)).toEqual([
      'Only the first 1000 actions of a skill are read, and a.md declares others; declare fewer, with arguments for what differs.',
    ]);
  });
  test('joins included files in order, with their actions', async () => {
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  include: references/b.md references/a.md')}\nDo it.\n`,
      'references/a.md': '\uFEFF\r\n# Actions\r\n\r\n- `Wait`\r\n',
      'references/b.md': '\n\nB.\n',
      'state.schema.yaml': schema,
    });
    expect(codes).toEqual([]);
    expect(skill.instructions).toBe('Do it.\n\nB.\n\n# Actions\n\n- `Wait`');
    expect(skill.actions.map(({ name, file, range }) => [name, file, range.start])).toEqual([
      ['Wait', 'references/a.md', { line: 3, character: 3 }],
    ]);
  });
  test.each([
    '../other/a.md',
    '/etc/passwd',
    'a/../../b.md',
    'C:/a.md',
    'a\\b.md',
    'http://example.org/a.md',
  ])('never reads %s', async (path) => {
    const host = folder({ 'SKILL.md': `${frontMatter(`  include: '${path}'`)}Do it.` });
    const skill = await loadSkill(host);
    expect(skill.problems.filter(blocksRun).map(({ problem }) => problem.code)).toEqual([
      path.startsWith('http') ? 'skill.missing-file' : 'skill.outside-folder',
    ]);
    expect(host.asked.filter((asked) => asked.startsWith('/') || asked.includes('..'))).toEqual([]);
  });
  test('a word that names nothing is marked alone', async () => {
    const text = `${frontMatter('  include: "a.md b.md  aa.md a.md"\n  terminal-actions: Stop Go')}Do it.\n\n# Actions\n\n- \`Stop\`\n`;
    const { skill } = await load({ 'SKILL.md': text, 'b.md': 'B.', 'state.schema.yaml': schema });
    const lines = text.split('\n');
    const shown = skill.problems.map(({ problem: { range } }) => [
      range.start.character,
      lines[range.start.line]?.slice(range.start.character, range.end.character),
    ]);
    expect(shown).toEqual([
      [12, 'a.md'],
      [23, 'aa.md'],
      [25, 'Go'],
    ]);
  });
  test('a named file that is missing blocks a run', async () => {
    const { skill, codes } = await load({ 'SKILL.md': `${frontMatter('  state-schema: s.yaml')}Do it.` });
    expect(codes).toEqual(['SKILL.md: skill.missing-file']);
    expect(skill.problems.every(blocksRun)).toBe(true);
  });
  test('a schema with an error blocks a run', async () => {
    const { skill, codes } = await load({ 'SKILL.md': body, 'state.schema.yaml': 'type: strin' });
    expect(codes).toEqual(['state.schema.yaml: state.invalid-keyword']);
    expect(skill.problems.every(blocksRun)).toBe(true);
  });
  test('an initial state that is no object blocks a run', async () => {
    const { skill, codes } = await load({
      'SKILL.md': body,
      'state.schema.yaml': schema,
      'state.initial.yaml': '- a',
    });
    expect(codes).toEqual(['state.initial.yaml: initial.not-an-object']);
    expect(skill.initialState).toEqual({});
    expect(skill.problems.every(blocksRun)).toBe(true);
  });
  test('breaches of the standard do not block a run', async () => {
    const host = folder({ 'SKILL.md': 'No front matter.', 'state.schema.yaml': schema }, 'Some Folder');
    const skill = await loadSkill(host);
    expect(skill.name).toBe('Some Folder');
    expect(skill.problems.map(({ problem }) => problem.code)).toEqual(['skill.missing-front-matter']);
    expect(skill.problems.filter(blocksRun)).toEqual([]);
  });
  test('a folder without SKILL.md blocks a run', async () => {
    const { skill } = await load({});
    expect(skill.problems.filter(blocksRun).map(({ problem }) => problem.code)).toEqual([
      'skill.unreadable-file',
    ]);
  });
  test('a file that the host cannot read is said in its words', async () => {
    const skill = await loadSkill({
      folderName: 'a',
      read: (path) => Promise.reject(new Error(`${path}: permission denied`)),
    });
    expect(skill.problems.filter(blocksRun).map(({ problem }) => problem.message)).toContain(
      'SKILL.md: permission denied',
    );
  });
  test('a state schema that cannot be read is not said to be missing', async () => {
    const host = folder({ 'SKILL.md': body });
    const skill = await loadSkill({
      ...host,
      read: (path) =>
        path === 'state.schema.yaml' ? Promise.reject(new Error(`${path} is shut.`)) : host.read(path),
    });
    expect(skill.problems.map(({ problem }) => problem.code)).toEqual(['skill.unreadable-file']);
  });
  test('a folder of files that cannot be read is told of once for each kind', async () => {
    const host = folder({ 'SKILL.md': body });
    const skill = await loadSkill({
      ...host,
      read: (path) => (path === 'SKILL.md' ? host.read(path) : Promise.reject(new Error(`${path} is shut.`))),
    });
    expect(skill.problems.map(({ problem }) => problem.message)).toEqual([
      'state.schema.yaml is shut.',
      'state.initial.yaml is shut.',
    ]);
  });
  test('hints at mentioned files that exist and are not included', async () => {
    const { skill, codes } = await load({
      'SKILL.md': `${frontMatter('  include: a.md')}See [a](a.md), [b](b.md), [c](c.md), [s](s.py), [skill](d/SKILL.md) and [e](<e f.md>).`,
      'a.md': 'A.',
      'd/SKILL.md': 'A skill of its own.',
      'e f.md': 'E.',
      'b.md': 'B.',
      's.py': 'pass',
      'state.schema.yaml': schema,
    });
    expect(codes).toEqual(['SKILL.md: skill.not-included']);
    expect(skill.problems[0]?.problem).toMatchObject({
      severity: 'hint',
      message: expect.stringContaining('b.md'),
    });
  });
  test('a terminal action that is not declared is pointed out', async () => {
    const text = `${frontMatter('  terminal-actions: Stop Wait')}# Actions\n\n- \`Wait\`\n`;
    const { codes } = await load({ 'SKILL.md': text, 'state.schema.yaml': schema });
    expect(codes).toEqual(['SKILL.md: skill.unknown-terminal-action']);
  });
  test.each([
    [
      'include: a.md, b.md',
      'metadata.include names "a.md,", and there is no such file in the skill\'s folder; separate them by spaces: include: a.md b.md',
    ],
    [
      'include: a.md,b.md',
      'metadata.include names "a.md,b.md", and there is no such file in the skill\'s folder; separate them by spaces: include: a.md b.md',
    ],
    [
      'include: [a.md, b.md]',
      'The metadata entry include is a list, but has to be a text; separate them by spaces: include: a.md b.md',
    ],
    [
      'terminal-actions: Stop, Go',
      'metadata.terminal-actions names "Stop,", which is not a declared action; separate them by spaces: terminal-actions: Stop Go',
    ],
    [
      'terminal-actions: [Stop, Go]',
      'The metadata entry terminal-actions is a list, but has to be a text; separate them by spaces: terminal-actions: Stop Go',
    ],
  ])('says how a list in metadata is written: %s', async (metadata, message) => {
    const files = { 'a.md': 'A.', 'b.md': 'B.', 'state.schema.yaml': schema };
    for (const actions of ['', '# Actions\n\n- `Stop`\n- `Go`\n']) {
      const { skill } = await load({
        ...files,
        'SKILL.md': `${frontMatter(`  ${metadata}`)}Do it.\n${actions}`,
      });
      expect(skill.problems.map(({ problem }) => problem.message)).toEqual([message]);
    }
  });
  test('errors come first', async () => {
    const { skill } = await load({ 'SKILL.md': 'See [b](b.md).', 'b.md': 'B.' });
    expect(skill.problems.map(({ problem }) => problem.severity)).toEqual(['error', 'hint', 'hint']);
  });
});
