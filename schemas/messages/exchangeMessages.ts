/**
 * The request of the debug adapter that gives what a model was sent and what it answered, to the letter. A session keeps
 * it in memory as long as there is room; no trace has it.
 */
import {
  type Guard,
  type Guarded,
  isCount,
  isFiniteNumber,
  isFlag,
  isText,
  listOf,
  objectOf,
  oneOf,
  optional,
} from './shape';

/** Request: the requests of a step on a branch's line, and one of them whole. */
export const exchangeRequest = 'skill-state/exchange';

/** Request: what is kept of a step's requests on a branch's line, without their texts. There may be none. */
export const stepRequestsRequest = 'skill-state/requests';

/** A model that was asked for samples of a step. */
export const isTriedModel = objectOf({
  /** Which of the session's tries it was, from 1; its report says it. */
  tried: isCount,
  /** Which of the report's models, from 0. */
  model: isCount,
});
export type TriedModel = Guarded<typeof isTriedModel>;

export const isStepArguments = objectOf({ branch: isCount, step: isCount });

export const isExchangeArguments = objectOf({
  branch: isCount,
  step: isCount,
  /** Of a sample instead of an attempt of the run: `attempt` is the number of the sample then. */
  sampled: optional(isTriedModel),
  /** Of which attempt; of the last one that made requests where nothing is said. */
  attempt: optional(isCount),
  /** Which request of that attempt, from 1; the last one where nothing is said. */
  request: optional(isCount),
});
export type ExchangeArguments = Guarded<typeof isExchangeArguments>;

/** Header fields by their names; a key stands in them as the name of its variable. */
const isHeaders: Guard<Readonly<Record<string, string>>> = (
  value,
): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && Object.values(value).every(isText);

export const isSentRequest = objectOf({
  /** An HTTP method, or `sendRequest` for a model of the editor's. */
  method: isText,
  url: isText,
  headers: isHeaders,
  body: isText,
});
export type SentRequestBody = Guarded<typeof isSentRequest>;

const isReceivedResponse = objectOf({
  /** The HTTP status; left out where there is none. */
  status: optional(isFiniteNumber),
  headers: isHeaders,
  /** As far as it was read and is kept. */
  body: isText,
});

/** What became of a request. `given-up`: the run went elsewhere before it was answered. */
const isRequestOutcome = oneOf('answered', 'failed', 'under-way', 'given-up');

const isRequestSummary = objectOf({
  attempt: isCount,
  /** From 1 in each attempt. */
  request: isCount,
  outcome: isRequestOutcome,
  /** The HTTP status; left out where there is none, or none yet. */
  status: optional(isFiniteNumber),
  failure: optional(
    objectOf({
      class: isText,
      message: isText,
      /** Milliseconds that were waited before the next request; left out where none followed. */
      wait: optional(isFiniteNumber),
    }),
  ),
});
export type RequestSummary = Guarded<typeof isRequestSummary>;

export const isStepRequests = objectOf({
  /** Oldest first. */
  requests: listOf(isRequestSummary),
});
export type StepRequests = Guarded<typeof isStepRequests>;

export const isExchangeBody = objectOf({
  /** The branch whose requests these are: that of the arguments, or one that it goes back to. */
  branch: isCount,
  step: isCount,
  /** Of a sample: the model's name. `attempt` is the number of the sample then. */
  sampledModel: optional(isText),
  /** What is kept of the step's requests, oldest first; of a sample, those for the samples of its model. */
  requests: listOf(isRequestSummary),
  /** How many of the session's requests are not kept any more. */
  letGo: isCount,
  /** The one that was asked for. */
  exchange: objectOf({
    summary: isRequestSummary,
    sent: isSentRequest,
    /** As far as it has come; left out as long as nothing has. */
    received: optional(isReceivedResponse),
    /** True where what comes isn't kept, so that `received` is left out whatever has come. */
    isUnkept: optional(isFlag),
  }),
});
export type ExchangeBody = Guarded<typeof isExchangeBody>;
