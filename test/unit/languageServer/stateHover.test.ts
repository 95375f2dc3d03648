/** Hover on states and examples: what the schema says of the place. */

import { describe, expect, it } from 'vitest';
import { MarkupContent } from 'vscode-languageserver-types';
import { codeSpan, markdownEscaped } from '../../../server/src/languageService/markdownText';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';
import { marked } from '../schemas/located';

const schema = `type: object
required: [phase]
properties:
  phase: {type: string, enum: [search, done], description: "Where it *stands* <b>now</b>."}
  weather: {type: string, x-writer: environment}
  maybe: {type: [string, 'null']}
  log: {type: array, items: {type: string, maxLength: 9}, maxItems: 5, x-merge: append, x-evict: oldest}
  stock: {type: object, additionalProperties: {$ref: '#/$defs/item'}}
additionalProperties: false
$defs:
  item: {type: string, pattern: '^item_', description: What lies there.}
`;

async function hover(path: string, text: string) {
  const cursor = cursorIn(text);
  const skill = '---\nname: sample\ndescription: A sample.\n---\nDo it.\n';
  const workspace = skillWorkspace({ 'SKILL.md': skill, 'state.schema.yaml': schema, [path]: cursor.text });
  const found = await workspace.service.hover(workspace.uri(path), cursor.position);
  if (found === undefined) return undefined;
  if (!MarkupContent.is(found.contents)) throw new Error('No markup.');
  return { on: found.range && marked(cursor.text, found.range), text: found.contents.value };
}

const inState = (text: string) => hover('state.initial.yaml', text);

describe('hover in an initial state', () => {
  it('says type, description, limits and place, and shows foreign text as it is', async () => {
    expect(await inState('pha‸se: search\n')).toEqual({
      on: 'phase',
      text: '`phase`: `"search" | "done"`\n\nWhere it \\*stands\\* \\<b\\>now\\</b\\>\\.\n\n- One of `"search"`, `"done"`\n- Required: a patch can’t delete it\n\n`state.schema.yaml:4`',
    });
    expect((await inState('phase: sea‸rch\n'))?.on).toBe('search');
  });

  it.each([
    ['weath‸er: rain\n', 'Written by the environment'],
    ['may‸be: a\n', 'null deletes the key'],
    ['lo‸g: []\n', 'appended; beyond 5 the oldest are dropped'],
    ['log: [ab‸c]\n', 'At most `9` characters'],
    ['stock:\n  shelf_1: it‸em_1\n', 'What lies there'],
    ['ot‸her: 1\n', 'not allowed'],
  ])('%j: %s', async (text, expected) => {
    expect((await inState(text))?.text).toContain(expected);
  });

  it('is silent between entries', async () => {
    expect(await inState('phase: search\nstock: {‸ shelf_1: item_1}\n')).toBeUndefined();
  });

  it('works in JSON', async () => {
    expect((await hover('state.initial.json', '{"pha‸se": "done"}'))?.on).toBe('"phase"');
  });
});

describe('hover in an example', () => {
  const page = (content: string) =>
    `---\nname: sample\ndescription: A sample.\n---\n## Actions\n\n- \`Go <there>\`: goes.\n\n\`\`\`json\n${content}\n\`\`\`\n`;

  it.each([
    ['{"state_patch": {"pha‸se": "done"}, "action": "Go home"}', '"phase"', '`phase`: '],
    ['{"state_pa‸tch": {"phase": "done"}, "action": "Go home"}', '"state_patch"', 'JSON Merge Patch'],
    ['{"state_patch": {}, "action": "Go ho‸me"}', '"Go home"', 'declared as `Go <there>` in `SKILL.md:7`'],
    ['{"phase": "do‸ne"}', '"done"', '`phase`: '],
  ])('%s', async (content, on, text) => {
    const found = await hover('SKILL.md', page(content));
    expect(found?.on).toBe(on);
    expect(found?.text).toContain(text);
  });

  it('leaves other blocks alone', async () => {
    expect(await hover('SKILL.md', page('{"oth‸er": 1}'))).toBeUndefined();
  });
});

describe('foreign text in Markdown', () => {
  it('neither formats nor links', () => {
    expect(markdownEscaped('[a](command:x) **b**\n\n- c')).toBe(
      '\\[a\\]\\(command\\:x\\) \\*\\*b\\*\\*  \n  \n\\- c',
    );
    expect(codeSpan('a`b``c\nd')).toBe('``` a`b``c d ```');
  });
});
