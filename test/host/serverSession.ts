/** A session whose model is a server of the test's own, stopped before its first step. */
import * as vscode from 'vscode';
import { debugType } from '../../client/src/hosts/launchConfiguration';
import { type Answering, type OpenAiServer, startOpenAiServer } from '../support/openaiServer';
import { SessionDriver } from './sessionDriver';
import { until, within } from './waiting';

export interface ServerSession {
  readonly server: OpenAiServer;
  readonly driver: SessionDriver;
  /** Ends both, and closes what was opened. */
  dispose(): Promise<void>;
}

/** A reply that the first step of the warehouse takes, unless the action is another one. */
export function storingReply(prose: string, action = 'Store item_0 shelf_0'): string {
  const block = JSON.stringify({ state_patch: { inventory: { shelf_0: 'item_0' } }, action });
  return `${prose}\n\n\`\`\`json\n${block}\n\`\`\``;
}

/** Starts the warehouse by a server that answers so. */
export async function startServerSession(
  answer: Answering,
  configuration: { readonly horizon: number },
): Promise<ServerSession> {
  const server = await startOpenAiServer({ models: ['m'], answer });
  const driver = await SessionDriver.start({
    type: debugType,
    request: 'launch',
    name: 'Warehouse by a server',
    skill: `\${workspaceFolder}/warehouse`,
    environment: 'warehouse',
    model: 'openai:m',
    baseUrl: server.baseUrl,
    decoding: 'free',
    seed: 42,
    stopOnEntry: true,
    ...configuration,
  });
  await driver.stopped();
  return {
    server,
    driver,
    async dispose() {
      await driver.dispose();
      await server.close();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    },
  };
}

/** Runs a command of ours. */
export function command(id: string, ...given: readonly unknown[]): Promise<unknown> {
  return within(id, vscode.commands.executeCommand(`skill-state.${id}`, ...given));
}

/** What the active editor shows of a request, once that fits. */
export function shownExchange(fits: RegExp): Promise<string> {
  return until(
    String(fits),
    [vscode.window.onDidChangeActiveTextEditor, vscode.workspace.onDidChangeTextDocument],
    () => {
      const document = vscode.window.activeTextEditor?.document;
      const text = document?.uri.scheme === 'skill-state-exchange' ? document.getText() : '';
      return fits.test(text) ? text : undefined;
    },
  );
}
