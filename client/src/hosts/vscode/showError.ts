/** Failures of what nobody waits for: VS Code shows those of commands and requests by itself, and these not at all. */
import * as vscode from 'vscode';

/** Shows what was thrown, by its message. */
export function showError(error: unknown): void {
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}
