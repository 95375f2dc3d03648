/** Going through a run by its steps: to one of them and back, their states and texts, who wrote what, and branches. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { SessionDriver, type StandingPoint } from './sessionDriver';
import { until, untilAnswered, within } from './waiting';
import { openSample, shownDocument, workspaceFile } from './workspaceFiles';

/** The warehouse without faults. */
const warehouse = {
  type: debugType,
  request: 'launch',
  name: 'Warehouse by steps',
  skill: `\${workspaceFolder}/warehouse`,
  environment: 'warehouse',
  model: 'scripted',
  horizon: 25,
  seed: 42,
  stopOnEntry: true,
};

function command(id: string, ...given: readonly unknown[]): Promise<unknown> {
  return within(id, vscode.commands.executeCommand(`skill-state.${id}`, ...given));
}

/** Both sides of the diff in the active tab. */
function activeDiff(): Promise<vscode.TabInputTextDiff> {
  return until('a diff', [vscode.window.tabGroups.onDidChangeTabs], () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'skill-state-trace'
      ? input
      : undefined;
  });
}

async function textOf(uri: vscode.Uri): Promise<string> {
  return (await vscode.workspace.openTextDocument(uri)).getText();
}

describe('the steps of a run', () => {
  let driver: SessionDriver;

  /** Starts the warehouse and steps to an action, step 0's by the first step. */
  async function startAtAct(step: number): Promise<StandingPoint> {
    driver = await SessionDriver.start(warehouse);
    let stop = await driver.stopped();
    for (let at = 0; at <= step; at++) {
      await driver.press('stepOver');
      stop = await driver.stopped();
    }
    assert.equal(await driver.evaluate('step'), String(step));
    return stop;
  }

  /** The command that goes to a step, as the Steps tree and the palette give it; and the stop that it brings. */
  async function goTo(step: number): Promise<StandingPoint> {
    await command('goToStep', { branch: 0, step });
    return driver.stopped();
  }

  /** Asks who wrote a value and chooses the newest write, which is step 0's and leads to its start. */
  async function chooseWrite(id: string, ...given: readonly unknown[]): Promise<void> {
    const asked = command(id, ...given);
    // The list has no event: it is accepted until it has led somewhere.
    await untilAnswered(
      'the step that wrote it',
      async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return driver.position;
      },
      ({ step, phase }) => (step === 0 && phase === 'observe' ? true : undefined),
    );
    await asked;
    const stop = await driver.stopped();
    assert.equal(stop.reason, 'goto');
    assert.match(stop.frame.name, /observe/);
  }

  afterEach(async () => {
    await driver?.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('are gone to and left again, by commands and by step back', async () => {
    await startAtAct(3);
    const later = await driver.evaluate('state');
    const stop = await goTo(1);
    assert.equal(stop.reason, 'goto');
    assert.match(stop.frame.name, /observe/);
    assert.equal(await driver.evaluate('step'), '1');
    for (const _ of [1, 2, 3]) {
      await driver.press('stepOver');
      await driver.stopped();
    }
    assert.equal(await driver.evaluate('state'), later);
    await driver.press('stepBack');
    await driver.stopped();
    assert.equal(await driver.evaluate('step'), '2');
  });

  it('show their states beside each other, and their texts', async () => {
    await startAtAct(1);
    await command('diffStep', { branch: 0, step: 0 });
    const { original, modified } = await activeDiff();
    assert.doesNotMatch(await textOf(original), /shelf_0/);
    assert.match(await textOf(modified), /^\{\n {2}"inventory": \{\n {4}"shelf_0": "item_\d+"\n/);
    assert.deepEqual(vscode.languages.getDiagnostics(modified), []);

    await command('openPrompt', { branch: 0, step: 0 });
    const prompt = await shownDocument('the prompt', ({ uri }) => uri.path.startsWith('/prompt'));
    assert.equal(prompt.languageId, 'markdown');
    assert.match(prompt.getText(), /^Instructions:\n# Warehouse\n/);
    await command('openReply', { branch: 0, step: 0 });
    const reply = await shownDocument('the reply', ({ uri }) => uri.path.startsWith('/reply'));
    assert.match(reply.getText(), /"state_patch"/);
    await command('openObservation', { branch: 0, step: 0 });
    await shownDocument('the observation', (document) => /Shipment arrived/.test(document.getText()));
  });

  it('tell who wrote a value, and lead there', async () => {
    assert.match((await startAtAct(0)).frame.name, /act/);
    await chooseWrite('whoWrote', {
      sessionId: driver.session.id,
      variable: { name: 'shelf_0', evaluateName: 'state.inventory.shelf_0' },
    });
  });

  it('tell who wrote what stands in a line of a state', async () => {
    await startAtAct(1);
    await command('diffStep', { branch: 0, step: 0 });
    await activeDiff();
    const editor = await until('the newer state', [vscode.window.onDidChangeActiveTextEditor], () => {
      const active = vscode.window.activeTextEditor;
      return active?.document.getText().includes('shelf_0') ? active : undefined;
    });
    const line = editor.document
      .getText()
      .split('\n')
      .findIndex((text) => text.includes('shelf_0'));
    editor.selection = new vscode.Selection(line, 0, line, 0);
    await chooseWrite('whoWroteLine');
  });

  it('have their values inline in the schema and in the instructions', async () => {
    const stop = await startAtAct(1);
    for (const [file, line] of [
      ['state.schema.yaml', /^ {2}inventory:$/],
      ['SKILL.md', /^`inventory` maps/],
    ] as const) {
      const { document } = await openSample('warehouse', file);
      const whole = new vscode.Range(0, 0, document.lineCount, 0);
      const values = await untilAnswered(
        `values in ${file}`,
        () =>
          vscode.commands.executeCommand<vscode.InlineValue[]>(
            'vscode.executeInlineValueProvider',
            document.uri,
            whole,
            {
              frameId: stop.frame.id,
              stoppedLocation: whole,
            },
          ),
        (found) => (found.length > 0 ? found : undefined),
      );
      const lines = values.map((value) => document.lineAt(value.range.start.line).text);
      assert.ok(
        lines.some((text) => line.test(text)),
        lines.join('\n'),
      );
      for (const value of values)
        assert.equal('expression' in value ? value.expression : undefined, 'state.inventory');
    }
  });

  it('branch off with an edited skill, and the branches compare', async () => {
    await startAtAct(2);
    const { document } = await openSample('warehouse', 'SKILL.md');
    const before = document.getText();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(document.lineCount, 0), '\nBe brief.\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await document.save());
    try {
      await command('continueWithEditedSkill');
      await driver.stopped();
      const { branch, tracePath, step } = driver.position;
      assert.deepEqual([branch, step], [1, 2]);
      assert.ok(tracePath);
      await driver.press('stepOver');
      await driver.stopped();
      await command('compareRuns', {
        left: { trace: tracePath, branch: 0 },
        right: { trace: tracePath, branch: 1 },
      });
      const comparison = await shownDocument('the comparison', ({ uri }) =>
        uri.path.startsWith('/Comparison'),
      );
      assert.match(comparison.getText(), /\| `SKILL\.md` \| `[0-9a-f]+` \| `[0-9a-f]+` \|/);
      const prompt = vscode.Uri.from({
        scheme: 'skill-state-trace',
        path: '/prompt.md',
        query: new URLSearchParams({ trace: tracePath, branch: '1', step: '2', part: 'prompt' }).toString(),
      });
      assert.match(await textOf(prompt), /Be brief\./);
    } finally {
      await vscode.workspace.fs.writeFile(document.uri, new TextEncoder().encode(before));
    }
  });

  it('are there once more when the trace is debugged', async () => {
    await startAtAct(2);
    const { tracePath } = driver.position;
    assert.ok(tracePath);
    await driver.dispose();
    driver = await SessionDriver.startBy(() => command('debugTrace', { trace: vscode.Uri.file(tracePath) }));
    assert.equal((await driver.stopped()).reason, 'entry');
    assert.equal(driver.session.configuration.skill, workspaceFile('warehouse').fsPath);
    const stop = await goTo(1);
    assert.equal(stop.reason, 'goto');
    assert.match(await driver.evaluate('state.inventory.shelf_0'), /item_\d+/);
  });
});
