/** Commands about answers that a person gives for a model or an environment. */
import * as vscode from 'vscode';
import type { AnswerEditors } from '../views/manual/answerEditors';
import { fileArgument } from './commandArguments';

/** The handlers by the identifiers of their commands. */
export function answerCommands({ answers }: { readonly answers: AnswerEditors }) {
  return {
    'skill-state.sendReply': (argument?: unknown) => answers.send(fileArgument(argument)),
    'skill-state.answerInEditor': () => answers.show(),
    'skill-state.copyPrompt': async (argument?: unknown) => {
      const uri = fileArgument(argument);
      const prompt = answers.promptOf(uri) ?? shownPrompt(uri);
      if (prompt !== undefined) await vscode.env.clipboard.writeText(prompt);
      else void vscode.window.showInformationMessage('There is no prompt to copy here.');
    },
  };
}

/** The text of a prompt's document, such as *Show Prompt…* opens. */
function shownPrompt(uri: vscode.Uri | undefined): string | undefined {
  const isIt = (one: vscode.TextDocument) => one.uri.toString() === uri?.toString();
  return uri === undefined ? undefined : vscode.workspace.textDocuments.find(isIt)?.getText();
}
