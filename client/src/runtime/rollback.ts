/** A rejected reply: Σ stays, and the step is tried again, or given up as `onExhausted` says. */

import { oneLine } from '../../../schemas/text/oneLine';
import type { RecordBody } from '../../../schemas/trace/trace';
import { isCutReply } from './cutReply';
import { correctionFor } from './prompt';
import type { Rejection } from './rejection';
import type { RunState } from './runState';
import { ended, startStep } from './stepBoundary';
import { countRejection, countStep } from './totals';
import type { RunContext, Transition } from './transitionTypes';

/** Rollback: Σ stays. Another attempt with the correction, or what `onExhausted` says. */
export function rejected(context: RunContext, run: RunState, rejection: Rejection): Transition {
  const { maxRetries, onExhausted } = context.options;
  const last = run.attempts.at(-1);
  const attempts = last ? [...run.attempts.slice(0, -1), { ...last, rejection }] : run.attempts;
  const { class: rejectionClass, message, correction, violations, ...where } = rejection;
  const isCut = isCutReply(last?.finish, rejectionClass);
  const counted: RunState = { ...run, attempts, totals: countRejection(run.totals, rejectionClass, isCut) };
  const toldToModel = oneLine(correction ?? message);
  const record = {
    kind: 'rejection' as const,
    step: run.step,
    attempt: run.attempt,
    class: rejectionClass,
    message,
    ...where,
    ...(violations && { violations: [...violations] }),
  };
  if (run.attempt <= maxRetries) {
    const retry: RunState = {
      ...counted,
      phase: 'prompt',
      attempt: run.attempt + 1,
      correction: correctionFor(rejection),
      prompt: undefined,
      reply: undefined,
      parsed: undefined,
      merged: undefined,
      matched: undefined,
    };
    return { run: retry, records: [record], rejection };
  }
  const records: RecordBody[] = [{ ...record, exhausted: onExhausted }];
  if (onExhausted === 'continue') {
    const skip: RunState = {
      ...counted,
      phase: 'act',
      skipReason: toldToModel,
      parsed: undefined,
      merged: undefined,
      matched: undefined,
    };
    return { run: skip, records, rejection };
  }
  const inARow = run.exhaustedInARow + 1;
  const next = startStep(
    { ...counted, totals: countStep(counted.totals, true) },
    {
      observation: `Rejected: ${toldToModel}\n${run.plainObservation}`,
      plainObservation: run.plainObservation,
      observationIsOutcome: false,
      exhaustedInARow: inARow,
    },
  );
  const attemptsText = run.attempt === 1 ? 'the only attempt was' : `all ${run.attempt} attempts were`;
  const reason =
    onExhausted === 'stop'
      ? `At step ${run.step} ${attemptsText} rejected, the last one as ${rejectionClass}: ${oneLine(message)}`
      : inARow >= context.options.exhaustedInARow
        ? `${inARow} steps in a row had all their attempts rejected, the last one as ${rejectionClass}: ${oneLine(message)}`
        : undefined;
  if (reason === undefined) return { run: next, records, rejection };
  const end = ended({ ...counted, totals: next.totals }, { outcome: 'stopped', reason, resumable: false });
  return { run: end.run, records: [...records, ...end.records], rejection };
}
