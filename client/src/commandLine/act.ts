/** `skill-state act`: an environment by hand, one action a line in, its observation out. */
import { createInterface, type Interface } from 'node:readline';
import { printable } from '../../../schemas/text/printable';
import { createEnvironment, environmentNames } from '../environments/registry';
import { readTextFile } from '../hosts/node/skillFolder';
import { createQueueAsker } from '../runtime/asker';
import type { Environment } from '../runtime/environment';
import { scoreValue } from '../runtime/score';
import { type ExitCode, type Terminal, UsageFailure } from './terminal';

/** The flags of `act`, as the command line gives them; undefined where one isn't given. */
export interface ActFlags {
  readonly seed?: number | undefined;
  readonly horizon?: number | undefined;
  /** A file of actions, or `-` for standard input, which is also where they come from without this flag. */
  readonly actions?: string | undefined;
  /** `{observation}`, then `{observation, accepted, done}` for each action, then `{score}`; one object a line. */
  readonly json?: boolean | undefined;
}

/**
 * Plays until the episode is over or there are no more actions. Blank lines are no actions. At a terminal it prompts,
 * and completes actions with Tab.
 *
 * @returns 0, also where actions end early; 1 where it was interrupted.
 * @throws UsageFailure for an environment that isn't there, FileFailure for a file of actions that can't be read.
 */
export async function act(name: string, flags: ActFlags, terminal: Terminal): Promise<ExitCode> {
  const { stdout, signal } = terminal;
  const environment = openEnvironment(name);
  const actions = await openActions(flags, terminal, environment);
  const print = (text: string, json: object) =>
    stdout.write(printable(`${flags.json ? JSON.stringify(json) : text}\n`));
  try {
    const { seed = 0, horizon } = flags;
    let { observation, done } = await environment.reset({ seed, horizon, repeatUnserved: false }, signal);
    print(observation, { observation });
    while (!done) {
      const action = await actions.next();
      if (action === undefined) break;
      if (action.trim() === '') continue;
      const outcome = await environment.execute(action, signal);
      ({ observation, done } = outcome);
      print(observation, { observation, accepted: outcome.accepted, done });
    }
  } catch (error) {
    if (signal.aborted) return 1;
    throw error;
  } finally {
    actions.close();
  }
  if (signal.aborted) return 1;
  print(scoreText(environment), { score: scoreValue(environment.score?.()) });
  return 0;
}

/** Without those in which a person gives the observations: there is nothing to act on. */
export const playableEnvironments = environmentNames.filter((name) => name !== 'manual');

function openEnvironment(name: string): Environment {
  if (!playableEnvironments.includes(name)) {
    throw new UsageFailure(
      `There is no environment "${name}" to act in; there is ${playableEnvironments.join(', ')}.`,
    );
  }
  return createEnvironment(name, { asker: createQueueAsker([]) });
}

function scoreText(environment: Environment): string {
  const score = environment.score?.();
  if (score === undefined) return 'This environment keeps no score.';
  return `Score: ${scoreValue(score) ?? 'n/a'} (${score.successful} of ${score.actionable} events)`;
}

/** Where actions come from. `next` gives undefined at their end. */
interface Actions {
  next(): Promise<string | undefined>;
  close(): void;
}

async function openActions(flags: ActFlags, terminal: Terminal, environment: Environment): Promise<Actions> {
  const { actions = '-' } = flags;
  if (actions !== '-') {
    const text = await readTextFile(actions);
    return actionsOf(text.replace(/^\uFEFF/, '').split(/\r?\n/));
  }
  const isInteractive = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true && !flags.json;
  return isInteractive ? actionsTyped(terminal, environment) : actionsPiped(terminal);
}

function actionsOf(lines: readonly string[]): Actions {
  const iterator = lines.values();
  return { next: async () => iterator.next().value, close: () => undefined };
}

function actionsPiped({ stdin, signal }: Terminal): Actions {
  return linesOf(createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY }), signal);
}

function actionsTyped({ stdin, stdout, signal }: Terminal, environment: Environment): Actions {
  const lines = createInterface({
    input: stdin,
    output: stdout,
    prompt: '> ',
    completer: (typed: string) => [environment.complete?.(typed) ?? [], typed],
  });
  // Ctrl-C leaves as Ctrl-D does, with the score.
  lines.on('SIGINT', () => lines.close());
  const { next, close } = linesOf(lines, signal);
  return {
    async next() {
      lines.prompt();
      const action = await next();
      // The prompt that was left without an answer.
      if (action === undefined) stdout.write('\n');
      return action;
    },
    close,
  };
}

function linesOf(lines: Interface, signal: AbortSignal): Actions {
  const iterator = lines[Symbol.asyncIterator]();
  const close = () => lines.close();
  signal.addEventListener('abort', close, { once: true });
  return {
    async next() {
      const line = await iterator.next();
      return line.done ? undefined : line.value;
    },
    close() {
      signal.removeEventListener('abort', close);
      close();
    },
  };
}
