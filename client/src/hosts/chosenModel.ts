/** The model that was chosen for a workspace, and what launch configurations get of it. Free of VS Code. */
import { oneLine } from '../../../schemas/text/oneLine';
import { parseModelName } from '../models/modelName';
import { hasSetting, isSettingName } from '../models/settingOwners';
import { shortened } from '../runtime/quotation';
import { debugType } from './launchConfiguration';
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

/** The model that a configuration means, by its name or by an attribute that only one model has; undefined where it is left open. */
function meantBy(configuration: unknown): (ChosenModel & { readonly by: string }) | undefined {
  if (ownMember(configuration, 'replay') !== undefined) return undefined;
  const model = ownMember(configuration, 'model');
  if (typeof model === 'string') {
    const baseUrl = ownMember(configuration, 'baseUrl');
    return { model, by: 'model', ...(typeof baseUrl === 'string' && { baseUrl }) };
  }
  const [by, owner] =
    Object.entries(attributesOfUnnamed).find(([name]) => ownMember(configuration, name) !== undefined) ?? [];
  return by === undefined || owner === undefined ? undefined : { model: owner, by };
}

function isSameModel(one: ChosenModel, other: ChosenModel): boolean {
  return one.model === other.model && placeOf(one) === placeOf(other);
}

/** Whether a configuration, as it is run, runs on the chosen model. */
export function isChosen(
  configuration: Readonly<Record<string, unknown>>,
  chosen: ChosenModel | undefined,
): boolean {
  const meant = meantBy(configuration);
  return chosen !== undefined && meant !== undefined && isSameModel(meant, chosen);
}

/** An address without what may be left out of it. */
function placeOf({ baseUrl }: ChosenModel): string | undefined {
  return baseUrl?.replace(/\/$/, '').replace(/\/v1$/, '');
}

/** A model by its name, and by where it is. */
export function modelText({ model, baseUrl }: ChosenModel): string {
  return baseUrl === undefined ? model : `${model} at ${baseUrl}`;
}

/**
 * What is told at the beginning of a run on another model than the one that was chosen, and how to run on that; undefined where
 * it runs on that one, or nothing was chosen.
 *
 * @param configuration as it is run, with what was left open filled in; a trace that is replayed has its own model
 */
export function otherModelNote(
  configuration: Readonly<Record<string, unknown>>,
  chosen: ChosenModel | undefined,
): string | undefined {
  const meant = meantBy(configuration);
  if (chosen === undefined || meant === undefined || isSameModel(meant, chosen)) return undefined;
  const means = meant.by === 'model' ? 'names the model' : `means by "${meant.by}" the model`;
  return `The launch configuration ${means} ${modelText(meant)}, while ${modelText(chosen)} is chosen for this workspace: to run on that one, take "${meant.by}" out of the configuration, or use "Skill: Debug".`;
}

/**
 * What is told after a model was chosen where launch configurations mean others; undefined where none does.
 *
 * @param configurations those of launch.json, whatever stands there
 */
export function keptModelsNote(configurations: unknown, chosen: ChosenModel): string | undefined {
  const ours = Array.isArray(configurations)
    ? configurations.filter(
        (one: unknown) => ownMember(one, 'type') === debugType && ownMember(one, 'replay') === undefined,
      )
    : [];
  const others = ours.flatMap((one: unknown) => {
    const meant = meantBy(one);
    return meant === undefined || isSameModel(meant, chosen) ? [] : [meant.model];
  });
  if (others.length === 0) return undefined;
  const open: unknown = ours.find((one: unknown) => meantBy(one) === undefined);
  const name = ownMember(open, 'name');
  const advice = typeof name === 'string' ? ` "${plain(name)}" names none, and runs on the chosen one.` : '';
  const listed = [...new Set(others)].map(plain).join(', ');
  return `launch.json names other models (${listed}), and F5 keeps to those.${advice}`;
}

/** A name from a file for a message, which would make a link of what looks like one. */
function plain(text: string): string {
  return shortened(oneLine(text), 60).replaceAll('](', '] (');
}

/** What `given` has and the configuration doesn't. */
function missing(configuration: Readonly<Record<string, unknown>>, given: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && configuration[name] === undefined),
  );
}
