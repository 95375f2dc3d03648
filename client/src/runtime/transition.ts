/**
 * SKILL.state as a pure function: from a run, and what the world answered, to the next run and its records
 * (the paper's Algorithm 1, with rollback and retry). Which effect a phase needs is decided here too;
 * performing.ts performs it.
 */

import { matchAction } from '../../../schemas/skill/actionMatch';
import { assertNever } from '../../../schemas/text/assertNever';
import type { RecordBody } from '../../../schemas/trace/trace';
import { acted } from './actPhase';
import { capReached } from './budget';
import { commit, warn } from './commit';
import { costOf } from './cost';
import { toldAsCut } from './cutReply';
import { applyPatch } from './merge';
import { type Prompt, promptOf } from './prompt';
import { parseAnswer } from './replyParser';
import { rejected } from './rollback';
import type { Attempt, RunState } from './runState';
import { ended } from './stepBoundary';
import type { AttemptTokens } from './tokens';
import { countAttempt } from './totals';
import { type Effect, known, type PhaseInput, type RunContext, type Transition } from './transitionTypes';
import { argumentWarnings } from './warnings';

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
  return { run: { ...run, phase: 'generate', prompt: promptOf(context.skill, run) }, records: [] };
}

function generated(
  context: RunContext,
  run: RunState,
  input: PhaseInput & { type: 'generated' },
): Transition {
  const composed = known(run.prompt, 'prompt');
  const { reply, thinking, finish, failures = [] } = input;
  const tokens = input.recorded?.tokens ?? tokensOf(context, run, composed, input);
  const { cost, costAtMost } = input.recorded ?? costOf({ ...input.usage, ...tokens }, context.price);
  const attempt: Attempt = {
    attempt: run.attempt,
    prompt: composed,
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
  const record: RecordBody = {
    kind: 'attempt',
    step: run.step,
    attempt: run.attempt,
    prompt: {
      sha256: context.sha256(composed.text),
      characters: composed.text.length,
      ...(run.correction !== undefined && { correction: run.correction }),
    },
    ...(failures.length > 0 && { failures: [...failures] }),
    ...(thinking !== undefined && { thinking }),
    reply,
    ...(finish !== undefined && { finish }),
    tokens,
    ...(cost !== undefined && { cost }),
    ...(costAtMost !== undefined && { costAtMost }),
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

/**
 * Tokens as they were reported, else estimated: of the prompt's text, and of the reply and what was thought before it. What
 * a provider makes of a schema or a grammar that is sent beside the prompt isn't in an estimate: hosted ones put it into
 * the prompt in a form of their own, and report what it comes to; llama.cpp's servers make a filter of it, which takes none.
 */
function tokensOf(
  { counter }: RunContext,
  run: RunState,
  { stateText }: Prompt,
  { reply, thinking: thought = '', usage }: PhaseInput & { type: 'generated' },
): AttemptTokens {
  const split = counter.count({
    state: run.state,
    stateText,
    observation: run.observation,
    ...(run.correction !== undefined && { correction: run.correction }),
  });
  if (usage === undefined) {
    const { instructions, state, observation, scaffold } = split;
    const prompt = instructions + state + observation + scaffold;
    const thinking = counter.completion(thought);
    return {
      prompt,
      completion: counter.completion(reply) + thinking,
      ...(thinking > 0 && { thinking }),
      source: 'estimated',
      split,
    };
  }
  const { prompt, completion, cached, thinking, estimatedBy } = usage;
  return {
    prompt,
    completion,
    ...(cached !== undefined && { cached }),
    ...(thinking !== undefined && { thinking }),
    ...(estimatedBy === undefined ? { source: 'reported' } : { source: 'estimated', estimatedBy }),
    split,
  };
}

function parse(context: RunContext, run: RunState): Transition {
  const parsed = parseAnswer(run, context.options.limits);
  if (parsed.ok) return { run: { ...run, phase: 'validate', parsed: parsed.reply }, records: [] };
  const last = run.attempts.at(-1);
  // A text that is only tried as a reply is no attempt.
  const isOwn = last?.attempt === run.attempt && last.reply === run.reply;
  return rejected(
    context,
    run,
    isOwn ? toldAsCut(parsed.rejection, last, context.options) : parsed.rejection,
  );
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
