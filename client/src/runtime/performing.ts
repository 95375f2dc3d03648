/**
 * Performs the phases of a run, whoever goes through it: a phase's effect on model or environment, what is recorded
 * of it, and the end that the run comes to where it fails. What comes of a phase is the transition's to decide.
 */
import type { ChainedRecord, RecordBody } from '../../../schemas/trace/trace';
import { Asking } from './asking';
import { TimeUsedUp } from './budget';
import { carryOut, outcomeInput } from './effects';
import { EnvironmentFailure } from './environment';
import type { PhaseReport, RunHost } from './execution';
import type { Participants } from './journey';
import { ModelFailure } from './model';
import type { RunOptions } from './options';
import { RunFailure } from './runFailure';
import type { RunEnd, RunState } from './runState';
import { ended } from './stepBoundary';
import { withActiveTime } from './totals';
import { effectOf, intentOf, transition } from './transition';
import type { Effect, PhaseInput, RunContext } from './transitionTypes';

/** A run that goes on: where it stands, who acts in it, and where its records go. */
export interface LiveRun {
  /** Where it stands, between two phases. */
  readonly at: { tip: RunState };
  readonly context: RunContext;
  readonly participants: Participants;
  /** True where the phase that comes next is on record, and only repeated. */
  readonly repeats: boolean;
  /** Puts records behind those that the trace holds, and gives them as they are there. Throws where it can't be written. */
  write(bodies: readonly RecordBody[]): readonly ChainedRecord[];
  /** What comes of an effect: what comes of `perform`, unless it is on record. */
  inputOf(effect: PerformedEffect, perform: () => Promise<PhaseInput>): Promise<PhaseInput>;
  /** Ends it; called where a phase fails. */
  end(end: RunEnd): void;
}

/** An effect that leaves the program. */
export type PerformedEffect = Exclude<Effect, { readonly type: 'none' }>;

/** A phase that was performed, and is not yet part of the run. */
export interface PerformedPhase {
  readonly before: RunState;
  readonly intents: readonly ChainedRecord[];
  readonly input: PhaseInput;
  /** When it began, in milliseconds of the host's clock. */
  readonly started: number;
  readonly repeated: boolean;
}

export interface PhasePerformerOptions {
  readonly options: RunOptions;
  readonly host: RunHost;
}

export class PhasePerformer {
  readonly #options: RunOptions;
  readonly #host: RunHost;
  readonly #asking = new Asking();

  constructor({ options, host }: PhasePerformerOptions) {
    this.#options = options;
    this.#host = host;
  }

  /** What the model has said so far, while its reply is under way; else empty. */
  get partialReply(): string {
    return this.#asking.partialReply;
  }

  /** What it has thought so far. */
  get partialThinking(): string {
    return this.#asking.partialThinking;
  }

  /**
   * Performs the phase that comes next. Where model or environment fails, the run ends, and can be resumed; where its
   * seconds are over, it ends as capped.
   *
   * @throws RunFailure where it can't go on; ModelFailure; EnvironmentFailure; TimeUsedUp; the signal's reason
   */
  async perform(run: LiveRun, signal: AbortSignal): Promise<PerformedPhase> {
    const { repeats: repeated } = run;
    const before = run.at.tip;
    refuseEnded(run, before);
    const started = this.#host.now();
    const effect = effectOf(before);
    const intents = run.write(intentOf(before, effect));
    if (effect.type === 'none') return { before, intents, input: effect, started, repeated };
    try {
      const input = await run.inputOf(effect, () => this.#inputOf(run, effect, signal));
      return { before, intents, input, started, repeated };
    } catch (error) {
      this.#asking.stop();
      const end = signal.aborted ? undefined : endByFailure(error);
      if (end !== undefined) run.end(end);
      throw error;
    }
  }

  /**
   * Makes a performed phase part of the run.
   *
   * @throws RunFailure where the run was ended meanwhile
   */
  take(run: LiveRun, { before, intents, input, started, repeated }: PerformedPhase): PhaseReport {
    // What comes after the run was ended from outside is no part of it any more.
    refuseEnded(run, before);
    const next = transition(run.context, before, input);
    const records = run.write(next.records);
    // Most phases take less than the clock can tell, and a copy of the run is no small part of what they cost.
    const spent = repeated ? 0 : this.#host.now() - started;
    const after = spent === 0 ? next.run : withActiveTime(next.run, spent);
    run.at.tip = after;
    this.#asking.stop();
    return {
      phase: before.phase,
      before,
      after,
      rejection: next.rejection,
      records: [...intents, ...records],
      repeated,
    };
  }

  /** Ends a run where it stands, with the requests that failed there. */
  end({ at, write }: Pick<LiveRun, 'at' | 'write'>, end: RunEnd): void {
    const last = ended(at.tip, { ...end, ...this.#asking.failuresAt(at.tip) });
    write(last.records);
    at.tip = last.run;
    this.#host.onPhase?.(last.run);
  }

  #inputOf(
    { at: { tip: run }, context: { skill }, participants: { model, environment } }: LiveRun,
    effect: PerformedEffect,
    signal: AbortSignal,
  ): Promise<PhaseInput> {
    const options = this.#options;
    const host = this.#host;
    return effect.type === 'generate'
      ? this.#asking.ask({ skill, model, options, run, prompt: effect.prompt, host }, signal)
      : carryOut(environment, effect, signal).then((outcome) => outcomeInput(environment, outcome));
  }
}

/** @throws RunFailure where a run is another than it was, or over: it was ended from outside. */
export function refuseEnded({ at: { tip } }: Pick<LiveRun, 'at'>, before: RunState): void {
  if (tip !== before || tip.end !== undefined) throw new RunFailure('The run has ended meanwhile.');
}

/** How a phase that threw ends its run; undefined where the run stays before the phase. */
function endByFailure(error: unknown): RunEnd | undefined {
  if (error instanceof TimeUsedUp) return { outcome: 'capped', reason: error.message, resumable: false };
  return error instanceof ModelFailure || error instanceof EnvironmentFailure
    ? { outcome: 'stopped', reason: error.message, resumable: true }
    : undefined;
}
