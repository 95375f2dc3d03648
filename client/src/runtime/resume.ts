/** What an interrupted run needs to go on: its skill, its options and its records, all of it out of the trace. */
import type { SkillFiles } from '../../../schemas/skill/skill';
import type { RunRecord, TraceContent, TraceRecord } from '../../../schemas/trace/trace';
import { type Acting, actingAtEnd } from './acting';
import { RunFailure } from './execution';
import type { RunOptions } from './options';

export interface ResumePlan {
  readonly header: RunRecord;
  /** Who acted when the run was interrupted, and goes on with it. */
  readonly acting: Acting;
  readonly options: RunOptions;
  /** The records to be repeated, for `ExecutionOptions.recorded`. */
  readonly recorded: readonly TraceRecord[];
  /** The skill's files as they were recorded. */
  readonly files: SkillFiles;
  /** How many replies and observations the run has taken so far, for those who read them from a file. */
  readonly consumed: { readonly replies: number; readonly observations: number };
  /** Set where the run, or its last branch, has ended for good and nothing is left to resume. */
  readonly finished: boolean;
  /**
   * True where somebody was at work in the trace: it has branches, of which the last one goes on, or edits, or actions
   * that were given up, or another environment than it began with. `recorded` is then no plain story; a journey goes on with it.
   */
  readonly travelled: boolean;
}

/**
 * Plans the continuation of a trace.
 *
 * @throws RunFailure where the trace is not one that can go on: broken in the middle, without a header, at a cap.
 */
export function planResume(content: TraceContent): ResumePlan {
  const broken = content.problems.find(({ code }) => code !== 'trace.torn-record');
  if (broken) throw new RunFailure(`The trace can't be resumed: line ${broken.line}: ${broken.message}`);
  const header = content.records[0];
  if (header?.kind !== 'run')
    throw new RunFailure('The trace has no complete run record: there is nothing to resume.');
  const branch = content.records.reduce(
    (last, record) => (record.kind === 'resumed' ? last : Math.max(last, record.branch)),
    0,
  );
  const ends = content.records.flatMap((record) =>
    record.kind === 'end' && record.branch === branch ? [record] : [],
  );
  const capped = ends.find(({ outcome }) => outcome === 'capped');
  if (capped !== undefined) throw new RunFailure(`The run has ended and can't go on: ${capped.reason}`);
  const { horizon, ...others } = header.options;
  const ended = ends.some(({ resumable }) => !resumable);
  const outcomes = content.records.filter((record) => record.kind === 'outcome').length;
  const started = content.records.some((record) => record.kind === 'step');
  const texts = new Map(header.skill.files.map((file) => [file.path, file.text]));
  return {
    header,
    acting: actingAtEnd(header, content.records, branch),
    options: { ...others, horizon },
    recorded: content.records,
    files: { folderName: header.skill.name, read: async (path) => texts.get(path) },
    consumed: {
      replies: content.records.filter((record) => record.kind === 'attempt').length,
      observations: outcomes + (started ? 1 : 0),
    },
    finished: ended,
    travelled: branch > 0 || content.records.some(isByHand),
  };
}

/** Whether a plain run would not have recorded this. */
function isByHand(record: TraceRecord, at: number, records: readonly TraceRecord[]): boolean {
  if (record.kind === 'resumed') return record.environment !== undefined;
  if (record.kind !== 'intent') return record.kind === 'edit';
  const next = records[at + 1];
  return next !== undefined && next.kind !== 'outcome' && next.kind !== 'end' && next.kind !== 'resumed';
}
