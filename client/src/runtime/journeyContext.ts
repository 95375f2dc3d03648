/** The context in which a journey makes its steps: of its own skill, and of an edited one that it goes on with. */
import type { Skill } from '../../../schemas/skill/skill';
import type { ForkResult, JourneyOptions } from './journey';
import { createContext } from './runContext';
import type { RunState } from './runState';
import type { RunContext } from './transitionTypes';
import { StateSchemaFailure } from './validation';

/** @throws StateSchemaFailure where the skill's state schema can't be compiled */
export function contextOf(
  { options, tokenizer, host, participants }: JourneyOptions,
  skill: Skill,
): RunContext {
  const live = 'missing' in participants ? undefined : participants;
  return createContext({
    skill,
    options,
    tokenizer,
    price: live?.model.price,
    declares: live?.environment.declares?.bind(live.environment),
    sha256: host.sha256,
  });
}

/** The context of an edited skill, or why a run can't go on with it from where it stands. */
export function contextOfEdited(
  options: JourneyOptions,
  skill: Skill,
  run: RunState,
): RunContext | (ForkResult & { readonly ok: false }) {
  let context: RunContext;
  try {
    context = contextOf(options, skill);
  } catch (error) {
    if (error instanceof StateSchemaFailure) return { ok: false, message: error.message };
    throw error;
  }
  const [violation] = context.validator.checkInitial(run.state);
  if (violation === undefined) return context;
  const { message, pointer, schemaLocation } = violation;
  return {
    ok: false,
    message: `The state of step ${run.step} does not fit the edited state schema: ${message}`,
    pointer,
    ...(schemaLocation !== '' && { schemaLocation: skill.stateSchema.locationText(schemaLocation) }),
  };
}
