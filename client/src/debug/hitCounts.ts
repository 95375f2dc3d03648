/** How often breakpoints were hit up to a place of a branch, however often that branch was gone over. */
import type { PhaseReport } from '../runtime/execution';
import type { BreakpointOptions } from './breakpointOptions';
import type { PhasePlace } from './stopPolicy';

/** What was carried out before, in every branch of a run. */
export interface StepHistory {
  /** Each branch but the first left its parent in the step `parent.step`. */
  readonly branches: readonly {
    readonly id: number;
    readonly parent?: { readonly branch: number; readonly step: number } | undefined;
  }[];
  /** The phases of a step on the line of a branch, in order; as far as they were carried out. */
  reportsOf(branch: number, step: number): Promise<readonly PhaseReport[]>;
}

/** How often a phase hits a breakpoint with its condition met: mostly 0 or 1. */
export type Matches = (report: PhaseReport) => number;

/** After so many steps that had to be gone over anew, messages that arrived get their turn. */
const stepsInARow = 20;

export class HitCounts {
  readonly #history: StepHistory;
  readonly #yieldToMessages: () => Promise<void>;
  /** By branch: how many hits there are in its first n steps, from the one in which it left its parent. */
  readonly #byBreakpoint = new WeakMap<BreakpointOptions, Map<number, number[]>>();

  constructor(history: StepHistory, yieldToMessages: () => Promise<void>) {
    this.#history = history;
    this.#yieldToMessages = yieldToMessages;
  }

  /** The hits of a breakpoint in everything on a branch's line that came before a place. */
  async before(breakpoint: BreakpointOptions, matches: Matches, place: PhasePlace): Promise<number> {
    const { branch, step, index } = place;
    const earlier = await this.#beforeStep(breakpoint, matches, branch, step);
    if (index === 0) return earlier;
    const reports = await this.#history.reportsOf(branch, step);
    return earlier + sum(reports.slice(0, index), matches);
  }

  async #beforeStep(
    breakpoint: BreakpointOptions,
    matches: Matches,
    branch: number,
    step: number,
  ): Promise<number> {
    const line = this.#lineOf(branch);
    // The branch of the line that the steps just before belong to.
    const from = line.findLastIndex(({ first }) => first < step);
    let total = 0;
    for (const [at, { id, first }] of line.entries()) {
      if (at > from) break;
      const until = Math.min(step, line[at + 1]?.first ?? step);
      total += await this.#ownCount(breakpoint, matches, { branch: id, first, until });
    }
    return total;
  }

  /** The branches of a line, oldest first, each with the step that is its first. */
  #lineOf(branch: number): readonly { readonly id: number; readonly first: number }[] {
    const byId = new Map(this.#history.branches.map((one) => [one.id, one.parent]));
    const line: { id: number; first: number }[] = [];
    let before = Number.POSITIVE_INFINITY;
    for (let id: number | undefined = branch, seen = 0; id !== undefined && seen <= byId.size; seen++) {
      const parent = byId.get(id);
      const first = parent?.step ?? 0;
      // A branch may leave its parent in a step that the parent has from its own parent.
      if (first < before) line.unshift({ id, first });
      before = Math.min(before, first);
      id = parent?.branch;
    }
    return line;
  }

  /** The hits in the steps `first` to `until` of a branch; counted once, and from then on known. */
  async #ownCount(
    breakpoint: BreakpointOptions,
    matches: Matches,
    { branch, first, until }: { readonly branch: number; readonly first: number; readonly until: number },
  ): Promise<number> {
    if (until <= first) return 0;
    const counts = this.#countsOf(breakpoint, branch);
    for (let known = counts.length - 1; first + known < until; known = counts.length - 1) {
      const reports = await this.#history.reportsOf(branch, first + known);
      counts.push((counts[known] ?? 0) + sum(reports, matches));
      if (known % stepsInARow === stepsInARow - 1) await this.#yieldToMessages();
    }
    return counts[until - first] ?? 0;
  }

  #countsOf(breakpoint: BreakpointOptions, branch: number): number[] {
    const byBranch = this.#byBreakpoint.get(breakpoint) ?? new Map<number, number[]>();
    this.#byBreakpoint.set(breakpoint, byBranch);
    const known = byBranch.get(branch) ?? [0];
    byBranch.set(branch, known);
    return known;
  }
}

function sum(reports: readonly PhaseReport[], matches: Matches): number {
  return reports.reduce((total, report) => total + matches(report), 0);
}
