/** Starts the language server with the first document it is for. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { type InitializationOptions, settingsSection } from '../../../../schemas/messages/messages';
import { tellCandidates } from './candidateDocuments';
import { answerFileRequests } from './fileRequests';
import { LayeredDiagnostics } from './layeredDiagnostics';
import { switchNamedLanguages } from './namedLanguages';
import { createRepeatFilter } from './repeatFilter';
import { ownDocuments, skillSelector } from './skillFiles';

/** What the client is made of. */
export interface LanguageClientOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Watches for skills and their schemas and starts the language server when one is open.
 *
 * @returns what ends the server; its promise settles when the process has gone
 */
export function startLanguageClientWhenNeeded({ context, log }: LanguageClientOptions): {
  stop(): Promise<void>;
} {
  let client: Promise<LanguageClient> | undefined;

  const startFor = (document: vscode.TextDocument) => {
    if (client || vscode.languages.match(skillSelector, document) === 0) return;
    client = startClient({ context, log });
    client.catch((error: unknown) => {
      log.error('The language server could not start.', error instanceof Error ? error : String(error));
      void vscode.window.showErrorMessage(
        'Skills are not checked: the language server could not start. See the log.',
      );
    });
  };
  context.subscriptions.push(vscode.workspace.onDidOpenTextDocument(startFor), switchNamedLanguages(log));
  for (const document of vscode.workspace.textDocuments) startFor(document);

  return {
    async stop() {
      const started = await client?.catch(() => undefined);
      await started?.stop();
    },
  };
}

async function startClient({ context, log }: LanguageClientOptions): Promise<LanguageClient> {
  const { LanguageClient, TransportKind, vsdiag } = await import('vscode-languageclient/node');
  const run = { module: context.asAbsolutePath('dist/server.js'), transport: TransportKind.ipc };
  const repeats = createRepeatFilter({ kinds: vsdiag.DocumentDiagnosticReportKind });
  const client = new LanguageClient(
    settingsSection,
    'SKILL.state',
    { run, debug: { ...run, options: { execArgv: ['--nolazy', '--inspect=6009'] } } },
    {
      documentSelector: skillSelector,
      outputChannel: log,
      initializationOptions: await initializationOptions(),
      synchronize: { configurationSection: settingsSection },
      middleware: repeats.middleware,
      diagnosticCollectionProvider: new LayeredDiagnostics(),
    },
  );
  repeats.watch(client);
  context.subscriptions.push(answerFileRequests(client), repeats);
  await client.start();
  context.subscriptions.push(tellCandidates(client, log));
  return client;
}

/** What VS Code does by itself: extensions of its own may be switched off, and older versions know no `SKILL.md`. */
async function initializationOptions(): Promise<InitializationOptions> {
  const json = vscode.extensions.getExtension('vscode.json-language-features') !== undefined;
  return {
    ownDocuments: ownDocuments({ json }),
    builtIn: {
      json,
      skill: (await vscode.languages.getLanguages()).includes('skill'),
    },
    files: true,
  };
}
