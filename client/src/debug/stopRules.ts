/** Puts everything together that stops a run: breakpoints of all kinds with their conditions and hits, and exceptions. */
import type { StateSchema } from '../../../schemas/state/stateSchema';
import type { PhaseReport } from '../runtime/execution';
import type { Budget } from '../runtime/options';
import type { RunState } from '../runtime/runState';
import { BreakpointIds, type BreakpointOptions } from './breakpointOptions';
import { BreakpointStore } from './breakpoints';
import { arrivalMoment, holds, type Moment } from './conditions';
import { changeText, DataBreakpointStore } from './dataBreakpoints';
import { ExceptionFilters } from './exceptionFilters';
import { FunctionBreakpointStore } from './functionBreakpoints';
import { HitCounts, type StepHistory } from './hitCounts';
import { pathKey } from './skillPaths';
import type {
  BreakpointReason,
  Focus,
  LogLine,
  PhaseHits,
  PhasePlace,
  StateChangeText,
  StopReason,
  StopRules,
} from './stopPolicy';

/** Everything that a user can set; it outlives the runs of a session. */
export interface StopPoints {
  readonly source: BreakpointStore;
  readonly functions: FunctionBreakpointStore;
  readonly data: DataBreakpointStore;
  readonly exceptions: ExceptionFilters;
}

/** Nothing is set yet. */
export function noStopPoints(): StopPoints {
  const ids = new BreakpointIds();
  return {
    source: new BreakpointStore((path) => pathKey(path), ids),
    functions: new FunctionBreakpointStore(ids),
    data: new DataBreakpointStore(ids),
    exceptions: new ExceptionFilters(),
  };
}

export interface RunStopRulesOptions {
  readonly points: StopPoints;
  readonly schema: StateSchema;
  readonly budget: Budget;
  readonly history: StepHistory;
  readonly yieldToMessages: () => Promise<void>;
  /** Puts a sentence for the user on the console. */
  readonly tell: (text: string) => void;
}

/** A breakpoint whose place a phase has come to; its condition is still to be asked. */
interface Candidate {
  readonly id: number;
  readonly options: BreakpointOptions;
  readonly reason: BreakpointReason;
  readonly moment: Moment;
  readonly focus: Focus | undefined;
  readonly source: LogLine['source'];
  readonly change?: () => StateChangeText;
}

/** The rules of one run. */
export class RunStopRules implements StopRules {
  readonly #options: RunStopRulesOptions;
  readonly #counts: HitCounts;
  /** Whose problem has been told. */
  readonly #told = new WeakSet<object>();
  /** The hits of breakpoints up to and with the phase at `#last`, as long as phases follow each other. */
  readonly #running = new Map<BreakpointOptions, number>();
  #last: PhasePlace | undefined;

  constructor(options: RunStopRulesOptions) {
    this.#options = options;
    this.#counts = new HitCounts(options.history, options.yieldToMessages);
  }

  get isIdle(): boolean {
    return !this.#options.points.exceptions.isActive && this.#all().next().done === true;
  }

  async hitsOf(report: PhaseReport, place: PhasePlace): Promise<PhaseHits> {
    const { exceptions } = this.#options.points;
    const exception = exceptions.find(report, this.#options.budget, this.#tell);
    const hits = await this.#breakpointHits(report, place);
    const logs = hits.flatMap(({ options, moment, source }) =>
      options.log === undefined ? [] : [{ text: options.log.textAt(moment), source }],
    );
    const stopping = hits.filter(({ options }) => options.log === undefined);
    const ids = stopping.map(({ id }) => id);
    if (exception !== undefined) return { stop: { kind: 'exception', exception, ids }, logs };
    const [first] = stopping;
    if (first === undefined) return { stop: undefined, logs };
    const focus = stopping.find((hit) => hit.focus !== undefined)?.focus;
    const change = first.change?.();
    const stop = { kind: 'breakpoint', reason: first.reason, ids, focus, ...(change && { change }) } as const;
    return { stop, logs };
  }

  hitOfFailure(error: unknown, run: RunState): StopReason | undefined {
    const exception = this.#options.points.exceptions.findFailure(error, run, this.#tell);
    return exception && { kind: 'exception', exception, ids: [] };
  }

  async #breakpointHits(report: PhaseReport, place: PhasePlace): Promise<readonly Candidate[]> {
    this.#follow(place);
    const hits: Candidate[] = [];
    for (const candidate of this.#candidates(report)) {
      if (!this.#holds(candidate)) continue;
      const { options } = candidate;
      if (options.hits !== undefined) {
        const earlier =
          this.#running.get(options) ??
          (await this.#counts.before(options, (one) => this.#countOf(options, one), place));
        this.#running.set(options, earlier + 1);
        if (!options.hits(earlier + 1)) continue;
      }
      hits.push(candidate);
    }
    return hits;
  }

  /** Keeps the running counts where a phase follows the last one on its branch, and drops them elsewhere. */
  #follow(place: PhasePlace): void {
    const last = this.#last;
    const follows =
      last !== undefined &&
      last.branch === place.branch &&
      (place.step === last.step
        ? place.index === last.index + 1
        : place.step === last.step + 1 && place.index === 0);
    if (!follows) this.#running.clear();
    if (place.branch === 0 && place.step === 0 && place.index === 0) {
      for (const { options } of this.#all()) if (options.hits !== undefined) this.#running.set(options, 0);
    }
    this.#last = place;
  }

  #countOf(options: BreakpointOptions, report: PhaseReport): number {
    return this.#candidates(report).filter(
      (candidate) => candidate.options === options && this.#holds(candidate),
    ).length;
  }

  #holds({ options, moment }: Candidate): boolean {
    if (options.condition === undefined) return true;
    const verdict = holds(options.condition, moment);
    if (typeof verdict === 'boolean') return verdict;
    this.#tell(options, options.label, verdict.problem);
    return false;
  }

  /** Says once of each breakpoint or filter that its condition can't be evaluated. */
  readonly #tell = (key: object, label: string, problem: string): void => {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#options.tell(
      `The condition of ${label} could not be evaluated, and did not stop the run: ${problem}`,
    );
  };

  *#all(): Generator<{ readonly options: BreakpointOptions }> {
    const { source, functions, data } = this.#options.points;
    yield* source.all();
    yield* functions.all;
    yield* data.all;
  }

  #candidates(report: PhaseReport): readonly Candidate[] {
    return [...this.#found(report)].filter(({ options }) => options.problem === undefined);
  }

  *#found(report: PhaseReport): Generator<Candidate> {
    const { points, schema } = this.#options;
    const { after, rejection } = report;
    const arrival = { moment: arrivalMoment(report), focus: undefined, source: undefined };
    const arrives = rejection === undefined && after.end === undefined;
    if (arrives && after.phase === 'act') {
      for (const { id, options, path, line } of points.source.actionHits(after))
        yield { ...arrival, id, options, reason: 'breakpoint', source: { path, line } };
      for (const { id, options } of points.functions.hits(after))
        yield { ...arrival, id, options, reason: 'function breakpoint' };
    }
    if (arrives && after.phase === 'merge') {
      for (const { id, options, path, line, pointer } of points.source.propertyHits(after, schema))
        yield {
          ...arrival,
          id,
          options,
          reason: 'breakpoint',
          focus: { schemaPointer: pointer },
          source: { path, line },
        };
    }
    for (const found of points.data.changes(report)) {
      const { breakpoint, path, moment } = found;
      const { id, options } = breakpoint;
      const change = () => changeText(found);
      yield { id, options, reason: 'data breakpoint', moment, focus: { path }, source: undefined, change };
    }
  }
}
