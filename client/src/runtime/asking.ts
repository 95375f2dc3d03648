/** Asks a model for a step's reply, and collects what comes of it: text, thinking, usage, requests that failed. */
import type { Skill } from '../../../schemas/skill/skill';
import { TimeUsedUp } from './budget';
import { costOf } from './cost';
import type { RunHost } from './execution';
import {
  type FailedRequest,
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelNotice,
  type ModelRequest,
  type ReportedUsage,
} from './model';
import type { RunOptions } from './options';
import { redactedReply } from './redactedReply';
import { redactedFailure, redactedNotice, redactedText } from './redaction';
import { cutFinish } from './replyParser';
import type { RunEnd, RunState } from './runState';
import type { PhaseInput } from './transitionTypes';

export interface Generation {
  readonly model: Model;
  readonly options: RunOptions;
  readonly skill: Skill;
  readonly run: RunState;
  readonly prompt: string;
  readonly host: Pick<RunHost, 'onText' | 'onNotice' | 'redaction' | 'alarm'>;
}

/** The asking of a model by one run, request after request: what of the last one is there so far, and what went wrong. */
export class Asking {
  /** What was asked last, and where the run stood then. */
  #last: { readonly run: RunState; readonly reply: ReplyUnderWay } | undefined;
  #isUnderWay = false;

  /** What the model has said so far, while its reply is under way; else empty. */
  get partialReply(): string {
    return (this.#isUnderWay && this.#last?.reply.text) || '';
  }

  /** What it has thought so far. */
  get partialThinking(): string {
    return (this.#isUnderWay && this.#last?.reply.thinking) || '';
  }

  /** @throws the signal's reason once it is aborted; ModelFailure; TimeUsedUp */
  ask(generation: Generation, signal: AbortSignal): Promise<PhaseInput> {
    const reply = new ReplyUnderWay(generation);
    this.#last = { run: generation.run, reply };
    this.#isUnderWay = true;
    return withinBudget(generation, signal, (limited) => reply.collect(limited));
  }

  /** The reply is part of the run now, or will never be. */
  stop(): void {
    this.#isUnderWay = false;
  }

  /** The requests that failed where a run stands, for the end that it comes to there; the last one may be why. */
  failuresAt(run: RunState): Pick<RunEnd, 'failures'> {
    const failures = this.#last?.run === run ? this.#last.reply.failures : [];
    return failures.length > 0 ? { failures } : {};
  }
}

/**
 * Gives a reply up when the run's seconds are over, where the host has a clock that rings.
 *
 * @throws what `collect` does; TimeUsedUp
 */
async function withinBudget(
  { options: { budget }, run, host }: Generation,
  signal: AbortSignal,
  collect: (limited: AbortSignal) => Promise<PhaseInput>,
): Promise<PhaseInput> {
  const { seconds } = budget;
  if (seconds === undefined || host.alarm === undefined) return collect(signal);
  const limited = new AbortController();
  const abort = () => limited.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const left = Math.max(0, seconds * 1000 - run.totals.activeMilliseconds);
  const putOff = host.alarm(left, () => limited.abort(new TimeUsedUp(seconds)));
  try {
    return await collect(limited.signal);
  } catch (error) {
    throw limited.signal.aborted ? limited.signal.reason : error;
  } finally {
    putOff();
    signal.removeEventListener('abort', abort);
  }
}

/** A reply while it is under way. */
class ReplyUnderWay {
  readonly #generation: Generation;
  readonly #failures: FailedRequest[] = [];
  #soFar = nothingYet;
  /** The text that was redacted last. */
  #told: { readonly text: string; readonly redacted: string } | undefined;
  #finish: string | undefined;
  #usage: ReportedUsage | undefined;

  constructor(generation: Generation) {
    this.#generation = generation;
  }

  /** What the model has said so far. */
  get text(): string {
    const { redaction } = this.#generation.host;
    const { text } = this.#soFar;
    if (redaction === undefined) return text;
    // Asked for again and again while a long reply comes.
    if (this.#told?.text !== text) this.#told = { text, redacted: redactedReply(text, redaction) };
    return this.#told.redacted;
  }

  /** What it has thought so far. */
  get thinking(): string {
    return this.#redacted(this.#soFar.thinking);
  }

  /** The requests that have failed, oldest first; where the model failed for good, the last one is why. */
  get failures(): readonly FailedRequest[] {
    return this.#failures;
  }

  /**
   * Asks the model and collects its reply, cut one unit above the run's limit so that the parser sees that it was passed.
   *
   * @throws the signal's reason once it is aborted; ModelFailure
   */
  async collect(signal: AbortSignal): Promise<PhaseInput> {
    const { model } = this.#generation;
    try {
      // Leaving the loop early makes the model stop: an async iterable is closed by `return`.
      for await (const event of model.generate(requestOf(this.#generation), signal)) {
        signal.throwIfAborted();
        this.#take(event);
        if (this.#finish === cutFinish) break;
      }
      signal.throwIfAborted();
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelFailure)) throw error;
      const { redaction } = this.#generation.host;
      const failure = redaction === undefined ? error : redactedFailure(error, redaction);
      this.#failures.push({ class: failure.class, message: failure.message, ...this.#spent });
      throw failure;
    }
    const { text, thinking, failures } = this;
    this.#tellThinking(thinking);
    return {
      type: 'generated',
      reply: text,
      thinking: thinking === '' ? undefined : thinking,
      finish: this.#finish,
      usage: this.#usage,
      failures,
    };
  }

  #take(event: ModelEvent): void {
    const { host } = this.#generation;
    switch (event.type) {
      case 'text':
        this.#add('text', event.text);
        host.onText?.();
        return;
      case 'usage':
        this.#usage = usableUsage(event.usage);
        return;
      case 'finish':
        this.#finish = event.reason;
        return;
      case 'thinking': {
        const text = this.#add('thinking', event.text);
        if (host.redaction === undefined) this.#tell({ type: 'thinking', text });
        return;
      }
      case 'retry': {
        const { failure } = this.#tell({ ...event, failure: { ...event.failure, ...this.#spent } });
        this.#void(failure);
        return;
      }
      case 'response':
        this.#tellResponse(event);
        return;
      default:
        this.#tell(event);
    }
  }

  #tell<Notice extends ModelNotice>(notice: Notice): Notice {
    const { host, run } = this.#generation;
    const told = host.redaction === undefined ? notice : redactedNotice(notice, host.redaction);
    host.onNotice?.(told, run);
    return told;
  }

  /** What is to be left out may stand in a response piece by piece, where no pattern finds it. */
  #tellResponse(notice: ModelNotice & { readonly type: 'response' }): void {
    const { text, thinking } = this.#soFar;
    const hasSecrets = this.text !== text || this.thinking !== thinking;
    const { response } = notice;
    this.#tell(hasSecrets ? { ...notice, response: { ...response, body: redactedText } } : notice);
  }

  /** Thoughts are told as a whole where something is to be left out of them. */
  #tellThinking(text: string): void {
    if (this.#generation.host.redaction !== undefined && text !== '') this.#tell({ type: 'thinking', text });
  }

  #redacted(text: string): string {
    return this.#generation.host.redaction?.text(text) ?? text;
  }

