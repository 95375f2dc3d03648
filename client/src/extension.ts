/** The extension's entry point: wires the parts by hand. What a part loads, it loads when it is first needed. */
import * as vscode from 'vscode';
import { registerCommands } from './commands/registerCommands';
import { registerConfigurationProviders } from './hosts/vscode/configurationProvider';
import { registerDebugAdapter } from './hosts/vscode/debugAdapter';
import { startLanguageClientWhenNeeded } from './hosts/vscode/languageClient';
import { createStepStatus } from './views/stepStatus';

let languageClient: { stop(): Promise<void> } | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('SKILL.state', { log: true });
  languageClient = startLanguageClientWhenNeeded({ context, log });
  context.subscriptions.push(
    log,
    registerConfigurationProviders(),
    registerDebugAdapter({ context, log }),
    registerCommands({ log }),
    createStepStatus(),
  );
}

export async function deactivate(): Promise<void> {
  await languageClient?.stop();
}
