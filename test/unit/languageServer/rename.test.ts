import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { RenameFailure } from '../../../server/src/languageService/symbols/navigation';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const skill = `---
name: sample
description: Works on tasks.
metadata:
  terminal-actions: "Finish Stop"
---

# Tasks

Look at \`tasks[0].title\`, \`/tasks/0/title\` and \`state.tasks["0"].title\`; 😀 a \`title\` too, and \`{"title":"x"}\`.

## Actions

- \`Add <title>\`: adds \`Add x\`.
- \`Finish\`: ends it, as \`Stop\` does.
- \`Stop\`

> \`\`\`json
> {"state_patch": {"tasks": [{"title": "x"}]},
>  "action": "Add x"}
> \`\`\`
`;

const schema = `type: object
required: [tasks]
properties:
  tasks:
    type: array
    maxItems: 9
    default: [{title: first}]
    items: {$ref: '#/$defs/a~1b%20c'}
  title: {type: string}
  other:
    type: object
    properties: {title: {type: string}}
additionalProperties: false
x-invariants:
  - expression: 'state.tasks.all(t, t.title != ''x'' && t["title"] != state.title)'
$defs:
  a/b c:
    type: object
    required:
      - 'title'
    dependentRequired: {title: [done], done: [title]}
    properties:
      title: {type: string}
      done: {$ref: "#/$defs/a~1b%20c/properties/title"}
`;

const files = {
  'SKILL.md': skill,
  'state.schema.yaml': schema,
  'state.initial.json': '{"tasks": [{"title": "a"}], "title": "b"}',
};

function workspace(changed: Record<string, string> = {}): SkillWorkspace {
  return skillWorkspace({ ...files, ...changed });
}

/** Renames what stands at `|` in a text that occurs in a file. */
async function rename(work: SkillWorkspace, path: string, mark: string, name: string) {
  const at = work.text(path).indexOf(mark.replace('|', ''));
  if (at === -1) throw new Error(`No ${mark} in ${path}.`);
  const position = new LineIndex(work.text(path)).positionAt(at + mark.indexOf('|'));
  return work.service.rename(work.uri(path), position, name);
}

function apply(work: SkillWorkspace, edit: WorkspaceEdit | undefined): void {
  const base = work.uri('').replace(/\/?$/, '/');
  for (const [uri, edits] of Object.entries(edit?.changes ?? {})) {
    const path = uri.slice(base.length);
    let text = work.text(path);
    const lines = new LineIndex(text);
    const places = edits
      .map(({ range, newText }) => ({
        start: lines.offsetAt(range.start),
        end: lines.offsetAt(range.end),
        newText,
      }))
      .sort((a, b) => b.start - a.start);
    let before = Number.POSITIVE_INFINITY;
    for (const { start, end, newText } of places) {
      expect(end).toBeLessThanOrEqual(before);
      before = start;
      text = text.slice(0, start) + newText + text.slice(end);
    }
    work.set(path, text);
  }
}

async function codes(work: SkillWorkspace): Promise<string[]> {
  const found = await Promise.all(
    ['SKILL.md', 'state.schema.yaml', 'state.initial.json'].map((path) =>
      work.service.findings(work.uri(path)),
    ),
  );
  return found
    .flatMap((findings) => (findings ?? []).map(({ code, severity }) => `${severity} ${code}`))
    .sort();
}

