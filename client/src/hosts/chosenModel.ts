/** The model that was chosen for a workspace, and what launch configurations get of it. Free of VS Code. */
import { parseModelName } from '../models/modelName';
import { hasSetting, isSettingName } from '../models/settingOwners';
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
  readonly temperature?: number | undefined;
  readonly retryTemperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly decoding?: string | undefined;
  readonly timeout?: number | undefined;
  readonly requestRetries?: number | undefined;
}

/** Launch attributes by which a configuration means a model that it needn't name. */
const attributesOfUnnamed: Readonly<Record<string, string>> = {
  faults: 'scripted',
  faultSeed: 'scripted',
  replies: 'manual',
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
 * model has them. What stands in it stays; and where that means a model without its name, as `replies` the manual one,
 * nothing was left open.
 *
 * @param configuration of ours; a trace that is replayed has its own model
 */
export function withChosenModel<Configuration extends Readonly<Record<string, unknown>>>(
  configuration: Configuration,
  chosen: ChosenModel | undefined,
  defaults: RequestDefaults,
): Configuration {
  if (configuration.replay !== undefined) return configuration;
  const isOpen =
    configuration.model === undefined && chosen !== undefined && !meansAnother(configuration, chosen);
  const named = isOpen ? { ...configuration, ...missing(configuration, chosen) } : configuration;
  const { model } = named;
  if (typeof model !== 'string') return named;
  const had = Object.entries(defaults).filter(([name]) => isSettingName(name) && hasSetting(model, name));
  return { ...named, ...missing(named, Object.fromEntries(had)) };
}

function meansAnother(configuration: Readonly<Record<string, unknown>>, { model }: ChosenModel): boolean {
  return Object.entries(attributesOfUnnamed).some(
    ([attribute, owner]) => configuration[attribute] !== undefined && model !== owner,
  );
}

/** What `given` has and the configuration doesn't. */
function missing(configuration: Readonly<Record<string, unknown>>, given: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && configuration[name] === undefined),
  );
}
