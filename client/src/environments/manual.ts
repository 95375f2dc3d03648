/** The environment that is a person, or a file of observations: any skill can be stepped in it at once. */
import type { Asker } from '../runtime/asker';
import { type Environment, EnvironmentFailure, type Outcome } from '../runtime/environment';

export interface ManualEnvironmentOptions {
  /** Who types the observations. */
  readonly asker: Asker;
  /** Where a run is resumed without `reset`: how many observations it was given, and its horizon. */
  readonly startAt?: number | undefined;
  readonly horizon?: number | undefined;
}

/**
 * The first answer is O_0, and each action asks for the next observation. One that starts with `Error:` says that the
 * action was refused. When there are no more answers the episode is over, with an empty observation: N observations
 * make N steps. With a horizon of T it is over after T steps.
 */
export function createManualEnvironment({
  asker,
  startAt = 0,
  horizon,
}: ManualEnvironmentOptions): Environment {
  let given = startAt;
  let lastStep = horizon;

  async function observe(
    title: string,
    action: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await asker.ask({ kind: 'observation', title, step: given, action }, signal);
    signal.throwIfAborted();
    if (answer !== undefined) given++;
    return answer;
  }

  const isOver = (answer: string | undefined) =>
    answer === undefined || (lastStep !== undefined && given > lastStep);

  return {
    name: 'manual',
    deterministic: false,
    harmless: true,

    standAfter(observations) {
      given = observations;
    },

    async reset(options, signal) {
      given = 0;
      lastStep = options.horizon;
      const answer = await observe('What is observed first?', undefined, signal);
      if (answer === undefined)
        throw new EnvironmentFailure('No first observation was given, so there is no step to take.');
      return { observation: answer, done: isOver(answer) };
    },

    async execute(action, signal): Promise<Outcome> {
      const answer = await observe(`What does "${action}" lead to?`, action, signal);
      const observation = answer ?? '';
      return { observation, accepted: !/^\s*Error:/.test(observation), done: isOver(answer) };
    },

    async skip(reason, signal): Promise<Outcome> {
      const answer = await observe('The step had no action. What is observed next?', undefined, signal);
      const lines = [`Rejected: ${reason}`, ...(answer ? [answer] : [])];
      return { observation: lines.join('\n'), accepted: false, done: isOver(answer) };
    },
  };
}
