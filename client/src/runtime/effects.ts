/** The effects that a phase may have on the world: asking the model, and acting in the environment. */
import type { Skill } from '../../../schemas/skill/skill';
import type { Environment, Outcome } from './environment';
import type { Model, ModelRequest } from './model';
import type { RunOptions } from './options';
import type { RunState } from './runState';
import type { Effect, PhaseInput } from './transitionTypes';

export interface Generation {
  readonly model: Model;
  readonly options: RunOptions;
  readonly skill: Skill;
  readonly run: RunState;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/**
 * Asks the model and collects its reply, cut one unit above the run's limit so that the parser sees that it was passed.
 *
 * @param onText told each piece of the reply as it comes
 * @throws the signal's reason once it is aborted; ModelFailure
 */
export async function generateReply(
  { model, options, skill, run, prompt, signal }: Generation,
  onText: (text: string) => void,
): Promise<PhaseInput> {
  const { temperature, retryTemperature = temperature } = options;
  const request: ModelRequest = {
    prompt,
    step: run.step,
    attempt: run.attempt,
    seed: options.seed,
    temperature: run.attempt > 1 ? retryTemperature : temperature,
    topP: options.topP,
    maxTokens: options.maxTokens,
    expected: { stateSchema: skill.stateSchema, actions: skill.actions, state: run.state },
  };
  const limit = options.limits.replyCharacters;
  const parts: string[] = [];
  let length = 0;
  let finish: string | undefined;
  let usage: (PhaseInput & { type: 'generated' })['usage'];
  // Leaving the loop early makes the model stop: an async iterable is closed by `return`.
  for await (const event of model.generate(request, signal)) {
    signal.throwIfAborted();
    if (event.type === 'usage') usage = event.usage;
    else if (event.type === 'finish') finish = event.reason;
    else if (event.type === 'text') {
      const text = event.text.slice(0, limit + 1 - length);
      parts.push(text);
      length += text.length;
      onText(text);
      if (length > limit) {
        finish = 'cut';
        break;
      }
    }
  }
  signal.throwIfAborted();
  return { type: 'generated', reply: parts.join(''), finish, usage };
}

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
