/** Where a skill is looked for: what isn't there is told apart from what can't be looked at. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findSkillFolder } from '../../../client/src/hosts/node/skillFolder';
import { temporaryFolder } from '../../support/commandLine';
import { repository } from '../../support/memoryRun';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('is the folder itself, or that of the SKILL.md that is named', async () => {
  const warehouse = join(repository, 'samples', 'warehouse');
  expect(await findSkillFolder(warehouse)).toBe(warehouse);
  expect(await findSkillFolder(join(warehouse, 'SKILL.md'))).toBe(warehouse);
});

it('that is not there says so', async () => {
  await expect(findSkillFolder(join(folder.path, 'nowhere'))).rejects.toMatchObject({
    message: expect.stringContaining("doesn't exist"),
    missing: true,
  });
  await expect(findSkillFolder(folder.path)).rejects.toMatchObject({ missing: true });
});

if (process.platform === 'win32')
  console.log('Skipped: links in a circle, which Windows lets few users make.');
it.skipIf(process.platform === 'win32')(
  'that can not be looked at says why, not that it is missing',
  async () => {
    symlinkSync('circle', join(folder.path, 'circle'));
    for (const path of [join(folder.path, 'circle'), join(folder.path, 'x'.repeat(300))]) {
      await expect(findSkillFolder(path)).rejects.toMatchObject({
        message: expect.stringMatching(/can't be read: (?!.*doesn't exist)/),
        missing: false,
      });
    }
  },
);
