/** Google's library, loaded when it is first used, and one streamed request made with it. */
import type { GoogleGenAI } from '@google/genai';
import { type ModelEvent, ModelFailure } from '../../runtime/model';
import { orAborted } from '../../runtime/orAborted';
import { shortened } from '../../runtime/quotation';
import type { ProbePlacement } from '../decoding/probe';
import type { Dialect } from '../decoding/replyConstraint';
import { codeOf, connectionFailure, isNetworkCode } from '../http/connectionFailure';
import { createExchange, type Exchange } from '../http/exchange';
import { cutOff } from '../http/exchangeFailure';
import { createSecretFilter, type SecretFilter } from '../http/secretFilter';
import { ServerKey } from '../http/serverKey';
import type { ModelClient, Question } from '../modelClient';
import type { ModelResources } from '../modelResources';
import { defaultTimeout, type Encoding, type Placement } from '../modelSettings';
import { geminiConfig, geminiPlacements } from './geminiConfig';
import { type FailureContext, failureOf, failureOfStatus, malformed } from './geminiFailure';
import { GeminiReply } from './geminiReply';
import { type GeminiTarget, geminiModelId, geminiTarget } from './geminiTarget';
import { readGoogleStatus } from './googleStatus';
import { withPlainEvents } from './plainEvents';

/** Where secrets stand in requests, and what is shown in their place. */
const secretHeaders: ReadonlyMap<string, string> = new Map([
  ['x-goog-api-key', '$GEMINI_API_KEY'],
  ['authorization', 'Bearer $GOOGLE_ACCESS_TOKEN'],
]);

const vertexAdvice =
  'Sign in by `gcloud auth application-default login`, or name the file of a service account in GOOGLE_APPLICATION_CREDENTIALS.';

/** A word or two: why a reply ended, in characters. */
const longestReason = 100;

export type GeminiResources = Pick<ModelResources, 'settings' | 'keys' | 'fetch' | 'waiting'>;

/** What connects to one model at one target; made without a request. */
export class GeminiClient implements ModelClient {
  readonly model: string;
  readonly target: GeminiTarget;
  readonly #resources: GeminiResources;
  readonly #secrets: SecretFilter = createSecretFilter();
  readonly #key: ServerKey;
  #library: { readonly key: string | undefined; readonly made: Promise<GoogleGenAI> } | undefined;

