/** New skills: each template, whatever it is called and described, has nothing wrong with it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSkill } from '../../../schemas/skill/skill';
import { kebabCase } from '../../../schemas/skill/skillName';
import {
  createSkillFiles,
  descriptionProblem,
  nameProblem,
  skillTemplates,
} from '../../../schemas/skill/skillTemplates';
import { skillWorkspace } from '../../support/skillWorkspace';

const names = ['a', 'release-notes', '0', 'x'.repeat(64), 'true', 'null', '1e3', '2024-01-01'];
const descriptions = [
  'Sorts things. Use it when things are out of order.',
  'Note: has a colon, "quotes", \'single ones\' and a # hash',
  '# begins like a comment',
  '- begins like a list, [x] {y} *z* &a !b %c @d `e`',
  'yes',
  '42',
  'Ends with a colon:',
  'Emoji 🚀 and 𝒜 beyond the basic plane',
  'Two\nlines\tand\u0000control\u2028characters',
  'é'.repeat(1024),
  '🚀'.repeat(1024),
];

/** Every name and every description at least once. */
const given = Array.from({ length: Math.max(names.length, descriptions.length) }, (_, index) => ({
  name: names[index % names.length] ?? '',
  description: descriptions[index % descriptions.length] ?? '',
}));

describe('createSkillFiles', () => {
  for (const { id: template } of skillTemplates) {
    it(`writes a skill without a problem: ${template}`, async () => {
      for (const { name, description } of given) {
        const { files } = createSkillFiles({ name, description, template });
        const skill = await loadSkill({ folderName: name, read: async (path) => files.get(path) });
        const serious = skill.problems.filter(
          ({ problem: { severity } }) => severity === 'error' || severity === 'warning',
        );
        expect(serious).toEqual([]);
        expect(skill.name).toBe(name);
        expect(skill.document.description?.length).toBeGreaterThan(0);
      }
    });

    it(`gives the language service nothing to complain of: ${template}`, async () => {
      for (const { name, description } of given) {
        const { files } = createSkillFiles({ name, description, template });
        const { service, uri } = skillWorkspace(Object.fromEntries(files), { name });
        for (const path of files.keys()) {
          const findings = (await service.findings(uri(path))) ?? [];
          expect(findings.filter(({ severity }) => severity === 'error' || severity === 'warning')).toEqual(
            [],
          );
        }
      }
    });
  }

  it('keeps a description as it is written', async () => {
    const description = 'Note: has a colon, "quotes" and a # hash 🚀';
    const { files } = createSkillFiles({ name: 'a', description, template: 'minimal' });
    const skill = await loadSkill({ folderName: 'a', read: async (path) => files.get(path) });
    expect(skill.document.description).toBe(description);
  });

  it('leaves the author at the instructions', () => {
    const { files, selection } = createSkillFiles({ name: 'a', description: 'B.', template: 'state' });
    const text = files.get('SKILL.md') ?? '';
    expect(text.slice(selection.start, selection.end)).toMatch(/^Say here what to do.*stop\.$/);
    expect(text).not.toContain('‸');
  });

  it('has the warehouse as the sample has it', () => {
    const sample = readFileSync('samples/warehouse/SKILL.md', 'utf8');
    const schema = readFileSync('samples/warehouse/state.schema.yaml', 'utf8');
    const { files } = createSkillFiles({ name: 'warehouse', description: 'D.', template: 'warehouse' });
    const bodyOf = (text: string | undefined) => text?.slice(text.indexOf('# Warehouse'));
    expect(bodyOf(files.get('SKILL.md'))).toBe(bodyOf(sample));
    expect(files.get('state.schema.yaml')).toBe(schema);
  });

  it('refuses what would not validate', () => {
    expect(() => createSkillFiles({ name: 'A', description: 'B.', template: 'minimal' })).toThrow(RangeError);
    expect(() => createSkillFiles({ name: 'a', description: ' ', template: 'minimal' })).toThrow(RangeError);
  });
});

describe('names and descriptions', () => {
  it.each([
    ['My Skill!', 'my-skill'],
    ['releaseNotes2', 'release-notes2'],
    ['  --Größe_über  ', 'grosse-uber'],
    ['Smørrebrød & Œuvre', 'smorrebrod-oeuvre'],
    ['🚀', undefined],
    [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
  ])('suggests for %j the name %j', (text, name) => {
    expect(kebabCase(text)).toBe(name);
    if (name !== undefined) expect(nameProblem(name)).toBeUndefined();
  });

  it.each(['', 'A', 'a--b', '-a', 'a-', 'a b', 'ä', 'a'.repeat(65)])(
    'says what is wrong with the name %j',
    (name) => {
      expect(nameProblem(name)).toMatch(/\.$/);
    },
  );

  it('counts characters, not code units', () => {
    expect(descriptionProblem('🚀'.repeat(1024))).toBeUndefined();
    expect(descriptionProblem('🚀'.repeat(1025))).toContain('1025');
    expect(descriptionProblem(' \n')).toBeDefined();
  });
});
