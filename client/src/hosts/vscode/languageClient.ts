/** Starts the language server with the first document it is for. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { skillSelector } from './skillFiles';

/**
 * Watches for skills and their schemas and starts the language server when one is open.
 *
 * @returns what ends the server; its promise settles when the process has gone
 */
export function startLanguageClientWhenNeeded({
  context,
  log,
}: {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
}): { stop(): Promise<void> } {
  let client: Promise<LanguageClient> | undefined;

  const startFor = (document: vscode.TextDocument) => {
    if (client || vscode.languages.match(skillSelector, document) === 0) return;
    client = startClient(context.asAbsolutePath('dist/server.js'), log);
    client.catch((error: unknown) => {
      log.error('The language server could not start.', error instanceof Error ? error : String(error));
      void vscode.window.showErrorMessage(
        'Skills are not checked: the language server could not start. See the log.',
      );
    });
  };
  context.subscriptions.push(vscode.workspace.onDidOpenTextDocument(startFor));
  for (const document of vscode.workspace.textDocuments) startFor(document);

  return {
    async stop() {
      const started = await client?.catch(() => undefined);
      await started?.stop();
    },
  };
}

async function startClient(serverModule: string, log: vscode.LogOutputChannel): Promise<LanguageClient> {
  const { LanguageClient, TransportKind } = await import('vscode-languageclient/node');
  const run = { module: serverModule, transport: TransportKind.ipc };
  const client = new LanguageClient(
    'skill-state',
    'SKILL.state',
    { run, debug: { ...run, options: { execArgv: ['--nolazy', '--inspect=6009'] } } },
    { documentSelector: skillSelector, outputChannel: log },
  );
  await client.start();
  return client;
}
