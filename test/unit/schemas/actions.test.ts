import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSignature } from '../../../schemas/skill/actionList';
import { type ActionSignature, matchAction, parseActions } from '../../../schemas/skill/actionSignature';
import { findings, marked } from './located';

function declared(text: string) {
  return parseActions({ text, file: 'SKILL.md' });
}

function names(text: string): string[] {
  return declared(text).actions.map(({ name }) => name);
}

describe('where actions are declared', () => {
  test.each([
    ['any level', '#### Actions\n\n- `Wait`: nothing.'],
    ['any case', '# ACTIONS\n- `Wait`'],
    ['punctuation after it', '## Actions:\n- `Wait`'],
    ['emphasis', '## **Actions**\n- `Wait`'],
    ['an underlined heading', 'Actions\n=======\n\n- `Wait`'],
    ['a numbered list', '# Actions\n\n1. `Wait`'],
    ['other bullets', '# Actions\n\n* `Wait`'],
    ['text between heading and list', '# Actions\n\nOne a turn:\n\n- `Wait`'],
    ['loose items', '# Actions\n\n- `Wait`: nothing.\n\n  More about it.'],
    ['CRLF', '# Actions\r\n\r\n- `Wait`\r\n'],
  ])('%s', (_name, text) => expect(names(text)).toEqual(['Wait']));

  test.each([
    ['another heading', '# Available actions\n\n- `Wait`'],
    ['the next heading', '# Actions\n\n## Notes\n\n- `Wait`'],
    ['nested lists', '# Actions\n\n- Some\n  - `Wait`'],
    ['items that begin otherwise', '# Actions\n\n- Say `Wait`'],
    ['a quotation', '> # Actions\n>\n> - `Wait`'],
    ['a code block', '```\n# Actions\n- `Wait`\n```'],
    ['items without signatures', '# Actions\n\n- `npm test` runs the tests.\n- `src/a.ts`'],
  ])('not: %s', (_name, text) => expect(declared(text)).toEqual({ actions: [], problems: [] }));

  test('the code span’s text has its exact range, in UTF-16', () => {
    const text = '\uFEFF# Actions 🏭\n\n# Actions\r\n\r\n  - `` Store  <item_id> `` 🏭\n';
    const [action] = declared(text).actions;
    expect(action?.text).toBe('Store  <item_id>');
    expect(action && marked(text, action.range)).toBe('Store  <item_id>');
    expect(action?.range.start).toEqual({ line: 4, character: 7 });
  });
  test('a part of a file gives ranges in the file', () => {
    const text = 'x\ny\n# Actions\n- `Wait`\n';
    const { actions } = parseActions({ text, file: 'a.md', start: 4 });
    expect(actions.map(({ file, range }) => [file, range.start])).toEqual([
      ['a.md', { line: 3, character: 3 }],
    ]);
  });
  test('an item among actions that is none is pointed out', () => {
    const text = '# Actions\n\n- `Wait`\n- `git commit`\n- `Wait`\n';
    expect(findings(text, declared(text).problems)).toEqual([
      'skill.action-syntax «git commit»',
      'skill.duplicate-action «Wait»',
    ]);
    expect(names(text)).toEqual(['Wait']);
  });
  test('are read up to a number, and the next one is pointed out', () => {
    const text = `# Actions\n\n${Array.from({ length: 1_100 }, (_, index) => `- \`Act${index}\`\n`).join('')}`;
    const { actions, problems } = declared(text);
    expect(actions).toHaveLength(1_000);
    expect(findings(text, problems)).toEqual(['skill.too-many-actions «Act1000»']);
    expect(problems[0]?.severity).toBe('error');
  });
  test('3,000 nested lists and unclosed spans are no trouble', () => {
    expect(names(`# Actions\n${'- '.repeat(3_000)}\`Wait\``)).toEqual([]);
    expect(names(`# Actions\n- ${'`'.repeat(100_000)}\n- \`Wait\``)).toEqual(['Wait']);
  });
});

