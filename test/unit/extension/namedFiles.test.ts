/** Which YAML files are switched to our languages: those that a skill or its schema names, and no others. */
import { describe, expect, it } from 'vitest';
import { languageBySkill } from '../../../client/src/hosts/namedFiles';

const skill = (metadata: string) => `---\nname: a\ndescription: B.\nmetadata:\n${metadata}---\n# A\n`;

const noFiles = async () => undefined;

describe('languageBySkill', () => {
  it.each([
    ['  state-schema: facts/of.yaml\n', 'facts/of.yaml', 'skill-state-schema'],
    ['  state-schema: ./facts/../facts/of.yaml\n', 'facts/of.yaml', 'skill-state-schema'],
    ['  initial-state: begin.yml\n', 'begin.yml', 'skill-state-initial'],
    ['  state-schema: facts/of.yaml\n', 'of.yaml', undefined],
    ['  state-schema: ../of.yaml\n', '../of.yaml', undefined],
    ['  include: notes.yaml\n', 'notes.yaml', undefined],
    ['  state-schema: ""\n', '', undefined],
  ])('by %j for %j', async (metadata, path, language) => {
    expect(await languageBySkill(skill(metadata), path, noFiles)).toBe(language);
  });

  it('is none by a text that cannot be read', async () => {
    expect(await languageBySkill('---\nmetadata: [\n', 'of.yaml', noFiles)).toBeUndefined();
    expect(await languageBySkill('', '', noFiles)).toBeUndefined();
  });

  it.each([
    ['parts/order.yaml', 'skill-state-schema'],
    ['parts/line.yml', 'skill-state-schema'],
    ['parts/other.yaml', undefined],
    ['order.yaml', undefined],
  ])('by references of the schema for %j', async (path, language) => {
    const files: Readonly<Record<string, string>> = {
      'state.schema.yaml': 'properties:\n  order:\n    $ref: parts/order.yaml\n',
      'parts/order.yaml':
        'properties: { line: { $ref: "line.yml#/$defs/line" }, more: { $ref: gone.yaml } }\n',
      'parts/line.yml': '$defs:\n  line: { $ref: order.yaml }\n',
      'parts/other.yaml': 'type: string\n',
      'order.yaml': 'type: string\n',
    };
    expect(await languageBySkill(skill('  a: b\n'), path, async (name) => files[name])).toBe(language);
    const named = skill('  state-schema: facts.json\n');
    const inJson = async (name: string) =>
      name === 'facts.json' ? '{"$ref": "parts/order.yaml"}' : files[name];
    expect(await languageBySkill(named, path, inJson)).toBe(language);
  });

  it('is none by a schema that cannot be read', async () => {
    const unreadable = () => Promise.reject(new Error('it is too large'));
    expect(await languageBySkill(skill('  a: b\n'), 'parts/order.yaml', unreadable)).toBeUndefined();
  });
});