  /** @throws ModelFailure where the settings make no address */
  constructor(model: string, resources: GeminiResources) {
    this.model = model;
    this.target = geminiTarget(resources.settings ?? {});
    this.#resources = resources;
    const { origin, server: title } = this.target;
    this.#key = new ServerKey({
      ...{ provider: 'gemini', origin, title, isRequired: true },
      ...{ keys: resources.keys, secrets: this.#secrets },
      otherThanKey: (key) =>
        key.startsWith('auth_tokens/') ? 'it is a token for a while, and no key' : undefined,
    });
  }

  get title(): string {
    return this.target.server;
  }

  dialectOf(placement: Placement, encoding: Encoding): Dialect | undefined {
    const isTaken = (one: ProbePlacement) => one.placement === placement && one.encoding === encoding;
    return geminiPlacements.find(isTaken)?.dialect;
  }

  /** In milliseconds. */
  get timeout(): number {
    return (this.#resources.settings?.timeout ?? defaultTimeout) * 1000;
  }

  /**
   * Finds the key, or the credentials of Vertex AI, without a request to Gemini.
   *
   * @throws ModelFailure where there is none; the signal's reason
   */
  async authenticate(signal: AbortSignal): Promise<void> {
    await this.#client(signal);
    if (this.target.vertex === undefined) return;
    // A request that is never released: it is made ready with the credentials, and given up.
    const exchange = this.#exchange(signal);
    try {
      await this.#prepared(exchange, signal, (client, config) =>
        client.models.countTokens({ model: 'none', contents: '', config }),
      );
    } finally {
      exchange.close();
    }
  }

  /**
   * Asks the model once.
   *
   * @throws ModelFailure; the signal's reason
   */
  async *ask({ request: asked, constraint }: Question, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const context = this.#context(this.model);
    const id = geminiModelId(this.model, this.target);
    const config = geminiConfig(this.model, asked, this.#resources.settings ?? {}, constraint?.constraint);
    const exchange = this.#exchange(signal);
    const reply = new GeminiReply(context);
    const hidden = { text: this.#secrets.pieces(), thinking: this.#secrets.pieces() };
    let failure: ModelFailure | undefined;
    try {
      const { request, answer, key } = await this.#prepared(exchange, signal, (client, extra) =>
        client.models.generateContentStream({
          model: id,
          contents: [{ role: 'user', parts: [{ text: asked.prompt }] }],
          // What the library would do by itself: call tools, and make further requests for one reply.
          config: {
            ...config,
            ...extra,
            automaticFunctionCalling: { disable: true },
            automaticContinuation: false,
          },
        }),
      );
      yield { type: 'request', request, received: () => exchange.receivedSoFar };
      exchange.send();
      try {
        for await (const chunk of await answer) {
          signal.throwIfAborted();
          for (const { type, text } of reply.take(chunk)) {
            const shown = hidden[type].write(text);
            if (shown !== '') yield { type, text: shown };
          }
        }
        if (reply.finish === undefined) failure = this.#hidden(unfinished(exchange, reply.isAnswer, context));
      } catch (error) {
        signal.throwIfAborted();
        // A reply that says why it ended is whole, however its connection ends.
        if (reply.finish === undefined || error instanceof ModelFailure) {
          failure = await this.#failureOf(error, exchange, context, key);
        }
      }
      for (const type of ['thinking', 'text'] as const) {
        const rest = hidden[type].end();
        if (rest !== '' && failure === undefined) yield { type, text: rest };
      }
      const response = exchange.received;
      if (response !== undefined) yield { type: 'response', response };
      // A reply that failed has taken tokens as well.
      const usage = failure === undefined ? reply.usage : reply.usageSoFar;
      if (usage !== undefined) yield { type: 'usage', usage };
      if (failure !== undefined) throw failure;
      if (reply.finish !== undefined) {
        yield { type: 'finish', reason: shortened(this.#secrets.hide(reply.finish), longestReason) };
      }
    } finally {
      exchange.close();
    }
  }

  /** The models of the target that generate text. @throws ModelFailure; the signal's reason */
  async list(signal: AbortSignal): Promise<readonly GeminiModelEntry[]> {
    const context = this.#context('');
    const exchanges: Exchange[] = [];
    const { client, key } = await this.#client(signal);
    const entries: GeminiModelEntry[] = [];
    try {
      // Each page is a request, which the library makes as it goes.
      const fetch: typeof globalThis.fetch = (input, init) => {
        const exchange = this.#exchange(signal);
        exchanges.push(exchange);
        exchange.send();
        return exchange.fetch(input, init);
      };
      const pages = await orAborted(
        client.models.list({ config: { pageSize: 200, httpOptions: { fetch }, abortSignal: signal } }),
        signal,
      );
      for await (const {
        name = '',
        displayName,
        inputTokenLimit,
        outputTokenLimit,
        supportedActions,
      } of pages) {
        signal.throwIfAborted();
        if (supportedActions !== undefined && !supportedActions.includes('generateContent')) continue;
        const id = this.#secrets.hide(name.replace(/^(publishers\/google\/)?models\//, ''));
        if (id === '') continue;
        entries.push({
          id,
          title: this.#secrets.hide(displayName ?? id),
          ...(inputTokenLimit !== undefined && { contextTokens: inputTokenLimit }),
          ...(outputTokenLimit !== undefined && { outputTokens: outputTokenLimit }),
        });
        if (entries.length >= mostModels) break;
      }
      return entries;
    } catch (error) {
      signal.throwIfAborted();
      const [latest] = exchanges.slice(-1);
      if (latest === undefined) throw this.#hidden(this.#unauthenticated(error));
      throw await this.#failureOf(error, latest, context, key);
    } finally {
      for (const exchange of exchanges) exchange.close();
    }
  }

  #exchange(signal: AbortSignal): Exchange {
    return createExchange({
      fetch: this.#resources.fetch,
      timeout: this.timeout,
      signal,
      secrets: this.#secrets,
      secretHeaders,
    });
  }

  /** Has the library make a request ready, which waits to be released. */
  async #prepared<Answer>(
    exchange: Exchange,
    signal: AbortSignal,
    make: (
      client: GoogleGenAI,
      config: { httpOptions: { fetch: typeof globalThis.fetch } },
    ) => Promise<Answer>,
  ) {
    const { client, key } = await this.#client(signal);
    const answer = make(client, { httpOptions: { fetch: withPlainEvents(exchange.fetch) } });
    // It is looked at later.
    answer.catch(() => undefined);
    try {
      const failed = answer.then((): never => {
        throw new Error('An answer before the request');
      });
      const request = await orAborted(Promise.race([exchange.prepared, failed]), signal);
      return { request, answer, key };
    } catch (error) {
      signal.throwIfAborted();
      throw this.#hidden(this.#unauthenticated(error));
    }
  }

  /** The library with the key as it is now. */
  async #client(signal: AbortSignal) {
    const key = this.target.vertex === undefined ? await this.#key.get(signal) : undefined;
    if (this.#library === undefined || this.#library.key !== key) {
      this.#library = { key, made: makeLibrary(this.target, key) };
    }
    return { client: await orAborted(this.#library.made, signal), key };
  }

  get #advice(): string {
    if (this.target.vertex !== undefined) return vertexAdvice;
    return this.#key.advice;
  }

  #context(model: string): FailureContext {
    const { target, timeout } = this;
    const { waiting } = this.#resources;
    const now = () => waiting?.now() ?? Date.now();
    return { target, model, advice: this.#advice, timeout, now };
  }

  /** The credentials of Vertex AI are looked for before anything is sent. */
  #unauthenticated(cause: unknown): ModelFailure {
    const { server, vertex } = this.target;
    const code = codeOf(cause);
    const because = code !== undefined && /^[\w-]{1,40}$/.test(code) ? ` (${code})` : '';
    if (vertex === undefined) {
      return new ModelFailure(`The request to ${server} could not be made${because}.`, {
        class: 'bad-request',
        retryable: false,
        cause,
      });
    }
    if (isNetworkCode(code)) return connectionFailure(cause, "Google's sign-in");
    return new ModelFailure(
      `${server} needs Google's application default credentials, and there are none that can be used${because}. ${vertexAdvice}`,
      { class: 'authentication', retryable: false, cause },
    );
  }

  /** @param sent the key of the request; a refused one is told to where it came from */
  async #failureOf(
    error: unknown,
    exchange: Exchange,
    context: FailureContext,
    sent: string | undefined,
  ): Promise<ModelFailure> {
    const failure = this.#hidden(classified(error, exchange, context));
    if (failure.class === 'authentication' && context.target.vertex === undefined) {
      await this.#key.refused(sent);
    }
    return failure;
  }

  /** Without a key that a server may have put into what it says. */
  #hidden(failure: ModelFailure): ModelFailure {
    const message = this.#secrets.hideInError(failure.message);
    const { class: failureClass, retryable, retryAfter } = failure;
    const cause = this.#secrets.hideError(failure.cause);
    return new ModelFailure(message, { class: failureClass, retryable, retryAfter, cause });
  }
}

