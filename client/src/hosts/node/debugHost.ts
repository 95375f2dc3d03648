/** The debug adapter's host on this machine: runs from disk, real time. For the command line and the extension. */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CompleteLaunchConfiguration } from '../../../../schemas/launch/launchConfiguration';
import type { Skill } from '../../../../schemas/skill/skill';
import { type Clock, type DebugHost, LaunchFailure } from '../../debug/debugHost';
import { RunFailure } from '../../runtime/execution';
import type { RunOptions } from '../../runtime/options';
import { UnknownNameFailure } from '../../runtime/unknownName';
import { openJourney, openReplay, type ReplayReading } from './openJourney';
import { loadRunnableSkill, SettingFailure, SkillFailure } from './openRun';
import { createSkillFiles, FileFailure } from './skillFolder';

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
 * @param options.reading how traces are read that are replayed
 */
export function createDebugHost({
  folder,
  traceFolder,
  reading,
}: {
  readonly folder: string;
  readonly traceFolder?: string;
  readonly reading?: ReplayReading;
}): DebugHost {
  const absolute = (path: string) => resolve(folder, path);
  return {
    clock: realClock,
    async open(configuration, { asker, signal }) {
      try {
        const { skill, replay, trace, replies, observations, environment, model } = configuration;
        const { faults, faultSeed, forkWithoutRewind } = configuration;
        const common = {
          environment,
          model,
          faults,
          faultSeed,
          forkWithoutRewind,
          replies: replies && absolute(replies),
          observations: observations && absolute(observations),
          callbacks: { asker },
        };
        const opened =
          replay === undefined
            ? await openJourney({
                ...common,
                skill: absolute(skill ?? ''),
                options: optionsOf(configuration),
                // A second session, or a restart, doesn't take the first one's trace away.
                trace: trace === undefined ? { under: traceFolder ?? folder } : { numbered: absolute(trace) },
              })
            : await openReplay({
                ...common,
                replay: absolute(replay),
                skill: skill && absolute(skill),
                trace: trace && absolute(trace),
                signal,
                reading,
              });
        const { folder: skillFolder, execution } = opened;
        const files = skillFolder === undefined ? undefined : createSkillFiles(skillFolder);
        return {
          execution,
          environment: opened.environment,
          model: opened.model,
          folder: skillFolder,
          tracePath: () => opened.tracePath,
          isReplay: replay !== undefined,
          options: opened.options,
          get notes() {
            return opened.notes;
          },
          reading: opened.reading,
          readText: async (path) => files?.read(path),
          loadEdited: () => loadEdited(skillFolder),
          sync: () => opened.sync(),
          close: async () => opened.close(),
        };
      } catch (error) {
        throw forUser(error);
      }
    },
  };
}

/** The skill as it is on disk now. */
async function loadEdited(folder: string | undefined): Promise<Skill> {
  if (folder === undefined) {
    throw new LaunchFailure(
      'It is not known where the files of this skill are: name its folder by "skill" in the launch configuration.',
    );
  }
  try {
    return await loadRunnableSkill(folder);
  } catch (error) {
    throw forUser(error);
  }
}

/** A failure that a user can put right as one that the adapter shows; anything else is a bug. */
function forUser(error: unknown): unknown {
  return isForUser(error) ? new LaunchFailure(error.message, { cause: error }) : error;
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
