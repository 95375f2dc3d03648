/** Why Gemini could not answer, by class: from Google's error bodies, and from what became of a request. */
import { ModelFailure, type ModelFailureClass } from '../../runtime/model';
import { quoted } from '../../runtime/quotation';
import type { ExchangeFailure } from '../http/exchange';
import { failureOfExchange } from '../http/exchangeFailure';
import { retryAfterOf } from '../http/retryAfter';
import type { GeminiTarget } from './geminiTarget';
import { type GoogleStatus, readGoogleStatus } from './googleStatus';

export interface FailureContext {
  readonly target: GeminiTarget;
  /** The model's id. */
  readonly model: string;
  /** What to do about a missing or refused key, a sentence. */
  readonly advice: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What of Google's own words goes into a message, in characters. */
const quotedLength = 200;

/** What became of a request that has no whole answer. `cause` is what the library threw. */
export function failureOf(failure: ExchangeFailure, cause: unknown, context: FailureContext): ModelFailure {
  const { target, timeout } = context;
  switch (failure.kind) {
    case 'endless':
      return malformed('it has no end.', context);
    case 'status':
      return failureOfStatus(failure.status, failure.body, context, failure.headers, cause);
    default:
      return failureOfExchange(failure, { title: target.server, timeout });
  }
}

/** An answer that is none of the protocol's. */
export function malformed(what: string, { target }: FailureContext, cause?: unknown): ModelFailure {
  return new ModelFailure(`The answer of ${target.server} is not as Gemini's are: ${what}`, {
    class: 'malformed-stream',
    retryable: true,
    cause,
  });
}

/**
 * An error by its HTTP status and body.
 *
 * @param headers of the answer, where they are known
 */
export function failureOfStatus(
  httpStatus: number,
  body: string,
  context: FailureContext,
  headers?: Headers,
  cause?: unknown,
): ModelFailure {
  const status = readGoogleStatus(body);
  const code = status?.code ?? httpStatus;
  const name = status?.status ?? '';
  const { target, model, advice } = context;
  const { server } = target;
  const said = status === undefined || status.message === '' ? '' : ` (${words(status.message)})`;
  const wait = status?.retryDelay ?? (headers && retryAfterOf(headers, context.now()));
  const fail = (failureClass: ModelFailureClass, message: string, retryable = false) =>
    new ModelFailure(message, {
      class: failureClass,
      retryable,
      retryAfter: retryable ? wait : undefined,
      cause,
    });

  if (status?.reason === 'API_KEY_INVALID' || name === 'UNAUTHENTICATED' || code === 401) {
    const what = target.vertex === undefined ? 'key' : 'credentials';
    return fail('authentication', `${server} doesn't take the ${what}${said}. ${advice}`);
  }
  if (name === 'PERMISSION_DENIED' || code === 403) {
    return fail(
      'permission',
      `${server} doesn't allow this${said}: look at what the key or the project may do.`,
    );
  }
  if (name === 'FAILED_PRECONDITION') {
    return fail('permission', `${server} doesn't serve this account as it is${said}.`);
  }
  if (name === 'RESOURCE_EXHAUSTED' || code === 429) return exhausted(status, said, fail, context);
  if (name === 'NOT_FOUND' || code === 404) {
    return status === undefined || model === ''
      ? fail('bad-request', `${server} has no such address (404): look at the base URL.`)
      : fail(
          'no-such-model',
          `${server} has no model ${quoted(model)}${said}: choose one of its list of models.`,
        );
  }
  const counts = tokenCounts(status?.message ?? '');
  if ((code === 400 && counts !== undefined) || code === 413) {
    const detail = counts === undefined ? said : `: ${counts.given} tokens of at most ${counts.most}`;
    return fail(
      'context-length',
      `The prompt is too long for ${quoted(model)} at ${server}${detail}. Make the state or the instructions shorter, or choose another model.`,
    );
  }
  if (name === 'DEADLINE_EXCEEDED' || code === 504 || code === 408) {
    return fail('timeout', `${server} ran out of time${said}: go on later.`, true);
  }
  if (name === 'CANCELLED' || code === 499)
    return fail('cancelled', `${server} gave the request up${said}.`, true);
  if (code >= 500 || name === 'ABORTED') {
    return fail('server-error', `${server} failed with status ${code}${said}: go on later.`, true);
  }
  if (code >= 300 && code < 400) {
    return fail(
      'bad-request',
      `${server} sends requests on to another address (${code}), where no key is sent: name that one as base URL.`,
    );
  }
  return fail('bad-request', `${server} refuses the request with status ${code}${said}.`);
}

/** Limits of a minute pass by themselves; those of a day, and those that are zero, don't. */
function exhausted(
  status: GoogleStatus | undefined,
  said: string,
  fail: (failureClass: ModelFailureClass, message: string, retryable?: boolean) => ModelFailure,
  { target: { server }, model }: FailureContext,
): ModelFailure {
  const used = status?.quotas.find(({ id, limit }) => /PerDay/i.test(id) || limit === '0');
  if (used !== undefined) {
    const limit = used.limit === '' ? used.id : `${used.id}: ${used.limit}`;
    return fail(
      'quota',
      `The allowance for ${quoted(model)} at ${server} is used up (${words(limit)}): go on tomorrow, or with another model or plan.`,
    );
  }
  return fail(
    'rate-limit',
    `${server} takes no more requests for now${said}: go on later, or ask less often.`,
    true,
  );
}

/**
 * How many tokens the prompt has, and how many it may have. Google says it in the message alone: "The input token count
 * (1200000) exceeds the maximum number of tokens allowed (1048576)", or that a model "only supports up to" so many.
 */
function tokenCounts(message: string): { readonly given: string; readonly most: string } | undefined {
  const [, given, most] = /\btoken count\D{0,40}(\d+)\D{1,120}(\d+)/.exec(message) ?? [];
  return given === undefined || most === undefined ? undefined : { given, most };
}

/** A provider's words on one line, in quotation marks. */
function words(text: string): string {
  return quoted(text.replaceAll(/\s+/g, ' ').trim(), quotedLength);
}
