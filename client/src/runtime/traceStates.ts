/** The states that a recorded run went through, Σ_0 first. */
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { createTraceReader, type TraceBytes } from './traceReader';

export interface TraceStates {
  /** The recorded skill's name. */
  readonly skill: string;
  /** Every state, or evenly chosen ones of a longer run: the first and the last are among them. */
  readonly states: readonly JsonObject[];
}

/** How many states are taken of a run. */
const maxStates = 2_000;

/**
 * Reads the states of a trace's original run as far as they can be read.
 *
 * @returns undefined where the bytes are no trace
 */
export async function statesOfTrace(bytes: TraceBytes): Promise<TraceStates | undefined> {
  const reader = createTraceReader({ bytes });
  await reader.read();
  const { header } = reader;
  if (!header) return undefined;
  const last = reader.branches[0]?.steps ?? 0;
  const count = Math.min(last + 1, maxStates);
  const states: JsonObject[] = [];
  for (let index = 0; index < count; index++)
    states.push(await reader.stateAt(0, count === 1 ? last : Math.round((index * last) / (count - 1))));
  return { skill: header.skill.name, states };
}
