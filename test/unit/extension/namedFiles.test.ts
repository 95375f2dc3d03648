/** Which YAML files are switched to our languages: those that a skill names, and no others. */
import { describe, expect, it } from 'vitest';
import { languageBySkill } from '../../../client/src/hosts/namedFiles';

const skill = (metadata: string) => `---\nname: a\ndescription: B.\nmetadata:\n${metadata}---\n# A\n`;

describe('languageBySkill', () => {
  it.each([
    ['  state-schema: facts/of.yaml\n', 'facts/of.yaml', 'skill-state-schema'],
    ['  state-schema: ./facts/../facts/of.yaml\n', 'facts/of.yaml', 'skill-state-schema'],
    ['  initial-state: begin.yml\n', 'begin.yml', 'skill-state-initial'],
    ['  state-schema: facts/of.yaml\n', 'of.yaml', undefined],
    ['  state-schema: ../of.yaml\n', '../of.yaml', undefined],
    ['  include: notes.yaml\n', 'notes.yaml', undefined],
    ['  state-schema: ""\n', '', undefined],
  ])('by %j for %j', (metadata, path, language) => {
    expect(languageBySkill(skill(metadata), path)).toBe(language);
  });

  it('is none by a text that cannot be read', () => {
    expect(languageBySkill('---\nmetadata: [\n', 'of.yaml')).toBeUndefined();
    expect(languageBySkill('', '')).toBeUndefined();
  });
});
