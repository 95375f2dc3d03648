/** Drives an execution phase by phase for a debugger: when it goes on, when it stops, and what it stopped in. */
import type { Execution, PhaseReport } from '../runtime/execution';
import type { RunEnd, RunState } from '../runtime/runState';
import type { Clock } from './debugHost';
import {
  type Goal,
  isExhausted,
  type LogLine,
  type PhasePlace,
  reachesGoal,
  type StopReason,
  type StopRules,
} from './stopPolicy';

/** Where a stopped run stands. */
export interface Position {
  /** The run, with the phase that comes next. */
  readonly run: RunState;
  /** True where that phase has begun and was only left alone: the model's request, or the action, goes on. */
  readonly underWay: boolean;
  /** What the model has said so far, while its reply is under way. */
  readonly partialReply: string;
  /** The phase just before, where it rejected the reply. */
  readonly rejected: PhaseReport | undefined;
  /** Whether that rejection was of the last attempt. */
  readonly exhausted: boolean;
}

export interface StepListener {
  /** A phase was carried out. Called before the stop or the end it leads to. */
  onPhase(report: PhaseReport): void;
  /** Breakpoints that only write had something to write. Called after {@link onPhase}, before the stop. */
  onLogged(lines: readonly LogLine[]): void;
  onStopped(reason: StopReason): void;
  /** While stopped, the phase that was under way came to its end. */
  onChanged(): void;
  /** The run is over, by itself or by a failure; not called after {@link StepController.cancel}. */
  onEnded(end: RunEnd, failure: unknown): void;
}

/** Milliseconds that a model or an environment has to heed an abort before it is left behind. */
const abortMilliseconds = 2_000;

/** After so many phases without a pause, messages that arrived get their turn. */
const phasesInARow = 14;

export class StepController {
  readonly #execution: Execution;
  readonly #clock: Clock;
  readonly #rules: () => StopRules;
  readonly #listener: StepListener;
  readonly #abort = new AbortController();
  /** The phase that is under way. */
  #pending: Promise<PhaseReport> | undefined;
  /** Set while a phase is awaited: ends the waiting, not the phase. */
  #interrupt: (() => void) | undefined;
  #pauseRequested = false;
  #lastReport: PhaseReport | undefined;
  #lastPlace: PhasePlace | undefined;
  #status: 'new' | 'running' | 'stopped' | 'over' = 'new';
  #failure: { readonly error: unknown } | undefined;
  #driving: Promise<void> = Promise.resolve();

  constructor({
    execution,
    clock,
    rules,
    listener,
  }: {
    readonly execution: Execution;
    readonly clock: Clock;
    /** Asked again at every phase, so that changes hold at once. */
    readonly rules: () => StopRules;
    readonly listener: StepListener;
  }) {
    this.#execution = execution;
    this.#clock = clock;
    this.#rules = rules;
    this.#listener = listener;
  }

  get status(): 'new' | 'running' | 'stopped' | 'over' {
    return this.#status;
  }

  /** Where the run stands, running or not; undefined before its first observation. */
  get position(): Position | undefined {
    const { run } = this.#execution;
    if (run === undefined) return undefined;
    const underWay = this.#pending !== undefined;
    const report = this.#lastReport;
    const rejected = !underWay && report?.rejection !== undefined ? report : undefined;
    return {
      run,
      underWay,
      partialReply: underWay ? this.#execution.partialReply : '',
      rejected,
      exhausted: rejected !== undefined && isExhausted(rejected),
    };
  }

  /** Takes Σ_0 and O_0, then stops at the first `observe` or runs. */
  start({ stopOnEntry }: { readonly stopOnEntry: boolean }): void {
    this.#status = 'running';
    this.#driving = this.#begin(stopOnEntry).catch((error: unknown) => this.#end(error));
  }

  /** Goes on from a stop; a phase that is under way is awaited, not begun again. */
  resume(goal: Goal): void {
    this.#status = 'running';
    this.#pauseRequested = false;
    this.#driving = this.#drive(goal).catch((error: unknown) => this.#end(error));
  }

