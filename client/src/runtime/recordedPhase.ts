/**
 * A phase as its records tell it, where this program would decide otherwise: another version made the trace, or it was
 * edited. What was recorded holds; only what no record tells is worked out.
 */

import { matchAction } from '../../../schemas/skill/actionMatch';
import type {
  AttemptRecord,
  ChainedRecord,
  CommitRecord,
  RejectionRecord,
  WarningRecord,
} from '../../../schemas/trace/trace';
import { applyPatch } from './merge';
import { promptOf } from './prompt';
import { confirm, propose } from './provenance';
import type { Rejection } from './rejection';
import { type ParsedReply, parseAnswer } from './replyParser';
import { rejected } from './rollback';
import type { Attempt, RunState } from './runState';
import { startStep } from './stepBoundary';
import type { ReplayedPhase } from './stepReplay';
import { countAttempt, countStep, countWarnings } from './totals';
import type { PhaseInput, RunContext } from './transitionTypes';
import type { Warning } from './warnings';

/** What a recorded attempt had of the model, and what it took. */
export function generatedAsRecorded(record: AttemptRecord): PhaseInput {
  const { reply, thinking, failures, finish, tokens, cost, costAtMost } = record;
  return {
    type: 'generated',
    reply,
    thinking,
    failures,
    finish,
    usage: undefined,
    recorded: { tokens, cost, costAtMost },
  };
}

/** Carries the run over its next phase by the records from `at` on. */
export function asRecorded(
  context: RunContext,
  run: RunState,
  records: readonly ChainedRecord[],
  at: number,
): ReplayedPhase {
  const first = records[at];
  switch (run.phase) {
    case 'observe': {
      if (first?.kind !== 'step') return over(run, 0);
      const { observation = run.observation, state = run.state } = first;
      return over({ ...run, phase: 'prompt', observation, state, before: state }, 1);
    }
    case 'prompt':
      return over({ ...run, phase: 'generate', prompt: promptOf(context.skill, run) }, 0);
    case 'generate':
      return first?.kind === 'attempt' ? over(attempted(context, run, first), 1) : over(run, 0);
    case 'parse': {
      const parsed = parseAnswer(run, context.options.limits);
      if (first?.kind === 'rejection' && (!parsed.ok || isOfParse(first)))
        return refusedBy(context, run, records, at, first);
      const reply = parsed.ok ? parsed.reply : replyTold(run, records, at);
      return over({ ...run, phase: 'validate', parsed: reply }, 0);
    }
    case 'validate': {
      if (first?.kind === 'rejection') return refusedBy(context, run, records, at, first);
      const { patch = {}, action = '' } = run.parsed ?? {};
      const merged = applyPatch(run.state, patch, context.skill.stateSchema);
      const match = matchAction(context.skill.actions, action);
      return over({ ...run, phase: 'merge', merged, matched: match.ok ? match : undefined }, 0);
    }
    case 'merge':
      return written(context, { ...run, phase: 'act' }, records, at);
    case 'act':
      return acted(context, run, records, at);
  }
}

function over(after: RunState, used: number, rejection?: Rejection): ReplayedPhase {
  return { after, used, rejection, missing: [], deviates: false };
}

function attempted(
  context: RunContext,
  run: RunState,
  { attempt: number, reply, thinking, failures = [], finish, tokens, cost, costAtMost }: AttemptRecord,
): RunState {
  const prompt = run.prompt ?? promptOf(context.skill, run);
  const attempt: Attempt = {
    attempt: number,
    prompt,
    correction: run.correction,
    reply,
    thinking,
    failures,
    finish,
    tokens,
    cost,
    costAtMost,
    rejection: undefined,
  };
  return {
    ...run,
    phase: 'parse',
    prompt,
    attempt: number,
    reply,
    attempts: [...run.attempts, attempt],
    totals: countAttempt(run.totals, attempt),
  };
}

