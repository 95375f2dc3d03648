/** The prompt that a skill's state and an observation give, with what each part costs; nothing runs. */
import { composePrompt, type Prompt, type PromptInput } from './prompt';
import { createPromptTokenCounter } from './tokenCounting';
import type { PromptTokens, Tokenizer } from './tokens';

export interface PromptPreview {
  readonly prompt: Prompt;
  /** Estimated. */
  readonly tokens: PromptTokens & { readonly total: number };
  /** The tokenizer of the estimate, such as `o200k_base`. */
  readonly tokenizer: string;
}

/** Fills the template and counts its parts. */
export function previewPrompt(input: PromptInput, tokenizer: Tokenizer): PromptPreview {
  const prompt = composePrompt(input);
  const counter = createPromptTokenCounter(tokenizer, input.instructions);
  const tokens = counter.count({ ...input, stateText: prompt.stateText });
  const total = tokens.instructions + tokens.state + tokens.observation + tokens.scaffold;
  return { prompt, tokens: { ...tokens, total }, tokenizer: tokenizer.name };
}

/** The split on one line: `651 tokens: instructions 512, state 20, observation 9, scaffold 110 (estimated by o200k_base)`. */
export function splitText({ tokens, tokenizer }: PromptPreview): string {
  const { instructions, state, observation, scaffold, total } = tokens;
  return `${total} tokens: instructions ${instructions}, state ${state}, observation ${observation}, scaffold ${scaffold} (estimated by ${tokenizer})`;
}
