/** *Try This Step…* in VS Code: answers to the prompt of the step where the run is paused, in a document of their own. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { changeSetting } from './modelAccess';
import {
  command,
  type ServerSession,
  shownExchange,
  startServerSession,
  storingReply,
} from './serverSession';
import { within } from './waiting';
import { shownDocument } from './workspaceFiles';

/** The second of the server's answers hides markup in its action. */
const actions = ['Store item_0 shelf_0', 'Store <img src=x> [a](command:x)'] as const;

function shownTries(): Promise<vscode.TextDocument> {
  return shownDocument('the tries', ({ uri }) => uri.scheme === 'skill-state-models');
}

describe('trying a step', () => {
  let session: ServerSession;

  beforeEach(async () => {
    await changeSetting('skill-state.redact', ['planted-\\w+']);
    session = await startServerSession(
      (_request, nth) => ({
        kind: 'reply',
        text: storingReply(`Answer ${nth}, planted-secret.`, actions[nth === 1 ? 1 : 0]),
      }),
      { horizon: 2 },
    );
  });

  afterEach(async () => {
    await session.dispose();
    await changeSetting('skill-state.redact', undefined);
  });

  it('shows how answers differ, records nothing, and leaves the run where it is', async () => {
    const { driver, server } = session;
    const before = driver.position;
    await command('tryStep', { samples: 3, models: [] });
    const document = await shownTries();
    assert.equal(document.languageId, 'markdown');
    const text = document.getText();
    assert.match(text, /^# Trying step 0 of `warehouse`$/m);
    assert.match(text, /^3 answers of 3 asked for, at temperature 0; 2 accepted\.$/m);
    assert.ok(text.includes('`Store item_0 shelf_0`'), text);
    assert.equal(server.requests.length, 3);
    // What a model wrote stands in code alone, so that a preview of the document makes nothing of it.
    assert.doesNotMatch(text.replaceAll(/(`+)[^`].*?\1/gs, ''), /<img|\(command:/);
    assert.deepEqual(driver.position, before);
    const { tracePath } = driver.position;
    assert.ok(tracePath, 'no trace is written');
    const trace = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(tracePath)));
    assert.doesNotMatch(trace, /"kind":"(?:attempt|rejection)"/);
  });

  it('leads from a sample to its exact request and response, without what is to be kept out', async () => {
    const { server } = session;
    await command('tryStep', { samples: 2, models: [] });
    const document = await shownTries();
    // VS Code tells of this as of a document that is closed, and the links stay.
    await vscode.languages.setTextDocumentLanguage(document, 'plaintext');
    const links = await within(
      'the links',
      vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri),
    );
    const second = links.find(({ range }) => /^Sample 2\b/.test(document.lineAt(range.start.line).text));
    assert.equal(second?.tooltip, 'Open the exact request and response of sample 2');
    // As a click on it does.
    const { path, query } = second?.target ?? vscode.Uri.parse('');
    assert.equal(path, 'skill-state.openExchange');
    await within(path, vscode.commands.executeCommand(path, ...(JSON.parse(query) as unknown[])));
    const text = await shownExchange(/^# Request 1 of sample 2 of openai:m, step 0 tried/);
    const sent = server.requests.find(({ body }) => text.includes(JSON.stringify(body.seed)));
    assert.ok(sent && text.includes(`\n${sent.text}\n`), 'the body as it was sent');
    assert.match(text, /^Answered with status 200\./m);
    assert.doesNotMatch(text, /planted-|secret/);

    // By keyboard: the command for the line of the cursor.
    const line = links.find(({ range }) => /^Sample 1\b/.test(document.lineAt(range.start.line).text))?.range;
    await vscode.window.showTextDocument(document, { selection: line ?? new vscode.Range(0, 0, 0, 0) });
    await command('openExchange');
    await shownExchange(/^# Request 1 of sample 1 of openai:m, step 0 tried/);
  });
});
