/** The trace reader: what the index of columns tells at once, and the way back to the records. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { ChainedRecord, RunRecord, TraceProblem } from '../../../schemas/trace/trace';
import type { BranchLine } from './branchLine';
import { stateAfterEdit } from './edits';
import type { Interruption } from './interruptions';
import type { MergePolicies } from './merge';
import { mayHave } from './pathFilter';
import { composePrompt } from './prompt';
import type { Totals } from './runState';
import { StepSum } from './stepSums';
import { TraceGap } from './traceGap';
import { TraceIndex } from './traceIndex';
import { TraceIntake } from './traceIntake';
import type {
  Bin,
  RecordedPrompt,
  RecordedStep,
  StepSummary,
  TraceBranch,
  TraceProgress,
  TraceReader,
  TraceReaderOptions,
} from './traceReader';
import { TraceSeeker } from './traceSeeker';

const unreadable: Omit<StepSummary, 'branch' | 'step' | 'forks'> = {
  status: 'unreadable',
  action: undefined,
  chosen: undefined,
  changedKeys: [],
  changedCount: 0,
  attempts: 0,
  failedRequests: 0,
  rejections: 0,
  cutReplies: 0,
  rejectionClasses: [],
  warnings: 0,
  warningClasses: [],
  tokens: new StepSum().tokens,
  cost: 0,
  knownCost: 0,
  costAtMost: 0,
  accepted: false,
  done: false,
  edited: false,
};

export class IndexedTrace implements TraceReader {
  readonly #options: TraceReaderOptions;
  readonly #index = new TraceIndex();
  readonly #seeker: TraceSeeker;
  readonly #intake: TraceIntake;
  readonly #listeners = new Set<() => void>();
  #branches: readonly TraceBranch[] | undefined;

  constructor(options: TraceReaderOptions) {
    this.#options = options;
    this.#seeker = new TraceSeeker(options.bytes, this.#index);
    this.#intake = new TraceIntake({
      ...options,
      index: this.#index,
      seeker: this.#seeker,
      onChange: () => this.#changed(),
    });
  }

  get header(): RunRecord | undefined {
    return this.#index.header;
  }

  get problems(): readonly TraceProblem[] {
    return this.#intake.problems;
  }

  get problemsLeftOut(): number {
    return this.#intake.problemsLeftOut;
  }

  get progress(): TraceProgress {
    return this.#intake.progress;
  }

  get branches(): readonly TraceBranch[] {
    this.#branches ??= [...this.#index.branches.values()].sort((a, b) => a.id - b.id).map(described);
    return this.#branches;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  read(signal?: AbortSignal): Promise<void> {
    return this.#intake.read(signal);
  }

  summary(branch: number, step: number): StepSummary {
    const line = this.#lineWith(branch, step);
    const owner = line.ownerOf(step);
    const row = owner?.ownRow(step);
    const forks = owner?.forks.get(step) ?? [];
    return { branch, step, forks, ...(row === undefined ? unreadable : this.#index.rows.summary(row)) };
  }

  totals(branch: number, step: number): Totals {
    return this.#lineWith(branch, step, 1).sumBefore(step).totals;
  }

  bins(branch: number, from: number, to: number, count: number): readonly Bin[] {
    const line = this.#branchLine(branch);
    if (!(from >= 0 && from <= to && to <= line.steps && count >= 1))
      throw new RangeError(`Branch ${branch} has no steps ${from} to ${to}`);
    const width = Math.max(1, Math.ceil((to - from) / count));
    const bins: Bin[] = [];
    for (let start = from; start < to; start += width)
      bins.push(this.#bin(line, start, Math.min(to, start + width)));
    return bins;
  }

  async recordsOf(branch: number, step: number): Promise<readonly ChainedRecord[]> {
    const row = this.#lineWith(branch, step).rowOf(step);
    return row === undefined ? [] : this.#seeker.records(row);
  }

  async step(branch: number, step: number): Promise<RecordedStep> {
    return this.#seeker.step(this.#lineWith(branch, step), step);
  }

  interruptions(branch: number, step: number): readonly Interruption[] {
    const row = this.#lineWith(branch, step).rowOf(step);
    return row === undefined ? [] : this.#index.rows.interruptions(row);
  }

  async stateAt(branch: number, step: number): Promise<JsonObject> {
    return this.#seeker.stateAt(this.#lineWith(branch, step, 1), step);
  }

  isStateCertain(branch: number, step: number): boolean {
    return this.#seeker.isCertain(this.#lineWith(branch, step, 1), step);
  }

  async promptOf(branch: number, step: number, attempt: number): Promise<RecordedPrompt> {
    const line = this.#lineWith(branch, step);
    const recorded = await this.#seeker.step(line, step);
    let { observation } = recorded;
    let state = await this.#seeker.stateAt(line, step);
    for (const record of recorded.records) {
      if (record.kind === 'edit') {
        state = stateAfterEdit(state, record);
        if (record.target === 'observation' && typeof record.value === 'string') observation = record.value;
      } else if (record.kind === 'attempt' && record.attempt === attempt) {
        const { sha256, characters, correction } = record.prompt;
        const instructions = this.#instructionsOf(line.ownerOf(step));
        const prompt = composePrompt({
          instructions,
          state,
          observation,
          correction,
        });
        const hash = this.#options.sha256?.(prompt.text);
        return {
          prompt,
          matches: hash === undefined ? undefined : hash === sha256 && prompt.text.length === characters,
        };
      }
    }
    throw new RangeError(`Step ${step} has no attempt ${attempt}`);
  }

  async policiesAt(branch: number, step: number): Promise<MergePolicies> {
    return this.#seeker.policies(this.#lineWith(branch, step).ownerOf(step));
  }

  mayWrite(branch: number, step: number, path: JsonPath): boolean {
    const row = this.#lineWith(branch, step).rowOf(step);
    return row !== undefined && mayHave(this.#index.rows.paths(row), path);
  }

  #instructionsOf(owner: BranchLine | undefined): string {
    for (let line = owner; line; line = line.parent?.line) {
      const { instructions } = line.fork ?? {};
      if (instructions) return instructions.text;
    }
    if (!this.header)
      throw new TraceGap(
        'The prompt is not known: the trace has lost the instructions, with its run record.',
      );
    return this.header.instructions.text;
  }

  #branchLine(branch: number): BranchLine {
    const line = this.#index.branches.get(branch);
    if (!line) throw new RangeError(`There is no branch ${branch}`);
    return line;
  }

  /** @param beyond how many steps may be named that aren't there yet */
  #lineWith(branch: number, step: number, beyond = 0): BranchLine {
    const line = this.#branchLine(branch);
    if (!Number.isInteger(step) || step < 0 || step >= line.steps + beyond)
      throw new RangeError(`There is no step ${step} on branch ${branch}`);
    return line;
  }

  #bin(line: BranchLine, from: number, to: number): Bin {
    const sum = new StepSum();
    let forks = 0;
    for (let step = from; step < to; step++) {
      const owner = line.ownerOf(step);
      forks += owner?.forks.get(step)?.length ?? 0;
      const row = owner?.ownRow(step);
      if (row !== undefined) sum.add(this.#index.rows, row);
    }
    const { tokens, peak, attempts, rejections, warnings, refused, failed } = sum;
    const { cost: knownCost } = sum;
    const cost = sum.isPriced ? knownCost : undefined;
    const costAtMost = sum.isBounded ? knownCost + sum.bound : undefined;
    return {
      from,
      to,
      tokens,
      peak,
      attempts,
      rejections,
      warnings,
      refused,
      failed,
      forks,
      cost,
      knownCost,
      costAtMost,
    };
  }

  #changed(): void {
    this.#branches = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function described(line: BranchLine): TraceBranch {
  const { id, parent, steps, ownFrom, end, fork } = line;
  let acting: TraceBranch['acting'];
  return {
    id,
    parent: parent && { branch: parent.line.id, step: parent.step },
    steps,
    ownFrom,
    end,
    skill: fork?.skill?.files,
    // There may be many branches, and many changes along each of their lines.
    get acting() {
      acting ??= line.acting;
      return acting.length > 0 ? acting : undefined;
    },
  };
}
