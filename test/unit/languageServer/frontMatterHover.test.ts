import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../server/src/languageService/workspace';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const files = {
  'references/rules.md': 'Rules are rules.\n',
  'state.schema.yaml': [
    'type: object',
    'properties: { note: { type: string, maxLength: 4000 } }',
    'additionalProperties: false',
    '',
  ].join('\n'),
};
const body = '# Sort\n\n## Actions\n\n- `Store <item>`: puts.\n- `Finish`: ends.\n';

async function hover(
  frontMatter: string,
  settings: Partial<Settings> = {},
  schema = files['state.schema.yaml'],
) {
  const { text, position } = cursorIn(`---\n${frontMatter}\n---\n\n${body}`);
  const skill = skillWorkspace({ ...files, 'state.schema.yaml': schema, 'SKILL.md': text }, { settings });
  const found = await skill.service.hover(skill.uri('SKILL.md'), position);
  if (found === undefined) return undefined;
  if (typeof found.contents !== 'object' || !('value' in found.contents) || found.range === undefined) {
    throw new Error('A hover is Markdown and has a range.');
  }
  const line = text.split('\n')[found.range.start.line] ?? '';
  const at = line.slice(found.range.start.character, found.range.end.character);
  return { text: found.contents.value, at };
}

describe('hover over the front matter', () => {
  test('says what a key means, how long its value is and where that stands', async () => {
    const found = await hover('name: sample\ndescr‸iption: Sorts 🙂.');
    expect(found?.at).toBe('description');
    expect(found?.text).toContain('8 of 1,024 characters');
    expect(found?.text).toContain('when to use it');
    expect(found?.text).toContain('https://agentskills.io/specification');
  });
  test('says on the name what a prompt costs', async () => {
    const found = await hover('na‸me: sample\ndescription: Sorts.');
    expect(found?.text).toContain('6 of 64 characters');
    expect(found?.text).toMatch(
      /The first prompt is \d+ tokens and the observation: instructions P \d+, state Σ₀ 1,/,
    );
    expect(found?.text).toMatch(/With Σ at its bound \([\d,]+ tokens\) it is [\d,]+ tokens\./);
  });
  test('says where there is no bound', async () => {
    const open = 'type: object\nproperties: { note: { type: string } }\n';
    expect((await hover('na‸me: sample\ndescription: Sorts.', {}, open))?.text).toContain('sets no bound');
  });
  test('shows the cost on the opening line too', async () => {
    const skill = skillWorkspace({
      ...files,
      'SKILL.md': `---\nname: sample\ndescription: x\n---\n\n${body}`,
    });
    const opening = await skill.service.hover(skill.uri('SKILL.md'), { line: 0, character: 1 });
    expect(JSON.stringify(opening?.contents)).toContain('What reaches the model');
    expect(await skill.service.hover(skill.uri('SKILL.md'), { line: 3, character: 1 })).toBeUndefined();
  });
  test('leaves to VS Code what it says itself', async () => {
    const found = await hover('name: sample\ndescr‸iption: Sorts.', { builtInSkill: true });
    expect(found?.text).toBe('6 of 1,024 characters');
    expect(await hover('name: sample\nlicen‸se: MIT', { builtInSkill: true })).toBeUndefined();
    expect((await hover('name: sample\nallowed‸-tools: Read', { builtInSkill: true }))?.text).toContain(
      'Tools',
    );
  });
  test('knows a client’s keys under its profile', async () => {
    expect(await hover('name: sample\nmo‸del: inherit')).toBeUndefined();
    expect((await hover('name: sample\nmo‸del: inherit', { profile: 'claude' }))?.text).toContain(
      'Claude Code',
    );
  });
  test('tells of files, environments and actions in metadata', async () => {
    const metadata = (line: string) => `name: sample\nmetadata:\n  ${line}`;
    const file = await hover(metadata('include: references/ru‸les.md other.md'));
    expect(file?.at).toBe('references/rules.md');
    expect(file?.text).toMatch(/^`references\/rules\.md`: \d+ tokens, joins the instructions$/);
    expect((await hover(metadata('include: references/rules.md ot‸her.md')))?.text).toContain(
      'There is no file',
    );
    expect((await hover(metadata('environment: ware‸house')))?.text).toContain(
      '`Store <item_id> <empty_shelf_id>`',
    );
    expect((await hover(metadata('environment: man‸ual')))?.text).toContain('takes any action');
    expect((await hover(metadata('environment: no‸ne')))?.text).toContain('There is no environment');
    expect((await hover(metadata('terminal-actions: "Store Fin‸ish"')))?.text).toContain(
      '`Finish` in `SKILL.md`',
    );
    // What a file is called is no Markdown of ours.
    expect((await hover(metadata('include: a`![x](y‸)`b.md')))?.text).toContain('`` a`![x](y)`b.md ``');
    expect((await hover(metadata('inc‸lude: references/rules.md')))?.text).toContain('metadata.include');
    expect(await hover(metadata('au‸thor: me'))).toBeUndefined();
  });
});
