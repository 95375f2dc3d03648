/** The fenced examples of a skill's instructions, held against schema and actions. */
import { describe, expect, it } from 'vitest';
import { replaced } from '../../support/appliedFix';
import { skillWorkspace } from '../../support/skillWorkspace';
import { marked } from '../schemas/located';

const schema = `type: object
required: [phase, stock]
properties:
  phase: {type: string, enum: [search, order, done]}
  count: {type: integer, minimum: 0}
  weather: {type: string, x-writer: environment}
  log: {type: array, items: {type: object, required: [at], properties: {at: {type: integer}}}, x-merge: append, maxItems: 3}
  stock:
    type: object
    propertyNames: {pattern: '^shelf_'}
    additionalProperties: {type: object, required: [item], properties: {item: {type: string, pattern: '^item_'}}, additionalProperties: false}
  choice:
    oneOf:
      - {type: object, required: [kind], properties: {kind: {const: a}, size: {type: integer}}}
      - {type: object, required: [kind], properties: {kind: {const: b}, size: {type: string}}}
additionalProperties: false
`;

const actions = '## Actions\n\n- `Store <item> <shelf>`: stores.\n- `Wait`: waits.\n\n';

function skillText(body: string): string {
  return `---\nname: sample\ndescription: A sample for tests.\n---\n${actions}${body}`;
}

function workspaceOf(body: string) {
  return skillWorkspace({
    'SKILL.md': skillText(body),
    'state.schema.yaml': schema,
    'state.initial.yaml': 'phase: search\nstock: {}\n',
  });
}

async function findingsOf(body: string) {
  const workspace = workspaceOf(body);
  const findings = (await workspace.service.findings(workspace.uri('SKILL.md'))) ?? [];
  return { workspace, findings: findings.filter(({ code }) => code.startsWith('example.')) };
}

/** Each as `code «marked text»`. */
async function found(body: string): Promise<string[]> {
  const { workspace, findings } = await findingsOf(body);
  return findings.map(({ code, range }) => `${code} «${marked(workspace.text('SKILL.md'), range)}»`);
}

const fence = (content: string, info = 'json') => `\`\`\`${info}\n${content}\n\`\`\`\n`;
const reply = (patch: string, action = 'Wait') => fence(`{"state_patch": ${patch}, "action": "${action}"}`);

