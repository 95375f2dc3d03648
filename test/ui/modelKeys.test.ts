/** API keys as a person gives them: asked for once, asked anew where they are refused, and written nowhere else. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sha256 } from '../../client/src/hosts/node/sha256';
import { createScriptedModel } from '../../client/src/models/scripted/scriptedModel';
import { warehousePolicy } from '../../client/src/models/scripted/warehousePolicy';
import { modelRequest } from '../support/modelRequest';
import { type ChatRequest, type OpenAiServer, startOpenAiServer } from '../support/openaiServer';
import { Workbench } from '../support/workbench';

const pictures = process.env.SKILL_STATE_PICTURES ?? mkdtempSync(join(tmpdir(), 'skill-state-pictures-'));

/** Planted where a user has them: in a variable, typed wrongly, and typed rightly. */
const keys = {
  variable: 'sk-variable-8d1f27c4',
  wrong: 'sk-wrong-5b90aa31',
  right: 'sk-right-77e2c0d9',
  gemini: 'AIza-gemini-40c6be18',
};

let server: OpenAiServer;
let workbench: Workbench;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  server = await startOpenAiServer({
    key: keys.right,
    models: ['warehouse-model'],
    answer: async ({ body }) => ({ kind: 'reply', text: await policyReply(body.messages[0]?.content ?? '') }),
  });
  workbench = await Workbench.open(
    {
      checkout: process.cwd(),
      vsix: process.env.SKILL_STATE_VSIX ?? '',
      environment: { OPENAI_API_KEY: keys.variable },
      settings: { 'skill-state.model.requestRetries': 0, 'skill-state.trace.server': 'verbose' },
    },
    'warehouse/SKILL.md',
  );
});

afterAll(async () => {
  await workbench?.close();
  await server?.close();
});

beforeEach(({ onTestFailed, task }) => {
  onTestFailed(async () => {
    const picture = `failed: ${task.name}`;
    await workbench.picture(pictures, picture);
    console.log(`See ${join(pictures, `${picture}.png`)}.\n${workbench.heard()}`);
  });
});

async function policyReply(prompt: string): Promise<string> {
  // A probe asks for something else.
  if (!prompt.includes('# Warehouse')) return 'I see.';
  const model = createScriptedModel({ policy: warehousePolicy, sha256 });
  let text = '';
  for await (const event of model.generate(modelRequest({ prompt }), new AbortController().signal))
    if (event.type === 'text') text += event.text;
  return text;
}

/** Waits for the box that asks for a key, and what it says. */
async function keyBox(says: RegExp) {
  const { page } = workbench;
  const widget = page.locator('.quick-input-widget', { hasText: `API Key for ${server.origin}` });
  await widget.filter({ hasText: says }).waitFor();
  const input = widget.locator('input[type="password"]');
  await input.waitFor();
  return { widget, input };
}

