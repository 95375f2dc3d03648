/** OpenAI's library, loaded when it is first used, and one request made with it. */
import type OpenAI from 'openai';
import { type JsonObject, ownProperty } from '../../../../schemas/json/jsonValue';
import { type ModelEvent, ModelFailure } from '../../runtime/model';
import { quoted, shortened } from '../../runtime/quotation';
import { createExchange, type Exchange } from '../http/exchange';
import { cutOff } from '../http/exchangeFailure';
import { createSecretFilter, type SecretFilter } from '../http/secretFilter';
import { ServerKey } from '../http/serverKey';
import type { ModelClient, Question } from '../modelClient';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { defaultTimeout } from '../modelSettings';
import { type Server, serverOf } from '../servers';
import { ChatReply } from './chatReply';
import { chatBody, dialectOf } from './chatRequest';
import { ChatStream, NoAnswer } from './chatStream';
import { type FailureContext, failureOf, failureOfStatus, malformed, withheld } from './openaiFailure';
import { refusalOf, ServerRefusal } from './serverRefusal';
import {
  type Learned,
  recordedParameters,
  type UnsupportedParameters,
  unsupportedParametersOf,
} from './unsupportedParameters';

/** Where the key stands in requests, and what is shown in its place. */
const secretHeaders: ReadonlyMap<string, string> = new Map([['authorization', 'Bearer $OPENAI_API_KEY']]);

/** What requests have of the headers that the library makes: what it tells of this machine, or reads from variables, stays here. */
const sentHeaders = ['accept', 'content-type', 'user-agent', 'openai-organization', 'openai-project'];

/** A word or two: why a reply ended, in characters. */
const longestReason = 100;

/** In milliseconds: lists are short, and somebody waits for them. */
export const listTimeout = 10_000;

/** The library's own timer, in milliseconds: the longest that there is, since the exchange has another. */
const never = 2 ** 31 - 1;

export type OpenAiResources = Pick<ModelResources, 'settings' | 'keys' | 'fetch' | 'waiting'>;

/**
 * What connects to the server of a name.
 *
 * @throws ModelFailure for a base URL that can't be one
 */
export function clientOf(name: ModelName, resources: OpenAiResources): OpenAiClient {
  switch (name.provider) {
    case 'openai':
    case 'ollama':
    case 'llama.cpp':
    case 'vllm':
    case 'lm-studio':
      return new OpenAiClient(name.provider, name.model, resources);
    default:
      throw new Error(`${name.provider} doesn't speak OpenAI's protocol`);
  }
}

/** What connects to one server; made without a request. */
export class OpenAiClient implements ModelClient {
  readonly dialectOf = dialectOf;
  readonly server: Server;
  readonly model: string;
  readonly #resources: OpenAiResources;
  readonly #secrets: SecretFilter = createSecretFilter();
  readonly #key: ServerKey;

