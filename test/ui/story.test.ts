/**
 * A story, as it shows on the screen: the warehouse with faults stops at a rejected patch; a breakpoint on one shelf
 * finds who changes it; one step back the shelf gets another item, the run goes on from there on a branch, and both
 * branches are compared.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { Workbench } from '../support/workbench';

const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  workbench = await Workbench.open(
    {
      checkout: process.cwd(),
      vsix: process.env.SKILL_STATE_VSIX ?? '',
      size: { width: 1600, height: 1100 },
    },
    'warehouse/SKILL.md',
  );
});

afterAll(async () => {
  await workbench?.close();
});

/** Makes room in the side bar: a wider one, without the empty section between Variables and Call Stack. */
async function makeRoom(): Promise<void> {
  const { page } = workbench;
  const box = await page.locator('.part.sidebar').boundingBox();
  if (box === null) throw new Error('There is no side bar.');
  await page.mouse.move(box.x + box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 420, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await page.locator('.pane-header[aria-label^="Watch"]').click();
  await page.locator('.pane-header[aria-label^="Watch"][aria-expanded="false"]').waitFor();
}

/**
 * Gives a variable another value in its row and waits for what comes of it. VS Code closes the box, and what it says,
 * where it fetches variables or opens the frame's text just then.
 */
async function writeValue(name: string, value: string, outcome: Locator): Promise<void> {
  const box = workbench.page.locator('.debug-variables .monaco-inputbox input:visible');
  await workbench.untilShown(outcome, async (timeout) => {
    await workbench.variable(name).dblclick({ timeout });
    await box.fill(value, { timeout });
    await box.press('Enter', { timeout });
    // Who writes once more too early may write what was only late.
    await outcome.waitFor({ timeout: 3 * timeout });
  });
}

/** A row of the Steps tree by how a screen reader begins to say it. */
function step(beginning: string): Locator {
  return workbench.page.locator(
    `.tree-explorer-viewlet-tree-view .monaco-list-row[aria-label^="${beginning}"]`,
  );
}

it('goes from a rejected patch to a branch', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'story-failed');
    console.log(`See ${join(pictures, 'story-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  // It doesn't bind; as soon as it can be set, VS Code knows the extension.
  await workbench.setBreakpoint(11);
  await page.keyboard.press('F9');
  await page.keyboard.press('Control+Shift+D');
  await makeRoom();
  await workbench.command('Debug: Select and Start Debugging');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Warehouse with faults' }).click();
  await workbench.stackFrame('observe').waitFor();

  // 1. Stop at a rejected patch, read why, see the schema's line.
  await workbench.pressDebugKey('F5');
  await workbench.showException('/inventory must be object, not array');
  await page
    .locator('.editor-group-container.active .tab.active', { hasText: 'state.schema.yaml' })
    .waitFor();
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  await workbench.picture(pictures, 'story-1-rejected');

  // 2. A breakpoint on one shelf, which its menu in the Variables view offers.
  await workbench.expandScope('State Σ');
  await workbench.expandVariable('inventory', 'shelf_0');
  await workbench.openMenu(workbench.variable('shelf_0'), 'Break on Value Change');
  await workbench.picture(pictures, 'story-2-menu');
  await page.keyboard.press('Enter');
  await workbench.breakpointRow('shelf_0');

  // 3. On to its change.
  await workbench.pressDebugKey('F5');
  await workbench.stackFrame('merge').waitFor();
  await workbench.stackFrame('step 9').waitFor();
  await workbench.showTopFrame();
  await workbench.picture(pictures, 'story-3-changed');

  // 4. Back over it.
  await page.locator('.debug-toolbar .action-item:not(.disabled) .codicon-debug-step-back').click();
  await workbench.stackFrame('observe').waitFor();
  await workbench.showTopFrame();
  await workbench.picture(pictures, 'story-4-back');

  // 5. Another item for the shelf: what the schema refuses, then one that it takes.
  await workbench.expandScope('State Σ');
  await workbench.expandVariable('inventory', 'shelf_0');
  const rule = '/inventory/shelf_0 must match the pattern';
  await writeValue('shelf_0', 'box', page.locator('.monaco-inputbox-message', { hasText: rule }));
  await workbench.picture(pictures, 'story-5-refused');
  const changed = page.locator('.debug-variables .monaco-list-row[aria-label*="shelf_0, value"]');
  await writeValue('shelf_0', 'item_9', changed.filter({ hasText: 'item_9' }));
  await step('Step 9, not finished, no action yet, wrote inventory')
    .and(page.locator('[aria-label*="edited by hand"]'))
    .waitFor();
  await page.locator('.repl .monaco-list-row', { hasText: 't=9 branch 1 begins with this change' }).waitFor();
  await workbench.picture(pictures, 'story-6-changed');

  // 7. On, on the branch: the same shelf is emptied, of the other item.
  await workbench.pressDebugKey('F5');
  await workbench.stackFrame('merge').waitFor();
  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();
  await workbench.pressDebugKey('F10');
  // The world has another item there, which the model believes: the shelf changes once more.
  await workbench.stackFrame('step 10').waitFor();
  await workbench.stackFrame('merge').waitFor();
  await workbench.showTopFrame();
  await workbench.expandRow(step('Step 9,'), step('Branch 0,'));
  await workbench.picture(pictures, 'story-7-branch');

  // 8. Both branches beside each other.
  await workbench.openMenu(step('Branch 0,'), 'Compare Runs');
  await page.keyboard.press('Enter');
  await page
    .locator('.editor-group-container.active .tab.active', { hasText: 'Comparison of Runs' })
    .waitFor();
  await page
    .locator('.editor-instance .view-line', {
      hasText: /Step.9.differs.in.what.was.written.into.the.state/,
    })
    .waitFor();
  // A table whose lines wrap could not be read.
  await page.locator('.statusbar-item', { hasText: 'Skill Report' }).waitFor();
  await workbench.picture(pictures, 'story-8-compared');

  // 9. A line of the comparison leads to both states beside each other.
  await page.locator('.editor-instance .detected-link', { hasText: 'left' }).first().click();
  await workbench.command('Open Link');
  await page.locator('.editor-group-container.active .tab.active', { hasText: 'Σ_10' }).waitFor();
  await page.locator('.monaco-diff-editor .view-line', { hasText: 'item_9' }).first().waitFor();
  await workbench.picture(pictures, 'story-9-states');

  // 10. And in the Run panel.
  await workbench.command('Skill: Open Run Panel');
  const run = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  await run.locator('.detail h2', { hasText: 'Step 10' }).waitFor();
  await workbench.picture(pictures, 'story-10-run-panel');
  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  await run.locator('.status-line', { hasText: 'session ended' }).waitFor();
  await run.locator('.detail .status', { hasText: 'not finished' }).waitFor();
});
