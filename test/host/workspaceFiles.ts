/** The files that the tests open: all in the temporary copy of the samples. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './waiting';

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

/**
 * Waits until the active editor shows a document that is awaited: VS Code says what its active editor is, and what that
 * shows, some time after a command that opened it has ended.
 */
export function shownDocument(
  what: string,
  accept: (document: vscode.TextDocument) => boolean,
): Promise<vscode.TextDocument> {
  const events = [vscode.window.onDidChangeActiveTextEditor, vscode.workspace.onDidChangeTextDocument];
  return until(what, events, () => {
    const document = vscode.window.activeTextEditor?.document;
    return document !== undefined && accept(document) ? document : undefined;
  });
}
