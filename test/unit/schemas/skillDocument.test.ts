import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFolderName, maxSkillLength, parseSkill } from '../../../schemas/skill/skillDocument';
import { skillProblems } from '../../../schemas/skill/skillProblems';
import { findings, liesIn, marked } from './located';

/** A skill with the given lines of front matter and a body. */
function skill(frontMatter: string, body = 'Do it.\n'): string {
  return `---\n${frontMatter}\n---\n${body}`;
}

const plain = 'name: a-skill\ndescription: Does something.';

function found(text: string): string[] {
  return findings(text, parseSkill(text).problems);
}

describe('a skill after the standard', () => {
  const text = skill(
    `${plain}\nlicense: MIT\ncompatibility: Needs git.\nmetadata:\n  environment: warehouse\nallowed-tools: Read`,
    '\n# Steps\n\nDo it.\n\n',
  );
  const document = parseSkill(text);

  test('has no problems', () => expect(document.problems).toEqual([]));
  test('gives name, description and metadata', () => {
    expect(document.name).toBe('a-skill');
    expect(document.description).toBe('Does something.');
    expect([...document.metadata]).toEqual([['environment', 'warehouse']]);
  });
  test('has its instructions without outer blank lines', () =>
    expect(document.instructions).toBe('# Steps\n\nDo it.'));
  test('knows where the instructions begin', () => expect(document.firstInstructionLine).toBe(10));
  test('has a range for every key and value', () => {
    const entries = [...document.entries, ...document.entries.flatMap(({ entries }) => entries)];
    expect(entries.map((entry) => [marked(text, entry.keyRange), marked(text, entry.valueRange)])).toEqual([
      ['name', 'a-skill'],
      ['description', 'Does something.'],
      ['license', 'MIT'],
      ['compatibility', 'Needs git.'],
      ['metadata', 'environment: warehouse'],
      ['allowed-tools', 'Read'],
      ['environment', 'warehouse'],
    ]);
  });
  test('knows its front matter and its body', () => {
    expect(document.frontMatterRange && marked(text, document.frontMatterRange)).toMatch(
      /^name: [\s\S]*Read\n$/,
    );
    expect(marked(text, document.bodyRange)).toBe('\n# Steps\n\nDo it.\n\n');
  });
});

describe('line ends', () => {
  test.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('%s counts as one line end, and P has LF', (_name, lineEnd) => {
    const text = skill(plain, 'One.\n\nTwo.\n').replaceAll('\n', lineEnd);
    const document = parseSkill(text);
    expect(document.instructions).toBe('One.\n\nTwo.');
    expect(document.firstInstructionLine).toBe(4);
  });
  test('CRLF and LF may be mixed', () => {
    const text = `---\r\nname: a\ndescription: b c\r\n---\nOne.\r\nTwo.\n`;
    const document = parseSkill(text);
    expect(document.problems).toEqual([]);
    expect(document.description).toBe('b c');
    expect(document.instructions).toBe('One.\nTwo.');
  });
  test('a byte order mark is skipped', () => {
    const document = parseSkill(`\uFEFF${skill(plain)}`);
    expect(document.problems).toEqual([]);
    expect(document.instructions).toBe('Do it.');
  });
  test('a byte order mark before a body without front matter is skipped', () => {
    expect(parseSkill('\uFEFFDo it.').instructions).toBe('Do it.');
  });
});

