/**
 * The steps of a recorded run: its records as the trace has them, and the runs at its keyframes, put together from the
 * keyframe's Σ, the sums up to it and what the steps before it left behind.
 */
import type { ChainedRecord, RunRecord, StepRecord } from '../../../schemas/trace/trace';
import { actingAfter } from './acting';
import type { Interruption } from './interruptions';
import type { RecordedRun, RecordReading } from './journey';
import { MemorySteps } from './memorySteps';
import type { Proposals } from './provenance';
import { recordedSkill } from './recordedSkill';
import type { RunState } from './runState';
import { firstStep } from './stepBoundary';
import type { SourceBranch, StepSource } from './stepSource';
import type { TraceBranch, TraceReader } from './traceReader';

/** How far back the patch is looked for that a repeated one would be compared with. */
const patchSearch = 256;

export class RecordedSteps implements StepSource {
  readonly #reader: TraceReader;
  readonly #header: RunRecord;
  readonly #awaited: () => number | undefined;

  /**
   * @param reader has been read to the end, or its steps are asked for as they come: none that may still grow
   * @param awaited the branch that is still to come, of which the original run's first step is taken for the beginning
   */
  constructor(reader: TraceReader, header: RunRecord, awaited: () => number | undefined = () => undefined) {
    this.#reader = reader;
    this.#header = header;
    this.#awaited = awaited;
  }

  get branches(): readonly SourceBranch[] {
    return this.#reader.branches.map(described);
  }

  branch(id: number): SourceBranch | undefined {
    const found = this.#reader.branches.find((branch) => branch.id === id);
    if (found !== undefined) return described(found);
    if (id !== this.#awaited()) return undefined;
    const parent = { branch: 0, step: 0 };
    return { id, parent, from: Number.POSITIVE_INFINITY, last: 0, end: undefined, skill: undefined };
  }

  async records(branch: number, step: number): Promise<readonly ChainedRecord[]> {
    const { steps, end } = this.#branchOf(branch);
    if (step < 0 || step > steps) throw new RangeError(`There is no step ${step}`);
    const records = step < steps ? await this.#own(branch, step) : [];
    if (end === undefined || step < steps - 1) return records;
    // What ended a run before its next step could begin, such as a cap or the user, ends that one.
    const last = step < steps ? records : steps === 0 ? [] : await this.#own(branch, steps - 1);
    const endsNext = (end.outcome === 'capped' || end.resumable === true) && isOver(last);
    return endsNext === (step === steps) ? [...records, end] : records;
  }

  interruptions(branch: number, step: number): readonly Interruption[] {
    const { steps, end } = this.#branchOf(branch);
    // The end that it has come to stands among its records.
    return step < steps ? this.#reader.interruptions(branch, step).filter(({ id }) => id !== end?.id) : [];
  }

  async #own(branch: number, step: number): Promise<readonly ChainedRecord[]> {
    const records = await this.#reader.recordsOf(branch, step);
    return records.filter(({ kind }) => kind !== 'end' && kind !== 'run');
  }

