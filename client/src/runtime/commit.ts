/** Merging for good: the model's patch, the environment's facts, and the warnings that either gives rise to. */
import { formatPointer } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { applyPatch, type MergeResult } from './merge';
import { confirm, propose } from './provenance';
import type { RunState } from './runState';
import { countWarnings } from './totals';
import { known, type PhaseInput, type RunContext, type Transition } from './transitionTypes';
import { divergenceWarning, mergeWarnings, type Warning } from './warnings';

/** Merges the model's patch for good. */
export function commit(context: RunContext, run: RunState): Transition {
  const { patch } = known(run.parsed, 'reply');
  const merged = known(run.merged, 'merged state');
  const { stateBytes } = context.options.budget;
  const warnings = mergeWarnings({
    before: run.state,
    after: merged.state,
    patch,
    previousPatch: run.previousPatch,
    ...(stateBytes !== undefined && { stateBytesBudget: stateBytes }),
  });
  const next: RunState = {
    ...run,
    state: merged.state,
    proposals: propose(run.proposals, merged.writes, run.step),
    previousPatch: patch,
  };
  const warned = warn(next, warnings);
  return {
    run: warned.run,
    records: [
      { kind: 'commit', step: run.step, attempt: run.attempt, by: 'model', patch, ...evicted(merged) },
      ...warned.records,
    ],
  };
}

/** Facts that the environment writes: a commit of their own, after the act. */
export function mergeFacts(
  context: RunContext,
  run: RunState,
  facts: JsonObject,
): Transition | { readonly problem: string } {
  const merged = applyPatch(run.state, facts, context.skill.stateSchema);
  const invalid =
    context.validator.checkPatch(facts, 'environment') ?? context.validator.checkMerged(merged.state, facts);
  if (invalid)
    return {
      problem: `The facts that the environment reported at step ${run.step} do not fit the state schema: ${invalid.message}`,
    };
  return {
    // A fact is no proposal, and what the model proposed at its paths is settled by it.
    run: { ...run, state: merged.state, proposals: confirm(propose(run.proposals, merged.writes, -1), -1) },
    records: [{ kind: 'commit', step: run.step, by: 'environment', patch: facts, ...evicted(merged) }],
  };
}

/** Warns when Σ begins to differ from the world, or differs otherwise than before; of a recorded act as was recorded. */
export function compareWithTruth(
  run: RunState,
  { truth, recorded }: Pick<PhaseInput & { type: 'outcome' }, 'truth' | 'recorded'>,
): Transition {
  if (recorded !== undefined) {
    const { diverged, warning } = recorded;
    const divergence = diverged ? (warning?.message ?? run.divergence) : '';
    return warn({ ...run, divergence }, warning === undefined ? [] : [warning]);
  }
  const warning = truth && divergenceWarning(run.state, truth);
  const divergence = warning?.message ?? '';
  if (!warning || divergence === run.divergence) return { run: { ...run, divergence }, records: [] };
  return warn({ ...run, divergence }, [warning]);
}

/** Adds warnings to the run and to its records. */
export function warn(run: RunState, warnings: readonly Warning[]): Transition {
  if (warnings.length === 0) return { run, records: [] };
  return {
    run: { ...run, warnings: [...run.warnings, ...warnings], totals: countWarnings(run.totals, warnings) },
    records: warnings.map((warning) => ({ kind: 'warning', step: run.step, ...warning })),
  };
}

function evicted(merged: MergeResult) {
  if (merged.evictions.length === 0) return {};
  return {
    evicted: merged.evictions.map(({ path, removed }) => ({ pointer: formatPointer(path), items: removed })),
  };
}
