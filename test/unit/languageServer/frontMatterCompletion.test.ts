import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../server/src/languageService/workspace';
import { accepted } from '../../support/acceptedCompletion';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const files = {
  'references/rules.md': 'Rules.\n',
  'references/deep/more.md': 'More.\n',
  'LICENSE.txt': 'Free.\n',
  'data/first.initial.yaml': 'count: 1\n',
  'data/state.yaml': 'type: object\nproperties: { count: { type: integer } }\nadditionalProperties: false\n',
};
const body =
  '# Sort\n\nFollow [more](references/deep/more.md): 🙂.\n\n## Actions\n\n- `Store <item>`: puts.\n- `Finish`: ends.\n';

async function complete(marked: string, settings: Partial<Settings> = {}, name = 'my-skill') {
  const { text, position } = cursorIn(marked);
  const skill = skillWorkspace({ ...files, 'SKILL.md': text }, { name, settings });
  return { text, skill, items: await skill.service.completion(skill.uri('SKILL.md'), position) };
}

const labels = async (marked: string, settings: Partial<Settings> = {}, name?: string) =>
  (await complete(marked, settings, name)).items.map(({ label }) => label);

const inFront = (frontMatter: string) => `---\n${frontMatter}\n---\n\n${body}`;
const both = 'name: my-skill\ndescription: Sorts.';

describe('keys', () => {
  test('are those of the standard that are not there yet', async () => {
    expect(await labels(inFront(`${both}\n‸`))).toEqual([
      'license',
      'compatibility',
      'metadata',
      'allowed-tools',
    ]);
    expect(await labels(inFront('name: my-skill\ndescr‸'))).toEqual([
      'description',
      'license',
      'compatibility',
      'metadata',
      'allowed-tools',
    ]);
  });
  test('are a client’s besides under its profile', async () => {
    const vscode = await labels(inFront(`${both}\n‸`), { profile: 'vscode' });
    expect(vscode.slice(4)).toEqual([
      'argument-hint',
      'user-invocable',
      'disable-model-invocation',
      'context',
    ]);
    expect(await labels(inFront(`${both}\n‸`), { profile: 'claude' })).toContain('when_to_use');
  });
  test('are left to VS Code where it offers them', async () => {
    const builtInSkill = true;
    expect(await labels(inFront(`${both}\n‸`), { builtInSkill })).toEqual(['allowed-tools']);
    const values = await labels(inFront(`${both}\nuser-invocable: ‸`), { builtInSkill, profile: 'vscode' });
    expect(values).toEqual([]);
    expect(await labels(inFront(`${both}\nmetadata:\n  environment: ‸`), { builtInSkill })).toEqual([
      'warehouse',
      'manual',
    ]);
  });
  test('of metadata are those that are read, with a value', async () => {
    expect(await labels(inFront(`${both}\nmetadata:\n  author: me\n  ‸`))).toEqual([
      'state-schema',
      'initial-state',
      'environment',
      'include',
      'terminal-actions',
      'version',
    ]);
  });
  test('come as a whole where nothing is there yet', async () => {
    for (const marked of ['‸', '---‸', '-‸\n\nText.\n', '---\n‸', '---\r\n‸\r\n\r\nText.\r\n']) {
      expect(await labels(marked)).toEqual(['name, description']);
    }
    expect(await labels(`---\n‸\n---\n${body}`)).toEqual(['name, description', 'name', 'description']);
  });
  test('are not offered outside of the front matter', async () => {
    for (const marked of [
      `---\n${both}\n---‸\n\nText.\n`,
      `---‸\n${both}\n---\n\nText.\n`,
      `---\n${both}\n---\n‸\nText.\n`,
      `---\n\n# Title\n\n‸\n`,
      inFront(`${both} # ‸`),
      inFront('name: my-skill\ndescription: |\n  Text\n  ‸'),
    ]) {
      const found = (await labels(marked)).filter(
        (label) => label === 'license' || label === 'name, description',
      );
      expect(found).toEqual([]);
    }
  });
});