describe('signatures', () => {
  test.each([
    ['Wait', 'command', []],
    ['Store <item_id> <empty_shelf_id>', 'command', ['item_id', 'empty_shelf_id']],
    ['Say <text...>', 'command', ['text...']],
    ['Say <who> <text…>', 'command', ['who', 'text...']],
    ['Commit(branch, file)', 'call', ['branch', 'file']],
    ['Commit(<branch>, <file>)', 'call', ['branch', 'file']],
    ['Refresh()', 'call', []],
    ['Log(text...)', 'call', ['text...']],
    ['browser.open <url>', 'command', ['url']],
    ['Öffne <datei>', 'command', ['datei']],
  ])('%s', (text, form, parameters) => {
    const signature = parseSignature(text);
    expect(signature?.form).toBe(form);
    expect(signature?.parameters.map(({ name, rest }) => (rest ? `${name}...` : name))).toEqual(parameters);
  });
  test.each([
    'git commit',
    'Store item',
    'Say <text...> <who>',
    'Store <a> <a>',
    'Store <>',
    'Store <a><b>',
    '1st <a>',
    'Commit(a',
    'Commit(a,)',
    '--flag',
    '',
  ])('not: %s', (text) => expect(parseSignature(text)).toBeUndefined());

  // Looked for from every blank on, an argument would take minutes not to be found.
  test('not, and no less soon: a name before a great many blanks', () =>
    expect(parseSignature(`Store${'\t'.repeat(500_000)}item`)).toBeUndefined());
});

describe('matching an action', () => {
  const { actions } = declared(
    [
      '# Actions',
      '- `Store <item_id> <empty_shelf_id>`',
      '- `Wait`',
      '- `Say <who> <text...>`',
      '- `Commit(branch, file)`',
      '- `Log(text...)`',
      '- `Refresh()`',
    ].join('\n'),
  );

  test.each([
    ['Store item_1 shelf_2', ['item_1', 'shelf_2']],
    ['  Store\titem_1   shelf_2 \n', ['item_1', 'shelf_2']],
    ['Wait', []],
    ['Say bob  hello,  world (again)', ['bob', 'hello,  world (again)']],
    ['Commit(main, a.txt)', ['main', 'a.txt']],
    ['Commit("feature, one", \'a b.txt\')', ['feature, one', 'a b.txt']],
    ["Commit(it's, a.txt)", ["it's", 'a.txt']],
    ['Log(a, b, "c")', ['a, b, "c"']],
    ['Refresh( )', []],
  ])('%s', (action, expected) => {
    const match = matchAction(actions, action);
    expect(match.ok ? match.arguments : match.message).toEqual(expected);
  });

  test.each([
    ['Wait item_06', 'has 1 argument, but Wait takes no arguments: `Wait`'],
    ['WAIT', 'is not declared; Wait is: `Wait`'],
    ['Store item_1', 'has 1 argument, but Store takes 2 arguments'],
    [
      'Store item_1 shelf_2 now',
      'has 3 arguments, but Store takes 2 arguments: `Store <item_id> <empty_shelf_id>`',
    ],
    ['Store(item_1, shelf_2)', 'not written as declared: `Store <item_id> <empty_shelf_id>`'],
    ['Commit main a.txt', 'not written as declared: `Commit(branch, file)`'],
    ['Commit(main)', 'has 1 argument, but Commit takes 2 arguments'],
    ['Commit(main, )', 'has an empty argument'],
    ['Commit(main, a.txt) now', 'not written as declared'],
    ['Wait()', 'not written as declared: `Wait`'],
    ['Say bob', 'has 1 argument, but Say takes 2 arguments'],
    ['Jump', 'is not declared; write one of `Store <item_id> <empty_shelf_id>`, `Wait`'],
    ['Wait\nWait', 'more than one line'],
    ['', 'The action is empty'],
    ['constructor', 'is not declared'],
  ])('refuses %j', (action, message) => {
    const match = matchAction(actions, action);
    expect(match.ok ? 'matched' : match.message).toContain(message);
  });

  test('two signatures of one name may differ in their arguments', () => {
    const overloaded = declared('# Actions\n- `Go`\n- `Go <where>`').actions;
    expect(matchAction(overloaded, 'Go').ok).toBe(true);
    expect(matchAction(overloaded, 'Go home').ok).toBe(true);
    expect(matchAction(overloaded, 'Go far away').ok).toBe(false);
  });
  test('a message stays short whatever the action', () => {
    const many: ActionSignature[] = Array.from({ length: 500 }, (_, index) => ({
      name: `A${index}`,
      form: 'command',
      parameters: [],
      text: `A${index}`,
      file: 'SKILL.md',
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    }));
    const match = matchAction(many, 'x'.repeat(1_000_000));
    expect(match.ok ? '' : match.message).toHaveLength(match.ok ? 0 : match.message.length);
    expect(match.ok ? 0 : match.message.length).toBeLessThan(1_000);
  });
  test('words that make up an action are given back', () => {
    const word = fc.stringMatching(/^[a-z0-9_.,()'"-]{1,12}$/);
    fc.assert(
      fc.property(word, word, (item, shelf) => {
        const match = matchAction(actions, `Store ${item} ${shelf}`);
        expect(match.ok && match.arguments).toEqual([item, shelf]);
      }),
    );
  });
});
