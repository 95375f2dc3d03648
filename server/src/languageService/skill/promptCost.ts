/** What reaches the model: the tokens of P, of Σ at first and at its bound, and of a prompt that is made of them. */
import { scaffoldPieces } from '../../../../client/src/runtime/prompt';
import { createPromptTokenCounter } from '../../../../client/src/runtime/tokenCounting';
import type { Tokenizer } from '../../../../client/src/runtime/tokens';
import { BoundTokens } from '../../../../schemas/state/boundTokens';
import { stateBound } from '../../../../schemas/state/stateBound';
import type { StateSchema } from '../../../../schemas/state/stateSchema';
import type { Tools } from '../documents';
import type { SkillModel } from '../skillModels';
import { thousands, tokensOf } from './bodyMeter';

/** Token estimates. */
export interface PromptCost {
  /** P, included files and all. */
  readonly instructions: number;
  /** Σ₀. */
  readonly initialState: number;
  /** Σ at its largest; undefined where the schema sets no bound. */
  readonly largestState: number | undefined;
  /** The template's own text. */
  readonly scaffold: number;
}

/** Undefined where there is no token table. */
export async function promptCost(model: SkillModel, tools: Tools): Promise<PromptCost | undefined> {
  const { skill } = model;
  let tokenizer: Tokenizer;
  try {
    tokenizer = await tools.tokenizer();
  } catch {
    return undefined; // counts are an extra
  }
  const instructions = await tokensOf(skill.instructions, tools);
  if (instructions === undefined) return undefined;
  // P is counted by paragraphs, which are kept; the counter has the rest.
  const counter = createPromptTokenCounter(tokenizer, '');
  const state = skill.initialState;
  const { state: initialState } = counter.count({ state, stateText: JSON.stringify(state), observation: '' });
  const bound = boundTokens(skill.stateSchema, tokenizer);
  const largestState = bound === undefined ? undefined : Math.max(initialState, bound);
  const scaffold = scaffoldPieces.reduce((sum, piece) => sum + tokenizer.count(piece), 0);
  return { instructions, initialState, largestState, scaffold };
}

const kept = new WeakMap<StateSchema, number | undefined>();

/** Σ at its bound; counted once for a schema, as there is one tokenizer. */
function boundTokens(schema: StateSchema, tokenizer: Tokenizer): number | undefined {
  if (kept.has(schema)) return kept.get(schema);
  const { root } = stateBound(schema);
  const tokens = Number.isFinite(root.bytes)
    ? new BoundTokens((text) => tokenizer.count(text)).of(root)
    : undefined;
  kept.set(schema, tokens);
  return tokens;
}

/** The cost as Markdown, for a hover. */
export function describedCost({ instructions, initialState, largestState, scaffold }: PromptCost): string {
  const first = instructions + scaffold + initialState;
  const most =
    largestState === undefined
      ? 'The schema sets no bound to Σ, so a prompt has none either.'
      : `With Σ at its bound (${tokens(largestState)}) it is ${tokens(instructions + scaffold + largestState)}.`;
  return [
    '**What reaches the model** (estimated by o200k)',
    '',
    `The first prompt is ${tokens(first)} and the observation: instructions P ${thousands(instructions)}, state Σ₀ ${thousands(initialState)}, template ${thousands(scaffold)}. ${most}`,
  ].join('\n');
}

function tokens(count: number): string {
  return count === 1 ? '1 token' : `${thousands(count)} tokens`;
}
