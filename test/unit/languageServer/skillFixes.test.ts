import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../server/src/languageService/finding';
import { withFix } from '../../support/appliedFix';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const folder = 'my-skill';
const plain = 'name: my-skill\ndescription: Sorts items.';
const body = '# Sorting\n\nSort the items 🙂 of the list.\n';
const page = (frontMatter: string, instructions = body) => `---\n${frontMatter}\n---\n\n${instructions}`;
const files = {
  'references/rules.md': 'Rules.\n',
  'state.schema.yaml':
    'type: object\nproperties: { count: { type: integer } }\nadditionalProperties: false\n',
};

interface Case {
  readonly code: string;
  readonly text: string;
  /** The title of a fix, and a part of the text that it has to yield. */
  readonly title: string;
  readonly yields: string;
  readonly folder?: string;
  readonly profile?: 'standard' | 'vscode' | 'claude';
}

const cases: readonly Case[] = [
  {
    code: 'skill.missing-front-matter',
    text: body,
    title: 'Insert front matter',
    yields: '---\nname: my-skill\ndescription: Sort the items 🙂 of the list.\n---\n\n# Sorting',
  },
  {
    code: 'skill.missing-front-matter',
    text: `\uFEFF${body}`,
    title: 'Insert front matter',
    yields: '\uFEFF---\nname: my-skill\n',
  },
  {
    code: 'skill.missing-front-matter',
    text: '',
    title: 'Insert front matter',
    yields: '---\nname: my-skill\ndescription: What this skill does, and when to use it.\n---\n',
  },
  {
    code: 'skill.missing-front-matter',
    text: `${plain}\n---\n\n${body}`,
    title: 'Begin the front matter with ---',
    yields: page(plain),
  },
  {
    code: 'skill.missing-front-matter',
    text: body,
    folder: 'My Skill',
    title: 'Insert front matter and rename the folder to my-skill',
    yields: '---\nname: my-skill\n',
  },
  {
    code: 'skill.missing-front-matter',
    text: '---',
    title: 'Insert front matter',
    yields: '---\nname: my-skill\ndescription: What this skill does, and when to use it.\n---\n',
  },
  {
    code: 'skill.unclosed-front-matter',
    text: `---\n${plain}\n...\n\n${body}`,
    title: 'Close the front matter with ---',
    yields: page(plain),
  },
  {
    code: 'skill.unclosed-front-matter',
    text: `---\n${plain}\n\n${body}`,
    title: 'Close the front matter with ---',
    yields: `---\n${plain}\n---\n\n${body}`,
  },
  {
    code: 'skill.unclosed-front-matter',
    text: `---\n${plain}`,
    title: 'Close the front matter with ---',
    yields: `---\n${plain}\n---\n`,
  },
  {
    code: 'skill.unclosed-front-matter',
    text: `---\n${body}`,
    title: 'Close the front matter with ---',
    yields: `---\nname: my-skill\ndescription: Sort the items 🙂 of the list.\n---\n${body}`,
  },
  {
    code: 'skill.late-front-matter',
    text: `\n\n${page(plain)}`,
    title: 'Remove the lines before the front matter',
    yields: page(plain),
  },
  {
    code: 'skill.fenced-front-matter',
    text: `\`\`\`yaml\n---\n${plain}\n---\n\`\`\`\n\n${body}`,
    title: 'Remove the code fence',
    yields: page(plain),
  },
  {
    code: 'skill.fenced-front-matter',
    text: `\`\`\`markdown\n---\n${plain}\n---\n\n${body}\`\`\`\n`,
    title: 'Remove the code fence',
    yields: page(plain),
  },
  {
    code: 'skill.tab-indentation',
    text: page(`${plain}\nmetadata:\n\tauthor: me`),
    title: 'Indent with spaces',
    yields: 'metadata:\n  author: me\n',
  },
  {
    code: 'skill.nul-character',
    text: page(plain, 'Sort\0 it.\n'),
    title: 'Remove NUL characters',
    yields: 'Sort it.',
  },
  {
    code: 'skill.unquoted-colon',
    text: page('name: my-skill\ndescription: Use when: 🙂 "sorting"\n  or packing # not a comment'),
    title: 'Put the value in quotes',
    yields: `description: 'Use when: 🙂 "sorting" or packing # not a comment'\n`,
  },
  {
    code: 'skill.unquoted-colon',
    text: page(`${plain}\nmetadata:\n  note: one: two`),
    title: 'Put the value in quotes',
    yields: '  note: "one: two"\n',
  },
  ...['@team first', '`code` first', '[OLD] use another', '*new* one', '%x', '"a" b', '{a} b'].map(
    (value) => ({
      code: 'skill.syntax',
      text: page(`name: my-skill\ndescription: ${value} # note\nlicense: MIT # free`),
      title: 'Put the value in quotes',
      yields: `description: ${value.startsWith('"') ? `'${value}'` : `"${value}"`} # note\nlicense: MIT # free\n`,
    }),
  ),
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\ncompatibility:\n  - git # any\n  # and\n  - node#1 # 20`),
    title: 'Write it as a text',
    yields: 'compatibility: "git, node#1" # any # and # 20\n---',
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nmetadata: { author: me }\nversion: 2 # second`),
    title: 'Move version under metadata',
    yields: 'metadata: { author: me, version: "2" }\n# second\n',
  },
  {
    code: 'skill.duplicate-key',
    text: page(`${plain}\ndescription: >\n  Again,\n\n  and again.\nlicense: MIT`),
    title: 'Remove this description',
    yields: `${plain}\nlicense: MIT\n`,
  },
  {
    code: 'skill.inexact-number',
    text: page(`${plain}\nmetadata:\n  id: 12345678901234567890`),
    title: 'Put the number in quotes',
    yields: '  id: "12345678901234567890"\n',
  },
  {
    code: 'skill.missing-key',
    text: page('description: Sorts items.'),
    title: 'Add name: my-skill',
    yields: '---\nname: my-skill\ndescription: Sorts',
  },
  {
    code: 'skill.missing-key',
    text: page('name: my-skill\nlicense: MIT'),
    title: 'Add a description',
    yields: 'name: my-skill\ndescription: Sort the items 🙂 of the list.\nlicense: MIT\n',
  },
  {
    code: 'skill.missing-key',
    text: '---\n---\n\nSort: the items.\n',
    title: 'Add name and description',
    yields: '---\nname: my-skill\ndescription: "Sort: the items."\n---\n',
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\ntags: [a, b]\nlicense: MIT`),
    title: 'Move tags under metadata',
    yields: `${plain}\nmetadata:\n  tags: "a, b"\nlicense: MIT\n`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nversion: 1.0  # the "first"\nlicense: MIT`),
    title: 'Move version under metadata',
    yields: `${plain}\nmetadata:\n  version: "1.0"  # the "first"\nlicense: MIT\n`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nmetadata:\n  author: me # I\nversion: 1.0 # first\ntags: a # some`),
    title: 'Move all 2 unknown keys under metadata',
    yields: `${plain}\nmetadata:\n  author: me # I\n  version: "1.0" # first\n  tags: a # some\n---`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`version: 1.0\n${plain}\nmetadata:\n    author: me\n    # last\nlicense: MIT`),
    title: 'Move version under metadata',
    yields: `${plain}\nmetadata:\n    author: me\n    version: "1.0"\n    # last\nlicense: MIT\n`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nmetadata:\nversion: |\n  One,\n  two.`),
    title: 'Move version under metadata',
    yields: `${plain}\nmetadata:\n  version: "One,\\ntwo."\n`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nmetadata: { author: me }\nversion: 2`),
    title: 'Move version under metadata',
    yields: 'metadata: { author: me, version: "2" }\n',
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nversion: 2\nauthor: me`),
    title: 'Move all 2 unknown keys under metadata',
    yields: `${plain}\nmetadata:\n  version: "2"\n  author: me\n---`,
  },
  {
    code: 'skill.unknown-key',
    text: page('  name: my-skill\n  version: 2\n  description: Sorts items.'),
    title: 'Move version under metadata',
    yields: '  name: my-skill\n  metadata:\n    version: "2"\n  description: Sorts items.\n',
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\ninclude: references/rules.md`),
    title: 'Move include under metadata',
    yields: `${plain}\nmetadata:\n  include: references/rules.md\n`,
  },
  {
    code: 'skill.unknown-key',
    text: page(`${plain}\nAllowed_Tools: Read`),
    title: 'Write allowed-tools',
    yields: '\nallowed-tools: Read\n',
  },
  {
    code: 'skill.unknown-key',
    text: page('name: my-skill\ndescripton: Sorts items.'),
    title: 'Write description',
    yields: `---\n${plain}\n---`,
  },
  {
    code: 'skill.unknown-key',
    profile: 'vscode',
    text: page(`${plain}\nuser-invokable: false`),
    title: 'Write user-invocable',
    yields: '\nuser-invocable: false\n',
  },
  {
    code: 'skill.misspelt-metadata-key',
    text: page(`${plain}\nmetadata:\n  enviroment: warehouse`),
    title: 'Write environment',
    yields: '  environment: warehouse\n',
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  version: 1.0`),
    title: 'Put the value in quotes',
    yields: '  version: "1.0"\n',
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  released: 2025-01-31`),
    title: 'Put the value in quotes',
    yields: '  released: "2025-01-31"\n',
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  stable: true # yes`),
    title: 'Put the value in quotes',
    yields: '  stable: "true" # yes\n',
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  author:`),
    title: 'Write an empty text',
    yields: '  author: ""\n',
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  nested:\n    a: 1`),
    title: 'Write it as a text',
    yields: `  nested:\n    '{"a":1}'\n`,
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nallowed-tools:\n  - Read\n  - Bash(git:*)`),
    title: 'Separate by spaces',
    yields: `${plain}\nallowed-tools: Read Bash(git:*)\n---`,
  },
  {
    code: 'skill.wrong-type',
    text: page(`${plain}\nmetadata:\n  include: [references/rules.md]`),
    title: 'Separate by spaces',
    yields: '  include: references/rules.md\n',
  },
  {
    code: 'skill.wrong-type',
    text: page('name: 123\ndescription: Sorts items.'),
    folder: '123',
    title: 'Put the value in quotes',
    yields: 'name: "123"\n',
  },
  {
    code: 'skill.wrong-type',
    text: page('name: 2025 # year\ndescription: Sorts items.'),
    title: "Write the folder's name: my-skill",
    yields: 'name: my-skill # year\n',
  },
  {
    code: 'skill.comma-separated',
    text: page(`${plain}\nallowed-tools: "Read, Bash(git add:*, git rm:*),Write" # all`),
    title: 'Separate by spaces',
    yields: 'allowed-tools: Read Bash(git add:*, git rm:*) Write # all\n',
  },
  {
    code: 'skill.empty-value',
    text: page('name:\ndescription: Sorts items.'),
    title: 'Write my-skill',
    yields: 'name: my-skill\n',
  },
  {
    code: 'skill.empty-value',
    text: page('name: my-skill\ndescription: ""'),
    title: 'Write what the instructions begin with',
    yields: 'description: Sort the items 🙂 of the list.\n',
  },
  {
    code: 'skill.empty-value',
    text: page(`${plain}\nlicense:\ncompatibility: None`),
    title: 'Remove license',
    yields: `${plain}\ncompatibility: None\n`,
  },
  {
    code: 'skill.too-long',
    text: page(`name: my-skill\ndescription: >-\n  ${Array(80).fill('Sorts 🙂 all items.').join(' ')}`),
    title: 'Shorten the description to 1024 characters',
    yields: 'Sorts 🙂 all items. Sorts 🙂 all items.\n---',
  },
  {
    code: 'skill.too-long',
    text: page(`${plain}\ncompatibility: ${'𝒳'.repeat(501)}`),
    title: 'Shorten the compatibility to 500 characters',
    yields: `${'𝒳'.repeat(499)}…`,
  },
  {
    code: 'skill.too-long',
    text: page(`name: ${'sort-'.repeat(16)}x\ndescription: Sorts items.`),
    folder: `${'sort-'.repeat(16)}x`,
    title: `Write ${'sort-'.repeat(12)}sort and rename the folder`,
    yields: `name: ${'sort-'.repeat(12)}sort\n`,
  },
  {
    code: 'skill.invalid-name',
    text: page('name: My Skill\ndescription: Sorts items.'),
    title: "Write the folder's name: my-skill",
    yields: 'name: my-skill\n',
  },
  {
    code: 'skill.invalid-name',
    text: page('name: Große_Übersicht2Go\ndescription: Sorts items.'),
    folder: 'Große_Übersicht2Go',
    title: 'Write grosse-ubersicht2-go and rename the folder',
    yields: 'name: grosse-ubersicht2-go\n',
  },
  {
    code: 'skill.folder-name',
    text: page('name: other\ndescription: Sorts items.'),
    title: 'Rename the folder to other',
    yields: 'name: other\n',
  },
  {
    code: 'skill.folder-name',
    text: page('name: other # old\ndescription: Sorts items.'),
    title: "Write the folder's name: my-skill",
    yields: 'name: my-skill # old\n',
  },
  {
    code: 'skill.not-included',
    text: page(plain, 'Follow [the rules](references/rules.md).\n'),
    title: 'Add references/rules.md to metadata.include',
    yields: `${plain}\nmetadata:\n  include: references/rules.md\n---`,
  },
  {
    code: 'skill.missing-file',
    text: page(`${plain}\nmetadata:\n  include: rules.md`),
    title: 'Write references/rules.md',
    yields: '  include: references/rules.md\n',
  },
  {
    code: 'skill.missing-file',
    text: page(`${plain}\nmetadata:\n  include: references/rules.md, references/rules.md`),
    title: 'Separate by spaces',
    yields: '  include: references/rules.md references/rules.md\n',
  },
  {
    code: 'skill.missing-file',
    text: page(`${plain}\nmetadata:\n  state-schema: schema.yaml`),
    title: 'Remove state-schema',
    yields: `${plain}\nmetadata:\n---`,
  },
  {
    code: 'skill.broken-link',
    text: page(plain, 'Follow [the rules](rules.md#first).\n'),
    title: 'Write references/rules.md',
    yields: '[the rules](references/rules.md#first)',
  },
  {
    code: 'skill.unknown-terminal-action',
    text: page(`${plain}\nmetadata:\n  terminal-actions: finish`, '## Actions\n\n- `Finish`: done.\n'),
    title: 'Write Finish',
    yields: '  terminal-actions: Finish\n',
  },
  {
    code: 'skill.unknown-environment',
    text: page(`${plain}\nmetadata:\n  environment: warehous`),
    title: 'Write warehouse',
    yields: '  environment: warehouse\n',
  },
  {
    code: 'skill.client-value',
    profile: 'claude',
    text: page(`${plain}\nuser-invocable: "no"`),
    title: 'Write false',
    yields: '\nuser-invocable: false\n',
  },
  {
    code: 'skill.client-value',
    profile: 'vscode',
    text: page(`${plain}\ncontext: forked`),
    title: 'Write fork',
    yields: '\ncontext: fork\n',
  },
];

