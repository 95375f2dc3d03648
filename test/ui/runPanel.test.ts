/** What a person sees of a run: the Run panel beside the debugger, and a trace file in its editor, in a served VS Code. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { longTraceBytes } from '../support/longTrace';
import { Workbench } from '../support/workbench';

const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  workbench = await Workbench.open(
    {
      checkout: process.cwd(),
      vsix: process.env.SKILL_STATE_VSIX ?? '',
      settings: {
        'files.simpleDialog.enable': true,
        'breadcrumbs.enabled': false,
        // VS Code would take the focus out of the graph at some time after a stop.
        'debug.focusEditorOnBreak': false,
      },
    },
    'warehouse/SKILL.md',
  );
});

afterAll(async () => {
  await workbench?.close();
});

/** The 1-based line of SKILL.md that declares an action. */
function lineOfAction(name: string): number {
  const path = join(process.cwd(), 'samples', 'warehouse', 'SKILL.md');
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.findIndex((line) => line.startsWith(`- \`${name} `)) + 1;
}

/** The page of the Run panel, or of the trace editor. */
function runPage(): FrameLocator {
  return workbench.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
}

/** A button in the title bar of the active editor. */
function titleButton(name: RegExp) {
  return workbench.page
    .locator('.editor-group-container.active .editor-actions')
    .getByRole('button', { name });
}

function failing(name: string): () => Promise<void> {
  return async () => {
    await workbench.picture(pictures, `${name}-failed`);
    console.log(`See ${join(pictures, `${name}-failed.png`)}.\n${workbench.heard()}`);
  };
}

it('follows a debug session and leads it', async ({ onTestFailed }) => {
  onTestFailed(failing('run-panel'));
  const { page } = workbench;
  await titleButton(/^Run\b/)
    .first()
    .waitFor();
  // Its first hit is far off; that it can be set says that VS Code knows the debugger.
  await workbench.setBreakpoint(lineOfAction('Move'));
  await page.keyboard.press('Control+Shift+D');
  await page.keyboard.press('F5');
  await page.locator('.debug-toolbar').waitFor();
  await workbench.stackFrame('observe').waitFor();
  await workbench.command('Skill: Open Run Panel');
  const run = runPage();
  await run.getByText('No step is recorded yet.').waitFor();

  // The first reply is rejected; then the run goes on from action to action.
  await workbench.pressDebugKey('F10');
  await run.getByText('rejected: schema').waitFor();
  await workbench.showException('must be string');
  for (const step of [0, 1, 2, 3]) {
    await workbench.pressDebugKey('F10');
    await workbench.stackFrame(`step ${step}`).waitFor();
    await workbench.stackFrame('act').waitFor();
    await run.locator('.detail h2', { hasText: `Step ${step}` }).waitFor();
  }
  await run.locator('.detail h2', { hasText: 'Step 3' }).waitFor();
  await run.getByText('the session is here').waitFor();

  // Back to the step of a bar, and on again from there.
  const graph = run.getByRole('slider', { name: 'Tokens of each step' });
  const box = await graph.boundingBox();
  if (box === null) throw new Error('There is no graph.');
  await page.mouse.click(box.x + 46 + (box.width - 56) * (1.5 / 6), box.y + box.height - 60);
  await expect.poll(() => workbench.statusText('skill-state.step')).toContain('t=1 ');
  await run.locator('.detail h2', { hasText: 'Step 1' }).waitFor();
  await graph.focus();
  await page.keyboard.press('ArrowRight');
  await run.locator('.detail h2', { hasText: 'Step 2' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => workbench.statusText('skill-state.step')).toContain('t=2 ');

  await run.getByRole('button', { name: 'Compare Σ before and after' }).click();
  await page.locator('.tab.active', { hasText: 'Σ_2 ↔ Σ_3' }).waitFor();
  await run.getByRole('button', { name: 'Open the reply of attempt 1' }).click();
  await page.locator('.tab.active', { hasText: 'reply (step 2' }).waitFor();

  // Out of sight, it is shown to be exported.
  await page.keyboard.press('Control+J');
  await graph.waitFor({ state: 'hidden' });
  await workbench.command('Skill: Export Run…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Numbers as CSV' }).waitFor();
  await page.keyboard.press('Escape');
  await graph.waitFor();
  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
});

