/**
 * A recorded run as steps: what each saw, answered, wrote and did. Any Σ_t is made from the nearest keyframe and the
 * patches after it, so that keeping a long run costs its patches alone.
 */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import type {
  AttemptRecord,
  CommitRecord,
  EndRecord,
  IntentRecord,
  OutcomeRecord,
  RejectionRecord,
  RunRecord,
  TraceRecord,
  WarningRecord,
} from '../../../schemas/trace/trace';
import { applyPatch, type MergePolicies } from './merge';
import { composePrompt, type Prompt } from './prompt';

/** One step, as its records tell it. */
export interface RecordedStep {
  readonly step: number;
  /** O_t. */
  readonly observation: string;
  readonly attempts: readonly {
    readonly record: AttemptRecord;
    readonly rejection: RejectionRecord | undefined;
  }[];
  /** In order: the model's, then the environment's facts. */
  readonly commits: readonly CommitRecord[];
  readonly intent: IntentRecord | undefined;
  readonly outcome: OutcomeRecord | undefined;
  readonly warnings: readonly WarningRecord[];
  /** Σ_t, where the step's record holds it whole. */
  readonly keyframe: JsonObject | undefined;
}

export interface TraceHistory {
  readonly header: RunRecord;
  readonly steps: readonly RecordedStep[];
  /** Why the run ended; undefined for one that was killed. */
  readonly end: EndRecord | undefined;
  /** Σ_t, from 0 to the number of steps (the state after the last one). Throws RangeError elsewhere. */
  stateAt(step: number): JsonObject;
  /** The exact prompt of an attempt. */
  promptOf(attempt: AttemptRecord): Prompt;
}

/**
 * Orders the records of one branch into steps.
 *
 * @param policies The state schema's merge policies; ⊕ needs them to repeat the merges.
 * @throws RangeError where the records do not begin with a run record.
 */
export function createTraceHistory(records: readonly TraceRecord[], policies: MergePolicies): TraceHistory {
  const header = records[0];
  if (header?.kind !== 'run') throw new RangeError('The records do not begin with a run record');
  const { steps, end } = orderSteps(records);

  function stateAt(step: number): JsonObject {
    if (!Number.isInteger(step) || step < 0 || step > steps.length)
      throw new RangeError(`There is no step ${step}`);
    let from = step;
    while (from > 0 && steps[from]?.keyframe === undefined) from -= 1;
    let state = steps[from]?.keyframe ?? (header as RunRecord).state;
    for (const { commits } of steps.slice(from, step)) {
      for (const { patch } of commits) state = applyPatch(state, patch, policies).state;
    }
    return state;
  }

  return {
    header,
    steps,
    end,
    stateAt,
    promptOf(attempt) {
      const { correction } = attempt.prompt;
      return composePrompt({
        instructions: header.instructions.text,
        state: stateAt(attempt.step),
        observation: steps[attempt.step]?.observation ?? '',
        ...(correction !== undefined && { correction }),
      });
    },
  };
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface StepInProgress extends Mutable<Omit<RecordedStep, 'attempts' | 'commits' | 'warnings'>> {
  attempts: { record: AttemptRecord; rejection: RejectionRecord | undefined }[];
  commits: CommitRecord[];
  warnings: WarningRecord[];
}

function orderSteps(records: readonly TraceRecord[]): {
  steps: readonly RecordedStep[];
  end: EndRecord | undefined;
} {
  const steps: StepInProgress[] = [];
  let end: EndRecord | undefined;
  for (const record of records) {
    if (record.kind === 'step') {
      steps.push({
        step: record.step,
        observation: record.observation ?? steps.at(-1)?.outcome?.observation ?? '',
        attempts: [],
        commits: [],
        intent: undefined,
        outcome: undefined,
        warnings: [],
        keyframe: record.state,
      });
    } else if (record.kind === 'end') end = record;
    else if (record.kind === 'resumed') end = undefined;
    else addTo(steps.at(-1), record);
  }
  return { steps, end };
}

function addTo(step: StepInProgress | undefined, record: TraceRecord): void {
  if (!step) return;
  if (record.kind === 'attempt') step.attempts.push({ record, rejection: undefined });
  else if (record.kind === 'commit') step.commits.push(record);
  else if (record.kind === 'warning') step.warnings.push(record);
  else if (record.kind === 'intent') step.intent = record;
  else if (record.kind === 'outcome') step.outcome = record;
  else if (record.kind === 'rejection') {
    const last = step.attempts.at(-1);
    if (last) last.rejection = record;
  }
}
