/** Commands about models: choosing one, what there is, what a server keeps to, and keys. */
import * as vscode from 'vscode';
import { type ChosenModel, keptModelsNote, readChosenModel } from '../hosts/chosenModel';
import { hostedServices, lookForModels, type Offered, type OfferSection } from '../hosts/modelCatalog';
import { watchEditorModels } from '../hosts/vscode/languageModels';
import { type ModelAccess, serviceAt } from '../hosts/vscode/modelAccess';
import { askForKey } from '../hosts/vscode/modelKeys';
import { activeSkill, openSkill } from '../hosts/vscode/openSkill';
import { showError } from '../hosts/vscode/showError';
import { skillSchemes } from '../hosts/vscode/skillFiles';
import { hasSetting } from '../models/settingOwners';
import { ModelFailure } from '../runtime/model';
import { withLateProgress } from '../views/lateProgress';
import type { ModelDocuments } from '../views/models/modelDocuments';
import { type PickerSources, pickModel } from '../views/models/modelPicker';
import type { ServiceModels } from '../views/models/modelTexts';
import { textAnswer } from './commandArguments';
import type { CommandId } from './commandTable';

export interface ModelCommandOptions {
  readonly models: ModelAccess;
  readonly modelDocuments: ModelDocuments;
  readonly log: vscode.LogOutputChannel;
}

/** Where the picker finds models. */
export function pickerSources({ models, log }: Pick<ModelCommandOptions, 'models' | 'log'>): PickerSources {
  return {
    ownServers: models.configuration().servers,
    listEditorModels: (signal) => models.editorModels.list(signal),
    watchEditorModels,
    checkServer: models.checkServer,
    hasKey: models.keys.has,
    keyOf: (owner) => models.keys.get(owner, new AbortController().signal),
    keyRefused: async (owner, key) => models.keys.refused?.(owner, key),
    listService: models.listService,
    serviceAt,
    log,
  };
}

/** The handlers by the identifiers of their commands. */
export function modelCommands({ models, modelDocuments, log }: ModelCommandOptions) {
  const sources = () => pickerSources({ models, log });

  async function chooseModel(argument?: unknown): Promise<void> {
    if (!isTrusted('no server is asked for its models')) return;
    const given = textAnswer(argument, 'model');
    const answer = given === 'automatic' ? given : readChosenModel(argument);
    if (given !== undefined && answer === undefined) {
      const { unknownModel } = await import('../models/unknownModel');
      void vscode.window.showErrorMessage(unknownModel(given, ['automatic']).message);
      return;
    }
    const picked =
      answer ??
      (await pickModel(sources(), {
        title: 'Choose Model',
        placeholder: 'The model for runs in this workspace, where launch.json names none',
        current: models.choice.current,
      }));
    if (picked === undefined) return;
    await models.choice.set(picked === 'automatic' ? undefined : picked);
    if (picked !== 'automatic') offerDebugging(picked).catch(showError);
  }

  async function listModels(): Promise<void> {
    if (!isTrusted('no server is asked for its models')) return;
    const found = await shown('Looking for models', (signal) =>
      Promise.all([allOffers(sources(), signal), servicesWithKeys(models, signal)]),
    );
    if (found === undefined) return;
    const { modelListText } = await import('../views/models/modelTexts');
    await modelDocuments.open('Models', modelListText(...found));
  }

  async function probeModel(argument?: unknown): Promise<void> {
    if (!isTrusted('no server is probed')) return;
    const picked =
      readChosenModel(argument) ??
      (await pickModel(sources(), {
        title: 'Probe Model',
        placeholder: 'The model of which is tried how its server holds replies to a format',
        current: models.choice.current,
        takes: isProbed,
      }));
    if (picked === undefined || picked === 'automatic') return;
    const skillUri = await activeSkill();
    const isOpen = skillUri !== undefined && skillSchemes.includes(skillUri.scheme);
    const skill = isOpen ? await openSkill(skillUri) : undefined;
    const probed = await shown(`Probing ${picked.model}`, (signal) => models.probe(picked, skill, signal));
    if (probed === undefined) return;
    const { probeText } = await import('../views/models/modelTexts');
    await modelDocuments.open(`Probe of ${picked.model}`, probeText(picked.model, probed, skill?.name));
  }

  async function setKey(argument?: unknown): Promise<void> {
    const origin = originArgument(argument) ?? (await pickOrigin(models));
    if (origin === undefined) return;
    const key = await askForKey(origin, undefined, new AbortController().signal);
    if (key === undefined) return;
    await models.keys.set(origin, key);
    void vscode.window.showInformationMessage(`The key for ${origin} is kept in VS Code's secret storage.`);
  }

  async function removeKey(argument?: unknown): Promise<void> {
    const origins = await models.keys.origins();
    if (origins.length === 0) {
      void vscode.window.showInformationMessage('No API key is stored.');
      return;
    }
    const given = originArgument(argument);
    const origin =
      given ??
      (await vscode.window.showQuickPick(origins, {
        title: 'Remove API Key',
        placeHolder: 'Choose whose key is removed',
      }));
    if (origin === undefined) return;
    await models.keys.remove(origin);
    void vscode.window.showInformationMessage(`No key for ${origin} is stored any more.`);
  }

  return {
    'skill-state.chooseModel': chooseModel,
    'skill-state.listModels': listModels,
    'skill-state.probeModel': probeModel,
    'skill-state.setApiKey': setKey,
    'skill-state.removeApiKey': removeKey,
  };
}

