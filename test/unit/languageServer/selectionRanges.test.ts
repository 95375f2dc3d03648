import { describe, expect, test } from 'vitest';
import type { SelectionRange } from 'vscode-languageserver-types';
import { LineIndex } from '../../../schemas/text/position';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

/** What is selected at the cursor, step by step; every range lies in the next. */
async function selected(path: string, marked: string): Promise<string[]> {
  const { text, position } = cursorIn(marked);
  const { service, uri } = skillWorkspace({ [path]: text });
  const ranges = await service.selectionRanges(uri(path), [position]);
  expect(ranges).toHaveLength(1);
  const lines = new LineIndex(text);
  const texts: string[] = [];
  let inner: { start: number; end: number } | undefined;
  for (let range: SelectionRange | undefined = ranges[0]; range !== undefined; range = range.parent) {
    const [start, end] = [lines.offsetAt(range.range.start), lines.offsetAt(range.range.end)];
    if (inner !== undefined) {
      expect(start <= inner.start && end >= inner.end, 'ranges nest').toBe(true);
      expect(end - start).toBeGreaterThan(inner.end - inner.start);
    }
    inner = { start, end };
    texts.push(text.slice(start, end));
  }
  expect(texts.at(-1)).toBe(text);
  return texts;
}

describe('expanding a selection in YAML', () => {
  test('from a key', async () => {
    const text = 'a:\n  x-m‸erge: union\n  type: array\nb: 1\n';
    expect(await selected('state.schema.yaml', text)).toEqual([
      'merge',
      'x-merge',
      'x-merge: union',
      'x-merge: union\n  type: array',
      'a:\n  x-merge: union\n  type: array',
      'a:\n  x-merge: union\n  type: array\nb: 1',
      'a:\n  x-merge: union\n  type: array\nb: 1\n',
    ]);
  });
  test('from a value in quotes and brackets', async () => {
    expect(await selected('state.schema.yaml', 'a: [ "one t‸wo", 3 ]')).toEqual([
      'two',
      'one two',
      '"one two"',
      '"one two", 3',
      '[ "one two", 3 ]',
      'a: [ "one two", 3 ]',
    ]);
  });
  test('from a comment', async () => {
    expect(await selected('state.schema.yaml', 'a:\n  # about b‸\n  b: 1\n')).toEqual([
      'b',
      '# about b',
      'a:\n  # about b\n  b: 1',
      'a:\n  # about b\n  b: 1\n',
    ]);
  });
  test('from an alias', async () => {
    const found = await selected('state.initial.yaml', 'a: &x {b: 1}\nc: *‸x\nd: 2');
    expect(found.slice(0, 4)).toEqual(['x', '*x', 'c: *x', 'a: &x {b: 1}\nc: *x\nd: 2']);
  });
});

test('expanding a selection in JSON', async () => {
  expect(await selected('state.schema.json', '{"a": {"b‸": true}}')).toEqual([
    'b',
    '"b"',
    '"b": true',
    '{"b": true}',
    '"a": {"b": true}',
    '{"a": {"b": true}}',
  ]);
});

describe('expanding a selection in SKILL.md', () => {
  const skill = '---\nname: sample\ndescription: Some te‸xt.\n---\n# One\n\nText.\n';
  test('in the front matter', async () => {
    expect(await selected('SKILL.md', skill)).toEqual([
      'text',
      'text.',
      'Some text.',
      'description: Some text.',
      'name: sample\ndescription: Some text.',
      '---\nname: sample\ndescription: Some text.\n---',
      skill.replace('‸', ''),
    ]);
  });
  test('in the body', async () => {
    const body = '# One\n\nText.\n\n## Two\n\n- Use `Store <item‸_id>` now,\n  or later.\n- b\n\n# Three\n';
    expect((await selected('SKILL.md', body)).slice(0, 9)).toEqual([
      'item_id',
      'Store <item_id>',
      '`Store <item_id>`',
      '- Use `Store <item_id>` now,',
      '- Use `Store <item_id>` now,\n  or later.',
      '- Use `Store <item_id>` now,\n  or later.\n- b',
      '## Two\n\n- Use `Store <item_id>` now,\n  or later.\n- b',
      '# One\n\nText.\n\n## Two\n\n- Use `Store <item_id>` now,\n  or later.\n- b',
      '# One\n\nText.\n\n## Two\n\n- Use `Store <item_id>` now,\n  or later.\n- b\n\n# Three',
    ]);
  });
  test('in a fenced block', async () => {
    expect((await selected('SKILL.md', 'a\n\n```json\n{"a‸": 1,\n"b": 2}\n```\n')).slice(0, 4)).toEqual([
      'a',
      '{"a": 1,',
      '{"a": 1,\n"b": 2}',
      '```json\n{"a": 1,\n"b": 2}\n```',
    ]);
  });
});

test.each([
  ['state.schema.yaml', 'a: [\r\n'],
  ['state.schema.yaml', ''],
  ['state.schema.json', '{"😀": '],
  ['SKILL.md', '---\nname: x'],
  ['SKILL.md', ''],
])('every position of %s %j has a result', async (path, text) => {
  const { service, uri } = skillWorkspace({ [path]: text });
  const lines = new LineIndex(text);
  const positions = [
    ...Array.from({ length: text.length + 1 }, (_, offset) => lines.positionAt(offset)),
    { line: 0, character: 900 },
    { line: 900, character: 0 },
  ];
  const ranges = await service.selectionRanges(uri(path), positions);
  expect(ranges).toHaveLength(positions.length);
  for (const { range } of ranges) expect(lines.offsetAt(range.start)).toBeLessThanOrEqual(text.length);
});

test.each([
  ['state.schema.yaml', 'a: "b 😀'],
  ['state.schema.yaml', 'a: [b, 😀'],
  ['state.schema.yaml', '{"😀'],
  ['state.schema.yaml', `${'😀'.repeat(600)} 😀: ${'b😀'.repeat(600)}`],
  ['state.schema.json', '{"a": "😀'],
  ['state.schema.json', '["😀", 😀'],
  ['SKILL.md', '---\nname: "😀'],
  ['SKILL.md', `---\nname: x\n---\n${'😀'.repeat(600)}\`a${'😀'.repeat(600)}\``],
])('characters of %s stay whole (text %#)', async (path, text) => {
  const { service, uri } = skillWorkspace({ [path]: text });
  const lines = new LineIndex(text);
  const isWithin = (offset: number) => (text.codePointAt(offset - 1) ?? 0) > 0xffff;
  const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset).filter(
    (offset) => !isWithin(offset),
  );
  const found = await service.selectionRanges(
    uri(path),
    offsets.map((offset) => lines.positionAt(offset)),
  );
  const split: unknown[] = [];
  for (const one of found) {
    for (let range: SelectionRange | undefined = one; range !== undefined; range = range.parent) {
      const { start, end } = range.range;
      if (isWithin(lines.offsetAt(start)) || isWithin(lines.offsetAt(end))) split.push(range.range);
    }
  }
  expect(split).toEqual([]);
});

test.each([
  ['state.schema.yaml', 'a: "one t‸wo', '"one two'],
  ['state.schema.json', '{"a": [1, 2‸', '[1, 2'],
])('what is still open in %s loses no character: %j', async (path, marked, whole) => {
  const found = await selected(path, marked);
  expect(found).toContain(whole);
  expect(found).not.toContain(whole.slice(1, -1));
});
