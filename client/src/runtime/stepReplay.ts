/**
 * A step made again from where it began and its records: pure, without model or environment. The same transition as
 * live decides; what it can't know (replies, outcomes, the world's truth) comes from the records. Where it would decide
 * otherwise than was recorded, the record holds.
 */
import type { ChainedRecord, EndRecord, RecordBody } from '../../../schemas/trace/trace';
import { applyEdit, editOf } from './edits';
import type { PhaseReport } from './execution';
import { type Interruption, withInterruptions } from './interruptions';
import { asRecorded, generatedAsRecorded } from './recordedPhase';
import type { RunState } from './runState';
import { withEnd } from './stepBoundary';
import { effectOf, intentOf, transition } from './transition';
import type { PhaseInput, RunContext } from './transitionTypes';

/** What is known of a step on one line of history. */
export interface StepReplay {
  /** The phases carried out, in order. */
  readonly reports: readonly PhaseReport[];
  /** Where the run stands after them: in the next step where this one is complete. */
  readonly tip: RunState;
  /** For each number of phases carried out, how many of the step's records come before what follows; edits count. */
  readonly consumed: readonly number[];
  /** What the last phase would have recorded further, had its writer not been killed. */
  readonly missing: readonly RecordBody[];
  /** True where the records tell otherwise than this program decides. */
  readonly deviates: boolean;
}

/** Whether a step has come to its end: the run stands in the next one. */
export function isComplete({ reports, tip }: Pick<StepReplay, 'reports' | 'tip'>): boolean {
  const first = reports[0];
  return first !== undefined && tip.step !== first.before.step;
}

/** The run after so many phases of a step, edits made there included. */
export function runAfter({ reports, tip }: Pick<StepReplay, 'reports' | 'tip'>, index: number): RunState {
  return reports[index]?.before ?? tip;
}

/**
 * Repeats a step as far as its records go. A phase that makes no records is repeated as well.
 *
 * @param start the run at the step's `observe`, before any edit
 * @param interruptions by which the run ended in the step before it went on there
 */
export function replayStep(
  context: RunContext,
  start: RunState,
  records: readonly ChainedRecord[],
  interruptions: readonly Interruption[] = [],
): StepReplay {
  const reports: PhaseReport[] = [];
  const consumed: number[] = [];
  let missing: readonly RecordBody[] = [];
  let deviates = false;
  let run = start;
  let at = 0;
  let counted = 0;
  for (;;) {
    while (at < records.length) {
      const record = records[at];
      if (record?.kind === 'edit' && (record.phase === run.phase || awaitsRecord(run))) {
        const edit = editOf(record);
        const edited = edit && applyEdit(context, run, edit);
        if (edited?.ok) run = edited.run;
        else deviates = true;
      } else if (record?.kind !== 'fork' && !isGivenUp(run, records, at)) break;
      at++;
    }
    consumed.push(at);
    if (run.phase === 'generate') {
      const last = records[at - 1]?.id ?? -1;
      const before = interruptions.slice(counted).filter(({ after }) => after <= last);
      counted += before.length;
      run = withInterruptions(run, before);
    }
    if (run.end !== undefined || run.step !== start.step) break;
    const phase = replayPhase(context, run, records, at);
    if (phase === undefined) break;
    const { after, rejection } = phase;
    at += phase.used;
    missing = phase.missing;
    deviates ||= phase.deviates;
    const used = records.slice(at - phase.used, at);
    reports.push({ phase: run.phase, before: run, after, rejection, records: used, repeated: true });
    run = after;
  }
  const left = records.slice(at);
  const end = left.findLast((record) => record.kind === 'end');
  if (end?.kind === 'end' && run.end === undefined) run = endedBy(run, end);
  deviates ||= left.some(({ kind }) => kind !== 'end');
  return { reports, tip: run, consumed, missing, deviates };
}

/** The run, ended as was recorded. */
function endedBy(run: RunState, { outcome, reason, resumable, failures }: EndRecord): RunState {
  return withEnd(run, { outcome, reason, resumable: resumable === true, ...(failures && { failures }) });
}

/** Phases that nothing comes out of without a record. */
function awaitsRecord({ phase }: RunState): boolean {
  return phase === 'observe' || phase === 'generate' || phase === 'act';
}

/** One phase as its records tell it. */
export interface ReplayedPhase {
  readonly after: RunState;
  readonly rejection: PhaseReport['rejection'];
  /** How many records are its own. */
  readonly used: number;
  readonly missing: readonly RecordBody[];
  readonly deviates: boolean;
}

