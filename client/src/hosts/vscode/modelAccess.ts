/** All that the extension has for models: keys, settings, the choice, and what there is to choose from. */
import * as vscode from 'vscode';
import { settingsSection } from '../../../../schemas/messages/messages';
import type { EditorModels, KeySource } from '../../models/modelResources';
import { type Server, serverOf } from '../../models/servers';
import type { ModelService } from '../modelCatalog';
import { type ModelConfiguration, readModelConfiguration } from '../modelConfiguration';
import type { StoredKeys } from '../storedKeys';
import { createLanguageModels } from './languageModels';
import { createModelChoice, type ModelChoice } from './modelChoice';
import { createModelKeys } from './modelKeys';

export interface ModelAccess extends vscode.Disposable {
  readonly choice: ModelChoice;
  readonly keys: StoredKeys;
  readonly editorModels: EditorModels;
  /** What the settings say now, for a folder where one is given; what is wrong in them goes to the log. */
  configuration(scope?: vscode.Uri): ModelConfiguration;
  /** The ids of a server's models, without asking anybody for a key. @throws ModelFailure; the signal's reason */
  listServerModels(server: Server, signal: AbortSignal): Promise<readonly string[]>;
  /** The same for a service. */
  listService(service: ModelService, signal: AbortSignal): Promise<readonly string[]>;
}

/** A server on this machine answers within this many milliseconds, or isn't there. */
const patience = 4_000;

export function createModelAccess({
  context,
  environment,
  log,
}: {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'workspaceState'>;
  /** The keys of the environment's variables. */
  readonly environment?: KeySource;
  readonly log: vscode.LogOutputChannel;
}): ModelAccess {
  const choice = createModelChoice(context.workspaceState);
  const keys = createModelKeys(context.secrets, environment);
  const editorModels = createLanguageModels();
  let told = '';

  const listOpenAi = async (
    provider: Server['provider'],
    baseUrl: string | undefined,
    signal: AbortSignal,
    timeout?: number,
  ) => {
    const { listOpenAiModels } = await import('../../models/openai/modelList');
    const models = await listOpenAiModels({ provider, baseUrl, keys: keys.silent, timeout, signal });
    return models.map(({ id }) => id);
  };

  return {
    choice,
    keys,
    editorModels,
    configuration(scope) {
      const settings = vscode.workspace.getConfiguration(settingsSection, scope);
      const read = readModelConfiguration((name) => settings.get(name));
      const problems = read.problems.join('\n');
      if (problems !== '' && problems !== told) log.warn(`Settings that count for nothing:\n${problems}`);
      told = problems;
      return read;
    },
    listServerModels: ({ provider, baseUrl }, signal) => listOpenAi(provider, baseUrl, signal, patience),
    async listService({ provider, baseUrl }, signal) {
      if (provider === 'openai') return listOpenAi(provider, baseUrl, signal);
      const { listGeminiModels } = await import('../../models/gemini/listGeminiModels');
      const models = await listGeminiModels({ keys: keys.silent }, signal);
      return models.map(({ id }) => id);
    },
    dispose: () => choice.dispose(),
  };
}

/** The service at an address. @throws ModelFailure for one that can't be a server's */
export function serviceAt(baseUrl: string): ModelService {
  const { title, origin, isHosted, baseUrl: whole } = serverOf('openai', baseUrl);
  const owner = { provider: 'openai', origin, required: isHosted } as const;
  return { provider: 'openai', title, owner, ...(!isHosted && { baseUrl: whole }) };
}
