/** What stays the same throughout a run, made from a skill and the run's options, and what keeps a run from beginning. */
import type { Skill } from '../../../schemas/skill/skill';
import type { Sha256 } from '../../../schemas/text/digest';
import type { Model } from './model';
import type { RunOptions } from './options';
import { InitialStateFailure, RunFailure } from './runFailure';
import { createPromptTokenCounter } from './tokenCounting';
import type { Tokenizer } from './tokens';
import type { RunContext } from './transitionTypes';
import { createStateValidator, type StateValidator } from './validation';

export interface ContextOptions {
  readonly skill: Skill;
  readonly options: RunOptions;
  readonly tokenizer: Tokenizer;
  readonly price: Model['price'];
  readonly declares: RunContext['declares'];
  readonly sha256: Sha256;
  /** The skill's, where it was made already. */
  readonly validator?: StateValidator;
}

/** @throws StateSchemaFailure where the skill's state schema can't be compiled. */
export function createContext({
  skill,
  options,
  tokenizer,
  validator,
  ...others
}: ContextOptions): RunContext {
  return {
    ...others,
    skill,
    options,
    validator: validator ?? createStateValidator(skill.stateSchema, options.limits),
    counter: createPromptTokenCounter(tokenizer, skill.instructions),
  };
}

/** @throws InitialStateFailure where Σ_0 does not fit its schema. */
export function refuseInitialState(skill: Skill, validator: StateValidator): void {
  const [violation, ...others] = validator.checkInitial(skill.initialState);
  if (violation) throw new InitialStateFailure([violation, ...others]);
}

/** @throws RunFailure where a cap in US dollars can't be kept. */
export function refuseUnpricedBudget({ budget }: RunOptions, model: Model): void {
  if (budget.cost === undefined || model.price) return;
  throw new RunFailure(
    `A budget in US dollars can't be kept: no price is known for the model ${model.name}; name one in your prices, or leave that budget out.`,
  );
}
