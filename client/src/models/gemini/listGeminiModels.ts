/** Which models there are at Gemini. */
import { GeminiClient, type GeminiModelEntry, type GeminiResources } from './geminiClient';

export type { GeminiModelEntry } from './geminiClient';

/** In seconds: lists are short, and somebody waits for them. */
const listTimeout = 10;

/**
 * Those that answer in text, in the server's order.
 *
 * @throws ModelFailure; the signal's reason
 */
export function listGeminiModels(
  resources: GeminiResources,
  signal: AbortSignal,
): Promise<readonly GeminiModelEntry[]> {
  const { settings = {} } = resources;
  const timeout = settings.timeout ?? listTimeout;
  return new GeminiClient('', { ...resources, settings: { ...settings, timeout } }).list(signal);
}
