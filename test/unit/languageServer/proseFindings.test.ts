import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { isSlipOf } from '../../../server/src/languageService/symbols/nameSlip';
import { proseProblems } from '../../../server/src/languageService/symbols/proseProblems';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const head = '---\nname: sample\ndescription: d\n---\n';

const schema = `type: object
properties:
  open_tickets:
    type: array
    items:
      type: object
      properties:
        title: {type: string}
        status: {enum: [open_ticket, done]}
      additionalProperties: false
  inventory:
    type: object
    additionalProperties: {type: string}
  settings:
    type: object
    properties:
      userName: {type: string}
  notes: {type: object}
additionalProperties: false
`;

/** With fields whose names are words of other languages too. */
const everyday = schema.replace(
  '  notes:',
  '  model: {type: string}\n  web_fetch: {type: boolean}\n  notes:',
);

/** \`code severity text: message\` of each finding of ours in a file. */
async function findings(work: SkillWorkspace, path = 'SKILL.md'): Promise<string[]> {
  const text = work.text(path);
  const lines = new LineIndex(text);
  return ((await work.service.findings(work.uri(path))) ?? [])
    .filter(({ code }) => Object.hasOwn(proseProblems, code))
    .map(({ code, severity, range, message }) => {
      const written = text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
      return `${severity} ${code} ${written}: ${message}`;
    });
}

function withBody(body: string, files: Record<string, string> = { 'state.schema.yaml': schema }) {
  return skillWorkspace({ 'SKILL.md': head + body, ...files });
}

