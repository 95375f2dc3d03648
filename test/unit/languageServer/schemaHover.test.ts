import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { keywordMarkdown } from '../../../server/src/languageService/schema/keywordReference';
import type { Settings } from '../../../server/src/languageService/workspace';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const skill = '---\nname: sample\ndescription: A sample.\n---\n\nBody.\n';

interface Options {
  readonly format?: 'yaml' | 'json';
  readonly settings?: Partial<Settings>;
  readonly files?: Readonly<Record<string, string>>;
}

/** The hover at ‸ as Markdown, with the text that it is about. */
async function hover(marked: string, { format = 'yaml', settings = {}, files = {} }: Options = {}) {
  const { text, position } = cursorIn(marked);
  const name = `state.schema.${format}`;
  const workspace = skillWorkspace({ 'SKILL.md': skill, ...files, [name]: text }, { settings });
  const found = await workspace.service.hover(workspace.uri(name), position);
  if (found === undefined) return undefined;
  const { contents, range } = found;
  if (
    typeof contents === 'string' ||
    Array.isArray(contents) ||
    !('kind' in contents) ||
    range === undefined
  ) {
    throw new Error('A hover is Markdown with a range.');
  }
  const line = text.split('\n')[range.start.line] ?? '';
  return { markdown: contents.value, about: line.slice(range.start.character, range.end.character) };
}

describe('hover on a keyword', () => {
  it('says which constrained decoding can not express it as it stands there', async () => {
    const inProperty = (rest: string) =>
      hover(`type: object\nproperties:\n  a:\n    type: string\n    ${rest}\n`);
    expect((await inProperty('max‸Length: 3'))?.markdown).toContain(
      'In constrained decoding: refused by OpenAI strict mode, ignored by Gemini.',
    );
    expect((await inProperty('for‸mat: date'))?.markdown).not.toContain('constrained decoding');
  });

  it('documents it', async () => {
    const found = await hover('type: object\npro‸perties:\n  a:\n    type: string\n');
    expect(found?.about).toBe('properties');
    expect(found?.markdown).toBe(`\`properties\`\n\n${keywordMarkdown('properties', '2020-12')}`);
  });

  it('links the dialect’s specification', async () => {
    const draft07 = '$schema: http://json-schema.org/draft-07/schema#\ntype: object\nrequ‸ired: []\n';
    expect((await hover(draft07))?.markdown).toContain('/draft-07/');
    expect((await hover('type: object\nrequ‸ired: []\n'))?.markdown).toContain('/draft/2020-12/');
  });

  it('leaves JSON’s keywords to an editor that knows them', async () => {
    const settings = { builtInJson: true };
    expect(await hover('{"ty‸pe": "object"}', { format: 'json', settings })).toBeUndefined();
    expect(
      await hover('{"type": "object", "x-‸invariants": []}', { format: 'json', settings }),
    ).toBeDefined();
    expect(await hover('{"ty‸pe": "object"}', { format: 'json' })).toBeDefined();
    expect(await hover('ty‸pe: object\n', { settings })).toBeDefined();
  });

  it('says nothing of what is no keyword', async () => {
    expect(await hover('type: object\nnonsen‸se: 1\n')).toBeUndefined();
    expect(await hover('type: object\ndefault: {ty‸pe: 1}\n')).toBeUndefined();
    expect(await hover('type: object\n# comm‸ent\n')).toBeUndefined();
    expect(await hover('type: obj‸ect\n')).toBeUndefined();
    expect(await hover('__proto‸__: 1\n')).toBeUndefined();
    expect(await hover('type: object\nx-merge: const‸ructor\n')).toBeUndefined();
  });

  it('documents the keys of an invariant', async () => {
    const text = 'type: object\nx-invariants:\n  - express‸ion: "true"\n    message: x\n';
    expect((await hover(text))?.markdown).toContain('CEL');
  });
});

const schema = `type: object
properties:
  log:
    description: What happened.
    type: array
    items:
      $ref: '#/$defs/entry'
    maxItems: 20
    x-merge: append
    x-evict: oldest
    default: []
  position:
    type: object
    x-writer: environment
    properties:
      shelf: {type: string, maxLength: 9}
    required: [shelf]
    additionalProperties: false
  free:
    type: string
required: [log]
$defs:
  entry:
    description: One entry.
    type: string
    maxLength: 80
`;

