/** The tip of a line where a run is live: performs the phase that comes next, takes in what came of it, and ends the run. */
import { assertNever } from '../../../schemas/text/assertNever';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import { Asking } from './asking';
import { carryOut, outcomeInput } from './effects';
import type { EnvironmentRewind } from './environmentRewind';
import { endByFailure, type PhaseReport } from './execution';
import type { JourneyOptions, Participants } from './journey';
import type { JourneySteps } from './journeySteps';
import { type Current, type JourneyWriter, liveStep } from './journeyWriter';
import { RunFailure } from './runFailure';
import type { RunEnd, RunState } from './runState';
import { ended } from './stepBoundary';
import { withActiveTime } from './totals';
import { effectOf, intentOf, transition } from './transition';
import type { Effect, PhaseInput, RunContext } from './transitionTypes';

export interface LiveTipOptions {
  readonly journey: Pick<JourneyOptions, 'options' | 'host' | 'recorded'>;
  readonly steps: JourneySteps;
  readonly writer: JourneyWriter;
}

/** A phase that comes next at a tip, and who carries it out. */
export interface LivePhase {
  readonly here: Current;
  readonly context: RunContext;
  readonly participants: Participants;
  readonly rewind: EnvironmentRewind;
}

/** A phase that was performed, and is not yet part of the run. */
export interface PerformedPhase {
  readonly before: RunState;
  readonly intents: readonly ChainedRecord[];
  readonly input: PhaseInput;
  /** When it began, in milliseconds of the host's clock. */
  readonly started: number;
}

export class LiveTip {
  readonly #journey: LiveTipOptions['journey'];
  readonly #steps: JourneySteps;
  readonly #writer: JourneyWriter;
  readonly #asking = new Asking();
  /** The step that was live last, where an end is recorded. */
  #live: Current | undefined;

  constructor({ journey, steps, writer }: LiveTipOptions) {
    this.#journey = journey;
    this.#steps = steps;
    this.#writer = writer;
  }

  /** What the model has said so far, while its reply is under way. */
  get partialReply(): string {
    return this.#asking.partialReply;
  }

  /** What it has thought so far. */
  get partialThinking(): string {
    return this.#asking.partialThinking;
  }

  /** The step that was live last, where it is this one: it has what isn't in the record's steps yet. */
  at(branch: number, step: number): Current | undefined {
    return this.#live?.branch === branch && this.#live.step === step ? this.#live : undefined;
  }

  /** A step has become live. */
  stand(live: Current): void {
    this.#live = live;
  }

  /** Makes ready for new records at a tip. @throws RunFailure where nothing can be added */
  async goOn(here: Current): Promise<void> {
    this.#live = here;
    await this.#writer.goOn(here);
  }

  /**
   * Performs the phase that comes next. Where model or environment fails, the run ends, and can be resumed.
   *
   * @throws RunFailure where it can't go on; ModelFailure; EnvironmentFailure; the signal's reason
   */
  async perform(phase: LivePhase, signal: AbortSignal): Promise<PerformedPhase> {
    const { here, rewind } = phase;
    const before = here.tip;
    refuseEnded(here, before);
    const effect = effectOf(before);
    if (effect.type === 'execute' || effect.type === 'skip') {
      this.#refuseUnknownOutcome(phase, effect);
      await rewind.take(here.standing, () => this.#steps.carriedOutBefore(here.branch, here.step), signal);
    }
    const started = this.#journey.host.now();
    const isBegun = here.records.at(-1)?.kind === 'intent';
    const intents = isBegun ? [] : this.#writer.append(here, intentOf(before, effect));
    try {
      return { before, intents, input: await this.#inputOf(phase, before, effect, signal), started };
    } catch (error) {
      this.#asking.stop();
      if (effect.type !== 'generate' && rewind.canRewind) rewind.lose();
      const end = signal.aborted ? undefined : endByFailure(error);
      if (end !== undefined) this.end(end);
      throw error;
    }
  }

  /**
   * Makes a performed phase part of the run. Gives the step in which the run stands then: the next one, where the phase
   * was a step's last.
   *
   * @throws RunFailure where the run was ended meanwhile
   */
  take(
    { here, context, rewind }: LivePhase,
    { before, intents, input, started }: PerformedPhase,
  ): { readonly report: PhaseReport; readonly current: Current } {
    // What comes after the run was ended from outside is no part of it any more.
    refuseEnded(here, before);
    const next = transition(context, before, input);
    const records = this.#writer.append(here, next.records);
    const spent = this.#journey.host.now() - started;
    const after = spent === 0 ? next.run : withActiveTime(next.run, spent);
    const { rejection } = next;
    const report: PhaseReport = {
      phase: before.phase,
      before,
      after,
      rejection,
      records: [...intents, ...records],
      repeated: false,
    };
    here.reports.push(report);
    here.tip = after;
    here.consumed.push(here.records.length);
    this.#asking.stop();
    const outcome = records.find(({ kind }) => kind === 'outcome');
    if (outcome !== undefined) rewind.note(outcome.id);
    if (after.step === before.step) return { report, current: here };
    this.#steps.source.begin(here.branch, after);
    const follows = here.records.at(-1) ?? here.follows;
    this.#live = liveStep(here.branch, after, follows, outcome?.id ?? here.standing);
    return { report, current: this.#live };
  }

  /** Ends the run where it was live last, unless it has ended there or never was. */
  end(end: RunEnd): void {
    const live = this.#live;
    if (live === undefined || live.tip.end !== undefined) return;
    const last = ended(live.tip, { ...end, ...this.#asking.failuresAt(live.tip) });
    this.#writer.append(live, last.records);
    live.tip = last.run;
    this.#journey.host.onPhase?.(last.run);
  }

  /** An action that was interrupted in another session may have been carried out. */
  #refuseUnknownOutcome({ here, participants: { environment } }: LivePhase, effect: Effect): void {
    const last = here.records.at(-1);
    const isKnown = last?.kind !== 'intent' || environment.deterministic || environment.harmless;
    if (isKnown || this.#journey.recorded === undefined || effect.type !== 'execute') return;
    throw new RunFailure(
      `The run was interrupted while the action "${effect.action}" of step ${here.step} was under way, and the environment ${environment.name} can't tell whether it happened: it is not executed again.`,
    );
  }

  async #inputOf(
    { context: { skill }, participants: { model, environment } }: LivePhase,
    run: RunState,
    effect: Effect,
    signal: AbortSignal,
  ): Promise<PhaseInput> {
    const { options, host } = this.#journey;
    switch (effect.type) {
      case 'none':
        return { type: 'none' };
      case 'generate':
        return this.#asking.ask(
          {
            ...{ skill, model, options, run, host },
            prompt: effect.prompt,
            spent: run.totals.activeMilliseconds,
          },
          signal,
        );
      case 'execute':
      case 'skip':
        return outcomeInput(environment, await carryOut(environment, effect, signal));
      default:
        return assertNever(effect);
    }
  }
}

/** Whether a run that stands at a tip can go on. */
export function goesOn({ end }: RunState): boolean {
  return end === undefined || end.resumable;
}

/** @throws RunFailure where a run is another than it was, or over: it was ended from outside. */
function refuseEnded({ tip }: Current, before: RunState): void {
  if (tip !== before || tip.end !== undefined) throw new RunFailure('The run has ended meanwhile.');
}
