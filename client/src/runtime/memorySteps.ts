/**
 * The steps of a live run, kept in memory: their records, and the runs at the starts of the latest steps and of every
 * 64th before, so that a long run takes little more than its trace. Branches that it doesn't know are its base's.
 */
import type { ChainedRecord, EndRecord, RecordedFile } from '../../../schemas/trace/trace';
import { type Interruption, interruptionOf } from './interruptions';
import type { RunState } from './runState';
import { ownerOf, type SourceBranch, type StepSource } from './stepSource';

/** So many latest starts are kept, and before them those of steps whose number is a multiple of it. */
const keptStarts = 64;

export interface BranchBeginning {
  readonly id: number;
  readonly parent: SourceBranch['parent'];
  readonly start: RunState;
  /** The records that the step `start` has on this line already. */
  readonly records: readonly ChainedRecord[];
  /** What it was interrupted by there. */
  readonly interruptions?: readonly Interruption[];
  readonly skill?: readonly RecordedFile[];
}

/** What a run begins with beside Σ_0. */
export type RunBeginning = Pick<RunState, 'observation' | 'plainObservation' | 'score'>;

function tellsObservation(record: ChainedRecord): boolean {
  return record.kind === 'step' || (record.kind === 'edit' && record.target === 'observation');
}

interface Step {
  readonly records: ChainedRecord[];
  readonly interruptions: Interruption[];
  readonly activeMilliseconds: number;
}

class MemoryBranch implements SourceBranch {
  readonly id: number;
  readonly parent: SourceBranch['parent'];
  readonly from: number;
  readonly skill: readonly RecordedFile[] | undefined;
  readonly steps: Step[] = [];
  readonly starts = new Map<number, RunState>();
  end: EndRecord | undefined;

  constructor({ id, parent, start, records, interruptions, skill }: BranchBeginning) {
    this.id = id;
    this.parent = parent;
    this.from = start.step;
    this.skill = skill;
    this.begin(start, records, interruptions);
  }

  get last(): number {
    const hasRecords = (this.steps.at(-1)?.records.length ?? 0) > 0;
    return this.from + this.steps.length - (hasRecords ? 1 : 2);
  }

  begin(
    start: RunState,
    records: readonly ChainedRecord[] = [],
    interruptions: readonly Interruption[] = [],
  ): void {
    const { activeMilliseconds } = start.totals;
    this.steps.push({ records: [...records], interruptions: [...interruptions], activeMilliseconds });
    this.starts.set(start.step, start);
    const passed = start.step - keptStarts;
    if (passed > this.from && passed % keptStarts !== 0) this.starts.delete(passed);
  }
}

export class MemorySteps implements StepSource {
  readonly #base: StepSource | undefined;
  readonly #branches = new Map<number, MemoryBranch>();
  #lacksFirst = false;
  #first: RunBeginning | undefined;

  /** @param base has what was recorded before this session. */
  constructor(base?: StepSource) {
    this.#base = base;
  }