  async checkpoint(branch: number, step: number): Promise<RunState> {
    const { steps } = this.#branchOf(branch);
    const { keyframeEvery } = this.#header.options;
    const nearest = Math.min(step, Math.max(0, steps - 1));
    for (let at = nearest - (nearest % keyframeEvery); at > 0; at -= keyframeEvery) {
      const keyframe = beginning(await this.#own(branch, at));
      if (keyframe?.state !== undefined) return this.#runAt(branch, at, keyframe);
    }
    return this.#first(branch);
  }

  async nextRecorded(branch: number, step: number): Promise<number> {
    const { steps } = this.#branchOf(branch);
    let next = step;
    while (next < steps - 1 && (await this.#own(branch, next)).length === 0) next++;
    return next;
  }

  async startAfterGap(branch: number, step: number): Promise<RunState> {
    const { steps } = this.#branchOf(branch);
    const records = step < steps ? await this.#own(branch, step) : [];
    const began = records.find((record) => record.kind === 'step');
    const keyframe = beginning(records);
    const state = keyframe?.state ?? (await this.#reader.stateAt(branch, step));
    const observation = began?.kind === 'step' ? began.observation : undefined;
    return this.#runAt(branch, step, {
      state,
      ...(observation !== undefined && { observation }),
      ...(keyframe?.proposed !== undefined && { proposed: keyframe.proposed }),
    });
  }

  activeMilliseconds(branch: number, step: number): number | undefined {
    const found = this.#branchOf(branch);
    return step > found.steps ? undefined : this.#reader.totals(branch, step).activeMilliseconds;
  }

  async #first(branch: number): Promise<RunState> {
    const { steps } = this.#branchOf(branch);
    const records = steps === 0 ? [] : await this.#own(branch, 0);
    const outcome = records.find((record) => record.kind === 'outcome');
    const scored = outcome?.kind === 'outcome' && outcome.score !== undefined;
    const score = scored ? { actionable: 0, successful: 0 } : undefined;
    return firstStep(this.#header.state, await this.#firstObservation(branch), score);
  }

  /**
   * O_0 as a branch has it, else as any other has it: the episode begins alike in all. Empty where each that went on from
   * there has another by hand, which is made again anyway.
   */
  async #firstObservation(branch: number): Promise<string> {
    const others = this.#reader.branches.filter(({ id, steps }) => id !== branch && steps > 0);
    for (const { id, steps } of [this.#branchOf(branch), ...others]) {
      const records = steps === 0 ? [] : await this.#own(id, 0);
      const began = records.find((record) => record.kind === 'step');
      const isEdited = records.some(
        (record) => record.kind === 'edit' && record.phase === 'observe' && record.target === 'observation',
      );
      if (began?.kind === 'step' && began.observation !== undefined && !isEdited) return began.observation;
    }
    return '';
  }

  async #runAt(
    branch: number,
    step: number,
    keyframe: Pick<StepRecord, 'state' | 'observation' | 'proposed'>,
  ): Promise<RunState> {
    const { state = {} } = keyframe;
    const before = await this.#before(branch, step);
    const { outcome } = before;
    const observation = keyframe.observation ?? outcome?.observation ?? before.plainObservation;
    return {
      ...firstStep(state, observation, outcome?.score),
      step,
      observationIsOutcome: keyframe.observation === undefined,
      plainObservation: before.plainObservation,
      warnings: before.warnings,
      proposals: proposalsOf(keyframe),
      previousPatch: before.previousPatch,
      exhaustedInARow: before.exhaustedInARow,
      divergence: outcome?.diverged ? before.divergence : '',
      totals: this.#reader.totals(branch, step),
    };
  }

  /** What the steps before one left behind, from the last one back. */
  async #before(branch: number, step: number) {
    const warnings: RunState['warnings'][number][] = [];
    let outcome: (ChainedRecord & { kind: 'outcome' }) | undefined;
    let plainObservation: string | undefined;
    let previousPatch: RunState['previousPatch'];
    let divergence: string | undefined;
    let exhaustedInARow = 0;
    let inARow = true;
    for (let at = step - 1; at >= 0 && at >= step - patchSearch; at--) {
      const records = await this.#own(branch, at);
      inARow &&= records.some((record) => record.kind === 'rejection' && record.exhausted === 'reobserve');
      if (inARow) exhaustedInARow++;
      for (const record of records.toReversed()) {
        if (record.kind === 'warning') {
          const { class: warningClass, message, pointer } = record;
          const warning = { class: warningClass, message, ...(pointer !== undefined && { pointer }) };
          if (outcome === undefined) warnings.unshift(warning);
          if (warningClass === 'diverged') divergence ??= message;
        } else if (record.kind === 'commit' && record.by === 'model') previousPatch ??= record.patch;
        else if (record.kind === 'edit' && record.target === 'observation') {
          plainObservation ??= typeof record.value === 'string' ? record.value : undefined;
        } else if (record.kind === 'outcome') {
          outcome ??= record;
          plainObservation ??= record.observation;
        } else if (record.kind === 'step' && at === 0) plainObservation ??= record.observation;
      }
      const isComplete = outcome !== undefined && previousPatch !== undefined;
      if (isComplete && !inARow && (!outcome?.diverged || divergence !== undefined)) break;
    }
    return {
      warnings,
      outcome,
      plainObservation: plainObservation ?? '',
      previousPatch,
      divergence: divergence ?? '',
      exhaustedInARow,
    };
  }

  #branchOf(id: number): TraceBranch {
    const found = this.#reader.branches.find((branch) => branch.id === id);
    if (found === undefined) throw new RangeError(`There is no branch ${id}`);
    return found;
  }
}

function described({ id, parent, steps, ownFrom, end, skill }: TraceBranch): SourceBranch {
  return { id, parent, from: ownFrom, last: steps - 1, end, skill };
}

/** The record by which a step begins; undefined where it was edited before that, so that its Σ isn't the step's first. */
function beginning(records: readonly ChainedRecord[]): StepRecord | undefined {
  const first = records.find(({ kind }) => kind !== 'fork');
  return first?.kind === 'step' ? first : undefined;
}

function isOver(records: readonly ChainedRecord[]): boolean {
  return records.some(
    (record) =>
      record.kind === 'outcome' || (record.kind === 'rejection' && record.exhausted === 'reobserve'),
  );
}

function proposalsOf({ proposed = {} }: Pick<StepRecord, 'proposed'>): Proposals {
  return new Map(Object.entries(proposed).map(([pointer, step]) => [pointer, { step }]));
}

export interface RecordedRunOptions {
  /** Where the reader has not read everything yet. */
  readonly reading?: RecordReading;
  /** The branch on whose line the journey begins, where there is such a one; else it is the last one. */
  readonly branch?: number | undefined;
}

/**
 * What a journey needs of a recorded run.
 *
 * @param reader has been read to the end, or is being read, as the options say
 */
export function recordedRun(
  reader: TraceReader,
  header: RunRecord,
  { reading, branch }: RecordedRunOptions = {},
): RecordedRun {
  const awaited = () => (reading === undefined || reading.isOver ? undefined : branch);
  const recorded = new RecordedSteps(reader, header, awaited);
  return {
    steps: new MemorySteps(recorded),
    headerId: header.id,
    ...(reading && { reading }),
    ...(branch !== undefined && { branch }),
    async lastId() {
      let last = header.id;
      for (const { id, end } of reader.branches) {
        const { last: step } = recorded.branch(id) ?? { last: -1 };
        const records = step < 0 ? [] : await recorded.records(id, step);
        last = Math.max(last, end?.id ?? 0, ...records.map((record) => record.id));
      }
      return last;
    },
    actingAt(branch, id, inclusive = false) {
      const { acting = [] } = reader.branches.find((one) => one.id === branch) ?? {};
      return actingAfter(
        header,
        acting.filter(({ after }) => after < id || (inclusive && after === id)),
      );
    },
    skillOf: (files) => recordedSkill(header.skill.name, files),
  };
}
