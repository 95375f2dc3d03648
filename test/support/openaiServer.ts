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
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { dialectRoutes, dialectWording, type ServerDialect } from './openaiDialects';

export type { ServerDialect } from './openaiDialects';

/** The body of a chat request, as far as tests look at it. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly [field: string]: unknown;
}

export interface ChatRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: ChatBody;
  /** How the connection's share in this request ended: with the whole answer, or before. */
  readonly closed: Promise<'answered' | 'gone'>;
}

/** Counts in the protocol's own words. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

/** A reply of a model. It is streamed if the request says so, and one JSON body if not. */
export interface ReplyAnswer {
  readonly kind: 'reply';
  readonly text: string;
  /** The deltas that the text is sent in; by default its words. */
  readonly pieces?: readonly string[];
  readonly thinking?: string;
  /** The field of the thinking: DeepSeek's and llama.cpp's, or Ollama's and OpenRouter's. */
  readonly thinkingField?: 'reasoning_content' | 'reasoning';
  readonly refusal?: string;
  /** By default `stop`; null leaves it out. */
  readonly finish?: string | null;
  /** By default counted, four characters a token. */
  readonly usage?: ChatUsage;
  /**
   * Where the usage stands in a stream: in a chunk without choices after the one with the finish reason, as documented
   * (`late`, the default, sent only where `include_usage` asks for it), in the chunk of the finish reason, before it, in
   * every chunk, or nowhere.
   */
  readonly usagePlace?: 'late' | 'with-finish' | 'before-finish' | 'every-chunk' | 'none';
  /** False leaves out `data: [DONE]`. */
  readonly done?: boolean;
  /** What follows the first piece of the text waits for this. */
  readonly held?: Promise<unknown>;
  /** True: streams the first piece of the text, and then nothing more. */
  readonly hang?: boolean;
  /** Chunks that are sent before the finish reason, such as tool calls. */
  readonly extraChunks?: readonly StreamChunk[];
}

/** An error in the protocol's shape, or any body. */
export interface ErrorAnswer {
  readonly kind: 'error';
  readonly status: number;
  readonly error?: object | string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes as they are given. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What follows the first piece waits for this. */
  readonly held?: Promise<unknown>;
  /** `whole` by default. `cut` closes the connection without the end that HTTP asks for, `hang` leaves it open. */
  readonly ends?: 'whole' | 'cut' | 'hang';
}

export type Answer =
  | ReplyAnswer
  | ErrorAnswer
  | BytesAnswer
  /** Nothing is answered, not even a header. */
  | { readonly kind: 'hang' }
  /** The connection is reset before anything is answered. */
  | { readonly kind: 'reset' };

export type Answering = Answer | ((request: ChatRequest, nth: number) => Answer | Promise<Answer>);

export interface OpenAiServerOptions {
  /** `openai` by default. */
  readonly dialect?: ServerDialect;
  readonly answer?: Answering;
  readonly key?: string;
  /** `['test-model']` by default; requests for others get 404. */
  readonly models?: readonly string[];
  readonly contextTokens?: number;
  /** Parameters that are refused: because the server doesn't know them, or the model doesn't take them (or this value). */
  readonly refuses?: Readonly<Record<string, 'unknown' | 'unsupported-parameter' | 'unsupported-value'>>;
  /** By default the system chooses. */
  readonly port?: number;
  /** A certificate, for https. */
  readonly tls?: { readonly key: string; readonly cert: string };
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

const maxBody = 50_000_000;

/** Listens on 127.0.0.1. */
export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const { dialect = 'openai', models = ['test-model'], key, contextTokens, refuses = {} } = options;
  const wording = dialectWording(dialect);
  let answering: Answering = options.answer ?? { kind: 'reply', text: 'Hello there.' };
  const requests: ChatRequest[] = [];
  const others: string[] = [];
  const sockets = new Set<Socket>();
  let taken = 0;
  let connections = 0;
  let waiting: (() => void)[] = [];

  async function chat(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(message);
    const body: unknown = JSON.parse(text);
    if (!isChatBody(body)) return sendError(response, 400, wording.badRequest('messages'));
    const closed = new Promise<'answered' | 'gone'>((resolve) => {
      response.on('close', () => resolve(response.writableFinished ? 'answered' : 'gone'));
    });
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, text, body, closed };
    const nth = requests.push(request) - 1;
    for (const wake of waiting.splice(0)) wake();
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