describe('values', () => {
  test.each<[string, readonly string[]]>([
    ['name: ‸', ['my-skill']],
    ['name:‸', ['my-skill']],
    [`${both}\nmetadata:\n  environment: ‸`, ['warehouse', 'manual']],
    [`${both}\nmetadata:\n  environment: "ware‸"`, ['warehouse', 'manual']],
    [`${both}\nmetadata: { environment: ‸ }`, ['warehouse', 'manual']],
    [`${both}\nmetadata:\n  state-schema: ‸`, ['data/state.yaml']],
    [`${both}\nmetadata:\n  initial-state: ‸`, ['data/first.initial.yaml', 'data/state.yaml']],
    [`${both}\nmetadata:\n  include: ‸`, ['references/deep/more.md', 'LICENSE.txt', 'references/rules.md']],
    [`${both}\nmetadata:\n  include: references/rules.md ‸`, ['references/deep/more.md', 'LICENSE.txt']],
    [`${both}\nmetadata:\n  include: refer‸ LICENSE.txt`, ['references/deep/more.md', 'references/rules.md']],
    [`${both}\nmetadata:\n  terminal-actions: Finish ‸`, ['Store']],
    [`${both}\nmetadata:\n  terminal-actions: 'Finish ‸'`, ['Store']],
    ['name: my-skill\ndescription: ‸', ['Follow more: 🙂.']],
    [`${both}\nmetadata:\n  nothing: ‸`, []],
    [`${both}\ncompatibility: ‸`, []],
  ])('of %j are %j', async (frontMatter, expected) => {
    expect(await labels(inFront(frontMatter))).toEqual(expected);
  });
  test('are files that fit, however many others there are', async () => {
    const { text, position } = cursorIn(inFront(`${both}\nmetadata:\n  include: ‸`));
    const pictures = Array.from({ length: 1_000 }, (_, index) => [`images/${index}.png`, '']);
    const pages = Array.from({ length: 700 }, (_, index) => [`references/${index}.md`, '']);
    const skill = skillWorkspace({ ...Object.fromEntries([...pictures, ...pages]), 'SKILL.md': text });
    const items = await skill.service.completion(skill.uri('SKILL.md'), position);
    expect(items).toHaveLength(500);
    expect(items.every(({ label }) => /^references\/\d+\.md$/.test(label))).toBe(true);
  });
  test.each([
    ['include: ‸', true, 500, '0.md'],
    ['include: refer‸', true, 500, 'references/0.md'],
    ['include: 69‸', true, 17, 'references/69.md'],
    ['include: 1.md 69‸ 2.md', true, 17, 'references/69.md'],
    ['state-schema: ‸', false, 1, 'some.yaml'],
  ])(
    'are narrowed down by what is typed where there are too many: %s',
    async (line, isIncomplete, count, one) => {
      const { text, position } = cursorIn(inFront(`${both}\nmetadata:\n  ${line}`));
      const pages = Array.from({ length: 700 }, (_, index) => [`references/${index}.md`, '']);
      const others = { '0.md': '', 'some.yaml': '' };
      const skill = skillWorkspace({ ...Object.fromEntries(pages), ...others, 'SKILL.md': text });
      const list = await skill.service.completionList(skill.uri('SKILL.md'), position);
      expect(list.isIncomplete).toBe(isIncomplete);
      expect(list.items).toHaveLength(count);
      expect(list.items.map(({ label }) => label)).toContain(one);
    },
  );
  test('of license are common SPDX identifiers and licence files', async () => {
    const offered = await labels(inFront(`${both}\nlicense: ‸`));
    expect(offered).toEqual(expect.arrayContaining(['MIT', 'Apache-2.0', 'LICENSE.txt']));
  });
  test('of allowed-tools leave out those that are there', async () => {
    const offered = await labels(inFront(`${both}\nallowed-tools: Read ‸`));
    expect(offered).toContain('Bash(git:*)');
    expect(offered).not.toContain('Read');
    const inList = await labels(inFront(`${both}\nallowed-tools:\n  - Read\n  - ‸`), { profile: 'claude' });
    expect(inList).toContain('Write');
    expect(inList).not.toContain('Read');
  });
  test('of a client’s keys are what it takes', async () => {
    expect(await labels(inFront(`${both}\ncontext: ‸`), { profile: 'vscode' })).toEqual(['inline', 'fork']);
    expect(await labels(inFront(`${both}\nuser-invocable: ‸`), { profile: 'claude' })).toEqual([
      'true',
      'false',
    ]);
    expect(await labels(inFront(`${both}\ncontext: ‸`))).toEqual([]);
  });
});

