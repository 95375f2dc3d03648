/** A whole afternoon with the debugger: from a rejected patch to a branch that takes another way, and both compared. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { SessionDriver, type StandingPoint } from './sessionDriver';
import { until, within } from './waiting';
import { workspaceFile } from './workspaceFiles';

/** As in samples/.vscode/launch.json: the reply of step 8 is rejected. */
const warehouse = {
  type: debugType,
  request: 'launch',
  name: 'Warehouse with faults',
  skill: `\${workspaceFolder}/warehouse`,
  environment: 'warehouse',
  model: 'scripted',
  faults: 0.3,
  faultSeed: 1,
  horizon: 25,
  seed: 42,
  stopOnEntry: true,
};

/** The 0-based line of the schema on which a text first stands. */
async function lineOfSchema(text: string): Promise<number> {
  const document = await vscode.workspace.openTextDocument(workspaceFile('warehouse', 'state.schema.yaml'));
  const line = document
    .getText()
    .split('\n')
    .findIndex((candidate) => candidate.includes(text));
  assert.ok(line >= 0, `${text} is not in the schema`);
  return line;
}

/** Waits until VS Code shows the schema with the cursor on a line, as it does where a run stands on it. */
function showsSchemaAt(line: number): Promise<vscode.TextEditor> {
  const { path } = workspaceFile('warehouse', 'state.schema.yaml');
  return until(
    `line ${line + 1} of the schema`,
    [vscode.window.onDidChangeActiveTextEditor, vscode.window.onDidChangeTextEditorSelection],
    () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.uri.path === path && editor.selection.start.line === line ? editor : undefined;
    },
  );
}

/** A trace's lines, each a record. */
async function recordsOf(tracePath: string): Promise<readonly string[]> {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(tracePath));
  return new TextDecoder().decode(bytes).split('\n').filter(Boolean);
}

/** Compares both branches and gives the text, once it says what is awaited. */
async function compared(trace: string, awaited: RegExp): Promise<string> {
  const [left, right] = [0, 1].map((branch) => ({ trace, branch }));
  await within('compareRuns', vscode.commands.executeCommand('skill-state.compareRuns', { left, right }));
  const events = [vscode.window.onDidChangeActiveTextEditor, vscode.workspace.onDidChangeTextDocument];
  return until(`the comparison with ${awaited}`, events, () => {
    const shown = vscode.window.activeTextEditor?.document;
    const text = shown?.uri.scheme === 'skill-state-comparison' ? shown.getText() : '';
    return awaited.test(text) ? text : undefined;
  });
}

