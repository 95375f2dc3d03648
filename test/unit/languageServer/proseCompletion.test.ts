import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver-types';
import { accepted } from '../../support/acceptedCompletion';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const head = '---\nname: sample\ndescription: d\n---\n';
const schema = `type: object
properties:
  tasks:
    description: What is to be done.
    type: array
    items:
      type: object
      properties:
        title: {type: string}
        'two words': {type: string}
  inventory:
    type: object
    additionalProperties: {type: string}
  user: {type: object, properties: {name: {type: [string, 'null']}}}
`;
const actions =
  '\n\n## Actions\n\n- `Store <item_id> <shelf_id>`: it.\n- `Say <text...>`\n- `Commit(branch, file)`\n- `Wait`\n';

async function complete(marked: string, files: Record<string, string> = { 'state.schema.yaml': schema }) {
  const { text, position } = cursorIn(head + marked);
  const work = skillWorkspace({ 'SKILL.md': text, ...files });
  const items = await work.service.completion(work.uri('SKILL.md'), position);
  return { work, text, position, items };
}

function labels(items: readonly CompletionItem[]): string[] {
  return items.map(({ label }) => label);
}

describe('very many names', () => {
  it('are narrowed down by what is typed', async () => {
    const fields = Array.from({ length: 700 }, (_, index) => `  field_${index}: {type: string}\n`).join('');
    const list = async (marked: string) => {
      const { text, position } = cursorIn(head + marked);
      const files = { 'SKILL.md': text, 'state.schema.yaml': `type: object\nproperties:\n${fields}` };
      const { service, uri } = skillWorkspace(files);
      const { isIncomplete, items } = await service.completionList(uri('SKILL.md'), position);
      return [isIncomplete, items.length, items.at(-1)?.label];
    };
    expect(await list('See `‸`.\n')).toEqual([true, 500, 'field_499']);
    expect(await list('See `d_69‸`.\n')).toEqual([true, 11, 'field_699']);
  });
});

describe('a path that is completed', () => {
  it.each([
    ['`user.‸ == "x"`', 'name', '`user.name == "x"`'],
    ['`user.n‸a=null`', 'name', '`user.name=null`'],
    ['`state.‸: 3`', 'tasks', '`state.tasks: 3`'],
    ['`ta‸ > 3`', 'tasks', '`tasks > 3`'],
    ['`/user/n‸ x`', 'name', '`/user/name x`'],
    ['`inventory.‸ = 1`', '<key>', '`inventory.<key> = 1`'],
    ['`tasks[0].‸title`', 'two words', '`tasks[0]["two words"]`'],
  ])('keeps what stands behind it: %s', async (marked, label, expected) => {
    const { text, items } = await complete(`See ${marked}.\n`);
    const item = items.find((one) => one.label === label);
    if (item === undefined) throw new Error(`${label} is not offered.`);
    expect(accepted(text, item)).toBe(`${head}See ${expected}.\n`);
  });
});

