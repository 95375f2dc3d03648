/** What the chunks of a streamed chat completion, or a whole one, say: text, thinking, usage and why it ended. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import type { ReportedUsage } from '../../runtime/model';

/** A part of an answer, in the order in which it came. */
export type ReplyPart = { readonly type: 'text' | 'thinking'; readonly text: string };

/**
 * Takes the chunks of one answer. What isn't as documented is passed over; whether an answer came at all is told by
 * `isBegun`, whether it is whole by `finish`.
 */
export class ChatReply {
  /** Whether there was a choice: without one it was no answer. */
  isBegun = false;
  /** Why the model ended, in the server's word. */
  finish: string | undefined;
  usage: ReportedUsage | undefined;
  /** What the model says where it refuses to answer. */
  refusal = '';

  /** @param chunk a chunk of a stream, or a whole chat completion */
  take(chunk: JsonObject): readonly ReplyPart[] {
    this.usage = usageOf(ownProperty(chunk, 'usage')) ?? this.usage;
    const choices = ownProperty(chunk, 'choices');
    // One reply was asked for. A chunk of usage alone has no choice.
    const choice = Array.isArray(choices) ? choices.find(isFirst) : undefined;
    if (!isJsonObject(choice)) return [];
    this.isBegun = true;
    const finish = ownProperty(choice, 'finish_reason');
    if (typeof finish === 'string' && finish !== '') this.finish = finish;
    const delta = ownProperty(choice, 'delta') ?? ownProperty(choice, 'message');
    if (!isJsonObject(delta)) return [];
    const refusal = ownProperty(delta, 'refusal');
    if (typeof refusal === 'string') this.refusal += refusal;
    // Two names of the same: llama.cpp's, DeepSeek's and older vLLM's, and that of Ollama, OpenRouter and newer vLLM.
    const thinking =
      textOf(ownProperty(delta, 'reasoning_content')) || textOf(ownProperty(delta, 'reasoning'));
    return [part('thinking', thinking), ...contentOf(ownProperty(delta, 'content'))].filter(
      ({ text }) => text !== '',
    );
  }
}

function isFirst(choice: JsonValue): boolean {
  return isJsonObject(choice) && (ownProperty(choice, 'index') ?? 0) === 0;
}

function part(type: ReplyPart['type'], text: string): ReplyPart {
  return { type, text };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A text, or as Mistral sends it a list of texts and of what the model thinks, which is a text or a list of texts. */
function contentOf(content: JsonValue | undefined): readonly ReplyPart[] {
  if (typeof content === 'string') return [part('text', content)];
  return objectsOf(content).flatMap((item) => {
    const thinking = ownProperty(item, 'thinking');
    if (thinking === undefined) return [part('text', textOf(ownProperty(item, 'text')))];
    const texts = objectsOf(thinking).map((inner) => textOf(ownProperty(inner, 'text')));
    return [textOf(thinking), ...texts].map((text) => part('thinking', text));
  });
}

function objectsOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter((item: JsonValue) => isJsonObject(item)) : [];
}

/** Undefined where it isn't whole. */
function usageOf(value: JsonValue | undefined): ReportedUsage | undefined {
  const prompt = count(value, 'prompt_tokens');
  const completion = count(value, 'completion_tokens');
  if (prompt === undefined || completion === undefined || !isJsonObject(value)) return undefined;
  const ofPrompt = ownProperty(value, 'prompt_tokens_details');
  // DeepSeek has a field of its own.
  const cached = count(ofPrompt, 'cached_tokens') ?? count(value, 'prompt_cache_hit_tokens');
  const cacheWritten = count(ofPrompt, 'cache_write_tokens');
  const thinking = count(ownProperty(value, 'completion_tokens_details'), 'reasoning_tokens');
  return {
    prompt,
    completion,
    ...(cached !== undefined && { cached }),
    ...(cacheWritten !== undefined && { cacheWritten }),
    ...(thinking !== undefined && { thinking }),
  };
}

function count(value: JsonValue | undefined, name: string): number | undefined {
  const found = isJsonObject(value) ? ownProperty(value, name) : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}
