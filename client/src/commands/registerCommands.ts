/** Registers the commands of the table; the type of `handlers` sees to it that none is forgotten. */
import * as vscode from 'vscode';
import { createPromptDocuments } from '../views/promptDocuments';
import type { CommandId } from './commandTable';
import { inferStateSchema } from './inferStateSchema';
import { createSample, newSkill } from './newSkill';
import { offerCommands } from './offeredCommands';
import { runSkill } from './runSkill';
import { showPrompt } from './showPrompt';

/** Registers every command until the returned object is disposed. */
export function registerCommands({ log }: { readonly log: vscode.LogOutputChannel }): vscode.Disposable {
  const promptDocuments = createPromptDocuments();
  const handlers: Record<CommandId, (argument?: unknown) => unknown> = {
    'skill-state.newSkill': newSkill,
    'skill-state.createSample': createSample,
    'skill-state.inferStateSchema': inferStateSchema,
    'skill-state.showPrompt': (argument) => showPrompt(argument, promptDocuments),
    'skill-state.run': (argument) => runSkill(argument, { noDebug: true }),
    'skill-state.debug': (argument) => runSkill(argument, { noDebug: false }),
    'skill-state.showLog': () => log.show(),
  };
  return vscode.Disposable.from(
    promptDocuments,
    offerCommands(),
    ...Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler)),
  );
}
