/** A person in the model's place: the prompt in an editor, the reply beside it, checked while it is written, and sent. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { lenses } from './providers';
import { SessionDriver } from './sessionDriver';
import { until, untilAnswered, within } from './waiting';

const byHand = {
  type: debugType,
  request: 'launch',
  name: 'Warehouse by hand',
  skill: `\${workspaceFolder}/warehouse`,
  environment: 'warehouse',
  model: 'manual',
  horizon: 5,
  seed: 42,
  stopOnEntry: true,
};

function command(id: string, ...given: readonly unknown[]): Promise<unknown> {
  return within(id, vscode.commands.executeCommand(`skill-state.${id}`, ...given));
}

function reply(patch: object, action: string): string {
  return `Because.\n\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action }, undefined, 2)}\n\`\`\`\n`;
}

const editorEvents = [
  vscode.window.onDidChangeActiveTextEditor,
  vscode.window.onDidChangeVisibleTextEditors,
  vscode.workspace.onDidChangeTextDocument,
];

/** The editor of the answer, once it has the focus. */
function answerEditor(): Promise<vscode.TextEditor> {
  return until('the editor of the answer', editorEvents, () => {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.isUntitled ? editor : undefined;
  });
}

/** The prompt as its editor shows it, once it fits. */
function shownPrompt(fits: (text: string) => boolean): Promise<vscode.TextEditor> {
  return until('the prompt', editorEvents, () =>
    vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.scheme === 'skill-state-question' && fits(document.getText()),
    ),
  );
}

async function write({ document }: Pick<vscode.TextEditor, 'document'>, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** What is reported of a text, once it is this many problems: `class "the text that it is about"`. */
function problems({ document }: vscode.TextEditor, count: number): Promise<readonly string[]> {
  return until(`${count} problems`, [vscode.languages.onDidChangeDiagnostics], () => {
    const found = vscode.languages.getDiagnostics(document.uri);
    return found.length === count
      ? found.map(({ code, range }) => `${String(code)} ${JSON.stringify(document.getText(range))}`)
      : undefined;
  });
}

const isOpen = (uri: vscode.Uri) =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());

function closed(what: string, uri: vscode.Uri): Promise<true> {
  return until(what, [vscode.window.tabGroups.onDidChangeTabs], () => !isOpen(uri) || undefined);
}

