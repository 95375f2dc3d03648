/** Who acts in a run: those whom its first record names, until a branch or a run that was resumed goes on with others. */
import type { ForkRecord, RecordedParticipant, RunRecord, TraceRecord } from '../../../schemas/trace/trace';

/** Model and environment, with what they are set to. */
export interface Acting {
  readonly model: RecordedParticipant;
  readonly environment: RecordedParticipant;
}

/** From somewhere on a line of history others act; who is left out stays. */
export interface ActingChange extends Pick<ForkRecord, 'model' | 'environment'> {
  /** The id of the last record before. */
  readonly after: number;
  /** The first step in which they act. */
  readonly from: number;
}

/** Who acts after all of some changes, oldest first. */
export function actingAfter(
  { model, environment }: Pick<RunRecord, 'model' | 'environment'>,
  changes: readonly Pick<ActingChange, 'model' | 'environment'>[],
): Acting {
  return changes.reduce<Acting>(
    (acting, change) => ({
      model: change.model ?? acting.model,
      environment: change.environment ?? acting.environment,
    }),
    { model, environment },
  );
}

/** What a record says of those who act now, where others did before: nothing where they are the same. */
export function changedActing(before: Acting, now: Acting): Pick<ForkRecord, 'model' | 'environment'> {
  return {
    ...(!isSame(before.model, now.model) && { model: now.model }),
    ...(!isSame(before.environment, now.environment) && { environment: now.environment }),
  };
}

function isSame(one: RecordedParticipant, other: RecordedParticipant): boolean {
  const names = new Set([...Object.keys(one.settings), ...Object.keys(other.settings)]);
  return one.name === other.name && [...names].every((name) => one.settings[name] === other.settings[name]);
}

/** Steps that one model has answered. */
export interface ModelStretch {
  /** Its first step. */
  readonly from: number;
  readonly model: RecordedParticipant;
}

/** Which models answered along a line, by name and server, in order; the first from step 0. */
export function modelStretches(
  { model }: Pick<RunRecord, 'model'>,
  changes: readonly ActingChange[],
): readonly ModelStretch[] {
  const stretches: ModelStretch[] = [{ from: 0, model }];
  for (const { from, model: next } of changes) {
    const last = stretches.at(-1);
    if (next === undefined || last === undefined || modelTitle(next) === modelTitle(last.model)) continue;
    if (last.from === from) stretches.pop();
    stretches.push({ from, model: next });
  }
  return stretches;
}

/** A model's name, with its server where it is set to one. */
export function modelTitle({ name, settings: { baseUrl } }: RecordedParticipant): string {
  return baseUrl === undefined ? name : `${name} at ${baseUrl}`;
}

/** The model that answers a step of a line; at the line's end, the one that answers what comes next. */
export function answeringModel(
  header: Pick<RunRecord, 'model' | 'environment'>,
  changes: readonly ActingChange[],
  step: number,
): RecordedParticipant {
  return actingAfter(
    header,
    changes.filter(({ from }) => from <= step),
  ).model;
}

/** Which models answered along a line, in words; undefined where it is the run record's alone. */
export function stretchesText(
  header: Pick<RunRecord, 'model'>,
  changes: readonly ActingChange[],
): string | undefined {
  const stretches = modelStretches(header, changes);
  if (!isTold(header, stretches)) return undefined;
  const shown = stretches
    .slice(0, shownStretches)
    .map(({ from, model }) => `${modelTitle(model)} from step ${from}`);
  const left = stretches.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** So many changes of a model are told at once. */
const shownStretches = 20;

/** The model that answered a step of a line; undefined where it is the run record's all along the line. */
export function modelOfStep(
  header: Pick<RunRecord, 'model'>,
  changes: readonly ActingChange[],
  step: number,
): string | undefined {
  const stretches = modelStretches(header, changes);
  const stretch = stretches.findLast(({ from }) => from <= step);
  return isTold(header, stretches) && stretch !== undefined ? modelTitle(stretch.model) : undefined;
}

function isTold({ model }: Pick<RunRecord, 'model'>, [first, second]: readonly ModelStretch[]): boolean {
  return second !== undefined || (first !== undefined && modelTitle(first.model) !== modelTitle(model));
}

/** Who acts at the end of a branch's line, by all records of a trace in file order. */
export function actingAtEnd(header: RunRecord, records: readonly TraceRecord[], branch: number): Acting {
  const line = lineOf(records, branch);
  const changes: Pick<ActingChange, 'model' | 'environment'>[] = [];
  records.forEach((record, at) => {
    const isOnLine =
      record.kind === 'resumed'
        ? line.has(record.after) && (line.get(record.after) ?? Number.POSITIVE_INFINITY) > at
        : record.kind === 'fork' && line.has(record.id);
    if (isOnLine && (record.kind === 'resumed' || record.kind === 'fork')) changes.push(record);
  });
  return actingAfter(header, changes);
}

/** The ids of a line's records, each with where in the file its successor on the line stands; undefined for the last. */
function lineOf(records: readonly TraceRecord[], branch: number): ReadonlyMap<number, number | undefined> {
  const places = new Map<number, number>();
  records.forEach((record, at) => {
    if (record.kind !== 'resumed') places.set(record.id, at);
  });
  const line = new Map<number, number | undefined>();
  let at: number | undefined = records.findLastIndex(
    // A run that goes on does so from before an end that could be resumed.
    (record) =>
      record.kind !== 'resumed' && record.branch === branch && !(record.kind === 'end' && record.resumable),
  );
  let next: number | undefined;
  while (at !== undefined) {
    const record: TraceRecord | undefined = records[at];
    if (record === undefined || record.kind === 'resumed' || line.has(record.id)) break;
    line.set(record.id, next);
    next = at;
    at = record.kind === 'run' ? undefined : places.get(record.parent);
  }
  return line;
}