function isOfParse({ class: rejectionClass }: RejectionRecord): boolean {
  return ['no-block', 'syntax', 'extra-key', 'missing-key', 'not-an-object'].includes(rejectionClass);
}

/** What a reply said that this program can't read, as far as the records that follow tell it. */
function replyTold(run: RunState, records: readonly ChainedRecord[], at: number): ParsedReply {
  const later = records.slice(at);
  const commit = later.find((record) => record.kind === 'commit');
  const intent = later.find((record) => record.kind === 'intent');
  return {
    reasoning: run.reply ?? '',
    patch: commit?.kind === 'commit' ? commit.patch : {},
    action: intent?.kind === 'intent' ? intent.action : '',
    block: { start: 0, end: 0 },
  };
}

function refusedBy(
  context: RunContext,
  run: RunState,
  records: readonly ChainedRecord[],
  at: number,
  record: RejectionRecord,
): ReplayedPhase {
  const { class: rejectionClass, message, pointer, schemaLocation, offset, violations, exhausted } = record;
  const rejection: Rejection = {
    class: rejectionClass,
    message,
    ...(pointer !== undefined && { pointer }),
    ...(schemaLocation !== undefined && { schemaLocation }),
    ...(offset !== undefined && { offset }),
    ...(violations !== undefined && { violations }),
  };
  const ends = records[at + 1]?.kind === 'end';
  const options = {
    ...context.options,
    maxRetries: exhausted === undefined ? run.attempt : run.attempt - 1,
    onExhausted: exhausted ?? context.options.onExhausted,
    exhaustedInARow: ends ? 1 : Number.POSITIVE_INFINITY,
  };
  const { run: after } = rejected({ ...context, options }, run, rejection);
  return over(after, ends ? 2 : 1, rejection);
}

/** The commits and warnings that follow. */
function written(
  context: RunContext,
  run: RunState,
  records: readonly ChainedRecord[],
  at: number,
): ReplayedPhase {
  let after = run;
  let used = 0;
  for (const record of records.slice(at)) {
    if (record.kind === 'commit') after = committed(context, after, record);
    else if (record.kind === 'warning') after = warned(after, record);
    else break;
    used++;
  }
  return over(after, used);
}

function committed({ skill }: RunContext, run: RunState, { patch, by }: CommitRecord): RunState {
  const { state, writes } = applyPatch(run.state, patch, skill.stateSchema);
  if (by === 'environment')
    return { ...run, state, proposals: confirm(propose(run.proposals, writes, -1), -1) };
  return { ...run, state, proposals: propose(run.proposals, writes, run.step), previousPatch: patch };
}

function warned(run: RunState, { class: warningClass, message, pointer }: WarningRecord): RunState {
  const warning: Warning = { class: warningClass, message, ...(pointer !== undefined && { pointer }) };
  const divergence = warningClass === 'diverged' ? message : run.divergence;
  const warnings = [...run.warnings, warning];
  return { ...run, divergence, warnings, totals: countWarnings(run.totals, [warning]) };
}

function acted(
  context: RunContext,
  run: RunState,
  records: readonly ChainedRecord[],
  at: number,
): ReplayedPhase {
  const begun = records[at]?.kind === 'intent' ? 1 : 0;
  const outcome = records[at + begun];
  if (outcome?.kind !== 'outcome') return over(run, 0);
  const skipped = outcome.skipped === true;
  const { used, after } = written(
    context,
    {
      ...run,
      score: outcome.score,
      warnings: [],
      divergence: outcome.diverged ? run.divergence : '',
      totals: countStep(run.totals, skipped),
    },
    records,
    at + begun + 1,
  );
  const settled =
    skipped || !outcome.accepted ? after : { ...after, proposals: confirm(after.proposals, run.step) };
  const next = startStep(settled, {
    observation: outcome.observation,
    plainObservation: outcome.observation,
    observationIsOutcome: true,
    exhaustedInARow: skipped ? run.exhaustedInARow : 0,
  });
  return over(next, begun + 1 + used);
}
