/** Which models there are to choose from now, found out all at once and told as it becomes known. Free of VS Code. */

import { type ServerProvider, serverProviders } from '../models/modelName';
import type { EditorModel, KeyOwner } from '../models/modelResources';
import type { ServerHealth } from '../models/openai/modelList';
import { type Server, serverOf } from '../models/servers';
import { serviceOrigins } from '../models/services';
import type { ChosenModel } from './chosenModel';
import { editorModelName } from './editorModels';

/**
 * Something whose models are listed once it was chosen: a service, which takes a key and requests to somebody else's machine, or a
 * server that asks for a key, which goes to none that nobody chose.
 */
export interface ModelService {
  readonly provider: 'openai' | 'gemini' | ServerProvider;
  readonly title: string;
  /** Of a server that isn't the provider's own. */
  readonly baseUrl?: string;
  readonly owner: KeyOwner;
}

export interface HostedService extends ModelService {
  readonly provider: 'openai' | 'gemini';
}

/** What choosing an offer leads to. */
export type Offered =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'model'; readonly chosen: ChosenModel }
  | { readonly kind: 'service'; readonly service: ModelService }
  | { readonly kind: 'address' }
  | { readonly kind: 'trace' }
  /** What can't be chosen now, such as a server that doesn't answer, and what can be done about it. */
  | { readonly kind: 'absent'; readonly message: string };