describe('a reply', () => {
  it.each([
    ['{}'],
    ['{"phase": "done"}'],
    ['{"stock": {"shelf_1": {"item": "item_2"}, "shelf_2": null}}'],
    ['{"count": null}'],
    ['{"log": [{"at": 1}]}'],
    ['{"choice": {"size": "large"}}'],
    ['{"stock": {"<shelf>": {"item": "<item>"}, "shelf_1": {"item": "..."}}}'],
  ])('with the patch %s is fine', async (patch) => {
    expect(await found(reply(patch))).toEqual([]);
  });

  it.each([
    ['{"phase": "dune"}', ['example.does-not-fit «"dune"»']],
    ['{"phase": 1}', ['example.does-not-fit «1»']],
    ['{"count": "1"}', ['example.does-not-fit «"1"»']],
    ['{"cuont": 1}', ['example.unknown-key «"cuont"»']],
    ['{"cuont": null}', ['example.unknown-key «"cuont"»']],
    ['{"phase": null}', ['example.deletes-required «null»']],
    ['{"stock": {"shelf_1": {"item": null}}}', ['example.deletes-required «null»']],
    ['{"weather": "rain"}', ['example.writer «"weather"»']],
    ['{"stock": {"desk_1": {"item": "item_1"}}}', ['example.unknown-key «"desk_1"»']],
    ['{"stock": {"shelf_1": {"item": "thing"}}}', ['example.does-not-fit «"thing"»']],
    ['{"stock": {"shelf_1": "item_1"}}', ['example.does-not-fit «"item_1"»']],
    ['{"log": [{"at": 1}, {"to": 1}]}', ['example.does-not-fit «{"to": 1}»']],
    ['{"log": {"at": 1}}', ['example.does-not-fit «{"at": 1}»']],
    ['[]', ['example.not-an-object «[]»']],
  ])('with the patch %s', async (patch, expected) => {
    expect(await found(reply(patch))).toEqual(expected);
  });

  it.each([
    ['Wait', []],
    ['Store item_1 shelf_1', []],
    ['Store <item> <shelf>', []],
    ['Store <some item> <some shelf>', []],
    ['...', []],
    ['<action>', []],
    ['Store item_1', ['example.action «Store item_1»']],
    ['wait', ['example.action «wait»']],
    ['Stroe <item> <shelf>', ['example.action «Stroe <item> <shelf>»']],
  ])('with the action %s', async (action, expected) => {
    expect(await found(reply('{}', action))).toEqual(expected);
  });

  it('has exactly two keys', async () => {
    expect(await found(fence('{"state_patch": {}}'))).toEqual(['example.missing-key «"state_patch"»']);
    expect(await found(fence('{"state_patch": {}, "action": "Wait", "why": "x"}'))).toEqual([
      'example.extra-key «"why"»',
    ]);
    expect(await found(fence('{"state_patch": {}, "action": 1}'))).toEqual(['example.action «1»']);
  });

  it('that is no JSON is marked at the character, unless it stands for others', async () => {
    expect(await found(fence('{"state_patch": {}, "action": "Wait",}'))).toEqual(['example.syntax «}»']);
    expect(await found(fence('{"state_patch": {\'a\': 1}, "action": "Wait"}'))).toEqual([
      "example.syntax «'»",
    ]);
    expect(await found(fence('{"state_patch": {}, "action": "Wait"'))).toEqual(['example.syntax «"»']);
    expect(
      await found(fence('{"state_patch": {"phase": "done", "phase": "done"}, "action": "Wait"}')),
    ).toEqual(['example.syntax «"»']);
    expect(await found(fence('{"state_patch": {...}, "action": "Wait"}'))).toEqual([]);
    expect(await found(fence('{"state_patch": {<changes>}, "action": <action>}'))).toEqual([]);
  });

  it('is found in lists and quotations, in YAML, and without a language', async () => {
    const inside = '{"state_patch": {"count": "1"},\n "action": "Wait"}';
    const indented = (prefix: string) => fence(inside).trimEnd().split('\n').join(`\n${prefix}`);
    expect(await found(`- A step:\n\n  ${indented('  ')}\n`)).toEqual(['example.does-not-fit «"1"»']);
    expect(await found(`> ${indented('> ')}\n`)).toEqual(['example.does-not-fit «"1"»']);
    expect(await found(fence(inside, ''))).toEqual(['example.does-not-fit «"1"»']);
    expect(await found(fence('state_patch:\n  count: "1"\naction: Wait', 'yaml'))).toEqual([
      'example.does-not-fit «"1"»',
    ]);
    expect(await found(fence(inside).replaceAll('\n', '\r\n'))).toEqual(['example.does-not-fit «"1"»']);
  });

  it('is left alone where the text says that it is wrong', async () => {
    expect(await found(`Don't write this:\n\n${reply('{"count": "1"}')}`)).toEqual([]);
    expect(await found(fence('{"state_patch": 1}', 'json invalid'))).toEqual([]);
  });
});

