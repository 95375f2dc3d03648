import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LineIndex } from '../../../schemas/text/position';
import { type SkillWorkspace, skillWorkspace } from '../../support/skillWorkspace';

const taskSkill = `---
name: sample
description: Works on tasks.
metadata:
  include: references/more.md
  terminal-actions: Finish
---

# Tasks

Look at \`tasks[0].title\` and \`state.tasks[].owner.name\`, or at \`/tasks/0/title\`; a task's \`done\` says more.
Notes are in \`notes.<day>\`, the name of the user in \`owner.name\`.
Use \`Add <title>\` first; \`Finish\` last, with <b>\`<title>\`</b>.

## Actions

- \`Add <title>\`: adds a task with the title.
- \`Finish\`: ends it.

\`\`\`json
{"state_patch": {"tasks": [{"title": "x", "owner": {"name": "y"}}], "notes": {"title": null}}, "action": "Add x"}
\`\`\`
`;

const taskSchema = `$schema: https://json-schema.org/draft/2020-12/schema
type: object
required: [tasks]
properties:
  tasks:
    type: array
    maxItems: 9
    default: [{title: first}]
    items: {$ref: '#/$defs/task'}
  owner: {$ref: '#/$defs/person'}
  notes:
    type: object
    additionalProperties: {type: string}
  title:
    type: string
additionalProperties: false
x-invariants:
  - expression: state.tasks.all(t, t.title != "") && has(state.title)
    message: Every task has a title.
$defs:
  person:
    type: object
    properties:
      name: {type: string}
  task:
    type: object
    required:
      - title
    properties:
      title: {type: string}
      done: {type: boolean}
      owner: {$ref: '#/$defs/person'}
      likeness: {$ref: '#/$defs/task/properties/title'}
`;

const files = {
  'SKILL.md': taskSkill,
  'state.schema.yaml': taskSchema,
  'state.initial.yaml': 'tasks:\n  - title: a\n    owner: {name: b}\nnotes: {}\n',
  'references/more.md': 'See `tasks` and `Finish`.\n',
};

