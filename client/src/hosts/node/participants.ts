/** Who takes part in a run on this machine: environment and model by name, and files in the place of a person. */
import type { RecordedParticipant } from '../../../../schemas/trace/trace';
import { createEnvironment } from '../../environments/registry';
import type { ModelResources } from '../../models/modelResources';
import { type ModelSettings, readSettings, recordedSettings } from '../../models/modelSettings';
import { createModel } from '../../models/registry';
import { idleSetting } from '../../models/settingOwners';
import { type Asker, createAskerByKind, createQueueAsker, parseAnswers } from '../../runtime/asker';
import type { Participants } from '../../runtime/journey';
import { type Model, ModelFailure } from '../../runtime/model';
import type { RunOptions } from '../../runtime/options';
import { createRedaction, type Redaction, redactedEnvironment } from '../../runtime/redaction';
import type { ResumePlan } from '../../runtime/resume';
import { RunFailure } from '../../runtime/runFailure';
import { type RecordingPlaces, recordingOpener } from './recordings';
import { sha256 } from './sha256';
import { readTextFile } from './skillFolder';

/** Files in a person's place: one JSON string a line. */
export interface AnswerFiles {
  readonly replies?: string | undefined;
  readonly observations?: string | undefined;
}

/** What a host has for the models of its runs: keys, the editor's models, prices, what is known of servers. */
export type HostModels = Omit<ModelResources, 'asker' | 'environment' | 'sha256' | 'settings'>;

/** What a host gives to each of its runs. */
export interface RunResources {
  readonly models?: HostModels | undefined;
  readonly redaction?: Redaction | undefined;
  /** Where relative paths of recordings to answer from begin; the current folder by default. */
  readonly recordingFolders?: readonly string[] | undefined;
}

/** Settings that don't go together. */
export class SettingFailure extends Error {
  override readonly name: string = 'SettingFailure';
}

/**
 * The world and who acts in it, by what a request or a trace says of them.
 *
 * @throws UnknownNameFailure; ModelFailure for a model that this host can't have, or whose settings make no address
 */
export function createParticipants({
  environment,
  model,
  asker,
  startAt,
  horizon,
  models = {},
  redaction,
  recordings,
}: Omit<RunResources, 'recordingFolders'> & {
  readonly environment: Pick<RecordedParticipant, 'name'>;
  readonly model: { readonly name: string; readonly settings: ModelSettings };
  readonly asker: Asker;
  /** How many observations the run has taken so far. */
  readonly startAt: number;
  readonly horizon: number | undefined;
  /** By default those of the current folder. */
  readonly recordings?: RecordingPlaces | undefined;
}): Participants {
  const world = createEnvironment(environment.name, { asker, startAt, horizon });
  return {
    environment: redaction === undefined ? world : redactedEnvironment(world, redaction),
    model: createModel(model.name, {
      ...models,
      openRecording: recordingOpener(recordings ?? { folders: ['.'] }),
      asker,
      environment: environment.name,
      settings: model.settings,
      sha256,
    }),
  };
}

/** @throws SettingFailure for a pattern that can't be used */
export function redactionOf(patterns: readonly string[]): Redaction | undefined {
  const result = createRedaction(patterns, Date.now);
  if (!result.ok) throw new SettingFailure(result.message);
  return result.redaction;
}

/** A reply that has nothing but what every reply has. */
const leastReply = '\n```json\n{"state_patch": {}, "action": ""}\n```\n';

/**
 * What a run can't go on without, or its trace has to hold, isn't redacted: a pattern that matches there is refused.
 *
 * @param model with what it found out once it was made ready
 * @throws SettingFailure
 */
export function refuseRedactedNeeds(
  redaction: Redaction | undefined,
  { environment, model }: { readonly environment: string; readonly model: RecordedParticipant },
): void {
  if (redaction === undefined) return;
  const needs: readonly (readonly [what: string, text: string])[] = [
    ['the words that every reply has', leastReply],
    ["the environment's name", environment],
    ["the model's name", model.name],
    ...Object.entries(model.settings).map(
      ([name, value]) => [`the model's setting ${name}`, String(value)] as const,
    ),
  ];
  for (const [what, text] of needs) {
    if (redaction.text(text) === text) continue;
    throw new SettingFailure(
      `What is redacted matches ${what}, and the run can't go on without: redact by a pattern that doesn't match there.`,
    );
  }
}

