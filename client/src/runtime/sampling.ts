/**
 * Trying a step: draws samples of a model's answers to one prompt, and takes each as far as a run would, up to the merge.
 * Pure over the model; nothing is recorded, and no environment acts.
 */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { Skill } from '../../../schemas/skill/skill';
import { Asking } from './asking';
import { type FailedRequest, type Model, ModelFailure, type ModelNotice } from './model';
import type { RunOptions } from './options';
import { orAborted } from './orAborted';
import { redactedSkill } from './redactedFiles';
import { type Redaction, redactedObject } from './redaction';
import type { Rejection } from './rejection';
import type { ParsedReply } from './replyParser';
import { createContext } from './runContext';
import type { Attempt, RunState } from './runState';
import { firstStep } from './stepBoundary';
import type { Tokenizer } from './tokens';
import { transition } from './transition';
import type { PhaseInput, RunContext } from './transitionTypes';

/** The prompt that is tried, by what it is made of. */
export interface SampledPlace {
  /** t, from 0. */
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  /** Σ_t. */
  readonly state: JsonObject;
  /** O_t. */
  readonly observation: string;
  readonly correction?: string | undefined;
}

export interface SamplingOptions {
  readonly model: Model;
  readonly skill: Skill;
  readonly place: SampledPlace;
  /** How many answers are asked for. */
  readonly samples: number;
  /** Budgets and retries are no matter. The seed of the first sample is that of the run, each further one has the next. */
  readonly options: RunOptions;
  readonly tokenizer: Tokenizer;
  /** How many are asked for at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** What is kept out of prompts, so out of skill, state, observation and correction, and out of replies. */
  readonly redaction?: Redaction | undefined;
  /** Told of the requests of each sample, by its number, before the sample itself. */
  readonly onNotice?: ((notice: ModelNotice, number: number) => void) | undefined;
  /** Told of each as it comes, in any order. */
  readonly onSample?: ((sample: Sample) => void) | undefined;
}

/** One answer, or why there is none. */
export interface Sample {
  /** From 1, in the order of asking. */
  readonly number: number;
  /** Undefined where the model failed. */
  readonly attempt:
    | Pick<Attempt, 'reply' | 'thinking' | 'finish' | 'tokens' | 'cost' | 'costAtMost' | 'failures'>
    | undefined;
  /** Set where the reply could be parsed. */
  readonly parsed: ParsedReply | undefined;
  /** Σ_t ⊕ ΔΣ, where the patch could be merged. */
  readonly merged: JsonObject | undefined;
  /** Set where a run would not have taken the reply over. */
  readonly rejection: Rejection | undefined;
  /** Set where the model failed. */
  readonly failure: FailedRequest | undefined;
  /** Set where the model failed: all of its requests. */
  readonly failures?: readonly FailedRequest[] | undefined;
}

export interface Samples {
  /** In the order of asking; fewer than were asked for where that was given up. */
  readonly samples: readonly Sample[];
  /** Why there are fewer, a sentence for the user. */
  readonly stopped: string | undefined;
}

/**
 * Draws samples. Where the signal is aborted, or the model fails for good, those that have come are given.
 *
 * @throws StateSchemaFailure where the skill's state schema can't be compiled
 */
export async function sampleStep(given: SamplingOptions): Promise<Samples> {
  const options = await withoutSecrets(given);
  if (options === undefined) return { samples: [], stopped: needsRedacted };
  const drawing = new Drawing(options);
  await drawing.run();
  return drawing.result;
}

class Drawing {
  readonly #options: SamplingOptions;
  readonly #context: RunContext;
  readonly #start: RunState;
  readonly #drawn: Sample[] = [];
  #next = 1;
  #stopped: string | undefined;
  /** A bug, which goes on to the caller once nothing is under way. */
  #error: { readonly thrown: unknown } | undefined;

