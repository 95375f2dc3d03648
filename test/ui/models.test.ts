/** What a person sees who chooses a model: the picker that fills, the status bar, keys, and VS Code's question for consent. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('chooses one of the models that there are, and remembers it', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'models-failed');
    console.log(`See ${join(pictures, 'models-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  await expect.poll(() => workbench.statusText('skill-state.model')).toMatch(/automatic/);
  await workbench.command('Skill: Choose Model…');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'Warehouse with Consent' }).first().waitFor();
  await workbench.picture(pictures, 'models');
  await page.keyboard.type('consent');
  await rows.filter({ hasText: 'Warehouse with Consent' }).first().waitFor();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => workbench.statusText('skill-state.model'))
    .toMatch(/vscode:skill-state-test\/scripted\/consent$/);
});
