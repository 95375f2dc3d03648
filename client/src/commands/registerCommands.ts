/** Registers the commands of the table; the type of `handlers` sees to it that none is forgotten. */
import * as vscode from 'vscode';
import type { ModelAccess } from '../hosts/vscode/modelAccess';
import type { ComparisonDocuments } from '../views/comparison/comparisonDocuments';
import type { TraceDocuments } from '../views/documents/traceDocuments';
import type { ExchangeDocuments } from '../views/exchanges/exchangeDocuments';
import type { AnswerEditors } from '../views/manual/answerEditors';
import { createModelDocuments } from '../views/models/modelDocuments';
import { createPromptDocuments } from '../views/promptDocuments';
import type { RunViews } from '../views/runPanel/runPanel';
import type { SessionTraces } from '../views/sessionTraces';
import type { StepsTree } from '../views/steps/stepsTree';
import { answerCommands } from './answerCommands';
import { blameCommands } from './blameCommands';
import type { CommandId } from './commandTable';
import { exchangeCommands } from './exchangeCommands';
import { inferStateSchema } from './inferStateSchema';
import { modelCommands } from './modelCommands';
import { createSample, newSkill } from './newSkill';
import { offerCommands } from './offeredCommands';
import { runCommands } from './runCommands';
import { runSkill } from './runSkill';
import { showPrompt } from './showPrompt';
import { stepCommands } from './stepCommands';
import { traceCommands } from './traceCommands';
import { tryStepCommands } from './tryStep';

/** What commands act on. */
export interface CommandOptions {
  readonly log: vscode.LogOutputChannel;
  readonly traces: SessionTraces;
  readonly steps: StepsTree;
  readonly documents: TraceDocuments;
  readonly comparisons: ComparisonDocuments;
  readonly runs: RunViews;
  readonly exchanges: ExchangeDocuments;
  readonly answers: AnswerEditors;
  readonly models: ModelAccess;
}

/** Registers every command until the returned object is disposed. */
export function registerCommands(options: CommandOptions): vscode.Disposable {
  const { log } = options;
  const promptDocuments = createPromptDocuments();
  const modelDocuments = createModelDocuments();
  const handlers: Record<CommandId, (argument?: unknown, others?: unknown) => unknown> = {
    'skill-state.newSkill': newSkill,
    'skill-state.createSample': createSample,
    'skill-state.inferStateSchema': inferStateSchema,
    'skill-state.showPrompt': (argument) => showPrompt(argument, promptDocuments),
    'skill-state.run': (argument) => runSkill(argument, { noDebug: true }),
    'skill-state.debug': (argument) => runSkill(argument, { noDebug: false }),
    'skill-state.showLog': () => log.show(),
    ...stepCommands(options),
    ...blameCommands(options),
    ...traceCommands(options),
    ...runCommands(options),
    ...exchangeCommands({ ...options, modelDocuments }),
    ...answerCommands(options),
    ...modelCommands({ ...options, modelDocuments }),
    ...tryStepCommands({ ...options, modelDocuments }),
  };
  return vscode.Disposable.from(
    promptDocuments,
    modelDocuments,
    offerCommands(),
    ...Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler)),
  );
}
