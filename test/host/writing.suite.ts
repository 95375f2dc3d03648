/** Every feature of the language server as a user gets it: through VS Code's own commands, beside VS Code's own support. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { codesOf, finding, noFinding, ours, shows } from './problems';
import { hovers, inlayHints, links, outline, positionOf, quickFixes, suggestions } from './providers';
import { untilAnswered, within } from './waiting';
import { openNew, workspaceFile } from './workspaceFiles';

const instructions = `---
name: orders
description: Keeps track of orders. Use it when orders arrive.
metadata:
  environment: manual
---

# Orders

Put each order into \`open\` and remember \`customer.name\`. See [the rules](references/rules.md).

## Actions

- \`Close <order_id>\`: closes an order.

## Example

\`\`\`json
{"state_patch": {"open": {"order_1": "paid"}}, "action": "Close order_1"}
\`\`\`
`;

const schema = `# What is known of the orders.
type: object
properties:
  # Those that aren't closed.
  open:
    type:   object
    propertyNames: { maxLength: 20 }
    additionalProperties: { type: string, maxLength: 40 }
    maxProperties: 20
  customer:
    $ref: parts/person.yaml
  log:
    type: array
    items: { type: string, maxLength: 80 }
additionalProperties: false
`;

const person = `type: object
properties:
  name: { type: string, maxLength: 80 }
additionalProperties: false
`;

const initial = `open:
  order_0: new

`;

/** Each name that stands more than once. */
function doubled(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

async function apply(edit: vscode.WorkspaceEdit | undefined): Promise<void> {
  assert.ok(edit, 'there is no edit');
  assert.ok(await within('the edit', vscode.workspace.applyEdit(edit)), 'the edit was refused');
}

describe('writing a skill', () => {
  let skill: vscode.TextEditor;
  let state: vscode.TextEditor;
  let begin: vscode.TextEditor;

  before(async () => {
    await openNew(['orders', 'references', 'rules.md'], '# Rules\n');
    await openNew(['orders', 'parts', 'person.yaml'], person);
    begin = await openNew(['orders', 'state.initial.yaml'], initial);
    state = await openNew(['orders', 'state.schema.yaml'], schema);
    skill = await openNew(['orders', 'SKILL.md'], instructions);
  });

  it('completes the values of front matter, each once', async () => {
    const labels = await untilAnswered(
      'the environments',
      () => suggestions(skill.document.uri, positionOf(skill, 'manual')),
      (found) => (found.includes('warehouse') ? found : undefined),
    );
    assert.deepEqual(doubled(labels), []);
  });

  it('completes the keys of front matter, each once', async () => {
    const { document } = await openNew(['keys', 'SKILL.md'], '---\nmetadata:\n  \n\n---\n# Keys\n\nDo it.\n');
    // Only the server knows these; once they are there it takes part in what follows.
    await untilAnswered(
      'the keys of metadata',
      () => suggestions(document.uri, new vscode.Position(2, 2)),
      (found) => (found.includes('terminal-actions') ? found : undefined),
    );
    const labels = await suggestions(document.uri, new vscode.Position(3, 0));
    assert.deepEqual(doubled(labels), []);
    for (const key of ['name', 'description', 'license', 'allowed-tools'])
      assert.ok(labels.includes(key), key);
  });

  it('completes fields and actions in a code span, and in the example', async () => {
    const { uri } = skill.document;
    const inSpan = await untilAnswered(
      'the fields',
      () => suggestions(uri, positionOf(skill, '`open`', 1)),
      (found) => (found.includes('customer') ? found : undefined),
    );
    assert.ok(inSpan.includes('Close <order_id>'), inSpan.join(', '));
    const inExample = await suggestions(uri, positionOf(skill, '"open"', 1));
    // Of the fields only this one takes the value that stands there.
    assert.deepEqual(inExample, ['open']);
    assert.deepEqual(doubled(inSpan), []);
  });

  it('says of a field in a code span what the schema says, once', async () => {
    const [text, ...more] = await untilAnswered(
      'the hover',
      () => hovers(skill.document.uri, positionOf(skill, '`open`', 2)),
      (found) => (found.length > 0 ? found : undefined),
    );
    assert.match(text ?? '', /`open`.*map to string(?:.|\n)*20 keys/);
    assert.deepEqual(more, []);
  });

  it('adds to the hover of a key what VS Code does not say', async () => {
    const texts = await untilAnswered(
      'both hovers',
      () => hovers(skill.document.uri, positionOf(skill, 'name: orders', 1)),
      (found) => (found.length > 1 ? found : undefined),
    );
    assert.equal(texts.length, 2);
    assert.deepEqual(doubled(texts), []);
    assert.ok(texts.some((text) => /6 of 64 characters/.test(text)));
  });

  it('goes from a code span to the field, also in another file', async () => {
    const go = (text: string, after: number) => () =>
      vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeDefinitionProvider',
        skill.document.uri,
        positionOf(skill, text, after),
      );
    const one = (found: readonly vscode.Location[]) => found[0];
    const field = await untilAnswered('the field', go('`open`', 2), one);
    assert.equal(field.uri.path, state.document.uri.path);
    assert.deepEqual(field.range.start, positionOf(state, 'open:'));
    const inPart = await untilAnswered('the field of a part', go('customer.name', 10), one);
    assert.equal(inPart.uri.path, workspaceFile('orders', 'parts', 'person.yaml').path);
  });

  it('shows the bound behind each field, and what keeps it from having one', async () => {
    const hints = await untilAnswered(
      'the hints',
      () => inlayHints(state.document),
      (found) => (found.length > 3 ? found : undefined),
    );
    assert.ok(
      hints.some((hint) => /^4: ≤ [\d.]+ k?B, ≈ \d+ tokens/.test(hint)),
      hints.join('\n'),
    );
    assert.ok(
      hints.some((hint) => /^11: unbounded: .*maxItems/.test(hint)),
      hints.join('\n'),
    );
  });

  it('mends a finding by its quick fix', async () => {
    const { uri } = state.document;
    const unbounded = await finding(uri, 'state.unbounded');
    const fixes = await quickFixes(uri, unbounded.range);
    const fix = fixes.find(({ title }) => title.startsWith('Add maxItems'));
    assert.ok(fix, fixes.map(({ title }) => title).join(', '));
    assert.deepEqual(doubled(fixes.map(({ title }) => title)), []);
    await apply(fix.edit);
    await noFinding(uri, 'state.unbounded');
    assert.match(state.document.getText(), /maxItems: \d+/);
  });

  it('renames a field everywhere from the instructions, and back from the schema', async () => {
    const rename = (editor: vscode.TextEditor, text: string, name: string) =>
      untilAnswered(
        `the rename to ${name}`,
        () =>
          vscode.commands.executeCommand<vscode.WorkspaceEdit>(
            'vscode.executeDocumentRenameProvider',
            editor.document.uri,
            positionOf(editor, text, 1),
            name,
          ),
        (edit) => (edit.size > 0 ? edit : undefined),
      );
    const before = [skill, state, begin].map(({ document }) => document.getText());
    await apply(await rename(skill, '`open`', 'waiting'));
    assert.match(skill.document.getText(), /into `waiting` and/);
    assert.match(skill.document.getText(), /\{"waiting": \{"order_1"/);
    assert.match(state.document.getText(), /^ {2}waiting:$/m);
    assert.match(begin.document.getText(), /^waiting:$/m);
    assert.doesNotMatch(skill.document.getText() + state.document.getText(), /\bopen\b/);

    await apply(await rename(state, 'waiting:', 'open'));
    assert.deepEqual(
      [skill, state, begin].map(({ document }) => document.getText()),
      before,
    );
  });

  it('formats a schema, and keeps its comments', async () => {
    const { document } = state;
    const edits = await untilAnswered(
      'the edits',
      () =>
        vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
          'vscode.executeFormatDocumentProvider',
          document.uri,
          { tabSize: 2, insertSpaces: true },
        ),
      (found) => (found && found.length > 0 ? found : undefined),
    );
    const comments = document.getText().match(/#.*/g);
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, edits);
    await apply(edit);
    assert.match(document.getText(), /^ {4}type: object$/m);
    assert.deepEqual(document.getText().match(/#.*/g), comments);
  });

  it('lists the fields in the outline, and leads to files', async () => {
    const names = await untilAnswered(
      'the outline',
      () => outline(state.document.uri),
      (found) => (found.length > 0 ? found : undefined),
    );
    assert.deepEqual(
      names.map((name) => name.split(' ')[0]),
      ['open', 'customer', 'log'],
    );
    assert.deepEqual(await outline(skill.document.uri), ['# Orders (## Actions, ## Example)']);
    assert.deepEqual(
      (await links(skill.document.uri)).map((path) => path.split('/').slice(-2).join('/')),
      ['references/rules.md'],
    );
    assert.deepEqual(
      (await links(state.document.uri)).map((path) => path.split('/').slice(-2).join('/')),
      ['parts/person.yaml'],
    );
  });

  it('colours a schema by what its words mean', async () => {
    const { data } = await untilAnswered(
      'the tokens',
      () =>
        vscode.commands.executeCommand<vscode.SemanticTokens | undefined>(
          'vscode.provideDocumentSemanticTokens',
          state.document.uri,
        ),
      (found) => (found && found.data.length > 0 ? found : undefined),
    );
    const types = new Set([...data].filter((_, index) => index % 5 === 3));
    assert.ok(types.size >= 3, `${types.size} kinds of tokens`);
  });

  it('completes an initial state', async () => {
    const labels = await untilAnswered(
      'the fields',
      () => suggestions(begin.document.uri, new vscode.Position(2, 0)),
      (found) => (found.length > 0 ? found : undefined),
    );
    assert.deepEqual(labels, ['customer', 'log']);
  });

  it("completes and explains keywords, and knows a schema's parts", async () => {
    const { uri } = state.document;
    assert.ok((await suggestions(uri, positionOf(state, 'type: array', 6))).includes('integer'));
    const [text, ...more] = await hovers(uri, positionOf(state, 'maxProperties', 2));
    assert.match(text ?? '', /`maxProperties`/);
    assert.deepEqual(more, []);
    const part = workspaceFile('orders', 'parts', 'person.yaml').toString();
    await untilAnswered(
      'the language of the part',
      async () => vscode.workspace.textDocuments.filter((open) => open.uri.toString() === part),
      (found) => found.find(({ languageId }) => languageId === 'skill-state-schema'),
    );
  });

  it('adds to a JSON schema what only it knows, and nothing twice', async () => {
    await openNew(
      ['json-orders', 'SKILL.md'],
      '---\nname: json-orders\ndescription: Has JSON.\n---\n# JSON\n\nKeep `open`.\n',
    );
    const text =
      '{"type": "object", "properties": {"open": {"type": "array", "items": {"type": "integer"}, "maxItems": 9, "x-": "append"}}}\n';
    const editor = await openNew(['json-orders', 'state.schema.json'], text);
    const { uri } = editor.document;
    const labels = await untilAnswered(
      'the annotations',
      () => suggestions(uri, positionOf(editor, '"x-"', 3)),
      (found) => (found.some((label) => label.includes('x-merge')) ? found : undefined),
    );
    assert.deepEqual(doubled(labels.map((label) => label.replaceAll('"', ''))), []);
    // VS Code's own server of JSON may still be starting.
    const names = await untilAnswered(
      'the outline',
      () => outline(uri),
      (found) => (found.length > 0 ? found : undefined),
    );
    assert.deepEqual(names, ['type', 'properties (open (type, items (type), maxItems, x-))']);
    const explanations = await untilAnswered(
      'the hover',
      () => hovers(uri, positionOf(editor, '"maxItems"', 2)),
      (found) => (found.length > 0 ? found : undefined),
    );
    assert.equal(explanations.length, 1);
    // With a second formatter VS Code would ask which one to take.
    await vscode.window.showTextDocument(editor.document);
    await within('formatting', vscode.commands.executeCommand('editor.action.formatDocument'));
    assert.ok(editor.document.lineCount > 5, editor.document.getText());
  });

  it('renames the folder to the name that front matter gives', async () => {
    const { document } = await openNew(
      ['wrong-folder', 'SKILL.md'],
      '---\nname: right-folder\ndescription: Is in another folder.\n---\n# Folder\n\nDo it.\n',
    );
    const fix = await untilAnswered(
      'the fix',
      () => quickFixes(document.uri, new vscode.Range(1, 6, 1, 18)),
      (found) => found.find(({ title }) => title === 'Rename the folder to right-folder'),
    );
    await apply(fix.edit);
    const renamed = workspaceFile('right-folder', 'SKILL.md');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(renamed));
    assert.match(text, /^---\nname: right-folder\n/);
    await vscode.window.showTextDocument(renamed);
    // What may be said of it still says that it was looked at.
    await finding(renamed, 'skill.no-state-schema');
    await shows(renamed, []);
    assert.deepEqual(
      vscode.languages.getDiagnostics(renamed).filter(({ message }) => /folder/i.test(message)),
      [],
    );
  });
});

describe('files that a skill has only by naming them', () => {
  const skillText = `---
name: naming
description: Names its files. Use it when files are named.
metadata:
  environment: manual
  state-schema: data/model [1].json
  include: references/rules.md
---

# Naming

Keep \`count\` and \`log\`.
`;
  const text = `{
  "type": "object",
  "properties": {
    "count": { "type": "integer" },
    "log": { "type": "array", "items": { "type": "string", "maxLength": 9 }, "maxItems": 9, "x-merge": "apend" }
  },
  "additionalProperties": false
}
`;
  const rules = 'Add to `state.cuont`, and to `log`.\n';
  /** Some seconds. */
  const looksBetweenWrites = 50;
  let skill: vscode.TextEditor;
  let schemaFile: vscode.TextEditor;
  let included: vscode.TextEditor;
  let schemaTwin: vscode.TextEditor;
  let other: vscode.TextEditor;

  async function replace(editor: vscode.TextEditor, from: string, to: string): Promise<void> {
    const start = positionOf(editor, from);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(editor.document.uri, new vscode.Range(start, positionOf(editor, from, from.length)), to);
    await apply(edit);
  }

  /** Waits until the server has reported on the whole workspace as it is now: on a new skill that isn't open as well. */
  async function workspaceReport(name: string): Promise<void> {
    const uri = workspaceFile(name, 'SKILL.md');
    const unnamed = "---\nname: Not A Name\ndescription: Isn't open.\n---\n# Unopened\n\nDo it.\n";
    const write = () => vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(unnamed));
    await write();
    // Once more where nobody heard of it: a watcher may look at a new folder only after there is a file in it. Not at
    // every look, since the client of the protocol tells of files only once they have been left alone for a while.
    let looks = 0;
    await untilAnswered(
      'a report on a skill that is not open',
      async () => {
        if (++looks % looksBetweenWrites === 0) await write();
        return codesOf(ours(uri));
      },
      (codes) => codes.includes('skill.invalid-name') || undefined,
    );
  }

  before(async () => {
    // A pattern with its name would match this one, too.
    schemaTwin = await openNew(['naming', 'data', 'model 1.json'], text);
    schemaFile = await openNew(['naming', 'data', 'model [1].json'], text);
    other = await openNew(['naming', 'references', 'other.md'], rules);
    included = await openNew(['naming', 'references', 'rules.md'], rules);
    skill = await openNew(['naming', 'SKILL.md'], skillText);
  });

  it('are checked as they are typed, each finding shown once', async () => {
    for (const [editor, code, from, to] of [
      [schemaFile, 'state.invalid-annotation', 'apend', 'append'],
      [included, 'skill.unknown-state-path', 'cuont', 'count'],
    ] as const) {
      const { document } = await vscode.window.showTextDocument(editor.document);
      await finding(document.uri, code);
      await workspaceReport(`unopened-${from}`);
      assert.deepEqual(codesOf(ours(document.uri)), [code]);
      await replace(editor, from, to);
      await noFinding(document.uri, code);
      assert.ok(document.isDirty);
    }
    assert.equal(schemaFile.document.languageId, 'json');
    assert.equal(included.document.languageId, 'markdown');
  });

  it('are completed and explained, once', async () => {
    const { uri } = schemaFile.document;
    const [explanation, ...others] = await hovers(uri, positionOf(schemaFile, '"x-merge"', 3));
    assert.match(explanation ?? '', /x-merge/);
    assert.deepEqual(others, []);
    await replace(schemaFile, '"x-merge"', '"x-"');
    const labels = await untilAnswered(
      'the annotations',
      () => suggestions(uri, positionOf(schemaFile, '"x-"', 3)),
      (found) => (found.some((label) => label.includes('x-merge')) ? found : undefined),
    );
    assert.deepEqual(doubled(labels.map((label) => label.replaceAll('"', ''))), []);
    await replace(schemaFile, '"x-"', '"x-merge"');
    const fields = await untilAnswered(
      'the fields',
      () => suggestions(included.document.uri, positionOf(included, '`log`', 1)),
      (found) => (found.includes('count') ? found : undefined),
    );
    assert.deepEqual(doubled(fields), []);
    const [explained, ...more] = await hovers(included.document.uri, positionOf(included, '`log`', 2));
    assert.match(explained ?? '', /`log`/);
    assert.deepEqual(more, []);
  });

  it('are told from files beside them, which get nothing', async () => {
    for (const { document } of [schemaTwin, other]) {
      await vscode.window.showTextDocument(document);
      assert.deepEqual(ours(document.uri), []);
      const labels = await suggestions(
        document.uri,
        document.positionAt(document.getText().indexOf('log') + 1),
      );
      assert.ok(!labels.includes('count') && !labels.some((label) => /x-/.test(label)), labels.join(', '));
      assert.deepEqual(await inlayHints(document), []);
    }
  });

  it('change with the SKILL.md', async () => {
    await replace(included, 'count', 'cuont');
    await finding(included.document.uri, 'skill.unknown-state-path');
    await replace(skill, 'references/rules.md', 'references/other.md');
    await vscode.window.showTextDocument(other.document);
    await finding(other.document.uri, 'skill.unknown-state-path');
    await vscode.window.showTextDocument(included.document);
    await noFinding(included.document.uri, 'skill.unknown-state-path');
    assert.deepEqual(ours(included.document.uri), []);
  });
});
