/** Nothing is claimed that no golden shows, and nothing that goldens show is kept from clients. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../../../client/src/debug/capabilities';
import { isCommand } from '../../../client/src/debug/requestArguments';
import { repository } from '../../support/memoryRun';

type Capability = Exclude<keyof DebugProtocol.Capabilities, 'exceptionBreakpointFilters'>;

/** For each capability the requests, answered with success, that show it. */
const evidence: Partial<Record<Capability, readonly RegExp[]>> = {
  supportsConfigurationDoneRequest: [/^configurationDone/],
  supportsRestartRequest: [/^restart/],
  supportsTerminateRequest: [/^terminate/],
  supportsCancelRequest: [/^cancel/],
  supportsEvaluateForHovers: [/^evaluate .*"context":"hover"/],
  supportsClipboardContext: [/^evaluate .*"context":"clipboard"/],
  supportsExceptionInfoRequest: [/^exceptionInfo/],
  supportsDelayedStackTraceLoading: [/^stackTrace .*"startFrame":\d+,"levels":\d+/],
  supportsConditionalBreakpoints: [
    /^setBreakpoints .*"condition":/,
    /^setFunctionBreakpoints .*"condition":/,
    /^setDataBreakpoints .*"condition":/,
  ],
  supportsHitConditionalBreakpoints: [
    /^setBreakpoints .*"hitCondition":/,
    /^setFunctionBreakpoints .*"hitCondition":/,
    /^setDataBreakpoints .*"hitCondition":/,
  ],
  supportsLogPoints: [/^setBreakpoints .*"logMessage":/],
  supportsFunctionBreakpoints: [/^setFunctionBreakpoints/],
  supportsDataBreakpoints: [/^dataBreakpointInfo/, /^setDataBreakpoints/],
  supportsExceptionFilterOptions: [/^setExceptionBreakpoints .*"filterOptions":\[\{"filterId"/],
  supportsBreakpointLocationsRequest: [/^breakpointLocations/],
  supportsSetVariable: [/^setVariable/],
  supportsSetExpression: [/^setExpression/],
  supportsCompletionsRequest: [/^completions/],
  completionTriggerCharacters: [/^completions .*"text":"[^"]*\."/, /^completions .*"text":"[^"]*\[\\"/],
  supportsValueFormattingOptions: [
    /^evaluate .*"format":\{"hex":true\}/,
    /^variables .*"format":\{"hex":true\}/,
    /^stackTrace .*"format":\{/,
  ],
  supportsStepBack: [/^stepBack/, /^reverseContinue/],
  supportsRestartFrame: [/^restartFrame/],
  supportsGotoTargetsRequest: [/^gotoTargets/, /^goto /],
};

/** The requests that a client sends only where a capability allows it. */
const optionalRequests: Readonly<Record<string, Capability>> = {
  configurationDone: 'supportsConfigurationDoneRequest',
  restart: 'supportsRestartRequest',
  terminate: 'supportsTerminateRequest',
  cancel: 'supportsCancelRequest',
  exceptionInfo: 'supportsExceptionInfoRequest',
  setFunctionBreakpoints: 'supportsFunctionBreakpoints',
  dataBreakpointInfo: 'supportsDataBreakpoints',
  setDataBreakpoints: 'supportsDataBreakpoints',
  breakpointLocations: 'supportsBreakpointLocationsRequest',
  setVariable: 'supportsSetVariable',
  setExpression: 'supportsSetExpression',
  completions: 'supportsCompletionsRequest',
  stepBack: 'supportsStepBack',
  reverseContinue: 'supportsStepBack',
  restartFrame: 'supportsRestartFrame',
  gotoTargets: 'supportsGotoTargetsRequest',
  goto: 'supportsGotoTargetsRequest',
  stepInTargets: 'supportsStepInTargetsRequest',
  modules: 'supportsModulesRequest',
  loadedSources: 'supportsLoadedSourcesRequest',
  terminateThreads: 'supportsTerminateThreadsRequest',
  readMemory: 'supportsReadMemoryRequest',
  writeMemory: 'supportsWriteMemoryRequest',
  disassemble: 'supportsDisassembleRequest',
  setInstructionBreakpoints: 'supportsInstructionBreakpoints',
};

/** The requests of all goldens that were answered with success, with their arguments. */
function answeredRequests(): readonly string[] {
  const folder = join(repository, 'test', 'fixtures', 'debug');
  return readdirSync(folder).flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n');
    return lines.flatMap((line, at) => {
      if (!line.startsWith('> ')) return [];
      const answer = lines.slice(at + 1).find((later) => /^[<>]/.test(later));
      return answer?.startsWith('<') && !answer.startsWith('< failed') ? [line.slice(2)] : [];
    });
  });
}

describe('capabilities', () => {
  const { exceptionBreakpointFilters = [], ...claimed } = capabilities;
  const answered = answeredRequests();

  it('are all shown by goldens', () => {
    expect(Object.keys(claimed).sort()).toEqual(Object.keys(evidence).sort());
    const unshown = Object.entries(evidence).flatMap(([name, patterns]) =>
      (patterns ?? [])
        .filter((pattern) => !answered.some((request) => pattern.test(request)))
        .map((pattern) => `${name}: ${pattern.source}`),
    );
    expect(unshown).toEqual([]);
  });

  it('allow every request that is answered, and no other', () => {
    const implemented = Object.keys(optionalRequests).filter(isCommand);
    const allowed = Object.entries(optionalRequests)
      .filter(([, capability]) => Object.hasOwn(claimed, capability))
      .map(([request]) => request);
    expect(implemented).toEqual(allowed);
  });

  it('have filters that each stopped a run in a golden, and take conditions', () => {
    const texts = answered.filter((request) => request.startsWith('setExceptionBreakpoints')).join('\n');
    for (const {
      filter,
      supportsCondition,
      conditionDescription,
      label,
      description,
    } of exceptionBreakpointFilters) {
      expect(texts).toContain(`"${filter}"`);
      expect(supportsCondition).toBe(true);
      expect(conditionDescription).toMatch(/^A CEL expression, such as /);
      expect(label.length).toBeLessThan(40);
      expect(description).toMatch(/^Stops .*\.$/);
    }
    const onAtFirst = exceptionBreakpointFilters
      .filter((filter) => filter.default)
      .map(({ filter }) => filter);
    expect(onAtFirst).toEqual(['rejected', 'exhausted', 'environment-error']);
  });
});
