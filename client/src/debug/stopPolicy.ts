/** Where a run stops, as a pure function of what the last phase did. */
import type { PhaseReport } from '../runtime/execution';
import type { Rejection } from '../runtime/rejection';
import type { RunState } from '../runtime/runState';

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

export type StopReason =
  | { readonly kind: 'entry' | 'step' | 'pause' }
  | { readonly kind: 'breakpoint'; readonly ids: readonly number[] }
  | { readonly kind: 'rejected' | 'exhausted'; readonly rejection: Rejection };

/** What stops a run of its own accord. */
export interface StopRules {
  /** The breakpoints that the action about to be executed hits. */
  actionHits(run: RunState): readonly number[];
  /** The breakpoints that the patch about to be merged hits. */
  propertyHits(run: RunState): readonly number[];
  /** Whether each rejected reply stops. */
  readonly rejected: boolean;
  /** Whether a rejected reply that was the last attempt of its step stops. */
  readonly exhausted: boolean;
}

/** Nothing stops: a run without debugging. */
export const noStops: StopRules = {
  actionHits: () => [],
  propertyHits: () => [],
  rejected: false,
  exhausted: false,
};

/** Whether a rejection was of the last attempt of its step. */
export function isExhausted({ rejection, before, after }: PhaseReport): boolean {
  if (rejection === undefined) return false;
  return after.end !== undefined || after.step !== before.step || after.phase !== 'prompt';
}

/**
 * Why a run stops after a phase, or undefined where it goes on.
 *
 * @param origin the step at which the goal was given
 */
export function stopAfter(
  report: PhaseReport,
  { goal, origin, rules }: { readonly goal: Goal; readonly origin: number; readonly rules: StopRules },
): StopReason | undefined {
  const { after, rejection } = report;
  if (rejection !== undefined) {
    if (rules.exhausted && isExhausted(report)) return { kind: 'exhausted', rejection };
    if (rules.rejected) return { kind: 'rejected', rejection };
  }
  if (after.end !== undefined) return undefined;
  const ids =
    after.phase === 'act'
      ? rules.actionHits(after)
      : after.phase === 'merge'
        ? rules.propertyHits(after)
        : [];
  if (ids.length > 0) return { kind: 'breakpoint', ids };
  return reached(goal, after, origin) ? { kind: 'step' } : undefined;
}

function reached(goal: Goal, after: RunState, origin: number): boolean {
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