describe('rename of a field', () => {
  it.each(['label', 'on-hand', '_x'])(
    'changes it everywhere, to %s, and nothing else of its name',
    async (name) => {
      const invariants = schema.replace(/x-invariants:\n.*\n/, '');
      const work = workspace({ 'state.schema.yaml': invariants });
      const before = await codes(work);
      apply(work, await rename(work, 'SKILL.md', 'tasks[0].ti|tle', name));
      const expected = (text: string) => text.replaceAll('title', name);
      expect(work.text('SKILL.md')).toBe(
        expected(skill)
          .replace(`😀 a \`${name}\``, '😀 a `title`')
          .replace(`{"${name}":"x"}`, '{"title":"x"}')
          .replace(`Add <${name}>`, 'Add <title>'),
      );
      expect(work.text('state.schema.yaml')).toBe(
        expected(invariants)
          .replace(`  ${name}: {type: string}\n  other`, '  title: {type: string}\n  other')
          .replace(`{${name}: {type: string}}`, '{title: {type: string}}'),
      );
      expect(work.text('state.initial.json')).toBe(`{"tasks": [{"${name}": "a"}], "title": "b"}`);
      expect(await codes(work)).toEqual(before);
    },
  );

  it('changes invariants, in the quotes around them', async () => {
    const work = workspace();
    apply(work, await rename(work, 'state.schema.yaml', "- 'ti|tle'", 'label'));
    expect(work.text('state.schema.yaml')).toContain(
      `'state.tasks.all(t, t.label != ''x'' && t["label"] != state.title)'`,
    );
    apply(work, await rename(work, 'state.schema.yaml', '  ti|tle: {type: string}\n  other', 'heading'));
    expect(work.text('state.schema.yaml')).toContain(`t["label"] != state.heading)'`);
    expect(work.text('SKILL.md')).toContain('a `heading` too, and `{"heading":"x"}`');
  });

  it.each([
    ['true', '"true"'],
    ['on', '"on"'],
    ['a: b', '"a: b"'],
    ['#x', '"#x"'],
    ['two words', 'two words'],
    ['123', '"123"'],
    ['__proto__', '__proto__'],
  ])('quotes %s in YAML where it has to', async (name, written) => {
    const work = workspace({
      'SKILL.md': '---\nname: sample\ndescription: d\n---\nDo.\n',
      'state.initial.json': '{"tasks": []}',
    });
    apply(work, await rename(work, 'state.schema.yaml', 'ot|her:', name));
    expect(work.text('state.schema.yaml')).toContain(`\n  ${written}:\n    type: object`);
    expect((await codes(work)).filter((code) => code.startsWith('error'))).toEqual([]);
  });

  it.each([
    ['', 'The new name is empty; write one.'],
    ['a\nb', 'The new name has line breaks or control characters; leave them out.'],
    ['done', 'The object has a property "done" already; choose another name.'],
    ['a b', /^(?:The instructions|An invariant)/],
    ['1x', /^(?:The instructions|An invariant)/],
  ])('refuses %j', async (name, message) => {
    const failure = await rename(workspace(), 'SKILL.md', 'tasks[0].ti|tle', name).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(RenameFailure);
    if (typeof message === 'string') expect(String(failure)).toBe(`RenameFailure: ${message}`);
    else expect((failure as RenameFailure).message).toMatch(message);
  });

  it('refuses what propertyNames of the object refuse', async () => {
    const strict = schema.replace(
      '    type: object\n    properties: {title',
      '    type: object\n    propertyNames: {$ref: "#/$defs/key"}\n    properties: {title',
    );
    const work = workspace({ 'state.schema.yaml': `${strict}  key: {maxLength: 5, pattern: ^t}\n` });
    const mark = '    properties: {ti|tle';
    await expect(rename(work, 'state.schema.yaml', mark, 'textual')).rejects.toThrow(/propertyNames/);
    await expect(rename(work, 'state.schema.yaml', mark, 'name')).rejects.toThrow(/propertyNames/);
    expect(await rename(work, 'state.schema.yaml', mark, 'text')).toBeDefined();
  });

  it('keeps line ends and a byte order mark', async () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const work = workspace({
      'SKILL.md': `\uFEFF${crlf(skill)}`,
      'state.schema.yaml': `\uFEFF${crlf(schema)}`,
    });
    apply(work, await rename(work, 'SKILL.md', '`ta|sks[0]', 'jobs'));
    expect(work.text('SKILL.md')).toBe(`\uFEFF${crlf(skill.replace(/(?<=[`/.{"])tasks/g, 'jobs'))}`);
    expect(work.text('state.schema.yaml')).toBe(`\uFEFF${crlf(schema.replace(/\btasks\b/g, 'jobs'))}`);
  });

  it('refuses a key that the initial state has beside it', async () => {
    const open = schema.replace('      done:', '      gone:').replace(/ +dependentRequired.*\n/, '');
    const work = workspace({
      'state.schema.yaml': open,
      'state.initial.json': '{"tasks": [{"title": "a", "label": 1}]}',
    });
    await expect(rename(work, 'SKILL.md', 'tasks[0].ti|tle', 'label')).rejects.toThrow(/"label" already/);
  });

  it('leaves maps’ keys, indices and plain words alone', async () => {
    const work = workspace();
    const at = (mark: string) => {
      const offset = skill.indexOf(mark.replace('|', '')) + mark.indexOf('|');
      return work.service.prepareRename(work.uri('SKILL.md'), new LineIndex(skill).positionAt(offset));
    };
    expect(await at('tasks[|0]')).toBeUndefined();
    expect(await at('Lo|ok')).toBeUndefined();
    expect(await at('/tasks/0/ti|tle')).toMatchObject({ placeholder: 'title' });
  });

  it('keeps properties of one object in all alternatives together, and those of others apart', async () => {
    const work = workspace({
      'SKILL.md': '---\nname: sample\ndescription: d\n---\n`e.id`, `f.id`\n',
      'state.schema.yaml': `type: object
properties:
  e:
    required: [id]
    anyOf: [{properties: {id: {const: 1}}}, {properties: {id: {type: string}}}]
    if: {properties: {id: {const: 2}}}
  f: {properties: {id: {}}, patternProperties: {^x: {properties: {id: {}}}}}
`,
      'state.initial.json': '{"e": {"id": 1}, "f": {"id": 2, "x": {"id": 3}}}',
    });
    apply(work, await rename(work, 'SKILL.md', '`e.|id', 'key'));
    expect(work.text('SKILL.md')).toContain('`e.key`, `f.id`');
    expect(work.text('state.schema.yaml').match(/\bkey\b/g)).toHaveLength(4);
    expect(work.text('state.initial.json')).toBe('{"e": {"key": 1}, "f": {"id": 2, "x": {"id": 3}}}');
  });
});

describe('rename of a field in longer code spans', () => {
  const head = '---\nname: sample\ndescription: d\n---\n';
  const fields = `type: object
properties:
  count: {type: integer}
  order: {type: object, properties: {count: {type: integer}, "it's": {type: string}}}
`;
  it.each([
    ['`order.count > 3`', '`order.total > 3`'],
    ['`order.count: 3`', '`order.total: 3`'],
    ['`order.count=3`', '`order.total=3`'],
    ['`state.order.count == count`', '`state.order.total == count`'],
    ['`order["count"] ≥ 2 😀`', '`order["total"] ≥ 2 😀`'],
    ['`order.count in [1, 2]`', '`order.total in [1, 2]`'],
    ['`count = 3`', '`count = 3`'],
    ['`count: 3` `count=3`', '`count: 3` `count=3`'],
    ['`let order.count = 3`', '`let order.count = 3`'],
    ['`order.count ? 1 : 2`', '`order.count ? 1 : 2`'],
  ])('makes of %s %s', async (body, renamed) => {
    const work = workspace({ 'SKILL.md': `${head}${body}\n`, 'state.schema.yaml': fields });
    apply(work, await rename(work, 'state.schema.yaml', '{c|ount', 'total'));
    expect(work.text('SKILL.md')).toBe(`${head}${renamed}\n`);
  });

  it('knows a name with one kind of quotes in the other kind', async () => {
    const body = '`order["it\'s"]` and `state["order"]["it\'s"] != "x"`\n';
    const work = workspace({ 'SKILL.md': head + body, 'state.schema.yaml': fields });
    apply(work, await rename(work, 'SKILL.md', '`order["it|', 'is'));
    expect(work.text('SKILL.md')).toBe(head + body.replaceAll("it's", 'is'));
    expect(work.text('state.schema.yaml')).toContain('"is": {type: string}');
  });
});

describe('rename of an argument', () => {
  const actions = `---
name: sample
description: d
---
Give \`Put <item> <shelf>\` an \`<item>\`.

# Actions

- \`Put <item> <shelf>\`
- \`Take(item, note...)\`
`;
  it.each(['thing', 'item id'])('changes it in signatures and spans, to %s', async (name) => {
    const work = workspace({ 'SKILL.md': actions });
    apply(work, await rename(work, 'SKILL.md', '`<it|em>`', name));
    expect(work.text('SKILL.md')).toBe(
      actions.replaceAll('<item>', `<${name}>`).replace('(item', `(${name}`),
    );
  });
  it.each(['', 'a, b', 'shelf', 'note', 'x>', '1', 'more...'])('refuses %j', async (name) => {
    const work = workspace({ 'SKILL.md': actions });
    await expect(rename(work, 'SKILL.md', '`<it|em>`', name)).rejects.toThrow(RenameFailure);
  });
});

describe('rename of an action', () => {
  it('changes signature, spans, terminal-actions and examples', async () => {
    const work = workspace();
    const before = await codes(work);
    apply(work, await rename(work, 'SKILL.md', '- `A|dd', 'Create'));
    expect(work.text('SKILL.md')).toBe(skill.replaceAll('Add', 'Create'));
    apply(work, await rename(work, 'SKILL.md', '"Finish S|top', 'Halt'));
    expect(work.text('SKILL.md')).toBe(skill.replaceAll('Add', 'Create').replaceAll('Stop', 'Halt'));
    expect(await codes(work)).toEqual(before);
  });

  it.each(['', 'Two words', 'Finish', '1st', 'a(b'])('refuses %j', async (name) => {
    await expect(rename(workspace(), 'SKILL.md', '- `A|dd', name)).rejects.toThrow(RenameFailure);
  });
});

describe('rename of a definition', () => {
  it.each([
    ['task', 'task', 'task'],
    ['x/y ~z', 'x/y ~z', 'x~1y%20~0z'],
    ["it's", "it's", 'it%27s'],
    ['ä: b', '"ä: b"', '%C3%A4%3A%20b'],
  ])('to %s changes its key and every reference to it or below it', async (name, key, inReference) => {
    const work = workspace();
    const before = await codes(work);
    apply(work, await rename(work, 'state.schema.yaml', "items: {$ref: '#/$defs/|a", name));
    expect(work.text('state.schema.yaml')).toBe(
      schema.replace('a/b c:', `${key}:`).replaceAll('a~1b%20c', inReference),
    );
    expect(await codes(work)).toEqual(before);
  });

  it('refuses the name of another one', async () => {
    const work = workspace({ 'state.schema.yaml': `${schema}  other: {}\n` });
    await expect(rename(work, 'state.schema.yaml', '  a/|b c', 'other')).rejects.toThrow(/already/);
  });

  it('follows anchors', async () => {
    const anchored =
      'type: object\nproperties: {a: {$ref: "#here"}}\n$defs: {x: {$anchor: here, type: string}}\n';
    const work = workspace({ 'state.schema.yaml': anchored, 'state.initial.json': '{}' });
    apply(work, await rename(work, 'state.schema.yaml', '"#he|re', 'there'));
    expect(work.text('state.schema.yaml')).toBe(anchored.replaceAll('here', 'there'));
  });
});

describe('rename over the files of a schema', () => {
  const split = {
    'SKILL.md': '---\nname: sample\ndescription: d\n---\n`shelves.<id>.item` of `shelves`, `names[0]`\n',
    'state.schema.yaml': `type: object
properties:
  shelves:
    type: object
    maxProperties: 9
    propertyNames: {$ref: 'parts/shelf.yaml#/$defs/id'}
    additionalProperties: {$ref: 'parts/shelf.yaml#/$defs/shelf'}
  names: {type: array, maxItems: 3, items: {$ref: parts/shelf.yaml#/$defs/shelf/properties/item}}
`,
    'parts/shelf.yaml': `$defs:
  id: {type: string, maxLength: 9}
  unused: {type: array, items: {$ref: '#/$defs/shelf'}}
  shelf:
    type: object
    required: [item]
    properties: {item: {$ref: '#/$defs/id'}}
`,
    'state.initial.json': '{"shelves": {"item": {"item": "x"}}, "names": []}',
  };

  it.each([
    'SKILL.md `shelves.<id>.i|tem`',
    'parts/shelf.yaml required: [i|tem',
    'state.schema.yaml /properties/i|tem',
  ])('of a field, from %s', async (from) => {
    const work = skillWorkspace(split);
    const [path = '', ...mark] = from.split(' ');
    apply(work, await rename(work, path, mark.join(' '), 'content'));
    expect(work.text('SKILL.md')).toContain('`shelves.<id>.content`');
    expect(work.text('state.schema.yaml')).toContain('/properties/content}');
    expect(work.text('parts/shelf.yaml')).toContain('required: [content]\n    properties: {content: {');
    expect(work.text('state.initial.json')).toBe('{"shelves": {"item": {"content": "x"}}, "names": []}');
  });

  it.each(['parts/shelf.yaml   sh|elf:', "state.schema.yaml shelf.yaml#/$defs/sh|elf'}"])(
    'of a definition, from %s',
    async (from) => {
      const work = skillWorkspace(split);
      const before = await codes(work);
      const [path = '', ...mark] = from.split(' ');
      apply(work, await rename(work, path, mark.join(' '), 'board'));
      expect(work.text('state.schema.yaml')).toBe(
        split['state.schema.yaml'].replaceAll('$defs/shelf', '$defs/board'),
      );
      expect(work.text('parts/shelf.yaml')).toBe(
        split['parts/shelf.yaml'].replace('$defs/shelf', '$defs/board').replace('  shelf:', '  board:'),
      );
      expect(await codes(work)).toEqual(before);
    },
  );

  it('leads from a reference to the other file', async () => {
    const work = skillWorkspace(split);
    const at = split['state.schema.yaml'].indexOf('shelf.yaml#/$defs/id');
    const position = new LineIndex(split['state.schema.yaml']).positionAt(at);
    expect(await work.service.definition(work.uri('state.schema.yaml'), position)).toEqual([
      {
        uri: work.uri('parts/shelf.yaml'),
        range: { start: { line: 1, character: 2 }, end: { line: 1, character: 4 } },
      },
    ]);
  });
});

describe('the warehouse sample', () => {
  const read = (name: string) => readFileSync(`samples/warehouse/${name}`, 'utf8');
  const sample = { 'SKILL.md': read('SKILL.md'), 'state.schema.yaml': read('state.schema.yaml') };

  it('gets another name for its field', async () => {
    const work = skillWorkspace(sample, { name: 'warehouse' });
    apply(work, await rename(work, 'SKILL.md', '`in|ventory` maps', 'stock'));
    expect(work.text('SKILL.md')).toBe(
      sample['SKILL.md'].replaceAll('`inventory`', '`stock`').replace('"inventory"', '"stock"'),
    );
    expect(work.text('state.schema.yaml')).toBe(
      sample['state.schema.yaml'].replace('  inventory:', '  stock:'),
    );
  });

  it('gets another name for an action', async () => {
    const work = skillWorkspace(sample, { name: 'warehouse' });
    apply(work, await rename(work, 'SKILL.md', '- `Sh|ip <', 'Send'));
    expect(work.text('SKILL.md')).toBe(
      sample['SKILL.md'].replace('`Ship <', '`Send <').replace('"Ship item', '"Send item'),
    );
  });
});
