/** Drives a journey phase by phase for a debugger, in both directions: when it goes on, when it stops, and in what. */

import type { Skill } from '../../../schemas/skill/skill';
import type { EditRefusal, StateEdit } from '../runtime/edits';
import type { PhaseReport } from '../runtime/execution';
import type { EditResult, ForkResult, Journey, JourneyPlace } from '../runtime/journey';
import { ModelFailure } from '../runtime/model';
import type { RunEnd } from '../runtime/runState';
import { type Clock, phasesInARow, waitAtMost } from './debugHost';
import { messageOf } from './errors';
import { type Destination, GoingBack, type WayBack } from './goingBack';
import type { GenerationSoFar } from './modelRequests';
import { PhaseUnderWay, Unawaited } from './phaseUnderWay';
import { type Position, positionOf } from './position';
import { type StopOnEnd, stopAtEnd, stopAtFailure } from './stopOnEnd';
import { type Goal, type LogLine, reachesGoal, type StopReason, type StopRules } from './stopPolicy';
import { reportBefore } from './travel';

export interface StepListener {
  /** A phase was carried out. Called before the stop or the end it leads to. */
  onPhase(report: PhaseReport): void;
  /** A phase failed, or was aborted. */
  onFailed(error: unknown): void;
  /** Breakpoints that only write had something to write. Called after {@link onPhase}, before the stop. */
  onLogged(lines: readonly LogLine[]): void;
  onStopped(reason: StopReason): void;
  /** While stopped, the phase that was under way came to its end. */
  onChanged(): void;
  /** The run stands on a branch with another skill than before. */
  onSkillChanged(): Promise<void>;
  /** A sentence for the user. */
  onTold(text: string): void;
  /** Something was thrown while the run stands still, which stays as it is. */
  onThrown(error: unknown): void;
  /** The run is over, by itself or by a failure; not called after {@link StepController.cancel}. */
  onEnded(end: RunEnd, failures: EndFailures): void;
}

/** What went wrong at the end of a run; undefined where nothing did. */
export interface EndFailures {
  /** What ended it; the end's reason says it. */
  readonly failure: unknown;
  /** What keeps its end from being recorded. */
  readonly unrecorded: unknown;
}

export interface StepControllerOptions {
  readonly journey: Journey;
  readonly clock: Clock;
  /** Asked again at every phase, so that changes hold at once. */
  readonly rules: () => StopRules;
  /** Where nothing comes next, and the run stops once so that one can go back from there. */
  readonly stopOnEnd: StopOnEnd;
  /** What there is of the reply that is under way, beside its text. */
  readonly soFar: () => GenerationSoFar;
  /** Waits for a client that reads slower than the run goes on, until the signal is aborted; never rejects. */
  readonly clientCaughtUp: (signal: AbortSignal) => Promise<void>;
  readonly listener: StepListener;
}

/** Milliseconds that a model or an environment has to heed an abort before it is left behind. */
const abortMilliseconds = 2_000;

/** The end of a line that could go on while the session stood at the end of another one. */
const leftAlone: RunEnd = {
  outcome: 'cancelled',
  reason: 'The debug session ended on another branch.',
  resumable: true,
};

const waiting: EditRefusal = {
  ok: false,
  message: 'The action is being carried out: wait for its outcome first.',
};

export class StepController {
  readonly #journey: Journey;
  readonly #clock: Clock;
  readonly #rules: () => StopRules;
  readonly #stopOnEnd: StopOnEnd;
  readonly #listener: StepListener;
  readonly #soFar: () => GenerationSoFar;
  readonly #clientCaughtUp: StepControllerOptions['clientCaughtUp'];
  readonly #phase: PhaseUnderWay;
  readonly #goingBack: GoingBack;
  #pauseRequested = false;
  /** Aborted where nobody wants to wait any longer, for what comes next in a record that is being read, or for the client. */
  #waiting = new AbortController();
  #lastReport: PhaseReport | undefined;
  #skill: Skill | undefined;
  #status: 'new' | 'running' | 'stopped' | 'over' = 'new';
  /** Whether the run has stopped at its end. */
  #stoppedAtEnd = false;
  #driving: Promise<void> = Promise.resolve();

