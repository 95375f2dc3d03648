/** `skill-state models list`: every provider with what it needs, and its models. */
import { printable } from '../../../schemas/text/printable';
import { money } from '../../../schemas/text/spending';
import { hostedServices, type ModelService } from '../hosts/modelCatalog';
import type { HostModels } from '../hosts/node/participants';
import { type ModelName, modelProviders, type ServerProvider, serverProviders } from '../models/modelName';
import type { KeyOwner } from '../models/modelResources';
import { priceOf } from '../models/prices';
import { type Server, serverOf } from '../models/servers';
import { ModelFailure, type ModelPrice } from '../runtime/model';
import { baseUrlOf, commandModels, type ModelFlags } from './commandModels';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

type Provider = ModelName['provider'];

export interface ModelListFlags extends ModelFlags {
  readonly provider?: Provider;
  readonly json?: boolean;
}

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

/** In milliseconds: a server on this machine answers by then, or isn't there. */
const patience = 4_000;

/**
 * Prints the providers, or one of them.
 *
 * @returns 1 where one was named that can't be used as things are; else 0
 */
export async function modelList(flags: ModelListFlags, terminal: Terminal): Promise<ExitCode> {
  const named = flags.provider ?? (flags.baseUrl === undefined ? undefined : 'openai');
  if (flags.baseUrl !== undefined && named !== undefined && !hasServer(named))
    throw new UsageFailure(`--base-url is for servers; ${named} has none.`);
  const models = await commandModels(flags, terminal);
  const wanted = named === undefined ? modelProviders : [named];
  const listing = new Listing(flags, models, terminal.signal, named !== undefined);
  const providers = await Promise.all(wanted.map((provider) => listing.of(provider)));
  terminal.signal.throwIfAborted();
  const text = flags.json
    ? `${JSON.stringify({ providers })}\n`
    : `${providers.map((one) => providerLines(one).join('\n')).join('\n\n')}\n`;
  terminal.stdout.write(printable(text));
  return named !== undefined && providers.some(({ usable }) => !usable) ? 1 : 0;
}

function hasServer(provider: Provider): boolean {
  return provider === 'openai' || provider === 'gemini' || isServer(provider);
}

function isServer(provider: Provider): provider is ServerProvider {
  return serverProviders.some((one) => one === provider);
}

class Listing {
  readonly #flags: ModelListFlags;
  readonly #models: HostModels;
  readonly #signal: AbortSignal;
  /** Who names a provider waits longer for it. */
  readonly #isNamed: boolean;

  constructor(flags: ModelListFlags, models: HostModels, signal: AbortSignal, isNamed: boolean) {
    this.#flags = flags;
    this.#models = models;
    this.#signal = signal;
    this.#isNamed = isNamed;
  }

