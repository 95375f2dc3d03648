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
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

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
  readonly closed: Promise<'answered' | 'gone'>;
}

/** Counts in the protocol's own words. */
export interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly totalTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly cachedContentTokenCount?: number;
}

export interface ReplyAnswer {
  readonly kind: 'reply';
  readonly text: string;
  /** The texts of the chunks; by default the text's words. */
  readonly pieces?: readonly string[];
  readonly thinking?: string;
  /** By default `STOP`; null leaves it out. */
  readonly finish?: string | null;
  readonly safetyRatings?: readonly object[];
  /** By default counted, four characters a token. */
  readonly usage?: GeminiUsage;
  /**
   * Where the usage stands: in every chunk, growing, as the service has it (the default), in the last one alone, in a chunk
   * of its own after it, in those before it, or nowhere.
   */
  readonly usagePlace?: 'every-chunk' | 'with-finish' | 'late' | 'before-finish' | 'none';
  /** What follows the first piece of the text waits for this. */
  readonly held?: Promise<unknown>;
  /** True: streams the first piece of the text, and then nothing more. */
  readonly hang?: boolean;
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

/** Bytes as they are given. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** `end` by default. `cut` closes the connection without the end that HTTP asks for, `hang` leaves it open. */
  readonly ending?: 'end' | 'cut' | 'hang';
}

export type Answer =
  | ReplyAnswer
  | ErrorAnswer
  | BytesAnswer
  /** Nothing is answered, not even a header. */
  | { readonly kind: 'hang' }
  /** The connection is reset before anything is answered. */
  | { readonly kind: 'reset' };

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
const maxBody = 50_000_000;

/** Listens on 127.0.0.1. */
export async function startGeminiServer(options: GeminiServerOptions = {}): Promise<GeminiServer> {
  const { models = ['gemini-2.5-flash'], pageSize = 50, key, token, contextTokens } = options;
  let answering: Answering = options.answer ?? { kind: 'reply', text: 'Hello there.' };
  const requests: GeminiRequest[] = [];
  const others: string[] = [];
  const otherHeaders: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  let taken = 0;
  const waiting: (() => void)[] = [];

  async function content(message: IncomingMessage, response: ServerResponse, model: string): Promise<void> {
    const text = await bodyOf(message);
    const body: unknown = JSON.parse(text);
    if (!isGeminiBody(body))
      return sendError(response, 400, 'INVALID_ARGUMENT', 'contents are not specified');
    const { url: path = '', headers } = message;
    const closed = new Promise<'answered' | 'gone'>((resolve) => {
      response.on('close', () => resolve(response.writableFinished ? 'answered' : 'gone'));
    });
    const prompt = body.contents.flatMap(({ parts }) => parts.map((part) => part.text)).join('');
    const request = { path, model, headers, text, body, prompt, closed };
    const nth = requests.push(request) - 1;
    for (const wake of waiting.splice(0)) wake();
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

  const server = createServer((message, response) => {
    response.on('error', () => {});
    listener(message, response).catch((error) => {
      // A client that went away, or a test's own answer that throws: the connection says it.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests,
    others,
    otherHeaders,
    async nextRequest() {
      while (requests.length <= taken) await new Promise<void>((resolve) => waiting.push(resolve));
      const request = requests[taken++];
      if (request === undefined) throw new Error('No request');
      return request;
    },
    answer: (given) => {
      answering = given;
    },
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The events of a stream as the server sends it, for tests that cut or bend them. */
export function geminiEvents(reply: Omit<ReplyAnswer, 'kind'>, prompt = ''): readonly string[] {
  return chunksOf({ kind: 'reply', ...reply }, prompt).map(event);
}

/** A detail of an error. */
export function errorInfo(reason: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
}

export function retryInfo(retryDelay: string): object {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay };
}

export function quotaFailure(quotaId: string, quotaValue?: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [
      {
        quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
        quotaId,
        quotaDimensions: { location: 'global', model: 'gemini-2.5-flash' },
        ...(quotaValue !== undefined && { quotaValue }),
      },
    ],
  };
}

/** Lines end as the service writes them. */
function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

function chunksOf(reply: ReplyAnswer, prompt: string): readonly object[] {
  const { text, thinking, finish = 'STOP', usagePlace = 'every-chunk', safetyRatings } = reply;
  const pieces = reply.pieces ?? wordsOf(text);
  const parts = [
    ...(thinking === undefined ? [] : wordsOf(thinking)).map((piece) => ({ text: piece, thought: true })),
    ...pieces.map((piece) => ({ text: piece })),
  ];
  const promptTokenCount = countOf(prompt);
  const whole = reply.usage ?? {
    promptTokenCount,
    candidatesTokenCount: countOf(text),
    totalTokenCount: promptTokenCount + countOf(text),
  };
  const head = { modelVersion: 'gemini-2.5-flash', responseId: 'response-of-a-test' };
  const usageOf = (isLast: boolean, count: number): GeminiUsage | undefined => {
    const shown = {
      'every-chunk': true,
      'before-finish': !isLast,
      'with-finish': isLast,
      late: false,
      none: false,
    };
    if (!shown[usagePlace]) return undefined;
    return isLast ? whole : { ...whole, candidatesTokenCount: count };
  };
  // A reply without a part has a chunk that ends it.
  const chunks: object[] = (parts.length === 0 ? [undefined] : parts).map((part, index) => {
    const isLast = index >= parts.length - 1;
    const usageMetadata = usageOf(isLast, index + 1);
    return {
      candidates: [
        {
          content: { ...(part && { parts: [part] }), role: 'model' },
          ...(isLast && finish !== null && { finishReason: finish }),
          index: 0,
          ...(isLast && safetyRatings && { safetyRatings }),
        },
      ],
      ...(usageMetadata && { usageMetadata }),
      ...head,
    };
  });
  if (usagePlace === 'late') chunks.push({ usageMetadata: whole, ...head });
  return chunks;
}

function wordsOf(text: string): readonly string[] {
  return text === '' ? [] : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]);
}

function countOf(text: string): number {
  return Math.ceil(text.length / 4);
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
    case 'hang':
      return;
    case 'reset':
      message.socket.resetAndDestroy();
      return;
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
    case 'bytes': {
      response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
      response.flushHeaders();
      for (const piece of answer.pieces) await written(response, piece);
      if (answer.ending === 'cut') message.socket.destroy();
      else if (answer.ending !== 'hang') response.end();
      return;
    }
    case 'reply': {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunks = chunksOf(answer, prompt);
      const first = Math.max(0, chunks.findIndex(hasText));
      for (const [index, chunk] of chunks.entries()) {
        await written(response, event(chunk));
        if (index !== first) continue;
        if (answer.hang) return;
        await answer.held;
      }
      response.end();
    }
  }
}

function hasText(chunk: object): boolean {
  return !JSON.stringify(chunk).includes('"thought":true');
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

/** Settles when a piece has left, or the client has gone, so that each is sent by itself. */
function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(piece, () => resolve()));
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of message) {
    if (!Buffer.isBuffer(piece)) throw new Error('A request of text');
    size += piece.length;
    if (size > maxBody) throw new Error('A request that is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function isGeminiBody(value: unknown): value is GeminiBody {
  return typeof value === 'object' && value !== null && 'contents' in value && Array.isArray(value.contents);
}
