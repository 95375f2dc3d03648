/** What becomes of requests to a model, in a few words: never those of a rejected reply, which is another thing. */
import type { RequestWait } from '../../../schemas/messages/debugMessages';
import type { RequestSummary } from '../../../schemas/messages/exchangeMessages';
import { assertNever } from '../../../schemas/text/assertNever';
import { wholeNumber } from '../../../schemas/text/spending';
import type { FailedRequest, ModelFailureClass } from './model';

const words: Readonly<Record<ModelFailureClass, string>> = {
  authentication: 'key not taken',
  permission: 'not permitted',
  'no-such-model': 'no such model',
  'rate-limit': 'rate limited',
  quota: 'quota used up',
  'context-length': 'prompt too long',
  'content-filter': 'refused by a content filter',
  'bad-request': 'request refused',
  'server-error': 'server error',
  'malformed-stream': 'answer cut off',
  connection: 'no connection',
  timeout: 'timed out',
  cancelled: 'cancelled',
  'no-reply': 'no reply left',
  unavailable: 'not available',
};

/** Two or three words, such as `rate limited`. */
export function failureWords(failureClass: ModelFailureClass): string {
  return words[failureClass];
}

/**
 * `2 requests failed: rate limited, answer cut off (1,200 tokens)`; each class once, in the order in which they came, and
 * the tokens that were reported for them.
 */
export function failuresText(failures: readonly Pick<FailedRequest, 'class' | 'tokens'>[]): string {
  const named = [...new Set(failures.map((failure) => words[failure.class]))];
  const { length } = failures;
  return `${length} ${length === 1 ? 'request' : 'requests'} failed: ${named.join(', ')}${takenText(failures)}`;
}

/** What requests took that failed, where it was reported: ` (1,200 tokens)`. */
export function takenText(failures: readonly Pick<FailedRequest, 'tokens'>[]): string {
  const taken = failures.reduce(
    (sum, { tokens }) => sum + (tokens === undefined ? 0 : tokens.prompt + tokens.completion),
    0,
  );
  return taken === 0 ? '' : ` (${wholeNumber(taken)} tokens)`;
}

/** Whether a wait is too short to be spoken of. */
function isNow(milliseconds: number): boolean {
  return milliseconds < 50;
}

/** A wait as people say it: `2 s`, `0.5 s`. */
function waitText(milliseconds: number): string {
  return `${milliseconds < 950 ? Math.round(milliseconds / 100) / 10 : Math.round(milliseconds / 1_000)} s`;
}

/** `rate limited, waiting 2 s, then request 2 of 5` */
export function waitingText({ words, milliseconds, request, of }: RequestWait): string {
  const next = `request ${request}${of === undefined ? '' : ` of ${of}`}`;
  return isNow(milliseconds)
    ? `${words}, now ${next}`
    : `${words}, waiting ${waitText(milliseconds)}, then ${next}`;
}

/** What became of a request: `failed with status 429 (rate-limit): Slow down. Made again after 2 s.` */
export function outcomeText({ outcome, status, failure }: RequestSummary): string {
  const code = status === undefined ? '' : ` with status ${status}`;
  switch (outcome) {
    case 'answered':
      return `answered${code}`;
    case 'failed': {
      if (failure === undefined) return `failed${code}`;
      const after = isNow(failure.wait ?? 0) ? 'at once' : `after ${waitText(failure.wait ?? 0)}`;
      const again = failure.wait === undefined ? '' : ` Made again ${after}.`;
      return `failed${code} (${failure.class}): ${failure.message}${again}`;
    }
    case 'under-way':
      return `under way${code}`;
    case 'given-up':
      return 'given up before it was answered';
    default:
      return assertNever(outcome);
  }
}
