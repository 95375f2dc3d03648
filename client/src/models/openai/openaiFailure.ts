/** Why a server that speaks OpenAI's protocol could not answer, by class, in words for the user. */
import { nearestName } from '../../../../schemas/text/nearestName';
import { ModelFailure, type ModelFailureClass } from '../../runtime/model';
import { listed, quoted } from '../../runtime/quotation';
import type { ExchangeFailure } from '../http/exchange';
import { atStart, failureOfExchange } from '../http/exchangeFailure';
import { retryAfterOf } from '../http/retryAfter';
import { type Server, serverPresets } from '../servers';
import { readRefusal, type ServerRefusal } from './serverRefusal';

export interface FailureContext {
  readonly server: Server;
  readonly model: string;
  /** What to do about a missing or refused key, a sentence. */
  readonly advice: string;
  readonly hasKey: boolean;
  /** In milliseconds. */
  readonly timeout: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Hides the key. */
  hide(text: string): string;
}

/** What became of a request that has no whole answer. */
export function failureOf(failure: ExchangeFailure, context: FailureContext): ModelFailure {
  const { server, timeout } = context;
  switch (failure.kind) {
    case 'endless':
      return malformed(context, 'sends an answer that has no end: look at what listens there.', false);
    case 'status': {
      const { status, headers, body } = failure;
      return failureOfStatus(readRefusal(status, body, context.hide), context, headers);
    }
    default:
      return failureOfExchange(failure, { title: server.title, start: server.start, timeout });
  }
}

/**
 * An answer that is none of the protocol's.
 *
 * @param what the rest of the sentence
 */
export function malformed({ server }: FailureContext, what: string, retryable: boolean): ModelFailure {
  return new ModelFailure(`${atStart(server.title)} ${what}`, { class: 'malformed-stream', retryable });
}

/** A reply that the model, or who watches over it, withheld. */
export function withheld({ server, model }: FailureContext, said: string): ModelFailure {
  const message =
    said === ''
      ? `The content filter of ${server.title} stopped the reply of ${quoted(model)}: look at what the prompt and the state say.`
      : `${quoted(model)} at ${server.title} refuses to answer (${said}): look at what the prompt and the state say.`;
  return new ModelFailure(message, { class: 'content-filter', retryable: false });
}

const contextSentence =
  /context (length|size|window|limit)|maximum context|too many (input )?tokens|prompt is too long|exceeds? the (model's )?(maximum|context|available)/i;
const limitSentence = /max_(completion_)?tokens.{0,60}too large/i;
const modelSentence =
  /\bmodel\b.{0,300}\b(not (be )?found|(does|do) not exist|doesn't exist|not available)|invalid model|no models? loaded/i;
const filterWord = /content_filter|content_policy|responsibleai|moderation/;
const quotaWord = /insufficient_quota|billing|quota_exceeded|insufficient_balance|credit/;

/** A refusal by its status and its words. */
export function failureOfStatus(
  refusal: ServerRefusal,
  context: FailureContext,
  headers?: Headers,
): ModelFailure {
  const { server, model, advice, hasKey } = context;
  const { status = 500, words, message, parameter, tokens } = refusal;
  const says = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const said = message === '' ? '' : ` (${withoutStop(message)})`;
  const name = atStart(server.title);
  const fail = (failureClass: ModelFailureClass, text: string, retryable = false) =>
    new ModelFailure(text, {
      class: failureClass,
      retryable,
      cause: refusal,
      retryAfter: retryable && headers !== undefined ? retryAfterOf(headers, context.now) : undefined,
    });

  if (
    says(/^(context_length_exceeded|exceed_context_size_error)$/) ||
    (status !== 429 && contextSentence.test(message) && !limitSentence.test(message))
  ) {
    const { prompt, most } = tokens;
    const counts =
      most === undefined ? said : `: ${prompt === undefined ? '' : `${prompt} tokens of `}at most ${most}`;
    const advice = server.isHosted ? 'choose another model' : 'give the model a longer context';
    return fail(
      'context-length',
      `The prompt is too long for ${quoted(model)} at ${server.title}${counts}. Make state or instructions shorter, or ${advice}.`,
    );
  }
  if (says(filterWord)) return fail('content-filter', withheld(context, withoutStop(message)).message);
  if (says(/^model_not_found$/) || ((status === 404 || status === 400) && isAboutModel(refusal))) {
    return noSuchModel(context, refusal);
  }
  if (status === 401) {
    return fail(
      'authentication',
      `${name} ${hasKey ? "doesn't take the key" : 'asks for a key'}${said}. ${advice}`,
    );
  }
  if (status === 402 || (status === 429 && says(quotaWord))) {
    return fail(
      'quota',
      `The account at ${server.title} has nothing left to spend${said}: look at its plan and its bill.`,
    );
  }
  if (status === 403) {
    return fail(
      'permission',
      `${name} doesn't allow this${said}: look at what the key and its project may do.`,
    );
  }
  if (status === 429) {
    return fail(
      'rate-limit',
      `${name} takes no more requests for now${said}: go on later, or ask less often.`,
      true,
    );
  }
  if (status === 408) return fail('timeout', `${name} ran out of time${said}: try again.`, true);
  if (status === 503 && /loading model/i.test(message)) {
    return fail('server-error', `${name} is still loading its model: try again in a moment.`, true);
  }
  if (status >= 500) {
    // An error in the middle of an answer need not have one.
    const number = refusal.status === undefined ? '' : ` with status ${status}`;
    return fail('server-error', `${name} failed${number}${said}: try again later.`, status !== 501);
  }
  if (status >= 300 && status < 400) {
    const location = context.hide(headers?.get('location') ?? '');
    const target = new URL(URL.canParse(location, server.baseUrl) ? location : '', server.baseUrl);
    // Other schemes than those of the web have no origin that could be named. What follows a path may be secret.
    const shown = target.origin === server.origin ? target.origin + target.pathname : target.origin;
    const to = location === '' || target.origin === 'null' ? '' : ` ${quoted(shown)}`;
    return fail(
      'bad-request',
      `${name} sends requests on to another address${to}, where no key is sent: correct the base URL.`,
    );
  }
  if (status === 404 || status === 405) {
    return fail(
      'bad-request',
      `${name} has no Chat Completions at ${server.baseUrl}${said}: correct the base URL, which mostly ends with /v1.`,
    );
  }
  const what = parameter === undefined ? 'the request' : `the request's ${quoted(parameter)}`;
  return fail('bad-request', `${name} refuses ${what} with status ${status}${said}.`);
}

function isAboutModel({ words, message, parameter }: ServerRefusal): boolean {
  if (modelSentence.test(message)) return true;
  return parameter === 'model' && words.some((word) => /not_?found/.test(word));
}

/**
 * @param refusal undefined where the model isn't among those that the server lists
 * @param others those that it lists
 */
export function noSuchModel(
  { server, model }: Pick<FailureContext, 'server' | 'model'>,
  refusal?: ServerRefusal,
  others: readonly string[] = [],
): ModelFailure {
  const { provider, isHosted } = server;
  const advice =
    provider === 'openai' || isHosted
      ? 'Choose one of its list of models.'
      : serverPresets[provider].addModel(model);
  const has = others.length === 0 ? '' : `, but ${listed(others, 'and', 6)}`;
  const meant = nearestName(model, others);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const message = `${atStart(server.title)} has no model ${quoted(model)}${has}. ${advice}${question}`;
  return new ModelFailure(message, { class: 'no-such-model', retryable: false, cause: refusal });
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