describe('other blocks', () => {
  it.each([
    ['{"phase": "done", "count": "1"}', 'json', ['example.does-not-fit «"1"»']],
    ['{"weather": 1}', 'json', ['example.does-not-fit «1»']],
    ['{"weather": "rain"}', 'json', []],
    ['{"weather": "rain"}', 'json patch', ['example.writer «"weather"»']],
    ['phase: done\nstock: {shelf_1: {itme: item_1}}', 'yaml', ['example.unknown-key «itme»']],
    ['{"phase": "done", "other": "1"}', 'json', []],
    ['{"phase": "done", "other": "1"}', 'json state_patch', ['example.unknown-key «"other"»']],
    ['{"phase": "done"}', 'json state', ['example.does-not-fit «{»']],
    ['{"phase": "done", "stock": {}}', 'json state', []],
    ['{"phase": done', 'json', []],
    ['{"phase": 1}', '', []],
    ['{"phase": 1}', 'js', []],
  ])('%s as %s', async (content, info, expected) => {
    expect(await found(fence(content, info))).toEqual(expected);
  });

  it('without a schema file only replies are looked at', async () => {
    const workspace = skillWorkspace({
      'SKILL.md': skillText(fence('{"phase": 1}') + reply('{"phase": 1}', 'Jump')),
    });
    const findings = (await workspace.service.findings(workspace.uri('SKILL.md'))) ?? [];
    expect(findings.map(({ code }) => code).filter((code) => code.startsWith('example.'))).toEqual([
      'example.action',
    ]);
  });

  it('of included files are checked too', async () => {
    const workspace = skillWorkspace({
      'SKILL.md': '---\nname: sample\ndescription: A sample.\nmetadata:\n  include: more.md\n---\nDo it.\n',
      'more.md': reply('{"phase": 1}'),
      'state.schema.yaml': schema,
      'state.initial.yaml': 'phase: search\nstock: {}\n',
    });
    const findings = (await workspace.service.findings(workspace.uri('more.md'))) ?? [];
    expect(findings.map(({ code }) => code)).toContain('example.does-not-fit');
  });
});

describe('fixes of an example', () => {
  it.each([
    ['{"cuont": 1}', 'Rename "cuont" to "count"', '{"count": 1}'],
    ['{"count": "1"}', 'Write 1', '{"count": 1}'],
    ['{"phase": "dune"}', 'Write "done"', '{"phase": "done"}'],
    ['{"phase": null, "count": 1}', 'Remove "phase"', '{"count": 1}'],
  ])('%s: %s', async (patch, title, expected) => {
    expect(await applied(reply(patch), title)).toBe(skillText(reply(expected)));
  });

  it.each([
    ['{"state_patch": {}, "action": "Wiat"}', 'Write "Wait"', '{"state_patch": {}, "action": "Wait"}'],
    [
      '{"state_patch": {}, "action": "Stor item_1 shelf_2"}',
      'Write "Store item_1 shelf_2"',
      '{"state_patch": {}, "action": "Store item_1 shelf_2"}',
    ],
    [
      '{"state_patch": {}}',
      'Add "action": "Store <item> <shelf>"',
      '{"state_patch": {}, "action": "Store <item> <shelf>"}',
    ],
  ])('of a whole reply, %s: %s', async (before, title, after) => {
    expect(await applied(fence(before), title)).toBe(skillText(fence(after)));
  });
});

/** The text of the skill with a fix of the example in it. */
async function applied(body: string, title: string): Promise<string> {
  const { workspace, findings } = await findingsOf(body);
  const fix = findings.flatMap((finding) => finding.fixes?.() ?? []).find((one) => one.title === title);
  const edits = fix?.edits.get(workspace.uri('SKILL.md'));
  if (edits === undefined) throw new Error(`${title} is not offered.`);
  return replaced(workspace.text('SKILL.md'), edits);
}

describe('very many examples', () => {
  it('are checked up to a number, and the first of the others says so', async () => {
    const many = Array.from({ length: 1_001 }, () => fence('{"phase": 1}', 'json patch')).join('');
    const { workspace, findings } = await findingsOf(many);
    const unchecked = findings.filter(({ code }) => code === 'example.unchecked');
    expect(unchecked.map(({ message }) => message)).toEqual([
      'Only the first 1000 examples are checked; move those from here on into a file of their own.',
    ]);
    expect(findings.at(-1)).toBe(unchecked[0]);
    expect(findings).toHaveLength(1_001);
    const { line } = unchecked[0]?.range.start ?? { line: 0 };
    expect(workspace.text('SKILL.md').split('\n').slice(0, line)).toHaveLength(
      skillText('').split('\n').length - 1 + 3_001,
    );
  });

  it('may be fewer where they are long', async () => {
    const state = `{"log": [${'{"at": 1}, '.repeat(9_000)}{"at": 1}]}`;
    const { findings } = await findingsOf(fence(state, 'json patch').repeat(7));
    expect(findings.map(({ code }) => code)).toContain('example.unchecked');
  });
});
