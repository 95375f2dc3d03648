import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const head =
  '---\nname: sample\ndescription: d\nmetadata:\n  environment: warehouse\n  terminal-actions: Wait\n---\n';
const schema = `type: object
properties:
  tasks:
    description: What is to be *done*, see [here](command:evil) <b>.
    type: array
    maxItems: 9
    x-merge: append
    x-evict: oldest
    items: {$ref: '#/$defs/task'}
  inventory:
    type: object
    additionalProperties: {type: string, maxLength: 24, enum: [a, b]}
$defs:
  task:
    type: object
    properties:
      title: {title: The title, type: string, minLength: 1, maxLength: 80}
`;
const actions = `

## Actions

- \`Store <item_id> <empty_shelf_id>\`: puts *an* item
  on a shelf [x](command:evil).
- \`Say <text...>\` – says it.
- \`Wait\`
`;

async function hover(marked: string): Promise<string | undefined> {
  const { text, position } = cursorIn(head + marked + actions);
  const work = skillWorkspace({ 'SKILL.md': text, 'state.schema.yaml': schema });
  const found = await work.service.hover(work.uri('SKILL.md'), position);
  if (found === undefined) return undefined;
  const { contents } = found;
  if (typeof contents === 'string' || Array.isArray(contents))
    throw new Error('Not the markup that is meant.');
  return contents.value;
}

describe('hover on code spans', () => {
  it.each([
    [
      'See `ta‸sks[0].title`.',
      '`tasks`: list of object\n\nWhat is to be \\*done\\*, see \\[here\\]\\(command\\:evil\\) \\<b\\>\\.\n\n- at most 9 items\n- a patch appends to it\n- the oldest give way when it is full\n\nDeclared in state\\.schema\\.yaml:3',
    ],
    ['See `tasks[‸0].title`.', '`tasks[0]`: object\n\nA key that the schema allows without naming it'],
    [
      'See `tasks[0].tit‸le`.',
      '`tasks[0].title`: string\n\nThe title\n\n- 1 to 80 characters\n\nDeclared in state\\.schema\\.yaml:17',
    ],
    [
      'See `tit‸le`.',
      '`title`: string\n\nThe title\n\n- 1 to 80 characters\n\nDeclared in state\\.schema\\.yaml:17',
    ],
    [
      'See `inventory.<sh‸elf>`.',
      '`inventory.<shelf>`: string\n\n- at most 24 characters\n- one of "a", "b"\n\nA key that the schema allows without naming it',
    ],
    [
      'Do `Sto‸re item_1 shelf_1`.',
      '`Store <item_id> <empty_shelf_id>`: puts \\*an\\* item on a shelf \\[x\\]\\(command\\:evil\\)\\.\n\nDeclared in SKILL\\.md:12\n\nKnown to the environment warehouse',
    ],
    [
      'Do `Say‸ x`.',
      '`Say <text...>`: says it\\.\n\nDeclared in SKILL\\.md:14\n\nNot known to the environment warehouse',
    ],
    [
      'Do `Wai‸t`.',
      '`Wait`\n\nDeclared in SKILL\\.md:15\n\nEnds the run once it is accepted\n\nKnown to the environment warehouse',
    ],
    ['The `<item‸_id>`.', 'Argument of `Store <item_id> <empty_shelf_id>`'],
  ])('%s', async (marked, expected) => {
    expect((await hover(marked))?.replaceAll('\\"', '"').replaceAll('\\_', '_')).toBe(expected);
  });

  it.each(['See `nothi‸ng`.', 'See tas‸ks.', 'See `tasks` ‸.', '```\n`tas‸ks`\n```'])(
    'says nothing of %s',
    async (marked) => {
      expect(await hover(marked)).toBeUndefined();
    },
  );

  it('covers the segment alone', async () => {
    const { text, position } = cursorIn(`${head}See \`tasks[0].tit‸le\`.\n`);
    const work = skillWorkspace({ 'SKILL.md': text, 'state.schema.yaml': schema });
    expect((await work.service.hover(work.uri('SKILL.md'), position))?.range).toEqual({
      start: { line: 7, character: 14 },
      end: { line: 7, character: 19 },
    });
  });

  it('speaks of the warehouse sample', async () => {
    const sample = readFileSync('samples/warehouse/SKILL.md', 'utf8');
    const { text, position } = cursorIn(sample.replace('`inventory` maps', '`inv‸entory` maps'));
    const work = skillWorkspace(
      { 'SKILL.md': text, 'state.schema.yaml': readFileSync('samples/warehouse/state.schema.yaml', 'utf8') },
      { name: 'warehouse' },
    );
    const found = await work.service.hover(work.uri('SKILL.md'), position);
    expect(found?.contents).toMatchObject({ value: expect.stringContaining('Occupied shelves') });
  });
});
