/**
 * A run from its start to its end: each `advance` carries out exactly one phase. One that was interrupted is repeated
 * from its records first. Journeys, which go back and branch as well, are in runJourney.ts; both perform by performing.ts.
 */
import type { Skill } from '../../../schemas/skill/skill';
import type { Sha256 } from '../../../schemas/text/digest';
import type { ChainedRecord, OutcomeRecord, TraceRecord } from '../../../schemas/trace/trace';
import { type Acting, changedActing } from './acting';
import { outcomeInput, refuseUnknownOutcome } from './effects';
import { type Environment, type Outcome, resetOptionsOf } from './environment';
import { type Interruption, interruptionOf, withInterruptions } from './interruptions';
import type { Model, ModelNotice } from './model';
import type { RunOptions, RunSettings } from './options';
import { type LiveRun, type PerformedEffect, PhasePerformer } from './performing';
import { generatedAsRecorded } from './recordedPhase';
import { createRecorder, type Recorder } from './recorder';
import { type Redaction, whyChanged } from './redaction';
import type { Rejection } from './rejection';
import { createContext, refuseInitialState, refuseUnpricedBudget } from './runContext';
import { RunFailure } from './runFailure';
import { runRecord } from './runRecord';
import type { Phase, RunEnd, RunState } from './runState';
import { firstStep, nothingToDo } from './stepBoundary';
import type { Tokenizer } from './tokens';
import { withActiveTime } from './totals';
import type { PhaseInput, RunContext } from './transitionTypes';
import { createStateValidator } from './validation';

export { InitialStateFailure, RunFailure } from './runFailure';

/** What the runtime needs of its host. Each has a real and an in-memory implementation. */
export interface RunHost {
  readonly sha256: Sha256;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Rings once after so many milliseconds, unless what it gives back is called before. Without it a budget of seconds is
   * looked at between two phases alone, and no reply is given up for it.
   */
  alarm?(milliseconds: number, ring: () => void): () => void;
  /** Takes one record, in order; called before the next effect starts. Throws where it can't be written. */
  record(record: TraceRecord): void;
  /** The reply so far grew. */
  onText?(): void;
  /** What is told of the run's request to the model beside its reply. With `retry`, the reply so far is void. */
  onNotice?(notice: ModelNotice, run: RunState): void;
  /** What is kept out of replies and of what is told of requests; the environment's words are the host's to redact. */
  readonly redaction?: Redaction | undefined;
  /** The run stands between two phases again. */
  onPhase?(run: RunState): void;
}

export interface ExecutionOptions {
  readonly skill: Skill;
  readonly environment: Environment;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
  readonly options: RunOptions;
  /** Recorded with the run: what model and environment were set to, beside their names. */
  readonly settings: RunSettings;
  readonly host: RunHost;
  /** The records of an interrupted run, to be repeated before going on live; see resume.ts. */
  readonly recorded?: readonly TraceRecord[];
  /** Who acted when it was interrupted; by default those of its run record. */
  readonly interrupted?: Acting | undefined;
}

/** What one phase did. */
export interface PhaseReport {
  readonly phase: Phase;
  readonly before: RunState;
  readonly after: RunState;
  /** Set where this phase rejected the reply. */
  readonly rejection: Rejection | undefined;
  /** The records written by this phase. */
  readonly records: readonly ChainedRecord[];
  /** True where the phase only repeated what a resumed trace holds already. */
  readonly repeated: boolean;
}

export interface Execution {
  /** Between two phases. Undefined before `start`. */
  readonly run: RunState | undefined;
  /** While `generate` runs: what the model said so far. Else empty. */
  readonly partialReply: string;
  /** While `generate` runs: what a reasoning model has thought so far. Else empty. */
  readonly partialThinking: string;
  /** Resets the environment, takes O_0 and Σ_0 and writes the `run` record. */
  start(signal: AbortSignal): Promise<RunState>;
  /**
   * Carries out the next phase. Where `signal` is aborted, throws its reason and the run stays before that phase.
   * A `ModelFailure` or `EnvironmentFailure` ends the run as `stopped` and is thrown; `TimeUsedUp` does as `capped`.
   */
  advance(signal: AbortSignal): Promise<PhaseReport>;
  /** Ends the run from outside (cancelled by its user) and records that; does nothing once it has ended. */
  end(end: RunEnd): void;
}

