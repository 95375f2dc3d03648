/** The debug adapter's host on this machine: runs from disk, real time. For the command line and the extension. */
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CompleteLaunchConfiguration } from '../../../../schemas/launch/launchConfiguration';
import type { Skill } from '../../../../schemas/skill/skill';
import { type Clock, type DebugHost, LaunchFailure, type Remedy } from '../../debug/debugHost';
import { parseModelName, serverProviders } from '../../models/modelName';
import { defaultRequestRetries, type ModelSettings, readSettings } from '../../models/modelSettings';
import { loadTokenizer } from '../../models/o200kTokenizer';
import { serverOf } from '../../models/servers';
import { makesRequests } from '../../models/settingOwners';
import { RunFailure } from '../../runtime/execution';
import { ModelFailure } from '../../runtime/model';
import type { RunOptions, Settings } from '../../runtime/options';
import type { Redaction } from '../../runtime/redaction';
import { UnknownNameFailure } from '../../runtime/unknownName';
import { openJourney, openReplay, type ReplayReading } from './openJourney';
import { type HostModels, redactionOf, SettingFailure } from './participants';
import { loadRunnableSkill, SkillFailure } from './runnableSkill';
import { sampledModel } from './sampledModels';
import { createSkillFiles, FileFailure } from './skillFolder';

const realClock: Clock = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  yieldToMessages: () => setImmediate(),
};

export interface DebugHostOptions {
  /** What relative paths of launch configurations are relative to. */
  readonly folder: string;
  /** Where traces go that no configuration names; by default `folder`. */
  readonly traceFolder?: string | undefined;
  /** How traces are read that are replayed. */
  readonly reading?: ReplayReading | undefined;
  /**
   * What an editor has for models: its keys (`keys`), its own language models (`editorModels`), the user's prices (`prices`),
   * what is known of servers (`probes`), how it reaches the network (`fetch`). What is left out, models do without; keys too.
   */
  readonly models?: HostModels | undefined;
  /** The user's patterns of what is kept out of runs and traces. One that can't be used keeps runs from beginning. */
  readonly redact?: readonly string[] | undefined;
  /** Why no run may begin, whatever its configuration: a sentence for the user. */
  readonly refusal?: string | undefined;
  /** What the user is told at the beginning of a run, a sentence each. */
  readonly notes?: readonly string[] | undefined;
  /** What is offered where a run can't begin for its model. */
  readonly modelRemedy?: Remedy | undefined;
  /** Told of mistakes in the debugger itself, of which users see the message alone. */
  readonly onBug?: DebugHost['onBug'];
}

/** The debug adapter's host on this machine. */
export function createDebugHost({
  folder,
  traceFolder,
  reading,
  models,
  redact = [],
  refusal,
  notes = [],
  modelRemedy,
  onBug,
}: DebugHostOptions): DebugHost {
  const absolute = (path: string) => resolve(folder, path);
  return {
    clock: realClock,
    onBug(error, during) {
      if (!isForUser(error)) onBug?.(error, during);
    },
    async open(configuration, { asker, signal, onText, onNotice }) {
      if (refusal !== undefined) throw new LaunchFailure(refusal);
      try {
        const { skill, replay, trace, replies, observations, environment, model } = configuration;
        const { forkWithoutRewind } = configuration;
        const redaction = redactionOf(redact);
        const common = {
          environment,
          model,
          modelSettings: modelSettingsOf(configuration),
          models,
          redaction,
          recordingFolders: [folder],
          forkWithoutRewind,
          replies: replies && absolute(replies),
          observations: observations && absolute(observations),
          callbacks: { asker, signal, onText, onNotice },
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
                options: samplingOf(configuration),
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
          mostRequests: mostRequests(opened.model, opened.settings.model),
          sampling: {
            redaction,
            tokenizer: loadTokenizer,
            async model(wanted) {
              const { timeout, requestRetries } = common.modelSettings;
              try {
                const own = readSettings(opened.settings.model);
                // The same name at another server is another model.
                const isOwn =
                  wanted === undefined ||
                  wanted.isOwn === true ||
                  (wanted.name === opened.model && isSameServer(wanted.name, wanted.baseUrl, own.baseUrl));
                return sampledModel({
                  // What a client takes for its name may be that of the model which began the run.
                  name: wanted === undefined || wanted.isOwn === true ? opened.model : wanted.name,
                  settings: isOwn ? own : { baseUrl: wanted.baseUrl, timeout, requestRetries },
                  environment: opened.environment,
                  models: common.models,
                  recordingFolders: [folder],
                });
              } catch (error) {
                throw forUser(error);
              }
            },
          },
          get notes() {
            return [...notes, ...opened.notes];
          },
          reading: opened.reading,
          readText: async (path) => files?.read(path),
          loadEdited: () => loadEdited(skillFolder, redaction),
          sync: () => opened.sync(),
          close: async () => opened.close(),
        };
      } catch (error) {
        throw forUser(error, modelRemedy);
      }
    },
  };
}

