/** The one loop that performs effects: each `advance` carries out exactly one phase, and everything hangs on that. */
import type { Skill } from '../../../schemas/skill/skill';
import { assertNever } from '../../../schemas/text/assertNever';
import type { Sha256 } from '../../../schemas/text/digest';
import type { ChainedRecord, TraceRecord } from '../../../schemas/trace/trace';
import { type Acting, changedActing } from './acting';
import { Asking } from './asking';
import { TimeUsedUp } from './budget';
import { carryOut, outcomeInput } from './effects';
import { type Environment, EnvironmentFailure, type Outcome } from './environment';
import { type FailedRequest, type Model, ModelFailure, type ModelNotice } from './model';
import type { RunOptions, RunSettings } from './options';
import { generatedAsRecorded } from './recordedPhase';
import { createRecorder, type Recorder } from './recorder';
import { type Redaction, whyChanged } from './redaction';
import type { Rejection } from './rejection';
import { createContext, refuseInitialState, refuseUnpricedBudget } from './runContext';
import { RunFailure } from './runFailure';
import { runRecord } from './runRecord';
import type { Phase, RunEnd, RunState } from './runState';
import { ended, firstStep } from './stepBoundary';
import type { Tokenizer } from './tokens';
import { countFailures, withActiveTime } from './totals';
import { effectOf, intentOf, transition } from './transition';
import type { Effect, PhaseInput, RunContext } from './transitionTypes';
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
  /** The reply so far grew by `text`. */
  onText?(text: string): void;
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
   * A {@link ModelFailure} or {@link EnvironmentFailure} ends the run as `stopped` and is thrown; {@link TimeUsedUp} does
   * as `capped`.
   */
  advance(signal: AbortSignal): Promise<PhaseReport>;
  /** Ends the run from outside (cancelled by its user) and records that; does nothing once it has ended. */
  end(end: RunEnd): void;
}