/** The settings of a recorded model, with those that whoever goes on with its run gives: what was found for others is void. */
export function settingsOf({ settings }: RecordedParticipant, given: ModelSettings = {}): ModelSettings {
  const { encoding, placement, without, ...recorded } = readSettings(settings);
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const isElsewhere =
    (given.baseUrl !== undefined && given.baseUrl !== recorded.baseUrl) || given.decoding !== undefined;
  return { ...recorded, ...(isElsewhere ? {} : { encoding, placement, without }), ...own };
}

/** Whether settings come to others than a model was recorded with. */
export function isChangedBy(recorded: RecordedParticipant, settings: ModelSettings): boolean {
  const before = recordedSettings(settingsOf(recorded));
  const now = recordedSettings(settings);
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].some(
    (name) => before[name] !== now[name],
  );
}

/** What is recorded of a model that goes on with a run: what it is set to by now, and what it found out. */
export function settingsGoingOn(
  recorded: RecordedParticipant,
  { settings, model }: { readonly settings: ModelSettings; readonly model: Pick<Model, 'name' | 'found'> },
): RecordedParticipant['settings'] {
  const isOther = model.name !== recorded.name || isChangedBy(recorded, settings);
  return { ...(isOther ? recordedSettings(settings) : recorded.settings), ...model.found };
}

/**
 * A model by settings that somebody gave.
 *
 * @param trace that has the settings, where nobody gave them
 * @throws SettingFailure for settings of which it can't be made; RunFailure where the trace has them
 */
export function madeOf<Made>(make: () => Made, trace?: string): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ModelFailure) || error.class !== 'bad-request') throw error;
    const { message } = error;
    if (trace === undefined) throw new SettingFailure(message, { cause: error });
    throw new RunFailure(`What ${trace} says of its model can't be used: ${message}`, { cause: error });
  }
}

/** A setting that nothing would come of is a mistake, and is said rather than passed over. */
export function refuseIdleSettings(
  {
    replies,
    observations,
    modelSettings = {},
    options = {},
  }: AnswerFiles & {
    readonly modelSettings?: ModelSettings | undefined;
    readonly options?: Partial<RunOptions> | undefined;
  },
  { environment, model }: { readonly environment: string; readonly model: string },
): void {
  const { faults, faultSeed: _seed, ...settings } = modelSettings;
  if (faults !== undefined && faults > 0 && model !== 'scripted') {
    throw new SettingFailure(`faults are the scripted model's; the model is ${model}.`);
  }
  const { temperature, topP, maxTokens, retryTemperature } = options;
  const idle = idleSetting(model, { ...settings, temperature, topP, maxTokens, retryTemperature });
  if (idle !== undefined) throw new SettingFailure(idle);
  if (replies !== undefined && model !== 'manual') {
    throw new SettingFailure(`replies are for the manual model; the model is ${model}.`);
  }
  if (observations !== undefined && environment !== 'manual') {
    throw new SettingFailure(
      `observations are for the manual environment; the environment is ${environment}.`,
    );
  }
}

/** Answers from files where they are given, else a person's; those that the run has had already are left out. */
export async function askerFor(
  files: AnswerFiles,
  person: Asker,
  consumed: { readonly [Kind in keyof ResumePlan['consumed']]: number | (() => number) },
): Promise<Asker> {
  const queued = async (path: string | undefined, startAt: number | (() => number)): Promise<Asker> => {
    if (path === undefined) return person;
    const parsed = parseAnswers(await readTextFile(path), path);
    if (!parsed.ok) throw new RunFailure(parsed.message);
    return createQueueAsker(parsed.answers, { startAt });
  };
  return createAskerByKind({
    reply: await queued(files.replies, consumed.replies),
    observation: await queued(files.observations, consumed.observations),
  });
}
