import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { accepted } from '../../support/acceptedCompletion';
import { withFix } from '../../support/appliedFix';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const pieces = fc.constantFrom(
  ...[
    '---',
    '\n',
    '\r\n',
    '\r',
    '\uFEFF',
    'name: ',
    'name: my-skill',
    'description: ',
    'description: Use: it',
    'x',
  ],
  ...[
    'metadata:',
    '\n  a: b',
    '\n  include: references/a.md',
    '\n  version: 1.0',
    '\n\t',
    '\n  ',
    'tags: [a, b]',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ': ',
    ' ',
    '"',
    "'",
    '- ',
    '? ',
    '&a ',
    '*a',
    '|',
    '>',
    '#',
    '🙂',
    '\uD83D',
    '\0',
    '```yaml',
  ],
  ...[
    'license:',
    'allowed-tools: [Read]',
    '__proto__: 1',
    '1: 2',
    '[a](b.md)',
    '`references/a.md`',
    'user-invocable: 3',
  ],
);
const text = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''));
const document = fc.oneof(
  text,
  text.map((inner) => `---\n${inner}\n---\n\nText.\n`),
  text.map((inner) => `---\r\nname: my-skill\r\n${inner}\r\n---\r\n`),
);
const paths = ['SKILL.md', 'references/a.md'];

async function errorsIn({ service, uri }: SkillWorkspace): Promise<ReadonlyMap<string, number>> {
  const errors = new Map<string, number>();
  for (const { code, severity } of (await service.findings(uri('SKILL.md'))) ?? []) {
    if (severity === 'error') errors.set(code, (errors.get(code) ?? 0) + 1);
  }
  return errors;
}

/** Behind these the rest of a text is not looked at. */
const hiding = [
  'skill.syntax',
  'skill.tab-indentation',
  'skill.unquoted-colon',
  'skill.multiple-documents',
  'skill.missing-front-matter',
  'skill.not-a-mapping',
  'skill.duplicate-key',
  'skill.unsupported-yaml',
];

test('no text breaks the findings; each of their fixes leaves a text that is read as well as before', async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.constantFrom('standard', 'vscode', 'claude'), async (source, profile) => {
      const options = { name: 'my-skill', settings: { profile } } as const;
      const skill = skillWorkspace({ 'SKILL.md': source, 'references/a.md': 'A.\n' }, options);
      const before = await errorsIn(skill);
      const hidden = hiding.some((code) => before.has(code));
      for (const finding of (await skill.service.findings(skill.uri('SKILL.md'))) ?? []) {
        for (const fix of finding.fixes?.() ?? []) {
          const after = await errorsIn(withFix(skill, paths, fix, options));
          const worse = [...after].filter(
            ([code, count]) => count > (before.get(code) ?? 0) && (!hidden || code === 'skill.syntax'),
          );
          expect({ fix: fix.title, worse }).toEqual({ fix: fix.title, worse: [] });
        }
      }
    }),
    { numRuns: 400 },
  );
});

test('no text breaks completion, hover and links at any place', async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.nat(), fc.boolean(), async (source, place, builtInSkill) => {
      const skill = skillWorkspace(
        { 'SKILL.md': source, 'references/a.md': 'A.\n' },
        { name: 'my-skill', settings: { builtInSkill, profile: 'claude' } },
      );
      const uri = skill.uri('SKILL.md');
      const position = new LineIndex(source).positionAt(place % (source.length + 1));
      for (const item of await skill.service.completion(uri, position)) {
        if (item.textEdit !== undefined) expect(typeof accepted(source, item)).toBe('string');
      }
      await skill.service.hover(uri, position);
      for (const { target } of await skill.service.documentLinks(uri)) {
        expect(target).toBe(skill.uri('references/a.md'));
      }
    }),
    { numRuns: 400 },
  );
});
