/** Debugging the samples as a person does it: F5, breakpoints in the gutter, the toolbar's buttons. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { SessionDriver, type StandingPoint } from './sessionDriver';
import { until } from './waiting';
import { openNew, openSample, workspaceFile } from './workspaceFiles';

/** The warehouse without faults. */
const warehouse = {
  type: debugType,
  request: 'launch',
  name: 'Warehouse without faults',
  skill: `\${workspaceFolder}/warehouse`,
  environment: 'warehouse',
  model: 'scripted',
  horizon: 25,
  seed: 42,
  stopOnEntry: true,
};

/**
 * Starts the first configuration of samples/.vscode/launch.json by what the key F5 is bound to. In it the first reply
 * is rejected, and one of the seventh step.
 */
function pressF5(): Promise<SessionDriver> {
  return SessionDriver.startBy(() => vscode.commands.executeCommand('workbench.action.debug.start'));
}

/** Continues past rejected replies to the next breakpoint. */
async function continueToBreakpoint(driver: SessionDriver): Promise<StandingPoint> {
  for (;;) {
    await driver.press('continue');
    const stop = await driver.stopped();
    if (stop.reason !== 'exception') return stop;
  }
}

/** The 0-based line of a sample on which a text first stands. */
async function lineOf(path: readonly string[], text: string): Promise<number> {
  const document = await vscode.workspace.openTextDocument(workspaceFile(...path));
  const line = document
    .getText()
    .split('\n')
    .findIndex((candidate) => candidate.includes(text));
  assert.ok(line >= 0, `${text} is not in ${path.join('/')}`);
  return line;
}

/** Sets a breakpoint as a click into the gutter does. */
async function breakAt(path: readonly string[], text: string, condition?: string): Promise<number> {
  const line = await lineOf(path, text);
  const place = new vscode.Location(workspaceFile(...path), new vscode.Position(line, 0));
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place, true, condition)]);
  return line;
}

/** Checks that a frame stands on a line of a file; the protocol counts lines from 1. */
function standsAt({ frame }: StandingPoint, path: readonly string[], line: number): void {
  // A remote VS Code's client gets addresses, the adapter itself speaks of paths.
  const { path: place = '' } = frame.source ?? {};
  const uri = /^[a-z-]{2,}:\/\//.test(place) ? vscode.Uri.parse(place) : vscode.Uri.file(place);
  assert.equal(uri.path, workspaceFile(...path).path);
  assert.equal(frame.line, line + 1);
}

