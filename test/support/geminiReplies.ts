/** Replies of a model in the Gemini API's protocol, as chunks of a stream, and the details of its errors. */

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
export function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}

export function chunksOf(reply: ReplyAnswer, prompt: string): readonly object[] {
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

export function countOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Whether a chunk has a piece of the text, and not of the thinking. */
export function hasText(chunk: object): boolean {
  return !JSON.stringify(chunk).includes('"thought":true');
}
