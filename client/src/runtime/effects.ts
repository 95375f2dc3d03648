/** The effects that a phase may have on the world of its environment; asking.ts has those on the model. */
import type { Environment, Outcome } from './environment';
import { RunFailure } from './runFailure';
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

/**
 * An action that was under way when the run was interrupted may have happened.
 *
 * @throws RunFailure where executing it again may do harm
 */
export function refuseUnknownOutcome(environment: Environment, step: number, action: string): void {
  if (environment.deterministic || environment.harmless) return;
  throw new RunFailure(
    `The run was interrupted while the action "${action}" of step ${step} was under way, and the environment ${environment.name} can't tell whether it happened: it is not executed again.`,
  );
}

/** What the transition gets of an outcome: with it the world's truth and the score as they are now. */
export function outcomeInput(
  environment: Environment,
  outcome: Outcome,
): PhaseInput & { readonly type: 'outcome' } {
  return { type: 'outcome', outcome, truth: environment.truth?.(), score: environment.score?.() };
}