describe('paths that are not in the schema', () => {
  it.each([
    [
      'open_tickets[0].titel',
      'titel: The state schema has no titel in `open_tickets[0]`; did you mean title?',
    ],
    ['open_tickets.stats', 'stats: The state schema has no stats in `open_tickets`; did you mean status?'],
    [
      'settings.colour',
      'colour: The state schema has no colour in `settings`; correct the path, or declare the field.',
    ],
    ['state.inventroy', 'inventroy: The state schema has no inventroy in the state; did you mean inventory?'],
    [
      'state.settings.usrName',
      'usrName: The state schema has no usrName in `state.settings`; did you mean userName?',
    ],
    [
      '/settings/user',
      'user: The state schema has no user in `/settings`; correct the path, or declare the field.',
    ],
    [
      'inventory.shelf_1.size_',
      'size_: The state schema has no size_ in `inventory.shelf_1`, which is a text and has no members; name the field itself, or make it an object.',
    ],
    [
      'state_patch.inventroy',
      'inventroy: The state schema has no inventroy in the state; did you mean inventory?',
    ],
    [
      'state.model.solver',
      'solver: The state schema has no solver in `state.model`, which is a text and has no members; name the field itself, or make it an object.',
    ],
    [
      'state.inventroy = {}',
      'inventroy: The state schema has no inventroy in the state; did you mean inventory?',
    ],
    [
      'state.settings.colour: red',
      'colour: The state schema has no colour in `state.settings`; correct the path, or declare the field.',
    ],
    [
      'open_tickets[0].stats == "done"',
      'stats: The state schema has no stats in `open_tickets[0]`; did you mean status?',
    ],
    ['webFetch', 'webFetch: The state schema has no webFetch; did you mean web_fetch?'],
    ['open_tikets', 'open_tikets: The state schema has no open_tikets; did you mean open_tickets?'],
    ['openTickets', 'openTickets: The state schema has no openTickets; did you mean open_tickets?'],
    ['usreName', 'usreName: The state schema has no usreName; did you mean userName?'],
    ['inventry', 'inventry: The state schema has no inventry; did you mean inventory?'],
  ])('flags %s', async (span, expected) => {
    const work = withBody(`See \`${span}\`.\n`, { 'state.schema.yaml': everyday });
    expect(await findings(work)).toEqual([`warning skill.unknown-state-path ${expected}`]);
  });

  it.each([
    'open_tickets',
    'open_tickets[0].title',
    'open_tickets[].status',
    'open_tickets.title',
    '/open_tickets/-/title',
    'inventory.shelf_42',
    'inventory.<shelf_id>',
    'inventory["shelf 1"]',
    'state.inventory',
    'notes.anything.at.all',
    'open_ticket',
    'settings.json',
    'state.schema.yaml',
    'state.json',
    'open_tickets.length',
    '/settings/app.yaml',
    '/home/user',
    'null',
    '{}',
    '[]',
    'item_12',
    'Inventory',
    'invention',
    'inventories',
    'setting',
    'npm test',
    'a.b.c',
    'user',
    'e.g.',
    'settings.userName = "x"',
    'title',
    'userNames',
    'user.name',
    'README.md',
    '--settings',
    'https://settings.userNam',
    'open_tickets.n.title',
    'state_patch.inventory',
    'settings.*',
    'settings.<key>',
    'os.path',
    'x/y/z',
    '/',
    '.',
    '..',
    '...',
    'state',
    'state.',
    '😀.x',
    'notes.txt',
    'settings.colour = 3',
    'settings.colour: 3',
    'inventry = 3',
    'inventory = {}',
    'settings.userName == "x"',
    'model.solver.options',
    'model.Solver',
    'model.solver = 3',
    'web_fetch[0]',
    '/model/solver',
    'WebFetch',
  ])('leaves %s alone', async (span) => {
    const work = withBody(`See \`${span}\`.\n`, { 'state.schema.yaml': everyday });
    expect(await findings(work)).toEqual([]);
  });

  it('are looked for in so many code spans, and the next one is pointed out', async () => {
    const work = withBody(`${'`settings` '.repeat(20_000)}\n\n\`settings.colour\` \`settings.user\`\n`);
    expect(await findings(work)).toEqual([
      'information skill.unchecked-code-spans settings.colour: Only the first 20000 code spans are checked; move those from here on into a file of their own.',
    ]);
  });

  describe('of a value that has none', () => {
    const values =
      'type: object\nproperties:\n  note: {type: string}\n  count: {type: [integer, "null"]}\n  Note: {type: string}\n';
    const found = (body: string) => findings(withBody(body, { 'state.schema.yaml': values }));
    const message = (name: string, owner: string, what = 'a text') =>
      `${name}: The state schema has no ${name} in \`${owner}\`, which is ${what} and has no members; name the field itself, or make it an object.`;

    it.each([
      ['named beside it', 'Keep `note` short. Put the name into `note.title`.'],
      ['named elsewhere', 'Keep `note` short.\n\n- Do this.\n- Put the name into `note.title`.'],
      ['named as a path of the state', 'Keep `state.note` short.\n\nSee `note.title`.'],
      ['beside another field', 'Raise `count` and set `note.title`.'],
      ['beside words on the state', 'A patch sets `note.title`; the note is short.'],
      ['a key of an example', '```json\n{"state_patch": {"note": "x"}}\n```\n\nSee `note.title`, a note.'],
      ['in a table', '| when | set |\n| --- | --- |\n| it arrives | `count`, `note.title` |'],
    ])('is flagged where the field is %s', async (_, body) => {
      expect(await found(`${body}\n`)).toEqual([
        `warning skill.unknown-state-path ${message('title', 'note')}`,
      ]);
    });

    it('says what the value is, of deeper paths and of several members too', async () => {
      expect(await found('Raise `count`. See `count.total.sum`, `note.a` and `note.bC`.\n')).toEqual([
        `warning skill.unknown-state-path ${message('total', 'count', 'a number or null')}`,
        `warning skill.unknown-state-path ${message('a', 'note')}`,
        `warning skill.unknown-state-path ${message('bC', 'note')}`,
      ]);
    });

    it('is a hint where nothing else speaks of the field', async () => {
      expect(await found('See `note.title`.\n')).toEqual([
        `hint skill.doubtful-state-path ${message('title', 'note')}`,
      ]);
    });

    it.each([
      ['in code', 'Keep `note` short. See `note.title`.\n\n```js\nconst note = open();\n```\n'],
      ['in a call', 'Keep `note` short. Use `note.open(1)`, then `note.title`.\n'],
      ['in a call of a member', 'Keep `note` short. Run `print(note.title)`. See `note.title`.\n'],
      ['in a command', 'Run `note --list`. See `note.title`.\n'],
      ['imported', 'Import `note`.\n\nSee `note.title`.\n'],
      ['told to be a program', 'The method `note.title` returns it.\n'],
      ['a word of the text alone', 'Write a note. See `note.title`.\n'],
      ['a class', 'Keep `Note` short. See `Note.title`.\n'],
      ['a file', 'Keep `note` short. See `note.tex`.\n'],
      ['in a hint, of many members', 'See `note.a`, `note.b`, `note.c`.\n'],
      ['in a hint, of deep paths', 'See `note.a.b`.\n'],
      ['in a hint, in camel case', 'See `note.innerText`.\n'],
    ])('is left alone where the name is %s', async (_, body) => {
      expect(await found(body)).toEqual([]);
    });

    it('is looked for in all pages', async () => {
      const files = {
        'SKILL.md':
          '---\nname: sample\ndescription: d\nmetadata:\n  include: more.md\n---\nSee `note.title`.\n',
        'state.schema.yaml': values,
      };
      const named = skillWorkspace({ ...files, 'more.md': 'Keep `note` short.\n' });
      expect(await findings(named)).toHaveLength(1);
      const coded = skillWorkspace({ ...files, 'more.md': 'Keep `note` short.\n\n```\nnote.save()\n```\n' });
      expect(await findings(coded)).toEqual([]);
    });
  });

  it.each([
    ['cuont', 'count'],
    ['coount', 'count'],
    ['counnt', 'count'],
  ])('hints at %s, a slip in a short word', async (word, name) => {
    const short = 'type: object\nproperties: {count: {type: integer}, form: {type: string}}\n';
    const found = (body: string) => findings(withBody(body, { 'state.schema.yaml': short }));
    expect(await found(`Raise \`${word}\`.\n`)).toEqual([
      `hint skill.doubtful-state-path ${word}: The state schema has no ${word}; did you mean ${name}?`,
    ]);
    expect(await found(`Raise \`${word}\`.\n\n\`\`\`\n${word} = 1\n\`\`\`\n`)).toEqual([]);
    expect(await found(`Raise \`${word}\`.\n\n## Actions\n\n- \`Add <${word}>\`: adds ${word}.\n`)).toEqual(
      [],
    );
  });

  it.each(['counts', 'mount', 'court', 'cont', 'from', 'Cuont', 'COUNT', 'counting', 'account'])(
    'takes %s for a word of its own',
    async (word) => {
      const short = 'type: object\nproperties: {count: {type: integer}, form: {type: string}}\n';
      expect(await findings(withBody(`See \`${word}\`.\n`, { 'state.schema.yaml': short }))).toEqual([]);
    },
  );

  it('says nothing without a schema file, or with a broken one', async () => {
    expect(await findings(withBody('`state.inventroy` `open_tikets`\n', {}))).toEqual([]);
    const broken = withBody('`state.inventroy`\n', { 'state.schema.yaml': 'type: [' });
    expect(await findings(broken)).toEqual([]);
  });

  it('mends the path', async () => {
    const work = withBody('See `open_tickets[0].titel`.\n');
    const position = { line: 4, character: 25 };
    const fixes = await work.service.fixes(work.uri('SKILL.md'), { start: position, end: position });
    expect(fixes.map(({ fix }) => fix.title)).toContain('Change to title');
    const [edit] = fixes.flatMap(({ fix }) => [...(fix.edits.get(work.uri('SKILL.md')) ?? [])]);
    expect(edit).toEqual({
      range: { start: { line: 4, character: 21 }, end: { line: 4, character: 26 } },
      text: 'title',
    });
  });

  it('stops at a bound, and keeps to it with thousands of spans', async () => {
    const spans = Array.from({ length: 10_000 }, (_, index) => `\`state.x${index}\` \`word_${index}\``).join(
      '\n',
    );
    expect(await findings(withBody(spans))).toHaveLength(200);
  });

  it.each([
    ['open_tikets', 'open_tickets', true],
    ['max_price', 'min_price', false],
    ['shelf_1', 'shelf_2', false],
    ['item_ids', 'item_id', false],
    ['orders', 'order', false],
    ['ordering', 'ordered', false],
    ['content', 'context', false],
    ['inventary', 'inventory', true],
    ['static', 'status', false],
    ['USER_NAME', 'user_name', false],
    ['$userName', 'user_name', false],
    ['a', 'b', false],
  ])('takes %s for %s: %s', (word, name, expected) => {
    expect(isSlipOf(word, name)).toBe(expected);
  });
});

