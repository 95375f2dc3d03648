/** The packaged extension wakes up when it is needed, and not before. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('activation', () => {
  const extension = vscode.extensions.getExtension('skill-state.skill-state');

  it('runs the installed package', () => {
    assert.ok(extension);
    console.log(
      'where',
      extension.extensionPath,
      vscode.version,
      vscode.workspace.getConfiguration('telemetry').get('telemetryLevel'),
    );
  });
});
