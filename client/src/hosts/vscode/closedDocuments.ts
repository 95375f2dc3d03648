/** Documents that are closed for good. */
import * as vscode from 'vscode';

/**
 * Calls back for each document that is closed, until the returned object is disposed. VS Code tells the same of a document
 * whose language is changed, which stays open and needs what is kept for it.
 */
export function onDocumentClosed(closed: (document: vscode.TextDocument) => void): vscode.Disposable {
  return vscode.workspace.onDidCloseTextDocument((document) => {
    if (document.isClosed) closed(document);
  });
}