describe('actions', () => {
  const actions = `
## Actions

- \`Store <item_id> <empty_shelf_id>\`: puts an item on an empty shelf.
- \`Say <text...>\`: says a text.
- \`Commit(branch, file)\`: commits a file to a branch.
- \`Wait\`
`;
  it.each([
    ['Store item_12', 'skill.action-arguments', /has 1 argument, but Store takes 2 arguments/],
    ['Store <item> <shelf> <more>', 'skill.action-arguments', /has 3 arguments/],
    ['Commit(branch_1)', 'skill.action-arguments', /has 1 argument/],
    ['Wait <seconds>', 'skill.action-arguments', /takes no arguments/],
    ['Stor <item>', 'skill.misspelt-action', /^No action Stor is declared; did you mean Store\?$/],
    ['store item_1 shelf_2', 'skill.misspelt-action', /did you mean Store/],
    ['Comit(branch_1, "a.txt")', 'skill.misspelt-action', /did you mean Commit/],
  ])('flags %s', async (span, code, message) => {
    const found = await findings(withBody(`Do \`${span}\`.\n${actions}`, {}));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`warning ${code} `);
    expect(found[0]?.slice(found[0].indexOf(': ') + 2)).toMatch(message);
  });

  it.each([
    'Store item_12 shelf_3',
    'Store <item> <shelf>',
    'Store',
    'Store …',
    'Store ...',
    'Store the item',
    'Commit()',
    'Commit(...)',
    'Commit(a, b)',
    'Say <anything at all>',
    'Say hello_1 you_2',
    'Wait',
    'Stored item_12 shelf_3',
    'store',
    'Store the <item>',
    'stow <x>',
    'git commit -m "x"',
    'Commit message',
    'Stor',
    'await item_1',
    'Store <item id> <shelf id>',
  ])('leaves %s alone', async (span) => {
    expect(await findings(withBody(`Do \`${span}\`.\n${actions}`, {}))).toEqual([]);
  });

  it('hints at arguments that nobody explains', async () => {
    const body = `Ship what was ordered.\n\n## Actions\n\n- \`Ship <item_id> <qty> <n>\`: ships the item.\n- \`Wait <qty>\`\n`;
    expect(await findings(withBody(body, {}))).toEqual([
      'hint skill.unexplained-argument qty: No instruction says what <qty> of Ship is; explain it, or give it a name that the instructions use.',
      'hint skill.unexplained-argument n: No instruction says what <n> of Ship is; explain it, or give it a name that the instructions use.',
    ]);
    const explained = 'type: object\nproperties: {qtys: {type: number}, n: {}}\n';
    expect(await findings(withBody(body, { 'state.schema.yaml': explained }))).toEqual([]);
  });

  it('compares the actions of the environment', async () => {
    const work = skillWorkspace({
      'SKILL.md': `---
name: sample
description: d
metadata:
  environment: warehouse
---
An item, a shelf.

## Actions

- \`Store <item_id>\`: puts an item somewhere.
- \`Shipp <item_id> <shelf_id>\`: ships it.
- \`Wait\`
`,
    });
    expect(await findings(work)).toEqual([
      'information skill.undeclared-environment-action warehouse: The environment warehouse also takes `Ship <item_id> <shelf_id>`, `Move <item_id> <old_shelf_id> <new_shelf_id>`; declare what the skill may use, under a heading Actions.',
      'warning skill.environment-action-arguments Store <item_id>: The environment warehouse takes Store as `Store <item_id> <empty_shelf_id>`; declare it with these arguments.',
      'warning skill.unknown-environment-action Shipp <item_id> <shelf_id>: The environment warehouse has no action Shipp; did you mean Ship?',
    ]);
    const value = { line: 4, character: 16 };
    const fixes = await work.service.fixes(work.uri('SKILL.md'), { start: value, end: value });
    const declare = fixes.find(({ fix }) => fix.title === 'Declare Ship')?.fix;
    expect(declare?.edits.get(work.uri('SKILL.md'))).toEqual([
      {
        range: { start: { line: 10, character: 0 }, end: { line: 10, character: 0 } },
        text: '- `Ship <item_id> <shelf_id>`\n',
      },
    ]);
    const store = { line: 10, character: 5 };
    const [mend] = await work.service.fixes(work.uri('SKILL.md'), { start: store, end: store });
    expect(mend?.fix.title).toBe('Write Store <item_id> <empty_shelf_id>');
    expect(mend?.fix.edits.get(work.uri('SKILL.md'))).toEqual([
      { range: mend?.finding.range, text: 'Store <item_id> <empty_shelf_id>' },
    ]);
  });
});