describe('hover on a property', () => {
  it('tells what follows from all that is said of it', async () => {
    const found = await hover(schema.replace('  log:', '  l‸og:'));
    expect(found?.about).toBe('log');
    expect(found?.markdown).toMatchInlineSnapshot(`
      "\`log\`: \`array of entry ≤ 20\`

      What happened\\.

      - At most \`20\` items
      - Default \`[]\`
      - Required: a patch that deletes it is rejected
      - In the initial state: \`[]\`
      - A patch’s items are added at the end; beyond 20 the oldest are dropped
      - Size: \`≤ 9.7 kB\`"
    `);
  });

  it('tells who writes it', async () => {
    const found = await hover(schema.replace('shelf: {', 'shel‸f: {'));
    expect(found?.markdown).toMatchInlineSnapshot(`
      "\`position.shelf\`: \`string ≤ 9\`

      - At most \`9\` characters
      - Required: a patch that deletes it is rejected
      - Not in the initial state
      - Written by the environment; a model’s patch to it is rejected
      - Size: \`≤ 56 B\`"
    `);
  });

  it('tells what makes it unbounded', async () => {
    expect((await hover(schema.replace('  free:', '  fr‸ee:')))?.markdown).toMatch(/Size: `.*unbounded/);
  });

  it('tells the value that the initial state has', async () => {
    const files = { 'state.initial.yaml': 'log: [begun]\nposition: {shelf: s1}\n' };
    expect((await hover(schema.replace('  log:', '  l‸og:'), { files }))?.markdown).toContain(
      'In the initial state: `["begun"]`',
    );
  });

  it('is the same on a reference to it, and on its name in required', async () => {
    const definition = await hover(schema.replace('  entry:', '  ent‸ry:'));
    const reference = await hover(schema.replace('$defs/entry', '$defs/ent‸ry'));
    expect(definition?.markdown).toContain('One entry');
    expect(reference?.markdown).toBe(definition?.markdown);
    const named = await hover(schema.replace('required: [log', 'required: [l‸og'));
    expect(named?.markdown).toBe((await hover(schema.replace('  log:', '  l‸og:')))?.markdown);
  });

  it('takes type and description from what it refers to', async () => {
    const found = await hover(
      "type: object\nproperties:\n  fir‸st: {$ref: '#/$defs/e'}\n$defs:\n  e: {type: string, description: An e., maxLength: 4}\n",
    );
    expect(found?.markdown).toContain('`string ≤ 4`');
    expect(found?.markdown).toContain('An e');
  });

  it('follows a reference into another file', async () => {
    const files = {
      'parts/items.yaml': '$defs:\n  item: {type: string, description: An item., maxLength: 7}\n',
    };
    const text = "type: object\nproperties:\n  a: {$ref: 'parts/items.ya‸ml#/$defs/item'}\n";
    const found = await hover(text, { files });
    expect(found?.markdown).toMatch(/^`parts\/items\.yaml#\/\$defs\/item`: `string ≤ 7`\n\nAn item/);
    const field = await hover("type: object\nproperties:\n  a‸: {$ref: 'parts/items.yaml#/$defs/item'}\n", {
      files,
    });
    expect(field?.markdown).toContain('`a`: `string ≤ 7`');
  });

  it('ends where references go round', async () => {
    const text =
      "type: object\nproperties:\n  a‸: {$ref: '#/$defs/b'}\n$defs:\n  b: {$ref: '#/$defs/c'}\n  c: {$ref: '#/$defs/b'}\n";
    expect((await hover(text))?.markdown).toContain('`a`');
    expect(await hover("type: object\nproperties:\n  a: {$ref: '#/$de‸fs/none'}\n")).toBeUndefined();
  });

  it('shows nothing of the user’s as markup', async () => {
    const hostile =
      '[click](command:workbench.action.quit) <img src=x onerror=y> **bold** ![i](http://x) https://x.y `a` $(bug)';
    const text = [
      'type: object',
      'properties:',
      `  "na‸me\`[x](command:y)\`":`,
      '    type: string',
      `    description: ${JSON.stringify(hostile)}`,
      `    pattern: ${JSON.stringify(`^\`[x](command:y)\``)}`,
      `    default: ${JSON.stringify(hostile)}`,
    ].join('\n');
    const found = await hover(text);
    const html = new MarkdownIt({ html: true, linkify: true }).render(found?.markdown ?? '');
    expect(html).not.toMatch(/<(?:a|img|strong|em)\b/);
    expect(html).toContain('[click](command:workbench.action.quit)');
  });
});

describe('hover on a value', () => {
  it.each([
    ['x-merge: app‸end', 'added at the end'],
    ['x-evict: old‸est', 'dropped'],
    ['x-writer: environ‸ment', 'rejected'],
    ['format: date-‸time', '2026-01-31T12:00:00Z'],
  ])('%j tells what it means', async (line, meaning) => {
    const found = await hover(
      `type: object\nproperties:\n  a:\n    type: array\n    maxItems: 3\n    ${line}\n`,
    );
    expect(found?.markdown).toContain(meaning);
  });
});
