/** The commands with which skills are begun: each writes what it says, and overwrites nothing. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until, within } from './waiting';
import { openNew, openSample, workspaceFile } from './workspaceFiles';

async function textOf(...path: readonly string[]): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(workspaceFile(...path)));
}

/** Runs a command with its questions answered. */
function command(id: string, answers: Readonly<Record<string, unknown>>): Promise<unknown> {
  return within(id, vscode.commands.executeCommand(id, answers));
}

describe('authoring commands', () => {
  const answers = (name: string) => ({
    name,
    description: 'Sorts things: "all" of them.',
    template: 'state',
    folder: workspaceFile(),
  });

  it('writes a new skill and leaves its author at the instructions', async () => {
    await command('skill-state.newSkill', answers('sorting'));
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), workspaceFile('sorting', 'SKILL.md').toString());
    assert.match(editor.document.getText(editor.selection), /^Say here what to do/);
    assert.match(await textOf('sorting', 'state.schema.yaml'), /maxProperties/);
  });

  it('overwrites no skill', async () => {
    await openNew(['kept', 'SKILL.md'], 'mine');
    await command('skill-state.newSkill', answers('kept'));
    assert.equal(await textOf('kept', 'SKILL.md'), 'mine');
  });

  it('makes the sample beside one that is there already', async () => {
    await command('skill-state.createSample', { folder: workspaceFile() });
    assert.match(await textOf('warehouse-2', 'SKILL.md'), /^---\nname: warehouse-2\n/);
    const open = vscode.window.visibleTextEditors.map(({ document }) => document.uri.path.split('/').at(-1));
    assert.ok(open.includes('SKILL.md') && open.includes('state.schema.yaml'), open.join(', '));
  });

  it('infers a schema beside the state', async () => {
    await openNew(['inferred', 'SKILL.md'], '---\nname: inferred\ndescription: D.\n---\n# I\n\nDo it.\n');
    await openNew(['inferred', 'state.initial.yaml'], 'open:\n  task_1: write\n  task_2: test\n');
    await command('skill-state.inferStateSchema', {
      states: workspaceFile('inferred', 'state.initial.yaml'),
    });
    assert.match(await textOf('inferred', 'state.schema.yaml'), /\^task_\[0-9\]/);
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'skill-state-schema');
  });

  it('shows a prompt, read-only and to the letter, with its tokens above the parts', async () => {
    const { document: skill } = await openSample('warehouse', 'SKILL.md');
    await command('skill-state.showPrompt', {
      skill: skill.uri,
      state: '{"inventory":{"shelf_3":"item_9"}}',
      observation: 'Customer ordered item_9.',
    });
    const document = await until('the prompt', [vscode.window.onDidChangeActiveTextEditor], () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'skill-state-prompt' ? active : undefined;
    });
    assert.match(document.getText(), /^Instructions:\n# Warehouse\n/);
    assert.ok(document.getText().includes('```json\n{"inventory":{"shelf_3":"item_9"}}\n```'));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    const titles = lenses.map((lens) => lens.command?.title ?? '');
    assert.ok(
      titles.some((title) => /^\d+ tokens in all/.test(title)),
      titles.join(', '),
    );
    assert.ok(
      titles.some((title) => /^state \d+/.test(title)),
      titles.join(', '),
    );
  });
});