it('shows a recorded run', async ({ onTestFailed }) => {
  onTestFailed(failing('run'));
  const { page, workspace } = workbench;
  await workbench.command('View: Close All Editors');
  await page.keyboard.press('Control+J');
  const trace = 'warehouse.skilltrace.jsonl';
  const options = ['--faults', '0.1', '--horizon', '150', '--trace', join(workspace, trace)];
  const cli = join(process.cwd(), 'dist', 'cli.js');
  execFileSync(process.execPath, [cli, 'run', join(workspace, 'warehouse'), ...options]);
  await workbench.openFile(trace);
  const run = runPage();
  await run.locator('.status-line', { hasText: '150 steps' }).waitFor();
  await run.getByLabel('Steps shown').selectOption('With rejections');
  await run.getByRole('button', { name: 'Next step' }).click();
  await run
    .getByText(/^rejected: /)
    .first()
    .waitFor();
  await run.getByLabel('Steps shown').selectOption('All steps');
  await run.getByRole('button', { name: 'Show the running total' }).click();
  await run.locator('.total-line[d^="M"]').waitFor({ state: 'attached' });
  // Pointed at, the bar says what it is made of.
  const graph = run.getByRole('slider', { name: 'Tokens of each step' });
  const told = run.locator('.tooltip', { hasText: 'Step 100: ' }).getByText('accepted');
  // The graph makes room for what is shown beside it meanwhile.
  await workbench.untilShown(told, async () => {
    const box = await graph.boundingBox();
    if (box === null) throw new Error('There is no graph.');
    await page.mouse.move(box.x + 46 + (box.width - 92) * (100.5 / 150), box.y + box.height - 60);
  });
  await workbench.picture(pictures, 'run');
});

it('opens a trace file in an editor of its own, with a way to its text', async ({ onTestFailed }) => {
  onTestFailed(failing('trace-editor'));
  const { page, workspace } = workbench;
  await workbench.command('View: Close All Editors');
  const trace = Buffer.from(
    await longTraceBytes({ steps: 200, forks: [{ step: 60, at: 'act', steps: 40 }] }),
  );
  writeFileSync(
    join(workspace, 'long.skilltrace.jsonl'),
    Buffer.concat([trace, Buffer.from('{"kind":"step",\n')]),
  );
  await workbench.openFile('long.skilltrace.jsonl');
  await titleButton(/^Debug This Trace/).waitFor();
  const run = runPage();
  await run.getByText(/^Line 1,\d+: /).waitFor();
  await run.getByRole('combobox', { name: 'Branch' }).selectOption('1');
  await run.getByLabel('Steps shown').selectOption('With rejections');
  await run.getByRole('button', { name: 'Next step' }).click();
  await run
    .getByText(/^rejected: /)
    .first()
    .waitFor();
  await run
    .getByRole('button', { name: /^Open the rule, / })
    .first()
    .click();
  await page.locator('.tab.active', { hasText: 'state.schema.yaml' }).waitFor();
  await page.locator('.tab', { hasText: 'long.skilltrace.jsonl' }).click();
  await run.getByRole('button', { name: 'Show as table' }).waitFor();

  const exported = join(workspace, 'numbers.csv');
  await workbench.command('Skill: Export Run…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Numbers as CSV' }).click();
  const input = page.locator('.quick-input-widget input.input');
  await expect.poll(() => input.inputValue()).toMatch(/long\.tokens\.csv$/);
  await input.fill(exported);
  await page.keyboard.press('Enter');
  await page.getByText('The run was exported to numbers.csv.').first().waitFor();
  const lines = readFileSync(exported, 'utf8').trim().split('\r\n');
  expect(lines[0]).toMatch(/^branch,step,status/);
  expect(lines.length - 1).toBe(100);

  await run.getByRole('button', { name: 'Open as Text' }).click();
  await page.locator('.editor-instance .view-line', { hasText: '"kind":"run"' }).first().waitFor();
});
