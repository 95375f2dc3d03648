/** The files that the tests open: all in the temporary copy of the samples. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** The address of a file in the workspace. */
export function workspaceFile(...path: readonly string[]): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the tests need a folder');
  return vscode.Uri.joinPath(folder.uri, ...path);
}

/** Writes a file and opens it in an editor. */
export async function openNew(path: readonly string[], text: string): Promise<vscode.TextEditor> {
  const uri = workspaceFile(...path);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return vscode.window.showTextDocument(uri);
}

/** Opens a file of the samples. */
export function openSample(...path: readonly string[]): Thenable<vscode.TextEditor> {
  return vscode.window.showTextDocument(workspaceFile(...path));
}
