/** The model that was chosen for a workspace, and what launch configurations get of it. Free of VS Code. */
import { namingProviders, parseModelName, serverProviders } from '../models/modelName';
import { ownMember } from './ownMember';

/** A model as it would stand in launch.json. */
export interface ChosenModel {
  readonly model: string;
  /** Of a server that isn't the provider's own. */
  readonly baseUrl?: string | undefined;
}

/** What the user's settings say of requests; undefined where they say nothing of their own. */
export interface RequestDefaults {
  readonly maxTokens?: number | undefined;
  readonly retryTemperature?: number | undefined;
  readonly timeout?: number | undefined;
  readonly requestRetries?: number | undefined;
}

/** Providers that answer over a network, or as if they did. */
const askingProviders: readonly string[] = namingProviders.filter((provider) => provider !== 'replay');

const openaiProviders = ['openai', ...serverProviders];

/** Launch attributes that belong to some models alone, by their providers. */
const attributeOwners: Readonly<Record<string, readonly string[]>> = {
  faults: ['scripted'],
  faultSeed: ['scripted'],
  replies: ['manual'],
  baseUrl: [...openaiProviders, 'gemini'],
  decoding: [...openaiProviders, 'gemini'],
  reasoningEffort: [...openaiProviders, 'gemini'],
  thinkingBudget: ['gemini'],
  vertexProject: ['gemini'],
  vertexLocation: ['gemini'],
};

/** What was remembered of a choice; undefined where that is none. */
export function readChosenModel(value: unknown): ChosenModel | undefined {
  const model = ownMember(value, 'model');
  const baseUrl = ownMember(value, 'baseUrl');
  if (typeof model !== 'string' || parseModelName(model) === undefined) return undefined;
  return { model, ...(typeof baseUrl === 'string' && { baseUrl }) };
}

/**
 * A launch configuration with what it leaves open: the chosen model where it names none, and the user's settings where the
 * model is one that they are for. What stands in it stays; and where that is for another model than the chosen one, such as
 * `replies` for the manual one, nothing was left open.
 *
 * @param configuration of ours; a trace that is replayed has its own model
 */
export function withChosenModel<Configuration extends Readonly<Record<string, unknown>>>(
  configuration: Configuration,
  chosen: ChosenModel | undefined,
  defaults: RequestDefaults,
): Configuration {
  if (configuration.replay !== undefined) return configuration;
  const isOpen = configuration.model === undefined && chosen !== undefined && suits(configuration, chosen);
  const named: Readonly<Record<string, unknown>> = isOpen
    ? { ...configuration, ...missing(configuration, chosen) }
    : configuration;
  const provider = providerOf(named.model);
  if (provider === undefined || !askingProviders.includes(provider)) return { ...configuration, ...named };
  return { ...configuration, ...named, ...missing(named, defaults) };
}

function suits(configuration: Readonly<Record<string, unknown>>, { model }: ChosenModel): boolean {
  const provider = providerOf(model);
  return Object.entries(attributeOwners).every(
    ([attribute, owners]) =>
      configuration[attribute] === undefined || (provider !== undefined && owners.includes(provider)),
  );
}

/** What `given` has and the configuration doesn't. */
function missing(configuration: Readonly<Record<string, unknown>>, given: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && configuration[name] === undefined),
  );
}

function providerOf(model: unknown): string | undefined {
  return typeof model === 'string' ? parseModelName(model)?.provider : undefined;
}