describe('where front matter begins and ends', () => {
  test('missing', () => {
    const text = '# Title\n\nDo it.\n';
    expect(found(text)).toEqual(['skill.missing-front-matter «# Title»']);
    expect(parseSkill(text).instructions).toBe('# Title\n\nDo it.');
  });
  test('an empty text is without front matter and instructions', () => {
    expect(parseSkill('').problems.map(({ code }) => code)).toEqual([
      'skill.missing-front-matter',
      'skill.empty-instructions',
    ]);
  });
  test('unclosed: it ends at the first line that is no YAML', () => {
    const text = '---\nname: a\ndescription: b\n\n# Title\n\nDo it.\n';
    const document = parseSkill(text);
    expect(found(text)).toEqual(['skill.unclosed-front-matter «---»']);
    expect(document.name).toBe('a');
    expect(document.instructions).toBe('# Title\n\nDo it.');
  });
  test('unclosed, and nothing but a rule: everything is body', () => {
    const document = parseSkill('---\n\nDo it.\n');
    expect(document.problems.map(({ code }) => code)).toEqual(['skill.unclosed-front-matter']);
    expect(document.instructions).toBe('---\n\nDo it.');
  });
  test('after blank lines', () => {
    const text = `\n\n${skill(plain)}`;
    expect(found(text)).toEqual(['skill.late-front-matter «---»']);
    expect(parseSkill(text).name).toBe('a-skill');
  });
  test('inside a code fence of its own', () => {
    const text = `\`\`\`yaml\n---\n${plain}\n---\n\`\`\`\n\nDo it.\n`;
    expect(found(text)).toEqual(['skill.fenced-front-matter «```yaml»']);
    expect(parseSkill(text).name).toBe('a-skill');
    expect(parseSkill(text).instructions).toBe('Do it.');
  });
  test('inside a code fence around everything', () => {
    const text = `\`\`\`markdown\n${skill(plain)}\`\`\`\n`;
    expect(found(text)).toEqual(['skill.fenced-front-matter «```markdown»']);
    expect(parseSkill(text).instructions).toBe('Do it.');
  });
  test('twice', () => {
    const text = skill(plain, `\n---\nname: b\ndescription: c\n---\nDo it.\n`);
    expect(found(text)).toEqual(['skill.second-front-matter «---»']);
  });
  test('a rule at the start of the body is no second front matter', () => {
    expect(found(skill(plain, '---\n\nDo it.\n\n---\n'))).toEqual([]);
  });
  test('three dashes within a value end nothing', () => {
    const text = skill('name: a\ndescription: |\n  One.\n  ---\n  Two --- three.');
    expect(found(text)).toEqual([]);
    expect(parseSkill(text).description).toBe('One.\n---\nTwo --- three.\n');
  });
  test('white space after the dashes', () => expect(found(`--- \n${plain}\n---\t\nDo it.\n`)).toEqual([]));
  test('no body', () => {
    expect(parseSkill(`---\n${plain}\n---`).problems.map(({ code }) => code)).toEqual([
      'skill.empty-instructions',
    ]);
  });
});

/** A line at each of so many columns. */
function indented(levels: number, line: string): string {
  return Array.from({ length: levels }, (_, column) => ' '.repeat(column) + line).join('\n');
}