/** Whether a model is at the same place by either base URL. @throws ModelFailure for one that can't be one */
function isSameServer(model: string, first: string | undefined, second: string | undefined): boolean {
  const named = parseModelName(model)?.provider;
  const provider = (['openai', ...serverProviders] as const).find((one) => one === named);
  if (provider === undefined) return first === second;
  const [server, other] = [first, second].map((baseUrl) => serverOf(provider, baseUrl).baseUrl);
  return server === other;
}

/** The skill as it is on disk now. */
async function loadEdited(folder: string | undefined, redaction: Redaction | undefined): Promise<Skill> {
  if (folder === undefined) {
    throw new LaunchFailure(
      'It is not known where the files of this skill are: name its folder by "skill" in the launch configuration.',
    );
  }
  try {
    return await loadRunnableSkill(folder, redaction);
  } catch (error) {
    throw forUser(error);
  }
}

/** A failure that a user can put right as one that the adapter shows; anything else is a bug. */
function forUser(error: unknown, modelRemedy?: Remedy): unknown {
  if (!isForUser(error)) return error;
  const remedy = isAboutModel(error) ? modelRemedy : undefined;
  return new LaunchFailure(error.message, { cause: error, remedy });
}

function isAboutModel(error: Error): boolean {
  return (
    error instanceof ModelFailure ||
    (error instanceof UnknownNameFailure && error.subject !== 'environment') ||
    error.cause instanceof ModelFailure
  );
}

function optionsOf(configuration: CompleteLaunchConfiguration): Partial<RunOptions> {
  const { seed, horizon, commit, maxRetries, onExhausted, budget } = configuration;
  return { seed, horizon, commit, maxRetries, onExhausted, budget, ...samplingOf(configuration) };
}

/** The options that go to the model with each request. */
function samplingOf(configuration: CompleteLaunchConfiguration): Partial<RunOptions> {
  const { temperature, topP, maxTokens, retryTemperature } = configuration;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(retryTemperature !== undefined && { retryTemperature }),
  };
}

function modelSettingsOf(configuration: CompleteLaunchConfiguration): ModelSettings {
  const { faults, faultSeed, baseUrl, decoding, reasoningEffort, thinkingBudget } = configuration;
  const { timeout, requestRetries, vertexProject, vertexLocation } = configuration;
  return {
    ...{ faults, faultSeed, baseUrl, decoding, reasoningEffort, thinkingBudget },
    ...{ timeout, requestRetries, vertexProject, vertexLocation },
  };
}

function mostRequests(
  model: string,
  { requestRetries = defaultRequestRetries }: Settings,
): number | undefined {
  return makesRequests(model) && typeof requestRetries === 'number' ? 1 + requestRetries : undefined;
}

/** Failures whose message says what a user can do; anything else is a bug. */
function isForUser(error: unknown): error is Error {
  return (
    error instanceof FileFailure ||
    error instanceof SkillFailure ||
    error instanceof SettingFailure ||
    error instanceof RunFailure ||
    error instanceof ModelFailure ||
    error instanceof UnknownNameFailure
  );
}
