/**
 * An extension of its own that brings language models to VS Code, for tests: they answer by the scripted policy of the
 * warehouse, or fail on purpose. One asks the user for consent, which VS Code has for extensions with the proposed API
 * `chatProvider` alone; the extension under test uses none.
 */
import { existsSync, readFileSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { sha256 } from '../../../client/src/hosts/node/sha256';
import { createScriptedModel } from '../../../client/src/models/scripted/scriptedModel';
import { warehousePolicy } from '../../../client/src/models/scripted/warehousePolicy';
import { modelRequest } from '../../support/modelRequest';
import { chatVendor, lastRequestCommand, lateModelFile } from './names';

interface TestModel extends vscode.LanguageModelChatInformation {
  /** Of the proposed API: VS Code asks the user before another extension uses the model. */
  readonly requiresAuthorization?: { readonly label: string };
  answer(request: Request): Promise<void>;
}

interface Request {
  readonly prompt: string;
  readonly report: (text: string) => void;
  readonly token: vscode.CancellationToken;
}

const scripted = createScriptedModel({ policy: warehousePolicy, sha256 });

async function answerByPolicy({ prompt, report, token }: Request): Promise<void> {
  const ended = new AbortController();
  token.onCancellationRequested(() => ended.abort(new vscode.CancellationError()));
  for await (const event of scripted.generate(modelRequest({ prompt }), ended.signal))
    if (event.type === 'text') report(event.text);
}

const common = {
  family: 'scripted',
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: {},
};

let failuresLeft = 2;

const models: readonly TestModel[] = [
  { ...common, id: 'warehouse', name: 'Warehouse', answer: answerByPolicy },
  {
    ...common,
    id: 'consent',
    name: 'Warehouse with Consent',
    requiresAuthorization: { label: 'Tests' },
    answer: answerByPolicy,
  },
  {
    ...common,
    id: 'quota',
    name: 'Used Up',
    answer: () => Promise.reject(vscode.LanguageModelError.Blocked('The quota is used up')),
  },
  {
    ...common,
    id: 'unsteady',
    name: 'Fails Twice, in the Midst of an Answer',
    async answer(request) {
      if (failuresLeft-- <= 0) return answerByPolicy(request);
      request.report('I think');
      throw Object.assign(new Error('Too many requests'), { name: 'ChatRateLimited' });
    },
  },
  {
    ...common,
    id: 'small',
    name: 'Takes Little',
    maxInputTokens: 10,
    answer: () => Promise.reject(new Error('The message is too long')),
  },
  {
    ...common,
    id: 'silent',
    name: 'Never Answers',
    answer: ({ token }) =>
      new Promise((resolve) => {
        token.onCancellationRequested(() => resolve());
      }),
  },
];

/** The model that is there as long as a file is. */
function lateModels(): readonly TestModel[] {
  const path = latePath();
  if (path === undefined || !existsSync(path)) return [];
  return [{ ...common, id: 'late', name: readFileSync(path, 'utf8'), answer: answerByPolicy }];
}

function latePath(): string | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0];
  return folder && join(folder.uri.fsPath, lateModelFile);
}

/** Says when that file comes or goes. */
function watchLateModels(changed: () => void): vscode.Disposable {
  const path = latePath();
  if (path !== undefined) watchFile(path, { interval: 200 }, changed);
  return { dispose: () => path !== undefined && unwatchFile(path) };
}

export function activate({ subscriptions }: vscode.ExtensionContext): void {
  let lastRequest: unknown;
  const changed = new vscode.EventEmitter<void>();
  const all = () => [...models, ...lateModels()];
  subscriptions.push(
    changed,
    watchLateModels(() => changed.fire()),
    vscode.commands.registerCommand(lastRequestCommand, () => lastRequest),
    vscode.lm.registerLanguageModelChatProvider(chatVendor, {
      onDidChangeLanguageModelChatInformation: changed.event,
      provideLanguageModelChatInformation: () => all().map(({ answer: _, ...information }) => information),
      async provideLanguageModelChatResponse({ id }, messages, { modelOptions }, progress, token) {
        const prompt = messages.map(textOf).join('');
        lastRequest = { model: id, modelOptions, messages: messages.length, prompt };
        await all()
          .find((model) => model.id === id)
          ?.answer({
            prompt,
            report: (text) => progress.report(new vscode.LanguageModelTextPart(text)),
            token,
          });
      },
      provideTokenCount: async (_model, text) =>
        Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4),
    }),
  );
}

function textOf({ content }: vscode.LanguageModelChatRequestMessage): string {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}
