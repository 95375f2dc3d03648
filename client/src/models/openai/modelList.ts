/** The models that a server lists, whether it is there at all, and what kind of server it is. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { ModelFailure } from '../../runtime/model';
import type { ServerProvider } from '../modelName';
import type { KeySource } from '../modelResources';
import type { Server } from '../servers';
import { OpenAiClient, type ServerAnswer } from './openaiClient';

/** `openai`: its own service; `unknown`: some other that speaks its protocol. */
export type ServerKind = 'openai' | ServerProvider | 'unknown';

export interface OpenAiModelEntry {
  readonly id: string;
  /** The most tokens of prompt and reply together, where the server says so. */
  readonly contextTokens?: number;
}

export interface ListingOptions {
  /** `openai` by default. */
  readonly provider?: Server['provider'] | undefined;
  /** By default the provider's. */
  readonly baseUrl?: string | undefined;
  /** The key, or where it comes from. */
  readonly key?: string | undefined;
  readonly keys?: KeySource | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly signal: AbortSignal;
}

/** In milliseconds: lists are short, and somebody waits for them. */
export const listTimeout = 10_000;

/** A list without end is cut. */
const mostModels = 2_000;

/** What OpenAI lists beside models that chat. */
const otherPurpose =
  /embedding|whisper|tts|dall-e|moderation|realtime|audio|transcribe|image|sora|davinci|babbage|instruct|computer-use|deep-research/;

/**
 * The models at a provider or a base URL; none where the server has no list.
 *
 * @throws ModelFailure; the signal's reason
 */
export async function listOpenAiModels(options: ListingOptions): Promise<readonly OpenAiModelEntry[]> {
  const client = listingClient(options);
  const answer = await client.models(options.timeout ?? listTimeout, options.signal);
  return answer === undefined ? [] : entriesOf(answer, client.server);
}

export type ServerHealth =
  | { readonly isRunning: true; readonly kind: ServerKind; readonly models: readonly OpenAiModelEntry[] }
  /** `failure` says how to start it. */
  | { readonly isRunning: false; readonly failure: ModelFailure };

/**
 * Whether a known server is there and ready, by its list of models.
 *
 * @throws the signal's reason
 */
export async function checkServer(
  provider: ServerProvider,
  options: Omit<ListingOptions, 'provider'>,
): Promise<ServerHealth> {
  try {
    const client = listingClient({ ...options, provider });
    const answer = await client.models(options.timeout ?? listTimeout, options.signal);
    return {
      isRunning: true,
      kind: serverKind(client.server, answer),
      models: answer === undefined ? [] : entriesOf(answer, client.server),
    };
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    return { isRunning: false, failure: error };
  }
}

/** The models of an answered list. */
export function entriesOf({ json }: ServerAnswer, server: Server): readonly OpenAiModelEntry[] {
  const entries = new Map<string, OpenAiModelEntry>();
  for (const item of dataOf(json)) {
    const id = ownProperty(item, 'id');
    if (typeof id !== 'string' || id === '' || entries.size >= mostModels) continue;
    if (server.isHosted && otherPurpose.test(id)) continue;
    const contextTokens = contextOf(item);
    entries.set(id, { id, ...(contextTokens !== undefined && { contextTokens }) });
  }
  const found = [...entries.values()];
  // Local servers have an order of their own, such as the latest used first; OpenAI's says nothing.
  return server.isHosted ? found.sort((a, b) => (a.id < b.id ? -1 : 1)) : found;
}

/** What is recognised in an answer that was asked for anyway, or else what the user calls it. */
export function serverKind(server: Server, answer: ServerAnswer | undefined): ServerKind {
  if (server.isHosted) return 'openai';
  const owners = answer === undefined ? [] : dataOf(answer.json).map((item) => ownProperty(item, 'owned_by'));
  for (const [owner, kind] of kinds) if (owners.includes(owner)) return kind;
  if (answer?.headers.get('server') === 'llama.cpp') return 'llama.cpp';
  return server.provider === 'openai' ? 'unknown' : server.provider;
}

const kinds: ReadonlyMap<string, ServerProvider> = new Map([
  ['llamacpp', 'llama.cpp'],
  ['library', 'ollama'],
  ['vllm', 'vllm'],
  ['organization_owner', 'lm-studio'],
]);

function listingClient({ provider = 'openai', baseUrl, key, keys, fetch }: ListingOptions): OpenAiClient {
  const given: KeySource = { get: async () => key, advice: () => 'Give one that it takes.' };
  const settings = { baseUrl };
  return new OpenAiClient(provider, '', { settings, keys: key === undefined ? keys : given, fetch });
}

function dataOf(list: JsonObject): readonly JsonObject[] {
  const data = ownProperty(list, 'data');
  return Array.isArray(data) ? data.filter((item: JsonValue) => isJsonObject(item)) : [];
}

/** vLLM's and llama.cpp's fields for it. */
function contextOf(item: JsonObject): number | undefined {
  const meta = ownProperty(item, 'meta');
  const found =
    ownProperty(item, 'max_model_len') ??
    ownProperty(item, 'context_length') ??
    (isJsonObject(meta) ? (ownProperty(meta, 'n_ctx') ?? ownProperty(meta, 'n_ctx_train')) : undefined);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : undefined;
}