  constructor(options: SamplingOptions) {
    this.#options = options;
    const { skill, model, tokenizer, place } = options;
    this.#context = createContext({
      skill,
      // A sample stands for itself: no cap ends it, and whatever follows a rejection is left out.
      options: { ...options.options, budget: {}, onExhausted: 'stop', maxRetries: place.attempt },
      tokenizer,
      price: model.price,
      declares: undefined,
      sha256: () => '',
    });
    const { step, attempt, state, observation, correction } = place;
    const begun: RunState = { ...firstStep(state, observation, undefined), step, attempt, correction };
    this.#start = transition(this.#context, { ...begun, phase: 'prompt' }, { type: 'none' }).run;
  }

  get result(): Samples {
    const samples = this.#drawn.toSorted((a, b) => a.number - b.number);
    return { samples, stopped: samples.length < this.#options.samples ? this.#stopped : undefined };
  }

  async run(): Promise<void> {
    const { model, samples, concurrency, signal } = this.#options;
    if (!(await this.#prepared(model))) return;
    const workers = Array.from({ length: Math.min(Math.max(1, concurrency), samples) }, () => this.#work());
    await Promise.all(workers);
    if (this.#error !== undefined) throw this.#error.thrown;
    if (signal.aborted) this.#stopped ??= givenUp;
  }

  /** Whether the model is ready to be asked. */
  async #prepared(model: Model): Promise<boolean> {
    const { signal } = this.#options;
    try {
      await orAborted(Promise.resolve(model.prepare?.(signal)), signal);
      return true;
    } catch (error) {
      if (signal.aborted) this.#stopped = givenUp;
      else if (error instanceof ModelFailure) this.#stopped = error.message;
      else throw error;
      return false;
    }
  }

  async #work(): Promise<void> {
    const { samples, signal, onSample } = this.#options;
    while (this.#next <= samples && !signal.aborted && this.#stopped === undefined) {
      const number = this.#next++;
      try {
        const sample = await this.#draw(number);
        if (sample === undefined) return;
        this.#drawn.push(sample);
        onSample?.(sample);
      } catch (thrown) {
        this.#error ??= { thrown };
        this.#stopped ??= '';
      }
    }
  }

  /** Undefined where it was given up. */
  async #draw(number: number): Promise<Sample | undefined> {
    const { model, skill, signal, redaction, onNotice } = this.#options;
    const { options } = this.#context;
    const { prompt } = this.#start;
    if (prompt === undefined) throw new Error('A sample needs a prompt');
    const seeded = { ...options, seed: options.seed + number - 1 };
    const asked = { model, options: seeded, skill, run: this.#start, prompt: prompt.text };
    const generation = {
      ...asked,
      spent: 0,
      host: { redaction, onNotice: (notice: ModelNotice) => onNotice?.(notice, number) },
    };
    const asking = new Asking();
    try {
      const answer = await orAborted(asking.ask(generation, signal), signal);
      return this.#taken(number, answer);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof ModelFailure)) throw error;
      // What fails for good fails so for all; a filter may let the next answer pass.
      if (!error.retryable && error.class !== 'content-filter') this.#stopped ??= error.message;
      const failure = { class: error.class, message: error.message };
      const { failures } = asking.failuresAt(this.#start);
      return {
        number,
        attempt: undefined,
        parsed: undefined,
        merged: undefined,
        rejection: undefined,
        failure,
        failures,
      };
    }
  }

  /** As far as a run takes a reply before it acts. */
  #taken(number: number, answer: PhaseInput): Sample {
    const generated = transition(this.#context, this.#start, answer).run;
    const attempt = generated.attempts.at(-1);
    const parsing = transition(this.#context, generated, { type: 'none' });
    const sample = { number, attempt, failure: undefined };
    if (parsing.rejection !== undefined)
      return { ...sample, parsed: undefined, merged: undefined, rejection: parsing.rejection };
    const { parsed } = parsing.run;
    const validation = transition(this.#context, parsing.run, { type: 'none' });
    return { ...sample, parsed, merged: validation.run.merged?.state, rejection: validation.rejection };
  }
}

const needsRedacted =
  "What is redacted leaves no skill that can be asked about: redact by a pattern that doesn't match there.";

/** Undefined where no skill is left. */
async function withoutSecrets(options: SamplingOptions): Promise<SamplingOptions | undefined> {
  const { redaction, place } = options;
  if (redaction === undefined) return options;
  const skill = await redactedSkill(options.skill, redaction);
  return skill && { ...options, skill, place: redactedPlace(place, redaction) };
}

/** What is asked about, and told of, without what is to be left out. */
export function redactedPlace<Place extends SampledPlace>(
  place: Place,
  redaction: Redaction | undefined,
): Place {
  if (redaction === undefined) return place;
  const { state, observation, correction } = place;
  return {
    ...place,
    state: redactedObject(state, redaction),
    observation: redaction.text(observation),
    correction: correction && redaction.text(correction),
  };
}

const givenUp = 'It was given up.';