describe('YAML', () => {
  test('one unclosed quote is one problem, and no key is missed', () => {
    expect(found(skill('name: a\ndescription: "b'))).toEqual([expect.stringMatching(/^skill\.syntax /)]);
  });
  test('an unquoted colon is located, and the value still read', () => {
    const text = skill('name: a\ndescription: Use when: foo, or: bar\n  and more\nlicense: MIT');
    const document = parseSkill(text);
    expect(found(text)).toEqual(['skill.unquoted-colon «:»']);
    expect(document.problems[0]?.range.start).toEqual({ line: 2, character: 21 });
    expect(document.description).toBe('Use when: foo, or: bar and more');
    expect(document.entries.map(({ key }) => key)).toEqual(['name', 'description', 'license']);
  });
  test('two unquoted colons are two problems', () => {
    const text = skill('name: a\ndescription: b: c\ncompatibility: d: e');
    expect(found(text)).toEqual(['skill.unquoted-colon «:»', 'skill.unquoted-colon «:»']);
    expect(parseSkill(text).description).toBe('b: c');
  });
  test('a description that is too long and has a colon has two causes', () => {
    const text = skill(`name: a\ndescription: b: ${'c'.repeat(1_030)}`);
    expect(parseSkill(text).problems.map(({ code }) => code)).toEqual([
      'skill.too-long',
      'skill.unquoted-colon',
    ]);
  });
  test('tabs', () => {
    expect(found(skill(`${plain}\nmetadata:\n\ta: b`))).toEqual(['skill.tab-indentation «\t»']);
  });
  test('duplicate keys: the first counts', () => {
    const text = skill(`${plain}\nname: b`);
    expect(found(text)).toEqual(['skill.duplicate-key «name»']);
    expect(parseSkill(text).name).toBe('a-skill');
  });
  test('two documents', () => {
    expect(found(skill(`${plain}\n...\nname: b`))).toEqual(['skill.multiple-documents «n»']);
    expect(found(skill(`${plain}\n--- # more\nname: b`))).toEqual(['skill.multiple-documents «-»']);
  });
  test.each([
    ['a list', '- a\n- b', '- a\n- b'],
    ['a text', 'just a text', 'just a text'],
    ['a number', '42', '42'],
  ])('%s instead of a mapping', (_name, yaml, place) => {
    expect(found(skill(yaml))).toEqual([`skill.not-a-mapping «${place}»`]);
  });
  test('empty front matter', () => {
    expect(parseSkill('---\n---\nDo it.').problems.map(({ code }) => code)).toEqual(['skill.missing-key']);
  });
  test('an alias without an anchor', () => {
    expect(found(skill('name: a\ndescription: *b'))).toEqual(['skill.unsupported-yaml «*b»']);
  });
  test('aliases that multiply', () => {
    const lines = Array.from(
      { length: 20 },
      (_, level) => `k${level + 1}: &a${level + 1} [*a${level}, *a${level}]`,
    );
    const text = skill(`${plain}\nk0: &a0 [x, x]\n${lines.join('\n')}`);
    expect(parseSkill(text).problems.map(({ code }) => code)).toEqual(['skill.large-front-matter']);
  });
  test.each([
    ['flow', '['.repeat(50_000), 'skill.too-deep'],
    ['block', '- '.repeat(30_000), 'skill.too-deep'],
    ['explicit keys', '? '.repeat(30_000), 'skill.too-deep'],
    ['indented', indented(300, 'a:'), 'skill.too-deep'],
    ['long', indented(1_200, 'a:'), 'skill.large-front-matter'],
  ])('deep nesting (%s) is refused, every time', (_name, yaml, code) => {
    const text = skill(`${plain}\nx:\n${yaml}`);
    for (let round = 0; round < 3; round++) {
      expect(parseSkill(text).problems.map(({ code }) => code)).toEqual([code]);
    }
  });
  test('a tag without a meaning', () => {
    expect(found(skill(`${plain}\nlicense: !spdx MIT`))).toEqual(['skill.unsupported-yaml «!spdx»']);
  });
  test('a YAML 1.1 directive changes nothing', () => {
    expect(parseSkill(skill(`%YAML 1.1\n---  # x\n${plain}`)).name).toBe('a-skill');
  });
  test('a NUL character', () => {
    const text = skill(plain, 'Do\0 it.\n');
    expect(found(text)).toEqual(['skill.nul-character «\0»']);
    expect(found(skill('name: a\0\ndescription: b'))).toContain('skill.nul-character «\0»');
  });
  test('a character that could not be read', () => {
    expect(found(skill(plain, 'caf\uFFFD\n'))).toEqual(['skill.not-utf-8 «\uFFFD»']);
  });
  test('`__proto__` is a key like any other', () => {
    const document = parseSkill(skill(`${plain}\nmetadata:\n  __proto__: a\n  constructor: b`));
    expect(document.problems).toEqual([]);
    expect([...document.metadata]).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });
});