/** Undefined where the phase was not carried out. */
function replayPhase(
  context: RunContext,
  run: RunState,
  records: readonly ChainedRecord[],
  at: number,
): ReplayedPhase | undefined {
  const input = inputOf(run, records, at);
  const mayEnd = run.phase === 'observe' && records[at]?.kind === 'end';
  if (input === undefined && !mayEnd) return undefined;
  const made = transition(context, run, input ?? { type: 'none' });
  const bodies = [...intentOf(run, effectOf(run)), ...made.records];
  const agreed = agreement(bodies, records, at);
  if (input === undefined && agreed < bodies.length) return undefined;
  // The run was ended before the phase: what it would have recorded is still to come.
  if (agreed === 0 && bodies.length > 0 && records[at]?.kind === 'end') return undefined;
  const differs = at + agreed < records.length && agreed < bodies.length;
  if (differs || isJudgedOtherwise(run, bodies, records[at])) {
    const recorded = asRecorded(context, run, records, at);
    const deviates = recorded.deviates || !differsInWords(bodies.slice(agreed), records[at + agreed]);
    return { ...recorded, deviates };
  }
  // Nothing of it is on record: it is still to come.
  if (agreed === 0 && bodies.length > 0) return undefined;
  return {
    after: made.run,
    rejection: made.rejection,
    used: agreed,
    missing: bodies.slice(agreed),
    deviates: false,
  };
}

/** Whether an action was begun and came to no outcome: the environment failed, or somebody did not want to wait. */
function isGivenUp({ phase }: RunState, records: readonly ChainedRecord[], at: number): boolean {
  const next = records[at + 1];
  return phase === 'act' && records[at]?.kind === 'intent' && next !== undefined && next.kind !== 'outcome';
}

/** What the world answered, as recorded; undefined where it has not. */
function inputOf(run: RunState, records: readonly ChainedRecord[], at: number): PhaseInput | undefined {
  const record = records[at];
  switch (run.phase) {
    case 'observe':
      return record?.kind === 'step' ? { type: 'none' } : undefined;
    case 'generate':
      return record?.kind === 'attempt' ? generatedAsRecorded(record) : undefined;
    case 'act': {
      const outcome = record?.kind === 'intent' ? records[at + 1] : record;
      if (outcome?.kind !== 'outcome') return undefined;
      const { observation, accepted, done, facts, score, diverged } = outcome;
      const warning = records
        .slice(at + 1)
        .findLast((one) => one.kind === 'warning' && one.class === 'diverged');
      return {
        type: 'outcome',
        outcome: { observation, accepted, done, ...(facts && { facts }) },
        truth: undefined,
        score,
        recorded: {
          diverged: diverged === true,
          warning:
            warning?.kind === 'warning'
              ? {
                  class: warning.class,
                  message: warning.message,
                  ...(warning.pointer !== undefined && { pointer: warning.pointer }),
                }
              : undefined,
        },
      };
    }
    default:
      return { type: 'none' };
  }
}

/** Whether the recorded program rejected a reply that this one takes over, or the other way round. */
function isJudgedOtherwise(
  run: RunState,
  bodies: readonly RecordBody[],
  next: ChainedRecord | undefined,
): boolean {
  return run.phase === 'validate' && bodies.length === 0 && next?.kind === 'rejection';
}

/** How many of the records that a phase makes are the recorded ones. */
function agreement(bodies: readonly RecordBody[], records: readonly ChainedRecord[], at: number): number {
  let agreed = 0;
  for (const body of bodies) {
    const record = records[at + agreed];
    if (record === undefined || !isSame(body, record)) break;
    agreed++;
  }
  return agreed;
}

function isSame(body: RecordBody, record: ChainedRecord): boolean {
  if (body.kind !== record.kind) return false;
  const { id: _id, branch: _branch, time: _time, ...rest } = record;
  const { parent: _parent, ...recorded } = { parent: undefined, ...rest };
  return JSON.stringify(body) === JSON.stringify(recorded);
}

/**
 * Whether all that differs is no other story: warnings, since the names that an environment declares are not known
 * without it, or the words in which a reply was rejected.
 */
function differsInWords(left: readonly RecordBody[], next: ChainedRecord | undefined): boolean {
  const [first] = left;
  if (first?.kind === 'rejection' && next?.kind === 'rejection') return first.class === next.class;
  return left.every(({ kind }) => kind === 'warning') && next !== undefined && next.kind !== 'commit';
}
