/** The bars of the graph. Those that no step is added to any more are kept: a run that goes on is not summed up anew. */
import type { GraphBin } from '../../../../schemas/messages/runPanelMessages';
import type { TraceReader } from '../../runtime/traceReader';
import { graphBins } from './stepRows';

/** Bars of fewer steps are summed up in no time, and would be many. */
const leastSize = 10;

/** Of so many branches and widths bars are kept, those that were asked for last. */
const keptKinds = 8;

export class GraphBars {
  readonly #reader: Pick<TraceReader, 'bins' | 'totals' | 'branches'>;
  /** By branch and size, by first step. */
  readonly #kept = new Map<string, Map<number, GraphBin>>();
  #branchCount = 0;

  constructor(reader: Pick<TraceReader, 'bins' | 'totals' | 'branches'>) {
    this.#reader = reader;
  }

  /** As {@link graphBins}. */
  of(query: Parameters<typeof graphBins>[1]): ReturnType<typeof graphBins> {
    const { branch, from, to, size } = query;
    if (size < leastSize) return graphBins(this.#reader, query);
    const { branches } = this.#reader;
    // A branch that has begun is marked in the bar of its step.
    if (branches.length !== this.#branchCount) this.#kept.clear();
    this.#branchCount = branches.length;
    const kept = this.#keptOf(`${branch} ${size}`);
    const steps = branches.find(({ id }) => id === branch)?.steps ?? 0;
    const bins: GraphBin[] = [];
    let next = from;
    for (; next + size <= to; next += size) {
      const bin = kept.get(next);
      if (bin === undefined) break;
      bins.push(bin);
    }
    const others = graphBins(this.#reader, { branch, from: next, to, size });
    for (const bin of others.bins) {
      bins.push(bin);
      // The last step may go on.
      if (bin.to - bin.from === size && bin.to < steps) kept.set(bin.from, bin);
    }
    const { before } = next === from ? others : graphBins(this.#reader, { branch, from, to: from, size });
    return { before, bins };
  }

  #keptOf(kind: string): Map<number, GraphBin> {
    const bins = this.#kept.get(kind) ?? new Map<number, GraphBin>();
    this.#kept.delete(kind);
    this.#kept.set(kind, bins);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptKinds) break;
      this.#kept.delete(oldest);
    }
    return bins;
  }
}
