/** *Try This Step…* in VS Code: answers to the prompt of the step where the run is paused, in a document of their own. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { type OpenAiServer, startOpenAiServer } from '../support/openaiServer';
import { SessionDriver } from './sessionDriver';
import { within } from './waiting';

/** The second of the server's answers hides markup in its action. */
const actions = ['Store item_0 shelf_0', 'Store <img src=x> [a](command:x)'] as const;

function replyWith(action: string): string {
  return `\`\`\`json\n${JSON.stringify({ state_patch: { inventory: { shelf_0: 'item_0' } }, action })}\n\`\`\``;
}

describe('trying a step', () => {
  let server: OpenAiServer;
  let driver: SessionDriver;

  beforeEach(async () => {
    server = await startOpenAiServer({
      models: ['m'],
      answer: (_request, nth) => ({ kind: 'reply', text: replyWith(actions[nth === 1 ? 1 : 0]) }),
    });
    driver = await SessionDriver.start({
      type: debugType,
      request: 'launch',
      name: 'Warehouse by a server',
      skill: `\${workspaceFolder}/warehouse`,
      environment: 'warehouse',
      model: 'openai:m',
      baseUrl: server.baseUrl,
      decoding: 'free',
      horizon: 2,
      seed: 42,
      stopOnEntry: true,
    });
    await driver.stopped();
  });

  afterEach(async () => {
    await driver.dispose();
    await server.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('shows how answers differ, records nothing, and leaves the run where it is', async () => {
    const before = driver.position;
    await within(
      'skill-state.tryStep',
      vscode.commands.executeCommand('skill-state.tryStep', { samples: 3, models: [] }),
    );
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'skill-state-models');
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
});