  async of(provider: Provider): Promise<ListedProvider> {
    const service = hostedServices.find((one) => one.provider === provider);
    if (provider === 'openai' && this.#baseUrl !== undefined) return this.#server('openai');
    if (service !== undefined) return this.#service(service);
    if (isServer(provider)) return this.#server(provider);
    const about = builtIn[provider] ?? '';
    const usable = provider !== 'vscode';
    const models = provider === 'scripted' || provider === 'manual' ? [provider] : [];
    return {
      provider,
      title: provider,
      usable,
      server: null,
      key: null,
      about,
      models: models.map((name) => ({ name, contextTokens: null, price: null })),
    };
  }

  get #baseUrl(): string | undefined {
    return baseUrlOf(this.#flags, 'openai:model');
  }

  async #service({ provider, title, owner: service }: ModelService): Promise<ListedProvider> {
    const { keys } = this.#models;
    const { baseUrl } = this.#flags;
    const origin = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).origin : service.origin;
    const owner: KeyOwner = { ...service, origin };
    const hasKey = (await this.#key(owner)) !== undefined;
    const about = keys?.advice(owner) ?? 'It needs a key.';
    const known = {
      provider,
      title,
      server: owner.origin,
      key: hasKey ? ('set' as const) : ('missing' as const),
    };
    if (!hasKey) return { ...known, usable: false, about, models: [] };
    return this.#listed(known, 'Its key is set.', async () => {
      if (provider === 'openai') return this.#openAi('openai', undefined);
      const { listGeminiModels } = await import('../models/gemini/listGeminiModels');
      const found = await listGeminiModels({ ...this.#models, settings: { baseUrl } }, this.#signal);
      return found.map(({ id, contextTokens }) => this.#model(`gemini:${id}`, contextTokens));
    });
  }

  async #server(provider: 'openai' | ServerProvider): Promise<ListedProvider> {
    const baseUrl = provider === 'openai' ? this.#baseUrl : this.#flags.baseUrl;
    const server = serverOf(provider, baseUrl);
    const owner: KeyOwner = { provider: 'openai', origin: server.origin, required: server.isHosted };
    const hasKey = (await this.#key(owner)) !== undefined;
    const known = {
      provider,
      title: server.title,
      server: server.baseUrl,
      key: hasKey ? ('set' as const) : server.isHosted ? ('missing' as const) : ('not needed' as const),
    };
    return this.#listed(known, 'It is running.', () => this.#openAi(provider, baseUrl));
  }

  async #listed(
    known: Pick<ListedProvider, 'provider' | 'title' | 'server' | 'key'>,
    about: string,
    list: () => Promise<readonly ListedModel[]>,
  ): Promise<ListedProvider> {
    try {
      const models = await list();
      return {
        ...known,
        usable: true,
        about: models.length === 0 ? `${about} It lists no models.` : about,
        models,
      };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      return { ...known, usable: false, about: error.message, models: [] };
    }
  }

  async #openAi(provider: Server['provider'], baseUrl: string | undefined): Promise<readonly ListedModel[]> {
    const { listOpenAiModels } = await import('../models/openai/modelList');
    const { keys, fetch } = this.#models;
    const timeout = this.#isNamed ? undefined : patience;
    const found = await listOpenAiModels({ provider, baseUrl, keys, fetch, timeout, signal: this.#signal });
    return found.map(({ id, contextTokens }) => this.#model(`${provider}:${id}`, contextTokens, baseUrl));
  }

  #model(name: string, contextTokens: number | undefined, baseUrl?: string): ListedModel {
    const { prices } = this.#models;
    const price = priceOf(name, { settings: { baseUrl }, prices, now: Date.now() });
    return { name, contextTokens: contextTokens ?? null, price: price ?? null };
  }

  #key(owner: KeyOwner): Promise<string | undefined> {
    return this.#models.keys?.get(owner, this.#signal) ?? Promise.resolve(undefined);
  }
}

const builtIn: Partial<Record<Provider, string>> = {
  scripted: 'A built-in policy that answers for the sample environments.',
  manual: 'A person types the replies.',
  vscode: "VS Code's own language models, which there are in VS Code alone.",
  replay: 'The replies of a recorded run: replay:<trace>.',
};

function providerLines({ provider, usable, server, about, models }: ListedProvider): readonly string[] {
  const where = server === null || !usable ? '' : ` at ${server}`;
  const others = models.filter(({ name }) => name !== provider);
  const width = Math.max(0, ...others.map(({ name }) => name.length));
  return [`${provider}${where}: ${about}`, ...others.map((model) => `  ${modelLine(model, width)}`)];
}

function modelLine({ name, contextTokens, price }: ListedModel, width: number): string {
  const facts = [
    ...(contextTokens === null ? [] : [`${contextTokens} tokens of context`]),
    ...(price === null ? [] : [priceText(price)]),
  ];
  return facts.length === 0 ? name : `${name.padEnd(width)}  ${facts.join(', ')}`;
}

/** Per million tokens. */
function priceText({ prompt, completion, cached }: ModelPrice): string {
  const fromCache = cached === undefined ? '' : ` (cached ${money(cached)})`;
  return `${money(prompt)}${fromCache} in, ${money(completion)} out per million tokens`;
}
