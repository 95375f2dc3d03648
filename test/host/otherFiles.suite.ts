/** YAML, JSON and Markdown of others notice nothing of the extension while it is active, and its own YAML is no server's for all YAML. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ours } from './problems';
import { hovers, inlayHints, suggestions } from './providers';
import { untilAnswered } from './waiting';
import { openNew, workspaceFile } from './workspaceFiles';

describe("other people's files", () => {
  const text = {
    'values.yaml': 'type: objekt\nproperties: { a: { type: array } }\n',
    'schema.json': '{"type": "object", "properties": {"a": {"type": "array", "x-merge": "perhaps"}}}\n',
    'notes.md': '---\nname: X\nunknown: y\n---\n# Notes\n\nThe field `open` and `Close <order_id>`.\n',
  };
  const languages = { 'values.yaml': 'yaml', 'schema.json': 'json', 'notes.md': 'markdown' };

  for (const [name, content] of Object.entries(text)) {
    it(`get nothing of ours: ${name}, beside a skill that is open`, async () => {
      const { document } = await openNew(['orders', 'elsewhere', name], content);
      assert.equal(document.languageId, languages[name as keyof typeof languages]);
      // The server has answered for a skill after this file was opened, so it has seen whatever it was sent.
      await vscode.window.showTextDocument(workspaceFile('keys', 'SKILL.md'));
      await untilAnswered(
        'the keys of metadata',
        () => suggestions(workspaceFile('keys', 'SKILL.md'), new vscode.Position(2, 2)),
        (found) => (found.includes('terminal-actions') ? true : undefined),
      );
      const { uri } = document;
      assert.deepEqual(ours(uri), []);
      assert.deepEqual(await inlayHints(document), []);
      const legend = await vscode.commands.executeCommand('vscode.provideDocumentSemanticTokensLegend', uri);
      assert.equal(legend, undefined);
      const lenses = await vscode.commands.executeCommand<unknown[]>('vscode.executeCodeLensProvider', uri);
      assert.deepEqual(lenses, []);
      for (let line = 0; line < document.lineCount; line++) {
        const labels = await suggestions(uri, document.lineAt(line).range.end);
        // What VS Code itself offers in JSON Schemas has no annotations of ours.
        const ourNames = /^"?(x-|customer|environment|state-schema|terminal-actions|Close)/;
        assert.deepEqual(
          labels.filter((label) => ourNames.test(label)),
          [],
        );
        const texts = await hovers(uri, new vscode.Position(line, 3));
        assert.deepEqual(
          texts.filter((one) => /SKILL\.state|map to|Size:/.test(one)),
          [],
        );
      }
      assert.equal(document.languageId, languages[name as keyof typeof languages]);
    });
  }

  it('have no formatter from us', async () => {
    for (const name of ['values.yaml', 'notes.md']) {
      const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
        'vscode.executeFormatDocumentProvider',
        workspaceFile('orders', 'elsewhere', name),
        { tabSize: 2, insertSpaces: true },
      );
      assert.equal(edits, undefined, name);
    }
  });
});

describe('languages', () => {
  it('are YAML or Markdown to the eye alone: a grammar that includes it, under an id that no server for either takes', async () => {
    const extension = vscode.extensions.getExtension('skill-state.skill-state');
    assert.ok(extension);
    const { grammars, languages } = extension.packageJSON.contributes;
    assert.equal(grammars.length, languages.length);
    const known = await vscode.languages.getLanguages();
    for (const { language, scopeName, path } of grammars) {
      assert.ok(known.includes(language), language);
      const included = scopeName.slice(0, scopeName.lastIndexOf('.'));
      assert.ok(['source.yaml', 'text.html.markdown'].includes(included), scopeName);
      const file = vscode.Uri.joinPath(extension.extensionUri, path);
      const grammar = JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
      assert.equal(grammar.scopeName, scopeName);
      assert.ok(grammar.patterns.some(({ include }: { include?: string }) => include === included));
    }
    const scopes = vscode.extensions.all.flatMap(({ packageJSON }) =>
      (packageJSON.contributes?.grammars ?? []).map(({ scopeName }: { scopeName: string }) => scopeName),
    );
    for (const scope of ['source.yaml', 'text.html.markdown'])
      assert.ok(scopes.includes(scope), `VS Code has no grammar ${scope}`);
    const selector = [{ language: 'yaml' }, { language: 'dockercompose' }];
    for (const name of ['state.schema.yaml', 'state.initial.yaml']) {
      const document = await vscode.workspace.openTextDocument(workspaceFile('orders', name));
      assert.equal(vscode.languages.match(selector, document), 0, document.languageId);
    }
  });
});