  get branches(): readonly SourceBranch[] {
    const others = (this.#base?.branches ?? []).map((branch) => this.branch(branch.id) ?? branch);
    const known = new Set(others.map(({ id }) => id));
    return [...others, ...[...this.#branches.values()].filter(({ id }) => !known.has(id))].sort(
      (one, other) => one.id - other.id,
    );
  }

  branch(id: number): SourceBranch | undefined {
    const own = this.#branches.get(id);
    const below = this.#base?.branch(id);
    if (own === undefined || below === undefined) return own ?? below;
    // A recorded branch that goes on: what came before is the base's.
    const { parent, from, skill } = below;
    return { id, parent, from, skill, last: own.last, end: own.end };
  }

  /** A branch begins, or a recorded one goes on from the start of its last step. */
  open(beginning: BranchBeginning): void {
    this.#branches.set(beginning.id, new MemoryBranch(beginning));
  }

  /** Looks whether what was observed first stands nowhere: the recorded run ended, or was killed, before its first step. */
  async lookForFirst(): Promise<void> {
    this.#lacksFirst = this.#base !== undefined;
    for (const { id, last } of this.#base?.branches ?? []) {
      const records = last < 0 ? [] : await this.#base?.records(id, 0);
      if (records?.some(tellsObservation)) this.#lacksFirst = false;
    }
  }

  /** What {@link lookForFirst} found. */
  get lacksFirst(): boolean {
    return this.#lacksFirst;
  }

  /** What was observed first, of a recorded run that doesn't tell. */
  beginWith(first: RunBeginning): void {
    this.#first = first;
  }

  isOpen(branch: number): boolean {
    return this.#branches.has(branch);
  }

  /** The next step of an open branch begins. */
  begin(branch: number, start: RunState): void {
    this.#opened(branch).begin(start);
  }

  /** Keeps a record of the step that an open branch is in. An end that the branch goes on after is taken back. */
  add(branch: number, record: ChainedRecord): void {
    const opened = this.#opened(branch);
    const step = opened.steps.at(-1);
    if (record.kind === 'end') opened.end = record;
    if (step !== undefined) goOn(step);
    step?.records.push(record);
  }

  /** The branch goes on after an end that could be resumed. */
  reopen(branch: number): void {
    const opened = this.#opened(branch);
    const step = opened.steps.at(-1);
    if (step !== undefined) goOn(step);
    opened.end = undefined;
  }

  async records(branch: number, step: number): Promise<readonly ChainedRecord[]> {
    const { own, owner } = this.#placeOf(branch, step);
    if (own !== undefined) return own.steps[step - own.from]?.records ?? [];
    return this.#base?.records(owner, step) ?? [];
  }

  interruptions(branch: number, step: number): readonly Interruption[] {
    const { own, owner } = this.#placeOf(branch, step);
    if (own !== undefined) return own.steps[step - own.from]?.interruptions ?? [];
    return this.#base?.interruptions(owner, step) ?? [];
  }

  async checkpoint(branch: number, step: number): Promise<RunState> {
    const { own, owner } = this.#placeOf(branch, step);
    if (own === undefined) {
      if (this.#base === undefined) throw new RangeError(`There is no branch ${branch}`);
      const start = await this.#base.checkpoint(owner, step);
      return start.step === 0 ? { ...start, ...this.#first } : start;
    }
    for (let at = step; at >= own.from; at--) {
      const start = own.starts.get(at);
      if (start !== undefined) return start;
    }
    throw new RangeError(`There is no step ${step}`);
  }

  async nextRecorded(branch: number, step: number): Promise<number> {
    const { own, owner } = this.#placeOf(branch, step);
    return own === undefined && this.#base !== undefined ? this.#base.nextRecorded(owner, step) : step;
  }

  async startAfterGap(branch: number, step: number): Promise<RunState> {
    const { own, owner } = this.#placeOf(branch, step);
    if (own === undefined && this.#base !== undefined) return this.#base.startAfterGap(owner, step);
    throw new RangeError(`There is no step ${step} on branch ${branch}`);
  }

  activeMilliseconds(branch: number, step: number): number | undefined {
    const { own, owner } = this.#placeOf(branch, step);
    if (own === undefined) return this.#base?.activeMilliseconds(owner, step);
    return own.steps[step - own.from]?.activeMilliseconds;
  }

  /** The branch that a step of a line was recorded on, and its steps where they aren't the base's. */
  #placeOf(branch: number, step: number): { readonly own: MemoryBranch | undefined; readonly owner: number } {
    const owner = ownerOf(this, branch, step);
    const opened = this.#branches.get(owner);
    return { owner, own: opened !== undefined && step >= opened.from ? opened : undefined };
  }

  #opened(branch: number): MemoryBranch {
    const opened = this.#branches.get(branch);
    if (opened === undefined) throw new Error(`The branch ${branch} is not open`);
    return opened;
  }
}

/** Takes an end back after which the run goes on; what its requests took stays. */
function goOn({ records, interruptions }: Step): void {
  const end = records.at(-1);
  if (end?.kind !== 'end') return;
  records.pop();
  const interruption = interruptionOf(end);
  if (interruption !== undefined) interruptions.push(interruption);
}
