/** The packaged extension wakes up when it is needed, and not before. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandTable } from '../../client/src/commands/commandTable';
import { until } from './waiting';
import { openNew, openSample } from './workspaceFiles';

/** The extension under test, as it is installed. */
function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension('skill-state.skill-state');
  assert.ok(found, 'the package is not installed');
  return found;
}

describe('activation', () => {
  it('runs the installed package, not the sources', () => {
    assert.match(extension().extensionPath, /extensions[\\/]skill-state\.skill-state-\d/);
  });

  it('leaves other files alone', async () => {
    const files = {
      'README.md': '# Notes\n',
      'some.yaml': 'a: 1\n',
      'some.json': '{}\n',
      'schema.yml': 'type: object\n',
    };
    for (const [name, text] of Object.entries(files)) {
      const { document } = await openNew(['notes', name], text);
      assert.doesNotMatch(document.languageId, /skill/);
    }
    assert.equal(extension().isActive, false);
  });

  it('starts with the first skill', async () => {
    // Nor did it wake up late for one of those.
    assert.equal(extension().isActive, false);
    const { document } = await openSample('warehouse', 'SKILL.md');
    assert.equal(document.languageId, 'skill');
    await until('activation', [], () => (extension().isActive ? true : undefined));
  });

  it('gives state schemas their language', async () => {
    const { document } = await openNew(['notes', 'state.schema.yaml'], 'type: object\n');
    assert.equal(document.languageId, 'skill-state-schema');
  });

  it('registers every command of the table', async () => {
    await extension().activate();
    const registered = await vscode.commands.getCommands(true);
    assert.deepEqual(
      Object.keys(commandTable).filter((id) => !registered.includes(id)),
      [],
    );
  });
});
