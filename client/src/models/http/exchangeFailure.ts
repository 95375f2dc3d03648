/** What became of a request that has no whole answer, as far as it is the same for all servers. */
import { ModelFailure } from '../../runtime/model';
import { connectionFailure, isEditorTimeout } from './connectionFailure';
import type { ExchangeFailure } from './exchange';

export interface AskedServer {
  /** How messages name it. */
  readonly title: string;
  /** How to start it, the rest of a sentence. */
  readonly start?: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Failures other than what a server says itself, and what is no answer of its protocol. */
export function failureOfExchange(
  failure: Extract<ExchangeFailure, { readonly kind: 'timeout' | 'unreachable' | 'broken' }>,
  { title, start, timeout }: AskedServer,
): ModelFailure {
  switch (failure.kind) {
    case 'timeout': {
      const seconds = Number((timeout / 1000).toPrecision(6));
      const message = `${atStart(title)} sent nothing for ${seconds} second${seconds === 1 ? '' : 's'}: try again, or raise the timeout.`;
      return new ModelFailure(message, { class: 'timeout', retryable: true });
    }
    case 'unreachable':
      return connectionFailure(failure.cause, title, start);
    case 'broken':
      return isEditorTimeout(failure.cause)
        ? connectionFailure(failure.cause, title)
        : cutOff(title, failure.cause);
  }
}

/** An answer that ended before it was whole. */
export function cutOff(title: string, cause?: unknown): ModelFailure {
  const message = `The answer of ${title} was cut off before its end: try again.`;
  return new ModelFailure(message, { class: 'malformed-stream', retryable: true, cause });
}

/** A server's name at the beginning of a sentence. */
export function atStart(title: string): string {
  return title.replace(/^the /, 'The ');
}
