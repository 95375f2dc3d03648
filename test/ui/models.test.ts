/** What a person sees who chooses a model: the picker that fills, the status bar, and VS Code's question for consent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { lateModelFile } from '../host/chatProvider/names';
import { packChatProvider } from '../support/chatProviderPackage';
import { Workbench } from '../support/workbench';

const checkout = process.cwd();
const vsix = process.env.SKILL_STATE_VSIX ?? '';
const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  const others = [await packChatProvider(checkout)];
  workbench = await Workbench.open({ checkout, vsix, others }, 'warehouse/SKILL.md');
});

afterAll(async () => {
  await workbench?.close();
});

beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'models-failed');
    console.log(`See ${join(pictures, 'models-failed.png')}.\n${workbench.heard()}`);
  });
});

it('chooses one of the models that there are, and shows it', async () => {
  const { page } = workbench;
  await expect.poll(() => workbench.statusText('skill-state.model')).toMatch(/automatic/);
  await workbench.command('Skill: Choose Model…');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'Warehouse with Consent' }).first().waitFor();
  await workbench.picture(pictures, 'models');
  await page.keyboard.type('consent');
  await rows.filter({ hasText: 'Warehouse with Consent' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => workbench.statusText('skill-state.model'))
    .toMatch(/vscode:skill-state-test\/scripted\/consent$/);
  const item = page.locator('.statusbar-item[id$="skill-state.model"]');
  expect(await item.locator('a').first().getAttribute('aria-label')).toBe(
    'Skill model: vscode:skill-state-test/scripted/consent',
  );
});

it('begins at the model that is chosen, and keeps the row that the user went to', async () => {
  const { page } = workbench;
  const focused = page.locator('.quick-input-list .monaco-list-row.focused');
  await workbench.command('Skill: Choose Model…');
  await focused.filter({ hasText: 'Warehouse with Consent' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await focused.filter({ hasText: 'Used Up' }).waitFor();
  // Everything has been looked at once nothing moves any more.
  await page.locator('.quick-input-widget .monaco-progress-container.done').waitFor({ state: 'attached' });
  await focused.filter({ hasText: 'Used Up' }).waitFor();
  await page.keyboard.press('Escape');
});

it('follows the models of VS Code while it is open', async () => {
  const { page, workspace } = workbench;
  const late = join(workspace, lateModelFile);
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await workbench.command('Skill: Choose Model…');
  await rows.filter({ hasText: 'Used Up' }).waitFor();
  writeFileSync(late, 'Came Late');
  await rows.filter({ hasText: 'Came Late' }).waitFor();
  rmSync(late);
  await rows.filter({ hasText: 'Came Late' }).waitFor({ state: 'hidden' });
  await rows.filter({ hasText: 'Used Up' }).waitFor();
  await page.keyboard.press('Escape');
});

it('says what to do where the user refuses their consent, and goes on when they give it', async () => {
  const { page } = workbench;
  const consent = page.locator('.monaco-dialog-box', { hasText: 'wants to access the language models' });
  const toolbar = page.locator('.debug-toolbar');
  await page.keyboard.press('Control+Shift+D');
  await workbench.command('Skill: Debug');
  await toolbar.waitFor();
  await workbench.stackFrame('observe').waitFor();

  await workbench.pressDebugKey('F10');
  await consent.waitFor();
  expect(await consent.textContent()).toContain('Runs a skill step by step');
  await workbench.picture(pictures, 'consent');
  await consent.getByRole('button', { name: 'Cancel' }).click();
  await consent.waitFor({ state: 'hidden' });
  const said = "SKILL.state was not allowed to use VS Code's model skill-state-test/scripted/consent.";
  await page.locator('.repl', { hasText: said }).waitFor();
  await workbench.showException(said);
  await workbench.picture(pictures, 'consent-refused');

  // VS Code asks again with the next request.
  await workbench.pressDebugKey('F10');
  await consent.waitFor();
  await consent.getByRole('button', { name: 'Allow' }).click();
  await workbench.stackFrame('act').waitFor();
  await page.keyboard.press('Shift+F5');
  await toolbar.waitFor({ state: 'hidden' });
});

it('tells the recorded runs apart whose replies a model can give again', async () => {
  const { page } = workbench;
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await workbench.command('Skill: Choose Model…');
  await rows.filter({ hasText: 'Automatic' }).waitFor();
  await page.keyboard.type('replies of a trace');
  await rows.filter({ hasText: 'Replies of a Trace' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await rows.filter({ hasText: /vscode:skill-state-test\/scripted\/consent · \d+ steps?/ }).waitFor();
  await workbench.picture(pictures, 'traces');
  await page.keyboard.press('Escape');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
});

it('has the settings that small models need where one looks for them', async () => {
  const { page } = workbench;
  await workbench.command('Preferences: Open Settings (UI)');
  const search = page.locator('.settings-editor .suggest-input-container .monaco-editor');
  await search.waitFor();
  for (const [words, setting] of [
    ['max_tokens', 'Max Tokens'],
    ['retry temperature', 'Retry Temperature'],
    ['skill decoding', 'Decoding'],
  ] as const) {
    await search.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(words);
    await page
      .locator('.settings-editor .setting-item-label', { hasText: setting })
      .filter({ visible: true })
      .first()
      .waitFor();
    await workbench.picture(pictures, `settings-${words.replace(' ', '-')}`);
  }
});
