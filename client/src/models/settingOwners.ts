/** Which models have which settings: one that nothing would come of is a mistake of whoever gives it. */
import { type ModelName, parseModelName, serverProviders } from './modelName';

type Provider = ModelName['provider'];

/** By what a launch configuration calls them; flags have hyphens instead. */
export type SettingName = keyof typeof settingOwners;

const scripted = ['scripted'] as const;
const gemini = ['gemini'] as const;
/** Models behind a protocol of their makers'. */
const serving = ['openai', ...serverProviders, 'gemini'] as const;
/** All that answer over a network, or as if they did. */
const asking = [...serving, 'vscode'] as const;

/** What stands here are settings of models and options of requests; the rest of a run's options holds for every model. */
const settingOwners = {
  faults: scripted,
  faultSeed: scripted,
  baseUrl: serving,
  decoding: serving,
  reasoningEffort: serving,
  thinkingBudget: gemini,
  vertexProject: gemini,
  vertexLocation: gemini,
  timeout: asking,
  requestRetries: asking,
  temperature: asking,
  topP: asking,
  maxTokens: asking,
  retryTemperature: asking,
} as const satisfies Readonly<Record<string, readonly Provider[]>>;

/** Whether a model has a setting. A name that means no model has none. */
export function hasSetting(model: string, setting: SettingName): boolean {
  const provider = parseModelName(model)?.provider;
  return ownersOf(setting).some((owner) => owner === provider);
}

/** Whether requests to a model are made again where they fail for a while. */
export function makesRequests(model: string): boolean {
  return hasSetting(model, 'requestRetries');
}

/**
 * The first setting that a model doesn't have, as a sentence for the user; undefined where it has all that are given, and for a
 * name that means no model, which is the mistake that is said then.
 *
 * @param given what is undefined isn't given
 */
export function idleSetting(
  model: string,
  given: Readonly<Partial<Record<SettingName, unknown>>>,
): string | undefined {
  if (parseModelName(model) === undefined) return undefined;
  for (const [setting, value] of Object.entries(given)) {
    if (value === undefined || !isSettingName(setting) || hasSetting(model, setting)) continue;
    return `${setting} is for models of ${listed(ownersOf(setting))}; the model is ${model}.`;
  }
  return undefined;
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingOwners, name);
}

function ownersOf(setting: SettingName): readonly Provider[] {
  return settingOwners[setting];
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
