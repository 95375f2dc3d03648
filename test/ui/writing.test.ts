/** What a person sees when they write a skill: SKILL.md and its schema side by side, in the page of a served VS Code. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from '../support/workbench';

const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

const skill = `---
name: triage
description: Sorts the reports that users file, and asks
  for what is missing. Use it when a report arrives.
metadata:
  environment: manual
---

# Triage

Keep each report under \`open\` until it is answered, with
the area that it belongs to. Names of areas are in \`areas\`;
add one where none fits, at most ten. \`owner.nmae\` answers
for all of them.

## Actions

- \`Label <report> <area>\`: puts a report into an area.
- \`Ask <report> <question...>\`: asks a question of the
  report's author.
- \`Close <report>\`: the report is answered.

## When it is unclear

Ask whom \`\` names, and wait.
`;

const schema = `# What is known between two reports.
type: object
properties:
  open:
    description: Reports by their number.
    type: object
    propertyNames: { maxLength: 8 }
    additionalProperties:
      $ref: "#/$defs/report"
    maxProperties: 50
  areas:
    type: array
    items: { type: string, maxLength: 20 }
    maxItems: 10
    x-merge: union
  owner:
    type: object
    properties:
      name: { type: string, maxLength: 40 }
      backup: { type: string }
    additionalProperties: false
additionalProperties: false

$defs:
  report:
    type: object
    properties:
      area: { type: string, maxLength: 20 }
      asked: { type: string, maxLength: 200 }
    additionalProperties: false
`;

let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  workbench = await Workbench.open(
    {
      checkout: process.cwd(),
      vsix: process.env.SKILL_STATE_VSIX ?? '',
      settings: { 'workbench.sideBar.location': 'left', 'breadcrumbs.enabled': false },
      size: { width: 1360, height: 700 },
    },
    'warehouse/SKILL.md',
  );
  const folder = join(workbench.workspace, 'triage');
  mkdirSync(folder);
  writeFileSync(join(folder, 'SKILL.md'), skill);
  writeFileSync(join(folder, 'state.schema.yaml'), schema);
  writeFileSync(
    join(folder, 'state.initial.yaml'),
    'areas: [editor, "command line"] # to begin with\nopen: {}\n',
  );
});

afterAll(async () => {
  await workbench?.close();
});

/** How many colours the words of the active editor have; each has a class of its own. */
async function colours(): Promise<number> {
  const classes = await workbench.page
    .locator('.editor-group-container.active .view-line span > span[class*="mtk"]')
    .evaluateAll((words) => words.map(({ className }) => String(className)));
  return new Set(classes.flatMap((names) => /\bmtk\d+\b/.exec(names) ?? [])).size;
}

it('colours an initial state as YAML, though its language is ours', async () => {
  await workbench.openFile('triage/state.initial.yaml');
  await workbench.page
    .locator('.statusbar-item[id="status.editor.mode"]', { hasText: 'Skill Initial State' })
    .waitFor();
  // Key, text, comment: the server sends no colours for these documents.
  await expect.poll(colours).toBeGreaterThanOrEqual(3);
});

/** Shown once the editor with the focus has its cursor there: keys pressed before would go elsewhere. */
function cursorAt(place: string): Locator {
  return workbench.page.locator('.statusbar-item[id="status.editor.selection"]', {
    hasText: new RegExp(`^${place}$`),
  });
}

it('shows findings, bounds and suggestions in SKILL.md and schema side by side', async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'writing-failed');
    console.log(`See ${join(pictures, 'writing-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  await workbench.command('View: Close All Editors');
  await workbench.openFile('triage/SKILL.md');
  await workbench.editorLine(1).waitFor();
  await page.locator('.editor-actions .codicon-run').first().waitFor();
  await workbench.openFile('triage/state.schema.yaml', { beside: true });
  await workbench.command('View: Close Primary Side Bar');
  const groups = page.locator('.editor-group-container');
  const [left, right] = [groups.first(), groups.last()];
  await right.locator('.squiggly-info, .squiggly-warning').first().waitFor();
  await right.locator('.view-line', { hasText: /asked.*≤.1\.2.kB/ }).waitFor();
  await left.locator('.squiggly-warning').first().waitFor();

  // Lenses and hints that come meanwhile move the lines below the mouse.
  await workbench.untilShown(cursorAt('Ln 25, Col 1'), async (timeout) => {
    await left.locator('.view-line', { hasText: /Ask.whom/ }).click({ timeout });
    await page.keyboard.press('Home');
  });
  for (let count = 0; count < 'Ask whom `'.length; count++) await page.keyboard.press('ArrowRight');
  await cursorAt('Ln 25, Col 11').waitFor();
  await page.keyboard.type('o');
  const suggestions = page.locator('.suggest-widget .monaco-list-row');
  await suggestions.filter({ hasText: 'owner' }).first().waitFor();
  expect(await suggestions.filter({ hasText: /^owner/ }).count()).toBe(1);
  await workbench.picture(pictures, 'writing');
});
