import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../server/src/languageService/workspace';
import { skillWorkspace } from '../../support/skillWorkspace';

/** `2-5 key: |` for each range: its lines and what its first one says. */
async function folds(path: string, text: string, settings: Partial<Settings> = {}, others = {}) {
  const { service, uri } = skillWorkspace({ ...others, [path]: text }, { settings });
  const lines = text.split(/\r\n?|\n/);
  const ranges = [...(await service.foldingRanges(uri(path)))];
  for (const { startLine, endLine } of ranges) {
    expect(endLine).toBeGreaterThan(startLine);
    expect(endLine).toBeLessThan(lines.length);
  }
  return ranges
    .sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine)
    .map(
      ({ startLine, endLine, kind }) =>
        `${startLine}-${endLine} ${lines[startLine]?.trim()}${kind === undefined ? '' : ` (${kind})`}`,
    );
}

describe('folding YAML', () => {
  test('mappings, lists, block texts and comments', async () => {
    const text = `# one
# two

# region all
type: object
required:
- a
- b
properties:
  a:
    description: |
      # no comment

      text
    type: string

  b:
    enum: [
      x,
    ]
  # three
  # four
  c:
    anyOf:
      - type: string
        maxLength: 2
      - type: 'null'
# endregion
`;
    expect(await folds('state.schema.yaml', text)).toEqual([
      '0-1 # one (comment)',
      '3-27 # region all (region)',
      '5-7 required:',
      '8-26 properties:',
      '9-14 a:',
      '10-13 description: |',
      '16-19 b:',
      '17-18 enum: [',
      '20-21 # three (comment)',
      '22-26 c:',
      '23-26 anyOf:',
      '24-25 - type: string',
    ]);
  });

  test.each(['\n', '\r\n', '\r'])('a text that does not parse, with %j', async (end) => {
    const text = ['a:', '  b: [1', '  c: {', '   x', 'd:', '\te', '\tf: "'].join(end);
    expect(await folds('state.schema.yaml', text)).toEqual(['0-3 a:', '2-3 c: {', '4-6 d:']);
  });

  test('texts in lists end where their item does', async () => {
    const text =
      'a:\n- b: |\n    # text\n    # text\n  # comment\n  # comment\n  c: 1\n- >\n  # text\n  # text\n';
    expect(await folds('state.initial.yaml', text)).toEqual([
      '0-9 a:',
      '1-6 - b: |',
      '4-5 # comment (comment)',
      '7-9 - >',
    ]);
  });

  test('nothing in an empty text', async () => {
    expect(await folds('state.schema.yaml', '')).toEqual([]);
  });
});

test('folding JSON leaves the closing bracket visible, and takes broken text as it is', async () => {
  const text = '{\n  "a": {\n    "b": [\n      1\n    ]\n  },\n  "c": {}}\n]';
  expect(await folds('state.schema.json', text)).toEqual(['0-5 {', '1-4 "a": {', '2-3 "b": [']);
});

test.each([
  ['"\\""', true],
  ['"\\\\"', true],
  ['"[ \\u005b ["', true],
  ['"open \\', false],
  ['"open', false],
])('brackets of JSON in the text %s count for nothing', async (written, isClosed) => {
  const text = `[\n${written}${isClosed ? '' : ' ['}\n,\n[\n1\n]\n]`;
  expect(await folds('state.schema.json', text)).toEqual(['0-5 [', '3-4 [']);
});

test('folding takes JSON texts of any length', async () => {
  const text = `{\n"description": "${'x[\\n'.repeat(2_500_000)}"\n}`;
  expect(await folds('state.schema.json', text)).toEqual(['0-1 {']);
});

describe('folding Markdown', () => {
  const skill = `---
name: sample
description: >
  Long
  text.
metadata:
  environment: manual
  include: more.md
---
# One

Text.

## Two

- item
  more

\`\`\`json
{}
\`\`\`

# Three
<!-- #region -->
> a
> b
<!-- #endregion -->
`;
  const frontMatter = ['0-8 ---', '2-4 description: >', '5-7 metadata:'];

  test('front matter, sections, lists and code', async () => {
    expect(await folds('SKILL.md', skill)).toEqual([
      ...frontMatter,
      '9-20 # One',
      '13-20 ## Two',
      '15-16 - item',
      '18-20 ```json',
      '22-26 # Three',
      '23-26 <!-- #region --> (region)',
      '24-25 > a',
    ]);
  });
  test('only the front matter where the editor folds Markdown itself', async () => {
    expect(await folds('SKILL.md', skill, { builtInSkill: true })).toEqual(frontMatter);
  });
  test('included files', async () => {
    expect(await folds('more.md', '# A\n\ntext\n', {}, { 'SKILL.md': skill })).toEqual(['0-2 # A']);
  });
});