describe('the rules of the standard', () => {
  test.each([
    ['a key outside it', `${plain}\nversion: 1`, 'skill.unknown-key «version»'],
    ['no name', 'description: b', 'skill.missing-key «»'],
    ['no description', 'name: a', 'skill.missing-key «»'],
    ['name: upper case', 'name: A\ndescription: b', 'skill.invalid-name «A»'],
    ['name: a hyphen first', 'name: -a\ndescription: b', 'skill.invalid-name «-a»'],
    ['name: a hyphen last', 'name: a-\ndescription: b', 'skill.invalid-name «a-»'],
    ['name: two hyphens', 'name: a--b\ndescription: b', 'skill.invalid-name «a--b»'],
    ['name: an underscore', 'name: a_b\ndescription: b', 'skill.invalid-name «a_b»'],
    ['name: other letters', 'name: é\ndescription: b', 'skill.invalid-name «é»'],
    ['name: too long', `name: ${'a'.repeat(65)}\ndescription: b`, `skill.too-long «${'a'.repeat(65)}»`],
    ['name: an integer', 'name: 123\ndescription: b', 'skill.wrong-type «123»'],
    ['name: a boolean', 'name: true\ndescription: b', 'skill.wrong-type «true»'],
    ['name: empty', 'name:\ndescription: b', 'skill.empty-value «name»'],
    ['name: an empty string', 'name: ""\ndescription: b', 'skill.empty-value «""»'],
    ['description: a list', 'name: a\ndescription: [b]', 'skill.wrong-type «[b]»'],
    ['description: blank', 'name: a\ndescription: "  "', 'skill.empty-value «"  "»'],
    [
      'description: too long',
      `name: a\ndescription: ${'b'.repeat(1_025)}`,
      `skill.too-long «${'b'.repeat(1_025)}»`,
    ],
    ['license: a map', `${plain}\nlicense: {a: b}`, 'skill.wrong-type «{a: b}»'],
    [
      'compatibility: too long',
      `${plain}\ncompatibility: ${'c'.repeat(501)}`,
      `skill.too-long «${'c'.repeat(501)}»`,
    ],
    ['compatibility: empty', `${plain}\ncompatibility: ''`, "skill.empty-value «''»"],
    ['metadata: a text', `${plain}\nmetadata: a`, 'skill.wrong-type «a»'],
    ['metadata: a number', `${plain}\nmetadata:\n  a: 1.0`, 'skill.wrong-type «1.0»'],
    ['metadata: a map', `${plain}\nmetadata:\n  a: {b: c}`, 'skill.wrong-type «{b: c}»'],
    ...['enviroment', 'state_schema', 'initialState', 'includes', 'terminal-action', 'Environment'].map(
      (key) => [
        `metadata: ${key}`,
        `${plain}\nmetadata:\n  version: "1"\n  ${key}: b`,
        `skill.misspelt-metadata-key «${key}»`,
      ],
    ),
    ['metadata: an empty value', `${plain}\nmetadata:\n  a:`, 'skill.wrong-type «a»'],
    ['allowed-tools: a list', `${plain}\nallowed-tools: [Read]`, 'skill.wrong-type «[Read]»'],
  ])('%s', (_name, yaml, finding) => expect(found(skill(yaml))).toEqual([finding]));

  test.each([
    ['`yes` is a text', 'name: yes\ndescription: b'],
    ['64 characters', `name: ${'a'.repeat(64)}\ndescription: b`],
    ['digits and hyphens', 'name: 1-a-2\ndescription: b'],
    ['1,024 characters beyond the basic plane', `name: a\ndescription: "${'🏭'.repeat(1_024)}"`],
    ['metadata without entries', `${plain}\nmetadata:`],
    ['keys in quotes', '"name": a\n\'description\': b'],
    ['JSON', '{"name": "a", "description": "b"}'],
  ])('allows: %s', (_name, yaml) => expect(found(skill(yaml))).toEqual([]));

  test('a key that is nearly one of the standard is named', () => {
    const [problem] = parseSkill(skill(`${plain}\nAllowed_Tools: Read`)).problems;
    expect(problem?.message).toContain('write allowed-tools');
  });
  test('a name that is not the folder’s', () => {
    const text = skill(plain);
    const problem = checkFolderName(parseSkill(text), 'other');
    expect(problem && findings(text, [problem])).toEqual(['skill.folder-name «a-skill»']);
    expect(checkFolderName(parseSkill(text), 'a-skill')).toBeUndefined();
    expect(checkFolderName(parseSkill('Do it.'), 'other')).toBeUndefined();
  });
  test('a file that is too long is not read', () => {
    const document = parseSkill('a'.repeat(maxSkillLength + 1));
    expect(document.problems.map(({ code }) => code)).toEqual(['skill.too-large']);
  });
});

