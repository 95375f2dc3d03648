/** Models in VS Code: its own, those of servers, and the ways to them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { ownMember } from '../../client/src/hosts/ownMember';
import { startOpenAiServer } from '../support/openaiServer';
import { chatVendor, lastRequestCommand } from './chatProvider/names';
import { changeSetting, listedModels } from './modelAccess';
import { SessionDriver } from './sessionDriver';
import { openSample } from './workspaceFiles';

/** The warehouse, from its first step to its end. */
function warehouse(model: string, more: object = {}) {
  return {
    type: debugType,
    request: 'launch',
    name: `Warehouse by ${model}`,
    skill: `\${workspaceFolder}/warehouse`,
    environment: 'warehouse',
    model,
    horizon: 5,
    seed: 42,
    ...more,
  };
}

/** A model of the extension that the tests install. */
const chatModel = (id: string) => `vscode:${chatVendor}/scripted/${id}`;

/** The records of the trace that a session writes. */
async function recordsOf(driver: SessionDriver): Promise<readonly Record<string, unknown>[]> {
  const { tracePath } = driver.position;
  assert.ok(tracePath, 'no trace is written');
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(tracePath));
  const lines = new TextDecoder().decode(bytes).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function actionsIn(records: readonly Record<string, unknown>[]): unknown[] {
  return records.filter(({ kind }) => kind === 'intent').map(({ action }) => action);
}

async function modelOf(driver: SessionDriver): Promise<unknown> {
  const [run] = await recordsOf(driver);
  return ownMember(run?.model, 'name');
}