export interface GeminiModelEntry {
  readonly id: string;
  readonly title: string;
  /** The most tokens of a prompt. */
  readonly contextTokens?: number;
  /** The most tokens of a reply. */
  readonly outputTokens?: number;
}

/** A list without end is cut. */
const mostModels = 2_000;

function classified(error: unknown, exchange: Exchange, context: FailureContext): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (exchange.failure !== undefined) return failureOf(exchange.failure, error, context);
  // The library's own errors: an event that is an error has its body in the message.
  if (error instanceof Error && error.name === 'ApiError') {
    const status = 'status' in error && typeof error.status === 'number' ? error.status : 500;
    return failureOfStatus(status, error.message.slice(error.message.indexOf('{')), context);
  }
  if (error instanceof SyntaxError) return malformed('an event is no JSON.', context, error);
  if (error instanceof TypeError)
    return malformed('it has something else where its parts belong.', context, error);
  return unfinished(exchange, false, context, error);
}

/**
 * An answer that has no end, or that the library couldn't read.
 *
 * @param isAnswer whether some of it was one of Gemini's
 */
function unfinished(
  exchange: Exchange,
  isAnswer: boolean,
  context: FailureContext,
  cause?: unknown,
): ModelFailure {
  const { body = '', headers = {} } = exchange.received ?? {};
  const last = body.slice(body.lastIndexOf('data:') + 1).replace(/^ata:/, '');
  if (readGoogleStatus(last) !== undefined) return failureOfStatus(500, last, context, undefined, cause);
  const { 'content-type': type = '' } = headers;
  if (!isAnswer && !type.startsWith('text/event-stream')) {
    return malformed(`it is no stream of events, but ${JSON.stringify(type.slice(0, 60))}.`, context, cause);
  }
  return isAnswer || cause !== undefined
    ? cutOff(context.target.server, cause)
    : malformed('it has no candidate.', context);
}

/** The library writes to the console when it is made, to standard output too, where a protocol may be spoken. */
async function makeLibrary(target: GeminiTarget, key: string | undefined): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai');
  const { baseUrl, apiVersion, vertex } = target;
  const httpOptions = { baseUrl };
  const { debug, warn } = console;
  try {
    console.debug = () => undefined;
    console.warn = () => undefined;
    return new GoogleGenAI(
      vertex === undefined
        ? { vertexai: false, apiKey: key ?? '', httpOptions, ...(apiVersion && { apiVersion }) }
        : {
            vertexai: true,
            ...vertex,
            // Else it is asked for, or looked up, which takes requests.
            googleAuthOptions: { projectId: vertex.project },
            httpOptions,
            ...(apiVersion && { apiVersion }),
          },
    );
  } finally {
    Object.assign(console, { debug, warn });
  }
}
