/** Which fenced blocks of a skill's instructions show something of a run, and where they stand. */
import { describe, expect, it } from 'vitest';
import { type Page, pageOf } from '../../../server/src/languageService/documents';
import { SkillModels } from '../../../server/src/languageService/skillModels';
import {
  exampleBlocks,
  isPlaceholder,
  typedBlockAt,
} from '../../../server/src/languageService/state/exampleBlocks';
import { cursorIn, skillWorkspace } from '../../support/skillWorkspace';

const schema = 'type: object\nproperties:\n  phase: {type: string}\n  count: {type: integer}\n';
const head = '---\nname: sample\ndescription: A sample.\n---\nDo it.\n\n';

async function pageWith(body: string, schemaText: string | undefined = schema) {
  const workspace = skillWorkspace({
    'SKILL.md': head + body,
    ...(schemaText === '' ? {} : { 'state.schema.yaml': schemaText }),
  });
  const models = new SkillModels(workspace.workspace);
  const located = await models.locate(workspace.uri('SKILL.md'));
  const page: Page | undefined = located && pageOf(located, models);
  if (page?.kind !== 'skill') throw new Error('No skill.');
  return page;
}

/** Each as `kind format «content»`. */
async function blocksOf(body: string, schemaText?: string): Promise<string[]> {
  const page = await pageWith(body, schemaText);
  return exampleBlocks(page).map(({ kind, format, start, end, text, isCounterexample }) => {
    expect(text).toHaveLength(end - start);
    return `${isCounterexample ? 'no ' : ''}${kind} ${format} «${page.text.slice(start, end).trim()}»`;
  });
}

const fence = (content: string, info = 'json') => `\`\`\`${info}\n${content}\n\`\`\`\n`;

describe('what a block shows', () => {
  it.each([
    ['{"state_patch": {}, "action": "a"}', 'json', 'reply'],
    ['{"state_patch": {}}', 'JSON', 'reply'],
    ['{"state_patch": {}}', '', 'reply'],
    ['{"state_patch": {...}, "action": <action>}', 'json', 'reply'],
    ['state_patch: {}\naction: a', 'yaml', 'reply'],
    ['{"phase": "a"}', 'json', 'fragment'],
    ['{"phase": "a", "count": 1}', 'jsonc', 'fragment'],
    ['phase: a', 'yml', 'fragment'],
    ['{"phase": "a"}', 'json state', 'state'],
    ['{"other": "a"}', 'json patch', 'patch'],
    ['{"other": "a"}', 'json state_patch', 'patch'],
    ['{"other": "a"}', 'json reply', 'reply'],
  ])('%s as %j is a %s', async (content, info, kind) => {
    const format = info.startsWith('y') ? 'yaml' : 'json';
    expect(await blocksOf(fence(content, info))).toEqual([`${kind} ${format} «${content}»`]);
  });

  it.each([
    ['{"phase": "a", "other": 1}', 'json'],
    ['{}', 'json'],
    ['[]', 'json'],
    ['{"phase": ', 'json'],
    ['{"phase": "a"}', ''],
    ['{"phase": "a"}', 'js'],
    ['{"type": "object", "properties": {"state_patch": {"type": "object"}}}', 'json'],
    ['print("state_patch: x")', 'python'],
    ['- phase: a', 'yaml'],
  ])('%s as %j shows nothing of ours', async (content, info) => {
    expect(await blocksOf(fence(content, info))).toEqual([]);
  });

  it('is a patch where the line above says so, and none is told by its keys without a schema file', async () => {
    const content = '{"phase": "a"}';
    expect(await blocksOf(`The patch is:\n\n${fence(content)}`)).toEqual([`patch json «${content}»`]);
    expect(await blocksOf(`The patch is:\n\n${fence(content)}`, '')).toEqual([]);
    expect(await blocksOf(fence('{"state_patch": {}}'), '')).toEqual(['reply json «{"state_patch": {}}»']);
  });

  it.each(['Wrong:', 'Never write', 'Don’t do this:', 'This is rejected:', '❌'])(
    '%s makes it a counterexample',
    async (line) => {
      expect(await blocksOf(`${line}\n\n${fence('{"state_patch": {}}')}`)).toEqual([
        'no reply json «{"state_patch": {}}»',
      ]);
    },
  );
});

describe('where a block stands', () => {
  it('is exact in lists, quotations, with other fences and line ends', async () => {
    const one = '{"state_patch": {}}';
    expect(await blocksOf(`1. So:\n\n   ~~~json\n   ${one}\n   ~~~\n`)).toEqual([`reply json «${one}»`]);
    expect(await blocksOf(`> \`\`\`json\n> ${one}\n> \`\`\`\n`)).toEqual([`reply json «> ${one}»`]);
    expect(await blocksOf(`\`\`\`\`json\r\n${one}\r\n\`\`\`\`\r\n`)).toEqual([`reply json «${one}»`]);
    expect(await blocksOf(`\`\`\`json\n${one}`)).toEqual([`reply json «${one}»`]);
    expect(await blocksOf(`😀\n\n${fence(one)}${fence(one)}`)).toHaveLength(2);
  });
});

describe('the block that is being typed', () => {
  it.each([
    [fence('{‸}'), 'open'],
    [fence('‸'), 'open'],
    [fence('{"sta‸'), 'open'],
    [fence('  {\n    "sta"  :  ‸\n}'), 'open'],
    [fence(`${' '.repeat(50_000)}‸@`), undefined],
    [fence(`{${'\n'.repeat(50_000)}‸a b`), undefined],
    [fence('{"state_patch": {"ph‸'), 'reply'],
    [fence('{"phase": "a", ‸}'), 'fragment'],
    [fence('{"phase": "a", "cou‸}'), 'fragment'],
    [fence('{"other": "a", "cou‸}'), undefined],
    [fence('{"phase": "‸a"}'), 'fragment'],
    [fence('{"other": "‸a"}'), undefined],
    [`Text ‸\n\n${fence('{"phase": "a"}')}`, undefined],
    [fence('{‸}', 'js'), undefined],
  ])('%j', async (marked, kind) => {
    const { text, offset } = cursorIn(marked);
    const page = await pageWith(text);
    expect(typedBlockAt(page, head.length + offset)?.kind).toBe(kind);
  });
});

describe('a text that stands for another', () => {
  it.each(['...', 'item_…', '<item_id>', 'Store <item>', '{{name}}', 'a $\u007bb}', '{{a\n}}'])(
    '%s',
    (text) => {
      expect(isPlaceholder(text)).toBe(true);
    },
  );
  it.each(['', 'item_1', 'a < b', '{}', 'e.g. this', '}}{{', '}${'])('not %j', (text) => {
    expect(isPlaceholder(text)).toBe(false);
  });
  it.each(['{{', '${', '<', '<a'])('nor %j many times over, which is told at once', (opening) => {
    expect(isPlaceholder(opening.repeat(500_000))).toBe(false);
  });
});
