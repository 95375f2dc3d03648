/** An untrusted workspace gets authoring but no runs. */
import { afterAll, beforeAll, it } from 'vitest';
import { Workbench } from '../support/workbench';

let workbench: Workbench;

beforeAll(async () => {
  const options = { checkout: process.cwd(), vsix: process.env.SKILL_STATE_VSIX ?? '', trusted: false };
  workbench = await Workbench.open(options, 'warehouse/SKILL.md');
});

afterAll(async () => {
  await workbench?.close();
});

it('checks a skill and asks for trust before it runs', async () => {
  const { page } = workbench;
  await page.locator('.view-line', { hasText: /first.prompt.\d+.tokens/ }).waitFor();
  await page.locator('.editor-group-container.active .view-lines').click();
  // The name once more, below the name.
  for (const key of ['Control+Home', 'ArrowDown', 'End', 'Enter']) await page.keyboard.press(key);
  await page.keyboard.type('name: again');
  await page.locator('.squiggly-error').first().waitFor();

  await page.keyboard.press('F5');
  const dialog = page.locator('.monaco-dialog-box', { hasText: /trust/i });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
});

it('asks no server for its models, and probes none', async () => {
  const { page } = workbench;
  const said = page.locator('.notifications-center .notification-list-item');
  for (const [title, consequence] of [
    ['Skill: Choose Model…', 'no server is asked for its models'],
    ['Skill: List Models', 'no server is asked for its models'],
    ['Skill: Probe Model…', 'no server is probed'],
  ] as const) {
    await workbench.command('Notifications: Clear All Notifications');
    await said.first().waitFor({ state: 'hidden' });
    await workbench.command(title);
    await workbench.command('Notifications: Show Notifications');
    await said
      .filter({ hasText: `This workspace is not trusted, so ${consequence}: trust the workspace first.` })
      .first()
      .waitFor();
  }
});
