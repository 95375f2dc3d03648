/** What servers that speak OpenAI's protocol answer instead of a reply, in the shapes that they have for it. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
} from '../../../../schemas/json/jsonValue';
import { oneLine } from '../../../../schemas/text/oneLine';
import { printableLine } from '../../../../schemas/text/printable';
import { shortened } from '../../runtime/quotation';

/** An error that a server answered. Its message is the server's own, on one line; it is the `cause` of a ModelFailure. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
  /** The HTTP status; undefined for an error in the middle of a stream that has none. */
  readonly status: number | undefined;
  /** OpenAI's `code` and `type`, in lower case and together: `invalid_api_key`, `exceed_context_size_error`, … */
  readonly words: readonly string[];
  /** The parameter that is wrong, where the server says so. */
  readonly parameter: string | undefined;
  /** Tokens of the prompt, and how many the model takes, where the server says so. */
  readonly tokens: { readonly prompt: number | undefined; readonly most: number | undefined };

  constructor(status: number | undefined, message: string, error: JsonObject = {}) {
    super(message);
    this.status = status;
    this.words = [ownProperty(error, 'code'), ownProperty(error, 'type')].flatMap((word) =>
      typeof word === 'string' ? [word.toLowerCase()] : [],
    );
    const parameter = ownProperty(error, 'param');
    this.parameter = typeof parameter === 'string' && parameter !== '' ? parameter : undefined;
    this.tokens = tokensOf(error, message);
  }
}

/** What of a server's words goes into a message, in characters. */
const shownLength = 300;

/** Searched for what is known, in characters. */
const searchedLength = 10_000;

/** Hides keys. JSON has many ways to write one, so that it is given what a text says, not how that is written. */
type Hide = (text: string) => string;

/** The refusal that the body of an error has; a web page, some other text and nothing at all are one too. */
export function readRefusal(status: number, body: string, hide: Hide): ServerRefusal {
  const value = parsed(body);
  if (value !== undefined) return refusalOf(value, hide, status);
  const isPage = /^\s*<(!doctype|html|head|body)\b/i.test(body);
  const title = /<title[^>]{0,200}>([^<]{1,300})/i.exec(body.slice(0, searchedLength))?.[1];
  return new ServerRefusal(status, shown(isPage ? (title ?? '') : body, hide));
}

/** The refusal that a JSON value is, or has under `error`. */
export function refusalOf(value: unknown, hide: Hide, status?: number): ServerRefusal {
  if (typeof value === 'string') return new ServerRefusal(status, shown(value, hide));
  if (!isJsonObject(value)) return new ServerRefusal(status, '');
  const error = ownProperty(value, 'error');
  if (typeof error === 'string') return new ServerRefusal(status, shown(error, hide), named(value, hide));
  const found = isJsonObject(error) ? error : value;
  const message = ownProperty(found, 'message') ?? ownProperty(found, 'detail') ?? ownProperty(found, 'msg');
  const code = ownProperty(found, 'code');
  const ownStatus = typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
  return new ServerRefusal(status ?? ownStatus, shown(textOf(message), hide), named(found, hide));
}

/** The error, whose own texts are shown too. */
function named(error: JsonObject, hide: Hide): JsonObject {
  const texts = Object.entries(error).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, hide(value)]] : [],
  );
  return { ...error, ...Object.fromEntries(texts) };
}

/** Some servers say what is wrong in lists. */
function textOf(message: JsonValue | undefined): string {
  if (message === undefined || typeof message === 'string') return message ?? '';
  try {
    return JSON.stringify(message);
  } catch {
    // It nests deeper than can be written: no words for anybody.
    return '';
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // No JSON is read as text.
    return undefined;
  }
}

function shown(text: string, hide: Hide): string {
  return shortened(printableLine(oneLine(hide(text).slice(0, searchedLength).trim())), shownLength);
}

/** In llama.cpp's fields, or in the sentences of OpenAI, vLLM and llama.cpp. */
function tokensOf(error: JsonObject, message: string): ServerRefusal['tokens'] {
  const number = (name: string) => {
    const value = ownProperty(error, name);
    return typeof value === 'number' ? value : undefined;
  };
  const counted = (pattern: RegExp) => {
    const digits = pattern.exec(message)?.[1];
    return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
  };
  const prompt =
    number('n_prompt_tokens') ??
    counted(
      /(?:resulted in|requested|request \(|prompt contains(?: at least)?|has) ([\d,]{1,15}) (?:input )?tokens/i,
    ) ??
    counted(/request \(([\d,]{1,15}) tokens\)/i);
  const most =
    number('n_ctx') ??
    counted(
      /(?:maximum context length (?:is|of)|context size \(|context length is only|context window of) ?([\d,]{1,15})/i,
    );
  return { prompt, most };
}
