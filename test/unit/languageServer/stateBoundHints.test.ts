/** The bound of Σ as inlay hints and code lenses. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { InlayHint } from 'vscode-languageserver-types';
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { LineIndex } from '../../../schemas/text/position';
import type { Settings } from '../../../server/src/languageService/workspace';
import { skillWorkspace } from '../../support/skillWorkspace';

const skill = '---\nname: sample\ndescription: A sample.\n---\n';

function service(text: string, path = 'state.schema.yaml', settings: Partial<Settings> = {}) {
  const workspace = skillWorkspace({ 'SKILL.md': skill, [path]: text }, { settings });
  return { service: workspace.service, uri: workspace.uri(path) };
}

const everything = { start: { line: 0, character: 0 }, end: { line: 10_000, character: 0 } };

/** The text with each hint where it is shown, in brackets. */
function shown(text: string, hints: readonly InlayHint[]): string {
  const lines = new LineIndex(text);
  return [...hints]
    .map(({ position, label }) => ({ offset: lines.offsetAt(position), label }))
    .sort((a, b) => b.offset - a.offset)
    .reduce(
      (all, { offset, label }) => `${all.slice(0, offset)} [${String(label)}]${all.slice(offset)}`,
      text,
    );
}

const small = `type: object # the root
properties:
  name:
    type: string
    pattern: ^[a-z]+$
    maxLength: 8
  flags: { type: array, maxItems: 2, items: { type: boolean } } # two
  notes:
    type: array
    maxItems: 3
    items: { type: string }
additionalProperties: false
`;

describe('inlay hints', () => {
  test('show the bound of the whole behind the type, not behind a long first line', async () => {
    const text = `$schema: https://json-schema.org/draft/2020-12/schema\n${small}`;
    const { service: languageService, uri } = service(text);
    const [first] = await languageService.inlayHints(uri, everything);
    expect(first?.position).toEqual({ line: 1, character: 'type: object # the root'.length });
  });

  test('on the root of a file that others refer to, as the value that it describes', async () => {
    const text = 'description: A word.\ntype: string\nmaxLength: 3\npattern: ^[a-z]*$\n';
    const definitions = 'title: Words\n$defs:\n  word: { type: string }\n';
    const root =
      'type: object\nadditionalProperties: false\nproperties:\n  a: { $ref: word.yaml }\n  b: { $ref: words.yaml#/$defs/word }\n';
    const workspace = skillWorkspace({
      'SKILL.md': skill,
      'state.schema.yaml': root,
      'word.yaml': text,
      'words.yaml': definitions,
    });
    const hintsOf = (path: string) => workspace.service.inlayHints(workspace.uri(path), everything);
    expect((await hintsOf('word.yaml')).map(({ label }) => label)).toEqual(['≤ 5 B, ≈ 3 tokens']);
    expect(await hintsOf('words.yaml')).toEqual([]);
  });

  test('on the root and on each field', async () => {
    const { service: languageService, uri } = service(small);
    const text = shown(small, await languageService.inlayHints(uri, everything));
    expect(text).toBe(`type: object # the root [unbounded: notes[] needs maxLength]
properties:
  name: [≤ 10 B, ≈ 6 tokens]
    type: string
    pattern: ^[a-z]+$
    maxLength: 8
  flags: { type: array, maxItems: 2, items: { type: boolean } } # two [≤ 13 B, ≈ 5 tokens]
  notes: [unbounded: notes[] needs maxLength]
    type: array
    maxItems: 3
    items: { type: string }
additionalProperties: false
`);
  });

  test('only within the range', async () => {
    const { service: languageService, uri } = service(small);
    const range = { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } };
    const hints = await languageService.inlayHints(uri, range);
    expect(hints.map(({ position }) => position)).toEqual([{ line: 2, character: 7 }]);
  });

  test('of the warehouse, with what takes most', async () => {
    const text = readFileSync(
      new URL('../../../samples/warehouse/state.schema.yaml', import.meta.url),
      'utf8',
    );
    const { service: languageService, uri } = service(text);
    const [root, ...fields] = await languageService.inlayHints(uri, everything);
    expect(root?.label).toMatch(/^≤ 19\.4 kB, ≈ \d+,\d00 tokens \(inventory 99 %\)$/);
    expect(fields.map(({ label }) => label)).toEqual([
      expect.stringMatching(/^≤ 19\.4 kB, ≈ \d+,\d00 tokens$/),
      expect.stringMatching(/^≤ 26 B, ≈ \d+ tokens$/),
    ]);
    expect(root?.tooltip).toMatchObject({
      kind: 'markdown',
      value: expect.stringContaining('`inventory`: 19.4 kB (99 %)'),
    });
  });

  test('tokens are near those of a full state', async () => {
    const text = readFileSync(
      new URL('../../../samples/warehouse/state.schema.yaml', import.meta.url),
      'utf8',
    );
    const { service: languageService, uri } = service(text);
    const [root] = await languageService.inlayHints(uri, everything);
    const estimated = Number(/≈ ([\d,]+)/.exec(String(root?.label))?.[1]?.replace(',', ''));
    const inventory = Object.fromEntries(
      Array.from({ length: 500 }, (_, shelf) => [
        `shelf_${shelf}`,
        `item_${String(shelf * 7919 + 1e18).slice(0, 19)}`,
      ]),
    );
    const counted = (await loadTokenizer()).count(JSON.stringify({ inventory }));
    expect(estimated / counted).toBeGreaterThan(0.8);
    expect(estimated / counted).toBeLessThan(1.25);
  });

  test('an unbounded state says what the rest takes', async () => {
    const { service: languageService, uri } = service(small);
    const [root] = await languageService.inlayHints(uri, everything);
    const rest = JSON.stringify({ name: 'a'.repeat(8), flags: [false, false], notes: ['', '', ''] }).length;
    expect(root?.tooltip).toMatchObject({ value: expect.stringContaining(`at most **${rest} B**`) });
  });

  test('several on one line stand at their keys', async () => {
    const text =
      '{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"additionalProperties":false}';
    const { service: languageService, uri } = service(text, 'state.schema.json');
    expect(shown(text, await languageService.inlayHints(uri, everything))).toBe(
      '{"type":"object","properties":{"a" [≤ 4 B, ≈ 1 token]:{"type":"null"},"b" [≤ 4 B, ≈ 1 token]:{"type":"null"}},"additionalProperties":false} [≤ 19 B, ≈ 10 tokens (a 47 %)]',
    );
  });

  test('none for a schema with errors, for one that is empty, and where they are off', async () => {
    for (const text of ['type: objekt\nproperties: { a: true }\n', '', '[]', 'a: {']) {
      const { service: languageService, uri } = service(text);
      expect(await languageService.inlayHints(uri, everything)).toEqual([]);
    }
    const { service: languageService, uri } = service(small, 'state.schema.yaml', { stateBound: 'off' });
    expect(await languageService.inlayHints(uri, everything)).toEqual([]);
  });
});

test('code lenses have the same texts and no command', async () => {
  const { service: languageService, uri } = service(small, 'state.schema.yaml', { stateBound: 'codeLenses' });
  const lenses = await languageService.codeLenses(uri);
  expect(lenses.map(({ command }) => command)).toEqual([
    { title: 'unbounded: notes[] needs maxLength', command: '' },
    { title: '≤ 10 B, ≈ 6 tokens', command: '' },
    { title: '≤ 13 B, ≈ 5 tokens', command: '' },
    { title: 'unbounded: notes[] needs maxLength', command: '' },
  ]);
});
