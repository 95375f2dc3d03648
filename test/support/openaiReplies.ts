/** Replies of a model in OpenAI's protocol: as chunks of a stream, and whole. */

/** The body of a chat request, as far as tests look at it. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly [field: string]: unknown;
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

export const doneEvent = 'data: [DONE]\n\n';

export function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function head(model: string, object: string): object {
  return { id: 'chatcmpl-test', object, created: 1_760_000_000, model, system_fingerprint: 'fp_test' };
}

/** A chunk of a stream, as far as it is looked at here. */
export interface StreamChunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

export function chunksOf(reply: ReplyAnswer, body: ChatBody): readonly StreamChunk[] {
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

export function hasText({ choices }: StreamChunk): boolean {
  return choices.some(({ delta }) => typeof delta.content === 'string' && delta.content !== '');
}

function counted(body: ChatBody, text: string): ChatUsage {
  const prompt = countTokens(body);
  const completion = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

export function countTokens({ messages }: ChatBody): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
}