  /** Stops at once, in the middle of a phase if need be; the model's request goes on meanwhile. */
  pause(): void {
    if (this.#status !== 'running') return;
    this.#pauseRequested = true;
    this.#interrupt?.();
  }

  /**
   * Aborts what is under way and ends the run; settles when nothing of it goes on.
   *
   * @throws whatever keeps the end from being recorded
   */
  async cancel(end: RunEnd): Promise<void> {
    if (this.#status === 'over') return this.#driving;
    this.#status = 'over';
    const pending = this.#pending?.catch(() => undefined);
    this.#abort.abort(new DOMException('The debug session ended the run.', 'AbortError'));
    this.#interrupt?.();
    await this.#atMost(abortMilliseconds, Promise.all([this.#driving, pending]));
    this.#execution.end(end);
  }

  async #atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const forget = this.#clock.after(milliseconds, resolve);
      work.then(() => resolve(), reject).finally(forget);
    });
  }

  async #begin(stopOnEntry: boolean): Promise<void> {
    try {
      await this.#execution.start(this.#abort.signal);
    } catch (error) {
      return this.#end(error);
    }
    if (this.#status === 'over') return;
    if (stopOnEntry) return this.#stop({ kind: 'entry' });
    return this.#drive('continue');
  }

  async #drive(goal: Goal): Promise<void> {
    const origin = this.#execution.run?.step ?? 0;
    for (let phases = 1; this.#status === 'running'; phases++) {
      if (this.#failure) return this.#end(this.#failure.error);
      if (this.#execution.run?.end !== undefined) return this.#end(undefined);
      if (this.#pauseRequested) return this.#stop({ kind: 'pause' });
      const before = this.#execution.run;
      let report: PhaseReport | undefined;
      try {
        report = await this.#nextPhase();
      } catch (error) {
        const reason = this.#isOver() || !before ? undefined : this.#rules().hitOfFailure(error, before);
        if (reason === undefined) return this.#end(error);
        this.#failure = { error };
        return this.#stop(reason);
      }
      if (report === undefined || this.#isOver()) continue;
      this.#lastReport = report;
      this.#listener.onPhase(report);
      const { stop, logs } = await this.#rules().hitsOf(report, this.#placeOf(report));
      if (this.#isOver()) continue;
      if (logs.length > 0) this.#listener.onLogged(logs);
      const reason = stop ?? (reachesGoal(report, { goal, origin }) ? { kind: 'step' as const } : undefined);
      if (reason !== undefined) return this.#stop(reason);
      if (phases % phasesInARow === 0) await this.#clock.yieldToMessages();
    }
  }

  /** Where a phase began that was just carried out. */
  #placeOf({ before: { step } }: PhaseReport): PhasePlace {
    const last = this.#lastPlace;
    this.#lastPlace = { branch: 0, step, index: last?.step === step ? last.index + 1 : 0 };
    return this.#lastPlace;
  }

  /** Carries out the next phase, or waits for the one under way; undefined where the waiting was interrupted. */
  async #nextPhase(): Promise<PhaseReport | undefined> {
    this.#pending ??= this.#execution.advance(this.#abort.signal);
    const pending = this.#pending;
    try {
      const report = await new Promise<PhaseReport | undefined>((resolve, reject) => {
        this.#interrupt = () => resolve(undefined);
        pending.then(resolve, reject);
      });
      if (report !== undefined) this.#pending = undefined;
      return report;
    } catch (error) {
      this.#pending = undefined;
      throw error;
    } finally {
      this.#interrupt = undefined;
    }
  }

  #stop(reason: StopReason): void {
    this.#status = 'stopped';
    this.#pauseRequested = false;
    const pending = this.#pending;
    if (pending !== undefined) void this.#watch(pending);
    this.#listener.onStopped(reason);
  }

  /** Takes over what a phase that was left under way comes to, unless the run went on to wait for it. */
  async #watch(pending: Promise<PhaseReport>): Promise<void> {
    let settled: { readonly report: PhaseReport } | { readonly error: unknown };
    try {
      settled = { report: await pending };
    } catch (error) {
      settled = { error };
    }
    if (this.#pending !== pending || this.#status !== 'stopped') return;
    this.#pending = undefined;
    if ('report' in settled) {
      this.#lastReport = settled.report;
      this.#placeOf(settled.report);
      this.#listener.onPhase(settled.report);
    } else {
      this.#failure = settled;
    }
    this.#listener.onChanged();
  }

  #end(failure: unknown): void {
    if (this.#isOver()) return;
    this.#status = 'over';
    const reason = failure instanceof Error ? failure.message : String(failure);
    const end: RunEnd = this.#execution.run?.end ?? { outcome: 'stopped', reason, resumable: true };
    try {
      this.#execution.end(end);
    } catch {
      // The trace can't be written: that is the failure which is told about, or it comes on top of it.
    }
    this.#listener.onEnded(end, failure);
  }

  #isOver(): boolean {
    return this.#status === 'over';
  }
}