it('asks for a key where the server wants one, and anew where it is refused', async () => {
  const { page } = workbench;
  const input = page.locator('.quick-input-widget input.input');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await workbench.command('Skill: Choose Model…');
  await rows.filter({ hasText: 'Automatic' }).waitFor();
  await page.keyboard.type('another address');
  await rows.filter({ hasText: 'Server at Another Address' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget', { hasText: 'The base URL of a server' }).waitFor();
  await input.fill('not a URL');
  await page.locator('.quick-input-widget', { hasText: 'has to begin with http:// or https://' }).waitFor();
  await input.fill(server.origin);
  await page.keyboard.press('Enter');

  // The variable's key goes to this machine, and is not taken.
  const first = await keyBox(/did not take the key that it was given/);
  await first.input.fill('two words');
  await page.keyboard.press('Enter');
  await first.widget.filter({ hasText: 'A key is one word without blanks' }).waitFor();
  await workbench.picture(pictures, 'key');
  await first.input.fill(keys.wrong);
  await page.keyboard.press('Enter');

  const second = await keyBox(/did not take the key that it was given/);
  await expect.poll(() => second.input.inputValue()).toBe('');
  await second.input.fill(keys.right);
  await page.keyboard.press('Enter');
  await rows.filter({ hasText: 'warehouse-model' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => workbench.statusText('skill-state.model'))
    .toMatch(/openai:warehouse-model at 127\.0\.0\.1:\d+$/);
});

it('runs with the key, and fails without showing it', async () => {
  const { page } = workbench;
  const console = page.locator('.repl');
  await page.keyboard.press('Control+Shift+D');
  await workbench.command('Skill: Debug');
  await page.locator('.debug-toolbar').waitFor();
  await workbench.stackFrame('observe').waitFor();
  await workbench.pressDebugKey('F10');
  await workbench.stackFrame('act').waitFor();
  expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${keys.right}`);

  server.answer((request) => ({ kind: 'error', status: 500, error: { message: echo(request) } }));
  await workbench.pressDebugKey('F10');
  await console
    .getByText(/Bearer \[key\]/)
    .first()
    .waitFor();
  // It is shown where the run stands, as a rejected reply is.
  await workbench.showException('Bearer [key]');
  await workbench.picture(pictures, 'failure');

  // It is taken no more: the next request asks for another one.
  server.answer((request) => ({
    kind: 'error',
    status: 401,
    error: { message: `Incorrect API key provided: ${echo(request)}`, code: 'invalid_api_key' },
  }));
  await workbench.pressDebugKey('F10');
  await console
    .getByText(/Skill: Set API Key…/)
    .first()
    .waitFor();
  await workbench.showException('Skill: Set API Key…');
  await workbench.pressDebugKey('F10');
  await keyBox(/did not take the key that it was given/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
});

it('takes a key by command, for whoever is chosen', async () => {
  const { page } = workbench;
  const rows = page.locator('.quick-input-list .monaco-list-row');
  const gemini = rows.filter({ hasText: 'Google Gemini' });
  await workbench.command('Skill: Set API Key…');
  await gemini.waitFor();
  await page.keyboard.type('gemini');
  await gemini.and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  const box = page.locator('.quick-input-widget', {
    hasText: 'API Key for https://generativelanguage.googleapis.com',
  });
  await box.filter({ hasText: 'Keys are to be had at https://aistudio.google.com/apikey.' }).waitFor();
  await box.locator('input[type="password"]').fill(keys.gemini);
  await page.keyboard.press('Enter');
  await box.waitFor({ state: 'hidden' });
  await workbench.command('Skill: Choose Model…');
  await gemini.filter({ hasText: 'has a key' }).waitFor();
  await page.keyboard.press('Escape');

  await workbench.command('Skill: Set API Key…');
  await gemini.waitFor();
  await page.keyboard.type('another');
  await rows.filter({ hasText: 'Another Server' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget', { hasText: 'The base URL of the server' }).waitFor();
  await page.locator('.quick-input-widget input.input').fill('http://models.example.org/v1');
  await page.keyboard.press('Enter');
  await page
    .locator('.quick-input-widget', { hasText: 'API Key for http://models.example.org' })
    .filter({ hasText: 'The way there is not encrypted' })
    .waitFor();
  await page.keyboard.press('Escape');
});

it('has written no key into anything but the secret storage', async () => {
  const { page } = workbench;
  await workbench.command('Skill: Show Log');
  await page
    .locator('.editor-instance, .output-view-content, .monaco-editor', { hasText: 'Session' })
    .first()
    .waitFor();
  const found: string[] = [];
  const look = (place: string, text: string) => {
    for (const [name, key] of Object.entries(keys)) if (text.includes(key)) found.push(`${name} in ${place}`);
  };
  const files: string[] = [];
  for (const folder of [workbench.workspace, workbench.dataFolder]) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const text = entry.isFile() ? textOf(path) : undefined;
      if (text === undefined) continue;
      files.push(entry.name);
      look(path, text);
    }
  }
  look('the page', await page.content());
  look('the console', workbench.heard());
  const stored = await page.evaluate<{ local: Record<string, string>; databases: string }>(storedByPage);
  // Where VS Code keeps secrets in a browser; that it does shows that the rest was looked at.
  expect(Object.keys(stored.local).filter((name) => stored.local[name]?.includes(keys.right))).toEqual([]);
  look("the page's databases", stored.databases);
  expect(stored.databases.includes('openai:warehouse-model')).toBe(true);
  for (const name of [/\.skilltrace\.jsonl$/, /^settings\.json$/, /^SKILL\.state.*\.log$/])
    expect(files.filter((file) => name.test(file))).not.toEqual([]);
  expect(found).toEqual([]);
});

it('forgets a key on demand', async () => {
  const { page } = workbench;
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await workbench.command('Skill: Remove API Key…');
  await rows.filter({ hasText: server.origin }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await workbench.command('Skill: Remove API Key…');
  await rows.filter({ hasText: 'googleapis.com' }).and(page.locator('.focused')).waitFor();
  expect(await rows.count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await workbench.command('Skill: Remove API Key…');
  await workbench.command('Notifications: Show Notifications');
  await page.locator('.notifications-center', { hasText: 'No API key is stored.' }).waitFor();
});

it("says in the list why a server's models can't be listed, and offers another model where it can't be run on", async () => {
  const { page } = workbench;
  const input = page.locator('.quick-input-widget input.input');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await workbench.command('Skill: Choose Model…');
  await rows.filter({ hasText: 'Automatic' }).waitFor();
  await page.keyboard.type('another address');
  await rows.filter({ hasText: 'Server at Another Address' }).and(page.locator('.focused')).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget', { hasText: 'The base URL of a server' }).waitFor();
  await input.fill('http://127.0.0.1:1');
  await page.keyboard.press('Enter');
  await rows
    .filter({ hasText: 'There is no list of its models' })
    .filter({ hasText: '127.0.0.1:1' })
    .waitFor();
  await workbench.picture(pictures, 'no-list');
  await page.keyboard.type('unlisted');
  await rows
    .filter({ hasText: /^unlisted\s*as typed/ })
    .and(page.locator('.focused'))
    .waitFor();
  await page.keyboard.press('Enter');
  await workbench.openFile('warehouse/SKILL.md');
  await expect
    .poll(() => workbench.statusText('skill-state.model'))
    .toMatch(/openai:unlisted at 127\.0\.0\.1:1$/);

  // The configurations of the samples name others: a button debugs on the choice. It can't be run on, and another one is offered.
  await workbench.command('Notifications: Show Notifications');
  await page
    .locator('.notifications-center .notification-list-item', { hasText: 'launch.json names other models' })
    .getByRole('button', { name: 'Debug on the Chosen Model' })
    .click();
  const dialog = page.locator('.monaco-dialog-box', { hasText: '127.0.0.1:1' });
  await dialog.waitFor();
  await workbench.picture(pictures, 'failed start');
  await dialog.getByRole('button', { name: 'Choose Model…' }).click();
  await rows.filter({ hasText: 'Automatic' }).waitFor();
  await page.keyboard.press('Escape');
});

/** What a file has; undefined for one that VS Code has taken away meanwhile. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function echo({ headers }: ChatRequest): string {
  return `${headers.authorization}`;
}

/** All that the page has stored: an expression for it, since it runs there. */
const storedByPage = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const texts = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const entries = database.transaction(store).objectStore(store);
      texts.push(...await asked(entries.getAllKeys()), ...await asked(entries.getAll()));
    }
    database.close();
  }
  const text = (value) => value instanceof Uint8Array ? new TextDecoder().decode(value) : JSON.stringify(value);
  return { local: { ...localStorage }, databases: texts.map(text).join('\\n') };
})()`;
