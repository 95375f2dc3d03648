/**
 * Requests to the model by which a run ended in the middle of a step, before it went on there. The step's records don't
 * lead over such an end, and what its requests took counts all the same.
 */
import type { EndRecord } from '../../../schemas/trace/trace';
import type { FailedRequest } from './model';
import type { RunState } from './runState';
import { countFailures } from './totals';

export interface Interruption {
  /** The id of the record by which the run ended. */
  readonly id: number;
  /** The id of the step's last record before it. */
  readonly after: number;
  /** Those of which it was reported what they took. */
  readonly failures: readonly FailedRequest[];
}

/** What an end interrupted a step with; undefined where no request took anything. */
export function interruptionOf({ id, parent, failures = [] }: EndRecord): Interruption | undefined {
  const counted = failures.filter(({ tokens }) => tokens !== undefined);
  return counted.length === 0 ? undefined : { id, after: parent, failures: counted };
}

/** The run with what the requests of some interruptions took. */
export function withInterruptions(run: RunState, interruptions: readonly Interruption[]): RunState {
  const failures = interruptions.flatMap((one) => one.failures);
  return failures.length === 0 ? run : { ...run, totals: countFailures(run.totals, failures) };
}
