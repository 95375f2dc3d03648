/** What is known of a provider now: whether it can be used, what it needs, and its models. */
import { hostedServices } from '../hosts/modelCatalog';
import type { HostModels } from '../hosts/node/participants';
import { type ModelName, type ServerProvider, serverProviders } from '../models/modelName';
import type { KeyOwner, KeySource } from '../models/modelResources';
import { priceOf } from '../models/prices';
import { type Server, serverOf, serverPresets } from '../models/servers';
import { ModelFailure, type ModelPrice } from '../runtime/model';

type Provider = ModelName['provider'];

/** A model that runs can name. */
export interface ListedModel {
  readonly name: string;
  /** The most tokens of prompt and reply, where the server says so. */
  readonly contextTokens: number | null;
  /** US dollars for 1,000,000 tokens; null where it is unknown. */
  readonly price: ModelPrice | null;
}

/** What is known of a provider now; null stands for what doesn't concern it. */
export interface ListedProvider {
  readonly provider: Provider;
  readonly title: string;
  /** Whether its models can be used as things are. */
  readonly usable: boolean;
  /** Where its server is. */
  readonly server: string | null;
  /** Whether there is a key; it is shown nowhere. */
  readonly key: 'set' | 'missing' | 'not needed' | null;
  /** What it is, or what it needs: a sentence. */
  readonly about: string;
  readonly models: readonly ListedModel[];
}

export interface ListingRequest {
  readonly models: HostModels;
  /** The flag `--base-url`. */
  readonly baseUrl?: string | undefined;
  /** The variable OPENAI_BASE_URL. */
  readonly variable?: string | undefined;
  /** Whether the user named the provider, who then waits longer for it, and whose key it may get. */
  readonly isNamed: boolean;
  readonly signal: AbortSignal;
}

/** In milliseconds: a server on this machine answers by then, or isn't there. */
const patience = 4_000;

export function isServerProvider(provider: Provider): provider is ServerProvider {
  return serverProviders.some((one) => one === provider);
}

/**
 * Looks at one provider. A key goes to services, and to a server that the user named or that OPENAI_BASE_URL is; the others are
 * asked without one. What keeps a provider from being used is said in it.
 *
 * @throws the signal's reason
 */
export async function listProvider(provider: Provider, request: ListingRequest): Promise<ListedProvider> {
  if (provider === 'openai') {
    const { baseUrl = request.variable?.trim() || undefined } = request;
    if (baseUrl !== undefined) return listServer('openai', baseUrl, request);
  }
  if (isServerProvider(provider)) return listServer(provider, request.baseUrl, request);
  if (provider === 'openai' || provider === 'gemini') return listService(provider, request);
  return {
    provider,
    title: provider,
    usable: provider !== 'vscode',
    server: null,
    key: null,
    about: builtIn[provider],
    models:
      provider === 'scripted' || provider === 'manual'
        ? [{ name: provider, contextTokens: null, price: null }]
        : [],
  };
}

const builtIn: Readonly<Record<Exclude<Provider, 'openai' | 'gemini' | ServerProvider>, string>> = {
  scripted: 'A built-in policy that answers for the sample environments.',
  manual: 'A person types the replies.',
  vscode: "VS Code's own language models, which there are in VS Code alone.",
  replay: 'The replies of a recorded run: replay:<trace>.',
};

async function listService(provider: 'openai' | 'gemini', request: ListingRequest): Promise<ListedProvider> {
  const { models, baseUrl, signal } = request;
  const service = hostedServices.find((one) => one.provider === provider);
  const own = service?.owner.origin ?? '';
  const server = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).origin : own;
  const owner: KeyOwner = { provider, origin: server, required: true };
  const title = service?.title ?? provider;
  const hasKey = (await models.keys?.get(owner, signal)) !== undefined;
  const known = { provider, title, server, key: hasKey ? ('set' as const) : ('missing' as const) };
  if (!hasKey) {
    const about = models.keys?.advice(owner) ?? 'It needs a key.';
    return { ...known, usable: false, about, models: [] };
  }
  try {
    const listed = await (provider === 'openai' ? openAiModels(request) : geminiModels(request));
    const about = `Its key is set.${listed.length === 0 ? ' It lists no models.' : ''}`;
    return { ...known, usable: true, about, models: listed };
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    return { ...known, usable: false, about: error.message, models: [] };
  }
}

