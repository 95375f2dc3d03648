/** A run by a model at a server, as a person sees it: what it used and cost, a reply that is rejected, a request that fails. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256 } from '../../client/src/hosts/node/sha256';
import { createScriptedModel } from '../../client/src/models/scripted/scriptedModel';
import { warehousePolicy } from '../../client/src/models/scripted/warehousePolicy';
import { modelRequest } from '../support/modelRequest';
import { type Answer, type ChatRequest, type OpenAiServer, startOpenAiServer } from '../support/openaiServer';
import { Workbench } from '../support/workbench';

const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

/** The step whose first reply is rejected, and whose second one is asked for twice. */
const troubled = 11;

/** What the server counts: the part that is the same in each prompt is cached. */
const cachedTokens = 640;

let server: OpenAiServer;
let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  server = await startOpenAiServer({ models: ['small-8b'], answer: answered });
  workbench = await Workbench.open(
    {
      checkout: process.cwd(),
      vsix: process.env.SKILL_STATE_VSIX ?? '',
      size: { width: 1600, height: 1100 },
      settings: {
        'breadcrumbs.enabled': false,
        'skill-state.prices': { 'openai:small-8b': { prompt: 0.4, completion: 1.6, cached: 0.1 } },
      },
    },
    'warehouse/SKILL.md',
  );
  const byServer = {
    name: 'Warehouse by a model',
    type: 'skill-state',
    request: 'launch',
    skill: `\${workspaceFolder}/warehouse`,
    environment: 'warehouse',
    model: 'openai:small-8b',
    baseUrl: server.baseUrl,
    decoding: 'free',
    horizon: 40,
    seed: 42,
  };
  writeFileSync(
    join(workbench.workspace, '.vscode', 'launch.json'),
    JSON.stringify({ version: '0.2.0', configurations: [byServer] }),
  );
});

afterAll(async () => {
  await workbench?.close();
  await server?.close();
});

async function answered({ body }: ChatRequest, nth: number): Promise<Answer> {
  const prompt = body.messages[0]?.content ?? '';
  if (nth === troubled + 1) {
    const error = { message: 'Too many requests in this minute.', type: 'rate_limit' };
    return { kind: 'error', status: 429, error: { error }, headers: { 'retry-after': '0' } };
  }
  const text = nth === troubled ? wrongReply : await policyReply(prompt);
  const promptTokens = Math.ceil(prompt.length / 4);
  const reasoning = 24 + (nth % 5) * 3;
  const completion = Math.ceil(text.length / 4) + reasoning;
  return {
    kind: 'reply',
    text,
    thinking: 'The shelves that are taken stand in the state.',
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
      prompt_tokens_details: { cached_tokens: nth === 0 ? 0 : Math.min(cachedTokens, promptTokens) },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  };
}

const wrongReply = `The item goes onto a free shelf.\n\n\`\`\`json\n${JSON.stringify({
  state_patch: { inventory: ['item_7'] },
  action: 'Store item_7 shelf_7',
})}\n\`\`\``;

async function policyReply(prompt: string): Promise<string> {
  const model = createScriptedModel({ policy: warehousePolicy, sha256 });
  let text = '';
  for await (const event of model.generate(modelRequest({ prompt }), new AbortController().signal))
    if (event.type === 'text') text += event.text;
  return text;
}

/** Makes the panel higher. */
async function makeRoom(): Promise<void> {
  const { page } = workbench;
  const box = await page.locator('.part.panel').boundingBox();
  if (box === null) throw new Error('There is no panel.');
  const middle = box.x + box.width / 2;
  await page.mouse.move(middle, box.y - 3);
  await page.mouse.down();
  await page.mouse.move(middle, box.y - 120, { steps: 5 });
  await page.mouse.up();
  // The edge is lit as long as the mouse is on it, and a little longer.
  await page.mouse.move(middle, 5);
  await expect.poll(() => page.locator('.monaco-sash:is(.active, .hover)').count()).toBe(0);
}

it('shows what a model used and cost, why a reply was rejected, and the request that failed', async ({
  onTestFailed,
}) => {
  onTestFailed(async () => {
    await workbench.picture(pictures, 'model-run-failed');
    console.log(`See ${join(pictures, 'model-run-failed.png')}.\n${workbench.heard()}`);
  });
  const { page } = workbench;
  // It doesn't bind; as soon as it can be set, VS Code knows the extension, and F5 starts something.
  await workbench.setBreakpoint(11);
  await page.keyboard.press('F9');
  await page.keyboard.press('Control+Shift+D');
  await page.keyboard.press('F5');
  await workbench.stackFrame('observe').waitFor();
  await workbench.command('Skill: Open Run Panel');
  const run = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  await run.getByText('No step is recorded yet.').waitFor();

  await workbench.pressDebugKey('F5');
  await workbench.showException('/inventory must be object, not array');
  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();
  await workbench.showTopFrame();
  await run.locator('.detail h2', { hasText: `Step ${troubled}` }).waitFor();
  const attempts = run.locator('.attempts > li');
  await attempts.nth(0).getByText('rejected: schema').waitFor();
  await attempts
    .nth(1)
    .getByText(/1 request failed: rate limited/)
    .waitFor();
  await attempts
    .nth(1)
    .getByText(/^failed with status 429 \(rate-limit\): /)
    .waitFor();
  await run.locator('.status-line', { hasText: /of the prompts cached · \d+ thinking/ }).waitFor();
  await run.locator('.status-line', { hasText: /cost \$0\.0\d+/ }).waitFor();

  // The request that failed, beside the skill.
  await run.getByRole('button', { name: 'Open request 1 of attempt 2, with its response' }).click();
  const tab = page.locator('.tab.active', { hasText: `request 1 (step ${troubled}, attempt 2)` });
  await tab.waitFor();
  await workbench.command('View: Move Editor into Next Group');
  const beside = page.locator('.editor-group-container.active');
  await beside.locator('.view-line', { hasText: /Failed.with.status.429/ }).waitFor();
  await beside.locator('.view-line', { hasText: /user-agent:.OpenAI\/JS/ }).waitFor();
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  expect(await page.locator('.editor-group-container').count()).toBe(2);
  await makeRoom();
  await run.locator('h3', { hasText: 'Replies' }).evaluate((heading) => heading.scrollIntoView());
  await workbench.picture(pictures, 'model-run');

  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  // What was kept is there after the end of the session, too.
  await run.getByRole('button', { name: 'Open the exact request and response of attempt 1' }).click();
  await page.locator('.tab.active', { hasText: `request 1 (step ${troubled}, attempt 1)` }).waitFor();
});
