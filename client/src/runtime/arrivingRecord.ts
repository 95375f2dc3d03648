/** What is there of a recorded run while the rest of it is read, and on which of its lines a journey begins. */
import type { JourneyOptions, JourneyPlace, RecordPart } from './journey';
import type { MemorySteps } from './memorySteps';

export class ArrivingRecord {
  readonly #recorded: JourneyOptions['recorded'];
  readonly #steps: MemorySteps;
  /** The line on which the journey begins, as long as it isn't sure that there is such a one. */
  #awaited: { readonly branch: number | undefined } | undefined;
  #isTaken: boolean;

  constructor(recorded: JourneyOptions['recorded'], steps: MemorySteps) {
    this.#recorded = recorded;
    this.#steps = steps;
    this.#isTaken = recorded?.reading === undefined;
    this.#awaited = this.#isTaken ? undefined : { branch: recorded?.branch };
  }

  /** True until {@link take} was called for a record of which nothing more will be read. */
  get isReading(): boolean {
    return !this.#isTaken;
  }

  /** True where nothing more will be read. */
  get isOver(): boolean {
    return this.#recorded?.reading?.isOver !== false;
  }

  /** Why nobody can go on from it, or not yet; undefined where somebody can. */
  get missing(): string | undefined {
    if (!this.isOver) return 'The trace is still being read: wait for the end of that first.';
    return this.#recorded?.reading?.missing;
  }

  /** The line on which the journey begins, as far as that is known. */
  get line(): number {
    const wanted = this.#recorded?.branch;
    const isThere = wanted !== undefined && (!this.isOver || this.#has(wanted));
    return isThere ? wanted : this.isOver ? this.last : 0;
  }

  /** The last branch. */
  get last(): number {
    return this.#steps.branches.at(-1)?.id ?? 0;
  }

  /** Nothing more will be read, and that was taken note of. */
  take(): void {
    this.#isTaken = true;
  }

  /** The journey goes elsewhere than where it began. */
  leaveLine(): void {
    this.#awaited = undefined;
  }

  /** True once, when it has become known on which line the journey begins. */
  takeLine(): boolean {
    if (this.#awaited === undefined || !(this.isOver || this.#isLineThere())) return false;
    this.#awaited = undefined;
    return true;
  }

  /**
   * Settles when a part is there as it stays, or nothing more will be read.
   *
   * @param next where the next phase leads
   * @throws what `signal` was aborted with
   */
  async until(
    part: RecordPart,
    next: () => Pick<JourneyPlace, 'branch' | 'step'>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#recorded?.reading?.until(() => this.#isThere(part, next), signal);
  }

  #isThere(part: RecordPart, next: () => Pick<JourneyPlace, 'branch' | 'step'>): boolean {
    if (part === 'whole') return false;
    const { branch, step } = part === 'next' ? next() : part;
    const isOnLine = part === 'next' || branch === this.#awaited?.branch;
    return (!isOnLine || this.#isLineThere()) && this.#isStepThere(branch, step);
  }

  /** Of a branch's last step there may be more to come. */
  #isStepThere(branch: number, step: number): boolean {
    return step < (this.#steps.branch(branch)?.last ?? 0);
  }

  #isLineThere(): boolean {
    if (this.#awaited === undefined) return true;
    const { branch } = this.#awaited;
    return branch !== undefined && this.#has(branch);
  }

  #has(branch: number): boolean {
    return this.#steps.branches.some(({ id }) => id === branch);
  }
}
