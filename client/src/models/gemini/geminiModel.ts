/** Google's Gemini as a model: by key, or on Vertex AI. */
import { type Model, ModelFailure } from '../../runtime/model';
import { type ChosenDecoding, chooseDecoding } from '../decoding/probe';
import { decodingRemarks } from '../decoding/probeWords';
import { replyConstraint } from '../decoding/replyConstraint';
import { createReplyDecoder } from '../decoding/replyDecoder';
import type { ModelName } from '../modelName';
import type { ModelResources } from '../modelResources';
import { GeminiClient } from './geminiClient';
import { geminiConfig } from './geminiConfig';
import { proberOf } from './geminiProber';
import { geminiModelId } from './geminiTarget';

/**
 * Makes the model; the library, key and probe come with `prepare`, or else with the first request.
 *
 * @param fullName what the user typed
 * @throws ModelFailure for settings and names of which no address can be made
 */
export function createGeminiModel(name: ModelName, fullName: string, resources: ModelResources): Model {
  const { settings = {}, probes, waiting, onProbe } = resources;
  const model = 'model' in name ? name.model : '';
  const client = new GeminiClient(resources);
  geminiModelId(model, client.target);
  if (settings.decoding === 'grammar' || settings.encoding === 'grammar') {
    const message = `${client.target.server} can't be held to a grammar: choose json-schema, operations, free or auto for decoding.`;
    throw new ModelFailure(message, { class: 'bad-request', retryable: false });
  }
  let chosen: ChosenDecoding | undefined;
  let choosing: Promise<ChosenDecoding> | undefined;

  /** Once, also for requests that are made side by side. */
  async function choose(signal: AbortSignal): Promise<ChosenDecoding> {
    const prober = proberOf(model, client, settings, onProbe);
    choosing ??= chooseDecoding({
      settings,
      prober,
      store: probes,
      now: waiting?.now() ?? Date.now(),
      signal,
    });
    try {
      chosen = await choosing;
      return chosen;
    } catch (error) {
      choosing = undefined;
      throw error;
    }
  }

  return {
    name: fullName,
    get found() {
      if (chosen === undefined) return undefined;
      const { encoding, placement } = chosen;
      return { encoding, ...(placement !== undefined && { placement }) };
    },
    remarks: (expected) => {
      if (chosen === undefined) return [];
      const { encoding } = chosen;
      const dropped = encoding === 'free' ? [] : replyConstraint(expected, encoding, 'gemini').dropped;
      return decodingRemarks(chosen, dropped);
    },
    async prepare(signal) {
      await client.authenticate(signal);
      await choose(signal);
    },
    async *generate(request, signal) {
      const { encoding } = await choose(signal);
      const constraint =
        encoding === 'free' ? undefined : replyConstraint(request.expected, encoding, 'gemini', request);
      const config = geminiConfig(model, request, settings, constraint);
      const decoder = createReplyDecoder(encoding, request.expected);
      let isOver = false;
      for await (const event of client.ask({ model, prompt: request.prompt, config }, signal)) {
        // Text comes before all that is told at the end.
        if (event.type === 'usage' || event.type === 'finish' || event.type === 'response') {
          const rest = isOver ? '' : decoder.end();
          isOver = true;
          if (rest !== '') yield { type: 'text', text: rest };
        }
        if (event.type !== 'text') yield event;
        else {
          const text = decoder.write(event.text);
          if (text !== '') yield { type: 'text', text };
        }
      }
    },
  };
}
