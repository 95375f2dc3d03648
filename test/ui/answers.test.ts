/** What a person sees and presses who answers in the model's place. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from '../support/workbench';

const checkout = process.cwd();
const vsix = process.env.SKILL_STATE_VSIX ?? '';
const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

/** The only configuration of the workspace, which F5 starts. */
const byHand = {
  name: 'Warehouse by hand',
  type: 'skill-state',
  request: 'launch',
  skill: `\${workspaceFolder}/warehouse`,
  environment: 'warehouse',
  model: 'manual',
  horizon: 5,
  seed: 42,
};

function reply(action: string): string {
  return `Because.\n\n\`\`\`json\n${JSON.stringify({ state_patch: {}, action })}\n\`\`\``;
}

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  workbench = await Workbench.open({ checkout, vsix }, 'warehouse/SKILL.md');
  writeFileSync(
    join(workbench.workspace, '.vscode', 'launch.json'),
    JSON.stringify({ version: '0.2.0', configurations: [byHand] }),
  );
  await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});

afterAll(async () => {
  await workbench?.close();
});

it('copies the prompt, checks the reply that is pasted, and sends it by a key and by a button', async ({
  onTestFailed,
}) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'answers-failed');
    console.log(`See ${join(pictures, 'answers-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  const group = (uri: string) =>
    page.locator('.editor-group-container', { has: page.locator(`.monaco-editor[data-uri^="${uri}"]`) });
  const [prompt, answer] = [group('skill-state-question:'), group('untitled:')];
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  const paste = async (text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await answer.locator('.monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
  };
  const isEmpty = () => expect.poll(() => answer.locator('.view-line').allTextContents()).toEqual(['']);

  // It doesn't bind; as soon as it can be set, VS Code knows the extension, and F5 starts something.
  await workbench.setBreakpoint(11);
  await page.keyboard.press('Control+Shift+D');
  await page.keyboard.press('F5');
  await workbench.stackFrame('observe').waitFor();
  await workbench.pressDebugKey('F10');
  await prompt.locator('.view-line', { hasText: 'Latest Observation:' }).first().waitFor();
  await answer.locator('.codelens-decoration', { hasText: 'Reply to step 0?' }).waitFor();
  await answer.locator('.codelens-decoration', { hasText: 'Send (Ctrl+Enter)' }).waitFor();
  await answer.locator('.editor-actions .codicon-send').waitFor();

  // VS Code shows the buttons of the group that has the focus.
  await prompt.locator('.view-lines').first().click();
  await prompt.locator('.editor-actions .codicon-copy').click();
  expect(await prompt.locator('.editor-actions .codicon-send').count()).toBe(0);
  await expect
    .poll(clipboard)
    .toMatch(/^Instructions:\n# Warehouse\n[\s\S]*"<string: the exact command[^\n]*$/);

  await answer.locator('.view-lines').first().click();
  await paste(reply('Fly away'));
  await answer.locator('.squiggly-error').first().waitFor();
  await answer.locator('.codelens-decoration', { hasText: 'Rejected as action' }).waitFor();
  await workbench.picture(pictures, 'answer-rejected');

  await paste(reply('Wait'));
  await answer.locator('.codelens-decoration', { hasText: 'Fits: Wait' }).waitFor();
  await workbench.picture(pictures, 'answer');
  await page.keyboard.press('Control+Enter');
  await workbench.stackFrame('act').waitFor();

  await workbench.pressDebugKey('F10');
  await answer.locator('.codelens-decoration', { hasText: 'Reply to step 1?' }).waitFor();
  // What was sent is taken out of the editor some time after the question is shown.
  await isEmpty();
  await paste(reply('Wait'));
  await answer.locator('.codelens-decoration', { hasText: 'Fits: Wait' }).waitFor();
  await answer.locator('.editor-actions .codicon-send').click();
  await workbench.stackFrame('act').waitFor();
  await expect.poll(() => workbench.statusText('skill-state.step')).toMatch(/t=1 /);
  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  await expect.poll(() => prompt.count()).toBe(0);
  await expect.poll(() => answer.count()).toBe(0);
});