/** How often each error is found. */
async function errorsIn({ service, uri }: SkillWorkspace): Promise<ReadonlyMap<string, number>> {
  const errors = new Map<string, number>();
  for (const { code, severity } of (await service.findings(uri('SKILL.md'))) ?? []) {
    if (severity === 'error') errors.set(code, (errors.get(code) ?? 0) + 1);
  }
  return errors;
}

/** The last errors of a text are only seen once those that hide them are mended. */
const hiding = new Set(['skill.tab-indentation', 'skill.unquoted-colon', 'skill.missing-front-matter']);

async function checkAll(text: string, { code, title, yields, folder: name = folder, profile }: Case) {
  const texts = { ...files, 'SKILL.md': text };
  const options = { name, settings: { profile: profile ?? 'standard' } } as const;
  const skill = skillWorkspace(texts, options);
  const findings = (await skill.service.findings(skill.uri('SKILL.md'))) ?? [];
  const found = findings.filter((finding: Finding) => finding.code === code);
  expect(findings.map((finding) => finding.code)).toContain(code);
  const fixes = found.flatMap((finding) => finding.fixes?.() ?? []);
  expect(fixes.map((fix) => fix.title)).toContain(title);
  const before = await errorsIn(skill);
  for (const fix of fixes) {
    const fixed = withFix(skill, Object.keys(texts), fix, options);
    const after = await errorsIn(fixed);
    const worse = [...after].filter(([key, count]) => count > (before.get(key) ?? 0));
    if (!hiding.has(code)) expect({ fix: fix.title, worse }).toEqual({ fix: fix.title, worse: [] });
    expect(after.get('skill.syntax') ?? 0).toBe(0);
    if (fix.title === title) {
      expect(fixed.text('SKILL.md')).toContain(yields);
      const again = (await fixed.service.findings(fixed.uri('SKILL.md'))) ?? [];
      const left = again.filter((finding) => finding.code === code).length;
      expect(left).toBeLessThan(found.length);
    }
  }
}

