/** The Steps tree as a person sees and uses it, by mouse and by keyboard, in the page of a served VS Code. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from '../support/workbench';

const vsix = process.env.SKILL_STATE_VSIX ?? '';
const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  // VS Code would take the focus out of the tree at some time after a stop.
  const settings = { 'debug.focusEditorOnBreak': false };
  workbench = await Workbench.open({ checkout: process.cwd(), vsix, settings }, 'warehouse/SKILL.md');
});

afterAll(async () => {
  await workbench?.close();
});

/** A row of the tree by how a screen reader begins to say it. */
function row(beginning: string): Locator {
  return workbench.page.locator(
    `.tree-explorer-viewlet-tree-view .monaco-list-row[aria-label^="${beginning}"]`,
  );
}

it('lists steps as they come, and leads the session', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'steps-failed');
    console.log(`See ${join(pictures, 'steps-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  // It doesn't bind; as soon as it can be set, VS Code knows the extension, and F5 starts something.
  await workbench.setBreakpoint(11);
  await page.keyboard.press('Control+Shift+D');
  await page.keyboard.press('F5');
  await workbench.stackFrame('observe').waitFor();

  // The first reply is rejected, which stops the run; the tree opens by itself as soon as there is a step.
  await workbench.pressDebugKey('F10');
  await row('Step 0, not finished').waitFor();
  await workbench.showException('must be string');
  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();
  await workbench.pressDebugKey('F10');
  await row('Step 1, not finished').waitFor();
  expect(await row('Step 0,').getAttribute('aria-label')).toMatch(
    /^Step 0, accepted, action Store item_\d+ shelf_0, wrote inventory, ≈[\d,]+ tokens, 2 attempts, rejected: schema$/,
  );

  await row('Step 0,').click();
  await workbench.stackFrame('observation (step 0)').waitFor();
  await page.locator('.call-stack-state-message', { hasText: 'Paused at the chosen step' }).waitFor();
  await row('Step 0, accepted').and(page.locator('[aria-label$="the session stands here"]')).waitFor();
  await workbench.picture(pictures, 'steps');

  await workbench.command('Focus on Steps View');
  await page.locator('.tree-explorer-viewlet-tree-view .monaco-list:focus-within').waitFor();
  await page.keyboard.press('End');
  await row('Step 1,').and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await workbench.stackFrame('observation (step 1)').waitFor();

  await workbench.command('Filter Steps');
  const input = page.locator('.quick-input-widget input.input');
  await input.fill('Rejected');
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Rejected Replies' }).waitFor();
  await page.keyboard.press('Enter');
  await row('Step 1,').waitFor({ state: 'detached' });
  await row('Step 0,').waitFor();
  await page.locator('.tree-explorer-viewlet-tree-view .message', { hasText: 'rejected replies' }).waitFor();
});
