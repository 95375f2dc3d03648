/** The journey: a cursor that repeats steps, and, at the tips of branches, the loop that performs effects. */
import type { Skill } from '../../../schemas/skill/skill';
import { assertNever } from '../../../schemas/text/assertNever';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import { ArrivingRecord } from './arrivingRecord';
import { applyEdit, type EditRefusal, editRecord, type StateEdit } from './edits';
import { carryOut, generateReply, outcomeInput } from './effects';
import { EnvironmentFailure } from './environment';
import { EnvironmentRewind } from './environmentRewind';
import type { PhaseReport } from './execution';
import type {
  Branch,
  EditResult,
  ForkResult,
  Journey,
  JourneyOptions,
  JourneyPlace,
  JourneyPosition,
  Participants,
  RecordPart,
} from './journey';
import { JourneySteps } from './journeySteps';
import { type Current, JourneyWriter, liveStep } from './journeyWriter';
import { MemorySteps } from './memorySteps';
import { ModelFailure } from './model';
import { createContext, refuseInitialState, refuseUnpricedBudget } from './runContext';
import { RunFailure } from './runFailure';
import { runRecord } from './runRecord';
import type { RunEnd, RunState } from './runState';
import { ended, firstStep } from './stepBoundary';
import { runAfter } from './stepReplay';
import type { SourceBranch } from './stepSource';
import { withActiveTime } from './totals';
import { effectOf, intentOf, transition } from './transition';
import type { Effect, PhaseInput, RunContext } from './transitionTypes';
import { StateSchemaFailure } from './validation';

/**
 * Makes a journey; nothing happens before `start`. A recorded run starts at the first step of its last branch.
 *
 * @throws StateSchemaFailure where the skill's state schema can't be compiled.
 * @throws InitialStateFailure where Σ_0 of a new run does not fit its schema.
 * @throws RunFailure where a budget can't be kept.
 */
export function createJourney(options: JourneyOptions): Journey {
  return new RunJourney(options);
}

class RunJourney implements Journey {
  readonly #options: JourneyOptions;
  readonly #given: Participants | undefined;
  readonly #steps: JourneySteps;
  readonly #writer: JourneyWriter;
  readonly #rewind: EnvironmentRewind | undefined;
  #current: Current | undefined;
  #index = 0;
  /** The step that was live last, where an end is recorded. */
  #live: Current | undefined;
  #context: RunContext;
  #partialReply = '';
  readonly #record: ArrivingRecord;
  #arriving: Promise<void> = Promise.resolve();

