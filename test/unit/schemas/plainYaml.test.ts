/** Plain YAML is read by a short way; it has to give what the long way gives. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { plainTree } from '../../../schemas/text/plainYaml';
import type { SourceNode } from '../../../schemas/text/sourceTree';
import { parseYamlByComposer, parseYamlDocument } from '../../../schemas/text/yamlDocument';
import { jsonTrees, yamlStyles } from '../../support/yamlTexts';
import { filesBelow, sharedFolder } from './sharedData';

/** True where the short way is taken. */
function isPlain(text: string): boolean {
  return plainTree(text, 0) !== undefined;
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
    'a: |\r\n  b\r\n\r\n   c\r\nd: >-\r\n  e\r\n  f\r\n',
    'a:\n  b:\n    - c\n    # in the list\n  # in the map\n# outside\nd:\n- e: f\n # in the list\ng: h\n',
    'a:\n  b: # of nothing\n      # of nothing too\nc:\n- d\n-\n  # of nothing\ne:\n# at the end',
    '---\na: [\n  b,\n  { c: d,\n\n    e: f },\n]\ng: {\n  h: i\n  } # j\n',
    'a: &x b\nc: *x\nd: &x\n  - e\nf: &y-1 |\n  g\nh:\n- *x # i\n- &z {j: k}\n- *z\n',
    "'it''s': \"a: b\" # c\nx: -y\n",
  ])('is taken for %j', (text) => {
    expect(isPlain(text)).toBe(true);
    expectSame(text);
  });
  test.each([
    'a: *b\n',
    'a: &b\n',
    'a: &b\nc: *b\n',
    'a: &b\n  c: *b\n',
    'a: &b\n- c\n',
    'a: &b &c d\n',
    'a: &b c\nd: &e *b\n',
    'a: &b c: d\n',
    '- &a b: c\n',
    '- &a - b\n',
    '&a b: c\n*a : d\n',
    '&a\nb: c\n',
    'a: &b c\nd: [*b]\n',
    'a: &b.c d\ne: *b.c\n',
    'a: &b c\nd: *b:\n',
    'a: &b c\nd: *b e\n',
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
    'a: -\n',
    'a: - b\n',
    '# c\n\uFEFFa: 1\n',
    'a:\n- b\n  # c\nd: e\n',
    'a:\n  b: c\n    # d\ne: f\n',
    'a: |\n   \n  b\n',
    'a: |\n  b\n   \nc: d\n',
    'a: |\n',
    'a: "b\nc"\n',
    'a: b\n  # c\n  d\n',
    'a: {b: c\n  }\n',
    'a: [b, # c\n  d]\n',
    '{"a":1}',
    '--- # a\nb: c\n',
    '--- a\n',
    'a:\n  - [b,\n  c]\n',
    'a:\n  b: [c\n ]\n',
    'a: [b\n  c]\n',
    'a: [,]\n',
    'a: {b\n  : c}\n',
    'a: ["b\n  c"]\n',
    '[a:]',
    '[a #b]',
    'a: ...\n...\n',
    'a:\n  b: 1\n c: 2\n',
    '- a\nb: c\n',
    'a: b\n- c\n',
    '',
    '# only\n',
  ])('gives the same for %j', (text) => expectSame(text));

  test('adds the offset of the text to every place', () => {
    const text = 'a: b\nc:\n  - d\n  - {e: [f, "g"]} # h\n  -\ni: &j |\n  k\nl: *j\nm: n\n  o\n';
    const shifted = parseYamlDocument(text, { offset: 10 }).root;
    const { root } = parseYamlDocument(text);
    const places = (node: SourceNode | undefined, less: number): unknown => ({
      place: node && [node.start - less, node.end - less],
      items: node?.items?.map((item) => places(item, less)),
      properties: [...(node?.properties ?? [])].map(([name, { keyStart, keyEnd, node: value }]) => [
        name,
        keyStart - less,
        keyEnd - less,
        places(value, less),
      ]),
    });
    expect(isPlain(text)).toBe(true);
    expect(places(shifted, 10)).toEqual(places(root, 0));
  });

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
  const column = fc.nat({ max: 9 }).map((width) => ' '.repeat(width));
  const lineEdit = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(column, fc.constantFrom('# c', '# c', '')).map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(column, fc.constantFrom('-', '- a', 'b:', 'c: d', 'e: &a', '- &a f', '- *a', 'g: *a'))
        .map((parts) => parts.join('')),
    },
    // Moves the line there instead.
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  /** Lines put between others, which tell what belongs to what. */
  const interspersed = fc
    .tuple(written, fc.array(fc.tuple(fc.nat(), lineEdit), { minLength: 1, maxLength: 5 }))
    .map(([text, edits]) => {
      const lines = text.split('\n');
      for (const [at, line] of edits) {
        const index = at % (lines.length + 1);
        if (line === undefined) lines[index] = ` ${lines[index] ?? ''}`;
        else lines.splice(index, 0, line);
      }
      return lines.join('\n');
    });
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
  test('gives the same for documents with lines put in, and takes most of them', () => {
    let plain = 0;
    fc.assert(
      fc.property(interspersed, (text) => {
        if (isPlain(text)) plain++;
        expectSame(text);
      }),
      { numRuns: 6_000 },
    );
    expect(plain).toBeGreaterThan(1_200);
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
