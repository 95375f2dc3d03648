/** Whether a run stops where nothing comes next, so that one can go back from there, and what the user is told then. */
import type { RunState } from '../runtime/runState';
import type { FailureStop, Goal, StopReason } from './stopPolicy';

/**
 * `always`: at the end of a run as well; `records`: only where a record ends and nobody is there to go on, or where
 * somebody has gone back before; `never`: the session ends.
 */
export type StopOnEnd = 'always' | 'records' | 'never';

/** How a run came to where nothing comes next. */
export interface EndReached {
  readonly run: RunState | undefined;
  readonly goal: Goal;
  /** Whether it has stopped there already: to continue then ends the session. */
  readonly hasStopped: boolean;
  readonly hasGoneBack: boolean;
}

/** The stop at the end; undefined where the session ends. */
export function stopAtEnd(
  stopOnEnd: StopOnEnd,
  { run, goal, hasStopped, hasGoneBack }: EndReached,
): StopReason | undefined {
  const isOver = run?.end !== undefined && !run.end.resumable;
  const isWanted = stopOnEnd === 'always' || !isOver || hasGoneBack;
  if (!isWanted || stopOnEnd === 'never' || (hasStopped && goal === 'continue')) return undefined;
  const what = isOver ? 'The run is over' : 'The record ends here, and nobody is there to go on';
  return { kind: 'end', message: `${what}: step back, or continue to end the session.` };
}

/**
 * The stop where the phase that comes next at a tip failed, to try it again; undefined where the session ends.
 *
 * @param isFinal whether it fails again however often it is tried
 */
export function stopAtFailure(
  stopOnEnd: StopOnEnd,
  failure: Pick<FailureStop, 'class' | 'message'>,
  isFinal: boolean,
): FailureStop | undefined {
  if (stopOnEnd !== 'always') return undefined;
  const advice = isFinal ? 'Step back, or end the session.' : 'Continue to try again, or step back.';
  return { kind: 'failure', ...failure, advice };
}