  constructor(options: JourneyOptions) {
    const { skill, participants, recorded } = options;
    this.#options = options;
    this.#given = 'missing' in participants ? undefined : participants;
    this.#context = this.#contextOf(skill);
    if (recorded === undefined) refuseInitialState(skill, this.#context.validator);
    if (this.#given !== undefined) refuseUnpricedBudget(options.options, this.#given.model);
    this.#steps = new JourneySteps({
      source: recorded?.steps ?? new MemorySteps(),
      context: this.#context,
      contextOf: (one) => this.#contextOf(one),
      skillOf: (files) => {
        if (recorded === undefined) throw new Error('A live run knows its skills');
        return recorded.skillOf(files);
      },
      ...(options.host.pause && { pause: options.host.pause }),
    });
    this.#record = new ArrivingRecord(recorded, this.#steps.source);
    this.#writer = new JourneyWriter({ host: options.host, steps: this.#steps.source, recorded });
    const { seed, horizon, commit } = options.options;
    const reset = { seed, horizon, repeatUnserved: commit === 'on-accept' };
    this.#rewind =
      this.#given &&
      new EnvironmentRewind(this.#given.environment, reset, options.forkWithoutRewind === true);
  }

  get run(): RunState | undefined {
    return this.#current && runAfter(this.#current, this.#index);
  }

  get partialReply(): string {
    return this.#partialReply;
  }

  get skill(): Skill {
    return this.#context.skill;
  }

  get branches(): readonly Branch[] {
    return this.#steps.source.branches.map(described);
  }

  get position(): JourneyPosition {
    const { branch, step } = this.#here;
    const isTip = this.#index === this.#here.reports.length;
    const live = isTip && this.#participants !== undefined && goesOn(this.#here.tip);
    return { branch, step, index: this.#index, live, atEndOfRecord: isTip && !live };
  }

  get forkObstacle(): string | undefined {
    return this.#missing ?? this.#rewind?.obstacle(this.#here.standing);
  }

  get notUndone(): string | undefined {
    const { environment } = this.#given ?? {};
    if (this.#options.recorded?.reading?.missing !== undefined) return undefined;
    if (environment === undefined || this.#rewind?.canRewind !== false) return undefined;
    return `The environment ${environment.name} can't be taken back: going back shows what was, and what was done in it stays done.`;
  }

  get mayGiveUpActions(): boolean {
    return this.#participants?.environment.harmless === true;
  }

  get deviation(): string | undefined {
    return this.#steps.deviation;
  }

  async start(signal: AbortSignal): Promise<RunState> {
    const { recorded, skill } = this.#options;
    if (recorded !== undefined) {
      await this.#inTurn(async () => {
        if (this.#record.isOver) await this.#takeWhole();
        await this.#stand(this.#record.line, 0);
      });
      return this.#settled();
    }
    const { environment, model } = this.#acting();
    const header = this.#writer.header(runRecord({ ...this.#options, environment, model }));
    const first = await this.#rewinder.reset(signal);
    const start = firstStep(skill.initialState, first.observation, environment.score?.());
    this.#steps.source.open({ id: 0, parent: undefined, start, records: [] });
    this.#current = liveStep(0, start, header, 'start');
    this.#live = this.#current;
    if (first.done)
      this.end({ outcome: 'completed', reason: 'The environment had nothing to do.', resumable: false });
    return this.#settled();
  }

  async advance(signal: AbortSignal): Promise<PhaseReport> {
    signal.throwIfAborted();
    const report = this.#here.reports[this.#index];
    if (report === undefined) return this.#advanceLive(signal);
    await this.#stand(this.#here.branch, this.#here.step, this.#index + 1);
    this.#settled();
    return { ...report, repeated: true };
  }

  async reportsOf(branch: number, step: number): Promise<readonly PhaseReport[]> {
    const here = this.#current;
    if (here?.branch === branch && here.step === step) return here.reports;
    return (await this.#steps.load(branch, step)).reports;
  }

  async recordsOf(branch: number, step: number): Promise<readonly ChainedRecord[]> {
    const { source } = this.#steps;
    const last = source.branch(branch)?.last ?? -1;
    // What was recorded needn't be made again to be read; beyond it there may be a step that has just begun.
    if (!(Number.isSafeInteger(step) && step >= 0 && step <= last)) await this.#steps.start(branch, step);
    return source.records(branch, step);
  }

  startOf(branch: number, step: number): Promise<RunState> {
    return this.#steps.start(branch, step);
  }

  get isReading(): boolean {
    return this.#record.isReading;
  }

  async read(part: RecordPart, signal: AbortSignal): Promise<void> {
    if (!this.#record.isReading) return;
    await this.#record.until(part, () => this.#next, signal);
    await this.#inTurn(() => this.#takeArrived());
  }

  /** The step in which the cursor stands after the next phase. */
  get #next(): Pick<JourneyPlace, 'branch' | 'step'> {
    const { branch, step, reports } = this.#here;
    return { branch, step: this.#index + 1 < reports.length ? step : step + 1 };
  }

  /** Puts the cursor where it belongs while a record arrives: one after the other. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#arriving.then(work);
    // That it failed is told to who asked for it.
    this.#arriving = done.catch(() => undefined);
    return done;
  }

  async goTo({ branch, step, index }: JourneyPlace): Promise<void> {
    await this.#arriving;
    this.#record.leaveLine();
    await this.#stand(branch, step, index);
    this.#settled();
  }

  async fork({ skill }: { readonly skill?: Skill } = {}): Promise<ForkResult> {
    const obstacle = this.forkObstacle;
    if (obstacle !== undefined) {
      const isRewind = this.#rewind !== undefined;
      return { ok: false, message: obstacle, ...(isRewind && { liftedBy: 'forkWithoutRewind' }) };
    }
    const here = this.#here;
    if (skill === undefined && this.position.live) return { ok: true, branch: here.branch };
    const index = skill === undefined ? this.#index : 0;
    const run = runAfter(here, index);
    if (run.end !== undefined && !run.end.resumable)
      return { ok: false, message: 'The run is over here: step back first.' };
    const context = skill && this.#contextFor(skill, run);
    if (context !== undefined && 'ok' in context) return context;
    try {
      await this.#rewinder.take(here.standing, () => this.#carriedOutBefore(here), unaborted());
      await this.#writer.begin();
    } catch (error) {
      if (error instanceof RunFailure || error instanceof EnvironmentFailure)
        return { ok: false, message: error.message };
      throw error;
    }
    this.#current = this.#writer.fork(here, index, run, skill);
    this.#index = index;
    this.#live = this.#current;
    const { branch } = this.#current;
    if (context !== undefined) {
      this.#steps.setContext(branch, context);
      this.#context = context;
    }
    return { ok: true, branch };
  }

  refusalOf(edit: StateEdit): EditRefusal | undefined {
    const edited = applyEdit(this.#context, this.#editable, edit);
    return edited.ok ? undefined : edited;
  }

  /** The run at the cursor; what was interrupted there can go on. */
  get #editable(): RunState {
    const run = runAfter(this.#here, this.#index);
    return run.end?.resumable ? { ...run, end: undefined } : run;
  }

  async edit(edit: StateEdit): Promise<EditResult> {
    const run = this.#editable;
    const edited = applyEdit(this.#context, run, edit);
    if (!edited.ok) return edited;
    const forks = !this.position.live;
    if (forks) {
      const forked = await this.fork();
      if (!forked.ok) return forked;
    } else await this.#goOn();
    const here = this.#here;
    this.#writer.append(here, [editRecord(run, edit)]);
    here.tip = edited.run;
    here.consumed[this.#index] = here.records.length;
    this.#settled();
    return { ok: true, branch: here.branch, forked: forks };
  }

  end(end: RunEnd): void {
    const live = this.#live;
    if (live === undefined || live.tip.end !== undefined) return;
    const last = ended(live.tip, end);
    this.#writer.append(live, last.records);
    live.tip = last.run;
    this.#options.host.onPhase?.(last.run);
  }

  /** Who goes on, once it is known that somebody can. */
  get #participants(): Participants | undefined {
    return this.#missing === undefined ? this.#given : undefined;
  }

  /** Why nobody goes on. */
  get #missing(): string | undefined {
    const { participants } = this.#options;
    return this.#record.missing ?? ('missing' in participants ? participants.missing : undefined);
  }

  /** More of a record was read: the cursor goes where it belongs, once that is known. */
  async #takeArrived(): Promise<void> {
    if (this.#current === undefined) return;
    if (this.#record.takeLine()) {
      const { line } = this.#record;
      // What was made of the original run's step needn't be what the step is on this line.
      const target = await this.#load(line, this.#here.step);
      this.#context = await this.#steps.contextAt(line, target.step);
      this.#current = target;
      this.#index = 0;
      this.#settled();
    }
    if (this.#record.isOver && this.#record.isReading) await this.#takeWhole();
  }

  /** Nothing more will be read of a record. */
  async #takeWhole(): Promise<void> {
    const line = this.#steps.source.branch(this.#record.line);
    if (line !== undefined && this.#rewind?.canRewind === false)
      this.#rewind.assume(await this.#steps.standingAt(line.id, line.last + 1));
    this.#record.take();
  }

  get #here(): Current {
    if (this.#current === undefined) throw new Error('The journey has not started');
    return this.#current;
  }

  get #rewinder(): EnvironmentRewind {
    if (this.#rewind === undefined) throw new RunFailure(this.#missing ?? '');
    return this.#rewind;
  }

  /** @throws RunFailure where nobody is there to go on */
  #acting(): Participants {
    const missing = this.#missing;
    if (this.#given === undefined || missing !== undefined) throw new RunFailure(missing ?? '');
    return this.#given;
  }

  #settled(): RunState {
    const run = runAfter(this.#here, this.#index);
    this.#options.host.onPhase?.(run);
    return run;
  }

  /** Puts the cursor at a place of a line. */
  async #stand(branch: number, step: number, index = 0): Promise<void> {
    const here = this.#current;
    const isHere = here?.branch === branch && here.step === step;
    const target = isHere ? here : await this.#load(branch, step);
    if (!Number.isSafeInteger(index) || index < 0 || index > target.reports.length)
      throw new RangeError(`Step ${step} has ${target.reports.length} phases, not ${index}`);
    if (index === target.reports.length && target.complete) return this.#stand(branch, step + 1);
    this.#context = await this.#steps.contextAt(branch, step);
    this.#current = target;
    this.#index = index;
  }

  async #load(branch: number, step: number): Promise<Current> {
    if (this.#live?.branch === branch && this.#live.step === step) return this.#live;
    const loaded = await this.#steps.load(branch, step);
    const before = await this.#steps.recordBefore(branch, step);
    const follows = before ?? { id: this.#options.recorded?.headerId ?? 0, branch: 0 };
    return { ...loaded, follows, standing: await this.#steps.standingAt(branch, step) };
  }

  #carriedOutBefore({ branch, step }: Current) {
    return this.#steps.carriedOutBefore(branch, step);
  }

  #contextOf(skill: Skill): RunContext {
    const { options, tokenizer, host, participants } = this.#options;
    const live = 'missing' in participants ? undefined : participants;
    return createContext({
      skill,
      options,
      tokenizer,
      price: live?.model.price,
      declares: live?.environment.declares?.bind(live.environment),
      sha256: host.sha256,
    });
  }

  /** The context of an edited skill, or why a run can't go on with it from where it stands. */
  #contextFor(skill: Skill, run: RunState): RunContext | (ForkResult & { readonly ok: false }) {
    let context: RunContext;
    try {
      context = this.#contextOf(skill);
    } catch (error) {
      if (error instanceof StateSchemaFailure) return { ok: false, message: error.message };
      throw error;
    }
    const [violation] = context.validator.checkInitial(run.state);
    if (violation === undefined) return context;
    const { message, pointer, schemaLocation } = violation;
    return {
      ok: false,
      message: `The state of step ${run.step} does not fit the edited state schema: ${message}`,
      pointer,
      ...(schemaLocation !== '' && { schemaLocation: skill.stateSchema.locationText(schemaLocation) }),
    };
  }

  /** Makes ready for new records at the tip. */
  async #goOn(): Promise<void> {
    this.#live = this.#here;
    await this.#writer.goOn(this.#here);
  }

  async #advanceLive(signal: AbortSignal): Promise<PhaseReport> {
    const participants = this.#acting();
    if (!goesOn(this.#here.tip)) throw new Error('advance after the end');
    await this.#goOn();
    const here = this.#here;
    const { host } = this.#options;
    const before = here.tip;
    refuseEnded(here, before);
    const effect = effectOf(before);
    const context = this.#context;
    if (effect.type === 'execute' || effect.type === 'skip') {
      this.#refuseUnknownOutcome(here, effect);
      await this.#rewinder.take(here.standing, () => this.#carriedOutBefore(here), signal);
    }
    const started = host.now();
    const isBegun = here.records.at(-1)?.kind === 'intent';
    const intents = isBegun ? [] : this.#writer.append(here, intentOf(before, effect));
    let input: PhaseInput;
    try {
      input = await this.#perform(participants, before, effect, signal);
    } catch (error) {
      this.#partialReply = '';
      if (effect.type !== 'generate' && this.#rewinder.canRewind) this.#rewinder.lose();
      if (!signal.aborted && (error instanceof ModelFailure || error instanceof EnvironmentFailure))
        this.end({ outcome: 'stopped', reason: error.message, resumable: true });
      throw error;
    }
    // What comes after the run was ended from outside is no part of it any more.
    refuseEnded(here, before);
    const next = transition(context, before, input);
    const records = this.#writer.append(here, next.records);
    const spent = host.now() - started;
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
    this.#index = here.reports.length;
    this.#partialReply = '';
    const outcome = records.find(({ kind }) => kind === 'outcome');
    if (outcome !== undefined) this.#rewinder.note(outcome.id);
    if (after.step !== before.step) {
      this.#steps.source.begin(here.branch, after);
      const follows = here.records.at(-1) ?? here.follows;
      this.#current = liveStep(here.branch, after, follows, outcome?.id ?? here.standing);
      this.#live = this.#current;
      this.#index = 0;
    }
    this.#settled();
    return report;
  }

  /** An action that was interrupted in another session may have been carried out. */
  #refuseUnknownOutcome(here: Current, effect: Effect): void {
    const { environment } = this.#acting();
    const last = here.records.at(-1);
    const isKnown = last?.kind !== 'intent' || environment.deterministic || environment.harmless;
    if (isKnown || this.#options.recorded === undefined || effect.type !== 'execute') return;
    throw new RunFailure(
      `The run was interrupted while the action "${effect.action}" of step ${here.step} was under way, and the environment ${environment.name} can't tell whether it happened: it is not executed again.`,
    );
  }

  async #perform(
    { model, environment }: Participants,
    run: RunState,
    effect: Effect,
    signal: AbortSignal,
  ): Promise<PhaseInput> {
    const { options, host } = this.#options;
    switch (effect.type) {
      case 'none':
        return { type: 'none' };
      case 'generate':
        return generateReply({ model, options, run, prompt: effect.prompt, signal }, (text) => {
          this.#partialReply += text;
          host.onText?.(text);
        });
      case 'execute':
      case 'skip':
        return outcomeInput(environment, await carryOut(environment, effect, signal));
      default:
        return assertNever(effect);
    }
  }
}

/** Whether a run that stands at a tip can go on. */
function goesOn({ end }: RunState): boolean {
  return end === undefined || end.resumable;
}

/** @throws RunFailure where a run is another than it was, or over: it was ended from outside. */
function refuseEnded({ tip }: Current, before: RunState): void {
  if (tip !== before || tip.end !== undefined) throw new RunFailure('The run has ended meanwhile.');
}

function described({ id, parent, from, last, end, skill }: SourceBranch): Branch {
  return {
    id,
    parent,
    from,
    steps: last + 1,
    end: end && { outcome: end.outcome, reason: end.reason, resumable: end.resumable === true },
    skillChanged: skill !== undefined,
  };
}

function unaborted(): AbortSignal {
  return new AbortController().signal;
}
