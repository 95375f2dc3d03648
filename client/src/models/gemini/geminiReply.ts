/** What the chunks of Gemini's streamed answer say: text, thoughts, why it ended, what it cost, and what was blocked. */
import type { GenerateContentResponse, SafetyRating } from '@google/genai';
import { ModelFailure, type ReportedUsage } from '../../runtime/model';
import { listed, quoted } from '../../runtime/quotation';
import { type FailureContext, malformed } from './geminiFailure';

/** Reasons for which Gemini ends a reply that are the content's. */
const blockingReasons: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
]);

/** What they mean, the end of a sentence. */
const meanings: ReadonlyMap<string, string> = new Map([
  ['SAFETY', 'it takes it for harmful'],
  ['RECITATION', 'it is too close to a text that exists'],
  ['BLOCKLIST', 'it has a term of a list of forbidden ones'],
  ['PROHIBITED_CONTENT', 'it has prohibited content'],
  ['SPII', 'it has sensitive data about a person'],
  ['MODEL_ARMOR', "the project's Model Armor forbids it"],
  ['JAILBREAK', 'it takes it for an attempt to get around its rules'],
]);

export type ReplyPiece = { readonly type: 'text' | 'thinking'; readonly text: string };

/** Adds up what an answer says, chunk by chunk. */
export class GeminiReply {
  readonly #context: FailureContext;
  #finish: string | undefined;
  #usage: ReportedUsage | undefined;
  #usageSoFar: ReportedUsage | undefined;
  #isAnswer = false;

  constructor(context: FailureContext) {
    this.#context = context;
  }

  /** Why it ended, in Gemini's word, but for `stop`, which all providers have; undefined as long as it goes on. */
  get finish(): string | undefined {
    return this.#finish === 'STOP' ? 'stop' : this.#finish;
  }

  /** As it was reported with the end of the reply or after it: the counts before are those of a part. */
  get usage(): ReportedUsage | undefined {
    return this.#usage;
  }

  /** As it was reported last: of a reply that was blocked or cut off, what is known of it. */
  get usageSoFar(): ReportedUsage | undefined {
    return this.#usageSoFar;
  }

  /** Whether a chunk of an answer has come at all. */
  get isAnswer(): boolean {
    return this.#isAnswer;
  }

  /** Takes a chunk. @throws ModelFailure where prompt or reply are blocked */
  take(chunk: GenerateContentResponse): readonly ReplyPiece[] {
    const { promptFeedback, usageMetadata } = chunk;
    const usage = usageOf(usageMetadata);
    this.#usageSoFar = usage ?? this.#usageSoFar;
    if (promptFeedback?.blockReason !== undefined) {
      throw this.#blocked('the prompt', promptFeedback.blockReason, promptFeedback.safetyRatings);
    }
    const candidates: unknown = chunk.candidates;
    if (candidates !== undefined && !Array.isArray(candidates)) {
      throw malformed('its candidates are no list.', this.#context);
    }
    const candidate = chunk.candidates?.find(({ index = 0 }) => index === 0);
    const pieces: ReplyPiece[] = [];
    if (candidate !== undefined) {
      this.#isAnswer = true;
      const parts: unknown = candidate.content?.parts ?? [];
      if (!Array.isArray(parts)) throw malformed('the parts of its content are no list.', this.#context);
      for (const { text, thought } of candidate.content?.parts ?? []) {
        if (typeof text === 'string' && text !== '')
          pieces.push({ type: thought === true ? 'thinking' : 'text', text });
      }
      const { finishReason } = candidate;
      if (finishReason !== undefined && blockingReasons.has(finishReason)) {
        throw this.#blocked('the reply', finishReason, candidate.safetyRatings);
      }
      if (typeof finishReason === 'string' && finishReason !== 'FINISH_REASON_UNSPECIFIED')
        this.#finish = finishReason;
    }
    if (this.#finish !== undefined) this.#usage = usage ?? this.#usage;
    return pieces;
  }

  /** @param ratings as they came, which need not be a list */
  #blocked(what: string, reason: string, ratings: unknown): ModelFailure {
    const { server } = this.#context.target;
    const list: readonly unknown[] = Array.isArray(ratings) ? ratings : [];
    const categories = list.flatMap((rating) => {
      const { blocked, category }: Partial<Record<keyof SafetyRating, unknown>> = Object(rating);
      return blocked === true && typeof category === 'string' ? [category] : [];
    });
    const why = meanings.get(reason) ?? 'it is against its rules';
    const named = categories.length === 0 ? reason : `${reason}: ${listed(categories, 'and')}`;
    return new ModelFailure(
      `${server} blocked ${what}, since ${why} (${quoted(named, 200).slice(1, -1)}): change the instructions, or choose another model.`,
      { class: 'content-filter', retryable: false },
    );
  }
}

/** Undefined for counts that are none. */
function usageOf(given: GenerateContentResponse['usageMetadata']): ReportedUsage | undefined {
  if (given === undefined || !isCount(given.promptTokenCount)) return undefined;
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } = given;
  const thinking = isCount(thoughtsTokenCount) ? thoughtsTokenCount : undefined;
  // A reply of thoughts alone has no count of its own.
  if (!isCount(candidatesTokenCount) && candidatesTokenCount !== undefined) return undefined;
  return {
    prompt: promptTokenCount,
    completion: (candidatesTokenCount ?? 0) + (thinking ?? 0),
    ...(isCount(cachedContentTokenCount) && { cached: cachedContentTokenCount }),
    ...(thinking !== undefined && { thinking }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
