/** Completion in initial states and examples. Whatever is accepted leaves a text that parses, without a new error. */

import { describe, expect, it } from 'vitest';
import { type CompletionItem, TextEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { snippetText } from '../../../server/src/plainAnswers';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const schema = `type: object
required: [phase, count]
properties:
  note: {type: string, maxLength: 20, description: What to keep in mind.}
  phase: {type: string, enum: [search, order, done]}
  count: {type: integer, minimum: 2}
  weather: {type: string, x-writer: environment}
  flag: {type: boolean}
  maybe: {type: [string, 'null'], default: null}
  code: {type: string, pattern: '^c_[0-9]+$'}
  tags: {type: array, uniqueItems: true, items: {type: string, enum: [red, green]}}
  stock:
    type: object
    propertyNames: {pattern: '^shelf_[0-9]$'}
    additionalProperties: {$ref: '#/$defs/shelf'}
additionalProperties: false
$defs:
  shelf:
    type: object
    required: [item, size]
    properties: {item: {type: string, pattern: '^item_[0-9]+$'}, size: {type: integer}, old: {type: string, deprecated: true}}
    additionalProperties: false
`;

const actions =
  '## Actions\n\n- `Store <item> <shelf>`: stores.\n- `Commit(branch, file)`: commits.\n- `Wait`: waits.\n\n';

function workspaceOf(files: Readonly<Record<string, string>>) {
  return skillWorkspace({
    'SKILL.md': `---\nname: sample\ndescription: A sample.\n---\nDo it.\n\n${actions}`,
    'state.schema.yaml': schema,
    ...files,
  });
}

interface Completed {
  readonly items: readonly CompletionItem[];
  /** The text with an item accepted as it is. */
  accepted(label: string): string;
}

/** Completes at the mark, and accepts every item once: each has to leave a text that parses, without a further problem. */
async function complete(path: string, marked: string): Promise<Completed> {
  const { text, position } = cursorIn(marked);
  const workspace = workspaceOf({ [path]: text });
  const uri = workspace.uri(path);
  const items = await workspace.service.completion(uri, position);
  const accepted = (label: string): string => {
    const item = items.find((one) => one.label === label);
    if (!TextEdit.is(item?.textEdit)) throw new Error(`No ${label} in ${items.map((one) => one.label)}.`);
    const lines = new LineIndex(text);
    const { range, newText } = item.textEdit;
    return (
      text.slice(0, lines.offsetAt(range.start)) +
      snippetText(newText) +
      text.slice(lines.offsetAt(range.end))
    );
  };
  const problemsOf = async (content: string): Promise<string[]> => {
    workspace.set(path, content);
    const findings = (await workspace.service.findings(uri)) ?? [];
    return findings
      .filter(({ code }) => /^(?:initial|example|state)\./.test(code))
      .map(({ message }) => message);
  };
  const before = await problemsOf(text);
  // A key before a value that is there already may be that of another type.
  const hasColon = /^\w*: \S/.test(marked.slice(marked.indexOf('‸') + 1));
  const isBroken = before.some((message) => /valid|syntax/i.test(message));
  for (const { label } of items) {
    const after = await problemsOf(accepted(label));
    const fresh = after.filter((message) => !before.includes(message));
    // Nothing else is known of a text that couldn't be read.
    const unrelated = fresh.filter(
      (message) =>
        !(isBroken && /must have the key|lacks/.test(message)) && !(hasColon && /must be/.test(message)),
    );
    expect({ label, text: accepted(label), fresh: unrelated }).toEqual({
      label,
      text: accepted(label),
      fresh: [],
    });
  }
  return { items, accepted };
}

const labels = ({ items }: Completed): string[] => items.map(({ label }) => label);

describe('keys of an initial state', () => {
  it('are those that are missing, the required ones first', async () => {
    const completed = await complete('state.initial.yaml', 'note: a\n‸\n');
    expect(labels(completed)).toEqual([
      'phase',
      'count',
      'weather',
      'flag',
      'maybe',
      'code',
      'tags',
      'stock',
    ]);
    expect(completed.accepted('count')).toBe('note: a\ncount: 2\n');
    expect(completed.accepted('phase')).toBe('note: a\nphase: search\n');
    expect(completed.accepted('code')).toMatch(/^note: a\ncode: c_\d+\n$/);
  });

  it('say what they hold', async () => {
    const { items } = await complete('state.initial.yaml', 'phase: done\n‸\n');
    const note = items.find(({ label }) => label === 'note');
    expect(note?.detail).toContain('string');
    expect(note?.documentation).toEqual({ kind: 'plaintext', value: 'What to keep in mind.' });
    expect(items.find(({ label }) => label === 'count')?.detail).toContain('required');
  });

  it('of a map are suggested by the pattern, and values bring what they require', async () => {
    const completed = await complete(
      'state.initial.yaml',
      'phase: done\ncount: 2\nstock:\n  shelf_0: {item: item_1, size: 1}\n  ‸\n',
    );
    expect(labels(completed)).toEqual(['shelf_1']);
    expect(completed.accepted('shelf_1')).toMatch(/\n {2}shelf_1:\n {4}item: item_\d+\n {4}size: 0\n$/);
  });

  it('are completed in flow style and in JSON, with commas', async () => {
    const flow = await complete(
      'state.initial.yaml',
      'phase: done\ncount: 2\nstock: {shelf_0: {item: item_1, ‸}}\n',
    );
    expect(labels(flow)).toEqual(['size', 'old']);
    expect(flow.items[1]?.tags).toEqual([1]);
    const json = await complete('state.initial.json', '{\n  "phase": "done",\n  ‸\n  "note": ""\n}\n');
    expect(json.accepted('count')).toBe('{\n  "phase": "done",\n  "count": 2,\n  "note": ""\n}\n');
    const quoted = await complete('state.initial.json', '{"phase": "done", "co‸"}');
    expect(quoted.accepted('count')).toBe('{"phase": "done", "count": 2}');
    expect(quoted.items.find(({ label }) => label === 'count')?.filterText).toBe('"count');
  });

  it('replace a key that has its colon', async () => {
    const completed = await complete('state.initial.yaml', 'phase: done\ncou‸: 2\n');
    expect(completed.accepted('count')).toBe('phase: done\ncount: 2\n');
  });

  it('of a nested state that is just begun', async () => {
    const completed = await complete('state.initial.yaml', 'phase: done\ncount: 2\nstock:\n  ‸\n');
    expect(completed.accepted('shelf_0')).toContain('stock:\n  shelf_0:\n    item: item_');
  });
});

describe('values of an initial state', () => {
  it.each([
    ['phase: ‸\ncount: 2\n', ['search', 'order', 'done']],
    ['phase:‸\ncount: 2\n', ['search', 'order', 'done']],
    ['phase: done\ncount: 2\nflag: ‸\n', ['true', 'false']],
    ['phase: done\ncount: 2\nmaybe: ‸\n', ['null']],
    ['phase: done\ncount: ‸\n', ['2']],
    ['phase: done\ncount: 2\ntags: ‸\n', ['[]']],
    ['phase: done\ncount: 2\ntags:\n  - red\n  - ‸\n', ['green']],
    ['phase: done\ncount: 2\ntags: [red, ‸]\n', ['green']],
  ])('%j', async (marked, expected) => {
    expect(labels(await complete('state.initial.yaml', marked))).toEqual(expected);
  });

  it('are written in JSON', async () => {
    const completed = await complete('state.initial.json', '{"count": 2, "phase": "se‸"}');
    expect(completed.accepted('search')).toBe('{"count": 2, "phase": "search"}');
  });
});

describe('a reply in an example', () => {
  const page = (content: string) =>
    `---\nname: sample\ndescription: A sample.\n---\n${actions}\`\`\`json\n${content}\n\`\`\`\n`;
  const inReply = (content: string) => complete('SKILL.md', page(content));

  it('begins with both keys', async () => {
    const completed = await inReply('{‸}');
    expect(labels(completed).slice(0, 2)).toEqual(['state_patch', 'action']);
    expect(completed.accepted('state_patch')).toBe(
      page('{"state_patch": {}, "action": "Store <item> <shelf>"}'),
    );
  });

  it('gets the key that is missing', async () => {
    const completed = await inReply('{"state_patch": {}, ‸}');
    expect(labels(completed)).toEqual(['action']);
    expect(completed.accepted('action')).toBe(page('{"state_patch": {}, "action": "Store <item> <shelf>"}'));
  });

  it('has keys of the state in its patch, but not the environment’s', async () => {
    const completed = await inReply('{"state_patch": {"flag": true, ‸}, "action": "Wait"}');
    expect(labels(completed)).toEqual(['phase', 'count', 'note', 'maybe', 'code', 'tags', 'stock']);
  });

  it('can delete what is optional', async () => {
    expect(labels(await inReply('{"state_patch": {"flag": ‸}, "action": "Wait"}'))).toEqual([
      'true',
      'false',
      'null',
    ]);
    expect(labels(await inReply('{"state_patch": {"phase": ‸}, "action": "Wait"}'))).not.toContain('null');
    expect(labels(await inReply('{"state_patch": {"maybe": "‸"}, "action": "Wait"}'))).toEqual(['null']);
  });

  it('has the declared actions', async () => {
    const completed = await inReply('{"state_patch": {}, "action": "‸"}');
    expect(labels(completed)).toEqual(['Store <item> <shelf>', 'Commit(branch, file)', 'Wait']);
    expect(completed.items.map(({ textEdit }) => textEdit?.newText.replaceAll('$', '§'))).toEqual([
      '"Store §{1:<item>} §{2:<shelf>}"',
      '"Commit(§{1:branch}, §{2:file})"',
      '"Wait"',
    ]);
  });

  it('in a list and in YAML is completed too', async () => {
    const list = await complete(
      'SKILL.md',
      `---\nname: sample\ndescription: A sample.\n---\n${actions}- So:\n\n  \`\`\`json\n  {"state_patch": {"count": 3, "fl‸"}, "action": "Wait"}\n  \`\`\`\n`,
    );
    expect(list.accepted('flag')).toContain(
      '  {"state_patch": {"count": 3, "flag": false}, "action": "Wait"}\n',
    );
    const yaml = await complete(
      'SKILL.md',
      `---\nname: sample\ndescription: A sample.\n---\n${actions}\`\`\`yaml\nstate_patch:\n  ‸\naction: Wait\n\`\`\`\n`,
    );
    expect(labels(yaml)).toContain('flag');
  });

  it('is left to others outside of examples', async () => {
    const { text, position } = cursorIn(page('{"other": ‸}'));
    const workspace = workspaceOf({ 'SKILL.md': text });
    expect(await workspace.service.completion(workspace.uri('SKILL.md'), position)).toEqual([]);
  });
});