/**
 * Makes an execution; nothing happens before `start`.
 *
 * @throws StateSchemaFailure where the skill's state schema can't be compiled.
 * @throws InitialStateFailure where Σ_0 does not fit its schema.
 * @throws RunFailure where a budget can't be kept.
 */
export function createExecution(options: ExecutionOptions): Execution {
  return new PhaseByPhase(options);
}

class PhaseByPhase implements Execution {
  readonly #options: ExecutionOptions;
  readonly #context: RunContext;
  readonly #recorder: Recorder;
  readonly #performer: PhasePerformer;
  #live: LiveRun | undefined;
  /** How much of what a resumed run took earlier is in its totals already. */
  #countedTime = 0;
  /** By what it was interrupted before, as far as that is not in its totals yet. */
  #interruptions: readonly Interruption[];

  constructor(options: ExecutionOptions) {
    const { skill, model, environment, tokenizer, host, recorded = [] } = options;
    this.#options = options;
    const validator = createStateValidator(skill.stateSchema, options.options.limits);
    refuseInitialState(skill, validator);
    refuseUnpricedBudget(options.options, model);
    this.#context = createContext({
      skill,
      options: options.options,
      tokenizer,
      price: model.price,
      declares: environment.declares?.bind(environment),
      sha256: host.sha256,
      validator,
    });
    this.#performer = new PhasePerformer({ options: options.options, host });
    this.#interruptions = recorded.flatMap((record) => {
      const interruption = record.kind === 'end' && record.resumable ? interruptionOf(record) : undefined;
      return interruption ?? [];
    });
    this.#recorder = createRecorder({
      now: () => host.now(),
      record: (record) => host.record(record),
      recorded,
      goesOnWith: () => this.#others,
    });
  }

  get run(): RunState | undefined {
    return this.#live?.at.tip;
  }

  get partialReply(): string {
    return this.#performer.partialReply;
  }

  get partialThinking(): string {
    return this.#performer.partialThinking;
  }

  async start(signal: AbortSignal): Promise<RunState> {
    const { skill, environment, options, host } = this.#options;
    const [header] = this.#options.recorded ?? [];
    const begun = runRecord(this.#options);
    // Others may go on than those who began.
    const { model, environment: world } = header?.kind === 'run' ? header : begun;
    this.#recorder.write([{ ...begun, model, environment: world }]);
    const repeats = this.#recorder.repeats();
    const recorded = this.#recorder.next();
    // An environment that can't start the same episode again keeps the one that it has; the trace tells O_0.
    const known = !environment.deterministic && recorded?.kind === 'step' ? recorded.observation : undefined;
    const first =
      known === undefined
        ? await environment.reset(resetOptionsOf(options), signal)
        : { observation: known, done: false };
    if (repeats && recorded?.kind === 'step' && recorded.observation !== first.observation) {
      throw new RunFailure(
        `The environment ${environment.name} no longer starts with the observation in the trace: ${whyChanged(recorded.observation ?? '')}.`,
      );
    }
    const at = { tip: firstStep(skill.initialState, first.observation, environment.score?.()) };
    this.#live = this.#liveRun(at);
    if (first.done) this.end(nothingToDo);
    host.onPhase?.(at.tip);
    return at.tip;
  }

  async advance(signal: AbortSignal): Promise<PhaseReport> {
    const live = this.#live;
    if (!live) throw new Error('advance before start');
    if (live.at.tip.end) throw new Error('advance after the end');
    signal.throwIfAborted();
    const performed = await this.#performer.perform(live, signal);
    const report = this.#performer.take(live, performed);
    // Not while it is repeated: no cap may fall where none fell.
    const after = this.#recorder.repeats() ? report.after : this.#withTakenBefore(report.after);
    live.at.tip = after;
    this.#options.host.onPhase?.(after);
    return after === report.after ? report : { ...report, after };
  }

  end(end: RunEnd): void {
    const live = this.#live;
    if (!live || live.at.tip.end) return;
    live.at.tip = this.#withTakenBefore(live.at.tip, true);
    // Who gives up what is only repeated leaves the trace as it is.
    const write = end.resumable && live.repeats ? () => [] : live.write;
    this.#performer.end({ at: live.at, write }, end);
  }

  #liveRun(at: LiveRun['at']): LiveRun {
    const { model, environment } = this.#options;
    const recorder = this.#recorder;
    return {
      at,
      context: this.#context,
      participants: { model, environment },
      get repeats() {
        return recorder.repeats();
      },
      write: (bodies) => recorder.write(bodies),
      inputOf: (effect, perform) =>
        recorder.repeats() || recorder.interruptedAfterIntent
          ? this.#repeatedInput(at.tip, effect, perform)
          : perform(),
      end: (end) => this.end(end),
    };
  }

  /** Who goes on with an interrupted run, where others acted in it. */
  get #others(): ReturnType<typeof changedActing> {
    const [header] = this.#options.recorded ?? [];
    if (header?.kind !== 'run') return {};
    return changedActing(this.#options.interrupted ?? header, runRecord(this.#options));
  }

  /**
   * The run with what it took before it was resumed, as far as it has come: time, and the requests by which it was
   * interrupted. Those of an interruption count once it stands in `generate` again, as they did then, or is over.
   */
  #withTakenBefore(run: RunState, isOver = run.end !== undefined): RunState {
    const { repeatedMilliseconds, last } = this.#recorder;
    const time = repeatedMilliseconds - this.#countedTime;
    this.#countedTime = repeatedMilliseconds;
    const timed = time === 0 ? run : withActiveTime(run, time);
    if (this.#interruptions.length === 0) return timed;
    const isThere = run.phase === 'generate' || isOver;
    const isPast = ({ after }: Interruption) => after < last || (after === last && isThere);
    const past = this.#interruptions.filter(isPast);
    this.#interruptions = this.#interruptions.filter((one) => !isPast(one));
    return withInterruptions(timed, past);
  }

  /** What comes of an effect by the record, held against what comes of it again; where nothing is recorded, by performing it. */
  async #repeatedInput(
    run: RunState,
    effect: PerformedEffect,
    perform: () => Promise<PhaseInput>,
  ): Promise<PhaseInput> {
    const { environment } = this.#options;
    const recorded = this.#recorder.next();
    if (effect.type === 'generate')
      return recorded?.kind === 'attempt' ? generatedAsRecorded(recorded) : perform();
    const known = recorded?.kind === 'outcome' ? recorded : undefined;
    if (known && !environment.deterministic) {
      const { observation, accepted, done, facts } = known;
      const outcome = { observation, accepted, done, ...(facts && { facts }) };
      return { ...outcomeInput(environment, outcome), score: known.score };
    }
    if (!known && effect.type === 'execute' && this.#recorder.interruptedAfterIntent)
      refuseUnknownOutcome(environment, run.step, effect.action);
    const input = await perform();
    if (known && input.type === 'outcome') this.#refuseOtherOutcome(run.step, known, input.outcome);
    return input;
  }

  /** @throws RunFailure where the environment answers otherwise than it did */
  #refuseOtherOutcome(step: number, known: OutcomeRecord, outcome: Outcome): void {
    const { observation, accepted, done } = known;
    if (outcome.observation === observation && outcome.accepted === accepted && outcome.done === done) return;
    throw new RunFailure(
      `At step ${step} the environment ${this.#options.environment.name} answers ${JSON.stringify(outcome.observation)}, and the trace has ${JSON.stringify(observation)}: ${whyChanged(observation)}.`,
    );
  }
}
