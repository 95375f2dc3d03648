/** Which steps of a branch pass a filter, found as far as the trace is read and kept as it grows. */
import type { StepFilter } from '../../../../schemas/messages/runPanelMessages';
import type { TraceReader } from '../../runtime/traceReader';

/** Steps that are looked at before others have their turn. */
const stepsAtOnce = 4_096;

type Searched = Pick<TraceReader, 'bins' | 'branches'>;
export type PassedFilter = Exclude<StepFilter, 'all'>;

/** The matches of one branch and filter. */
class Matches {
  readonly steps: number[] = [];
  /** Up to which step was looked. The last one is looked at again, since it may go on. */
  #next = 0;

  async goOn(
    reader: Searched,
    branch: number,
    filter: PassedFilter,
    pause: () => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const total = stepsOf(reader, branch);
      if (this.#next >= total) return;
      const to = Math.min(this.#next + stepsAtOnce, total);
      for (const bin of reader.bins(branch, this.#next, to, to - this.#next)) {
        const found =
          (filter !== 'warnings' && bin.rejections > 0) || (filter !== 'rejections' && bin.warnings > 0);
        const last = this.steps.at(-1);
        if (last === bin.from) {
          if (!found) this.steps.pop();
        } else if (found) this.steps.push(bin.from);
      }
      this.#next = Math.max(to - 1, 0);
      if (to >= total) return;
      await pause();
    }
  }
}

/** Matches of all branches and filters of a trace that were asked for. */
export class StepMatches {
  readonly #reader: Searched;
  readonly #pause: () => Promise<void>;
  readonly #matches = new Map<string, Matches>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(reader: Searched, pause: () => Promise<void>) {
    this.#reader = reader;
    this.#pause = pause;
  }

  /** The steps that pass, in order. */
  async of(branch: number, filter: PassedFilter): Promise<readonly number[]> {
    const key = `${branch} ${filter}`;
    const matches = this.#matches.get(key) ?? new Matches();
    this.#matches.set(key, matches);
    let search = this.#underWay.get(key);
    if (search === undefined) {
      search = matches.goOn(this.#reader, branch, filter, this.#pause);
      this.#underWay.set(key, search);
      const done = () => this.#underWay.delete(key);
      search.then(done, done);
    }
    await search;
    return matches.steps;
  }
}

function stepsOf(reader: Searched, branch: number): number {
  return reader.branches.find(({ id }) => id === branch)?.steps ?? 0;
}

/** The place of the first step from `step` on in an ascending list; the list's length where there is none. */
export function firstFrom(steps: readonly number[], step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((steps[middle] ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}
