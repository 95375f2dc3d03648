import { expect, test } from 'vitest';
import { loadTokenizer } from '../../../client/src/models/o200kTokenizer';
import { pageOf } from '../../../server/src/languageService/documents';
import { skillInlayHints } from '../../../server/src/languageService/skill/skillInlayHints';
import { SkillModels } from '../../../server/src/languageService/skillModels';
import { defaultSettings } from '../../../server/src/languageService/workspace';
import { skillWorkspace } from '../../support/skillWorkspace';

test('the cost of the first prompt stands behind the opening line, where that is shown', async () => {
  const { workspace, uri } = skillWorkspace({
    'SKILL.md': '---\nname: sample\ndescription: Sorts.\n---\n\nSort it.\n',
  });
  const models = new SkillModels(workspace);
  const located = await models.locate(uri('SKILL.md'));
  const page = located && pageOf(located, models);
  if (page?.kind !== 'skill') throw new Error('The page is no skill.');
  const environments = { names: [], actionsOf: () => undefined };
  const pause = async () => undefined;
  const tools = { workspace, environments, settings: defaultSettings, pause, tokenizer: loadTokenizer };
  const at = (line: number) => ({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
  const [hint, ...others] = await skillInlayHints(page, at(0), tools);
  expect(others).toEqual([]);
  expect(hint).toMatchObject({
    position: { line: 0, character: 3 },
    label: expect.stringMatching(/^first prompt \d+ tokens$/),
  });
  expect(await skillInlayHints(page, at(2), tools)).toEqual([]);
  const missing = { ...tools, tokenizer: () => Promise.reject(new Error('There is no token table.')) };
  expect(await skillInlayHints(page, at(0), missing)).toEqual([]);
});