const documents: readonly string[] = [
  '‸',
  '\uFEFF‸',
  '---‸',
  '--‸\n\nText.\n',
  '---\n‸',
  '---\n‸\n\n# Title\n',
  '---\n‸\n---\n',
  `---\nname: my-skill\n‸`,
  `---\nname: my-skill\n‸\n\n${body}`,
  `---\nname: my-skill\ndescr‸\n\n${body}`,
  ...[
    '‸',
    'na‸',
    `name: ‸\ndescription: Sorts.`,
    `name:‸\ndescription: Sorts.`,
    `name: "‸"\ndescription: Sorts.`,
    `name: my-skill\ndescr‸`,
    `name: my-skill\ndescr‸: Sorts.`,
    `name: my-skill\n"descr‸": Sorts.`,
    `name: my-skill\ndescr‸:`,
    `name: my-skill\ndescr‸:  # comment\nlicense: MIT`,
    `${both}\nmeta‸:\n  author: me`,
    `${both}\n‸`,
    `‸\n${both}`,
    `name: my-skill\n‸\ndescription: Sorts.`,
    `${both}\nli‸`,
    `${both}\nlicense: ‸`,
    `${both}\nlicense:‸`,
    `${both}\nlicense: '‸'`,
    `${both}\nmetadata:\n  ‸`,
    `${both}\nmetadata:\n    ‸\nlicense: MIT`,
    `${both}\nmetadata:\n  author: me\n  env‸`,
    `${both}\nmetadata:\n  author: me\n  ‸\nlicense: MIT`,
    `${both}\nmetadata: {‸}`,
    `${both}\nmetadata: { author: me, ‸ }`,
    `${both}\nmetadata: { ‸ author: me }`,
    `${both}\nmetadata:\n  environment: ‸`,
    `${both}\nmetadata:\n  environment:‸`,
    `${both}\nmetadata:\n  environment: 'w‸'`,
    `${both}\nmetadata:\n  state-schema: ‸`,
    `${both}\nmetadata:\n  state-schema: "‸"`,
    `${both}\nmetadata:\n  initial-state: ‸ # comment`,
    `${both}\nmetadata:\n  include: ‸`,
    `${both}\nmetadata:\n  include:‸`,
    `${both}\nmetadata:\n  include: "references/rules.md ‸"`,
    `${both}\nmetadata:\n  include: references/rules.md r‸ # comment`,
    `${both}\nmetadata:\n  terminal-actions: ‸ Finish`,
    `${both}\nmetadata:\n  "🙂": "🙂"\n  terminal-actions: '‸'`,
    `${both}\nallowed-tools: Read ‸`,
    `${both}\nallowed-tools: "Re‸"`,
    `{ name: my-skill, description: Sorts., ‸ }`,
  ].map(inFront),
];

/** How often each error is found in the page. */
async function errorsIn(text: string, settings: Partial<Settings>): Promise<ReadonlyMap<string, number>> {
  const skill = skillWorkspace({ ...files, 'SKILL.md': text }, { name: 'my-skill', settings });
  const errors = new Map<string, number>();
  for (const { code, severity } of (await skill.service.findings(skill.uri('SKILL.md'))) ?? []) {
    const isWarned = code === 'skill.client-value' || code === 'skill.unknown-key';
    if (severity === 'error' || isWarned) errors.set(code, (errors.get(code) ?? 0) + 1);
  }
  return errors;
}

describe('every completion yields a document that parses and has no new error', () => {
  const endings: readonly [string, string][] = [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ];
  for (const profile of ['standard', 'vscode', 'claude'] as const) {
    for (const [ending, eol] of endings) {
      test.each(documents)(`${profile} with ${ending}: %j`, async (document) => {
        const marked = document.replaceAll('\n', eol);
        const { text, items } = await complete(marked, { profile });
        expect(items.length).toBeGreaterThan(0);
        const before = await errorsIn(text, { profile });
        const hiding = ['skill.syntax', 'skill.missing-front-matter', 'skill.not-a-mapping'];
        const hides = hiding.some((code) => before.has(code));
        for (const item of items) {
          const after = await errorsIn(accepted(text, item), { profile });
          const worse = [...after].filter(
            ([code, count]) => count > (before.get(code) ?? 0) && !(hides && code === 'skill.missing-key'),
          );
          expect({ accepted: item.label, text: worse.length > 0 ? accepted(text, item) : '', worse }).toEqual(
            {
              accepted: item.label,
              text: '',
              worse: [],
            },
          );
        }
      });
    }
  }
});