describe('completion in code spans', () => {
  it.each([
    [
      'See `‸`.',
      [
        'tasks',
        'inventory',
        'user',
        'Store <item_id> <shelf_id>',
        'Say <text...>',
        'Commit(branch, file)',
        'Wait',
        '<item_id>',
        '<shelf_id>',
        '<text>',
        '<branch>',
        '<file>',
      ],
    ],
    ['See `tasks[0].‸`', ['title', 'two words']],
    ['See `tasks.t‸`', ['title', 'two words']],
    ['See `state.‸`', ['tasks', 'inventory', 'user']],
    ['See `state.user.‸', ['name']],
    ['See `user.‸ and `tasks`', ['name']],
    ['See `/user/‸`', ['name']],
    ['See `/‸', ['tasks', 'inventory', 'user']],
    ['See `inventory.‸`', ['<key>']],
    ['Do `Store ‸', ['<item_id>']],
    ['Do `Store item_1 <sh‸>`', ['<shelf_id>']],
    ['Do ``user.‸``', ['name']],
    [
      '- `tas‸',
      [
        'tasks',
        'inventory',
        'user',
        'Store <item_id> <shelf_id>',
        'Say <text...>',
        'Commit(branch, file)',
        'Wait',
        '<item_id>',
        '<shelf_id>',
        '<text>',
        '<branch>',
        '<file>',
      ],
    ],
    ['| a | b |\n|---|---|\n| `user.‸` | x |', ['name']],
    ['See `unknown.‸`', []],
    ['See `user.name.‸`', []],
    ['Do `rm -‸`', []],
  ])('offers in %j', async (marked, expected) => {
    expect(labels((await complete(marked + actions)).items)).toEqual(expected);
  });

  it.each([
    'See ‸`user`.',
    'See `user` ‸x',
    'See us‸er',
    '```text\n`us‸\n```',
    '    `us‸',
    '<!--\n`us‸\n-->',
    'Never \\`us‸',
    '‸',
    'one\n‸\ntwo `x`',
  ])('offers nothing outside, as in %j', async (marked) => {
    expect((await complete(marked)).items).toEqual([]);
  });

  it.each([
    'See `‸`.',
    'See `‸',
    'See `‸ and more.',
    'See `ta‸sks[0]` x',
    'See `tasks[].‸',
    'See `tasks.‸`',
    'See `state.‸`',
    'See `state.user.na‸',
    'See `/tasks/0/‸`',
    'See `inventory.‸',
    'See ``user.‸',
    'Do `Store ‸`',
    'Do `Store item_1 ‸ now.',
    'Do `Say ‸',
    'See `user‸ and `tasks` and \u{1F600}',
    'Do `<it‸`',
    '- `Wa‸',
  ])('leaves a span that says something, accepted in %j', async (marked) => {
    const { text, items } = await complete(marked + actions);
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      const after = accepted(text, item);
      const work = skillWorkspace({ 'SKILL.md': after, 'state.schema.yaml': schema });
      if (item.textEdit === undefined || !('range' in item.textEdit))
        throw new Error('The item has no edit.');
      const hover = await work.service.hover(work.uri('SKILL.md'), item.textEdit.range.start);
      expect(hover, `${item.label} in ${after.slice(head.length)}`).toBeDefined();
      const errors = ((await work.service.findings(work.uri('SKILL.md'))) ?? []).filter(
        ({ code }) => code === 'skill.unknown-state-path',
      );
      expect(errors).toEqual([]);
    }
  });

  it('says what a field is', async () => {
    const { items } = await complete('`tas‸`');
    expect(items[0]).toMatchObject({
      label: 'tasks',
      detail: 'list of object',
      documentation: 'What is to be done.',
    });
    expect((await complete('`user.‸`')).items[0]).toMatchObject({ detail: 'string or null' });
  });

  it('makes arguments of an action tab stops', async () => {
    const edits = (await complete(`\`Sto‸${actions}`)).items.map(({ textEdit }) =>
      textEdit?.newText.replace(/[{}]/g, '_'),
    );
    expect(edits).toContain('Store $_1:<item_id>_ $_2:<shelf_id>_$0`');
    expect(edits).toContain('Commit($_1:branch_, $_2:file_)$0`');
  });

  it('replaces the argument at the cursor alone', async () => {
    const { text, items } = await complete(`Do \`Store i‸tem_1 shelf_2\`.${actions}`);
    const after = items.map((item) => accepted(text, item).slice(head.length).split('.')[0]);
    expect(after).toEqual(['Do `Store <item_id> shelf_2`']);
  });

  it('offers the environment’s actions where one is declared', async () => {
    const { text, position } = cursorIn(
      '---\nname: sample\ndescription: d\nmetadata:\n  environment: warehouse\n---\n## Actions\n\n- `Wait`: x\n- `‸',
    );
    const work = skillWorkspace({ 'SKILL.md': text });
    expect(labels(await work.service.completion(work.uri('SKILL.md'), position))).toEqual([
      'Wait',
      'Store <item_id> <empty_shelf_id>',
      'Ship <item_id> <shelf_id>',
      'Move <item_id> <old_shelf_id> <new_shelf_id>',
    ]);
  });

  it('works in included files, and offers no paths without a schema', async () => {
    const { text, position } = cursorIn('See `‸');
    const skill = '---\nname: sample\ndescription: d\nmetadata:\n  include: more.md\n---\nx\n';
    const work = skillWorkspace({ 'SKILL.md': skill, 'more.md': text, 'state.schema.yaml': schema });
    expect(labels(await work.service.completion(work.uri('more.md'), position))).toEqual([
      'tasks',
      'inventory',
      'user',
    ]);
    work.set('state.schema.yaml', undefined);
    expect(await work.service.completion(work.uri('more.md'), position)).toEqual([]);
  });

  it('completes the warehouse sample', async () => {
    const sample = readFileSync('samples/warehouse/SKILL.md', 'utf8');
    const { text, position } = cursorIn(sample.replace('`inventory` maps', '`inv‸ maps'));
    const work = skillWorkspace(
      { 'SKILL.md': text, 'state.schema.yaml': readFileSync('samples/warehouse/state.schema.yaml', 'utf8') },
      { name: 'warehouse' },
    );
    expect(labels(await work.service.completion(work.uri('SKILL.md'), position))).toContain('inventory');
  });
});