describe('answers of a person', () => {
  let driver: SessionDriver;

  /** A session whose first prompt waits for its reply. */
  async function asked(): Promise<vscode.TextEditor> {
    driver = await SessionDriver.start(byHand);
    await driver.stopped();
    await driver.press('stepOver');
    return answerEditor();
  }

  afterEach(async () => {
    await driver?.dispose();
    await vscode.workspace.getConfiguration().update('skill-state.answerInEditor', undefined, true);
    // An untitled text that has something in it would be asked about.
    for (const document of vscode.workspace.textDocuments)
      if (document.isUntitled && !document.isClosed) await write({ document }, '');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('are written beside the exact prompt, checked by the rules of the run, and sent', async () => {
    const editor = await asked();
    const prompt = await shownPrompt((text) => text.startsWith('Instructions:'));
    assert.equal(prompt.document.languageId, 'markdown');
    assert.ok((editor.viewColumn ?? 0) > (prompt.viewColumn ?? 0));
    await until('the state in sight', [vscode.window.onDidChangeTextEditorVisibleRanges], () => {
      const lines = prompt.document.getText().split('\n');
      const state = new vscode.Position(lines.indexOf('Skill Execution State:'), 0);
      const [seen] = prompt.visibleRanges;
      return (seen?.contains(state) && seen.start.line > 0) || undefined;
    });
    await write(editor, reply({ inventory: { shelf_0: 7 } }, 'Store item_0 shelf_0'));
    assert.deepEqual(await problems(editor, 1), ['schema "\\"shelf_0\\": 7"']);
    await write(editor, reply({}, 'Fly away'));
    await until('another problem', [vscode.languages.onDidChangeDiagnostics], () => {
      const [only] = vscode.languages.getDiagnostics(editor.document.uri);
      return only?.code === 'action' || undefined;
    });
    await lenses(editor.document.uri, /Rejected as action$/);
    await write(editor, reply({ inventory: { shelf_0: 'item_0' } }, 'Store item_0 shelf_0'));
    assert.deepEqual(await problems(editor, 0), []);
    const shown = await lenses(editor.document.uri, /Fits/);
    assert.deepEqual(shown, [
      'Reply to step 0?',
      `$(send) Send (${process.platform === 'darwin' ? 'Cmd' : 'Ctrl'}+Enter)`,
      '$(pass) Fits: Store item_0 shelf_0 · changes 1 value',
      '$(copy) Copy Prompt',
    ]);
    await command('sendReply');
    assert.match((await driver.stopped()).frame.name, /act/);
    assert.equal(await driver.evaluate('action'), '"Store item_0 shelf_0"');
    // The next step begins with an empty text in the same editor.
    await driver.press('stepOver');
    const next = await answerEditor();
    assert.equal(next.document.uri.toString(), editor.document.uri.toString());
    await until('an empty text', editorEvents, () => next.document.getText() === '' || undefined);
    await shownPrompt((text) => text.includes('"shelf_0":"item_0"'));
  });

  it('are there to be put right where they were rejected, beside the correction', async () => {
    const editor = await asked();
    const wrong = reply({}, 'Fly away');
    await write(editor, wrong);
    await command('sendReply', editor.document.uri);
    assert.equal((await driver.stopped()).reason, 'exception');
    await driver.press('stepOver');
    await shownPrompt((text) => text.includes('Your previous reply was rejected (action)'));
    await until('the whole text selected', [vscode.window.onDidChangeTextEditorSelection], () => {
      const shown = vscode.window.activeTextEditor;
      if (shown?.document !== editor.document) return undefined;
      const { document, selection } = shown;
      return (document.getText() === wrong && document.getText(selection) === wrong) || undefined;
    });
    await write(editor, reply({}, 'Wait'));
    await command('sendReply');
    await driver.stopped();
    assert.equal(await driver.evaluate('attempts.size()'), '2');
  });

  it('can be given on the debug console as well; what was typed in the editor stays', async () => {
    const editor = await asked();
    await write(editor, 'half a reply');
    await driver.evaluate(reply({}, 'Wait'));
    await driver.stopped();
    await lenses(editor.document.uri, /Nobody waits/);
    await command('sendReply');
    assert.equal(editor.document.getText(), 'half a reply');
    assert.equal(await driver.evaluate('action'), '"Wait"');
  });

  it('lose their prompt when the run goes elsewhere, and keep their text for the next question', async () => {
    const editor = await asked();
    const prompt = await shownPrompt(() => true);
    await write(editor, 'half a reply');
    await driver.press('pause');
    await driver.stopped();
    await driver.press('stepBack');
    await driver.stopped();
    await closed('the prompt is closed', prompt.document.uri);
    assert.ok(isOpen(editor.document.uri));
    await driver.press('stepOver');
    await shownPrompt(() => true);
    const again = await answerEditor();
    assert.equal(again.document.getText(), 'half a reply');
  });

  it('outlive the session where they were not sent, and are put away where there is nothing to keep', async () => {
    const editor = await asked();
    const prompt = await shownPrompt(() => true);
    await write(editor, 'half a reply');
    await vscode.debug.stopDebugging(driver.session);
    await closed('the prompt is closed', prompt.document.uri);
    assert.equal(editor.document.getText(), 'half a reply');
    assert.ok(isOpen(editor.document.uri));
    await write(editor, '');
    await driver.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const second = await asked();
    await vscode.debug.stopDebugging(driver.session);
    await closed('the empty text is closed', second.document.uri);
  });

  it('open no editor by themselves where the setting says so', async () => {
    await vscode.workspace.getConfiguration().update('skill-state.answerInEditor', false, true);
    driver = await SessionDriver.start(byHand);
    await driver.stopped();
    await driver.press('stepOver');
    await driver.said(/Type the model's whole reply here/);
    assert.ok(!vscode.window.activeTextEditor?.document.isUntitled);
    // The console may have shown the question before VS Code was told of it.
    const editor = await untilAnswered(
      'the editor of the answer',
      () => command('answerInEditor'),
      () =>
        vscode.window.activeTextEditor?.document.isUntitled ? vscode.window.activeTextEditor : undefined,
    );
    await write(editor, reply({}, 'Wait'));
    await command('sendReply');
    await driver.stopped();
    assert.equal(await driver.evaluate('action'), '"Wait"');
  });

  it('can be observations of the manual environment', async () => {
    driver = await SessionDriver.start({ ...byHand, name: 'All by hand', environment: 'manual' });
    const editor = await answerEditor();
    await lenses(editor.document.uri, /What is observed first\?/);
    await write(editor, 'A truck arrives.\nIt carries item_0.');
    await command('sendReply');
    await driver.stopped();
    assert.equal(await driver.evaluate('observation'), '"A truck arrives.\\nIt carries item_0."');
  });
});
