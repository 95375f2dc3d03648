/** The steps of a journey made again from their records: any step of any branch, and the skill that it ran with. */
import type { Skill } from '../../../schemas/skill/skill';
import type { ChainedRecord, RecordBody, RecordedFile } from '../../../schemas/trace/trace';
import type { CarriedOut, Standing } from './environmentRewind';
import type { PhaseReport } from './execution';
import type { MemorySteps } from './memorySteps';
import { RecentlyUsed } from './recentlyUsed';
import type { RunState } from './runState';
import { isComplete, replayStep, type StepReplay } from './stepReplay';
import { ownerOf } from './stepSource';
import { effectOf } from './transition';
import type { RunContext } from './transitionTypes';

/** A step on a line of history, with what was carried out of it; that of a live run grows. */
export interface StepOnLine {
  readonly branch: number;
  readonly step: number;
  readonly start: RunState;
  readonly reports: PhaseReport[];
  /** As in {@link StepReplay}. */
  readonly consumed: number[];
  readonly records: ChainedRecord[];
  /** The run after all of them. */
  tip: RunState;
  /** Whether the step has come to its end: `tip` stands in the next one then. */
  readonly complete: boolean;
  /** As in {@link StepReplay}. */
  missing: readonly RecordBody[];
}

/** How many starts of steps are kept for those who go on from there, or back. */
const keptStarts = 256;

/** Steps that have come to their end are kept as they were made, with prompts of so many UTF-16 units in all, */
const keptCharacters = 8_000_000;
/** each for at least so many, which keeps their number in bounds. */
const leastCharacters = 100_000;

function charactersOf({ reports }: StepOnLine): number {
  const { attempts = [] } = reports.at(-1)?.before ?? {};
  const characters = attempts.reduce((sum, { prompt }) => sum + prompt.text.length, 0);
  return Math.max(characters, leastCharacters);
}

/** After so many steps made again, others have their turn. */
const replaysInARow = 100;

export interface JourneyStepsOptions {
  readonly source: MemorySteps;
  /** That of the original run. */
  readonly context: RunContext;
  contextOf(skill: Skill): RunContext;
  skillOf(files: readonly RecordedFile[]): Promise<Skill>;
  /** Lets others have their turn. */
  pause?(): Promise<void>;
}

export class JourneySteps {
  readonly source: MemorySteps;
  readonly #options: JourneyStepsOptions;
  readonly #contexts = new Map<number, RunContext>();
  readonly #starts = new RecentlyUsed<string, RunState>(keptStarts);
  /** Nothing changes these any more. */
  readonly #completeSteps = new RecentlyUsed<string, StepOnLine>(keptCharacters);
  #deviation: string | undefined;
  #replays = 0;

  constructor(options: JourneyStepsOptions) {
    this.source = options.source;
    this.#options = options;
  }

  /** The first step seen that was recorded otherwise than it is decided now, as a sentence for the user. */
  get deviation(): string | undefined {
    return this.#deviation;
  }

  /** A branch goes on with another skill. */
  setContext(branch: number, context: RunContext): void {
    this.#contexts.set(branch, context);
  }

  /** What a step of a line ran with. */
  async contextAt(branch: number, step: number): Promise<RunContext> {
    for (let id = branch, at = step; ; ) {
      const owner = this.source.branch(ownerOf(this.source, id, at));
      if (owner === undefined) return this.#options.context;
      const known = this.#contexts.get(owner.id);
      if (known !== undefined) return known;
      if (owner.skill !== undefined) {
        const context = this.#options.contextOf(await this.#options.skillOf(owner.skill));
        this.#contexts.set(owner.id, context);
        return context;
      }
      if (owner.parent === undefined || owner.parent.branch >= owner.id) return this.#options.context;
      id = owner.parent.branch;
      at = owner.from;
    }
  }

  /** @throws RangeError where the line has no such step */
  async load(branch: number, step: number): Promise<StepOnLine> {
    return this.#complete(branch, step) ?? this.#from(branch, await this.start(branch, step));
  }

