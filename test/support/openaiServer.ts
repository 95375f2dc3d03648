/**
 * A real HTTP server for tests that speaks OpenAI's Chat Completions protocol as it is documented, in the dialects of the
 * servers that people run, and that can be made to misbehave in every way.
 *
 *     const server = await startOpenAiServer({ answer: { kind: 'reply', text: 'Hello.' } });
 *     // server.baseUrl is what a user gives as base URL; server.requests is what came.
 *     await server.close();
 *
 * - `answer` is what every chat request gets, or a function of the request and its number (from 0), so that a sequence of
 *   answers is `(_, nth) => answers[nth]`. `server.answer(…)` sets another one later.
 * - `dialect` decides about the routes beside `/v1/chat/completions` and `/v1/models` (`/health`, `/props`, `/api/version`,
 *   `/version`), the wording of errors, and who owns the models.
 * - `key`: requests without it get the dialect's 401. `models`: others get the dialect's 404. `contextTokens`: a longer
 *   prompt, with four characters a token, gets the dialect's 400. `refuses`: parameters that get OpenAI's 400.
 * - `await server.nextRequest()` waits for a chat request that hasn't been asked for yet; its `closed` tells whether
 *   the client went away before its answer had ended. Nothing here waits for a time: an answer with `held` goes on, after its
 *   first piece, when the test resolves that promise, and `hang` never does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bodyOf,
  type Closing,
  closingOf,
  type ListenOptions,
  type RawAnswer,
  RequestLog,
  sendRaw,
  sendStream,
  startHttpServer,
} from './httpServer';
import { dialectRoutes, dialectWording, type ServerDialect } from './openaiDialects';
import {
  type ChatBody,
  chunksOf,
  countTokens,
  doneEvent,
  event,
  hasText,
  type ReplyAnswer,
  wholeReply,
} from './openaiReplies';

export type { ServerDialect } from './openaiDialects';
export {
  type ChatBody,
  type ChatUsage,
  type ReplyAnswer,
  type StreamChunk,
  streamText,
  wholeReply,
} from './openaiReplies';

export interface ChatRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: ChatBody;
  /** How the connection's share in this request ended: with the whole answer, or before. */
  readonly closed: Promise<Closing>;
}

/** An error in the protocol's shape, or any body. */
export interface ErrorAnswer {
  readonly kind: 'error';
  readonly status: number;
  readonly error?: object | string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = ReplyAnswer | ErrorAnswer | RawAnswer;

export type Answering = Answer | ((request: ChatRequest, nth: number) => Answer | Promise<Answer>);

export interface OpenAiServerOptions extends ListenOptions {
  /** `openai` by default. */
  readonly dialect?: ServerDialect;
  readonly answer?: Answering;
  readonly key?: string;
  /** `['test-model']` by default; requests for others get 404. */
  readonly models?: readonly string[];
  readonly contextTokens?: number;
  /** Parameters that are refused: because the server doesn't know them, or the model doesn't take them (or this value). */
  readonly refuses?: Readonly<Record<string, 'unknown' | 'unsupported-parameter' | 'unsupported-value'>>;
}

export interface OpenAiServer {
  /** Such as `http://127.0.0.1:4321`. */
  readonly origin: string;
  /** `origin` with `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Chat requests, in the order in which they came. */
  readonly requests: readonly ChatRequest[];
  /** How many connections were made so far. */
  readonly connections: number;
  /** Method and path of all other requests, such as `GET /v1/models`. */
  readonly others: readonly string[];
  /** The next chat request that no call has returned yet. */
  nextRequest(): Promise<ChatRequest>;
  answer(answering: Answering): void;
  /** Ends connections that are still open, too. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. */
export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const { dialect = 'openai', models = ['test-model'], key, contextTokens, refuses = {} } = options;
  const wording = dialectWording(dialect);
  let answering: Answering = options.answer ?? { kind: 'reply', text: 'Hello there.' };
  const requests = new RequestLog<ChatRequest>();
  const others: string[] = [];

  async function chat(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(message);
    const body: unknown = JSON.parse(text);
    if (!isChatBody(body)) return sendError(response, 400, wording.badRequest('messages'));
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, text, body, closed: closingOf(response) };
    const nth = requests.add(request);
    if (!isAllowed(message)) return sendError(response, 401, wording.badKey(givenKey(message)));
    if (!models.includes(body.model)) return sendError(response, 404, wording.noSuchModel(body.model));
    for (const [parameter, why] of Object.entries(refuses)) {
      if (Object.hasOwn(body, parameter)) {
        return sendError(response, 400, wording.refusal(parameter, why, body[parameter]));
      }
    }
    const tokens = countTokens(body);
    if (contextTokens !== undefined && tokens > contextTokens) {
      return sendError(response, 400, wording.contextLength(tokens, contextTokens));
    }
    const answer = typeof answering === 'function' ? await answering(request, nth) : answering;
    await send(answer, request, message, response);
  }

  function isAllowed(message: IncomingMessage): boolean {
    return key === undefined || givenKey(message) === key;
  }

  async function listener(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = message;
    const path = url.split('?')[0] ?? '';
    if (method === 'POST' && path === '/v1/chat/completions') return chat(message, response);
    others.push(`${method} ${path}`);
    const route = method === 'GET' ? dialectRoutes(dialect, models)[path] : undefined;
    if (route === undefined) return sendError(response, 404, wording.noSuchRoute(method, path));
    if (!route.open && !isAllowed(message))
      return sendError(response, 401, wording.badKey(givenKey(message)));
    response.writeHead(200, { 'content-type': route.type ?? 'application/json' }).end(route.body);
  }

  const server = await startHttpServer(listener, options);
  return {
    origin: server.origin,
    baseUrl: `${server.origin}/v1`,
    port: server.port,
    requests: requests.all,
    others,
    get connections() {
      return server.connections;
    },
    nextRequest: () => requests.next(),
    answer: (given) => {
      answering = given;
    },
    close: () => server.close(),
  };
}

async function send(
  answer: Answer,
  { body }: ChatRequest,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (answer.kind) {
    case 'error':
      sendError(response, answer.status, answer.error ?? answer.text ?? '', answer.headers);
      return;
    case 'reply': {
      if (body.stream !== true) {
        await answer.held;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(wholeReply(answer, body)));
        return;
      }
      const chunks = chunksOf(answer, body);
      const first = Math.max(0, chunks.findIndex(hasText));
      const { held, hang, done } = answer;
      const last = done === false ? undefined : doneEvent;
      const type = 'text/event-stream; charset=utf-8';
      return sendStream({ type, events: chunks.map(event), first, held, hang, last }, response);
    }
    default:
      return sendRaw(answer, message, response);
  }
}

function sendError(
  response: ServerResponse,
  status: number,
  error: object | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof error === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? error : JSON.stringify(error));
}

function givenKey(message: IncomingMessage): string {
  return (message.headers.authorization ?? '').replace(/^Bearer /, '');
}

function isChatBody(value: unknown): value is ChatBody {
  return (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string' &&
    'messages' in value &&
    Array.isArray(value.messages)
  );
}
