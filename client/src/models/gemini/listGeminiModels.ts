/** Which models there are at Gemini. */
import { GeminiClient, type GeminiModelEntry, type GeminiResources } from './geminiClient';

export type { GeminiModelEntry } from './geminiClient';

/**
 * Those that answer in text, in the server's order.
 *
 * @throws ModelFailure; the signal's reason
 */
export function listGeminiModels(
  resources: GeminiResources,
  signal: AbortSignal,
): Promise<readonly GeminiModelEntry[]> {
  return new GeminiClient(resources).list(signal);
}
