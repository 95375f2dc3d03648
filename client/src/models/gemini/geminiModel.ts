/** Google's Gemini as a model: by key, or on Vertex AI. */
import { type Model, ModelSettingFailure } from '../../runtime/model';
import { createConstrainedModel } from '../constrainedModel';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { GeminiClient } from './geminiClient';
import { isGemini3 } from './geminiConfig';
import { proberOf } from './geminiProber';
import { geminiModelId } from './geminiTarget';

/**
 * Makes the model; the library, key and probe come with `prepare`, or else with the first request.
 *
 * @param fullName what the user typed
 * @throws ModelSettingFailure for settings and names of which no address can be made
 */
export function createGeminiModel(name: ModelName, fullName: string, resources: ModelResources): Model {
  const { settings = {}, onProbe } = resources;
  const client = new GeminiClient('model' in name ? name.model : '', resources);
  geminiModelId(client.model, client.target);
  if (settings.decoding === 'grammar' || settings.encoding === 'grammar') {
    const message = `${client.title} can't be held to a grammar: choose json-schema, operations, free or auto for decoding.`;
    throw new ModelSettingFailure(message);
  }
  return createConstrainedModel({
    name: fullName,
    client,
    resources,
    prober: async () => proberOf(client, onProbe),
    remarks: (held, { temperature }) => [...held, ...temperatureRemarks(client.model, temperature)],
  });
}

/** What Google's guide to prompts for Gemini 3 recommends, where a run has it otherwise. */
function temperatureRemarks(model: string, temperature: number): readonly string[] {
  if (temperature >= 1 || !isGemini3(model)) return [];
  return [
    `Google strongly recommends to keep the temperature of Gemini 3 at 1, and this run has ${temperature}: set it by --temperature 1 (temperature in launch.json).`,
  ];
}