export interface ModelOffer {
  /** The same as long as the offer is. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly offered: Offered;
}

export interface OfferSection {
  readonly title: string;
  readonly offers: readonly ModelOffer[];
}

/** A server of the user's own, from the settings. */
export interface OwnServer {
  readonly name: string;
  readonly baseUrl: string;
}

/** Where offers come from. */
export interface CatalogSources {
  readonly ownServers: readonly OwnServer[];
  listEditorModels(signal: AbortSignal): Promise<readonly EditorModel[]>;
  /** Calls back whenever the editor's models may be others, until the signal is aborted. */
  readonly watchEditorModels?: (changed: () => void, signal: AbortSignal) => void;
  /** What is found where a server should be. @throws the signal's reason */
  checkServer(server: Server, signal: AbortSignal): Promise<ServerHealth>;
  /** Whether there is a key without asking anybody. */
  hasKey(owner: KeyOwner): Promise<boolean>;
}

/** A server on this machine is there within this many milliseconds, or isn't. */
const patience = 5_000;

export const hostedServices: readonly HostedService[] = [
  {
    provider: 'openai',
    title: 'OpenAI',
    owner: { provider: 'openai', origin: serviceOrigins.openai, required: true },
  },
  {
    provider: 'gemini',
    title: 'Google Gemini',
    owner: { provider: 'gemini', origin: serviceOrigins.gemini, required: true },
  },
];

/**
 * Looks for models everywhere at once.
 *
 * @param signal ends it, also the watch over the editor's models, which goes on after everything has been looked at
 * @param onChange told of all that is known, first at once and then whenever more is
 * @returns settles when everything has been looked at, or the signal is aborted; what fails is an offer that says so
 */
export async function lookForModels(
  sources: CatalogSources,
  signal: AbortSignal,
  onChange: (sections: readonly OfferSection[]) => void,
): Promise<void> {
  const places = serversOf(sources);
  const found: Found = {
    editor: [],
    servers: new Map(places.map(({ title }) => [title, []])),
    others: new Map(),
    services: hostedServices.map((service) => serviceOffer(service)),
  };
  const tell = () => {
    if (!signal.aborted) onChange(sectionsOf(found));
  };
  tell();
  let asked = 0;
  const lookInEditor = async () => {
    const nth = ++asked;
    const offers = await editorOffers(sources, signal);
    // What was asked for before it changed may come later.
    if (nth === asked) found.editor = offers;
  };
  if (!signal.aborted) sources.watchEditorModels?.(() => void lookInEditor().then(tell), signal);
  const patient = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  const looks = [
    // VS Code may have to start extensions first.
    lookInEditor(),
    (async () => {
      found.services = await Promise.all(
        hostedServices.map(async (service) => serviceOffer(service, await keyOf(service, sources))),
      );
    })(),
    ...places.map(async (place) => {
      const { other, offers } = await serverOffers(place, sources, patient);
      found.servers.set(place.title, offers);
      if (other !== undefined) found.others.set(place.title, other);
    }),
  ];
  await Promise.all(looks.map((look) => look.then(tell)));
}

interface Found {
  editor: readonly ModelOffer[];
  /** By title, in an order that doesn't change as they answer. */
  readonly servers: Map<string, readonly ModelOffer[]>;
  /** Of servers that list no models. */
  readonly others: Map<string, ModelOffer>;
  services: readonly ModelOffer[];
}

/** A server that is asked, with how its models are chosen. */
interface ServerPlace {
  readonly title: string;
  readonly provider: 'openai' | ServerProvider;
  readonly baseUrl?: string;
}

function serversOf({ ownServers }: CatalogSources): readonly ServerPlace[] {
  const presets = serverProviders.map((provider) => ({ title: serverOf(provider).title, provider }));
  const own = ownServers.map(({ name, baseUrl }) => ({
    title: `${name} at ${baseUrl}`,
    provider: 'openai' as const,
    baseUrl,
  }));
  return [...own, ...presets];
}

function sectionsOf({ editor, servers, others, services }: Found): readonly OfferSection[] {
  const sections = [
    { title: 'Built in', offers: builtIn },
    { title: 'VS Code', offers: editor },
    ...[...servers].map(([title, offers]) => ({ title, offers })),
    { title: 'Services', offers: services },
    { title: 'Others', offers: [...further, ...others.values()] },
  ];
  return sections.filter(({ offers }) => offers.length > 0);
}

const builtIn: readonly ModelOffer[] = [
  {
    id: 'automatic',
    label: 'Automatic',
    description: 'scripted where the environment has a policy, else manual',
    offered: { kind: 'automatic' },
  },
  {
    id: 'scripted',
    label: 'scripted',
    description: 'a built-in policy for the sample environments',
    offered: { kind: 'model', chosen: { model: 'scripted' } },
  },
  {
    id: 'manual',
    label: 'manual',
    description: 'you type the replies',
    offered: { kind: 'model', chosen: { model: 'manual' } },
  },
];

const further: readonly ModelOffer[] = [
  {
    id: 'address',
    label: 'Server at Another Address…',
    description: "any that speaks OpenAI's protocol",
    offered: { kind: 'address' },
  },
  {
    id: 'trace',
    label: 'Replies of a Trace…',
    description: 'what was answered in a recorded run',
    offered: { kind: 'trace' },
  },
];

/** What is told of a service's key. */
type KeyNote = Pick<ModelOffer, 'description' | 'detail'>;

async function keyOf({ owner }: ModelService, sources: CatalogSources): Promise<KeyNote> {
  try {
    return { description: (await sources.hasKey(owner)) ? 'has a key' : 'needs a key' };
  } catch (error) {
    // Whatever the place fails with in which keys are kept; the service can be chosen all the same, and asks for one.
    const reason = error instanceof Error ? error.message : String(error);
    return { description: 'key unknown', detail: `Whether there is a key could not be found out: ${reason}` };
  }
}

function serviceOffer(service: ModelService, key: KeyNote = {}): ModelOffer {
  return {
    id: `service ${service.provider}`,
    label: `${service.title}…`,
    ...key,
    offered: { kind: 'service', service },
  };
}

async function editorOffers(sources: CatalogSources, signal: AbortSignal): Promise<readonly ModelOffer[]> {
  try {
    const models = await sources.listEditorModels(signal);
    return models.map((model) => {
      const name = `vscode:${editorModelName(model)}`;
      return {
        id: name,
        label: model.name,
        description: name,
        offered: { kind: 'model', chosen: { model: name } },
      };
    });
  } catch (error) {
    // Whatever an extension that has models fails with.
    const message = error instanceof Error ? error.message : String(error);
    return signal.aborted ? [] : [absentOffer("VS Code's own models", message)];
  }
}

async function serverOffers(
  { title, provider, baseUrl }: ServerPlace,
  sources: CatalogSources,
  signal: AbortSignal,
): Promise<{ readonly offers: readonly ModelOffer[]; readonly other?: ModelOffer }> {
  const server = serverOf(provider, baseUrl);
  const at = baseUrl === undefined ? {} : { baseUrl };
  const health = await healthOf(server, sources, signal);
  const owner: KeyOwner = {
    provider: 'openai',
    origin: server.origin,
    required: health.state === 'wants-key',
  };
  const other = (description: string, detail: string, offered: Offered) => ({
    offers: [],
    other: { id: `server ${title}`, label: title, description, detail, offered },
  });
  switch (health.state) {
    case 'running': {
      const offers = health.models.map(({ id }) => {
        const model = `${provider}:${id}`;
        const offered = { kind: 'model', chosen: { model, ...at } } as const;
        return { id: `${baseUrl ?? ''} ${model}`, label: id, description: model, offered };
      });
      if (offers.length > 0) return { offers };
      const message = `${title} has no models.`;
      return other('has no models', message, { kind: 'absent', message });
    }
    case 'wants-key': {
      const detail = 'It asks for a key: choose it to send it one.';
      return other('asks for a key', detail, { kind: 'service', service: { provider, title, owner, ...at } });
    }
    case 'unlisted':
      return other(
        provider === 'openai' ? 'has no list of models' : 'not there',
        health.message,
        provider === 'openai'
          ? { kind: 'service', service: { provider, title, owner, ...at } }
          : { kind: 'absent', message: health.message },
      );
    case 'absent': {
      // Where it should be stands beside it.
      const detail = `${server.start.charAt(0).toUpperCase()}${server.start.slice(1)}`;
      return other('not there', detail, { kind: 'absent', message: health.message });
    }
    case 'failing':
      return other('not ready', health.message, { kind: 'absent', message: health.message });
  }
}

async function healthOf(server: Server, sources: CatalogSources, signal: AbortSignal): Promise<ServerHealth> {
  try {
    return await sources.checkServer(server, signal);
  } catch (error) {
    // Bugs go on.
    if (error instanceof Error && error.name === 'TimeoutError')
      return { state: 'failing', message: 'It does not answer.' };
    throw error;
  }
}

function absentOffer(title: string, message: string): ModelOffer {
  return {
    id: `absent ${title}`,
    label: title,
    description: 'not there',
    detail: message,
    offered: { kind: 'absent', message },
  };
}