  #add(part: 'text' | 'thinking', more: string): string {
    const limit = this.#generation.options.limits.replyCharacters;
    const text = more.slice(0, limit + 1 - this.#soFar[part].length);
    this.#soFar = { ...this.#soFar, [part]: this.#soFar[part] + text };
    if (this.#soFar[part].length > limit) this.#finish = cutFinish;
    return text;
  }

  /** What a request that failed has taken. */
  get #spent(): Pick<FailedRequest, 'tokens' | 'cost' | 'costAtMost'> {
    const usage = this.#usage;
    if (usage === undefined) return {};
    const { prompt, completion, cached, thinking } = usage;
    const tokens = {
      prompt,
      completion,
      ...(cached !== undefined && { cached }),
      ...(thinking !== undefined && { thinking }),
    };
    return { tokens, ...costOf({ ...usage, source: 'reported' }, this.#generation.model.price) };
  }

  #void(failure: FailedRequest): void {
    this.#failures.push(failure);
    this.#soFar = nothingYet;
    this.#finish = undefined;
    this.#usage = undefined;
  }
}

const nothingYet = { text: '', thinking: '' };

function requestOf({ options, skill, run, prompt }: Generation): ModelRequest {
  const { temperature, retryTemperature = temperature } = options;
  return {
    prompt,
    step: run.step,
    attempt: run.attempt,
    seed: options.seed,
    temperature: run.attempt > 1 ? retryTemperature : temperature,
    topP: options.topP,
    maxTokens: options.maxTokens,
    expected: { stateSchema: skill.stateSchema, actions: skill.actions, state: run.state },
  };
}

/** Counts that are none count as not reported. */
function usableUsage(usage: ReportedUsage): ReportedUsage | undefined {
  const { prompt, completion, estimatedBy, ...parts } = usage;
  if (!isCount(prompt) || !isCount(completion)) return undefined;
  return {
    prompt,
    completion,
    ...Object.fromEntries(Object.entries(parts).filter(([, count]) => isCount(count))),
    ...(estimatedBy !== undefined && { estimatedBy }),
  };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