/** `path:line text` of each location, lines from 1. */
function shown(
  work: SkillWorkspace,
  locations: readonly { uri: string; range: Parameters<typeof textAt>[2] }[],
) {
  return locations.map(({ uri, range }) => {
    const path = uri.slice(work.uri('').length).replace(/^\//, '');
    return `${path}:${range.start.line + 1} ${textAt(work, path, range)}`;
  });
}

function textAt(
  work: SkillWorkspace,
  path: string,
  range: { start: { line: number; character: number }; end: { line: number; character: number } },
): string {
  const text = work.text(path);
  const lines = new LineIndex(text);
  return text.slice(lines.offsetAt(range.start), lines.offsetAt(range.end));
}

/** The position of a mark in a file: of the character behind what stands before `|` in the pattern. */
function place(work: SkillWorkspace, path: string, mark: string) {
  const at = work.text(path).indexOf(mark.replace('|', ''));
  if (at === -1) throw new Error(`No ${mark} in ${path}.`);
  const offset = at + mark.indexOf('|');
  return { uri: work.uri(path), position: new LineIndex(work.text(path)).positionAt(offset) };
}

describe('definition', () => {
  const work = skillWorkspace(files);
  it.each([
    ['SKILL.md', '`ta|sks[0]', ['state.schema.yaml:5 tasks']],
    ['SKILL.md', 'tasks[0].ti|tle`', ['state.schema.yaml:30 title']],
    ['SKILL.md', '[].owner.na|me', ['state.schema.yaml:24 name']],
    ['SKILL.md', '/tasks/0/t|itle', ['state.schema.yaml:30 title']],
    ['SKILL.md', '`do|ne`', ['state.schema.yaml:31 done']],
    ['SKILL.md', '`not|es.<day>', ['state.schema.yaml:11 notes']],
    ['SKILL.md', 'notes.<d|ay>', []],
    ['SKILL.md', '`Fin|ish` last', ['SKILL.md:18 Finish']],
    ['SKILL.md', '<b>`<ti|tle>', ['SKILL.md:17 title']],
    ['SKILL.md', '"tasks": [{"tit|le"', ['state.schema.yaml:30 title']],
    ['SKILL.md', '"notes": {"tit|le"', []],
    ['SKILL.md', '"action": "A|dd', ['SKILL.md:17 Add']],
    ['SKILL.md', 'terminal-actions: Fin|ish', ['SKILL.md:18 Finish']],
    ['SKILL.md', 'include: ref|erences', ['references/more.md:1 ']],
    ['references/more.md', '`ta|sks`', ['state.schema.yaml:5 tasks']],
    ['references/more.md', '`Fi|nish`', ['SKILL.md:18 Finish']],
    ['state.initial.yaml', '- ti|tle', ['state.schema.yaml:30 title']],
    ['state.initial.yaml', 'owner: {na|me', ['state.schema.yaml:24 name']],
    ['state.schema.yaml', "items: {$ref: '#/$de|fs", ['state.schema.yaml:25 task']],
    ['state.schema.yaml', 'required: [ta|sks', ['state.schema.yaml:5 tasks']],
    ['state.schema.yaml', '- tit|le', ['state.schema.yaml:30 title']],
    ['state.schema.yaml', 't.ti|tle', ['state.schema.yaml:30 title']],
    ['state.schema.yaml', 'has(state.ti|tle', ['state.schema.yaml:14 title']],
    ['state.schema.yaml', 'default: [{ti|tle', ['state.schema.yaml:30 title']],
  ])('of %s %s', async (path, mark, expected) => {
    const { uri, position } = place(work, path, mark);
    expect(shown(work, await work.service.definition(uri, position))).toEqual(expected);
  });

  it('leads to files that the front matter names', async () => {
    const renamed = skillWorkspace({
      'SKILL.md': taskSkill.replace('metadata:', 'metadata:\n  state-schema: "schemas/s.yaml"'),
      'schemas/s.yaml': taskSchema,
      'references/more.md': '',
    });
    const { uri, position } = place(renamed, 'SKILL.md', 'schemas/|s.yaml');
    expect(shown(renamed, await renamed.service.definition(uri, position))).toEqual(['schemas/s.yaml:1 ']);
  });
});

describe('references', () => {
  const work = skillWorkspace(files);
  it('of a property under a shared definition, and of nothing else of that name', async () => {
    const { uri, position } = place(work, 'SKILL.md', 'tasks[0].ti|tle`');
    const found = await work.service.references(uri, position, { includeDeclaration: false });
    expect(shown(work, found)).toEqual([
      'SKILL.md:11 title',
      'SKILL.md:11 title',
      'SKILL.md:21 "title"',
      'state.initial.yaml:2 title',
      'state.schema.yaml:8 title',
      'state.schema.yaml:18 title',
      'state.schema.yaml:28 title',
      'state.schema.yaml:33 title',
    ]);
    const all = await work.service.references(uri, position, { includeDeclaration: true });
    expect(all).toHaveLength(found.length + 1);
  });

  it('of an action over all files', async () => {
    const { uri, position } = place(work, 'references/more.md', '`Fi|nish`');
    expect(shown(work, await work.service.references(uri, position, { includeDeclaration: true }))).toEqual([
      'SKILL.md:6 Finish',
      'SKILL.md:13 Finish',
      'SKILL.md:18 Finish',
      'references/more.md:1 Finish',
    ]);
  });

  it('of a definition through references that go on below it', async () => {
    const { uri, position } = place(work, 'state.schema.yaml', '$defs/ta|sk/properties');
    expect(shown(work, await work.service.references(uri, position, { includeDeclaration: true }))).toEqual([
      'state.schema.yaml:9 task',
      'state.schema.yaml:25 task',
      'state.schema.yaml:33 task',
    ]);
  });

  it('in a schema that stands alone', async () => {
    const alone = skillWorkspace({ 'state.schema.yaml': taskSchema });
    const { uri, position } = place(alone, 'state.schema.yaml', '- tit|le');
    const found = await alone.service.references(uri, position, { includeDeclaration: true });
    expect(found).toHaveLength(5);
  });

  it('in the warehouse sample', async () => {
    const read = (name: string) => readFileSync(`samples/warehouse/${name}`, 'utf8');
    const warehouse = skillWorkspace({
      'SKILL.md': read('SKILL.md'),
      'state.schema.yaml': read('state.schema.yaml'),
    });
    const { uri, position } = place(warehouse, 'SKILL.md', '`inv|entory` maps');
    const found = await warehouse.service.references(uri, position, { includeDeclaration: true });
    expect(shown(warehouse, found)).toEqual([
      'SKILL.md:18 inventory',
      'SKILL.md:26 inventory',
      'SKILL.md:62 "inventory"',
      'state.schema.yaml:9 inventory',
    ]);
    const ship = place(warehouse, 'SKILL.md', '- `Sh|ip <');
    const ships = await warehouse.service.references(ship.uri, ship.position, { includeDeclaration: false });
    expect(shown(warehouse, ships)).toEqual(['SKILL.md:62 Ship']);
  });
});

describe('hostile schemas', () => {
  it('follows cycles and odd keys', async () => {
    const work = skillWorkspace({
      'SKILL.md':
        '---\nname: sample\ndescription: d\n---\n`__proto__.constructor` and `node.next.next.next`\n',
      'state.schema.json': `{"type":"object","properties":{"__proto__":{"properties":{"constructor":{}}},
        "node":{"$ref":"#/$defs/node"},"self":{"$ref":"#/properties/self"}},
        "$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"}}}}}`,
    });
    const proto = place(work, 'SKILL.md', '`__pro|to__');
    expect(shown(work, await work.service.definition(proto.uri, proto.position))).toEqual([
      'state.schema.json:1 "__proto__"',
    ]);
    const next = place(work, 'SKILL.md', 'next.next.ne|xt');
    expect(await work.service.references(next.uri, next.position, { includeDeclaration: true })).toHaveLength(
      4,
    );
  });

  it('answers for thousands of spans and unused definitions', async () => {
    const definitions = Array.from(
      { length: 900 },
      (_, index) => `  d${index}: {properties: {p${index}: {}}}`,
    );
    const work = skillWorkspace({
      'SKILL.md': `---\nname: sample\ndescription: d\n---\n${'`a.b` and `a.c`\n'.repeat(10_000)}`,
      'state.schema.yaml': `type: object\nproperties:\n  a: {properties: {b: {}, c: {}}}\n$defs:\n${definitions.join('\n')}\n`,
    });
    const { uri, position } = place(work, 'SKILL.md', 'a.|b');
    expect(await work.service.references(uri, position, { includeDeclaration: true })).toHaveLength(10_001);
  });
});
