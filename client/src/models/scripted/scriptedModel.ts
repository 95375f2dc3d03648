/** The scripted model: a policy's decision for one prompt, streamed as a reply, with faults where they are asked for. */
import { isJsonObject } from '../../../../schemas/json/jsonValue';
import type { Sha256 } from '../../../../schemas/text/digest';
import { type Model, ModelFailure } from '../../runtime/model';
import { readPrompt } from '../../runtime/prompt';
import { drawFault } from './faults';
import { faultyReply } from './faultyReply';
import type { Policy, PolicyInput } from './policy';
import { blockText, replyText } from './replyText';

export interface ScriptedModelOptions {
  readonly policy: Policy;
  /** The share of replies with a fault, from 0 (the default) to 1. */
  readonly faults?: number | undefined;
  /** Which replies have one; 0 by default. */
  readonly faultSeed?: number | undefined;
  readonly sha256: Sha256;
}

/** UTF-16 units of a piece of the stream, about four tokens. */
const chunkLength = 16;

/** A model that answers by the prompt alone: the same prompt, the same reply, in the same pieces. */
export function createScriptedModel({
  policy,
  faults = 0,
  faultSeed = 0,
  sha256,
}: ScriptedModelOptions): Model {
  if (!(faults >= 0 && faults <= 1))
    throw new RangeError(`The rate of faults lies between 0 and 1, not at ${faults}.`);
  const faultOptions = { rate: faults, seed: faultSeed, sha256 };

  function reply(prompt: string): string {
    const input = readInput(prompt);
    const decision = policy(input);
    const fault = drawFault(prompt, faultOptions);
    if (fault !== undefined) return faultyReply(decision, input.state, fault);
    return replyText(decision.reasoning, blockText(decision.patch, decision.action));
  }

  return {
    name: 'scripted',
    async *generate({ prompt }, signal) {
      signal.throwIfAborted();
      const text = reply(prompt);
      for (let start = 0; start < text.length; start += chunkLength) {
        yield { type: 'text', text: text.slice(start, start + chunkLength) };
        signal.throwIfAborted();
      }
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function readInput(prompt: string): PolicyInput {
  const parts = readPrompt(prompt);
  // A prompt that could be read has an object for a state.
  const state: unknown = parts && JSON.parse(parts.stateText);
  if (parts === undefined || !isJsonObject(state)) {
    const message = 'The scripted model answers prompts with a state in them, and found none in this one.';
    throw new ModelFailure(message, { class: 'bad-request', retryable: false });
  }
  return { instructions: parts.instructions, state, observation: parts.observation };
}
