/** A decision as the reply that prompt A.4 asks for: prose, then one fenced JSON block with exactly two keys. */
import type { JsonValue } from '../../../../schemas/json/jsonValue';

export function replyText(reasoning: string, block: string): string {
  return `${reasoning}\n\n\`\`\`json\n${block}\n\`\`\`\n`;
}

/** @param patch Any JSON value, as a reply with a fault may hold no object there. */
export function blockText(patch: JsonValue, action: string): string {
  return JSON.stringify({ state_patch: patch, action });
}
