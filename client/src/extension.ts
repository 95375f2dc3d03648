/** The extension's entry point: wires the parts by hand. What a part loads, it loads when it is first needed. */
import * as vscode from 'vscode';
import { registerCommands } from './commands/registerCommands';
import { registerConfigurationProviders } from './hosts/vscode/configurationProvider';
import { registerDebugAdapter } from './hosts/vscode/debugAdapter';
import { startLanguageClientWhenNeeded } from './hosts/vscode/languageClient';
import { createModelAccess } from './hosts/vscode/modelAccess';
import { openTrace } from './hosts/vscode/openTrace';
import { createComparisonDocuments } from './views/comparison/comparisonDocuments';
import { createTraceDocuments } from './views/documents/traceDocuments';
import { watchEditedSkill } from './views/editedSkill';
import { createExchangeDocuments } from './views/exchanges/exchangeDocuments';
import { createAnswerEditors } from './views/manual/answerEditors';
import { createModelStatus } from './views/models/modelStatus';
import { offerForksWithoutRewind } from './views/rewindOffer';
import { createRunViews } from './views/runPanel/runPanel';
import { createSessionTraces } from './views/sessionTraces';
import { createStepStatus } from './views/stepStatus';
import { createStepsTree } from './views/steps/stepsTree';
import { createValueDecorations } from './views/values/valueDecorations';
import { registerValueProviders } from './views/values/valueProviders';

let languageClient: { stop(): Promise<void> } | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('SKILL.state', { log: true });
  languageClient = startLanguageClientWhenNeeded({ context, log });
  const models = createModelAccess({ context, log });
  const traces = createSessionTraces({ openTrace, log });
  const steps = createStepsTree({ traces, log, memory: context.workspaceState });
  const documents = createTraceDocuments({ traces, openTrace });
  const comparisons = createComparisonDocuments(documents);
  const exchanges = createExchangeDocuments(traces);
  const { extensionUri } = context;
  const runs = createRunViews({ extensionUri, traces, documents, openTrace, exchanges, log });
  const answers = createAnswerEditors();
  context.subscriptions.push(
    log,
    traces,
    steps,
    documents,
    comparisons,
    runs,
    models,
    registerConfigurationProviders(models),
    exchanges,
    answers,
    registerDebugAdapter({ context, log, models, onEnded: exchanges.keep }),
    registerCommands({ log, traces, steps, documents, comparisons, runs, exchanges, answers, models }),
    createStepStatus(),
    createModelStatus(models.choice, traces),
    registerValueProviders(traces),
    createValueDecorations(traces),
    watchEditedSkill(traces),
    offerForksWithoutRewind(traces),
  );
}

export async function deactivate(): Promise<void> {
  await languageClient?.stop();
}
