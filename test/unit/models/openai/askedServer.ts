/** A model of the provider under test at a server of the test's own. */
import { vi } from 'vitest';
import type { ModelResources } from '../../../../client/src/models/modelResources';
import type { ModelSettings } from '../../../../client/src/models/modelSettings';
import { createOpenAiModel } from '../../../../client/src/models/openai/openaiModel';
import type { Server } from '../../../../client/src/models/servers';
import type { Model, ModelFailure } from '../../../../client/src/runtime/model';
import { askModel, modelResources } from '../../../support/askedModel';
import {
  type Answering,
  type OpenAiServer,
  type OpenAiServerOptions,
  startOpenAiServer,
} from '../../../support/openaiServer';

const servers: OpenAiServer[] = [];

/** Starts a server that {@link closeServers} closes. */
export async function openServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const server = await startOpenAiServer(options);
  servers.push(server);
  return server;
}

/** For `afterEach`. */
export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

export interface MadeModel {
  readonly provider?: Server['provider'];
  readonly model?: string;
  readonly settings?: ModelSettings;
  readonly resources?: Partial<ModelResources>;
}

/** `openai:test-model` at the base URL, without constraints. */
export function modelAt(baseUrl: string, made: MadeModel = {}): Model {
  const { provider = 'openai', model = 'test-model', settings, resources } = made;
  return createOpenAiModel(
    { provider, model },
    `${provider}:${model}`,
    modelResources({ settings: { baseUrl, encoding: 'free', ...settings }, ...resources }),
  );
}

export interface Asking extends MadeModel {
  readonly prompt?: string;
}

/** The failure of one request to a base URL. */
export async function failureAt(
  baseUrl: string,
  { prompt = 'What now?', ...made }: Asking = {},
): Promise<ModelFailure> {
  const { failure } = await askModel(modelAt(baseUrl, made), { prompt });
  if (failure === undefined) throw new Error('No failure');
  return failure;
}

/** The failure of one request to a server of its own. */
export async function failureOf(answer: Answering, asking?: Asking): Promise<ModelFailure> {
  return failureAt((await openServer({ answer })).baseUrl, asking);
}

/** A failure as tests compare it, with ports and addresses left out. */
export function seen({ class: failureClass, retryable, message, retryAfter }: ModelFailure) {
  return {
    class: failureClass,
    retryable,
    message: message.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** Lets the timers of a test with fake ones run out, as long as something is awaited. */
export async function passingTime<Value>(awaited: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  awaited.then(over, over);
  while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
  return awaited;
}
