/** The last phase: what the environment made of the action. */
import type { RecordBody } from '../../../schemas/trace/trace';
import { commit, compareWithTruth, mergeFacts } from './commit';
import type { Outcome } from './environment';
import { confirm } from './provenance';
import type { RunEnd, RunState } from './runState';
import { ended, startStep } from './stepBoundary';
import { countStep } from './totals';
import type { PhaseInput, RunContext, Transition } from './transitionTypes';

/** Carries the run over `act`, into the next step or to its end. */
export function acted(
  context: RunContext,
  run: RunState,
  input: PhaseInput & { type: 'outcome' },
): Transition {
  const { outcome } = input;
  const skipped = run.skipReason !== undefined;
  const later: RecordBody[] = [];
  const told = (diverged: boolean): readonly RecordBody[] => [
    {
      kind: 'outcome',
      step: run.step,
      accepted: outcome.accepted,
      done: outcome.done,
      observation: outcome.observation,
      ...(outcome.facts && { facts: outcome.facts }),
      ...(skipped && { skipped: true as const }),
      ...(input.score && { score: input.score }),
      ...(diverged && { diverged: true as const }),
    },
    ...later,
  ];
  let next: RunState = { ...run, score: input.score, warnings: [] };
  if (!skipped && outcome.accepted) {
    if (context.options.commit === 'on-accept') {
      const committed = commit(context, next);
      later.push(...committed.records);
      next = committed.run;
    }
    next = { ...next, proposals: confirm(next.proposals, run.step) };
  }
  next = { ...next, totals: countStep(next.totals, skipped) };
  if (outcome.facts) {
    const merged = mergeFacts(context, next, outcome.facts);
    if ('problem' in merged) {
      const end = ended(next, { outcome: 'stopped', reason: merged.problem, resumable: false });
      return { run: end.run, records: [...told(false), ...end.records] };
    }
    later.push(...merged.records);
    next = merged.run;
  }
  const compared = compareWithTruth(next, input);
  later.push(...compared.records);
  const records = told(compared.run.divergence !== '');
  next = startStep(compared.run, {
    observation: outcome.observation,
    plainObservation: outcome.observation,
    observationIsOutcome: true,
    exhaustedInARow: skipped ? run.exhaustedInARow : 0,
  });
  const end = completion(context, run, outcome);
  if (!end) return { run: next, records };
  const last = ended(next, end);
  return { run: last.run, records: [...records, ...last.records] };
}

function completion(context: RunContext, run: RunState, outcome: Outcome): RunEnd | undefined {
  const name = run.matched?.signature.name ?? run.parsed?.action.trim();
  if (
    outcome.accepted &&
    run.skipReason === undefined &&
    name !== undefined &&
    context.skill.terminalActions.includes(name)
  ) {
    return { outcome: 'completed', reason: `The terminal action ${name} was accepted.`, resumable: false };
  }
  if (outcome.done) return { outcome: 'completed', reason: 'The environment is done.', resumable: false };
  return undefined;
}