  const handle = (message: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    listener(message, response).catch((error) => {
      // A client that went away, or a test's own answer that throws: the connection says it.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const server = options.tls === undefined ? createServer(handle) : createTlsServer(options.tls, handle);
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    port,
    requests,
    others,
    get connections() {
      return connections;
    },
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
        waiting = [];
      }),
  };
}

/** The bytes of a stream as the server sends it, for tests that cut or bend them. */
export function streamText(reply: Omit<ReplyAnswer, 'kind'>, body: Partial<ChatBody> = {}): string {
  const asked = { model: 'test-model', messages: [], stream_options: { include_usage: true }, ...body };
  return `${chunksOf({ kind: 'reply', ...reply }, asked)
    .map(event)
    .join('')}${reply.done === false ? '' : doneEvent}`;
}

/** The body of a reply that isn't streamed. */
export function wholeReply(reply: Omit<ReplyAnswer, 'kind'>, body: Partial<ChatBody> = {}): object {
  const asked = { model: 'test-model', messages: [], ...body };
  const { text, thinking, thinkingField = 'reasoning_content', finish = 'stop', refusal } = reply;
  return {
    ...head(asked.model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: refusal === undefined ? text : null,
          refusal: refusal ?? null,
          ...(thinking === undefined ? {} : { [thinkingField]: thinking }),
        },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    ...(reply.usagePlace === 'none' ? {} : { usage: reply.usage ?? counted(asked, text) }),
  };
}

const doneEvent = 'data: [DONE]\n\n';

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function head(model: string, object: string): object {
  return { id: 'chatcmpl-test', object, created: 1_760_000_000, model, system_fingerprint: 'fp_test' };
}

/** A chunk of a stream, as far as it is looked at here. */
export interface StreamChunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

function chunksOf(reply: ReplyAnswer, body: ChatBody): readonly StreamChunk[] {
  const { text, thinking, thinkingField = 'reasoning_content', refusal, finish = 'stop' } = reply;
  const place = reply.usagePlace ?? 'late';
  const usage = reply.usage ?? counted(body, text);
  const asked = body.stream_options?.include_usage === true;
  const chunk = (
    delta: { readonly content?: string; readonly [field: string]: unknown },
    finish_reason: string | null = null,
    extra: object = {},
  ) => ({
    ...head(body.model, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(place === 'every-chunk' ? { usage } : asked && place === 'late' ? { usage: null } : {}),
    ...extra,
  });
  const pieces = reply.pieces ?? (text === '' ? [] : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]));
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...(thinking?.match(/\s*\S+\s*$|\s*\S+/g) ?? []).map((piece) => chunk({ [thinkingField]: piece })),
    ...pieces.map((content) => chunk({ content })),
    ...(refusal === undefined ? [] : [chunk({ refusal })]),
    ...(reply.extraChunks ?? []),
    ...(place === 'before-finish' ? [chunk({}, null, { usage })] : []),
    ...(finish === null ? [] : [chunk({}, finish, place === 'with-finish' ? { usage } : {})]),
    ...(asked && place === 'late'
      ? [{ ...head(body.model, 'chat.completion.chunk'), choices: [], usage }]
      : []),
  ];
}

function hasText({ choices }: StreamChunk): boolean {
  return choices.some(({ delta }) => typeof delta.content === 'string' && delta.content !== '');
}

function counted(body: ChatBody, text: string): ChatUsage {
  const prompt = countTokens(body);
  const completion = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function countTokens({ messages }: ChatBody): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
}

async function send(
  answer: Answer,
  { body }: ChatRequest,
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
      sendError(response, answer.status, answer.error ?? answer.text ?? '', answer.headers);
      return;
    case 'bytes': {
      response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
      response.flushHeaders();
      for (const [index, piece] of answer.pieces.entries()) {
        if (index === 1) await answer.held;
        await written(response, piece);
      }
      if (answer.pieces.length < 2) await answer.held;
      if (answer.ends === 'cut') message.socket.destroy();
      else if (answer.ends !== 'hang') response.end();
      return;
    }
    case 'reply': {
      if (body.stream !== true) {
        await answer.held;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(wholeReply(answer, body)));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const chunks = chunksOf(answer, body);
      const first = Math.max(0, chunks.findIndex(hasText));
      for (const [index, chunk] of chunks.entries()) {
        await written(response, event(chunk));
        if (index !== first) continue;
        if (answer.hang) return;
        await answer.held;
      }
      response.end(answer.done === false ? undefined : doneEvent);
    }
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
