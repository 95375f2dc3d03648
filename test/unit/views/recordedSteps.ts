/** Steps of a run as a trace reader gives them, for tests of what shows them. */
import type { RecordedStep, StepSummary } from '../../../client/src/runtime/traceReader';
import type { JsonObject } from '../../../schemas/json/jsonValue';

/** A summary of a step that was accepted at once, but for what is said. */
export function stepSummary(parts: Partial<StepSummary>): StepSummary {
  return {
    branch: 0,
    step: 0,
    status: 'accepted',
    action: 'Wait',
    changedKeys: [],
    changedCount: 0,
    attempts: 1,
    rejections: 0,
    rejectionClasses: [],
    warnings: 0,
    warningClasses: [],
    tokens: {
      instructions: 100,
      state: 20,
      observation: 10,
      scaffold: 5,
      completion: 15,
      cached: 0,
      retried: 0,
      source: 'reported',
      prompt: 135,
    },
    cost: undefined,
    accepted: true,
    done: false,
    edited: false,
    forks: [],
    ...parts,
  };
}

/** A step whose model wrote a patch. */
export function recordedStep({
  step = 0,
  patch,
  observation,
  action = 'Wait',
}: {
  readonly step?: number;
  readonly patch: JsonObject;
  readonly observation: string;
  readonly action?: string;
}): RecordedStep {
  const place = { id: 3, parent: 2, branch: 0, step, time: 0 };
  return {
    step,
    observation,
    attempts: [],
    commits: [{ kind: 'commit', ...place, by: 'model', patch }],
    intent: { kind: 'intent', ...place, action },
    outcome: { kind: 'outcome', ...place, accepted: true, done: false, observation: 'Success.' },
    warnings: [],
    edits: [],
    keyframe: undefined,
    records: [],
  };
}
