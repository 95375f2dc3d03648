/** The language server reports what is wrong in a SKILL.md while it is being written, and nothing that VS Code shows. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { problemsChanged as changed, codesOf, ours, shows, theirs } from './problems';
import { until } from './waiting';
import { openNew, workspaceFile } from './workspaceFiles';

describe('language server', () => {
  it('reports a front-matter problem and clears it when it is mended', async () => {
    const broken = `---\nname: broken\ndescription: ${'long '.repeat(300)}\n---\n# Broken\n\nDo it.\n`;
    const { document } = await openNew(['broken', 'SKILL.md'], broken);
    await shows(document.uri, ['skill.too-long']);
    const tooLong = ours(document.uri).find(({ code }) => code === 'skill.too-long');
    assert.equal(tooLong?.range.start.line, 2);

    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(2, 0, 3, 0), 'description: Short.\n');
    await vscode.workspace.applyEdit(edit);
    await shows(document.uri, []);
    await document.save();
  });

  it('leaves out what VS Code reports, and shows it by a setting', async () => {
    const text = `---\nname: Other_Name\ndescription: ${'long '.repeat(300)}\n---\n# Twice\n\nDo it.\n`;
    const { document } = await openNew(['twice', 'SKILL.md'], text);
    await until("VS Code's own problems", changed, () =>
      theirs(document.uri).length > 1 ? true : undefined,
    );
    await shows(document.uri, ['skill.too-long']);

    const settings = vscode.workspace.getConfiguration('skill-state');
    await settings.update('diagnostics.repeatBuiltIn', true, vscode.ConfigurationTarget.Global);
    try {
      await shows(document.uri, ['skill.folder-name', 'skill.invalid-name', 'skill.too-long']);
    } finally {
      await settings.update('diagnostics.repeatBuiltIn', undefined, vscode.ConfigurationTarget.Global);
    }
    await shows(document.uri, ['skill.too-long']);
  });

  it('leaves out missing keys that VS Code misses too', async () => {
    const { document } = await openNew(
      ['missing', 'SKILL.md'],
      `---\nlicense: MIT\ncompatibility: ${'x'.repeat(501)}\n---\n# Missing\n\nDo it.\n`,
    );
    await until("VS Code's own problems", changed, () =>
      theirs(document.uri).length > 1 ? true : undefined,
    );
    await shows(document.uri, ['skill.too-long']);
  });

  it('reports in schemas and initial states, whose names may be others', async () => {
    await openNew(
      ['named', 'SKILL.md'],
      '---\nname: named\ndescription: Names its files.\nmetadata:\n  state-schema: facts/of.yaml\n---\n# Named\n\nDo it.\n',
    );
    const { document } = await openNew(['named', 'facts', 'of.yaml'], 'type: objekt\n');
    const uri = document.uri.toString();
    const schema = await until('the language', [vscode.workspace.onDidOpenTextDocument], () =>
      vscode.workspace.textDocuments.find(
        (open) => open.uri.toString() === uri && open.languageId === 'skill-state-schema',
      ),
    );
    await until('a problem of the schema', changed, () => (ours(schema.uri).length > 0 ? true : undefined));

    const initial = await openNew(['named', 'state.initial.yaml'], 'a: [\n');
    assert.equal(initial.document.languageId, 'skill-state-initial');
    await until('a problem of the state', changed, () =>
      ours(initial.document.uri).length > 0 ? true : undefined,
    );
  });

  it('adds to the JSON support what only it knows', async () => {
    await openNew(
      ['in-json', 'SKILL.md'],
      '---\nname: in-json\ndescription: Has JSON.\n---\n# JSON\n\nDo it.\n',
    );
    const text =
      '{"type":"object","properties":{"a":{"type":"array"}},"properties":{},"x-merge":"perhaps"}\n';
    const { document } = await openNew(['in-json', 'state.schema.json'], text);
    assert.equal(document.languageId, 'json');
    await until("VS Code's own problems", changed, () =>
      theirs(document.uri).some(({ message }) => /duplicate/i.test(message)) ? true : undefined,
    );
    await until('ours without the repeat', changed, () => {
      const codes = codesOf(ours(document.uri));
      return codes.includes('state.invalid-annotation') && !codes.includes('state.duplicate-key')
        ? true
        : undefined;
    });
  });

  it('looks at no other file', async () => {
    const { document } = await openNew(['notes', 'plain.yaml'], 'type: objekt\n\ta: [\n');
    const markdown = await openNew(['notes', 'notes.md'], '---\nname: X\n---\n');
    await vscode.window.showTextDocument(workspaceFile('twice', 'SKILL.md'));
    await shows(workspaceFile('twice', 'SKILL.md'), ['skill.too-long']);
    assert.equal(document.languageId, 'yaml');
    assert.deepEqual([...ours(document.uri), ...ours(markdown.document.uri)], []);
  });
});
