/** Requests that say where a run is to stop. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import {
  type BreakpointStore,
  type BreakpointTarget,
  describeBreakpoint,
  type SourceBreakpoint,
} from './breakpoints';
import { filtersOf } from './capabilities';
import type { ClientConventions } from './clientConventions';
import type { ExceptionFilters } from './debuggedRun';
import type { Routes } from './routes';

export interface BreakpointContext {
  readonly breakpoints: BreakpointStore;
  readonly conventions: () => ClientConventions;
  /** What breakpoints are bound against; undefined before a skill is loaded. */
  readonly target: () => BreakpointTarget | undefined;
  readonly setFilters: (filters: ExceptionFilters) => void;
}

export function breakpointRoutes({ breakpoints: store, conventions, target, setFilters }: BreakpointContext) {
  return {
    setBreakpoints: async ({ source, breakpoints, lines }: DebugProtocol.SetBreakpointsArguments) => {
      const wanted = (breakpoints?.map(({ line }) => line) ?? lines ?? []).map((line) =>
        conventions().fromLine(line),
      );
      const { path, sourceReference } = source;
      if (path === undefined || (sourceReference ?? 0) > 0) {
        const message = 'This text belongs to one run. Breakpoints go on files of the skill.';
        return { body: { breakpoints: wanted.map(() => ({ verified: false, message })) } };
      }
      const set = await store.set(path, wanted, target);
      const described = set.map((breakpoint, index) => {
        const { condition, hitCondition, logMessage } = breakpoints?.[index] ?? {};
        const isPlain = condition === undefined && hitCondition === undefined && logMessage === undefined;
        // Not claimed as capabilities; a client that sends them all the same is told what comes of it.
        const message = 'Stops each time: conditions, hit counts and log messages are not evaluated.';
        return { ...(isPlain ? {} : { message }), ...describedFor(conventions(), breakpoint) };
      });
      return { body: { breakpoints: described } };
    },
    setExceptionBreakpoints: ({ filters: names }: DebugProtocol.SetExceptionBreakpointsArguments) => {
      const filters = filtersOf(names);
      setFilters(filters);
      return { body: { breakpoints: names.map((filter) => ({ verified: filter in filters })) } };
    },
  } satisfies Partial<Routes>;
}

/** A breakpoint as DAP has it, in the client's numbers. */
export function describedFor(
  client: ClientConventions,
  breakpoint: SourceBreakpoint,
): DebugProtocol.Breakpoint {
  return { ...describeBreakpoint(breakpoint), line: client.line(breakpoint.line) };
}
