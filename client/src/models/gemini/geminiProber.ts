/** How the probe of constrained decoding asks Gemini. */
import { ModelFailure } from '../../runtime/model';
import type { ProbeAnswer, Prober } from '../decoding/probe';
import { GeminiClient, type GeminiResources } from './geminiClient';
import { geminiConfig, geminiPlacements } from './geminiConfig';

/** The most tokens of a probe's answer, thoughts included. */
const probeTokens = 4_096;

/**
 * @param model the model's id
 * @param client by default one of its own
 * @throws ModelFailure where the settings make no address
 */
export function geminiProber(
  model: string,
  resources: GeminiResources,
  client = new GeminiClient(resources),
): Prober {
  const { settings = {} } = resources;
  const { vertex, origin } = client.target;
  return {
    server: vertex === undefined ? origin : `${origin}/${vertex.project}/${vertex.location}`,
    model,
    placements: geminiPlacements,
    async ask(_placement, prompt, constraint, signal): Promise<ProbeAnswer> {
      const request = { step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, maxTokens: probeTokens };
      const config = geminiConfig(model, request, settings, constraint);
      let text = '';
      try {
        for await (const event of client.ask({ model, prompt, config }, signal))
          if (event.type === 'text') text += event.text;
      } catch (failure) {
        if (failure instanceof ModelFailure) return { ok: false, failure };
        throw failure;
      }
      return { ok: true, text };
    },
  };
}
