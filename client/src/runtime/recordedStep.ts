/** A step put together from its records. */
import type {
  AttemptRecord,
  ChainedRecord,
  CommitRecord,
  EditRecord,
  RejectionRecord,
  WarningRecord,
} from '../../../schemas/trace/trace';
import type { RecordedStep } from './traceReader';

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/**
 * Orders the records of a step.
 *
 * @param previousObservation the last outcome's observation, which a step record leaves out
 */
export function recordedStep(
  step: number,
  records: readonly ChainedRecord[],
  previousObservation: string | undefined,
): RecordedStep {
  const attempts: { record: AttemptRecord; rejection: RejectionRecord | undefined }[] = [];
  const commits: CommitRecord[] = [];
  const warnings: WarningRecord[] = [];
  const edits: EditRecord[] = [];
  const parts: Mutable<Pick<RecordedStep, 'observation' | 'intent' | 'outcome' | 'keyframe'>> = {
    observation: previousObservation ?? '',
    intent: undefined,
    outcome: undefined,
    keyframe: undefined,
  };
  for (const record of records) {
    if (record.kind === 'attempt') attempts.push({ record, rejection: undefined });
    else if (record.kind === 'commit') commits.push(record);
    else if (record.kind === 'warning') warnings.push(record);
    else if (record.kind === 'edit') edits.push(record);
    else if (record.kind === 'intent') parts.intent = record;
    else if (record.kind === 'outcome') parts.outcome = record;
    else if (record.kind === 'step') {
      parts.observation = record.observation ?? parts.observation;
      parts.keyframe = record.state;
    } else if (record.kind === 'rejection') {
      const last = attempts.at(-1);
      if (last) last.rejection = record;
    }
  }
  return { step, ...parts, attempts, commits, warnings, edits, records };
}
