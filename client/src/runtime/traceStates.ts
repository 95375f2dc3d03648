/** The states that a recorded run went through, Σ_0 first. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { loadSkill } from '../../../schemas/skill/skill';
import { readTrace } from '../../../schemas/trace/trace';
import { planResume } from './resume';
import { createTraceHistory } from './traceHistory';

export interface TraceStates {
  /** The recorded skill's name. */
  readonly skill: string;
  /** Every state, or evenly chosen ones of a longer run: the first and the last are among them. */
  readonly states: readonly JsonObject[];
}

/** How many states are taken of a run. */
const maxStates = 2_000;

/**
 * Reads the states of a trace as far as it can be read.
 *
 * @returns undefined where the bytes are no trace
 */
export async function statesOfTrace(bytes: Uint8Array): Promise<TraceStates | undefined> {
  const content = readTrace(bytes);
  const header = content.records[0];
  if (header?.kind !== 'run') return undefined;
  const { stateSchema } = await loadSkill(planResume({ ...content, records: [header], problems: [] }).files);
  const history = createTraceHistory(content.records, stateSchema);
  const last = history.steps.length;
  const count = Math.min(last + 1, maxStates);
  const states = Array.from({ length: count }, (_, index) =>
    history.stateAt(count === 1 ? last : Math.round((index * last) / (count - 1))),
  );
  return { skill: header.skill.name, states };
}
