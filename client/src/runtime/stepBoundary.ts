/** Where a step begins and where a run ends. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type { RecordBody } from '../../../schemas/trace/trace';
import type { Score } from './environment';
import type { RunEnd, RunState } from './runState';
import { countFailures, noTotals } from './totals';
import type { Transition } from './transitionTypes';

/** What a step that has just begun has not got yet. */
const newStep = {
  phase: 'observe',
  attempt: 1,
  correction: undefined,
  prompt: undefined,
  reply: undefined,
  parsed: undefined,
  merged: undefined,
  matched: undefined,
  skipReason: undefined,
  attempts: [],
} as const satisfies Partial<RunState>;

/** Step 0, with Σ_0 and O_0. */
export function firstStep(state: JsonObject, observation: string, score: Score | undefined): RunState {
  return {
    ...newStep,
    step: 0,
    before: state,
    state,
    observation,
    observationIsOutcome: false,
    plainObservation: observation,
    warnings: [],
    proposals: new Map(),
    previousPatch: undefined,
    exhaustedInARow: 0,
    divergence: '',
    totals: noTotals,
    score,
    end: undefined,
  };
}

/** The next step, with the observation that it begins with. */
export function startStep(
  run: RunState,
  next: Pick<RunState, 'observation' | 'plainObservation' | 'observationIsOutcome' | 'exhaustedInARow'>,
): RunState {
  return { ...run, ...newStep, ...next, step: run.step + 1, before: run.state };
}

/** How a run ends whose environment is done before the first step. */
export const nothingToDo: RunEnd = {
  outcome: 'completed',
  reason: 'The environment had nothing to do.',
  resumable: false,
};

/** Ends a run, and records that. The requests that it failed by count among what it took. */
export function ended(run: RunState, end: RunEnd): Transition {
  const record: RecordBody = {
    kind: 'end',
    outcome: end.outcome,
    reason: end.reason,
    ...(end.resumable && { resumable: true as const }),
    ...(end.failures && { failures: [...end.failures] }),
    steps: run.totals.steps,
    ...(run.score && { score: run.score }),
    state: run.state,
  };
  return { run: withEnd(run, end), records: [record] };
}

/** The run, ended. */
export function withEnd(run: RunState, end: RunEnd): RunState {
  const { failures = [] } = end;
  return { ...run, end, ...(failures.length > 0 && { totals: countFailures(run.totals, failures) }) };
}