describe('a story of the warehouse with faults', () => {
  let driver: SessionDriver;

  /** Goes on and waits for the stop that this brings. */
  async function press(...button: Parameters<SessionDriver['press']>): Promise<StandingPoint> {
    await driver.press(...button);
    return driver.stopped();
  }

  /** What a variable's children are fetched by, as the Variables view opens them one after the other. */
  async function opened(frameId: number, ...names: readonly string[]): Promise<number> {
    const { scopes } = await driver.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    let found: { readonly name: string; readonly variablesReference: number }[] = scopes;
    let variablesReference = 0;
    for (const name of names) {
      const one = found.find((candidate) => candidate.name === name);
      assert.ok(one, `${name} is not among ${found.map((candidate) => candidate.name).join(', ')}`);
      ({ variablesReference } = one);
      const body = await driver.request<DebugProtocol.VariablesResponse['body']>('variables', {
        variablesReference,
      });
      found = body.variables;
    }
    return variablesReference;
  }

  afterEach(async () => {
    await driver?.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('goes from a rejected patch to a branch, and compares it with what was', async () => {
    driver = await SessionDriver.start(warehouse);
    assert.equal((await driver.stopped()).reason, 'entry');

    // The reply of step 8 makes a list of the inventory: the schema's line is shown, and why.
    const rejected = await press('continue');
    assert.equal(rejected.reason, 'exception');
    assert.equal(await driver.evaluate('step'), '8');
    const told = await driver.request<DebugProtocol.ExceptionInfoResponse['body']>('exceptionInfo', {
      threadId: 1,
    });
    assert.equal(told.exceptionId, 'schema');
    assert.match(told.description ?? '', /attempt 1 of step 8\. \/inventory must be object, not array\./);
    const violated = (await lineOfSchema('description: Occupied shelves')) + 1;
    assert.equal(rejected.frame.line, violated + 1);
    const { document } = await showsSchemaAt(violated);
    assert.equal(document.lineAt(violated).text.trim(), 'type: object');

    // A breakpoint on one shelf, as its context menu in the Variables view sets it.
    const shelf = {
      variablesReference: await opened(rejected.frame.id, 'State Σ', 'inventory'),
      name: 'shelf_0',
    };
    const info = await driver.request<DebugProtocol.DataBreakpointInfoResponse['body']>(
      'dataBreakpointInfo',
      shelf,
    );
    assert.equal(info.dataId, 'state.inventory.shelf_0');
    const set = await driver.request<DebugProtocol.SetDataBreakpointsResponse['body']>('setDataBreakpoints', {
      breakpoints: [{ dataId: info.dataId, accessType: 'write' }],
    });
    assert.deepEqual(
      set.breakpoints.map(({ verified }) => verified),
      [true],
    );
    const before = await driver.evaluate('state.inventory.shelf_0');
    assert.match(before, /item_0/);

    const changed = await press('continue');
    assert.equal(changed.reason, 'data breakpoint');
    assert.match(changed.frame.name, /merge/);
    assert.equal(await driver.evaluate('step'), '9');
    assert.equal(await driver.evaluate('state.inventory.shelf_0'), before);
    assert.equal(await driver.evaluate('patch.inventory.shelf_0'), 'null');
    await showsSchemaAt(changed.frame.line - 1);

    const back = await press('stepBack');
    assert.match(back.frame.name, /observe/);
    assert.equal(await driver.evaluate('step'), '9');
    assert.equal(await driver.evaluate('state.inventory.shelf_0'), before);

    // What the schema doesn't allow is refused with its rule; nothing has changed then.
    const { tracePath } = driver.position;
    assert.ok(tracePath);
    const recorded = await recordsOf(tracePath);
    const variablesReference = await opened(back.frame.id, 'State Σ', 'inventory');
    const change = (value: string) =>
      driver.request<DebugProtocol.SetVariableResponse['body']>('setVariable', {
        variablesReference,
        name: 'shelf_0',
        value,
      });
    await assert.rejects(change('box'), /pattern/);
    assert.equal(await driver.evaluate('state.inventory.shelf_0'), before);
    assert.deepEqual(await recordsOf(tracePath), recorded);

    await change('item_9');
    assert.match(await driver.evaluate('state.inventory.shelf_0'), /item_9/);
    const again = await press('continue');
    assert.equal(again.reason, 'data breakpoint');
    assert.deepEqual([driver.position.branch, driver.position.step], [1, 9]);
    assert.match(await driver.evaluate('state.inventory.shelf_0'), /item_9/);
    const act = await press('stepOver');
    assert.match(act.frame.name, /act/);
    assert.equal(await driver.evaluate('action'), '"Move item_9 shelf_0 shelf_1"');
    await press('stepOver');
    assert.match(await driver.evaluate('observation'), /Error/);
    // What was recorded stands as it stood; the branch comes after it.
    assert.deepEqual((await recordsOf(tracePath)).slice(0, recorded.length), recorded);

    const comparison = await compared(tracePath, / 11 /);
    assert.match(comparison, /^Step 9 differs in what was written into the state\.$/m);
    assert.match(comparison, /Move item_9 shelf_0 shelf_1.*refused.*edited/);

    // The branch goes on to the end of its 25 steps, and the comparison with it.
    let stop = await press('continue');
    while (stop.reason === 'data breakpoint') stop = await press('continue');
    assert.equal(stop.reason, 'end');
    await compared(tracePath, /^\| steps +\| 10 +\| 25 +\|$/m);
  });
});
