/** Plain YAML is read by a short way; it has to give what the long way gives. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Parser, stringify } from 'yaml';
import { plainTree } from '../../../schemas/text/plainYaml';
import { parseYamlByComposer, parseYamlDocument } from '../../../schemas/text/yamlDocument';
import { jsonTrees, yamlStyles } from '../../support/yamlTexts';
import { filesBelow, sharedFolder } from './sharedData';

/** True where the short way is taken. */
function isPlain(text: string): boolean {
  return plainTree([...new Parser().parse(text)], text, 0) !== undefined;
}

function expectSame(text: string): void {
  const { root, problems } = parseYamlDocument(text);
  const found = { root, problems: problems.filter(({ kind }) => kind !== 'nul-character') };
  expect(found, JSON.stringify(text)).toEqual(parseYamlByComposer(text));
}

describe('the short way', () => {
  test.each([
    'a: 1',
    '# before\na: 1 # behind\n\n# between\nb:\n  - x\n  -\n  - y: z\n    w: [1, {a: b}]\n# after\n',
    'a:\n- 1\n- 2\nb: |\n  text\n   more\n\nc: >-\n  folded\n  text\nd: "two\n  lines"\ne: plain\n  goes on\n',
    'type: object\r\nproperties:\r\n  a: {type: string, maxLength: 3}\r\n',
    'a: # nothing\nb: ~\nc: -1\nd: 1.5\ne: +x\nf: 2020-12\n"g h": i\n',
    '- - a\n  - b\n-\n  c: d\n',
    '[a, [b], {c: d}]',
    '😀: "\\u00e9😀"\n',
  ])('is taken for %j', (text) => {
    expect(isPlain(text)).toBe(true);
    expectSame(text);
  });
  test.each([
    'a: &b c\nd: *b\n',
    'a: !!str 1\n',
    '---\na: 1\n',
    'a: 1\n---\nb: 2\n',
    'a: 1\na: 2\n',
    '<<: 1\n',
    'a: 1e3\n',
    'a: 0x1f\n',
    'a: .inf\n',
    'a: [1, 2\n',
    'a: b: c\n',
    '\ta: 1\n',
    'a:\n\tb: 1\n',
    'a:\n - 1\n  - 2\n',
    'a: 1\n b: 2\n',
    '? a\n: b\n',
    'a\n',
    'a: "x" y\n',
    '[a, b, ]',
    '[a: b]',
    '{a}',
    '{a: }',
    'a: x #c\n  y\n',
    'a: "b"#c\n',
    'a: @b\n',
    "a: 'b\n",
    '',
    '# only\n',
  ])('gives the same for %j', (text) => expectSame(text));

  const tree = jsonTrees({
    keys: ['<<', '~', '__proto__'],
    texts: ['-0', '1e5', '0o7', '.5', '+1', '1.', 'yes', '1.50', '-17', '9007199254740993'],
  });
  const written = fc
    .tuple(tree, yamlStyles)
    .map(([value, { lineEnd, ...style }]) => stringify(value, style).replaceAll('\n', lineEnd));
  const pieces = [
    '#',
    ' #',
    ': ',
    ':',
    '- ',
    '-',
    '\n',
    '\n  ',
    ' ',
    '\t',
    '\r',
    '"',
    "'",
    ',',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '!t ',
    '|\n',
    '>\n',
    '? ',
    '---\n',
    '...\n',
    '%',
    '@',
    '~',
    '😀',
    '\uFEFF',
    '\0',
    'a',
    'a: b\n',
    '# c\n',
  ];
  const edited = fc
    .tuple(
      written,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pieces), fc.nat({ max: 3 })), { maxLength: 4 }),
    )
    .map(([text, edits]) =>
      edits.reduce((now, [at, piece, cut]) => {
        const place = at % (now.length + 1);
        return now.slice(0, place) + piece + now.slice(place + cut);
      }, text),
    );
  const soup = fc
    .array(fc.constantFrom(...pieces, 'b', 'x y', '1', 'null'), { maxLength: 14 })
    .map((parts) => parts.join(''));

  test('gives the same for documents of every style, and takes most of them', () => {
    let plain = 0;
    fc.assert(
      fc.property(written, (text) => {
        if (isPlain(text)) plain++;
        expectSame(text);
      }),
      { numRuns: 2_000 },
    );
    expect(plain).toBeGreaterThan(600);
  });
  test('gives the same for documents with something put in', () => {
    fc.assert(fc.property(edited, expectSame), { numRuns: 6_000 });
  });
  test('gives the same for any characters of YAML', () => {
    fc.assert(fc.property(soup, expectSame), { numRuns: 10_000 });
  });
});

const data = sharedFolder('json-schema-test-suite');

describe.skipIf(data === undefined)('the short way, on public data', () => {
  test('gives the same for the JSON Schema Test Suite as YAML', () => {
    for (const path of filesBelow(data, '.json')) {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      expectSame(stringify(value, { aliasDuplicateObjects: false }));
    }
  });
});

test('is worth it: the samples take it', () => {
  const text = readFileSync('samples/warehouse/state.schema.yaml', 'utf8');
  expect(isPlain(text)).toBe(true);
});
