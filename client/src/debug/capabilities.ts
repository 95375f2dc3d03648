/** What the adapter claims: exactly what it implements. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { exceptionBreakpointFilters } from './exceptionFilters';

export const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsCancelRequest: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsExceptionInfoRequest: true,
  supportsDelayedStackTraceLoading: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsFunctionBreakpoints: true,
  supportsDataBreakpoints: true,
  supportsExceptionFilterOptions: true,
  supportsBreakpointLocationsRequest: true,
  supportsSetVariable: true,
  supportsSetExpression: true,
  supportsCompletionsRequest: true,
  completionTriggerCharacters: ['.', '[', '"', "'"],
  supportsValueFormattingOptions: true,
  supportsStepBack: true,
  supportsRestartFrame: true,
  supportsGotoTargetsRequest: true,
  exceptionBreakpointFilters: [...exceptionBreakpointFilters],
};
