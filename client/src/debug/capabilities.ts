/** What the adapter claims: exactly what it implements. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ExceptionFilters } from './debuggedRun';

/**
 * Both filters are on at first: a rejected reply is this debugger's exception, and the first thing that somebody who
 * debugs a skill wants to see.
 */
const exceptionFilters = [
  {
    filter: 'rejected',
    label: 'Rejected replies',
    description: 'Stops at each reply that is not taken over, at the rule that it violates.',
    default: true,
  },
  {
    filter: 'exhausted',
    label: 'Retries exhausted',
    description: 'Stops when the last attempt of a step is rejected.',
    default: true,
  },
] as const satisfies readonly (DebugProtocol.ExceptionBreakpointsFilter & {
  filter: keyof ExceptionFilters;
})[];

export const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsCancelRequest: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsExceptionInfoRequest: true,
  supportsDelayedStackTraceLoading: true,
  exceptionBreakpointFilters: [...exceptionFilters],
};

/** Which of the filters a client has switched on. */
export function filtersOf(names: readonly string[]): ExceptionFilters {
  return { rejected: names.includes('rejected'), exhausted: names.includes('exhausted') };
}
