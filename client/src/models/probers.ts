/** The probers of all providers that have one, and what is remembered of what they find. */
import type { ExpectedReply } from '../runtime/model';
import {
  isConclusive,
  type ProbeResult,
  type Prober,
  type ProbeStore,
  probeDecoding,
} from './decoding/probe';
import { type DroppedKeyword, replyConstraint } from './decoding/replyConstraint';
import { type ModelName, parseModelName } from './modelName';
import type { ModelResources } from './modelResources';

/** A name whose model is behind a server that may hold replies to a format. */
export type ProbedName = Exclude<
  ModelName,
  { readonly provider: 'scripted' | 'manual' | 'vscode' | 'replay' }
>;

/** What a model's name means where there is a server that can be probed; undefined for any other. */
export function probedName(model: string): ProbedName | undefined {
  const name = parseModelName(model);
  switch (name?.provider) {
    case undefined:
    case 'scripted':
    case 'manual':
    case 'vscode':
    case 'replay':
      return undefined;
    default:
      return name;
  }
}

/** @throws ModelFailure where the server isn't there, or the key that it needs; the signal's reason */
export async function proberOf(
  name: ProbedName,
  resources: Omit<ModelResources, 'asker' | 'environment' | 'sha256'>,
  signal: AbortSignal,
): Promise<Prober> {
  if (name.provider === 'gemini') {
    const { geminiProber } = await import('./gemini/geminiProber');
    return geminiProber(name, resources, signal);
  }
  const { openAiProber } = await import('./openai/openaiProber');
  // Nobody is asked for replies, and no policy answers.
  const unused = { asker: { ask: async () => undefined }, environment: 'manual', sha256: () => '' };
  return openAiProber(name, { ...resources, ...unused }, signal);
}

/** Probes, whatever is known, and remembers what that tells of the server. @throws the signal's reason */
export async function probeAnew(
  prober: Prober,
  store: ProbeStore | undefined,
  now: number,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const result = await probeDecoding(prober, now, signal);
  if (isConclusive(result)) await store?.set(prober.server, prober.model, result);
  return result;
}

/** What of a skill's schema the chosen constraint doesn't hold a model to. */
export function droppedOf(
  { placements }: Prober,
  { encoding, placement }: ProbeResult,
  expected: ExpectedReply,
): readonly DroppedKeyword[] {
  const chosen = placements.find((one) => one.encoding === encoding && one.placement === placement);
  return chosen === undefined ? [] : replyConstraint(expected, chosen.encoding, chosen.dialect).dropped;
}