/** Where launch.json means other models, says so, and offers to debug the open skill on the chosen one. */
async function offerDebugging(chosen: ChosenModel): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const folder =
    (document && vscode.workspace.getWorkspaceFolder(document.uri)) ?? vscode.workspace.workspaceFolders?.[0];
  const configurations = vscode.workspace
    .getConfiguration('launch', folder?.uri)
    .get<unknown>('configurations');
  const note = keptModelsNote(configurations, chosen);
  if (note === undefined) return;
  const debug = 'Debug on the Chosen Model';
  if ((await vscode.window.showInformationMessage(note, debug)) === debug)
    await vscode.commands.executeCommand('skill-state.debug' satisfies CommandId);
}

/** Says why nothing is done in a workspace that isn't trusted. */
function isTrusted(consequence: string): boolean {
  if (vscode.workspace.isTrusted) return true;
  void vscode.window.showErrorMessage(
    `This workspace is not trusted, so ${consequence}: trust the workspace first.`,
  );
  return false;
}

/** Does something with its progress shown; undefined where it was cancelled, or failed, which is said. */
async function shown<Result>(
  title: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  let given: AbortSignal | undefined;
  try {
    return await withLateProgress(title, (signal) => {
      given = signal;
      return work(signal);
    });
  } catch (error) {
    if (given?.aborted === true) return undefined;
    if (!(error instanceof ModelFailure)) throw error;
    void vscode.window.showErrorMessage(error.message);
    return undefined;
  }
}

/** Whether it can be tried of a model how its server holds replies to a format. */
function isProbed(offered: Offered): boolean {
  if (offered.kind !== 'model') return offered.kind === 'service' || offered.kind === 'address';
  return hasSetting(offered.chosen.model, 'decoding');
}

/** The offers once everything was looked at. */
async function allOffers(sources: PickerSources, signal: AbortSignal): Promise<readonly OfferSection[]> {
  let last: readonly OfferSection[] = [];
  const once = { ...sources, watchEditorModels: () => undefined };
  await lookForModels(once, signal, (sections) => {
    last = sections;
  });
  signal.throwIfAborted();
  return last;
}

/** The models of the services that there is a key for. */
function servicesWithKeys(models: ModelAccess, signal: AbortSignal): Promise<ServiceModels[]> {
  return Promise.all(
    hostedServices.map(async (service) => {
      const { title, provider, owner } = service;
      const note = (text: string): ServiceModels => ({ title, models: [], note: text });
      const key = await models.keys.silent.get(owner, signal);
      if (key === undefined) return note(models.keys.advice(owner));
      try {
        const ids = await models.listService(service, key, signal);
        return { title, models: ids.map((id) => `${provider}:${id}`) };
      } catch (error) {
        if (error instanceof ModelFailure) return note(error.message);
        throw error;
      }
    }),
  );
}

/** Asks whose key it is. */
async function pickOrigin(models: ModelAccess): Promise<string | undefined> {
  const known: { label: string; description: string }[] = hostedServices.map(({ title, owner }) => ({
    label: title,
    description: owner.origin,
  }));
  for (const { name, baseUrl } of models.configuration().servers)
    known.push({ label: name, description: new URL(baseUrl).origin });
  const another = { label: 'Another Server…', description: '' };
  const picked = await vscode.window.showQuickPick([...known, another], {
    title: 'Set API Key',
    placeHolder: 'Choose whose key it is',
  });
  if (picked !== another) return picked?.description;
  const typed = await vscode.window.showInputBox({
    title: 'Set API Key: Server',
    prompt: 'The base URL of the server, or its address without a path.',
    placeHolder: 'https://models.example.org/v1',
    ignoreFocusOut: true,
    validateInput: (text) => (originOf(text) === undefined ? 'Write it as https://host/path.' : undefined),
  });
  return typed === undefined ? undefined : originOf(typed);
}

function originOf(address: string): string | undefined {
  try {
    return serviceAt(address).owner.origin;
  } catch (error) {
    if (error instanceof ModelFailure) return undefined;
    throw error;
  }
}

function originArgument(argument: unknown): string | undefined {
  const server = textAnswer(argument, 'server');
  return server === undefined ? undefined : originOf(server);
}
