/** A Gemini model that asks a server for tests, and what comes of it. */
import { afterEach } from 'vitest';
import { sha256 } from '../../../../client/src/hosts/node/sha256';
import { createGeminiModel } from '../../../../client/src/models/gemini/geminiModel';
import type { KeySource, ModelResources } from '../../../../client/src/models/modelResources';
import type { ModelSettings } from '../../../../client/src/models/modelSettings';
import {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelRequest,
  type ReceivedResponse,
  type SentRequest,
} from '../../../../client/src/runtime/model';
import {
  type GeminiServer,
  type GeminiServerOptions,
  startGeminiServer,
} from '../../../support/geminiServer';
import { modelRequest } from '../../../support/modelRequest';

export const plantedKey = 'AIzaSyPlanted+Key/0123456789';

export const advice = 'Set GEMINI_API_KEY.';

/** Always the same key; notes whose was wanted, and what was refused. */
export function keySource(key: string | undefined = plantedKey) {
  const asked: string[] = [];
  const refusals: string[] = [];
  const source: KeySource = {
    get: async ({ provider, origin, required }) => {
      asked.push(`${provider} ${origin} ${required}`);
      return key;
    },
    advice: () => advice,
    refused: async ({ origin }) => {
      refusals.push(origin);
    },
  };
  return { ...source, asked, refusals };
}

const servers: GeminiServer[] = [];

/** A server that is closed after the test. */
export async function startServer(options: GeminiServerOptions = {}): Promise<GeminiServer> {
  const server = await startGeminiServer(options);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

export interface HarnessOptions {
  readonly model?: string;
  readonly settings?: ModelSettings;
  readonly resources?: Partial<ModelResources>;
}

/** Free decoding, unless told otherwise. */
export function geminiModel(
  { baseUrl }: Pick<GeminiServer, 'baseUrl'>,
  { model = 'gemini-2.5-flash', settings, resources }: HarnessOptions = {},
): Model {
  return createGeminiModel({ provider: 'gemini', model }, `gemini:${model}`, {
    asker: { ask: async () => undefined },
    environment: 'manual',
    sha256,
    keys: keySource(),
    settings: { baseUrl, decoding: 'free', ...settings },
    ...resources,
  });
}

export interface Answered {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly thinking: string;
  /** What became of it; undefined for a whole answer. */
  readonly failure: ModelFailure | undefined;
  readonly finish: string | undefined;
  readonly usage: (ModelEvent & { type: 'usage' })['usage'] | undefined;
  readonly request: SentRequest | undefined;
  readonly response: ReceivedResponse | undefined;
}

/** Asks, and takes all that comes. */
export async function ask(
  model: Model,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Answered> {
  const events: ModelEvent[] = [];
  let failure: ModelFailure | undefined;
  try {
    for await (const event of model.generate(
      modelRequest({ prompt: 'What is on shelf 1?', ...request }),
      signal,
    ))
      events.push(event);
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    failure = error;
  }
  const textOf = (type: 'text' | 'thinking') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const found = <Type extends ModelEvent['type']>(type: Type) =>
    events.find((event): event is ModelEvent & { type: Type } => event.type === type);
  return {
    events,
    text: textOf('text'),
    thinking: textOf('thinking'),
    failure,
    finish: found('finish')?.reason,
    usage: found('usage')?.usage,
    request: found('request')?.request,
    response: found('response')?.response,
  };
}
