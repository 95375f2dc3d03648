/**
 * Makes requests again that failed for a while: a provider that is busy, a connection that broke. Not to be taken for a
 * step's further attempts, which follow a reply that was rejected.
 */
import { ExponentialBackoff, noJitterGenerator } from 'cockatiel';
import { type FailedRequest, type Model, type ModelEvent, ModelFailure } from '../runtime/model';
import { waitText } from './http/retryAfter';
import type { ModelResources, Waiting } from './modelResources';
import { defaultRequestRetries } from './modelSettings';
import { wrappedModel } from './wrappedModel';

/** The longest that is waited before a request, in milliseconds; a provider that asks for more is not waited for. */
export const longestWait = 60_000;

/** The first wait, in milliseconds, before chance makes it shorter; each further one is twice as long. */
const firstWait = 1_000;

/** A recorded number of retries may be anything. */
const mostRetries = 20;

/**
 * The model, whose requests are made again where their failure is {@link ModelFailure.retryable}, up to
 * `settings.requestRetries` times. Before each wait it yields `retry`: what the reply had so far is void then.
 * `prepare` is not repeated: whoever starts a run wants to know at once that the server isn't there.
 */
export function withRequestRetries(
  model: Model,
  { settings, waiting = realWaiting }: Pick<ModelResources, 'settings' | 'waiting'>,
): Model {
  const retries = Math.min(settings?.requestRetries ?? defaultRequestRetries, mostRetries);
  return wrappedModel(model, {
    async *generate(request, signal): AsyncGenerator<ModelEvent> {
      let backoff = backoffOf(waiting).next();
      for (let retry = 1; ; retry++) {
        let failure: FailedRequest & { readonly wait: number };
        try {
          yield* model.generate(request, signal);
          return;
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          if (!(error instanceof ModelFailure) || !error.retryable || retries === 0) throw error;
          if (retry > retries) throw givenUp(error, retry);
          if (error.retryAfter !== undefined && error.retryAfter > longestWait) throw tooLong(error);
          const wait = Math.round(error.retryAfter ?? backoff.duration);
          failure = { class: error.class, message: error.message, wait };
        }
        backoff = backoff.next(undefined);
        yield { type: 'retry', failure };
        await waiting.wait(failure.wait, signal);
      }
    },
  });
}

/** Exponential, each wait between half and all of it, so that many who failed at once don't come back at once. */
function backoffOf({ random }: Waiting): ExponentialBackoff<number> {
  return new ExponentialBackoff<number>({
    initialDelay: firstWait,
    maxDelay: longestWait,
    generator: (state, options) => {
      const [delay, next] = noJitterGenerator(state, options);
      return [delay * (0.5 + random() / 2), next];
    },
  });
}

function givenUp(failure: ModelFailure, requests: number): ModelFailure {
  return renamed(failure, `${failure.message} The request was made ${requests} times.`);
}

function tooLong(failure: ModelFailure): ModelFailure {
  const wait = waitText(failure.retryAfter ?? 0);
  return renamed(
    failure,
    `${failure.message} The server asks to wait ${wait}, longer than a run waits by itself: resume it then.`,
  );
}

function renamed(cause: ModelFailure, message: string): ModelFailure {
  const { class: failureClass, retryable, retryAfter } = cause;
  return new ModelFailure(message, { class: failureClass, retryable, retryAfter, cause });
}

/** Time and chance as they are. */
export const realWaiting: Waiting = {
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', abort, { once: true });
    }),
  random: () => Math.random(),
  now: () => Date.now(),
};
