/** Steps of a run as a trace reader gives them, for tests of what shows them. */
import { applyPatch, type MergePolicies } from '../../../client/src/runtime/merge';
import { noTotals } from '../../../client/src/runtime/totals';
import type {
  RecordedStep,
  StepSummary,
  TraceBranch,
  TraceReader,
} from '../../../client/src/runtime/traceReader';
import type { JsonObject } from '../../../schemas/json/jsonValue';

/** A summary of a step that was accepted at once, but for what is said. */
export function stepSummary(parts: Partial<StepSummary>): StepSummary {
  return {
    branch: 0,
    step: 0,
    status: 'accepted',
    action: 'Wait',
    chosen: undefined,
    changedKeys: [],
    changedCount: 0,
    attempts: 1,
    failedRequests: 0,
    rejections: 0,
    cutReplies: 0,
    rejectionClasses: [],
    warnings: 0,
    warningClasses: [],
    tokens: {
      instructions: 100,
      state: 20,
      observation: 10,
      scaffold: 5,
      completion: 15,
      cached: 0,
      thinking: 0,
      failed: 0,
      byExtension: 0,
      retried: 0,
      source: 'reported',
      estimated: 0,
      prompt: 135,
    },
    cost: undefined,
    knownCost: 0,
    costAtMost: undefined,
    accepted: true,
    done: false,
    edited: false,
    forks: [],
    ...parts,
  };
}

/** A step whose model wrote a patch. */
export function recordedStep({
  step = 0,
  patch,
  observation,
  action = 'Wait',
}: {
  readonly step?: number;
  readonly patch: JsonObject;
  readonly observation: string;
  readonly action?: string;
}): RecordedStep {
  const place = { id: 3, parent: 2, branch: 0, step, time: 0 };
  return {
    step,
    observation,
    attempts: [],
    commits: [{ kind: 'commit', ...place, by: 'model', patch }],
    intent: { kind: 'intent', ...place, action },
    outcome: { kind: 'outcome', ...place, accepted: true, done: false, observation: 'Success.' },
    warnings: [],
    edits: [],
    keyframe: undefined,
    records: [],
  };
}

/** A step of {@link memoryReader}. */
export interface WrittenStep {
  readonly observation?: string;
  readonly patch?: JsonObject;
  readonly action?: string;
}

/** A branch: its own steps, and where it parts from another. */
export interface WrittenBranch {
  readonly parent?: { readonly branch: number; readonly step: number };
  readonly steps: readonly WrittenStep[];
}

/** A reader of a run that is written down here; Σ_0 is empty, and ⊕ replaces arrays. */
export function memoryReader(
  written: readonly WrittenBranch[],
  parts: Partial<TraceReader> = {},
): TraceReader {
  const lines: WrittenStep[][] = [];
  const branches: TraceBranch[] = written.map(({ parent, steps }, id) => {
    const ownFrom = parent?.step ?? 0;
    const line = [...(lines[parent?.branch ?? -1] ?? []).slice(0, ownFrom), ...steps];
    lines.push(line);
    return { id, parent, steps: line.length, ownFrom, end: undefined, skill: undefined };
  });
  const at = (branch: number, step: number): WrittenStep => {
    const found = lines[branch]?.[step];
    if (found === undefined) throw new RangeError(`There is no step ${step} in branch ${branch}.`);
    return found;
  };
  const policies: MergePolicies = {
    hasMergePolicies: false,
    mergePolicyAt: () => ({ merge: 'replace', evict: undefined, maxItems: undefined }),
  };
  const missing = () => {
    throw new Error('Not written down');
  };
  return {
    header: undefined,
    problems: [],
    problemsLeftOut: 0,
    progress: { bytesRead: 1, bytes: 1, complete: true },
    read: async () => undefined,
    onChange: () => () => undefined,
    branches,
    summary: (branch, step) => {
      const { patch = {}, action = 'Wait' } = at(branch, step);
      const changedKeys = Object.keys(patch);
      return stepSummary({ branch, step, action, changedKeys, changedCount: changedKeys.length });
    },
    totals: (_branch, step) => ({
      ...noTotals,
      steps: step,
      attempts: step,
      promptTokens: 135 * step,
      completionTokens: 15 * step,
      tokenSource: 'reported',
    }),
    bins: missing,
    recordsOf: missing,
    step: async (branch, step) => {
      const { observation = 'Nothing.', patch = {}, action = 'Wait' } = at(branch, step);
      return recordedStep({ step, observation, patch, action });
    },
    stateAt: async (branch, step) =>
      (lines[branch] ?? [])
        .slice(0, step)
        .reduce<JsonObject>((state, { patch = {} }) => applyPatch(state, patch, policies).state, {}),
    promptOf: missing,
    policiesAt: async () => policies,
    mayWrite: () => true,
    isStateCertain: () => true,
    interruptions: () => [],
    ...parts,
  };
}
