/**
 * SKILL.state as a pure function: from a run, and what the world answered, to the next run and its records
 * (the paper's Algorithm 1, with rollback and retry). Which effect a phase needs is decided here too; the loop
 * in execution.ts performs it.
 */

import { formatPointer } from '../../../schemas/json/jsonPointer';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { matchAction } from '../../../schemas/skill/actionMatch';
import type { Skill } from '../../../schemas/skill/skill';
import { assertNever } from '../../../schemas/text/assertNever';
import type { Sha256 } from '../../../schemas/text/digest';
import type { RecordBody } from '../../../schemas/trace/trace';
import { capReached } from './budget';
import type { Outcome, Score } from './environment';
import { applyPatch, type MergeResult } from './merge';
import type { Model, ReportedUsage } from './model';
import type { RunOptions } from './options';
import { composePrompt, correctionFor } from './prompt';
import { confirm, propose } from './provenance';
import type { Rejection } from './rejection';
import { parseReply } from './replyParser';
import type { Attempt, RunEnd, RunState } from './runState';
import type { PromptTokenCounter } from './tokenCounting';
import type { AttemptTokens } from './tokens';
import { countAttempt, countRejection, countStep, countWarnings } from './totals';
import type { StateValidator } from './validation';
import { argumentWarnings, divergenceWarning, mergeWarnings, type Warning } from './warnings';

/** What stays the same throughout a run. */
export interface RunContext {
  readonly skill: Skill;
  readonly options: RunOptions;
  readonly validator: StateValidator;
  readonly counter: PromptTokenCounter;
  readonly price: Model['price'];
  readonly declares: ((name: string) => boolean) | undefined;
  readonly sha256: Sha256;
}

/** What the loop has to do before it can ask for the transition of a phase. */
export type Effect =
  | { readonly type: 'none' }
  | { readonly type: 'generate'; readonly prompt: string }
  | { readonly type: 'execute'; readonly action: string }
  | { readonly type: 'skip'; readonly reason: string };

/** What came of the effect. */
export type PhaseInput =
  | { readonly type: 'none' }
  | {
      readonly type: 'generated';
      readonly reply: string;
      readonly finish: string | undefined;
      readonly usage: ReportedUsage | undefined;
    }
  | {
      readonly type: 'outcome';
      readonly outcome: Outcome;
      readonly truth: JsonObject | undefined;
      readonly score: Score | undefined;
    };

export interface Transition {
  readonly run: RunState;
  readonly records: readonly RecordBody[];
  /** Set where the phase rejected the reply. */
  readonly rejection?: Rejection;
}

/** The effect of the phase that comes next. */
export function effectOf(run: RunState): Effect {
  if (run.phase === 'generate') return { type: 'generate', prompt: known(run.prompt, 'prompt').text };
  if (run.phase !== 'act') return { type: 'none' };
  if (run.skipReason !== undefined) return { type: 'skip', reason: run.skipReason };
  return { type: 'execute', action: known(run.parsed, 'reply').action };
}

/** What has to be on record before the effect starts: the intended action. */
export function intentOf(run: RunState, effect: Effect): readonly RecordBody[] {
  return effect.type === 'execute' ? [{ kind: 'intent', step: run.step, action: effect.action }] : [];
}

/** Carries the run over its next phase. `input` is what {@link effectOf} led to. */
export function transition(context: RunContext, run: RunState, input: PhaseInput): Transition {
  switch (run.phase) {
    case 'observe':
      return observe(context, run);
    case 'prompt':
      return prompt(context, run);
    case 'generate':
      if (input.type !== 'generated') throw new Error('generate needs a reply');
      return generated(context, run, input);
    case 'parse':
      return parse(context, run);
    case 'validate':
      return validate(context, run);
    case 'merge':
      return merge(context, run);
    case 'act':
      if (input.type !== 'outcome') throw new Error('act needs an outcome');
      return acted(context, run, input);
    default:
      return assertNever(run.phase);
  }
}

/** Ends a run, and records that. */
export function ended(run: RunState, end: RunEnd): Transition {
  const record: RecordBody = {
    kind: 'end',
    outcome: end.outcome,
    reason: end.reason,
    ...(end.resumable && { resumable: true as const }),
    steps: run.totals.steps,
    ...(run.score && { score: run.score }),
    state: run.state,
  };
  return { run: { ...run, end }, records: [record] };
}

