/** Commands as quick fixes of the findings that they answer. */
import * as vscode from 'vscode';
import { skillSelector } from '../hosts/vscode/skillFiles';
import { type CommandId, commandTable } from './commandTable';

/** The command that answers a finding, by its code. */
const answers: ReadonlyMap<unknown, CommandId> = new Map([
  ['skill.no-state-schema', 'skill-state.inferStateSchema'],
]);

/** Offers them until the returned object is disposed. */
export function offerCommands(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    skillSelector,
    {
      provideCodeActions: (_document, _range, { diagnostics }) =>
        diagnostics.flatMap((diagnostic) => {
          const command = answers.get(codeOf(diagnostic));
          if (command === undefined) return [];
          const { title } = commandTable[command];
          const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
          action.command = { command, title };
          action.diagnostics = [diagnostic];
          return [action];
        }),
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}
