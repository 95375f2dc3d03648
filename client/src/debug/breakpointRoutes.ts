/** Requests that say where a run is to stop. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type BreakpointTarget, describeBreakpoint, type SourceBreakpoint } from './breakpoints';
import type { ClientConventions } from './clientConventions';
import type { Routes } from './routes';
import type { StopPoints } from './stopRules';

export interface BreakpointContext {
  readonly points: StopPoints;
  readonly conventions: () => ClientConventions;
  /** What breakpoints are bound against; undefined before a skill is loaded. */
  readonly target: () => BreakpointTarget | undefined;
}

/** Breakpoints outlive runs: they are set before a skill is loaded too, and are bound once there is a target. */
export function breakpointRoutes({ points, conventions, target }: BreakpointContext) {
  return {
    setBreakpoints: async ({ source, breakpoints, lines }: DebugProtocol.SetBreakpointsArguments) => {
      const given: readonly DebugProtocol.SourceBreakpoint[] =
        breakpoints ?? (lines ?? []).map((line) => ({ line }));
      const wanted = given.map((one) => ({ ...one, line: conventions().fromLine(one.line) }));
      const { path, sourceReference } = source;
      if (path === undefined || (sourceReference ?? 0) > 0) {
        const message = 'This text belongs to one run. Breakpoints go on files of the skill.';
        return { body: { breakpoints: wanted.map(() => ({ verified: false, message })) } };
      }
      const set = await points.source.set(path, wanted, target);
      return { body: { breakpoints: set.map((breakpoint) => describedFor(conventions(), breakpoint)) } };
    },
    breakpointLocations: async ({
      source: { path, sourceReference },
      line,
      endLine = line,
    }: DebugProtocol.BreakpointLocationsArguments) => {
      if (path === undefined || (sourceReference ?? 0) > 0) return { body: { breakpoints: [] } };
      const client = conventions();
      const stretch = { first: client.fromLine(line), last: client.fromLine(endLine) };
      const found = await points.source.locations(path, stretch, target());
      return { body: { breakpoints: found.map((at) => ({ line: client.line(at) })) } };
    },
    setFunctionBreakpoints: ({ breakpoints }: DebugProtocol.SetFunctionBreakpointsArguments) => {
      const { functions } = points;
      const set = functions.set(breakpoints);
      return { body: { breakpoints: set.map((one) => functions.describe(one, target()?.skill)) } };
    },
    setDataBreakpoints: ({ breakpoints }: DebugProtocol.SetDataBreakpointsArguments) => {
      const { data } = points;
      const set = data.set(breakpoints);
      const schema = target()?.skill.stateSchema;
      return { body: { breakpoints: set.map((one) => data.describe(one, schema)) } };
    },
    setExceptionBreakpoints: (wanted: DebugProtocol.SetExceptionBreakpointsArguments) => ({
      body: { breakpoints: points.exceptions.set(wanted) },
    }),
  } satisfies Partial<Routes>;
}

/** Binds everything that a user has set to a skill that was loaded since; gives it as DAP has it. */
export async function rebound(
  { source, functions, data }: StopPoints,
  target: BreakpointTarget,
  client: ClientConventions,
): Promise<readonly DebugProtocol.Breakpoint[]> {
  const lines = await source.rebind(target);
  return [
    ...lines.map((one) => describedFor(client, one)),
    ...functions.all.map((one) => functions.describe(one, target.skill)),
    ...data.all.map((one) => data.describe(one, target.skill.stateSchema)),
  ];
}

/** A breakpoint as DAP has it, in the client's numbers. */
function describedFor(client: ClientConventions, breakpoint: SourceBreakpoint): DebugProtocol.Breakpoint {
  return { ...describeBreakpoint(breakpoint), line: client.line(breakpoint.line) };
}
