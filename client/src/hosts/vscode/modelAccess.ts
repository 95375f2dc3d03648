/** All that the extension has for models: keys, settings, the choice, and what there is to choose from. */
import * as vscode from 'vscode';
import { settingsSection } from '../../../../schemas/messages/messages';
import type { Skill } from '../../../../schemas/skill/skill';
import type { ProbeResult } from '../../models/decoding/probe';
import type { DroppedKeyword } from '../../models/decoding/replyConstraint';
import type { EditorModels, KeySource } from '../../models/modelResources';
import type { ServerHealth } from '../../models/openai/modelList';
import { type Server, serverOf } from '../../models/servers';
import { ModelFailure } from '../../runtime/model';
import type { ChosenModel } from '../chosenModel';
import { createEditorFetch, type EditorNetwork } from '../editorFetch';
import type { ModelService } from '../modelCatalog';
import { type ModelConfiguration, readModelConfiguration } from '../modelConfiguration';
import type { DebugHostOptions } from '../node/debugHost';
import { createEnvironmentKeys } from '../node/keys';
import { createProbeStore } from '../node/probeStore';
import type { StoredKeys } from '../storedKeys';
import { createLanguageModels } from './languageModels';
import { createModelChoice, type ModelChoice } from './modelChoice';
import { createModelKeys } from './modelKeys';

export interface ModelAccess extends vscode.Disposable {
  readonly choice: ModelChoice;
  readonly keys: StoredKeys;
  readonly editorModels: EditorModels;
  /**
   * What the runs of a folder get: keys, VS Code's models, prices, what is known of servers, what is left out of them, and
   * what is wrong in the settings.
   */
  forRuns(scope?: vscode.Uri): Pick<DebugHostOptions, 'models' | 'redact' | 'refusal' | 'notes'>;
  /** What the settings say now, for a folder where one is given; what is wrong in them goes to the log. */
  configuration(scope?: vscode.Uri): ModelConfiguration;
  /** What is found where a server should be, without asking anybody for a key. @throws the signal's reason */
  checkServer(server: Server, signal: AbortSignal): Promise<ServerHealth>;
  /** The ids of a service's models, with the key that is given, or without one. @throws ModelFailure; the signal's reason */
  listService(
    service: ModelService,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /**
   * Tries anew how a model's server holds replies to a format, and remembers it.
   *
   * @param skill of which is told what a model isn't held to
   * @throws ModelFailure, for a model that can't be probed too; the signal's reason
   */
  probe(chosen: ChosenModel, skill: Skill | undefined, signal: AbortSignal): Promise<Probed>;
}

export interface Probed {
  readonly server: string;
  readonly result: ProbeResult;
  /** False where nothing was found out about the server. */
  readonly isKept: boolean;
  /** Undefined where no skill was given. */
  readonly dropped: readonly DroppedKeyword[] | undefined;
}

/** A server on this machine answers within this many milliseconds, or isn't there. */
const patience = 4_000;

export function createModelAccess({
  context,
  log,
}: {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'workspaceState' | 'globalStorageUri'>;
  readonly log: vscode.LogOutputChannel;
}): ModelAccess {
  const choice = createModelChoice(context.workspaceState);
  const keys = createModelKeys(context.secrets, createEnvironmentKeys({ variables: process.env }));
  const probes = createProbeStore({
    path: vscode.Uri.joinPath(context.globalStorageUri, 'probes.json').fsPath,
    onProblem: (message) => log.warn(message),
  });
  const editorModels = createLanguageModels();
  const fetch = createEditorFetch(network);
  let told = '';

  function configuration(scope?: vscode.Uri): ModelConfiguration {
    const settings = vscode.workspace.getConfiguration(settingsSection, scope);
    const read = readModelConfiguration((name) => settings.get(name));
    const problems = read.problems.join('\n');
    if (problems !== '' && problems !== told) log.warn(`Settings that count for nothing:\n${problems}`);
    told = problems;
    return read;
  }

  return {
    choice,
    keys,
    editorModels,
    configuration,
    forRuns(scope) {
      const { prices, redact, refusal, problems } = configuration(scope);
      const notes = problems.map((problem) => `A setting counts for nothing: ${problem}`);
      return { models: { keys, editorModels, fetch, prices, probes }, redact, refusal, notes };
    },
    async checkServer({ provider, baseUrl }, signal) {
      const { checkServer } = await import('../../models/openai/modelList');
      return checkServer({ provider, baseUrl, keys: keys.silent, fetch, timeout: patience, signal });
    },
    async listService({ provider, baseUrl }, key, signal) {
      const given: KeySource = { ...keys, get: async () => key };
      if (provider === 'gemini') {
        const { listGeminiModels } = await import('../../models/gemini/listGeminiModels');
        return (await listGeminiModels({ keys: given, fetch }, signal)).map(({ id }) => id);
      }
      const { listOpenAiModels } = await import('../../models/openai/modelList');
      const models = await listOpenAiModels({ provider, baseUrl, keys: given, fetch, signal });
      return models.map(({ id }) => id);
    },
    async probe({ model, baseUrl }, skill, signal) {
      const { droppedOf, probeAnew, probedName, proberOf } = await import('../../models/probers');
      const { isConclusive } = await import('../../models/decoding/probe');
      const name = probedName(model);
      if (name === undefined) {
        throw new ModelFailure(
          `There is nothing to probe in ${model}: only servers of OpenAI's and Gemini's protocols can hold replies to a format.`,
          { class: 'unavailable', retryable: false },
        );
      }
      const prober = await proberOf(name, { settings: { baseUrl }, keys, fetch, probes }, signal);
      const result = await probeAnew(prober, probes, Date.now(), signal);
      return {
        server: prober.server,
        result,
        isKept: isConclusive(result),
        dropped: skill && droppedOf(prober, result, { ...skill, state: skill.initialState }),
      };
    },
    dispose: () => choice.dispose(),
  };
}

/** What VS Code's settings say of the network now. */
function network(): EditorNetwork {
  const settings = vscode.workspace.getConfiguration('http');
  return {
    proxy: settings.get('proxy', ''),
    trustsSystem: settings.get('systemCertificates', true),
  };
}

/** The service at an address. @throws ModelFailure for one that can't be a server's */
export function serviceAt(baseUrl: string): ModelService {
  const { title, origin, isHosted, baseUrl: whole } = serverOf('openai', baseUrl);
  const owner = { provider: 'openai', origin, required: isHosted } as const;
  return { provider: 'openai', title, owner, ...(!isHosted && { baseUrl: whole }) };
}
