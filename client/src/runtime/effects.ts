/** The effects that a phase may have on the world of its environment; asking.ts has those on the model. */
import type { Environment, Outcome } from './environment';
import type { Effect, PhaseInput } from './transitionTypes';

/** Executes the action, or lets the world move on without one. */
export function carryOut(
  environment: Environment,
  effect: Effect & { type: 'execute' | 'skip' },
  signal: AbortSignal,
): Promise<Outcome> {
  return effect.type === 'execute'
    ? environment.execute(effect.action, signal)
    : environment.skip(effect.reason, signal);
}

/** What the transition gets of an outcome: with it the world's truth and the score as they are now. */
export function outcomeInput(
  environment: Environment,
  outcome: Outcome,
): PhaseInput & { readonly type: 'outcome' } {
  return { type: 'outcome', outcome, truth: environment.truth?.(), score: environment.score?.() };
}
