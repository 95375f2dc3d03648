/** What the user's settings say of models. Free of VS Code. */
import type { JsonValue } from '../../../schemas/json/jsonValue';
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
  const number = (name: ModelSettingName) => {
    const value = get(name);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    servers: serversOf(get('servers'), problems),
    prices: pricesOf(get('prices'), problems),
    redact: textsOf(get('redact')),
    defaults: {
      maxTokens: number('model.maxTokens'),
      temperature: number('model.temperature'),
      retryTemperature: number('model.retryTemperature'),
      topP: number('model.topP'),
      decoding: decodingOf(get('model.decoding')),
      timeout: number('model.timeout'),
      requestRetries: number('model.requestRetries'),
    },
    problems,
  };
}

function serversOf(value: unknown, problems: string[]): readonly OwnServer[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown, index) => {
    const [name, baseUrl] = [ownMember(entry, 'name'), ownMember(entry, 'baseUrl')];
    const place = `skill-state.servers[${index}]`;
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
  problems.push(...read.problems.map((problem) => `skill-state.prices: ${problem}`));
  return new Map();
}

/** What the setting's default is, a run has without being told. */
function decodingOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== 'auto' ? value : undefined;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
