/** The journey: a cursor that repeats steps, and at the tips of branches leads to new ones. */
import type { ReplyCheck } from '../../../schemas/messages/questionMessages';
import type { Skill } from '../../../schemas/skill/skill';
import type { ChainedRecord } from '../../../schemas/trace/trace';
import type { Acting } from './acting';
import { ArrivingRecord } from './arrivingRecord';
import { applyEdit, type EditRefusal, editRecord, redactedEdit, type StateEdit } from './edits';
import { EnvironmentFailure, resetOptionsOf } from './environment';
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
import { contextOf, contextOfEdited } from './journeyContext';
import { JourneySteps } from './journeySteps';
import { type Current, JourneyWriter, liveStep } from './journeyWriter';
import { goesOn, LiveTip } from './liveTip';
import { MemorySteps } from './memorySteps';
import type { MergePolicies } from './merge';
import { checkReply } from './replyCheck';
import { refuseInitialState, refuseUnpricedBudget } from './runContext';
import { RewindFailure, RunFailure } from './runFailure';
import { runRecord } from './runRecord';
import type { RunEnd, RunState } from './runState';
import { firstStep, nothingToDo } from './stepBoundary';
import { runAfter } from './stepReplay';
import type { SourceBranch } from './stepSource';
import type { RunContext } from './transitionTypes';

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
  readonly #tip: LiveTip;
  #current: Current | undefined;
  #index = 0;
  #context: RunContext;
  readonly #record: ArrivingRecord;
  #arriving: Promise<void> = Promise.resolve();

  constructor(options: JourneyOptions) {
    const { skill, participants, recorded } = options;
    this.#options = options;
    this.#given = 'missing' in participants ? undefined : participants;
    this.#context = contextOf(options, skill);
    if (recorded === undefined) refuseInitialState(skill, this.#context.validator);
    if (this.#given !== undefined) refuseUnpricedBudget(options.options, this.#given.model);
    this.#steps = new JourneySteps({
      source: recorded?.steps ?? new MemorySteps(),
      context: this.#context,
      contextOf: (one) => contextOf(options, one),
      skillOf: (files) => {
        if (recorded === undefined) throw new Error('A live run knows its skills');
        return recorded.skillOf(files);
      },
      ...(options.host.pause && { pause: options.host.pause }),
    });
    this.#record = new ArrivingRecord(recorded, this.#steps.source);
    this.#writer = new JourneyWriter({
      host: options.host,
      steps: this.#steps.source,
      recorded,
      acting: () => this.#given && actingIn(this.#given, options.settings),
    });
    this.#tip = new LiveTip({ journey: options, steps: this.#steps, writer: this.#writer });
    this.#rewind =
      this.#given &&
      new EnvironmentRewind(
        this.#given.environment,
        resetOptionsOf(options.options),
        options.forkWithoutRewind === true,
      );
  }

  get run(): RunState | undefined {
    return this.#current && runAfter(this.#current, this.#index);
  }

  get partialReply(): string {
    return this.#tip.partialReply;
  }

  get partialThinking(): string {
    return this.#tip.partialThinking;
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
        if (this.#record.isOver) await this.#takeWhole(signal);
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
    this.#tip.stand(this.#current);
    if (first.done) this.end(nothingToDo);
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
    const { source } = this.#steps;
    const isRecorded = step >= 0 && step < (source.branch(branch)?.last ?? 0);
    if (isRecorded && (await source.records(branch, step)).length === 0) return [];
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

  async policiesAt(branch: number, step: number): Promise<MergePolicies> {
    return (await this.#steps.contextAt(branch, step)).skill.stateSchema;
  }

  checkReply(text: string): ReplyCheck | undefined {
    const { run } = this;
    const { redaction } = this.#options.host;
    return run?.phase === 'generate' ? checkReply(this.#context, run, text, redaction) : undefined;
  }

  get isReading(): boolean {
    return this.#record.isReading;
  }

  async read(part: RecordPart, signal: AbortSignal): Promise<void> {
    if (!this.#record.isReading) return;
    await this.#record.until(part, () => this.#next, signal);
    await this.#inTurn(() => this.#takeArrived(signal));
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
    const missing = this.#missing;
    if (missing !== undefined) return { ok: false, message: missing };
    const here = this.#here;
    const obstacle = this.#rewind?.obstacle(here.standing);
    if (obstacle !== undefined) return { ok: false, message: obstacle, liftedBy: 'forkWithoutRewind' };
    if (skill === undefined && this.position.live) return { ok: true, branch: here.branch };
    const index = skill === undefined ? this.#index : 0;
    const run = runAfter(here, index);
    if (run.end !== undefined && !run.end.resumable)
      return { ok: false, message: 'The run is over here: step back first.' };
    const context = skill && contextOfEdited(this.#options, skill, run);
    if (context !== undefined && 'ok' in context) return context;
    try {
      await this.#rewinder.take(here.standing, () => this.#carriedOutBefore(here), unaborted());
      await this.#writer.begin();
    } catch (error) {
      if (error instanceof RewindFailure)
        return { ok: false, message: error.message, liftedBy: 'forkWithoutRewind' };
      if (error instanceof RunFailure || error instanceof EnvironmentFailure)
        return { ok: false, message: error.message };
      throw error;
    }
    this.#current = this.#writer.fork(here, index, run, skill);
    this.#index = index;
    this.#tip.stand(this.#current);
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

  async edit(given: StateEdit): Promise<EditResult> {
    const { redaction } = this.#options.host;
    const edit = redaction === undefined ? given : redactedEdit(given, redaction);
    const run = this.#editable;
    const edited = applyEdit(this.#context, run, edit);
    if (!edited.ok) return edited;
    const forks = !this.position.live;
    if (forks) {
      const forked = await this.fork();
      if (!forked.ok) return forked;
    } else await this.#tip.goOn(this.#here);
    const here = this.#here;
    this.#writer.append(here, [editRecord(run, edit)]);
    here.tip = edited.run;
    here.consumed[this.#index] = here.records.length;
    this.#settled();
    return { ok: true, branch: here.branch, forked: forks };
  }

  end(end: RunEnd): void {
    this.#tip.end(end);
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
  async #takeArrived(signal: AbortSignal): Promise<void> {
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
    if (!this.#record.isOver || !this.#record.isReading || !(await this.#takeWhole(signal))) return;
    this.#current = await this.#load(this.#here.branch, this.#here.step);
    this.#settled();
  }

  /** Nothing more will be read of a record. True where that changes what its first step begins with. */
  async #takeWhole(signal: AbortSignal): Promise<boolean> {
    const line = this.#steps.source.branch(this.#record.line);
    if (line !== undefined && this.#rewind?.canRewind === false)
      this.#rewind.assume(await this.#steps.standingAt(line.id, line.last + 1));
    const { source } = this.#steps;
    if (this.#participants !== undefined) await source.lookForFirst();
    if (source.lacksFirst) await this.#beginAgain(signal);
    this.#record.take();
    return source.lacksFirst;
  }

  /** The episode of a recorded run that was ended before it recorded what it observed first. */
  async #beginAgain(signal: AbortSignal): Promise<void> {
    const { environment } = this.#acting();
    const { observation } = await this.#rewinder.reset(signal);
    const score = environment.score?.();
    this.#steps.source.beginWith({ observation, plainObservation: observation, score });
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
    if (index === target.reports.length && target.complete) return this.#stand(branch, target.tip.step);
    this.#context = await this.#steps.contextAt(branch, step);
    this.#current = target;
    this.#index = index;
  }

  async #load(branch: number, step: number): Promise<Current> {
    const live = this.#tip.at(branch, step);
    if (live !== undefined) return live;
    const loaded = await this.#steps.load(branch, step);
    const before = await this.#steps.recordBefore(branch, step);
    const follows = before ?? { id: this.#options.recorded?.headerId ?? 0, branch: 0 };
    return { ...loaded, follows, standing: await this.#steps.standingAt(branch, step) };
  }

  #carriedOutBefore({ branch, step }: Current) {
    return this.#steps.carriedOutBefore(branch, step);
  }

  async #advanceLive(signal: AbortSignal): Promise<PhaseReport> {
    const participants = this.#acting();
    if (!goesOn(this.#here.tip)) throw new Error('advance after the end');
    await this.#tip.goOn(this.#here);
    const phase = { here: this.#here, context: this.#context, participants, rewind: this.#rewinder };
    const performed = await this.#tip.perform(phase, signal);
    const { report, current } = this.#tip.take(phase, performed);
    this.#current = current;
    this.#index = current === phase.here ? current.reports.length : 0;
    this.#settled();
    return report;
  }
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

function actingIn({ model, environment }: Participants, settings: JourneyOptions['settings']): Acting {
  return {
    model: { name: model.name, settings: { ...settings.model } },
    environment: { name: environment.name, settings: { ...settings.environment } },
  };
}

function unaborted(): AbortSignal {
  return new AbortController().signal;
}
