/**
 * Gives records their place in the chain and hands them on. Where an interrupted run is repeated, it holds what is
 * made now against what was recorded then, and writes nothing until the record has been caught up with.
 */
import {
  type ChainedRecord,
  chainRecord,
  type RecordBody,
  type ResumedRecord,
  type TraceRecord,
} from '../../../schemas/trace/trace';

export interface RecorderOptions {
  now(): number;
  record(record: TraceRecord): void;
  /** The records of an interrupted run, in file order; empty for a new one. */
  readonly recorded: readonly TraceRecord[];
  /** Who acts from the first new record on, where others did. */
  goesOnWith?(): Pick<ResumedRecord, 'model' | 'environment'>;
}

export interface Recorder {
  /** Writes, or compares with what was recorded. Returns the records as they are in the trace. */
  write(bodies: readonly RecordBody[]): readonly ChainedRecord[];
  /** The recorded record that comes next, while the recording lasts. */
  next(): ChainedRecord | undefined;
  /** True while the recording lasts. */
  repeats(): boolean;
  /** The id of the record that was written or repeated last; -1 before the first one. */
  readonly last: number;
  /** Milliseconds that the run took when it made the records repeated so far; interruptions don't count. */
  readonly repeatedMilliseconds: number;
  /** True where the recording ended with an intended action whose outcome is not known, and nothing came after. */
  readonly interruptedAfterIntent: boolean;
}

/** The trace tells another story than the run that is repeated from it. */
export class TraceMismatch extends Error {
  override readonly name: string = 'TraceMismatch';
}

/** Makes a recorder. Its `write` throws {@link TraceMismatch} where a repeated run makes another record than the recorded one. */
export function createRecorder(options: RecorderOptions): Recorder {
  const chained = options.recorded.filter((record) => record.kind !== 'resumed');
  // An interruption's end is no part of the story: the run goes on from the record before it.
  const story = chained.filter((record) => record.kind !== 'end' || !record.resumable);
  const lastRecorded = story.at(-1);
  const spentBefore = millisecondsBefore(options.recorded);
  let repeatedMilliseconds = 0;
  let position = 0;
  let parent: number | undefined;
  let id = 0;
  let resumed = story.length === 0;
  let interruptedAfterIntent = lastRecorded?.kind === 'intent';

  function repeat(body: RecordBody, recorded: ChainedRecord): ChainedRecord {
    const { id: recordedId, branch, time } = recorded;
    const again = chainRecord(body, { id: recordedId, parent, branch, time });
    if (JSON.stringify(again) !== JSON.stringify(recorded)) {
      throw new TraceMismatch(
        `The run can't be resumed: repeating it gives another record ${recordedId} (${recorded.kind}) than the trace holds. The trace was made by another version of the skill or of SKILL.state, or was edited.`,
      );
    }
    position += 1;
    repeatedMilliseconds += spentBefore.get(recordedId) ?? 0;
    parent = recordedId;
    id = Math.max(id, recordedId + 1);
    return recorded;
  }

  function append(body: RecordBody): ChainedRecord {
    if (!resumed) {
      resumed = true;
      id = Math.max(id, ...chained.slice(-1).map((record) => record.id + 1));
      const others = options.goesOnWith?.() ?? {};
      options.record({ kind: 'resumed', after: parent ?? 0, ...others, time: options.now() });
    }
    const record = chainRecord(body, { id, parent, branch: 0, time: options.now() });
    options.record(record);
    interruptedAfterIntent = false;
    parent = id;
    id += 1;
    return record;
  }

  return {
    write(bodies) {
      return bodies.map((body) => {
        const recorded = story[position];
        return recorded ? repeat(body, recorded) : append(body);
      });
    },
    next: () => story[position],
    repeats: () => position < story.length,
    get last() {
      return parent ?? -1;
    },
    get repeatedMilliseconds() {
      return repeatedMilliseconds;
    },
    get interruptedAfterIntent() {
      return interruptedAfterIntent;
    },
  };
}

/** What each record took since the one before it, or since the run was resumed there; by the record's id. */
function millisecondsBefore(recorded: readonly TraceRecord[]): ReadonlyMap<number, number> {
  const spent = new Map<number, number>();
  let since: number | undefined;
  for (const record of recorded) {
    if (record.kind !== 'resumed') spent.set(record.id, Math.max(0, record.time - (since ?? record.time)));
    since = record.time;
  }
  return spent;
}
