/** The requests that a run makes to its model, as the session tells of them: failures and waits, what is kept, what is under way. */
import type { RequestWait } from '../../../schemas/messages/debugMessages';
import type { ExchangeArguments, ExchangeBody } from '../../../schemas/messages/exchangeMessages';
import { oneLine } from '../../../schemas/text/oneLine';
import { failureWords, waitingText } from '../runtime/failureWords';
import type { Journey } from '../runtime/journey';
import { type FailedRequest, ModelFailure, type ModelNotice } from '../runtime/model';
import type { RunState } from '../runtime/runState';
import type { Clock } from './debugHost';
import { ExchangeLog } from './exchangeLog';
import { type ExchangeSource, exchangeSource } from './exchangeSource';
import { SampleExchanges } from './sampleExchanges';

/** Milliseconds between two looks at a reply that comes while the run is stopped. */
const refreshEvery = 1_000;

/** What there is of a reply beside its text while it is under way. */
export interface GenerationSoFar {
  readonly thinking: string;
  /** The requests that have failed, oldest first. */
  readonly failures: readonly FailedRequest[];
}

export interface ModelRequestsOptions {
  readonly journey: Pick<Journey, 'position' | 'branches' | 'partialThinking'>;
  /** How many requests an attempt may make; undefined where nobody knows. */
  readonly mostRequests: number | undefined;
  readonly clock: Clock;
  /** A sentence for the user. */
  readonly tell: (text: string) => void;
  /** Whether something is waited for has changed: shows it. */
  readonly onWaiting: () => void;
  /** There is more of the reply that is under way than before, or less; called now and then. */
  readonly onProgress: () => void;
}

export class ModelRequests {
  readonly #options: ModelRequestsOptions;
  readonly #log = new ExchangeLog();
  /** The requests for samples of tried steps, which are no part of the run. */
  readonly samples = new SampleExchanges();
  #failures: FailedRequest[] = [];
  #waiting: RequestWait | undefined;
  #cancelRefresh: (() => void) | undefined;

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
  }

  /** What is waited for before a request is made again; undefined where nothing is. */
  get waiting(): RequestWait | undefined {
    return this.#waiting;
  }

  get soFar(): GenerationSoFar {
    return { thinking: this.#options.journey.partialThinking, failures: this.#failures };
  }

  /** Something was told of the request that is under way. @param run where it was made */
  take(notice: ModelNotice, { step, attempt }: RunState): void {
    const { position } = this.#options.journey;
    this.#log.take(notice, { branch: position.branch, step, attempt });
    if (notice.type === 'retry') this.#retries(notice.failure, step);
    else this.#goesOn();
    this.#refreshSoon();
  }

  /** The reply has grown. */
  takeText(): void {
    this.#goesOn();
    this.#refreshSoon();
  }

  /** The reply has come. */
  answered(): void {
    this.#settle('answered');
  }

  /** The phase that was under way has failed, or was aborted. */
  failed(error: unknown): void {
    this.#settle(error instanceof ModelFailure ? { class: error.class, message: error.message } : 'given-up');
  }

  /** Nothing is told any more. */
  close(): void {
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
  }

  /** What answers for the session's requests, also once the run is over: it doesn't hold on to the run. */
  get source(): ExchangeSource {
    const { branches } = this.#options.journey;
    return exchangeSource(this.#log, branches, this.samples);
  }

  /** The latest request where the run stands, or just before. @throws RequestFailure */
  latest(which: Pick<ExchangeArguments, 'attempt' | 'request'>): ExchangeBody {
    const { branch, step } = this.#options.journey.position;
    const { source } = this;
    const isEmpty = step > 0 && !source.has({ branch, step });
    return source.exchange({ branch, step: isEmpty ? step - 1 : step, sampled: undefined, ...which });
  }

  #retries(failure: FailedRequest, step: number): void {
    const { mostRequests, tell, onWaiting } = this.#options;
    this.#failures.push(failure);
    const request = this.#failures.length + 1;
    this.#waiting = {
      words: failureWords(failure.class),
      milliseconds: failure.wait ?? 0,
      request,
      of: mostRequests,
    };
    tell(`t=${step} ${waitingText(this.#waiting)}: ${oneLine(failure.message)}`);
    onWaiting();
  }

  #goesOn(): void {
    if (this.#waiting === undefined) return;
    this.#waiting = undefined;
    this.#options.onWaiting();
  }

  #settle(outcome: Parameters<ExchangeLog['settle']>[0]): void {
    this.#log.settle(outcome);
    this.#failures = [];
    this.#goesOn();
  }

  #refreshSoon(): void {
    this.#cancelRefresh ??= this.#options.clock.after(refreshEvery, () => {
      this.#cancelRefresh = undefined;
      this.#options.onProgress();
    });
  }
}