describe("VS Code's own models", () => {
  let driver: SessionDriver | undefined;

  afterEach(async () => {
    await driver?.dispose();
    driver = undefined;
  });

  it('run a skill, with tokens as their extension counts them', async () => {
    driver = await SessionDriver.start(
      warehouse(`vscode:${chatVendor}`, { maxTokens: 321, temperature: 0.5, stopOnEntry: false }),
    );
    await driver.ended();
    const records = await recordsOf(driver);
    assert.deepEqual(records[0]?.model, {
      name: `vscode:${chatVendor}`,
      settings: { editorModel: `${chatVendor}/scripted/warehouse` },
    });
    const attempts = records.filter(({ kind }) => kind === 'attempt');
    assert.equal(attempts.length, 5);
    // Its extension counts texts: that isn't what a request took.
    for (const { tokens } of attempts) {
      assert.equal(ownMember(tokens, 'source'), 'estimated');
      assert.equal(ownMember(tokens, 'estimatedBy'), 'extension');
    }
    assert.equal(records.filter(({ kind }) => kind === 'rejection').length, 0);
    const last = await vscode.commands.executeCommand<Record<string, unknown>>(lastRequestCommand);
    assert.deepEqual(last.modelOptions, { temperature: 0.5, top_p: 1, max_tokens: 321 });
    assert.equal(last.messages, 1);
    assert.match(String(last.prompt), /^Instructions:/);
  });

  it('are asked again where their failure may pass, and what came before counts for nothing', async () => {
    driver = await SessionDriver.start(warehouse(chatModel('unsteady'), { horizon: 1, stopOnEntry: false }));
    await driver.ended();
    const [attempt] = (await recordsOf(driver)).filter(({ kind }) => kind === 'attempt');
    assert.doesNotMatch(String(attempt?.reply), /I think/);
    const failures = attempt?.failures as readonly { class: string; message: string }[];
    assert.deepEqual(
      failures.map((failure) => failure.class),
      ['rate-limit', 'rate-limit'],
    );
    assert.match(failures[0]?.message ?? '', /has had too many requests: it said "Too many requests"\.$/);
  });

  const failures: readonly (readonly [string, RegExp, object])[] = [
    ['quota', /takes no requests now, .* "The quota is used up"\. Wait for it to be renewed/, {}],
    ['small', /The prompt has \d+ tokens, and VS Code's model \S+ takes 10: /, {}],
    ['silent', /said nothing for 1 seconds?: /, { timeout: 1, requestRetries: 0 }],
  ];
  for (const [id, message, more] of failures) {
    it(`say what is wrong: ${id}`, async () => {
      driver = await SessionDriver.start(warehouse(chatModel(id), { stopOnEntry: false, ...more }));
      await driver.said(message);
    });
  }

  it('are given up with the session', async () => {
    driver = await SessionDriver.start(warehouse(chatModel('silent')));
    await driver.stopped();
    for (const phase of [/prompt/, /generate/]) {
      await driver.press('stepInto');
      assert.match((await driver.stopped()).frame.name, phase);
    }
    await driver.press('continue');
    await driver.press('pause');
    assert.match((await driver.stopped()).frame.name, /generate/);
    await driver.dispose();
    driver = undefined;
  });
});

describe('the chosen model', () => {
  let driver: SessionDriver | undefined;

  afterEach(async () => {
    await driver?.dispose();
    driver = undefined;
    await vscode.commands.executeCommand('skill-state.chooseModel', { model: 'automatic' });
  });

  it('runs where launch.json names none', async () => {
    const { document } = await openSample('warehouse', 'SKILL.md');
    await vscode.commands.executeCommand('skill-state.chooseModel', { model: chatModel('warehouse') });
    driver = await SessionDriver.startBy(() =>
      vscode.commands.executeCommand('skill-state.debug', document.uri),
    );
    assert.equal((await driver.stopped()).reason, 'entry');
    assert.equal(await modelOf(driver), chatModel('warehouse'));
  });

  it('may be the replies of a trace of the workspace', async () => {
    const { document } = await openSample('warehouse', 'SKILL.md');
    await vscode.commands.executeCommand('skill-state.chooseModel', { model: 'scripted' });
    const run = () => vscode.commands.executeCommand('skill-state.run', document.uri);
    driver = await SessionDriver.startBy(run);
    await driver.ended();
    const { tracePath = '' } = driver.position;
    const actions = actionsIn(await recordsOf(driver));
    await driver.dispose();
    const model = `replay:${vscode.workspace.asRelativePath(vscode.Uri.file(tracePath), false)}`;
    await vscode.commands.executeCommand('skill-state.chooseModel', { model });
    driver = await SessionDriver.startBy(run);
    await driver.ended();
    assert.match(String(await modelOf(driver)), /^replay:.*\.skilltrace\.jsonl$/);
    assert.deepEqual(actionsIn(await recordsOf(driver)), actions);
    assert.ok(actions.length > 20);
  });

  it('leaves the model alone that launch.json names', async () => {
    await vscode.commands.executeCommand('skill-state.chooseModel', { model: chatModel('quota') });
    driver = await SessionDriver.start(warehouse('scripted', { stopOnEntry: true }));
    await driver.stopped();
    assert.equal(await modelOf(driver), 'scripted');
    await driver.said(
      /names the model scripted, while \S+quota is chosen for this workspace: .*"Skill: Debug"/,
    );
  });

  it('gets what the settings say of requests', async () => {
    await changeSetting('skill-state.model.maxTokens', 777);
    await changeSetting('skill-state.model.retryTemperature', 0.8);
    try {
      driver = await SessionDriver.start(warehouse(chatModel('warehouse'), { stopOnEntry: true }));
      await driver.stopped();
      const [run] = await recordsOf(driver);
      const options = ['maxTokens', 'retryTemperature'].map((name) => ownMember(run?.options, name));
      assert.deepEqual(options, [777, 0.8]);
    } finally {
      await changeSetting('skill-state.model.maxTokens', undefined);
      await changeSetting('skill-state.model.retryTemperature', undefined);
    }
  });
});

describe('models', () => {
  it("lists those of VS Code's and of servers, by the names that launch.json takes", async () => {
    const server = await startOpenAiServer({ models: ['first', 'second'] });
    try {
      await changeSetting('skill-state.servers', [{ name: 'Lab', baseUrl: server.baseUrl }]);
      const text = await listedModels();
      assert.match(text, /^- `scripted`/m);
      assert.match(text, /^- `vscode:skill-state-test\/scripted\/warehouse` \(Warehouse\)$/m);
      assert.ok(text.includes(`## Lab at ${server.baseUrl}`), text);
      assert.ok(text.includes(`- \`openai:first\` (with \`"baseUrl": "${server.baseUrl}"\`)`), text);
      assert.match(text, /^- Ollama at .*: .*`ollama serve`/m);
    } finally {
      await changeSetting('skill-state.servers', undefined);
      await server.close();
    }
  });
});
