/** Where a run stands under the debugger: what stack, scopes and expressions are made of. */

import type { PhaseReport } from '../runtime/execution';
import type { Journey } from '../runtime/journey';
import type { RunState } from '../runtime/runState';
import type { GenerationSoFar } from './modelRequests';
import { isExhausted } from './stopPolicy';

/** Where a stopped run stands. */
export interface Position {
  /** The run, with the phase that comes next. */
  readonly run: RunState;
  /** True where that phase has begun and was only left alone: the model's request, or the action, goes on. */
  readonly underWay: boolean;
  /** What the model has said so far, while its reply is under way. */
  readonly partialReply: string;
  /** What there is of that reply beside its text; undefined where none is under way. */
  readonly soFar?: GenerationSoFar | undefined;
  /** The phase just before, where it rejected the reply. */
  readonly rejected: PhaseReport | undefined;
  /** Whether that rejection was of the last attempt. */
  readonly exhausted: boolean;
}

export interface Arrival {
  /** Whether the phase that comes next has begun. */
  readonly isUnderWay: boolean;
  /** The phase just before. */
  readonly report: PhaseReport | undefined;
  /** What there is of the reply that is under way, beside its text. */
  readonly soFar: () => GenerationSoFar;
}

/** Where the run stands; undefined before its first observation. */
export function positionOf(
  { run, partialReply }: Pick<Journey, 'run' | 'partialReply'>,
  { isUnderWay, report, soFar }: Arrival,
): Position | undefined {
  if (run === undefined) return undefined;
  const rejected = !isUnderWay && report?.rejection !== undefined ? report : undefined;
  return {
    run,
    underWay: isUnderWay,
    partialReply: isUnderWay ? partialReply : '',
    soFar: isUnderWay && run.phase === 'generate' ? soFar() : undefined,
    rejected,
    exhausted: rejected !== undefined && isExhausted(rejected),
  };
}