  /** A step made again from its start. */
  async #from(branch: number, start: RunState): Promise<StepOnLine> {
    const { step } = start;
    const known = this.#complete(branch, step);
    if (known !== undefined) return known;
    const records = await this.source.records(branch, step);
    const replay = await this.#replay(branch, start, records);
    const { reports, consumed, missing } = replay;
    const next = isComplete(replay) ? replay.tip : await this.#afterGap(branch, step);
    const made: StepOnLine = {
      branch,
      step,
      start,
      complete: next !== undefined,
      tip: next === undefined ? replay.tip : this.#keep(branch, next),
      reports: [...reports],
      consumed: [...consumed],
      records: [...records],
      missing,
    };
    if (made.complete) this.#completeSteps.set(this.#key(branch, step), made, charactersOf(made));
    return made;
  }

  /** A step that has come to its end, where it was made lately: the same for all branches that it lies before. */
  #complete(branch: number, step: number): StepOnLine | undefined {
    const known = this.#completeSteps.get(this.#key(branch, step));
    return known && { ...known, branch };
  }

  /** @throws RangeError where the line has no such step */
  async start(branch: number, step: number): Promise<RunState> {
    const line = this.source.branch(branch);
    if (line === undefined) throw new RangeError(`There is no branch ${branch}`);
    if (!Number.isSafeInteger(step) || step < 0 || step > line.last + 1)
      throw new RangeError(`There is no step ${step} on branch ${branch}`);
    const known = this.#starts.get(this.#key(branch, step));
    if (known !== undefined) return known;
    let run = await this.source.checkpoint(branch, step);
    for (let at = step - 1; at > run.step; at--) {
      const nearer = this.#starts.get(this.#key(branch, at));
      if (nearer !== undefined) run = nearer;
    }
    while (run.step < step) {
      const made = await this.#from(branch, run);
      if (!made.complete) throw new RangeError(`There is no step ${step} on branch ${branch}`);
      run = made.tip;
    }
    return run.step === step ? run : this.source.startAfterGap(branch, step);
  }

  /** The start of the next step that there is, where the record has lost the end of a step and goes on all the same. */
  async #afterGap(branch: number, step: number): Promise<RunState | undefined> {
    const line = this.source.branch(branch);
    if (line === undefined || step >= line.last) return undefined;
    this.#deviation ??= `The trace has lost a part of step ${step}: what follows is shown as far as it can be told.`;
    // Of thousands of steps that are lost, none is made: there is nothing to be seen in them.
    return this.source.startAfterGap(branch, await this.source.nextRecorded(branch, step + 1));
  }

  /** The last record before a step, on its line; undefined before the first step. */
  async recordBefore(branch: number, step: number): Promise<ChainedRecord | undefined> {
    for (let at = step - 1; at >= 0; at--) {
      const last = (await this.source.records(branch, at)).findLast(({ kind }) => kind !== 'end');
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** Where the environment stood when a step began. */
  async standingAt(branch: number, step: number): Promise<Standing> {
    for (let at = step - 1; at >= 0; at--) {
      const outcome = (await this.source.records(branch, at)).findLast(({ kind }) => kind === 'outcome');
      if (outcome !== undefined) return outcome.id;
    }
    return 'start';
  }

  /** What the environment carried out before a step, the latest first. */
  async *carriedOutBefore(branch: number, step: number): AsyncGenerator<CarriedOut> {
    for (let at = step - 1; at >= 0; at--) {
      const records = await this.source.records(branch, at);
      const outcome = records.findLast((record) => record.kind === 'outcome');
      if (outcome?.kind !== 'outcome') continue;
      const intent = records.findLast((record) => record.kind === 'intent');
      const effect =
        intent?.kind === 'intent'
          ? ({ type: 'execute', action: intent.action } as const)
          : await this.#skipOf(branch, at);
      yield { id: outcome.id, step: at, effect, observation: outcome.observation };
    }
  }

  async #skipOf(branch: number, step: number): Promise<CarriedOut['effect']> {
    const { reports } = await this.load(branch, step);
    const act = reports.findLast(({ phase }) => phase === 'act');
    const effect = act && effectOf(act.before);
    return effect?.type === 'skip' ? effect : { type: 'skip', reason: '' };
  }

  async #replay(branch: number, start: RunState, records: readonly ChainedRecord[]): Promise<StepReplay> {
    if (++this.#replays % replaysInARow === 0) await this.#options.pause?.();
    const context = await this.contextAt(branch, start.step);
    const interruptions = this.source.interruptions(branch, start.step);
    const replay = replayStep(context, start, records, interruptions);
    if (replay.deviates) {
      this.#deviation ??= `Step ${start.step} was recorded otherwise than this version of SKILL.state would carry it out, or the trace was edited: it is shown as it was recorded.`;
    }
    return replay;
  }

  /** Keeps the start of a step for a while. */
  #keep(branch: number, run: RunState): RunState {
    const milliseconds = this.source.activeMilliseconds(branch, run.step);
    const start =
      milliseconds === undefined || milliseconds === run.totals.activeMilliseconds
        ? run
        : { ...run, totals: { ...run.totals, activeMilliseconds: milliseconds } };
    this.#starts.set(this.#key(branch, run.step), start, 1);
    return start;
  }

  #key(branch: number, step: number): string {
    return `${ownerOf(this.source, branch, step)}:${step}`;
  }
}
