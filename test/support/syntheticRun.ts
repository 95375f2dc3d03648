/** A run of any length as a trace reader gives it, made up on the spot: for tests of views, which needn't read a file. */

import type { MergePolicies } from '../../client/src/runtime/merge';
import { noTotals } from '../../client/src/runtime/totals';
import type {
  Bin,
  StepSummary,
  StepTokenSums,
  TraceBranch,
  TraceReader,
} from '../../client/src/runtime/traceReader';
import type { JsonObject } from '../../schemas/json/jsonValue';

const noPolicies: MergePolicies = {
  hasMergePolicies: false,
  mergePolicyAt: () => ({ merge: 'replace', evict: undefined, maxItems: undefined }),
};

/** Every eleventh step has a rejected reply, every seventh a warning. */
export function syntheticRun(steps: number, branches: readonly TraceBranch[] = []): TraceReader {
  const all: readonly TraceBranch[] = [
    { id: 0, parent: undefined, steps, ownFrom: 0, end: undefined, skill: undefined },
    ...branches,
  ];
  const tokensOf = (step: number): StepTokenSums => {
    const attempts = step % 11 === 3 ? 2 : 1;
    const state = 220 + Math.min(step * 6, 900) + ((step * 37) % 60);
    const observation = 30 + ((step * 53) % 90);
    const completion = 80 + ((step * 29) % 70);
    const one = 610 + 124 + state + observation + completion;
    return {
      instructions: 610 * attempts,
      scaffold: 124 * attempts,
      state: state * attempts,
      observation: observation * attempts,
      completion: completion * attempts,
      cached: 0,
      thinking: 0,
      failed: 0,
      byExtension: 0,
      retried: attempts === 2 ? one : 0,
      source: 'estimated',
      estimated: one * attempts,
      prompt: (one - completion) * attempts,
    };
  };
  const summary = (branch: number, step: number): StepSummary => {
    const rejected = step % 11 === 3;
    const warned = step % 7 === 5;
    return {
      branch,
      step,
      status: step % 23 === 8 ? 'refused' : 'accepted',
      action: `Store item_${step} shelf_${step % 40}`,
      chosen: undefined,
      changedKeys: ['inventory'],
      changedCount: 1,
      attempts: rejected ? 2 : 1,
      failedRequests: 0,
      rejections: rejected ? 1 : 0,
      cutReplies: 0,
      rejectionClasses: rejected ? ['schema'] : [],
      warnings: warned ? 1 : 0,
      warningClasses: warned ? ['unknown-argument'] : [],
      tokens: tokensOf(step),
      cost: undefined,
      knownCost: 0,
      costAtMost: undefined,
      accepted: step % 23 !== 8,
      done: step === steps - 1,
      edited: false,
      forks: all.filter(({ parent }) => parent?.step === step).map(({ id }) => id),
    };
  };
  const spent: number[] = [0];
  for (let step = 0; step < steps; step++) {
    const { prompt, completion } = tokensOf(step);
    spent.push((spent[step] ?? 0) + prompt + completion);
  }
  const bin = (branch: number, from: number, to: number): Bin => {
    const sums = { ...tokensOf(from) };
    let peak = 0;
    let rejections = 0;
    let warnings = 0;
    let refused = 0;
    let forks = 0;
    for (let step = from; step < to; step++) {
      const tokens = tokensOf(step);
      const one = summary(branch, step);
      if (step > from) {
        for (const key of [
          'instructions',
          'state',
          'observation',
          'scaffold',
          'completion',
          'retried',
          'prompt',
          'estimated',
        ] as const)
          sums[key] += tokens[key];
      }
      peak = Math.max(peak, tokens.prompt + tokens.completion);
      rejections += one.rejections;
      warnings += one.warnings;
      refused += one.accepted ? 0 : 1;
      forks += one.forks.length;
    }
    return {
      from,
      to,
      tokens: sums,
      peak,
      attempts: to - from + rejections,
      rejections,
      warnings,
      refused,
      failed: 0,
      forks,
      cost: undefined,
      knownCost: 0,
      costAtMost: undefined,
    };
  };
  const state = (step: number): JsonObject => ({ inventory: { [`shelf_${step % 40}`]: `item_${step}` } });
  return {
    header: undefined,
    problems: [],
    problemsLeftOut: 0,
    progress: { bytesRead: 1, bytes: 1, complete: true },
    read: async () => {},
    onChange: () => () => {},
    branches: all,
    summary,
    totals: (_branch, step) => ({ ...noTotals, steps: step, promptTokens: spent[step] ?? 0 }),
    bins(branch, from, to, count) {
      const size = Math.ceil((to - from) / count);
      const bins: Bin[] = [];
      for (let start = from; start < to; start += size)
        bins.push(bin(branch, start, Math.min(start + size, to)));
      return bins;
    },
    recordsOf: async () => [],
    async step(branch, step) {
      const place = { id: 3, parent: 2, branch, step, time: 0 };
      return {
        step,
        observation: `A truck delivered item_${step}.`,
        attempts: [],
        commits: [
          {
            kind: 'commit',
            ...place,
            by: 'model',
            patch: { inventory: { [`shelf_${step % 40}`]: `item_${step}`, shelf_old: null } },
          },
        ],
        intent: { kind: 'intent', ...place, action: `Store item_${step} shelf_${step % 40}` },
        outcome: { kind: 'outcome', ...place, accepted: true, done: false, observation: 'Success.' },
        warnings: [],
        edits: [],
        keyframe: undefined,
        records: [],
      };
    },
    stateAt: async (_branch, step) => state(Math.max(step - 1, 0)),
    promptOf: async () => {
      throw new RangeError('A synthetic run has no prompts.');
    },
    policiesAt: async () => noPolicies,
    mayWrite: () => true,
    isStateCertain: () => true,
    interruptions: () => [],
  };
}
