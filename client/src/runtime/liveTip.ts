/** The tip of a line where a run is live: performs the phase that comes next, takes in what came of it, and ends the run. */
import type { ChainedRecord, RecordBody } from '../../../schemas/trace/trace';
import { refuseUnknownOutcome } from './effects';
import type { EnvironmentRewind } from './environmentRewind';
import type { PhaseReport } from './execution';
import type { JourneyOptions, Participants } from './journey';
import type { JourneySteps } from './journeySteps';
import { type Current, type JourneyWriter, liveStep } from './journeyWriter';
import { type LiveRun, type PerformedPhase, PhasePerformer, refuseEnded } from './performing';
import type { RunEnd, RunState } from './runState';
import { effectOf } from './transition';
import type { RunContext } from './transitionTypes';

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

export class LiveTip {
  readonly #journey: LiveTipOptions['journey'];
  readonly #steps: JourneySteps;
  readonly #writer: JourneyWriter;
  readonly #performer: PhasePerformer;
  /** The step that was live last, where an end is recorded. */
  #live: Current | undefined;

  constructor({ journey, steps, writer }: LiveTipOptions) {
    this.#journey = journey;
    this.#steps = steps;
    this.#writer = writer;
    this.#performer = new PhasePerformer(journey);
  }

  /** What the model has said so far, while its reply is under way. */
  get partialReply(): string {
    return this.#performer.partialReply;
  }

  /** What it has thought so far. */
  get partialThinking(): string {
    return this.#performer.partialThinking;
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
   * Performs the phase that comes next, with the environment where the run stands.
   *
   * @throws RunFailure where it can't go on; what {@link PhasePerformer.perform} does
   */
  async perform(phase: LivePhase, signal: AbortSignal): Promise<PerformedPhase> {
    const { here, rewind } = phase;
    const before = here.tip;
    if (before.phase === 'act') {
      refuseEnded({ at: here }, before);
      this.#refuseUnknownOutcome(phase);
      await rewind.take(here.standing, () => this.#steps.carriedOutBefore(here.branch, here.step), signal);
    }
    return this.#performer.perform(this.#liveRun(phase), signal);
  }

  /**
   * Makes a performed phase part of the run. Gives the step in which the run stands then: the next one, where the phase
   * was a step's last.
   *
   * @throws RunFailure where the run was ended meanwhile
   */
  take(
    phase: LivePhase,
    performed: PerformedPhase,
  ): { readonly report: PhaseReport; readonly current: Current } {
    const { here, rewind } = phase;
    const report = this.#performer.take(this.#liveRun(phase), performed);
    const { before, after, records } = report;
    here.reports.push(report);
    here.consumed.push(here.records.length);
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
    this.#performer.end({ at: live, write: (bodies) => this.#writer.append(live, bodies) }, end);
  }

  #liveRun({ here, context, participants, rewind }: LivePhase): LiveRun {
    return {
      at: here,
      context,
      participants,
      repeats: false,
      write: (bodies) => this.#write(here, bodies),
      async inputOf(effect, perform) {
        try {
          return await perform();
        } catch (error) {
          if (effect.type !== 'generate' && rewind.canRewind) rewind.lose();
          throw error;
        }
      },
      end: (end) => this.end(end),
    };
  }

  /** An action that was begun before, and is begun again, is on record already. */
  #write(here: Current, bodies: readonly RecordBody[]): readonly ChainedRecord[] {
    const isBegun = bodies[0]?.kind === 'intent' && here.records.at(-1)?.kind === 'intent';
    return isBegun ? [] : this.#writer.append(here, bodies);
  }

  /** An action that was interrupted in another session may have been carried out. */
  #refuseUnknownOutcome({ here, participants: { environment } }: LivePhase): void {
    const effect = effectOf(here.tip);
    const isBegun = here.records.at(-1)?.kind === 'intent';
    if (!isBegun || this.#journey.recorded === undefined || effect.type !== 'execute') return;
    refuseUnknownOutcome(environment, here.step, effect.action);
  }
}

/** Whether a run that stands at a tip can go on. */
export function goesOn({ end }: RunState): boolean {
  return end === undefined || end.resumable;
}
