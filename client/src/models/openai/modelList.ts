/** The models that a server lists, whether it is there at all, and what kind of server it is. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { ModelFailure } from '../../runtime/model';
import { codeOf } from '../http/connectionFailure';
import type { Fetch } from '../http/fetch';
import type { ServerProvider } from '../modelName';
import type { KeySource } from '../modelResources';
import { type Server, serverPresets } from '../servers';
import { listTimeout, OpenAiClient, type ServerAnswer } from './openaiClient';

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
  readonly fetch?: Fetch | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly signal: AbortSignal;
}

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

/** What is found where a server should be; `message` is a sentence for the user that says what to do. */
export type ServerHealth =
  | { readonly state: 'running'; readonly kind: ServerKind; readonly models: readonly OpenAiModelEntry[] }
  /** It answers, and has no list of models: a gateway perhaps, or something else that listens there. */
  | { readonly state: 'unlisted'; readonly message: string }
  /** It asks for a key that it was not sent, or doesn't take the one that it was. */
  | { readonly state: 'wants-key'; readonly message: string }
  /** Nothing listens there: `message` says how to start it. */
  | { readonly state: 'absent'; readonly message: string }
  /** It is still loading, speaks another protocol, is too slow or out of reach, or fails. */
  | { readonly state: 'failing'; readonly message: string };

/**
 * Whether a server is there and ready, by its list of models.
 *
 * @throws ModelFailure for a base URL that can't be one; the signal's reason
 */
export async function checkServer(options: ListingOptions): Promise<ServerHealth> {
  const client = listingClient(options);
  const { server } = client;
  try {
    const answer = await client.models(options.timeout ?? listTimeout, options.signal);
    if (answer === undefined || !isList(answer.json)) return { state: 'unlisted', message: unlisted(server) };
    return { state: 'running', kind: serverKind(server, answer), models: entriesOf(answer, server) };
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    return { state: stateOf(error), message: error.message };
  }
}

function stateOf({ class: failureClass, cause }: ModelFailure): 'wants-key' | 'absent' | 'failing' {
  if (failureClass === 'authentication') return 'wants-key';
  // A name that isn't found, a proxy or a certificate is no matter of starting it.
  return failureClass === 'connection' && codeOf(cause) === 'ECONNREFUSED' ? 'absent' : 'failing';
}

function unlisted({ provider, origin, title }: Server): string {
  return provider === 'openai'
    ? `${capital(title)} has no list of models: name one by its id.`
    : `What listens at ${origin} has no list of models, so it is not ${serverPresets[provider].title}: ${serverPresets[provider].start}`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Ollama writes `null` for a list without models. */
function isList(json: JsonObject): boolean {
  const data = ownProperty(json, 'data');
  return Array.isArray(data) || data === null;
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