describe('fixes of a SKILL.md mend it and bring no new error', () => {
  test.each(cases)('$code: $title', async (wanted) => checkAll(wanted.text, wanted));

  test.each(cases.filter(({ text }) => text.includes('\n')))('with CRLF, $code: $title', async (wanted) => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    await checkAll(crlf(wanted.text), { ...wanted, yields: crlf(wanted.yields) });
  });

  test.each(["['Azure MCP/search', Read]", 'Azure MCP/search, Read'])(
    'none separates tools by spaces that have spaces in them: %s',
    async (tools) => {
      const text = page(`${plain}\nallowed-tools: ${tools}`);
      const skill = skillWorkspace({ ...files, 'SKILL.md': text }, { name: folder });
      const [found] = (await skill.service.findings(skill.uri('SKILL.md'))) ?? [];
      expect(found?.code).toMatch(/^skill\.(?:wrong-type|comma-separated)$/);
      expect(found?.message).not.toContain('separate them by spaces');
      expect(found?.fixes?.()).toEqual([]);
    },
  );

  test('none moves a key to where it would name a file that is not there', async () => {
    const text = page(`${plain}\ninclude: none.md\nversion: 1`);
    const skill = skillWorkspace({ ...files, 'SKILL.md': text }, { name: folder });
    const findings = (await skill.service.findings(skill.uri('SKILL.md'))) ?? [];
    const titles = findings.flatMap((finding) => (finding.fixes?.() ?? []).map((fix) => fix.title));
    expect(titles).toEqual(['Remove include', 'Move version under metadata', 'Remove version']);
  });
});
