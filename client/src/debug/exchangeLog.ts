/** What a session's models were sent and what they answered, to the letter: kept in memory as long as there is room. */
import type { ExchangeBody, RequestSummary } from '../../../schemas/messages/exchangeMessages';
import type { FailedRequest, ModelNotice, ReceivedResponse, SentRequest } from '../runtime/model';

/** How much a session keeps; beyond either, the oldest exchanges are let go. */
export interface ExchangeLimits {
  /** Bytes of memory, counted as two for each UTF-16 unit. */
  readonly bytes: number;
  readonly exchanges: number;
}

export const exchangeLimits: ExchangeLimits = { bytes: 64_000_000, exchanges: 2_000 };

/** Where a request was made. */
export interface RequestPlace {
  readonly branch: number;
  readonly step: number;
  readonly attempt: number;
}

/** A request with what is known of its answer so far. */
export interface KeptExchange extends RequestPlace {
  /** From 1 in each attempt. */
  readonly request: number;
  readonly sent: SentRequest;
  /** As far as it has come. */
  readonly received: ReceivedResponse | undefined;
  /** Whether what comes is told with the end of the answer alone, if at all. */
  readonly isUnkept: boolean;
  readonly outcome: RequestSummary['outcome'];
  readonly failure: FailedRequest | undefined;
}

/** What is kept of a step's requests. */
export type FoundExchanges =
  | { readonly branch: number; readonly exchanges: readonly KeptExchange[] }
  /** `let-go`: there was no room for them; `none`: this session made none there. */
  | 'let-go'
  | 'none';

interface Entry {
  exchange: KeptExchange;
  /** What has come of the answer, as long as it is under way. */
  soFar: (() => ReceivedResponse | undefined) | undefined;
  bytes: number;
}

export class ExchangeLog {
  readonly #limits: ExchangeLimits;
  /** Oldest first. */
  readonly #entries = new Set<Entry>();
  readonly #byStep = new Map<string, Entry[]>();
  /** By branch, the first and the last step of which exchanges were let go. */
  readonly #letGoOf = new Map<number, { readonly first: number; readonly last: number }>();
  #bytes = 0;
  #letGo = 0;
  /** The request that is under way, or was made last. */
  #latest: Entry | undefined;
  /** Counts the requests of the attempt in which the latest one was made. */
  #counted: { readonly place: RequestPlace; readonly requests: number } | undefined;

  constructor(limits: ExchangeLimits = exchangeLimits) {
    this.#limits = limits;
  }

  /** How many exchanges were let go. */
  get letGo(): number {
    return this.#letGo;
  }

  /** Notes what is told of a request; what comes belongs to the request that was made last. */
  take(notice: ModelNotice, place: RequestPlace): void {
    switch (notice.type) {
      case 'request':
        this.#begin(notice, place);
        return;
      case 'response':
        this.#change({ received: notice.response });
        return;
      case 'retry':
        this.#change({ failure: notice.failure, outcome: 'failed' });
        return;
      case 'thinking':
        return;
    }
  }

  /** The reply has come, the model has failed for good, or the run went elsewhere: nothing is under way any more. */
  settle(outcome: 'answered' | 'given-up' | FailedRequest): void {
    if (this.#latest?.exchange.outcome !== 'under-way') return;
    this.#change(typeof outcome === 'string' ? { outcome } : { outcome: 'failed', failure: outcome });
  }

  /**
   * The requests of a step, oldest first.
   *
   * @param line the branches on which the step may have been made, the nearest one first
   */
  find(line: readonly number[], step: number): FoundExchanges {
    for (const branch of line) {
      const entries = this.#byStep.get(keyOf({ branch, step })) ?? [];
      if (entries.length > 0) return { branch, exchanges: entries.map(exchangeNow) };
    }
    const isGone = line.some((branch) => {
      const gone = this.#letGoOf.get(branch);
      return gone !== undefined && step >= gone.first && step <= gone.last;
    });
    return isGone ? 'let-go' : 'none';
  }

  #begin(notice: ModelNotice & { readonly type: 'request' }, place: RequestPlace): void {
    const { request: sent, received: soFar } = notice;
    this.settle('given-up');
    const counted = this.#counted;
    const requests =
      counted !== undefined && isSame(counted.place, place) ? counted.requests : this.#last(place);
    this.#counted = { place, requests: requests + 1 };
    const exchange: KeptExchange = {
      ...place,
      request: requests + 1,
      sent,
      received: undefined,
      isUnkept: soFar === undefined,
      outcome: 'under-way',
      failure: undefined,
    };
    const entry: Entry = { exchange, soFar, bytes: 0 };
    this.#entries.add(entry);
    const key = keyOf(place);
    const others = this.#byStep.get(key);
    if (others === undefined) this.#byStep.set(key, [entry]);
    else others.push(entry);
    this.#latest = entry;
    this.#weigh(entry);
  }

