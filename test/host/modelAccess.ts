/** What the tests of models change and ask in VS Code. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { within } from './waiting';
import { shownDocument } from './workspaceFiles';

/** Changes a user setting; undefined takes it away. */
export async function changeSetting(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

/** What *Skill: List Models* shows. */
export async function listedModels(): Promise<string> {
  await within('skill-state.listModels', vscode.commands.executeCommand('skill-state.listModels'));
  const document = await shownDocument('the list', ({ uri }) => uri.scheme === 'skill-state-models');
  assert.equal(document.languageId, 'markdown');
  return document.getText();
}
