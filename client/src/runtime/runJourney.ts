/** The journey: a cursor that repeats steps, and, at the tips of branches, the loop that performs effects. */
import type { Skill } from '../../../schemas/skill/skill';
import { assertNever } from '../../../schemas/text/assertNever';
import { type ChainedRecord, chainRecord, type RecordBody } from '../../../schemas/trace/trace';
import { applyEdit, editRecord, type StateEdit } from './edits';
import { carryOut, generateReply, outcomeInput } from './effects';
import { EnvironmentFailure } from './environment';
import { EnvironmentRewind, type Standing } from './environmentRewind';
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
} from './journey';
import { JourneySteps, type StepOnLine } from './journeySteps';
import { MemorySteps } from './memorySteps';
import { ModelFailure } from './model';
import { createContext, refuseInitialState, refuseUnpricedBudget } from './runContext';
import { RunFailure } from './runFailure';
import { recordedFiles, runRecord } from './runRecord';
import type { RunEnd, RunState } from './runState';
import { ended, firstStep } from './stepBoundary';
import { runAfter } from './stepReplay';
import type { SourceBranch } from './stepSource';
import { withActiveTime } from './totals';
import { effectOf, intentOf, transition } from './transition';
import type { Effect, PhaseInput, RunContext } from './transitionTypes';
import { StateSchemaFailure } from './validation';