function observe(context: RunContext, run: RunState): Transition {
  const cap = capReached(run.totals, context.options.budget);
  if (cap !== undefined) return ended(run, { outcome: 'capped', reason: cap, resumable: false });
  const keyframe = run.step > 0 && run.step % context.options.keyframeEvery === 0;
  const record: RecordBody = {
    kind: 'step',
    step: run.step,
    ...(!run.observationIsOutcome && { observation: run.observation }),
    ...(keyframe && { state: run.state }),
    ...(keyframe &&
      run.proposals.size > 0 && {
        proposed: Object.fromEntries([...run.proposals].map(([pointer, { step }]) => [pointer, step])),
      }),
  };
  return { run: { ...run, phase: 'prompt' }, records: [record] };
}

function prompt(context: RunContext, run: RunState): Transition {
  const cap = run.attempt > 1 ? capReached(run.totals, context.options.budget) : undefined;
  if (cap !== undefined) return ended(run, { outcome: 'capped', reason: cap, resumable: false });
  const composed = composePrompt({
    instructions: context.skill.instructions,
    state: run.state,
    observation: run.observation,
    ...(run.correction !== undefined && { correction: run.correction }),
  });
  return { run: { ...run, phase: 'generate', prompt: composed }, records: [] };
}

function generated(
  context: RunContext,
  run: RunState,
  input: PhaseInput & { type: 'generated' },
): Transition {
  const composed = known(run.prompt, 'prompt');
  const { usage, reply, finish } = input;
  const split = context.counter.count({
    state: run.state,
    stateText: composed.stateText,
    observation: run.observation,
    ...(run.correction !== undefined && { correction: run.correction }),
  });
  const tokens: AttemptTokens = usage
    ? {
        prompt: usage.prompt,
        completion: usage.completion,
        ...(usage.cached !== undefined && { cached: usage.cached }),
        source: 'reported',
        split,
      }
    : {
        prompt: split.instructions + split.state + split.observation + split.scaffold,
        completion: context.counter.completion(reply),
        source: 'estimated',
        split,
      };
  const cost =
    context.price &&
    (tokens.prompt * context.price.prompt + tokens.completion * context.price.completion) / 1_000_000;
  const attempt: Attempt = {
    attempt: run.attempt,
    prompt: composed,
    correction: run.correction,
    reply,
    finish,
    tokens,
    cost,
    rejection: undefined,
  };
  const record: RecordBody = {
    kind: 'attempt',
    step: run.step,
    attempt: run.attempt,
    prompt: {
      sha256: context.sha256(composed.text),
      characters: composed.text.length,
      ...(run.correction !== undefined && { correction: run.correction }),
    },
    reply,
    ...(finish !== undefined && { finish }),
    tokens,
    ...(cost !== undefined && { cost }),
  };
  return {
    run: {
      ...run,
      phase: 'parse',
      reply,
      attempts: [...run.attempts, attempt],
      totals: countAttempt(run.totals, attempt),
    },
    records: [record],
  };
}

function parse(context: RunContext, run: RunState): Transition {
  const parsed = parseReply(known(run.reply, 'reply'), context.options.limits);
  if (!parsed.ok) return rejected(context, run, parsed.rejection);
  return { run: { ...run, phase: 'validate', parsed: parsed.reply }, records: [] };
}

function validate(context: RunContext, run: RunState): Transition {
  const { patch, action } = known(run.parsed, 'reply');
  const refused = context.validator.checkPatch(patch, 'model');
  if (refused) return rejected(context, run, refused);
  const merged = applyPatch(run.state, patch, context.skill.stateSchema);
  const invalid = context.validator.checkMerged(merged.state, patch);
  if (invalid) return rejected(context, { ...run, merged }, invalid);
  if (context.skill.actions.length === 0) return { run: { ...run, phase: 'merge', merged }, records: [] };
  const match = matchAction(context.skill.actions, action);
  if (!match.ok) return rejected(context, { ...run, merged }, { class: 'action', message: match.message });
  return { run: { ...run, phase: 'merge', merged, matched: match }, records: [] };
}