describe('debugging', () => {
  let driver: SessionDriver | undefined;

  afterEach(async () => {
    await driver?.dispose();
    driver = undefined;
  });

  it('stops on entry and steps to the action that the model chose', async () => {
    driver = await SessionDriver.start(warehouse);
    const entry = await driver.stopped();
    assert.equal(entry.reason, 'entry');
    assert.match(entry.frame.name, /observe/);

    await driver.press('stepOver');
    const first = await driver.stopped();
    assert.match(first.frame.name, /act/);
    standsAt(first, ['warehouse', 'SKILL.md'], await lineOf(['warehouse', 'SKILL.md'], '- `Store '));
    assert.match(await driver.evaluate('state.inventory.shelf_0'), /item_\d+/);
  });

  it('steps through the phases', async () => {
    driver = await SessionDriver.start(warehouse);
    const names = [(await driver.stopped()).frame.name];
    for (const _ of [1, 2, 3, 4]) {
      await driver.press('stepInto');
      names.push((await driver.stopped()).frame.name);
    }
    assert.deepEqual(
      names.map((name) => /[a-z]+/.exec(name)?.[0]),
      ['observe', 'prompt', 'generate', 'parse', 'validate'],
    );
  });

  it("stops at a breakpoint on an action's line", async () => {
    const line = await breakAt(['warehouse', 'SKILL.md'], '- `Ship ');
    driver = await pressF5();
    assert.equal((await driver.stopped()).reason, 'entry');
    const stop = await continueToBreakpoint(driver);
    assert.equal(stop.reason, 'breakpoint');
    standsAt(stop, ['warehouse', 'SKILL.md'], line);
    assert.match(await driver.evaluate('action'), /^"?Ship item_\d+ shelf_\d+"?$/);
  });

  it("stops at a breakpoint on a property's line of the schema", async () => {
    const line = await breakAt(['warehouse', 'state.schema.yaml'], '  inventory:');
    driver = await pressF5();
    assert.equal((await driver.stopped()).reason, 'entry');
    const stop = await continueToBreakpoint(driver);
    assert.equal(stop.reason, 'breakpoint');
    assert.match(stop.frame.name, /merge/);
    standsAt(stop, ['warehouse', 'state.schema.yaml'], line);
  });

  it('stops on a rejected reply, which is an exception by default, and says what was wrong', async () => {
    driver = await pressF5();
    await driver.stopped();
    await driver.press('continue');
    const stop = await driver.stopped();
    assert.equal(stop.reason, 'exception');
    const { exceptionId, description } = await driver.request<DebugProtocol.ExceptionInfoResponse['body']>(
      'exceptionInfo',
      { threadId: 1 },
    );
    assert.match(
      exceptionId,
      /^(no-block|syntax|extra-key|missing-key|not-an-object|schema|invariant|action|writer|limit)$/,
    );
    assert.ok(description);
  });

  it('steps through a skill without schema and actions that files answer for', async () => {
    driver = await SessionDriver.start('Release notes from files');
    assert.equal((await driver.stopped()).reason, 'entry');
    const actions: string[] = [];
    for (const _ of [1, 2, 3, 4]) {
      await driver.press('stepOver');
      const stop = await driver.stopped();
      // Without declared actions, an action stands on the first line of the instructions.
      standsAt(
        stop,
        ['release-notes', 'SKILL.md'],
        await lineOf(['release-notes', 'SKILL.md'], '# Release notes'),
      );
      actions.push(await driver.evaluate('action'));
    }
    assert.match(actions[0] ?? '', /git describe/);
    assert.match(actions[3] ?? '', /done/);
    assert.match(await driver.evaluate('state.notes'), /NOTES\.md/);
    await driver.press('continue');
    await driver.ended();
  });

  it('debugs an open SKILL.md without launch.json, schema or declared actions', async () => {
    await vscode.workspace.fs.delete(workspaceFile('.vscode'), { recursive: true });
    // Until VS Code has noticed, F5 would start the first configuration of the file.
    await until('no configurations', [vscode.workspace.onDidChangeConfiguration], () => {
      const launch = vscode.workspace.getConfiguration('launch', workspaceFile());
      return launch.get<readonly unknown[]>('configurations', []).length === 0 || undefined;
    });
    await openNew(['greeting', 'SKILL.md'], '---\nname: greeting\ndescription: Greets.\n---\n\nSay hello.\n');
    driver = await SessionDriver.startBy(() =>
      vscode.commands.executeCommand('workbench.action.debug.start'),
    );
    // Neither environment nor model is named anywhere, so a person is asked for what they would say.
    await driver.said(/observation/i);
    await driver.evaluate('A visitor arrives.');
    assert.equal((await driver.stopped()).reason, 'entry');

    await driver.press('stepOver');
    await driver.said(/reply/i);
    await driver.evaluate('I greet.\n\n```json\n{"state_patch":{"greeted":1},"action":"say hello"}\n```');
    const act = await driver.stopped();
    assert.match(act.frame.name, /act/);
    standsAt(act, ['greeting', 'SKILL.md'], 5);
    assert.equal(await driver.evaluate('state.greeted'), '1');
  });

  it('starts from the title bar', async () => {
    const { document } = await openSample('warehouse', 'SKILL.md');
    driver = await SessionDriver.startBy(() =>
      vscode.commands.executeCommand('skill-state.debug', document.uri),
    );
    assert.equal((await driver.stopped()).reason, 'entry');
  });
});
