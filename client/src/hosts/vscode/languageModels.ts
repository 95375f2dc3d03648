/** VS Code's own language models (`vscode.lm`): those of Copilot, and of every extension that brings some. */
import * as vscode from 'vscode';
import type { EditorModels } from '../../models/modelResources';
import { cancelWith, releasedAfter } from '../cancellation';
import { createEditorModels, type EditorChat, type EditorRefusal } from '../editorModels';

/** What VS Code shows where it asks the user whether we may use a model. */
const justification =
  "Runs a skill step by step: the skill's instructions, its state and the latest observation are sent to the model.";

/** VS Code's models; which there are is asked of it each time. */
export function createLanguageModels(): EditorModels {
  return createEditorModels({
    select: async (vendor) =>
      (await vscode.lm.selectChatModels(vendor === undefined ? {} : { vendor })).map(chatOf),
    refusalOf,
  });
}

/** Calls back whenever extensions bring or take models, until the signal is aborted. */
export function watchEditorModels(changed: () => void, signal: AbortSignal): void {
  const subscription = vscode.lm.onDidChangeChatModels(changed);
  signal.addEventListener('abort', () => subscription.dispose(), { once: true });
}

function chatOf(model: vscode.LanguageModelChat): EditorChat {
  const { vendor, family, id, name, maxInputTokens } = model;
  return {
    ...{ vendor, family, id, name, maxInputTokens },
    async send(prompt, modelOptions, signal) {
      const messages = [vscode.LanguageModelChatMessage.User(prompt)];
      const source = new vscode.CancellationTokenSource();
      const release = cancelWith(source, signal);
      try {
        const options = { justification, modelOptions: { ...modelOptions } };
        const { stream } = await model.sendRequest(messages, options, source.token);
        // The answer still comes, and can be cancelled until it has.
        return releasedAfter(textOf(stream), release);
      } catch (error) {
        release();
        throw error;
      }
    },
    async countTokens(text, role, signal) {
      const source = new vscode.CancellationTokenSource();
      const release = cancelWith(source, signal);
      try {
        const counted = role === 'prompt' ? vscode.LanguageModelChatMessage.User(text) : text;
        return await model.countTokens(counted, source.token);
      } finally {
        release();
      }
    },
  };
}

/** The text of an answer; tool calls and data, which nobody asked for, are none. */
async function* textOf(stream: vscode.LanguageModelChatResponse['stream']): AsyncGenerator<string> {
  for await (const part of stream) if (part instanceof vscode.LanguageModelTextPart) yield part.value;
}

/** By the codes and names that VS Code and its own Copilot give errors. */
function refusalOf(error: unknown): EditorRefusal {
  if (error instanceof vscode.CancellationError) return 'cancelled';
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ChatQuotaExceeded') return 'blocked';
  if (error.name === 'ChatRateLimited') return 'rate-limit';
  if (!(error instanceof vscode.LanguageModelError)) return undefined;
  const { NoPermissions, Blocked, NotFound } = vscode.LanguageModelError;
  switch (error.code) {
    case NoPermissions.name:
      return 'no-permissions';
    case Blocked.name:
      return 'blocked';
    case NotFound.name:
      return 'not-found';
    default:
      return undefined;
  }
}
