/** Findings in front matter, held against the standard's rules as they are written once more for tests. */
import { describe, expect, test } from 'vitest';
import { skillWorkspace } from '../../support/skillWorkspace';
import { judgedBreaches } from '../../support/standardFindings';
import { breachedRules } from '../../support/standardRules';

const folder = 'sample';

async function judged(text: string) {
  const { service, uri } = skillWorkspace({ 'SKILL.md': text }, { name: folder });
  return judgedBreaches((await service.findings(uri('SKILL.md'))) ?? []);
}

const body = '# Sample\n\nDo it.\n';
const written = (frontMatter: string) => `---\n${frontMatter}---\n${body}`;
const full = 'name: sample\ndescription: Does things.\n';

/** Values as they are written behind `key: `. */
const values = [
  'text',
  'sample',
  '',
  '""',
  "''",
  '"  "',
  '~',
  'null',
  'true',
  'yes',
  'no',
  'on',
  '7',
  '-1',
  '1.5',
  '0x1F',
  '0o17',
  '017',
  '1e3',
  '1_000',
  '12:30:45',
  '"7"',
  '[]',
  '[a, b]',
  '{}',
  '{a: b}',
  '{a: 1}',
  '{a: "1", b: c}',
  '{a: {b: c}}',
  '{a: [b]}',
  '{a: }',
  '{a: null}',
  '{1: b}',
  '\n  a: b',
  '\n  a: 1',
  '\n  a:\n    b: c',
  '\n  - a\n  - b',
  '|\n  one\n  two',
  '>-\n  one\n  two',
  '|\n',
  '>-\n  \n',
  'one\n  two',
  '"one\n  two"',
  'text # comment',
  '# comment',
  '"#text"',
  'UPPER',
  'two words',
  'a--b',
  '-a',
  'a-',
  'a_b',
  'ü',
  '"a\\nb"',
  '"𝕊"',
  'a'.repeat(64),
  'a'.repeat(65),
  `"${'𝕊'.repeat(64)}"`,
  'x'.repeat(500),
  'x'.repeat(501),
  `"${'𝕊'.repeat(500)}"`,
  'x'.repeat(1_024),
  'x'.repeat(1_025),
  `"${'𝕊'.repeat(1_024)}"`,
  `"${'𝕊'.repeat(1_025)}"`,
  'Read Write Bash(git:*)',
  '!!str 7',
  '&anchor text',
  'a: b',
  'a:b',
  '"open',
  '[open',
  '{open',
  '%percent',
  '@at',
  '`tick`',
  '*missing',
  '- a',
  '? a',
];

const keys = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'author'];

describe('the standard, and the independent check, agree', () => {
  test.each(keys)('on every value of %s', async (key) => {
    const others = full.split('\n').filter((line) => !line.startsWith(`${key}:`));
    const differing: unknown[] = [];
    for (const value of values) {
      const text = written(`${key}: ${value}\n${others.join('\n')}`);
      const [ours, independent] = [await judged(text), breachedRules(text, folder)];
      if (ours.join() !== independent.join()) differing.push({ value, ours, independent });
    }
    expect(differing).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['no front matter', body],
    ['an empty one', `---\n---\n${body}`],
    ['one of blank lines', `---\n\n\n---\n${body}`],
    ['one of comments', `---\n# name: sample\n---\n${body}`],
    ['an unclosed one', `---\n${full}`],
    ['an unclosed one before a body', `---\n${full}\n${body}`],
    ['a late one', `\n${written(full)}`],
    ['text before it', `Hello\n${written(full)}`],
    ['a fenced one', `\`\`\`yaml\n${written(full)}\`\`\`\n`],
    ['two of them', `${written(full)}${written(full)}`],
    ['a list', written('- a\n- b\n')],
    ['a text', written('just text\n')],
    ['a number', written('7\n')],
    ['only a name', written('name: sample\n')],
    ['only a description', written('description: Does.\n')],
    ['a name of another folder', written(full.replace('sample', 'other'))],
    ['a key twice', written(`${full}name: sample\n`)],
    ['a key twice in metadata', written(`${full}metadata: {a: b, a: c}\n`)],
    ['tabs', written(`${full}metadata:\n\ta: b\n`)],
    ['a byte order mark', `\uFEFF${written(full)}`],
    ['carriage returns', written(full).replaceAll('\n', '\r\n')],
    ['mixed line ends', written(full).replace('\n', '\r\n')],
    ['spaces after the lines', written(full).replaceAll('---\n', '---  \n')],
    ['no line end at the end', `---\n${full}---`],
    ['four dashes', `----\n${full}----\n${body}`],
    ['dots at the end', `---\n${full}...\n${body}`],
    ['dashes in a value', written(`name: sample\ndescription: |\n  one\n  ---\n  two\n`)],
    ['dashes in a quoted value', written(`name: sample\ndescription: "one --- two"\n`)],
    ['an alias', written('name: &n sample\ndescription: *n\n')],
    ['a key of upper case', written(`${full}License: MIT\n`)],
    ['a quoted key', written('"name": sample\n\'description\': Does.\n')],
    ['a long key', written(`${full}? license\n: MIT\n`)],
    ['JSON', written('{"name": "sample", "description": "Does."}\n')],
    ['indentation', written('  name: sample\n  description: Does.\n')],
    ['uneven indentation', written('name: sample\n  description: Does.\n')],
    [
      'every key',
      written(`${full}license: MIT\ncompatibility: Any.\nmetadata: {a: b}\nallowed-tools: Read\n`),
    ],
    ['the keys of clients', written(`${full}argument-hint: x\nuser-invocable: true\ncontext: fork\n`)],
    ['a directive', `---\n%YAML 1.2\n---\n${body}`],
    ['__proto__', written(`${full}__proto__: {a: b}\n`)],
  ])('on %s', async (_name, text) => {
    expect(await judged(text)).toEqual(breachedRules(text, folder));
  });

  test.each([
    ['a number that JSON has not', written(`${full}license: .inf\n`)],
    ['a merge key', written(`${full}metadata: &m {a: b}\nx: {<<: *m}\n`)],
  ])('that there is a breach in %s, which they name differently', async (_name, text) => {
    expect((await judged(text)).length).toBeGreaterThan(0);
    expect(breachedRules(text, folder).length).toBeGreaterThan(0);
  });
});