  constructor(options: StepControllerOptions) {
    const { journey, clock, rules, stopOnEnd, soFar, clientCaughtUp, listener } = options;
    this.#journey = journey;
    this.#phase = new PhaseUnderWay(journey, (error) => listener.onFailed(error));
    this.#clock = clock;
    this.#rules = rules;
    this.#stopOnEnd = stopOnEnd;
    this.#listener = listener;
    this.#soFar = soFar;
    this.#clientCaughtUp = clientCaughtUp;
    this.#goingBack = new GoingBack({
      journey,
      clock,
      rules,
      isGivenUp: () => this.#pauseRequested || this.#isOver(),
      onTold: (text) => listener.onTold(text),
    });
  }

  get status(): 'new' | 'running' | 'stopped' | 'over' {
    return this.#status;
  }

  /** Where the run stands, running or not; undefined before its first observation. */
  get position(): Position | undefined {
    return positionOf(this.#journey, {
      isUnderWay: this.#phase.place !== undefined,
      report: this.#lastReport,
      soFar: this.#soFar,
    });
  }

  /** Takes Σ_0 and O_0, or the first step of a record, then stops there or runs. */
  start({ stopOnEntry }: { readonly stopOnEntry: boolean }): void {
    this.#go(() => this.#begin(stopOnEntry));
  }

  /** Goes on from a stop; a phase that is under way is awaited, not begun again. */
  resume(goal: Goal): void {
    this.#go(() => this.#drive(goal));
  }

  /** Goes back. A request that is under way is aborted; of an action the outcome is awaited first. */
  goBack(way: WayBack): void {
    this.#go(() => this.#travel(() => this.#goingBack.destination(way)));
  }

  /** Goes to a place that there is. */
  goTo(place: JourneyPlace): void {
    this.#go(() => this.#travel(async () => ({ place, reason: { kind: 'goto' } })));
  }

  /** Stops at once, in the middle of a phase if need be; the model's request goes on meanwhile. */
  pause(): void {
    // Of a run that hasn't begun, it is remembered until it does.
    if (this.#status !== 'running' && this.#status !== 'new') return;
    this.#pauseRequested = true;
    this.#phase.interrupt();
    this.#waiting.abort();
  }

  /**
   * Begins a branch at the start of a step on the line where the run stands; it then stands there. Nothing changes, the
   * request that is under way included, where that is refused for a reason known beforehand.
   */
  forkAt(step: number, skill?: Skill): Promise<ForkResult> {
    return this.#changing(async () => {
      const { forkObstacle } = this.#journey;
      const from = this.#place;
      // Refused at once, the request that is under way goes on.
      if (forkObstacle !== undefined && step === from.step) return this.#journey.fork();
      if (!(await this.#settled())) return waiting;
      const back = this.#place;
      await this.#journey.goTo({ branch: from.branch, step, index: 0 });
      const forked = await this.#journey.fork({ ...(skill !== undefined && { skill }) });
      if (!forked.ok) await this.#journey.goTo(back);
      await this.#arrive();
      return forked;
    });
  }

  /** Changes something by hand where the run stands. The request that is under way is aborted, and made again. */
  edit(edit: StateEdit): Promise<EditResult> {
    return this.#changing(async (): Promise<EditResult> => {
      const acts = this.#phase.place !== undefined && this.#journey.run?.phase === 'act';
      if (acts && !this.#journey.mayGiveUpActions) return waiting;
      // A request is not aborted for what is refused anyway.
      const refusal = this.#journey.refusalOf(edit);
      if (refusal !== undefined) return refusal;
      await this.#settle();
      return this.#journey.edit(edit);
    });
  }

  /** Stops where the run stands, after {@link forkAt}. */
  stop(reason: StopReason): void {
    if (this.#status === 'stopped') this.#stop(reason);
  }

  /**
   * Aborts what is under way and ends the run; settles when nothing of it goes on.
   *
   * @throws whatever keeps the end from being recorded
   */
  async cancel(end: RunEnd): Promise<void> {
    if (this.#status === 'over') return this.#driving;
    this.#status = 'over';
    this.#waiting.abort();
    const stopped = this.#phase.abort('The debug session ended the run.');
    await waitAtMost(this.#clock, abortMilliseconds, Promise.all([this.#driving, stopped]));
    this.#endLive(end);
  }

  get #place(): JourneyPlace {
    const { branch, step, index } = this.#journey.position;
    return { branch, step, index };
  }

  #go(drive: () => Promise<void>): void {
    if (this.#status !== 'new') this.#pauseRequested = false;
    this.#status = 'running';
    if (this.#waiting.signal.aborted) this.#waiting = new AbortController();
    this.#driving = drive().catch((error: unknown) => this.#end(error));
  }

  /** Does something for which the run has to stand still; it is stopped before and after. */
  async #changing<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#status = 'running';
    const changed = change();
    this.#driving = changed.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await changed;
    } finally {
      if (!this.#isOver()) this.#status = 'stopped';
    }
  }

  async #begin(stopOnEntry: boolean): Promise<void> {
    try {
      await this.#journey.start(this.#phase.signal);
    } catch (error) {
      return this.#end(error);
    }
    if (this.#isOver()) return;
    await this.#arrive();
    if (stopOnEntry) return this.#stop({ kind: 'entry' });
    return this.#drive('continue');
  }

  async #drive(goal: Goal): Promise<void> {
    const origin = this.#journey.run?.step ?? 0;
    for (let phases = 1; this.#status === 'running'; phases++) {
      if (this.#journey.isReading && !this.#pauseRequested && !(await this.#isRead())) continue;
      if (this.#phase.place === undefined && this.#journey.position.atEndOfRecord) return this.#finish(goal);
      if (this.#pauseRequested) return this.#stop({ kind: 'pause' });
      const before = this.#journey.run;
      const place = this.#phase.place ?? this.#place;
      let report: PhaseReport | undefined;
      try {
        report = await this.#phase.next(place);
      } catch (error) {
        const reason = this.#isOver() || !before ? undefined : this.#rules().hitOfFailure(error, before);
        return reason === undefined ? this.#fail(error) : this.#stop(reason);
      }
      if (report === undefined || this.#isOver()) continue;
      await this.#took(report);
      const { stop, logs } = await this.#rules().hitsOf(report, place);
      if (this.#isOver()) continue;
      if (logs.length > 0) this.#listener.onLogged(logs);
      const reason = stop ?? (reachesGoal(report, { goal, origin }) ? { kind: 'step' as const } : undefined);
      if (reason !== undefined) return this.#stop(reason);
      if (phases % phasesInARow !== 0) continue;
      await this.#clock.yieldToMessages();
      await this.#clientCaughtUp(this.#waiting.signal);
    }
  }

  /** Waits until what comes next has been read; false where nobody wants to wait any longer. */
  async #isRead(): Promise<boolean> {
    const { signal } = this.#waiting;
    try {
      await this.#journey.read('next', signal);
      return !this.#isOver();
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  async #took(report: PhaseReport): Promise<void> {
    this.#lastReport = report;
    this.#stoppedAtEnd = false;
    await this.#noticeSkill();
    this.#listener.onPhase(report);
  }

  /** The run stands elsewhere than before. */
  async #arrive(): Promise<void> {
    this.#lastReport = await reportBefore(this.#journey, this.#place);
    this.#stoppedAtEnd = false;
    await this.#noticeSkill();
  }

  async #noticeSkill(): Promise<void> {
    const { skill } = this.#journey;
    const isOther = this.#skill !== undefined && this.#skill !== skill;
    this.#skill = skill;
    if (isOther) await this.#listener.onSkillChanged();
  }

  /** Goes to a place that is looked for once nothing is under way any more. */
  async #travel(find: () => Promise<Destination>): Promise<void> {
    if (!(await this.#settled())) {
      if (!this.#isOver()) this.#stop({ kind: 'pause' });
      return;
    }
    const { place, reason } = await find();
    if (this.#isOver()) return;
    await this.#journey.goTo(place);
    await this.#arrive();
    if (!this.#isOver()) this.#stop(reason);
  }

  /** Brings what is under way to an end, and takes over what came of it. @throws Unawaited */
  async #settle(): Promise<void> {
    const settled = await this.#phase.settle();
    if (settled === undefined) return;
    if ('report' in settled) await this.#took(settled.report);
    else this.#listener.onTold(messageOf(settled.error));
  }

  /** The same; false where the user pauses instead of waiting for the outcome. */
  async #settled(): Promise<boolean> {
    try {
      await this.#settle();
      return true;
    } catch (error) {
      if (error instanceof Unawaited) return false;
      throw error;
    }
  }

  #stop(reason: StopReason): void {
    this.#status = 'stopped';
    this.#pauseRequested = false;
    this.#watch().catch((error: unknown) => this.#listener.onThrown(error));
    this.#listener.onStopped(reason);
  }

  /** Takes over what a phase that was left under way comes to, unless the run went on to wait for it. */
  async #watch(): Promise<void> {
    const settled = await this.#phase.outcome(() => this.#status === 'stopped');
    if (settled === undefined) return;
    if ('report' in settled) await this.#took(settled.report);
    else {
      const advice = isFinal(settled.error) ? '' : ' Continue to try again.';
      this.#listener.onTold(`${messageOf(settled.error)}${advice}`);
    }
    this.#listener.onChanged();
  }

  /** Nothing comes next: stops there first, where one can go back from. */
  #finish(goal: Goal): void {
    const reason = stopAtEnd(this.#stopOnEnd, {
      run: this.#journey.run,
      goal,
      hasStopped: this.#stoppedAtEnd,
      hasGoneBack: this.#goingBack.wasAsked,
    });
    this.#stopOrEnd(reason, undefined);
    this.#stoppedAtEnd = reason !== undefined;
  }

  /** A phase failed. Where a run stops at its end, one may go back from there, or try again. */
  #fail(error: unknown): void {
    const { live } = this.#journey.position;
    const stop = stopAtFailure(this.#stopOnEnd, failureOf(error), isFinal(error));
    this.#stopOrEnd(live ? stop : undefined, error);
  }

  #stopOrEnd(reason: StopReason | undefined, failure: unknown): void {
    if (reason === undefined || this.#isOver()) this.#end(failure);
    else this.#stop(reason);
  }

  #end(failure: unknown): void {
    if (this.#isOver()) return;
    this.#status = 'over';
    const reason = failure === undefined ? 'The record ends here.' : messageOf(failure);
    const end: RunEnd = this.#journey.run?.end ?? { outcome: 'stopped', reason, resumable: true };
    let unrecorded: unknown;
    try {
      this.#endLive(end);
    } catch (error) {
      unrecorded = error;
    }
    this.#listener.onEnded(end, { failure, unrecorded });
  }

  /** Ends the line that is live, which needn't be the one where the run stands: of that, what ended it is no end. */
  #endLive(end: RunEnd): void {
    const isOverHere = this.#journey.run?.end !== undefined;
    this.#journey.end(isOverHere ? leftAlone : end);
  }

  #isOver(): boolean {
    return this.#status === 'over';
  }
}

/** Whether nothing comes of trying again: no reply is left where replies were recorded. */
function isFinal(error: unknown): boolean {
  return error instanceof ModelFailure && error.class === 'no-reply';
}

function failureOf(error: unknown): { readonly class: string; readonly message: string } {
  return { class: error instanceof ModelFailure ? error.class : 'failure', message: messageOf(error) };
}