function merge(context: RunContext, run: RunState): Transition {
  const warnings = argumentWarnings({
    matched: run.matched,
    instructions: context.skill.instructions,
    state: run.before,
    observation: run.observation,
    stateSchema: context.skill.stateSchema,
    ...(context.declares && { declares: context.declares }),
  });
  if (context.options.commit === 'on-accept') {
    const warned = warn({ ...run, phase: 'act' }, warnings);
    return { run: warned.run, records: warned.records };
  }
  const committed = commit(context, run);
  const warned = warn({ ...committed.run, phase: 'act' }, warnings);
  return { run: warned.run, records: [...committed.records, ...warned.records] };
}

/** Merges the model's patch for good. */
function commit(context: RunContext, run: RunState): Transition {
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

function acted(context: RunContext, run: RunState, input: PhaseInput & { type: 'outcome' }): Transition {
  const { outcome } = input;
  const skipped = run.skipReason !== undefined;
  const records: RecordBody[] = [
    {
      kind: 'outcome',
      step: run.step,
      accepted: outcome.accepted,
      done: outcome.done,
      observation: outcome.observation,
      ...(outcome.facts && { facts: outcome.facts }),
      ...(skipped && { skipped: true as const }),
    },
  ];
  let next: RunState = { ...run, score: input.score, warnings: [] };
  if (!skipped && outcome.accepted) {
    if (context.options.commit === 'on-accept') {
      const committed = commit(context, next);
      records.push(...committed.records);
      next = committed.run;
    }
    next = { ...next, proposals: confirm(next.proposals, run.step) };
  }
  next = { ...next, totals: countStep(next.totals, skipped) };
  if (outcome.facts) {
    const merged = mergeFacts(context, next, outcome.facts);
    if ('problem' in merged) {
      const end = ended(next, { outcome: 'stopped', reason: merged.problem, resumable: false });
      return { run: end.run, records: [...records, ...end.records] };
    }
    records.push(...merged.records);
    next = merged.run;
  }
  const compared = compareWithTruth(next, input.truth);
  records.push(...compared.records);
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

/** Facts that the environment writes: a commit of their own, after the act. */
function mergeFacts(
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

/** Warns when Σ begins to differ from the world, or differs otherwise than before. */
function compareWithTruth(run: RunState, truth: JsonObject | undefined): Transition {
  const warning = truth && divergenceWarning(run.state, truth);
  const divergence = warning?.message ?? '';
  if (!warning || divergence === run.divergence) return { run: { ...run, divergence }, records: [] };
  return warn({ ...run, divergence }, [warning]);
}

function completion(context: RunContext, run: RunState, outcome: Outcome): RunEnd | undefined {
  if (outcome.done) return { outcome: 'completed', reason: 'The environment is done.', resumable: false };
  const name = run.matched?.signature.name ?? run.parsed?.action;
  if (
    outcome.accepted &&
    run.skipReason === undefined &&
    name !== undefined &&
    context.skill.terminalActions.includes(name)
  ) {
    return { outcome: 'completed', reason: `The terminal action ${name} was accepted.`, resumable: false };
  }
  return undefined;
}

/** Rollback: Σ stays. Another attempt with the correction, or what `onExhausted` says. */
function rejected(context: RunContext, run: RunState, rejection: Rejection): Transition {
  const { maxRetries, onExhausted } = context.options;
  const last = run.attempts.at(-1);
  const attempts = last ? [...run.attempts.slice(0, -1), { ...last, rejection }] : run.attempts;
  const counted: RunState = { ...run, attempts, totals: countRejection(run.totals, rejection.class) };
  const { class: rejectionClass, message, violations, ...where } = rejection;
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
      skipReason: oneLine(message),
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
      observation: `Rejected: ${oneLine(message)}\n${run.plainObservation}`,
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

function startStep(
  run: RunState,
  next: Pick<RunState, 'observation' | 'plainObservation' | 'observationIsOutcome' | 'exhaustedInARow'>,
): RunState {
  return {
    ...run,
    ...next,
    phase: 'observe',
    step: run.step + 1,
    attempt: 1,
    before: run.state,
    correction: undefined,
    prompt: undefined,
    reply: undefined,
    parsed: undefined,
    merged: undefined,
    matched: undefined,
    skipReason: undefined,
    attempts: [],
  };
}

function warn(run: RunState, warnings: readonly Warning[]): Transition {
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

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

function known<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The run has no ${what} in this phase`);
  return value;
}
