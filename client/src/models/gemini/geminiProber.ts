/** How the probe of constrained decoding asks Gemini. */
import { ModelFailure } from '../../runtime/model';
import type { ProbeAnswer, Prober } from '../decoding/probe';
import { announced, type ProbeTold } from '../http/announcedProbe';
import { askedTwice } from '../http/lostProbe';
import type { ModelName } from '../modelName';
import type { ModelSettings } from '../modelSettings';
import { GeminiClient, type GeminiResources } from './geminiClient';
import { geminiConfig, geminiPlacements } from './geminiConfig';

/** The most tokens of a probe's answer, thoughts included. */
const probeTokens = 4_096;

/** An answer that is longer, in characters, keeps to no format that a probe asks for. */
const longestAnswer = 4_000;

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
  const client = new GeminiClient(resources);
  await client.authenticate(signal);
  return proberOf('model' in name ? name.model : '', client, resources.settings ?? {}, resources.onProbe);
}

/**
 * The prober of a model's id.
 *
 * @param onProbe told before the first question
 */
export function proberOf(
  model: string,
  client: GeminiClient,
  settings: ModelSettings,
  onProbe?: ProbeTold,
): Prober {
  const { vertex, baseUrl } = client.target;
  return announced(onProbe, {
    server: vertex === undefined ? baseUrl : `${baseUrl}/${vertex.project}/${vertex.location}`,
    model,
    placements: geminiPlacements,
    ask(_placement, prompt, constraint, signal) {
      const request = { step: 0, attempt: 1, seed: 0, temperature: 0, topP: 1, maxTokens: probeTokens };
      const config = geminiConfig(model, request, settings, constraint);
      return askedTwice(
        () => askOnce(client, { model, prompt, config }, signal),
        () => client.list(signal),
        signal,
      );
    },
  });
}

async function askOnce(
  client: GeminiClient,
  question: Parameters<GeminiClient['ask']>[0],
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  let text = '';
  let finish: string | undefined;
  try {
    for await (const event of client.ask(question, signal)) {
      if (event.type === 'text') text += event.text;
      else if (event.type === 'finish') finish = event.reason;
      if (text.length > longestAnswer) break;
    }
  } catch (failure) {
    if (!(failure instanceof ModelFailure)) throw failure;
    return { ok: false, failure };
  }
  if (text === '' && finish === 'MAX_TOKENS') {
    const message = `${question.model} thinks longer than the ${probeTokens} tokens that a probe allows.`;
    return { ok: false, failure: new ModelFailure(message, { class: 'unavailable', retryable: false }) };
  }
  return { ok: true, text };
}
