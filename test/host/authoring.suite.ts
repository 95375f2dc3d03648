/** The commands with which skills are begun: each writes what it says, and overwrites nothing. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { lenses } from './providers';
import { until, within } from './waiting';
import { openNew, openSample, shownDocument, workspaceFile } from './workspaceFiles';

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
    const skill = workspaceFile('sorting', 'SKILL.md').toString();
    await until(
      'the instructions selected',
      [vscode.window.onDidChangeActiveTextEditor, vscode.window.onDidChangeTextEditorSelection],
      () => {
        const editor = vscode.window.activeTextEditor;
        if (editor?.document.uri.toString() !== skill) return undefined;
        return /^Say here what to do/.test(editor.document.getText(editor.selection)) || undefined;
      },
    );
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
    const [skill, schema] = ['SKILL.md', 'state.schema.yaml'].map((name) =>
      workspaceFile('warehouse-2', name).toString(),
    );
    await until('skill and schema beside each other', [vscode.window.onDidChangeVisibleTextEditors], () => {
      const open = vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString());
      return (open.includes(skill ?? '') && open.includes(schema ?? '')) || undefined;
    });
  });

  it('infers a schema beside the state', async () => {
    await openNew(['inferred', 'SKILL.md'], '---\nname: inferred\ndescription: D.\n---\n# I\n\nDo it.\n');
    await openNew(['inferred', 'state.initial.yaml'], 'open:\n  task_1: write\n  task_2: test\n');
    await command('skill-state.inferStateSchema', {
      states: workspaceFile('inferred', 'state.initial.yaml'),
    });
    assert.match(await textOf('inferred', 'state.schema.yaml'), /\^task_\[0-9\]/);
    await shownDocument('the schema', ({ languageId }) => languageId === 'skill-state-schema');
  });

  it('shows a prompt, read-only and to the letter, with its tokens above the parts', async () => {
    const { document: skill } = await openSample('warehouse', 'SKILL.md');
    await command('skill-state.showPrompt', {
      skill: skill.uri,
      state: '{"inventory":{"shelf_3":"item_9"}}',
      observation: 'Customer ordered item_9.',
    });
    const document = await shownDocument('the prompt', ({ uri }) => uri.scheme === 'skill-state-prompt');
    assert.match(document.getText(), /^Instructions:\n# Warehouse\n/);
    assert.ok(document.getText().includes('```json\n{"inventory":{"shelf_3":"item_9"}}\n```'));
    const titles = await lenses(document.uri, /^\d+ tokens in all/);
    assert.ok(
      titles.some((title) => /^state \d+/.test(title)),
      titles.join(', '),
    );
  });
});
