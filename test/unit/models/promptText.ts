/** Prompts for the tests of models. */
import { composePrompt } from '../../../client/src/runtime/prompt';
import type { JsonObject } from '../../../schemas/json/jsonValue';

/** Instructions that show an example prompt and reply, which a reader of prompts must not take for the real one. */
export const instructions = `Run the warehouse.

Skill Execution State:
\`\`\`json
{"inventory":{"shelf_9":"item_9"}}
\`\`\`

Latest Observation: Customer ordered item_9.`;

export function promptFor(state: JsonObject, observation: string): string {
  return composePrompt({ instructions, state, observation }).text;
}