/** How a phase that threw ends its run; undefined where the run stays before the phase. */
export function endByFailure(error: unknown): RunEnd | undefined {
  if (error instanceof TimeUsedUp) return { outcome: 'capped', reason: error.message, resumable: false };
  return error instanceof ModelFailure || error instanceof EnvironmentFailure
    ? { outcome: 'stopped', reason: error.message, resumable: true }
    : undefined;
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
  #run: RunState | undefined;
  readonly #asking = new Asking();
  /** How much of what a resumed run took earlier is in its totals already. */
  #countedTime = 0;
  /** The requests by which it failed before. */
  #interruptions: readonly FailedRequest[] = [];

  constructor(options: ExecutionOptions) {
    const { skill, model, environment, tokenizer, host } = options;
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
    this.#interruptions = (options.recorded ?? []).flatMap((record) =>
      record.kind === 'end' && record.resumable ? (record.failures ?? []) : [],
    );
    this.#recorder = createRecorder({
      now: () => host.now(),
      record: (record) => host.record(record),
      recorded: options.recorded ?? [],
      goesOnWith: () => this.#others,
    });
  }

  get run(): RunState | undefined {
    return this.#run;
  }

  get partialReply(): string {
    return this.#asking.partialReply;
  }

  get partialThinking(): string {
    return this.#asking.partialThinking;
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
        ? await environment.reset(
            { seed: options.seed, horizon: options.horizon, repeatUnserved: options.commit === 'on-accept' },
            signal,
          )
        : { observation: known, done: false };
    if (repeats && recorded?.kind === 'step' && recorded.observation !== first.observation) {
      throw new RunFailure(
        `The environment ${environment.name} no longer starts with the observation in the trace: ${whyChanged(recorded.observation ?? '')}.`,
      );
    }
    this.#run = firstStep(skill.initialState, first.observation, environment.score?.());
    if (first.done)
      this.end({ outcome: 'completed', reason: 'The environment had nothing to do.', resumable: false });
    host.onPhase?.(this.#run);
    return this.#run;
  }

  async advance(signal: AbortSignal): Promise<PhaseReport> {
    const before = this.#run;
    if (!before) throw new Error('advance before start');
    if (before.end) throw new Error('advance after the end');
    signal.throwIfAborted();
    const started = this.#options.host.now();
    const repeated = this.#recorder.repeats();
    const effect = effectOf(before);
    const intents = this.#recorder.write(intentOf(before, effect));
    let input: PhaseInput;
    try {
      input = await this.#perform(before, effect, signal);
    } catch (error) {
      this.#asking.stop();
      const end = signal.aborted ? undefined : endByFailure(error);
      if (end !== undefined) this.end(end);
      throw error;
    }
    const next = transition(this.#context, before, input);
    const records = this.#recorder.write(next.records);
    const spent = repeated ? 0 : this.#options.host.now() - started + this.#timeBefore();
    // Most phases take less than the clock can tell, and a copy of the run is no small part of what they cost.
    const timed: RunState = spent === 0 ? next.run : withActiveTime(next.run, spent);
    const after = repeated ? timed : this.#withInterruptions(timed);
    this.#run = after;
    this.#asking.stop();
    this.#options.host.onPhase?.(after);
    return {
      phase: before.phase,
      before,
      after,
      rejection: next.rejection,
      records: [...intents, ...records],
      repeated,
    };
  }

  /** Who goes on with an interrupted run, where others acted in it. */
  get #others(): ReturnType<typeof changedActing> {
    const [header] = this.#options.recorded ?? [];
    if (header?.kind !== 'run') return {};
    return changedActing(this.#options.interrupted ?? header, runRecord(this.#options));
  }

  /** What the run took before it was resumed. Not counted while it is repeated: no cap may fall where none fell. */
  #timeBefore(): number {
    const time = this.#recorder.repeatedMilliseconds - this.#countedTime;
    this.#countedTime += time;
    return time;
  }

  /** What the requests took that the run failed by before it was resumed; counted once it is live, as its time is. */
  #withInterruptions(run: RunState): RunState {
    const failures = this.#interruptions;
    this.#interruptions = [];
    return failures.length === 0 ? run : { ...run, totals: countFailures(run.totals, failures) };
  }

  end(end: RunEnd): void {
    if (!this.#run || this.#run.end) return;
    const failures = this.#asking.failuresAt(this.#run);
    const last = ended(this.#withInterruptions(this.#run), { ...end, ...failures });
    // Who gives up what is only repeated leaves the trace as it is.
    if (!end.resumable || !this.#recorder.repeats()) this.#recorder.write(last.records);
    this.#run = last.run;
    this.#options.host.onPhase?.(last.run);
  }

  async #perform(run: RunState, effect: Effect, signal: AbortSignal): Promise<PhaseInput> {
    switch (effect.type) {
      case 'none':
        return { type: 'none' };
      case 'generate':
        return this.#generate(run, effect.prompt, signal);
      case 'execute':
      case 'skip':
        return this.#act(run, effect, signal);
      default:
        return assertNever(effect);
    }
  }

  async #generate(run: RunState, prompt: string, signal: AbortSignal): Promise<PhaseInput> {
    const recorded = this.#recorder.next();
    if (recorded?.kind === 'attempt') return generatedAsRecorded(recorded);
    const { skill, model, options, host } = this.#options;
    const spent = run.totals.activeMilliseconds + this.#recorder.repeatedMilliseconds - this.#countedTime;
    return this.#asking.ask({ skill, model, options, run, prompt, spent, host }, signal);
  }

  async #act(
    run: RunState,
    effect: Effect & { type: 'execute' | 'skip' },
    signal: AbortSignal,
  ): Promise<PhaseInput> {
    const { environment } = this.#options;
    const recorded = this.#recorder.next();
    const known = recorded?.kind === 'outcome' ? recorded : undefined;
    if (known && !environment.deterministic) {
      const { observation, accepted, done, facts } = known;
      const outcome = { observation, accepted, done, ...(facts && { facts }) };
      return { ...this.#outcome(outcome), score: known.score };
    }
    if (
      !known &&
      effect.type === 'execute' &&
      this.#recorder.interruptedAfterIntent &&
      !environment.deterministic &&
      !environment.harmless
    ) {
      throw new RunFailure(
        `The run was interrupted while the action "${effect.action}" of step ${run.step} was under way, and the environment ${environment.name} can't tell whether it happened: it is not executed again.`,
      );
    }
    const outcome = await carryOut(environment, effect, signal);
    if (
      known &&
      (outcome.observation !== known.observation ||
        outcome.accepted !== known.accepted ||
        outcome.done !== known.done)
    ) {
      throw new RunFailure(
        `At step ${run.step} the environment ${environment.name} answers ${JSON.stringify(outcome.observation)}, and the trace has ${JSON.stringify(known.observation)}: ${whyChanged(known.observation)}.`,
      );
    }
    return this.#outcome(outcome);
  }

  #outcome(outcome: Outcome): PhaseInput & { type: 'outcome' } {
    return outcomeInput(this.#options.environment, outcome);
  }
}
