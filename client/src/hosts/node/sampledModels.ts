/** Models of which samples are drawn: made apart from any run's, so that nothing of a run is used up by them. */
import { parseModelName } from '../../models/modelName';
import type { ModelSettings } from '../../models/modelSettings';
import { createModel } from '../../models/registry';
import { serverOf } from '../../models/servers';
import type { Model } from '../../runtime/model';
import { type HostModels, SettingFailure } from './participants';
import { recordingOpener } from './recordings';
import { sha256 } from './sha256';

export interface SampledModelRequest {
  readonly name: string;
  readonly settings: ModelSettings;
  /** For which `scripted` acts. */
  readonly environment: string;
  readonly models?: HostModels | undefined;
  /** Where relative paths of recordings begin; the current folder by default. */
  readonly recordingFolders?: readonly string[] | undefined;
}

/** Hosted services answer so many requests at once without making each slower; servers of one's own may not. */
const hostedAtOnce = 4;

/**
 * Makes a model; nothing is asked of it yet.
 *
 * @throws SettingFailure where nobody can draw samples of it; UnknownNameFailure; ModelFailure
 */
export function sampledModel({
  name,
  settings,
  environment,
  models = {},
  recordingFolders = ['.'],
}: SampledModelRequest): {
  readonly model: Model;
  /** How many samples are asked for at once. */
  readonly concurrency: number;
} {
  if (parseModelName(name)?.provider === 'manual') {
    throw new SettingFailure(
      "The manual model can't be sampled: its replies are a person's. Name another model to try the step with.",
    );
  }
  const model = createModel(name, {
    openRecording: recordingOpener({ folders: recordingFolders }),
    ...models,
    asker: { ask: async () => undefined },
    environment,
    settings,
    sha256,
  });
  return { model, concurrency: isHosted(name, settings) ? hostedAtOnce : 1 };
}

function isHosted(name: string, { baseUrl }: ModelSettings): boolean {
  const provider = parseModelName(name)?.provider;
  return provider === 'gemini' || (provider === 'openai' && serverOf('openai', baseUrl).isHosted);
}
