/** Answers of a server that keeps to the formats that a probe asks for, without looking at them. */
import type { Answer, ChatRequest } from './openaiServer';

/** Such an answer to a probe by a JSON Schema; undefined for any other request. */
export function probeReply({ text, body }: ChatRequest): Answer | undefined {
  // The action that a probe allows has a word in its name that no answer has by chance.
  const [word] = /Confirm_[0-9a-z]+/.exec(text) ?? [];
  if (word === undefined || !('response_format' in body)) return undefined;
  const reply = { reasoning: 'I see.', state_patch: { gone: null }, action: `${word} place_1` };
  return { kind: 'reply', text: JSON.stringify(reply) };
}
