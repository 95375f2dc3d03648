/** The language server reports what is wrong in a SKILL.md while it is being written. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './waiting';
import { openNew } from './workspaceFiles';

function ours(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'skill-state');
}

describe('language server', () => {
  it('reports a front-matter problem and clears it when it is mended', async () => {
    const broken = '---\nname: broken\nname: again\ndescription: Says its name twice.\n---\n# Broken\n';
    const { document } = await openNew(['broken', 'SKILL.md'], broken);
    const changed = [vscode.languages.onDidChangeDiagnostics];
    const problems = await until('a problem', changed, () => {
      const found = ours(document.uri);
      return found.length > 0 ? found : undefined;
    });
    assert.equal(problems[0]?.range.start.line, 2);

    const edit = new vscode.WorkspaceEdit();
    edit.delete(document.uri, new vscode.Range(2, 0, 3, 0));
    await vscode.workspace.applyEdit(edit);
    await until('no problem', changed, () => (ours(document.uri).length === 0 ? true : undefined));
    await document.save();
  });
});