describe('mentions', () => {
  test('are links and code spans with the form of a path', () => {
    const body = [
      'See [the rules](references/rules.md#top "Rules") and `scripts/run.py`, [again](./references/rules.md).',
      'Not https://example.org/a.md, [this](https://example.org/b.md), [that](/etc/passwd), [out](../x.md), `a.b`.',
      '```',
      '[code](references/code.md)',
      '```',
      '| [cell](references/cell.md) |',
      '| --- |',
    ].join('\n');
    const text = skill(plain, body);
    const { mentions } = parseSkill(text);
    expect(mentions.map(({ path, range }) => [path, marked(text, range)])).toEqual([
      ['references/rules.md', 'references/rules.md#top'],
      ['scripts/run.py', 'scripts/run.py'],
      ['references/cell.md', 'references/cell.md'],
    ]);
  });

  test('stand once for each place, however many cells a row of a table has', () => {
    const row = '| [a](a.md) | words | [b](b.md) | `c/d.md` |';
    const { allMentions } = parseSkill(
      skill(plain, `| 1 | 2 | 3 | 4 |\n|---|---|---|---|\n${row}\n${row}\n`),
    );
    expect(allMentions.map(({ path }) => path)).toEqual(['a.md', 'b.md', 'c/d.md', 'a.md', 'b.md', 'c/d.md']);
  });

  test.each([
    ['[a](<my notes.md>)', 'my notes.md', 'my notes.md'],
    ['[a](my%20notes.md)', 'my notes.md', 'my%20notes.md'],
    ['![plan](images/plan.png)', 'images/plan.png', 'images/plan.png'],
    ['[`a`](notes(1).md)', 'notes(1).md', 'notes(1).md'],
    ["[a](a.md 'title')", 'a.md', 'a.md'],
    ['[a](a.md (title))', 'a.md', 'a.md'],
    ['See [the notes].\r\n\r\n[the notes]: ./a.md#top "Notes"', 'a.md', './a.md#top'],
    ['See [n].\n\n> - [n]: <my notes.md>', 'my notes.md', 'my notes.md'],
    ['[n]: b.md\n[m]: https://example.org/a.md', 'b.md', 'b.md'],
    ['😀 [größe](größe.md)', 'größe.md', 'größe.md'],
  ])('read %j', (body, path, written) => {
    const text = skill(plain, body);
    const { allMentions } = parseSkill(text);
    expect(allMentions.map((mention) => [mention.path, marked(text, mention.range)])).toEqual([
      [path, written],
    ]);
  });

  test.each(['```\n[n]: a.md\n```\n\n[m]: https://example.org', '[n]:a b\n', '`[a](a.md)` and [ ]: b.md'])(
    'are none in %j',
    (body) => {
      expect(parseSkill(skill(plain, body)).allMentions).toEqual([]);
    },
  );
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    '---',
    '\n',
    '\r\n',
    '\r',
    '\uFEFF',
    'name: ',
    'description: ',
    'metadata:\n  a: b',
    'a',
    ': ',
    ' ',
    '\t',
    '"',
    "'",
    '- ',
    '? ',
    '|\n',
    '>-\n',
    '[',
    ']',
    '{',
    '}',
    ',',
    '&a ',
    '*a',
    '!t ',
    '#',
    '%YAML 1.1',
    '...',
    '\0',
    '\uD800',
    '🏭',
    '`',
    '```',
    '# Actions',
    '- `Store <a> <b>`',
    '[x](y/z.md)',
    '<<: ',
    '0x',
    '.inf',
    'é',
  );
  const mangled = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));
  const framed = mangled.map((text) => `---\n${text}\n---\nBody.\n${text}`);

  test('never throws, and every range lies in it', () => {
    fc.assert(
      fc.property(fc.oneof(mangled, framed, fc.string({ unit: 'binary' })), (text) => {
        const document = parseSkill(text);
        const ranges = [
          document.bodyRange,
          ...(document.frontMatterRange === undefined ? [] : [document.frontMatterRange]),
          ...document.problems.map(({ range }) => range),
          ...document.actions.map(({ range }) => range),
          ...document.mentions.map(({ range }) => range),
          ...document.entries.flatMap(({ keyRange, valueRange }) => [keyRange, valueRange]),
        ];
        expect(ranges.filter((range) => !liesIn(text, range))).toEqual([]);
        expect(document.problems.every(({ code }) => Object.hasOwn(skillProblems, code))).toBe(true);
        expect(document.actions.every((action) => marked(text, action.range) === action.text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