  /** The number of the last request that was made in an attempt before, as when a run goes back to it; 0 for none. */
  #last(place: RequestPlace): number {
    const entries = this.#byStep.get(keyOf(place)) ?? [];
    return entries.findLast(({ exchange }) => isSame(exchange, place))?.exchange.request ?? 0;
  }

  #change(change: Partial<KeptExchange>): void {
    const entry = this.#latest;
    if (entry === undefined) return;
    entry.exchange = { ...exchangeNow(entry), ...change };
    if (entry.exchange.outcome !== 'under-way') entry.soFar = undefined;
    if (this.#entries.has(entry)) this.#weigh(entry);
  }

  #weigh(entry: Entry): void {
    const { sent, received } = entry.exchange;
    const bytes = 2 * (lengthOf(sent) + sent.url.length + (received === undefined ? 0 : lengthOf(received)));
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    for (const oldest of this.#entries) {
      const { size } = this.#entries;
      const isTooMuch = this.#bytes > this.#limits.bytes || size > this.#limits.exchanges;
      // The latest one is what somebody looks at.
      if (!isTooMuch || size === 1) break;
      this.#drop(oldest);
    }
  }

  #drop(entry: Entry): void {
    const { branch, step } = entry.exchange;
    this.#entries.delete(entry);
    this.#bytes -= entry.bytes;
    this.#letGo++;
    const key = keyOf(entry.exchange);
    const others = (this.#byStep.get(key) ?? []).filter((other) => other !== entry);
    if (others.length > 0) this.#byStep.set(key, others);
    else this.#byStep.delete(key);
    const { first, last } = this.#letGoOf.get(branch) ?? { first: step, last: step };
    this.#letGoOf.set(branch, { first: Math.min(first, step), last: Math.max(last, step) });
  }
}

function exchangeNow({ exchange, soFar }: Entry): KeptExchange {
  if (exchange.received !== undefined) return exchange;
  const received = soFar?.();
  const hasCome = received !== undefined && (received.status !== undefined || received.body !== '');
  return hasCome ? { ...exchange, received } : exchange;
}

/** What a client is told of a request. */
export function requestSummary({
  attempt,
  request,
  outcome,
  received,
  failure,
}: KeptExchange): RequestSummary {
  return {
    attempt,
    request,
    outcome,
    status: received?.status,
    failure: failure && { wait: undefined, ...failure },
  };
}

/** The answer to the request for one exchange; undefined where there is no such attempt or request. */
export function exchangeBody(
  { branch, exchanges }: Exclude<FoundExchanges, string>,
  letGo: number,
  { attempt, request }: { readonly attempt?: number | undefined; readonly request?: number | undefined },
): ExchangeBody | undefined {
  const chosen = exchanges.findLast(
    (one) =>
      (attempt === undefined || one.attempt === attempt) &&
      (request === undefined || one.request === request),
  );
  if (chosen === undefined) return undefined;
  const { step, sent, received, isUnkept } = chosen;
  return {
    branch,
    step,
    sampledModel: undefined,
    requests: exchanges.map(requestSummary),
    letGo,
    exchange: {
      ...{ summary: requestSummary(chosen), sent, received },
      isUnkept: (received === undefined && isUnkept) || undefined,
    },
  };
}

function keyOf({ branch, step }: Pick<RequestPlace, 'branch' | 'step'>): string {
  return `${branch} ${step}`;
}

function isSame(one: RequestPlace, other: RequestPlace): boolean {
  return one.branch === other.branch && one.step === other.step && one.attempt === other.attempt;
}

function lengthOf({ headers, body }: Pick<SentRequest, 'headers' | 'body'>): number {
  let length = body.length;
  for (const [name, value] of Object.entries(headers)) length += name.length + value.length;
  return length;
}
