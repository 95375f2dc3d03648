/** Where a run stops, as a function of what its phases did. */
import type { JsonPath } from '../../../schemas/json/jsonPointer';
import type { PhaseReport } from '../runtime/execution';
import type { Rejection } from '../runtime/rejection';
import type { RunState } from '../runtime/runState';
import type { Warning } from '../runtime/warnings';

/** What the user asked for; each also ends at breakpoints and exceptions. */
export type Goal =
  /** Until something stops it. */
  | 'continue'
  /** To just before the next act. */
  | 'next'
  /** One phase. */
  | 'stepIn'
  /** To the end of the step. */
  | 'stepOut';

/** What kind of breakpoint stopped a run, as DAP names the reason. */
export type BreakpointReason = 'breakpoint' | 'function breakpoint' | 'data breakpoint';

/** The place that explains a stop: a property by its pointer in the schema, or by its path in Σ. */
export type Focus = { readonly schemaPointer: string } | { readonly path: JsonPath };

/** A change to a value of Σ in words, such as `state.place: "shop" becomes "home"`. */
export interface StateChangeText {
  /** For a line with little room: with the last name of the path. */
  readonly short: string;
  readonly text: string;
}

/** Filters for what a phase warned of. */
export type WarningFilter =
  | 'state-loss'
  | 'stale-patch'
  | 'unknown-argument'
  | 'diverged'
  | 'state-over-budget';

/** What went wrong, by the filter that stopped on it. */
export type RunException =
  | { readonly filter: 'rejected' | 'exhausted'; readonly rejection: Rejection }
  | { readonly filter: WarningFilter; readonly warning: Warning }
  | { readonly filter: 'tokens-over-budget' | 'environment-error'; readonly message: string };

/** The phase that comes next failed, the model's above all. */
export interface FailureStop {
  readonly kind: 'failure';
  /** The failure's name, such as `connection`. */
  readonly class: string;
  /** What failed, and what to do about it. */
  readonly message: string;
  /** What can be done in the session. */
  readonly advice: string;
}

export type StopReason =
  /** `start`: there is nothing before; `restart`: a step is to be generated again. */
  | { readonly kind: 'entry' | 'step' | 'pause' | 'goto' | 'start' | 'restart' }
  /** Nothing comes next: the run or its record is over. `message` says what can be done. */
  | { readonly kind: 'end'; readonly message: string }
  | FailureStop
  | {
      readonly kind: 'breakpoint';
      readonly reason: BreakpointReason;
      readonly ids: readonly number[];
      readonly focus: Focus | undefined;
      /** What changed, where `reason` is a data breakpoint. */
      readonly change?: StateChangeText;
    }
  | {
      readonly kind: 'exception';
      readonly exception: RunException;
      /** Breakpoints that the same phase hit. */
      readonly ids: readonly number[];
    };

/** Where a phase began: the step on its branch, and how many phases of that step had been carried out by then. */
export interface PhasePlace {
  readonly branch: number;
  readonly step: number;
  readonly index: number;
}

/** What a breakpoint writes to the console instead of stopping. */
export interface LogLine {
  readonly text: string;
  /** Where the breakpoint is, lines counted from 0. */
  readonly source: { readonly path: string; readonly line: number } | undefined;
}

/** What one phase set off. */
export interface PhaseHits {
  readonly stop: StopReason | undefined;
  /** For the console, where the run goes forward. */
  readonly logs: readonly LogLine[];
}

/** What stops a run of its own accord. */
export interface StopRules {
  /** True where nothing can stop a run that goes back, so that the way needn't be looked at. */
  readonly isIdle: boolean;
  /**
   * What a phase hits: the run then stands after it. It depends on the branch up to that phase and on nothing else, so
   * that a run stops at the same places forward and backward; going backward, only `stop` is heeded.
   */
  hitsOf(report: PhaseReport, place: PhasePlace): Promise<PhaseHits>;
  /**
   * The stop in place of the end, where a phase failed instead of being carried out; undefined where it is no
   * failure that stops.
   */
  hitOfFailure(error: unknown, run: RunState): StopReason | undefined;
}

const noHits: PhaseHits = { stop: undefined, logs: [] };

/** Nothing stops: a run without debugging. */
export const noStops: StopRules = {
  isIdle: true,
  hitsOf: async () => noHits,
  hitOfFailure: () => undefined,
};

/** Whether a rejection was of the last attempt of its step. */
export function isExhausted({ rejection, before, after }: PhaseReport): boolean {
  if (rejection === undefined) return false;
  return after.end !== undefined || after.step !== before.step || after.phase !== 'prompt';
}

/**
 * Whether a run has come to its goal with a phase that hit nothing.
 *
 * @param origin the step at which the goal was given
 */
export function reachesGoal(
  { after }: PhaseReport,
  { goal, origin }: { readonly goal: Goal; readonly origin: number },
): boolean {
  if (after.end !== undefined) return false;
  switch (goal) {
    case 'continue':
      return false;
    case 'next':
      return after.phase === 'act';
    case 'stepIn':
      return true;
    case 'stepOut':
      return after.step > origin;
  }
}