describe('fields that no instruction mentions', () => {
  it('are looked for in a schema that requires very many keys', async () => {
    const required = `${'"a",'.repeat(240_000)}"b"`;
    const files = { 'state.schema.json': `{"type":"object","properties":{"a":{}},"required":[${required}]}` };
    const work = withBody('Set `state.b`.\n', files);
    expect(await findings(work)).toEqual([]);
    expect(await findings(work, 'state.schema.json')).toEqual([]);
  });

  it('get a hint at their key, the outermost alone', async () => {
    const work = withBody('Keep the open tickets, each with its `title`, and the Inventory.\n');
    expect(await findings(work, 'state.schema.yaml')).toEqual([
      'hint state.unmentioned-field status: No instruction mentions status; say in SKILL.md what it is for, or remove it.',
      'hint state.unmentioned-field settings: No instruction mentions settings; say in SKILL.md what it is for, or remove it.',
      'hint state.unmentioned-field notes: No instruction mentions notes; say in SKILL.md what it is for, or remove it.',
    ]);
  });

  it('are looked for in included files and examples too', async () => {
    const work = skillWorkspace({
      'SKILL.md':
        '---\nname: sample\ndescription: d\nmetadata:\n  include: more.md\n---\n```json\n{"notes": {}}\n```\n`settings.userName` /open_tickets/0/status\n',
      'more.md': 'The title is in the *inventory*.\n',
      'state.schema.yaml': schema,
    });
    expect(await findings(work, 'state.schema.yaml')).toEqual([]);
  });

  it('are not looked for without instructions, or in a schema alone', async () => {
    expect(await findings(withBody(''), 'state.schema.yaml')).toEqual([]);
    expect(await findings(skillWorkspace({ 'state.schema.yaml': schema }), 'state.schema.yaml')).toEqual([]);
  });
});

describe.each(['warehouse', 'release-notes'])('the sample %s', (name) => {
  it('has no such finding', async () => {
    const read = (path: string) => {
      try {
        return { [path]: readFileSync(`samples/${name}/${path}`, 'utf8') };
      } catch {
        return {};
      }
    };
    const work = skillWorkspace(
      { ...read('SKILL.md'), ...read('state.schema.yaml'), ...read('state.initial.yaml') },
      { name },
    );
    expect(await findings(work)).toEqual([]);
    expect(await findings(work, 'state.schema.yaml')).toEqual([]);
  });
});