/** The step at which the cursor is. */
interface Current extends StepOnLine {
  /** The id and branch of the last record before the step. */
  readonly follows: { readonly id: number; readonly branch: number };
  /** Where the environment stood at the step's start, and still does before its act. */
  readonly standing: Standing;
}

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
  readonly #participants: Participants | undefined;
  readonly #missing: string;
  readonly #steps: JourneySteps;
  readonly #rewind: EnvironmentRewind | undefined;
  #current: Current | undefined;
  #index = 0;
  /** The step that was live last, where an end is recorded. */
  #live: Current | undefined;
  #context: RunContext;
  #nextId: number | undefined;
  #partialReply = '';

  constructor(options: JourneyOptions) {
    const { skill, participants, recorded } = options;
    this.#options = options;
    this.#participants = 'missing' in participants ? undefined : participants;
    this.#missing = 'missing' in participants ? participants.missing : '';
    this.#context = this.#contextOf(skill);
    if (recorded === undefined) refuseInitialState(skill, this.#context.validator);
    if (this.#participants !== undefined) refuseUnpricedBudget(options.options, this.#participants.model);
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
    const { seed, horizon, commit } = options.options;
    const reset = { seed, horizon, repeatUnserved: commit === 'on-accept' };
    this.#rewind =
      this.#participants &&
      new EnvironmentRewind(this.#participants.environment, reset, options.forkWithoutRewind === true);
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
    if (this.#rewind === undefined) return this.#missing;
    return this.#rewind.obstacle(this.#here.standing);
  }

  get notUndone(): string | undefined {
    const { environment } = this.#participants ?? {};
    if (environment === undefined || this.#rewind?.canRewind !== false) return undefined;
    return `The environment ${environment.name} can't be taken back: going back shows what was, and what was done in it stays done.`;
  }

  get deviation(): string | undefined {
    return this.#steps.deviation;
  }

  async start(signal: AbortSignal): Promise<RunState> {
    const { recorded, host, skill } = this.#options;
    if (recorded !== undefined) {
      const last = this.#steps.source.branches.at(-1);
      if (last !== undefined && this.#rewind?.canRewind === false)
        this.#rewind.assume(await this.#steps.standingAt(last.id, last.last + 1));
      await this.#stand(last?.id ?? 0, 0);
      return this.#settled();
    }
    const { environment, model } = this.#acting();
    this.#nextId = 0;
    const header = chainRecord(runRecord({ ...this.#options, environment, model }), {
      id: this.#nextId++,
      parent: undefined,
      branch: 0,
      time: host.now(),
    });
    host.record(header);
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
    await this.#steps.start(branch, step);
    return this.#steps.source.records(branch, step);
  }

  startOf(branch: number, step: number): Promise<RunState> {
    return this.#steps.start(branch, step);
  }

  async goTo({ branch, step, index }: JourneyPlace): Promise<void> {
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
      await this.#beginRecording();
    } catch (error) {
      if (error instanceof RunFailure || error instanceof EnvironmentFailure)
        return { ok: false, message: error.message };
      throw error;
    }
    const branch = this.#open(here, index, run, skill);
    if (context !== undefined) {
      this.#steps.setContext(branch, context);
      this.#context = context;
    }
    return { ok: true, branch };
  }

  async edit(edit: StateEdit): Promise<EditResult> {
    const tip = runAfter(this.#here, this.#index);
    const run = tip.end?.resumable ? { ...tip, end: undefined } : tip;
    const edited = applyEdit(this.#context, run, edit);
    if (!edited.ok) return edited;
    const forks = !this.position.live;
    if (forks) {
      const forked = await this.fork();
      if (!forked.ok) return forked;
    } else await this.#goOn();
    const here = this.#here;
    this.#append(here, [editRecord(run, edit)]);
    here.tip = edited.run;
    here.consumed[this.#index] = here.records.length;
    this.#settled();
    return { ok: true, branch: here.branch, forked: forks };
  }

  end(end: RunEnd): void {
    const live = this.#live;
    if (live === undefined || live.tip.end !== undefined) return;
    const last = ended(live.tip, end);
    this.#append(live, last.records);
    live.tip = last.run;
    this.#options.host.onPhase?.(last.run);
  }

  get #here(): Current {
    if (this.#current === undefined) throw new Error('The journey has not started');
    return this.#current;
  }

  get #rewinder(): EnvironmentRewind {
    if (this.#rewind === undefined) throw new RunFailure(this.#missing);
    return this.#rewind;
  }

  /** @throws RunFailure where nobody is there to go on */
  #acting(): Participants {
    if (this.#participants === undefined) throw new RunFailure(this.#missing);
    return this.#participants;
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

  async #beginRecording(): Promise<void> {
    if (this.#nextId !== undefined) return;
    const { host, recorded } = this.#options;
    await host.beginRecording?.();
    this.#nextId = ((await recorded?.lastId()) ?? -1) + 1;
  }

  /** Begins a branch after so many phases of a step; puts the cursor at its tip. */
  #open(here: Current, index: number, run: RunState, skill: Skill | undefined): number {
    const { source } = this.#steps;
    const id = (source.branches.at(-1)?.id ?? 0) + 1;
    const records = here.records.slice(0, here.consumed[index] ?? 0);
    const parent = { branch: (records.at(-1) ?? here.follows).branch, step: here.step };
    const files = skill && recordedFiles(skill, this.#options.host.sha256);
    source.open({ id, parent, start: here.start, records, ...(files && { skill: files }) });
    this.#current = {
      ...here,
      branch: id,
      reports: here.reports.slice(0, index),
      consumed: here.consumed.slice(0, index),
      records: [...records],
      tip: run.end === undefined ? run : { ...run, end: undefined },
      missing: [],
      complete: false,
    };
    this.#index = index;
    this.#live = this.#current;
    const { instructions } = skill ?? {};
    this.#append(this.#current, [
      {
        kind: 'fork',
        step: here.step,
        ...(files && { skill: { files: [...files] } }),
        ...(instructions !== undefined && {
          instructions: { sha256: this.#options.host.sha256(instructions), text: instructions },
        }),
      },
    ]);
    this.#current.consumed.push(this.#current.records.length);
    return id;
  }

  /** Makes ready for new records at the tip: a recorded branch, or one that was interrupted, goes on. */
  async #goOn(): Promise<void> {
    const here = this.#here;
    const { source } = this.#steps;
    this.#live = here;
    const wasEnded = here.tip.end !== undefined;
    if (source.isOpen(here.branch) && !wasEnded) return;
    await this.#beginRecording();
    if (here.records.at(-1)?.kind === 'end') here.records.pop();
    if (!source.isOpen(here.branch)) {
      const { branch: id, start, records } = here;
      source.open({ id, parent: source.branch(id)?.parent, start, records });
    } else source.reopen(here.branch);
    here.tip = { ...here.tip, end: undefined };
    here.consumed[this.#index] = here.records.length;
    this.#options.host.record({
      kind: 'resumed',
      after: (here.records.at(-1) ?? here.follows).id,
      time: this.#options.host.now(),
    });
    const { missing } = here;
    here.missing = [];
    this.#append(here, missing);
    here.consumed[this.#index] = here.records.length;
  }

  #append(here: Current, bodies: readonly RecordBody[]): readonly ChainedRecord[] {
    const { host } = this.#options;
    return bodies.map((body) => {
      if (this.#nextId === undefined) throw new Error('Nothing can be recorded yet');
      const parent = (here.records.at(-1) ?? here.follows).id;
      const record = chainRecord(body, { id: this.#nextId, parent, branch: here.branch, time: host.now() });
      host.record(record);
      this.#nextId++;
      here.records.push(record);
      this.#steps.source.add(here.branch, record);
      return record;
    });
  }

  async #advanceLive(signal: AbortSignal): Promise<PhaseReport> {
    const participants = this.#acting();
    if (!goesOn(this.#here.tip)) throw new Error('advance after the end');
    await this.#goOn();
    const here = this.#here;
    const { host } = this.#options;
    const before = here.tip;
    const effect = effectOf(before);
    const context = this.#context;
    if (effect.type === 'execute' || effect.type === 'skip') {
      this.#refuseUnknownOutcome(here, effect);
      await this.#rewinder.take(here.standing, () => this.#carriedOutBefore(here), signal);
    }
    const started = host.now();
    const isBegun = here.records.at(-1)?.kind === 'intent';
    const intents = isBegun ? [] : this.#append(here, intentOf(before, effect));
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
    const next = transition(context, before, input);
    const records = this.#append(here, next.records);
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

function liveStep(branch: number, start: RunState, follows: Current['follows'], standing: Standing): Current {
  return {
    branch,
    step: start.step,
    start,
    reports: [],
    consumed: [0],
    records: [],
    tip: start,
    complete: false,
    missing: [],
    follows: { id: follows.id, branch: follows.branch },
    standing,
  };
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
