/** Choosing a model: a list that fills while it is open, and for services a second one with their models. */
import * as vscode from 'vscode';
import type { ChosenModel } from '../../hosts/chosenModel';
import {
  type CatalogSources,
  lookForModels,
  type ModelOffer,
  type ModelService,
  type Offered,
  type OfferSection,
} from '../../hosts/modelCatalog';
import type { KeyOwner } from '../../models/modelResources';
import { ModelFailure } from '../../runtime/model';
import { pickTraceFile } from './tracePicker';

/** What was picked: `automatic` for no model. */
export type PickedModel = ChosenModel | 'automatic';

/** What the picker asks of the rest. */
export interface PickerSources extends CatalogSources {
  /** The key of a service, asked for where there is none; undefined where nobody gives one. */
  keyOf(owner: KeyOwner): Promise<string | undefined>;
  /** A service did not take a key; undefined where it wanted one and was sent none. */
  keyRefused(owner: KeyOwner, key: string | undefined): Promise<void>;
  /**
   * The ids of a service's models.
   *
   * @param key sent to it, where there is one; no other is
   * @throws ModelFailure; the signal's reason
   */
  listService(
    service: ModelService,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** The service at an address that was typed. @throws ModelFailure for one that can't be */
  serviceAt(baseUrl: string): ModelService;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
}

export interface PickerOptions {
  readonly title: string;
  readonly placeholder: string;
  /** The one that is chosen now. */
  readonly current?: ChosenModel | undefined;
  /** Which offers are made; by default all. */
  readonly takes?: (offered: Offered) => boolean;
}

interface OfferItem extends vscode.QuickPickItem {
  readonly offer?: ModelOffer;
}

/** Asks for a model; undefined where none is picked. */
export async function pickModel(
  sources: PickerSources,
  options: PickerOptions,
): Promise<PickedModel | undefined> {
  const offered = await pickOffer(sources, options);
  if (offered === undefined) return undefined;
  switch (offered.kind) {
    case 'automatic':
      return 'automatic';
    case 'model':
      return offered.chosen;
    case 'service':
      return pickOfService(sources, offered.service, options.title);
    case 'address':
      return pickAtAddress(sources, options.title);
    case 'trace':
      return pickTrace();
    case 'absent':
      void vscode.window.showInformationMessage(offered.message);
      return undefined;
  }
}

/** The list that fills while it is open. */
function pickOffer(sources: PickerSources, options: PickerOptions): Promise<Offered | undefined> {
  const { title, placeholder, current, takes = () => true } = options;
  const picker = vscode.window.createQuickPick<OfferItem>();
  picker.title = title;
  picker.placeholder = placeholder;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  picker.busy = true;
  picker.buttons = [
    {
      iconPath: new vscode.ThemeIcon('gear'),
      tooltip: 'Settings of Models: Servers, max_tokens, Temperature, Decoding',
    },
  ];
  const looking = new AbortController();
  /** The row that was made the active one here; another one is the user's. */
  let placed: string | undefined;
  let isUntouched = true;
  const show = (sections: readonly OfferSection[]) => {
    const active = picker.activeItems[0]?.offer?.id;
    if (active !== undefined && placed !== undefined && active !== placed) isUntouched = false;
    const items = itemsOf(sections, takes);
    picker.items = items;
    const chosen = isUntouched ? items.find(({ offer }) => isChosen(offer, current)) : undefined;
    const wanted = chosen ?? items.find(({ offer }) => offer !== undefined && offer.id === active);
    if (wanted !== undefined) picker.activeItems = [wanted];
    placed = (wanted ?? items.find(({ offer }) => offer !== undefined))?.offer?.id;
  };
  return new Promise((resolve) => {
    let accepted: Offered | undefined;
    picker.onDidChangeValue(() => {
      isUntouched = false;
    });
    picker.onDidTriggerButton(() => {
      picker.hide();
      void vscode.commands.executeCommand('workbench.action.openSettings', settingsOfModels);
    });
    picker.onDidAccept(() => {
      accepted = picker.selectedItems[0]?.offer?.offered;
      if (accepted !== undefined) picker.hide();
    });
    picker.onDidHide(() => {
      looking.abort();
      picker.dispose();
      resolve(accepted);
    });
    picker.show();
    lookForModels(sources, looking.signal, show)
      .catch((error: unknown) => {
        if (!looking.signal.aborted) sources.log.error('Looking for models failed.', error);
      })
      .finally(() => {
        picker.busy = false;
      });
  });
}

/** What the settings editor is asked for. */
const settingsOfModels = '@ext:skill-state.skill-state model';

function itemsOf(sections: readonly OfferSection[], takes: (offered: Offered) => boolean): OfferItem[] {
  return sections.flatMap(({ title, offers }) => {
    const items = offers
      .filter(({ offered }) => takes(offered))
      .map((offer) => ({
        label: offer.label,
        ...(offer.description !== undefined && { description: offer.description }),
        ...(offer.detail !== undefined && { detail: offer.detail }),
        offer,
      }));
    return items.length === 0 ? [] : [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...items];
  });
}

function isChosen(offer: ModelOffer | undefined, current: ChosenModel | undefined): boolean {
  return (
    current !== undefined &&
    offer?.offered.kind === 'model' &&
    offer.offered.chosen.model === current.model &&
    offer.offered.chosen.baseUrl === current.baseUrl
  );
}

/** A model of a service: one of its list, or one that is typed. */
async function pickOfService(
  sources: PickerSources,
  service: ModelService,
  title: string,
): Promise<ChosenModel | undefined> {
  const { owner } = service;
  for (let needsKey = owner.required; ; ) {
    const key = await sources.keyOf({ ...owner, required: needsKey });
    if (key === undefined && needsKey) return undefined;
    const picked = await pickListed(sources, service, key, title);
    if (picked !== 'refused') return picked;
    await sources.keyRefused(owner, key);
    needsKey = true;
  }
}

interface ListedItem extends vscode.QuickPickItem {
  /** Whether it only says something, and can't be chosen. */
  readonly isNote?: boolean;
}

/** The list of a service's models, which fills while it is open; `refused` where the key is not taken. */
function pickListed(
  sources: PickerSources,
  service: ModelService,
  key: string | undefined,
  title: string,
): Promise<ChosenModel | 'refused' | undefined> {
  const { provider, baseUrl } = service;
  const looking = new AbortController();
  const picker = vscode.window.createQuickPick<ListedItem>();
  picker.title = `${title}: ${service.title}`;
  picker.placeholder = 'Choose a model, or type its id';
  picker.busy = true;
  picker.ignoreFocusOut = true;
  let ids: readonly string[] = [];
  /** Why the list isn't there. */
  let failure: string | undefined;
  const show = () => {
    const typed = picker.value.trim();
    const own =
      typed === '' || ids.includes(typed)
        ? []
        : [{ label: typed, description: 'as typed', alwaysShow: true }];
    const missing =
      failure === undefined
        ? []
        : [
            {
              label: '$(warning) There is no list of its models',
              detail: failure,
              alwaysShow: true,
              isNote: true,
            },
          ];
    picker.items = [...ids.map((label) => ({ label })), ...own, ...missing];
  };
  return new Promise((resolve) => {
    let picked: ChosenModel | 'refused' | undefined;
    picker.onDidChangeValue(show);
    picker.onDidAccept(() => {
      const [{ label: id, isNote = false } = { label: '', isNote: true }] = picker.selectedItems;
      if (isNote) return;
      picked = { model: `${provider}:${id}`, ...(baseUrl !== undefined && { baseUrl }) };
      picker.hide();
    });
    picker.onDidHide(() => {
      looking.abort();
      picker.dispose();
      resolve(picked);
    });
    picker.show();
    sources
      .listService(service, key, looking.signal)
      .then((listed) => {
        ids = listed;
        if (ids.length === 0) failure = `${service.title} lists none: type the id of one.`;
        show();
      })
      .catch((error: unknown) => {
        if (looking.signal.aborted) return;
        if (error instanceof ModelFailure && error.class === 'authentication') {
          picked = 'refused';
          picker.hide();
          return;
        }
        // The list is a help; an id can be typed without it.
        picker.placeholder = 'Type the id of a model';
        failure = error instanceof Error ? error.message : String(error);
        show();
      })
      .finally(() => {
        if (!looking.signal.aborted) picker.busy = false;
      });
  });
}

/** A server at an address that is typed, then one of its models. */
async function pickAtAddress(sources: PickerSources, title: string): Promise<ChosenModel | undefined> {
  const typed = await vscode.window.showInputBox({
    title: `${title}: Server`,
    prompt:
      'The base URL of a server that speaks OpenAI\'s protocol. Servers that you use often can be named in the setting "skill-state.servers".',
    placeHolder: 'http://127.0.0.1:8080/v1',
    ignoreFocusOut: true,
    validateInput(text) {
      try {
        sources.serviceAt(text);
        return undefined;
      } catch (error) {
        if (error instanceof ModelFailure) return error.message;
        throw error;
      }
    },
  });
  return typed === undefined ? undefined : pickOfService(sources, sources.serviceAt(typed), title);
}

async function pickTrace(): Promise<ChosenModel | undefined> {
  const trace = await pickTraceFile('Replies of a Trace');
  if (trace === undefined) return undefined;
  // Of several folders, a session may have any for its own.
  const isPortable =
    vscode.workspace.workspaceFolders?.length === 1 &&
    vscode.workspace.getWorkspaceFolder(trace) !== undefined;
  return { model: `replay:${isPortable ? vscode.workspace.asRelativePath(trace, false) : trace.fsPath}` };
}
