/** How the probe of constrained decoding asks Gemini. */
import type { Prober } from '../decoding/probe';
import { createDecodingProber } from '../decodingProber';
import type { ProbeTold } from '../http/announcedProbe';
import type { ModelName } from '../modelName';
import { GeminiClient, type GeminiResources } from './geminiClient';
import { geminiPlacements } from './geminiConfig';

/** The most tokens of a probe's answer, thoughts included. */
const probeTokens = 4_096;

/**
 * Makes the prober of a model.
 *
 * @throws ModelFailure where the settings make no address, or there is no key; the signal's reason
 */
export async function geminiProber(
  name: ModelName,
  resources: GeminiResources & { readonly onProbe?: ProbeTold },
  signal: AbortSignal,
): Promise<Prober> {
  const client = new GeminiClient('model' in name ? name.model : '', resources);
  await client.authenticate(signal);
  return proberOf(client, resources.onProbe);
}

/**
 * The prober of a client's model.
 *
 * @param onProbe told before the first question
 */
export function proberOf(client: GeminiClient, onProbe?: ProbeTold): Prober {
  const { vertex, baseUrl } = client.target;
  return createDecodingProber({
    client,
    server: vertex === undefined ? baseUrl : `${baseUrl}/${vertex.project}/${vertex.location}`,
    placements: geminiPlacements,
    maxTokens: probeTokens,
    onProbe,
  });
}
