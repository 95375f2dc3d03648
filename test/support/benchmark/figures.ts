/** What a benchmark measured: figures with their units, each beside what it is compared with. */

export type Unit = 'ms' | 'µs' | 'bytes' | 'characters' | 'tokens' | 'steps/s' | 'count';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The value as a multiple of another figure; `to` names that one. */
  readonly ratio?: { readonly value: number; readonly to: string };
  /** What design asks for, and whether this is it. */
  readonly goal?: { readonly text: string; readonly met: boolean };
}

/** One measure: its figures, or why it could not be taken. */
export interface Measure {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly skipped?: string;
}

/** The middle value; of an even number of values the lower one of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** How long `work` takes, in milliseconds. */
export async function millisecondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Starts a clock of processor time, which tells the milliseconds since: of this process alone, its garbage collection
 * included, so that what else runs on the machine counts little.
 */
export function processorClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** A clock of steps: `tick` ends one. */
export class StepClock {
  readonly steps: number[] = [];
  readonly #processor = processorClock();
  #last = performance.now();

  tick(): void {
    const now = performance.now();
    this.steps.push(now - this.#last);
    this.#last = now;
  }

  /** Milliseconds of processor time per step. */
  get processor(): number {
    return this.#processor() / this.steps.length;
  }
}
