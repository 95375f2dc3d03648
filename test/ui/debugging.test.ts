/** What a person sees when they debug the warehouse, in the page of a served VS Code. */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from '../support/workbench';

const checkout = process.cwd();
const vsix = process.env.SKILL_STATE_VSIX ?? '';
const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

/** The 1-based line of SKILL.md that declares an action. */
function lineOfAction(name: string): number {
  const lines = readFileSync(join(checkout, 'samples', 'warehouse', 'SKILL.md'), 'utf8').split('\n');
  return lines.findIndex((line) => line.startsWith(`- \`${name} `)) + 1;
}

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  workbench = await Workbench.open({ checkout, vsix }, 'warehouse/SKILL.md');
});

afterAll(async () => {
  await workbench?.close();
});

it('debugs the warehouse from F5 to a breakpoint', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'debugging-failed');
    console.log(`See ${join(pictures, 'debugging-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  await workbench.setBreakpoint(lineOfAction('Move'));

  await page.keyboard.press('Control+Shift+D');
  await page.keyboard.press('F5');
  const toolbar = page.locator('.debug-toolbar');
  await toolbar.waitFor();
  await workbench.stackFrame('observe').waitFor();
  // Room for the variables: a list draws only the rows that are seen.
  await workbench.closeView('Watch');
  await workbench.closeView('Breakpoints');

  // The sample's first reply has a fault on purpose: a rejected patch is this debugger's exception.
  await workbench.pressDebugKey('F10');
  await workbench.showException('must be string');
  await workbench.expandScope('Patch');
  await workbench.expandScope('Tokens');
  await workbench.picture(pictures, 'rejected');

  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();
  await workbench.showTopFrame();

  // Step 6 has the second fault, in the JSON of the reply: the editor shows that reply.
  await workbench.pressDebugKey('F5');
  await workbench.stackFrame('reply (step 6').waitFor();
  await workbench.showException('a comma may not stand before');
  await page.locator('.statusbar-item[id="status.editor.mode"]', { hasText: 'Markdown' }).waitFor();

  await workbench.pressDebugKey('F5');
  await workbench.stackFrameAt('act', lineOfAction('Move')).waitFor();
  await page.locator('.debug-variables', { hasText: 'item_3' }).waitFor();
  await workbench.expandScope('Patch');
  await expect.poll(() => workbench.statusText('skill-state.step')).toMatch(/t=8 .*tokens/);
  await workbench.picture(pictures, 'debugging');

  await page.keyboard.press('Shift+F5');
  await toolbar.waitFor({ state: 'hidden' });
});

it('stops at the change of one shelf that a condition names, and says what it was', async ({
  onTestFailed,
}) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'data-breakpoint-failed');
    console.log(`See ${join(pictures, 'data-breakpoint-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  await page.keyboard.press('F5');
  await workbench.stackFrame('observe').waitFor();
  await workbench.pressDebugKey('F10');
  await workbench.showException('must be string');
  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();

  // The shelf has just been filled: its menu offers the breakpoint.
  await workbench.expandScope('State');
  await workbench.expandVariable('inventory', 'shelf_0');
  await workbench.openMenu(workbench.variable('shelf_0'), 'Break on Value Change');
  await page.keyboard.press('Enter');
  await workbench.openView('Breakpoints');
  const breakpoint = await workbench.breakpointRow('shelf_0');
  const condition = page.locator('.debug-breakpoints input[placeholder^="Break when expression"]');
  // The box goes where the view is made anew.
  await workbench.untilShown(breakpoint.filter({ hasText: "change == 'delete'" }), async (timeout) => {
    await workbench.openMenu(breakpoint, 'Edit Condition...');
    await page.keyboard.press('Enter');
    await condition.fill("change == 'delete'", { timeout });
    await condition.press('Enter', { timeout });
  });

  // The sample fills it at t=0 and t=2, and empties it at t=1 and t=5.
  for (const [step, item] of [
    [1, 'item_0'],
    [5, 'item_1'],
  ] as const) {
    await workbench.pressDebugKey('F5');
    await workbench.stackFrame(`step ${step}`).waitFor();
    await workbench.stackFrame('merge').waitFor();
    await page.locator('.call-stack-state-message', { hasText: `shelf_0: "${item}" is deleted` }).waitFor();
  }
  await workbench.picture(pictures, 'data-breakpoint');
  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
});

it('offers each skill of the workspace once', async () => {
  const { page } = workbench;
  await workbench.command('Debug: Select and Start Debugging');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'Skill...' }).click();
  await rows.filter({ hasText: 'Skill: release-notes' }).first().waitFor();
  expect(await rows.filter({ hasText: 'Skill: warehouse' }).count()).toBe(1);
  await page.keyboard.press('Escape');
});
