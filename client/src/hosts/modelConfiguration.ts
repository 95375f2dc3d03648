/** What the user's settings say of models. Free of VS Code. */
import type { JsonValue } from '../../../schemas/json/jsonValue';
import { attributeProblem, type LaunchAttribute } from '../../../schemas/launch/launchConfiguration';
import { settingsSection } from '../../../schemas/messages/messages';
import { type PriceTable, readPrices } from '../models/prices';
import { serverOf } from '../models/servers';
import { ModelFailure } from '../runtime/model';
import type { RequestDefaults } from './chosenModel';
import type { OwnServer } from './modelCatalog';
import { ownMember } from './ownMember';

export interface ModelConfiguration {
  readonly servers: readonly OwnServer[];
  readonly prices: PriceTable;
  /** Patterns whose matches no trace gets. */
  readonly redact: readonly string[];
  readonly defaults: RequestDefaults;
  /** What is wrong in the settings and counts for nothing, a sentence each. */
  readonly problems: readonly string[];
  /** What is wrong in the settings and keeps runs from beginning: `redact`, without which a trace would hold what it must not. */
  readonly refusal: string | undefined;
}

/** The settings by their names below `skill-state.`. */
export const modelSettingNames = [
  'model.maxTokens',
  'model.temperature',
  'model.retryTemperature',
  'model.topP',
  'model.decoding',
  'model.timeout',
  'model.requestRetries',
  'servers',
  'prices',
  'redact',
] as const;

export type ModelSettingName = (typeof modelSettingNames)[number];

/** @param get the value of a setting, its default where it isn't set */
export function readModelConfiguration(get: (name: ModelSettingName) => unknown): ModelConfiguration {
  const problems: string[] = [];
  const own = (name: RequestSetting) => ownValue(name, get(name), problems);
  const number = (name: RequestSetting) => {
    const value = own(name);
    return typeof value === 'number' ? value : undefined;
  };
  const decoding = own('model.decoding');
  return {
    servers: serversOf(get('servers'), problems),
    prices: pricesOf(get('prices'), problems),
    ...redactOf(get('redact')),
    defaults: {
      maxTokens: number('model.maxTokens'),
      temperature: number('model.temperature'),
      retryTemperature: number('model.retryTemperature'),
      topP: number('model.topP'),
      // What the setting's default is, a run has without being told.
      decoding: typeof decoding === 'string' && decoding !== 'auto' ? decoding : undefined,
      timeout: number('model.timeout'),
      requestRetries: number('model.requestRetries'),
    },
    problems,
  };
}

/** Settings that stand for the launch attribute of the same name. */
export type RequestSetting = Extract<ModelSettingName, `model.${LaunchAttribute}`>;

/** The value of a setting; undefined where it isn't set, or can't be one, which `problems` then say. */
function ownValue(name: RequestSetting, value: unknown, problems: string[]): unknown {
  if (value === undefined || value === null) return undefined;
  const problem = attributeProblem(attributeOf(name), value, placeOf(name));
  if (problem === undefined) return value;
  problems.push(problem);
  return undefined;
}

/** The launch attribute that a setting stands for where launch.json doesn't have it. */
export function attributeOf(name: RequestSetting): LaunchAttribute {
  // So the type has it; TypeScript doesn't follow it through `slice`.
  return name.slice('model.'.length) as LaunchAttribute;
}

function placeOf(name: ModelSettingName): string {
  return `${settingsSection}.${name}`;
}

function serversOf(value: unknown, problems: string[]): readonly OwnServer[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(`${placeOf('servers')} has to be a list of servers, each with a "name" and a "baseUrl".`);
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    const [name, baseUrl] = [ownMember(entry, 'name'), ownMember(entry, 'baseUrl')];
    const place = `${placeOf('servers')}[${index}]`;
    if (typeof name !== 'string' || name.trim() === '' || typeof baseUrl !== 'string') {
      problems.push(`${place} needs a "name" and a "baseUrl".`);
      return [];
    }
    try {
      return [{ name, baseUrl: serverOf('openai', baseUrl).baseUrl }];
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      problems.push(`${place}: ${error.message}`);
      return [];
    }
  });
}

function pricesOf(value: unknown, problems: string[]): PriceTable {
  if (value === undefined || value === null) return new Map();
  // Settings come as JSON.
  const read = readPrices(value as JsonValue);
  if (read.ok) return read.prices;
  problems.push(...read.problems.map((problem) => `${placeOf('prices')}: ${problem}`));
  return new Map();
}

/** The patterns, or why there can be no run: one left out would let into traces what the user wants kept out of them. */
function redactOf(value: unknown): Pick<ModelConfiguration, 'redact' | 'refusal'> {
  if (value === undefined) return { redact: [], refusal: undefined };
  const place = placeOf('redact');
  const wrong = (refusal: string) => ({ redact: [], refusal: `${refusal} Put it right in the settings.` });
  if (!Array.isArray(value))
    return wrong(`${place} has to be a list of regular expressions, such as ["\\\\b\\\\d{16}\\\\b"].`);
  const texts = value.filter((one: unknown) => typeof one === 'string' && one !== '');
  const wrongAt = value.findIndex((one: unknown) => typeof one !== 'string' || one === '');
  if (wrongAt >= 0)
    return wrong(`${place}[${wrongAt}] has to be a regular expression, as a text that is not empty.`);
  return { redact: texts, refusal: undefined };
}