  /** @throws ModelFailure for a base URL that can't be one */
  constructor(provider: Server['provider'], model: string, resources: OpenAiResources) {
    this.server = serverOf(provider, resources.settings?.baseUrl);
    this.model = model;
    this.#resources = resources;
    const { origin, title, isHosted } = this.server;
    this.#key = new ServerKey({
      ...{ provider: 'openai', origin, title, isRequired: isHosted },
      ...{ keys: resources.keys, secrets: this.#secrets },
    });
    const { without } = resources.settings ?? {};
    if (without !== undefined) this.unsupported.add(recordedParameters(without));
  }

  get title(): string {
    return this.server.title;
  }

  /** In milliseconds. */
  get timeout(): number {
    return (this.#resources.settings?.timeout ?? defaultTimeout) * 1000;
  }

  /** What requests do without. */
  get unsupported(): UnsupportedParameters {
    // Local servers know the older name, and some pass over the newer one.
    const { isHosted, baseUrl } = this.server;
    return unsupportedParametersOf(baseUrl, this.model, isHosted ? 'max_completion_tokens' : 'max_tokens');
  }

  /** Looks whether there is a key where one is required. @throws ModelFailure; the signal's reason */
  async authenticate(signal: AbortSignal): Promise<void> {
    await this.#key.get(signal);
  }

  /**
   * Asks the model, again where the server's refusal tells how: without what it doesn't take, and with the key that it asks
   * for. Each refusal is told as `retry`.
   *
   * @throws ModelFailure; the signal's reason
   */
  async *ask(question: Question, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let last: { readonly learned: Learned; readonly message: string } | undefined;
    const tried = new Set<string>();
    for (;;) {
      const { reasoningEffort } = this.#resources.settings ?? {};
      const body = chatBody({ ...question, model: this.model, reasoningEffort }, this.unsupported);
      const key = await this.#key.get(signal);
      try {
        yield* this.#askOnce(body, key, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        const refusal = error.cause instanceof ServerRefusal ? error.cause : undefined;
        if (last !== undefined && last.message === refusal?.message) {
          tried.add(last.learned.parameter);
          this.unsupported.forget(last.learned.parameter);
        }
        const learned = refusal && this.unsupported.learn(refusal, body, tried);
        last = learned && refusal && { learned, message: refusal.message };
        if (learned !== undefined) {
          const message = `${quoted(this.model)} at ${this.server.title} ${learned.sentence}`;
          yield { type: 'retry', failure: { class: error.class, message, wait: 0 } };
        } else if (await this.#findsKey(error, key, signal)) {
          yield { type: 'retry', failure: { class: error.class, message: error.message, wait: 0 } };
        } else throw error;
      }
    }
  }

  async *#askOnce(
    body: OpenAI.ChatCompletionCreateParams,
    key: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const context = this.#context(key, this.timeout);
    const exchange = this.#exchange(signal, this.timeout);
    const reply = new ChatReply();
    const shown = { text: this.#secrets.pieces(), thinking: this.#secrets.pieces() };
    let failure: ModelFailure | undefined;
    try {
      const library = await this.#library(exchange, key);
      signal.throwIfAborted();
      const answer = library.chat.completions.create(body).asResponse();
      const request = await this.#prepared(exchange, answer);
      yield { type: 'request', request, received: () => exchange.receivedSoFar };
      exchange.send();
      try {
        const stream = new ChatStream((await answer).body);
        for await (const chunk of stream.chunks()) {
          signal.throwIfAborted();
          refuseErrors(chunk, context);
          for (const { type, text } of reply.take(chunk)) {
            const piece = shown[type].write(text);
            if (piece !== '') yield { type, text: piece };
          }
        }
        failure = endedAs(reply, stream.isDone, context);
      } catch (error) {
        signal.throwIfAborted();
        failure = this.#failureOf(error, exchange, context);
        // A reply that says why it ended is whole, however its connection ends.
        if (failure.class === 'malformed-stream' || failure.class === 'timeout') {
          if (reply.finish !== undefined) failure = endedAs(reply, true, context);
        }
      }
      for (const type of ['thinking', 'text'] as const) {
        const rest = shown[type].end();
        if (rest !== '') yield { type, text: rest };
      }
      const response = exchange.received;
      if (response !== undefined) yield { type: 'response', response };
      // A reply that failed has taken tokens as well.
      if (reply.usage !== undefined) yield { type: 'usage', usage: reply.usage };
      if (failure !== undefined) throw failure;
      if (reply.finish !== undefined) {
        yield { type: 'finish', reason: shortened(this.#secrets.hide(reply.finish), longestReason) };
      }
    } finally {
      exchange.close();
    }
  }

  /** {@link models}, waited for no longer than somebody does who chooses one. */
  list(signal: AbortSignal): Promise<ServerAnswer | undefined> {
    return this.models(Math.min(this.timeout, listTimeout), signal);
  }

  /**
   * What the server answers to `GET /models`, as JSON, with its headers; undefined where it has no such list.
   *
   * @param timeout in milliseconds
   * @throws ModelFailure; the signal's reason
   */
  async models(timeout: number, signal: AbortSignal): Promise<ServerAnswer | undefined> {
    return this.#get((library) => library.models.list().asResponse(), timeout, signal);
  }

  /**
   * What the server answers to `GET` of a path at its origin; undefined where there is nothing.
   *
   * @param timeout in milliseconds
   * @throws ModelFailure; the signal's reason
   */
  async look(path: string, timeout: number, signal: AbortSignal): Promise<ServerAnswer | undefined> {
    const { href } = new URL(path, this.server.origin);
    return this.#get((library) => library.get(href).asResponse(), timeout, signal);
  }

  async #get(
    get: (library: OpenAI) => Promise<Response>,
    timeout: number,
    signal: AbortSignal,
  ): Promise<ServerAnswer | undefined> {
    for (;;) {
      const key = await this.#key.get(signal);
      const context = this.#context(key, timeout);
      // What is asked for here is short: it doesn't come drop by drop.
      const exchange = this.#exchange(signal, timeout, 2 * timeout);
      try {
        const library = await this.#library(exchange, key);
        signal.throwIfAborted();
        exchange.send();
        const { body, headers } = await get(library);
        for await (const json of new ChatStream(body).chunks()) {
          refuseErrors(json, context);
          return { json, headers };
        }
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        const failure = this.#failureOf(error, exchange, context);
        const status = failure.cause instanceof ServerRefusal ? failure.cause.status : undefined;
        if (status !== undefined && nothingThere.has(status)) return undefined;
        if (!(await this.#findsKey(failure, key, signal))) throw failure;
      } finally {
        exchange.close();
      }
    }
  }

  /** Puts the library's request together, which then waits to be sent. */
  async #prepared(exchange: Exchange, answer: Promise<Response>) {
    const early = answer.then(
      (): never => {
        throw new Error('An answer before the request');
      },
      (cause): never => {
        throw this.#hidden(unmade(this.server, cause));
      },
    );
    return Promise.race([exchange.prepared, early]);
  }

  /** @throws ModelFailure for variables of which no headers can be made */
  async #library(exchange: Exchange, key: string | undefined): Promise<OpenAI> {
    const { OpenAI: Library } = await import('openai');
    const options = {
      baseURL: this.server.baseUrl,
      apiKey: key ?? 'none',
      adminAPIKey: null,
      // What variables say of organization and project is meant for OpenAI.
      ...(!this.server.isHosted && { organization: null, project: null }),
      maxRetries: 0,
      timeout: never,
      logLevel: 'off',
      fetch: (...[input, init]: Parameters<typeof globalThis.fetch>) =>
        exchange.fetch(input, { ...init, headers: headersOf(init?.headers, key) }),
    } as const;
    try {
      return new Library(options);
    } catch (cause) {
      throw this.#hidden(unmade(this.server, cause));
    }
  }

  #exchange(signal: AbortSignal, timeout: number, deadline?: number): Exchange {
    return createExchange({
      fetch: this.#resources.fetch,
      timeout,
      deadline,
      signal,
      secrets: this.#secrets,
      secretHeaders,
    });
  }

  /**
   * Follows a refusal for want of a key: whether there is one now where none was sent. One that was refused is told to where
   * it came from.
   *
   * @param sent the key of the request that was refused
   */
  async #findsKey(
    { class: failureClass }: ModelFailure,
    sent: string | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (failureClass !== 'authentication') return false;
    if (sent === undefined) return this.#key.isFound(signal);
    await this.#key.refused(sent);
    return false;
  }

  #failureOf(error: unknown, exchange: Exchange, context: FailureContext): ModelFailure {
    if (error instanceof ModelFailure) return error;
    if (error instanceof NoAnswer) return malformed(context, error.message, error.isPassing);
    const { failure } = exchange;
    return this.#hidden(
      failure === undefined ? cutOff(context.server.title, error) : failureOf(failure, context),
    );
  }

  /** Without a key in what the library or the network says; a refusal was read without one. */
  #hidden(failure: ModelFailure): ModelFailure {
    const { class: failureClass, retryable, retryAfter, cause } = failure;
    if (cause === undefined || cause instanceof ServerRefusal) return failure;
    const message = this.#secrets.hideInError(failure.message);
    return new ModelFailure(message, {
      ...{ class: failureClass, retryable, retryAfter },
      cause: this.#secrets.hideError(cause),
    });
  }

  #context(key: string | undefined, timeout: number): FailureContext {
    const { server, model } = this;
    return {
      server,
      model,
      advice: this.#key.advice,
      hasKey: key !== undefined,
      timeout,
      now: this.#resources.waiting?.now() ?? Date.now(),
      hide: (text) => this.#secrets.hideInError(text),
    };
  }
}

