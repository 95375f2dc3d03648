/**
 * A real HTTP server for tests that speaks the Gemini API's protocol as it is documented (generateContent with
 * `alt=sse`, countTokens, the list of models, on Vertex AI's paths too), and that can be made to misbehave in every way.
 *
 *     const server = await startGeminiServer({ answer: { kind: 'reply', text: 'Hello.' } });
 *     // server.baseUrl is what a user gives as base URL; server.requests is what came.
 *     await server.close();
 *
 * - `answer` is what every request for content gets, or a function of the request and its number (from 0). `server.answer(…)`
 *   sets another one later.
 * - `key`: requests without it get Google's errors about keys; `token`: Vertex AI's paths want it as bearer.
 * - `models`: others get 404. `contextTokens`: a longer prompt, with four characters a token, gets Google's 400.
 * - `await server.nextRequest()` waits for a request that hasn't been asked for yet; its `closed` tells whether the client
 *   went away before its answer had ended. Nothing here waits for a time: what follows the first piece of an answer with
 *   `held` waits for that promise, and `hang` never comes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { chunksOf, countOf, errorInfo, event, hasText, type ReplyAnswer } from './geminiReplies';
import {
  bodyOf,
  type Closing,
  closingOf,
  type RawAnswer,
  RequestLog,
  sendRaw,
  sendStream,
  startHttpServer,
} from './httpServer';

export {
  errorInfo,
  type GeminiUsage,
  geminiEvents,
  quotaFailure,
  type ReplyAnswer,
  retryInfo,
} from './geminiReplies';

/** The body of a request for content, as far as tests look at it. */
export interface GeminiBody {
  readonly contents: readonly {
    readonly role: string;
    readonly parts: readonly { readonly text: string }[];
  }[];
  readonly generationConfig?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface GeminiRequest {
  readonly path: string;
  /** The model's id, out of the path. */
  readonly model: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: GeminiBody;
  /** The text of the contents. */
  readonly prompt: string;
  /** How the connection's share in this request ended: with the whole answer, or before. */
  readonly closed: Promise<Closing>;
}

/** An error as Google writes it: a google.rpc.Status. */
export interface ErrorAnswer {
  readonly kind: 'error';
  readonly code: number;
  readonly status: string;
  readonly message?: string;
  readonly details?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = ReplyAnswer | ErrorAnswer | RawAnswer;

export type Answering = Answer | ((request: GeminiRequest, nth: number) => Answer | Promise<Answer>);

export interface GeminiServerOptions {
  readonly answer?: Answering;
  readonly key?: string;
  readonly token?: string;
  /** `['gemini-2.5-flash']` by default; requests for others get 404. */
  readonly models?: readonly string[];
  /** How many models a page of the list has. */
  readonly pageSize?: number;
  readonly contextTokens?: number;
  /** By default the system chooses. */
  readonly port?: number;
}

export interface GeminiServer {
  /** Such as `http://127.0.0.1:4321`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Requests for content, in the order in which they came. */
  readonly requests: readonly GeminiRequest[];
  /** Method, path and query of all other requests. */
  readonly others: readonly string[];
  /** The headers of those. */
  readonly otherHeaders: readonly IncomingMessage['headers'][];
  nextRequest(): Promise<GeminiRequest>;
  answer(answering: Answering): void;
  /** Ends connections that are still open, too. */
  close(): Promise<void>;
}

/** The project's models on Vertex AI, whose version of the API differs. */
const modelPath =
  /^\/v1\w*\/(?:projects\/([\w.:-]+)\/locations\/([\w-]+)\/publishers\/google\/)?models\/([\w.@-]+):(\w+)$/;

/** Listens on 127.0.0.1. */
export async function startGeminiServer(options: GeminiServerOptions = {}): Promise<GeminiServer> {
  const { models = ['gemini-2.5-flash'], pageSize = 50, key, token, contextTokens } = options;
  let answering: Answering = options.answer ?? { kind: 'reply', text: 'Hello there.' };
  const requests = new RequestLog<GeminiRequest>();
  const others: string[] = [];
  const otherHeaders: IncomingMessage['headers'][] = [];

  async function content(message: IncomingMessage, response: ServerResponse, model: string): Promise<void> {
    const text = await bodyOf(message);
    const body: unknown = JSON.parse(text);
    if (!isGeminiBody(body))
      return sendError(response, 400, 'INVALID_ARGUMENT', 'contents are not specified');
    const { url: path = '', headers } = message;
    const prompt = body.contents.flatMap(({ parts }) => parts.map((part) => part.text)).join('');
    const request = { path, model, headers, text, body, prompt, closed: closingOf(response) };
    const nth = requests.add(request);
    if (!models.includes(model)) {
      return sendError(
        response,
        404,
        'NOT_FOUND',
        `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
      );
    }
    const tokens = countOf(prompt);
    if (contextTokens !== undefined && tokens > contextTokens) {
      const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${contextTokens}).`;
      return sendError(response, 400, 'INVALID_ARGUMENT', message);
    }
    const answer = typeof answering === 'function' ? await answering(request, nth) : answering;
    await send(answer, request, message, response);
  }

  /** Whether the request may go on; else it has got its answer. */
  function isAllowed({ headers }: IncomingMessage, isVertex: boolean, response: ServerResponse): boolean {
    if (isVertex) {
      if (token === undefined || headers.authorization === `Bearer ${token}`) return true;
      sendError(
        response,
        401,
        'UNAUTHENTICATED',
        'Request had invalid authentication credentials. Expected OAuth 2 access token.',
        [errorInfo('ACCESS_TOKEN_TYPE_UNSUPPORTED')],
      );
      return false;
    }
    const given = headers['x-goog-api-key'];
    if (key === undefined || given === key) return true;
    if (given === undefined) {
      const message = "Method doesn't allow unregistered callers (callers without established identity).";
      sendError(response, 403, 'PERMISSION_DENIED', message);
      return false;
    }
    const message = `API key not valid. Please pass a valid API key: ${given}`;
    sendError(response, 400, 'INVALID_ARGUMENT', message, [errorInfo('API_KEY_INVALID')]);
    return false;
  }

  async function listener(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = message;
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const [, project, , model = '', action] = modelPath.exec(pathname) ?? [];
    if (!isAllowed(message, project !== undefined, response)) return;
    if (method === 'POST' && action === 'streamGenerateContent' && searchParams.get('alt') === 'sse') {
      return content(message, response, model);
    }
    others.push(`${method} ${url}`);
    otherHeaders.push(message.headers);
    if (method === 'POST' && action === 'countTokens') {
      const body: unknown = JSON.parse(await bodyOf(message));
      return sendJson(response, {
        totalTokens: isGeminiBody(body) ? countOf(JSON.stringify(body.contents)) : 0,
      });
    }
    if (method === 'GET' && /^\/v1\w*\/(publishers\/google\/)?models$/.test(pathname)) {
      const start = Number(searchParams.get('pageToken') ?? 0);
      const page = models.slice(start, start + pageSize);
      const next = start + pageSize;
      return sendJson(response, {
        [pathname.includes('publishers') ? 'publisherModels' : 'models']: page.map(modelEntry),
        ...(next < models.length && { nextPageToken: String(next) }),
      });
    }
    sendError(response, 404, 'NOT_FOUND', `Requested entity was not found: ${method} ${url}`);
  }

  const server = await startHttpServer(listener, options);
  return {
    baseUrl: server.origin,
    port: server.port,
    requests: requests.all,
    others,
    otherHeaders,
    nextRequest: () => requests.next(),
    answer: (given) => {
      answering = given;
    },
    close: () => server.close(),
  };
}

function modelEntry(id: string): object {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: `Title of ${id}`,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: id.includes('embedding')
      ? ['embedContent']
      : ['generateContent', 'countTokens'],
    thinking: true,
  };
}

async function send(
  answer: Answer,
  { prompt }: GeminiRequest,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (answer.kind) {
    case 'error':
      sendError(
        response,
        answer.code,
        answer.status,
        answer.message ?? 'It failed.',
        answer.details,
        answer.headers,
      );
      return;
    case 'reply': {
      const chunks = chunksOf(answer, prompt);
      const first = Math.max(0, chunks.findIndex(hasText));
      const { held, hang } = answer;
      const type = 'text/event-stream';
      return sendStream({ type, events: chunks.map(event), first, held, hang }, response);
    }
    default:
      return sendRaw(answer, message, response);
  }
}

function sendError(
  response: ServerResponse,
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(JSON.stringify({ error: { code, message, status, ...(details.length > 0 && { details }) } }));
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

function isGeminiBody(value: unknown): value is GeminiBody {
  return typeof value === 'object' && value !== null && 'contents' in value && Array.isArray(value.contents);
}
