/** Outline, folding, selection, formatting, highlighting and links on documents that nobody should write. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DocumentSymbol, Range, SelectionRange } from 'vscode-languageserver-types';
import { LineIndex, type Position } from '../../../schemas/text/position';
import { skillWorkspace } from '../../support/skillWorkspace';
import { filesBelow, sharedFolder } from '../schemas/sharedData';

const skill = '---\nname: sample\ndescription: Test.\n---\nDo it.\n';

/** Asks for everything and checks what editors rely on. */
async function expectSound(path: string, text: string): Promise<void> {
  const { service, uri } = skillWorkspace({ 'SKILL.md': skill, [path]: text });
  const lines = new LineIndex(text);
  const offsets = ({ start, end }: Range) => [lines.offsetAt(start), lines.offsetAt(end)] as const;
  const isExact = (position: Position) => {
    const again = lines.positionAt(lines.offsetAt(position));
    return again.line === position.line && again.character === position.character;
  };

  const expectNested = (symbols: readonly DocumentSymbol[], parent: readonly [number, number]) => {
    for (const { range, selectionRange, children = [] } of symbols) {
      const [start, end] = offsets(range);
      const [selectionStart, selectionEnd] = offsets(selectionRange);
      expect(parent[0] <= start && end <= parent[1]).toBe(true);
      expect(start <= selectionStart && selectionEnd <= end).toBe(true);
      expectNested(children, [start, end]);
    }
  };
  expectNested(await service.documentSymbols(uri(path)), [0, text.length]);

  for (const { startLine, endLine } of await service.foldingRanges(uri(path))) {
    expect(startLine >= 0 && startLine < endLine && endLine < lines.lineCount).toBe(true);
  }

  const positions = Array.from({ length: 20 }, (_, index) =>
    lines.positionAt(Math.floor((text.length * index) / 19)),
  );
  const selections = await service.selectionRanges(uri(path), positions);
  expect(selections).toHaveLength(positions.length);
  for (const selection of selections) {
    for (let at: SelectionRange | undefined = selection; at?.parent !== undefined; at = at.parent) {
      const [[start, end], [outerStart, outerEnd]] = [offsets(at.range), offsets(at.parent.range)];
      expect(outerStart <= start && end <= outerEnd).toBe(true);
    }
  }

  const tokens = await service.semanticTokens(uri(path));
  for (let index = 0; index < tokens.length; index += 5) {
    expect(tokens[index]).toBeGreaterThanOrEqual(0);
    expect(tokens[index + 2]).toBeGreaterThan(0);
  }

  const edits = await service.formatting(uri(path), { tabSize: 2, insertSpaces: true });
  let last = 0;
  for (const { range } of edits) {
    const [start, end] = offsets(range);
    expect(start >= last && start <= end && isExact(range.start) && isExact(range.end)).toBe(true);
    last = end;
  }
  for (const { range } of await service.documentLinks(uri(path))) expect(isExact(range.start)).toBe(true);
}

const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);
const bomb = [
  'a: &a [x, x]',
  ...Array.from('bcdefghijklmnopqrst', (name, index) => {
    const before = String.fromCharCode(97 + index);
    return `${name}: &${name} [*${before}, *${before}, *${before}, *${before}]`;
  }),
].join('\n');
const aliases = [
  'properties:',
  ...Array.from({ length: 1_000 }, (_, index) => `  a${index}: &a${index}\n    type: object`),
  ...Array.from({ length: 1_000 }, (_, index) => `  b${index}: *a${index}`),
].join('\n');

describe.each(['state.schema.yaml', 'state.schema.json', 'state.initial.yaml', 'SKILL.md'])('%s', (path) => {
  test.each<[string, string]>([
    ['10,000 brackets', deep('[', ']')],
    ['10,000 brackets left open', '{"a":['.repeat(10_000)],
    ['10,000 levels', Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['10,000 dashes', `${'- '.repeat(10_000)}x`],
    ['an alias bomb', bomb],
    ['a thousand aliases', aliases],
    ['cyclic references', "$defs:\n  a: {$ref: '#/$defs/b'}\n  b: {$ref: '#/$defs/a'}\n$ref: '#/$defs/a'"],
    ['a reference to itself', '$ref: state.schema.yaml'],
    ['mixed line ends and tabs', 'a:\r  b: 1\r\n\tc: 2\n\r\n  - d\r\r# x\n\t# y\n'],
    ['characters beyond the BMP', '"😀": {"𝒳": "😀 😀"} # 😀\n'],
    ['lone surrogates and NUL', 'a\ud800: \udc00\0\nb: "\ud83d"'],
    ['a byte order mark', '\uFEFFproperties:\n  a: {type: string}\n'],
    [
      'hostile keys',
      '{"__proto__": {"properties": {"__proto__": {}}}, "properties": {"__proto__": {"type": "null"}}}',
    ],
    ['a long line', `properties: {${'a: {type: string}, '.repeat(20_000)}}`],
    ['many colons', `a${': '.repeat(20_000)}`],
    ['many anchors', `a: ${'&x '.repeat(20_000)}|`],
    ['many comments', '  # x\n'.repeat(20_000)],
    ['many blank lines', `a: 1${'\n'.repeat(50_000)}b: 2`],
    ['many backticks', '`'.repeat(20_000)],
    ['many headings', '# x\n\n'.repeat(5_000)],
  ])('%s', async (_name, text) => {
    await expectSound(path, text);
  });
});

const corpus = sharedFolder('skills-corpus');

test.skipIf(corpus === undefined)('public skills', async () => {
  for (const path of filesBelow(corpus, 'SKILL.md'))
    await expectSound('SKILL.md', readFileSync(path, 'utf8'));
});

const suite = sharedFolder('json-schema-test-suite');

test.skipIf(suite === undefined)('the JSON Schema Test Suite, as JSON and as YAML', async () => {
  for (const path of filesBelow(suite && `${suite}/tests/draft2020-12`, '.json')) {
    const text = readFileSync(path, 'utf8');
    await expectSound('state.schema.json', text);
    await expectSound('state.schema.yaml', text);
  }
});

test('10 MB are answered', async () => {
  await expectSound('state.schema.yaml', `properties:\n${'  a: {type: string}\n'.repeat(500_000)}`);
});

test('whatever is typed into a schema', async () => {
  const text =
    "$defs:\n  a: &x\n    type: [string, 'null'] # c\nproperties:\n  b:\n    - |\n      text\n    - {c: *x}\n";
  const pieces = fc.constantFrom(
    '"',
    "'",
    '{',
    ']',
    ':',
    '- ',
    '#',
    '\n',
    '\t',
    '\r\n',
    '|',
    '&a ',
    '*a',
    '😀',
    '---\n',
    '? ',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(text.length), fc.nat(4), pieces), { maxLength: 4 }),
      async (changes) => {
        let changed = text;
        for (const [at, removed, piece] of changes) {
          changed = changed.slice(0, at) + piece + changed.slice(at + removed);
        }
        await expectSound('state.schema.yaml', changed);
      },
    ),
    { numRuns: 300 },
  );
});