/** Statuses of servers that have no such thing, or have it for others: nothing follows from them for a chat. */
const nothingThere: ReadonlySet<number> = new Set([400, 403, 404, 405, 410, 422, 501]);

export interface ServerAnswer {
  readonly json: JsonObject;
  readonly headers: Headers;
}

function headersOf(given: ConstructorParameters<typeof Headers>[0], key: string | undefined): Headers {
  const made = new Headers(given);
  const headers = new Headers();
  for (const name of sentHeaders) {
    const value = made.get(name);
    if (value !== null) headers.set(name, value);
  }
  // The library calls itself by the name of its class, which a minified build has shortened.
  const agent = headers.get('user-agent')?.replace(/^[\w$]+\/JS /, 'OpenAI/JS ');
  if (agent !== undefined) headers.set('user-agent', agent);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  return headers;
}

/** The library couldn't put a request together. */
function unmade({ title }: Server, cause: unknown): ModelFailure {
  const message = `No request to ${title} can be made of the variables that begin with OPENAI_: see whether a line end or another special character is in one of them.`;
  return new ModelFailure(message, { class: 'bad-request', retryable: false, cause });
}

/** Errors come in streams, and with a status of success, too. */
function refuseErrors(chunk: JsonObject, context: FailureContext): void {
  const error = ownProperty(chunk, 'error');
  if ((error === undefined || error === null) && ownProperty(chunk, 'object') !== 'error') return;
  throw failureOfStatus(refusalOf(chunk, context.hide), context);
}

/** Why a stream that ended by itself is no whole reply; undefined where it is. */
function endedAs(reply: ChatReply, isDone: boolean, context: FailureContext): ModelFailure | undefined {
  if (reply.refusal !== '') return withheld(context, context.hide(reply.refusal).slice(0, 200));
  if (reply.finish === 'content_filter') return withheld(context, '');
  if (!reply.isBegun) {
    return malformed(
      context,
      'answered without a reply: try again, and see whether the base URL is right.',
      true,
    );
  }
  if (reply.finish === undefined && !isDone) return cutOff(context.server.title);
  return undefined;
}
