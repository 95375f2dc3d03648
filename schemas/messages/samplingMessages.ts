/**
 * Trying a step: a model's answers to one and the same prompt, several times. What the debug adapter answers, and what
 * the command line prints as JSON.
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

/**
 * Request: answers of models to the prompt of the place where the run is stopped, or to the first one of another step.
 * Nothing of them is recorded, and the run stays where it is. Refused, with a message for the user, while an answer is
 * awaited, and where no model can be asked.
 */
export const sampleStepRequest = 'skill-state/sampleStep';

/** How many answers of one model are asked for at most, and of how many models. */
export const mostSamples = 100;
export const mostSampledModels = 10;
export const defaultSamples = 5;

export const isSampleStepArguments = objectOf({
  /** From 1; {@link defaultSamples} where it is left out. */
  samples: optional(isCount),
  /**
   * By default the session's own, which is `isOwn` among others. A base URL is that of a server which speaks OpenAI's protocol,
   * by default the provider's.
   */
  models: optional(
    listOf(objectOf({ name: isText, baseUrl: optional(isText), isOwn: optional(isFlag) }), mostSampledModels),
  ),
  /** By default the run's. */
  temperature: optional(isFiniteNumber),
  /** By default where the run stands. */
  step: optional(isCount),
  /** The line on which the step is; by default that on which the run stands. */
  branch: optional(isCount),
});
export type SampleStepArguments = Guarded<typeof isSampleStepArguments>;

/** A model that is asked. */
export interface WantedModel {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly isOwn?: boolean | undefined;
}

/** Any JSON value: whatever came out of a message is one. */
const isJson: Guard<unknown> = (value): value is unknown => value !== undefined;

const isSampleReport = objectOf({
  /** From 1, in the order in which they were asked for. */
  number: isCount,
  /** `accepted`: the runtime would have taken it over. `failed`: the model gave no answer. */
  outcome: oneOf('accepted', 'rejected', 'failed'),
  /** What a reply that could be parsed wants to do; also of one that was rejected later. */
  action: optional(isText),
  patch: optional(isJson),
  /** What the patch makes of Σ, a line each: `+ /a = 1`; left out where it wasn't merged. */
  changes: optional(listOf(isText)),
  changesLeftOut: isCount,
  rejection: optional(objectOf({ class: isText, message: isText, pointer: optional(isText) })),
  failure: optional(objectOf({ class: isText, message: isText })),
  /** Left out where there was none; shortened where `replyLeftOut` is above 0, by so many UTF-16 units. */
  reply: optional(isText),
  replyLeftOut: isCount,
  /** Why generation ended, in the provider's word. */
  finish: optional(isText),
  tokens: optional(
    objectOf({
      prompt: isCount,
      completion: isCount,
      cached: optional(isCount),
      thinking: optional(isCount),
      source: oneOf('reported', 'estimated'),
      /** Set where the extension that has the model estimated them, and no tokenizer. */
      estimatedBy: optional(oneOf('extension')),
    }),
  ),
  /** US dollars; left out where it is unknown. */
  cost: optional(isFiniteNumber),
  /** US dollars: where the cost is unknown, what it is at most; left out where that is unknown too. */
  costAtMost: optional(isFiniteNumber),
  /** How many requests of it the session keeps, which asks for them by `sampled`; left out where none. */
  requests: optional(isCount),
});
export type SampleReport = Guarded<typeof isSampleReport>;

/** How often something came, and in which samples. */
const shareOf = <Value>(value: Guard<Value>) => objectOf({ value, samples: listOf(isCount, mostSamples) });

const isModelReport = objectOf({
  model: isText,
  /** Undefined where the model takes none, so that its own applies. */
  temperature: optional(isFiniteNumber),
  /** How many were asked for; fewer have come where the user gave up, or the model can't answer at all. */
  asked: isCount,
  samples: listOf(isSampleReport, mostSamples),
  /** Why no more have come, a sentence; left out where all have. */
  stopped: optional(isText),
  /** Of accepted replies, most frequent first. */
  actions: listOf(shareOf(isText), mostSamples),
  /** Of accepted replies, by their canonical JSON. */
  patches: listOf(shareOf(isText), mostSamples),
  /** By class. */
  rejections: listOf(shareOf(isText), mostSamples),
  /** The share of answers that decide as the most frequent one does, by patch and action; rejected ones agree with none. */
  agreement: optional(isFiniteNumber),
  /** The first two answers that decide otherwise, by their numbers; left out where all agree. */
  differing: optional(objectOf({ first: isCount, second: isCount })),
  spending: objectOf({
    prompt: isFiniteNumber,
    completion: isFiniteNumber,
    cached: isFiniteNumber,
    thinking: isFiniteNumber,
    source: optional(oneOf('reported', 'estimated', 'mixed')),
    estimated: isFiniteNumber,
    /** How many of those the extension counted that has the model. */
    byExtension: isFiniteNumber,
    cost: optional(isFiniteNumber),
    knownCost: isFiniteNumber,
    costAtMost: optional(isFiniteNumber),
  }),
});
export type ModelReport = Guarded<typeof isModelReport>;

/** The answer to {@link sampleStepRequest}. */
export const isSamplingReport = objectOf({
  skill: isText,
  step: isCount,
  branch: isCount,
  /** From 1; from 2 on the prompt ends with a correction. */
  attempt: isCount,
  observation: isText,
  correction: optional(isText),
  cancelled: isFlag,
  /** Which of the session's tries it is, from 1, by which requests are asked for; left out where nothing keeps them. */
  tried: optional(isCount),
  models: listOf(isModelReport, mostSampledModels),
});
export type SamplingReport = Guarded<typeof isSamplingReport>;