async function openAiModels({ models, isNamed, signal }: ListingRequest): Promise<readonly ListedModel[]> {
  const { listOpenAiModels } = await import('../models/openai/modelList');
  const { keys, fetch } = models;
  const timeout = isNamed ? undefined : patience;
  const found = await listOpenAiModels({ keys, fetch, timeout, signal });
  return found.map(({ id, contextTokens }) => listed(`openai:${id}`, contextTokens, models));
}

async function geminiModels({ models, baseUrl, signal }: ListingRequest): Promise<readonly ListedModel[]> {
  const { listGeminiModels } = await import('../models/gemini/listGeminiModels');
  const found = await listGeminiModels({ ...models, settings: { baseUrl } }, signal);
  return found.map(({ id, contextTokens }) => listed(`gemini:${id}`, contextTokens, models));
}

async function listServer(
  provider: Server['provider'],
  baseUrl: string | undefined,
  { models, baseUrl: flag, isNamed, signal }: ListingRequest,
): Promise<ListedProvider> {
  let server: Server;
  try {
    server = serverOf(provider, baseUrl);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    const about = flag === undefined ? `OPENAI_BASE_URL can't be used. ${error.message}` : error.message;
    return { provider, title: provider, usable: false, server: null, key: null, about, models: [] };
  }
  const { checkServer } = await import('../models/openai/modelList');
  const given = provider === 'openai' || isNamed ? models.keys : withheld(provider);
  const { keys, wasGiven } = watched(given);
  const timeout = isNamed ? undefined : patience;
  const health = await checkServer({ provider, baseUrl, keys, fetch: models.fetch, timeout, signal });
  const unsent: ListedProvider['key'] =
    server.isHosted || health.state === 'wants-key' ? 'missing' : 'not needed';
  const known = {
    provider,
    title: server.title,
    server: server.baseUrl,
    key: wasGiven() ? ('set' as const) : unsent,
  };
  if (health.state !== 'running') {
    // A gateway may be used by the names of its models.
    const usable = health.state === 'unlisted' && provider === 'openai';
    return { ...known, usable, about: health.message, models: [] };
  }
  const { kind } = health;
  const isOther = provider !== 'openai' && kind !== provider && kind !== 'openai' && kind !== 'unknown';
  const who = isOther ? `${serverPresets[kind].title} is running there.` : 'It is running.';
  return {
    ...known,
    usable: true,
    about: `${who}${health.models.length === 0 ? ' It lists no models.' : ''}`,
    models: health.models.map(({ id, contextTokens }) =>
      listed(`${provider}:${id}`, contextTokens, models, baseUrl),
    ),
  };
}

/** For servers that nobody named: anything may listen at their ports. */
function withheld(provider: ServerProvider): KeySource {
  return {
    get: async () => undefined,
    advice: () => `None is sent before the server is named: use --provider ${provider}.`,
  };
}

/** The same keys, with whether one was given out. */
function watched(keys: KeySource | undefined): {
  readonly keys: KeySource | undefined;
  wasGiven(): boolean;
} {
  let isGiven = false;
  if (keys === undefined) return { keys, wasGiven: () => false };
  const get: KeySource['get'] = async (owner, signal) => {
    const key = await keys.get(owner, signal);
    isGiven ||= key !== undefined;
    return key;
  };
  return { keys: { ...keys, get }, wasGiven: () => isGiven };
}

function listed(
  name: string,
  contextTokens: number | undefined,
  { prices }: HostModels,
  baseUrl?: string,
): ListedModel {
  const price = priceOf(name, { settings: { baseUrl }, prices, now: Date.now() });
  return { name, contextTokens: contextTokens ?? null, price: price ?? null };
}
