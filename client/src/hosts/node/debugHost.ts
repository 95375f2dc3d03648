/** The debug adapter's host on this machine: runs from disk, real time. For the command line and the extension. */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CompleteLaunchConfiguration } from '../../../../schemas/launch/launchConfiguration';
import { type Clock, type DebugHost, LaunchFailure } from '../../debug/debugHost';
import { RunFailure } from '../../runtime/execution';
import type { RunOptions } from '../../runtime/options';
import { UnknownNameFailure } from '../../runtime/unknownName';
import { openRun, SettingFailure, SkillFailure } from './openRun';
import { createSkillFiles, FileFailure, findSkillFolder } from './skillFolder';

const realClock: Clock = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  yieldToMessages: () => setImmediate(),
};

/**
 * @param options.folder what relative paths of launch configurations are relative to
 * @param options.traceFolder where traces go that no configuration names; by default `folder`
 */
export function createDebugHost({
  folder,
  traceFolder,
}: {
  readonly folder: string;
  readonly traceFolder?: string;
}): DebugHost {
  const absolute = (path: string) => resolve(folder, path);
  return {
    clock: realClock,
    async open(configuration, { asker }) {
      try {
        const skillFolder = await findSkillFolder(absolute(configuration.skill));
        const { trace, replies, observations } = configuration;
        const opened = await openRun({
          skill: skillFolder,
          environment: configuration.environment,
          model: configuration.model,
          faults: configuration.faults,
          faultSeed: configuration.faultSeed,
          options: optionsOf(configuration),
          // A second session, or a restart, doesn't take the first one's trace away.
          trace: trace === undefined ? { under: traceFolder ?? folder } : { numbered: absolute(trace) },
          replies: replies && absolute(replies),
          observations: observations && absolute(observations),
          callbacks: { asker },
        });
        const files = createSkillFiles(skillFolder);
        return {
          execution: opened.execution,
          skill: opened.skill,
          environment: opened.environment,
          model: opened.model,
          folder: skillFolder,
          tracePath: opened.trace.path,
          horizon: opened.options.horizon,
          readText: (path) => files.read(path),
          sync: () => opened.trace.sync(),
          close: async () => opened.close(),
        };
      } catch (error) {
        if (isForUser(error)) throw new LaunchFailure(error.message, { cause: error });
        throw error;
      }
    },
  };
}

function optionsOf(configuration: CompleteLaunchConfiguration): Partial<RunOptions> {
  const { seed, horizon, commit, maxRetries, onExhausted, budget } = configuration;
  return { seed, horizon, commit, maxRetries, onExhausted, budget };
}

/** Failures whose message says what a user can do; anything else is a bug. */
function isForUser(error: unknown): error is Error {
  return (
    error instanceof FileFailure ||
    error instanceof SkillFailure ||
    error instanceof SettingFailure ||
    error instanceof RunFailure ||
    error instanceof UnknownNameFailure
  );
}
