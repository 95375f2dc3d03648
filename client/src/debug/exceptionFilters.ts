/** What counts as an exception of a run, and which of them stop it: filters that the user switches on, with conditions. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { JsonObject } from '../../../schemas/json/jsonValue';
import { EnvironmentFailure } from '../runtime/environment';
import type { PhaseReport } from '../runtime/execution';
import type { Budget } from '../runtime/options';
import type { Rejection } from '../runtime/rejection';
import type { RunState } from '../runtime/runState';
import type { Warning, WarningClass } from '../runtime/warnings';
import {
  arrivalMoment,
  closingMoment,
  compileMomentExpression,
  holds,
  type Moment,
  type MomentExpression,
} from './conditions';
import { isExhausted, type RunException, type WarningFilter } from './stopPolicy';

export type ExceptionFilterId = RunException['filter'];

/** What the condition of a filter can name beside the roots of the console. */
const namesOf = { rejection: ['rejection'], warning: ['warning'], message: ['message'] } as const;

interface ExceptionFilter extends DebugProtocol.ExceptionBreakpointsFilter {
  readonly filter: ExceptionFilterId;
  readonly about: keyof typeof namesOf;
}

/**
 * On at first: a rejected reply is this debugger's exception, and the first thing that somebody who debugs a skill wants
 * to see; a failing environment would end the run before anybody could look. Warnings can come at every step, so that
 * they stop only who asked for them.
 */
const filters: readonly ExceptionFilter[] = [
  {
    filter: 'rejected',
    about: 'rejection',
    label: 'Rejected replies',
    description: 'Stops at each reply that is not taken over, at the rule that it violates.',
    default: true,
  },
  {
    filter: 'exhausted',
    about: 'rejection',
    label: 'Retries exhausted',
    description: 'Stops when the last attempt of a step is rejected.',
    default: true,
  },
  {
    filter: 'environment-error',
    about: 'message',
    label: 'Environment errors',
    description: 'Stops when the environment fails: one may step back from there, or try again.',
    default: true,
  },
  {
    filter: 'state-loss',
    about: 'warning',
    label: 'State loss',
    description: 'Stops when a patch shortens an array, or erases the keys of an object.',
    default: false,
  },
  {
    filter: 'stale-patch',
    about: 'warning',
    label: 'Stale patches',
    description: 'Stops when a patch is the same as the one before it.',
    default: false,
  },
  {
    filter: 'unknown-argument',
    about: 'warning',
    label: 'Unknown action arguments',
    description:
      'Stops when an argument of the action appears in none of instructions, state and observation.',
    default: false,
  },
  {
    filter: 'diverged',
    about: 'warning',
    label: 'State differs from the world',
    description:
      'Stops when the state begins to differ from what the environment knows, or differs otherwise.',
    default: false,
  },
  {
    filter: 'state-over-budget',
    about: 'warning',
    label: 'State over budget',
    description: 'Stops when a patch leaves a state larger than budget.stateBytes.',
    default: false,
  },
  {
    filter: 'tokens-over-budget',
    about: 'message',
    label: 'Tokens over budget',
    description:
      'Stops at the reply with which the run has spent budget.tokens, before it ends because of it.',
    default: false,
  },
];

const conditionExamples: Readonly<Record<ExceptionFilter['about'], string>> = {
  rejection: "A CEL expression, such as rejection.class == 'schema' && step > 3",
  warning: "A CEL expression, such as warning.pointer == '/inventory' && step > 3",
  message: "A CEL expression, such as message.contains('timeout') && step > 3",
};

/** The filters as the client offers them. */
export const exceptionBreakpointFilters: readonly DebugProtocol.ExceptionBreakpointsFilter[] = filters.map(
  ({ about, ...filter }) => ({
    ...filter,
    supportsCondition: true,
    conditionDescription: conditionExamples[about],
  }),
);

const filterOfWarning: Readonly<Record<WarningClass, WarningFilter>> = {
  'array-shrunk': 'state-loss',
  'keys-erased': 'state-loss',
  'repeated-patch': 'stale-patch',
  'unknown-argument': 'unknown-argument',
  'state-over-budget': 'state-over-budget',
  diverged: 'diverged',
};

/** A filter that is switched on. */
interface ActiveFilter {
  readonly filter: ExceptionFilterId;
  readonly condition: MomentExpression | undefined;
}

/** Told where the condition of a filter can't be evaluated: the filter's label, and what is wrong. */
export type TellProblem = (key: object, label: string, problem: string) => void;

/** Which filters are on. They outlive the runs of a session. */
export class ExceptionFilters {
  #active: readonly ActiveFilter[] = [];

  /** Whether any filter is switched on. */
  get isActive(): boolean {
    return this.#active.length > 0;
  }

  /** Replaces what is on; gives what DAP wants to know of each, names first. */
  set({
    filters: names,
    filterOptions = [],
  }: Pick<
    DebugProtocol.SetExceptionBreakpointsArguments,
    'filters' | 'filterOptions'
  >): DebugProtocol.Breakpoint[] {
    const wanted = [...names.map((filterId) => ({ filterId, condition: undefined })), ...filterOptions];
    const active: ActiveFilter[] = [];
    const answers = wanted.map(({ filterId, condition }): DebugProtocol.Breakpoint => {
      const known = filters.find(({ filter }) => filter === filterId);
      if (known === undefined) {
        const all = filters.map(({ filter }) => filter).join(', ');
        return {
          verified: false,
          message: `There is no filter ${JSON.stringify(filterId)}: there are ${all}.`,
        };
      }
      if (condition === undefined || condition.trim() === '') {
        active.push({ filter: known.filter, condition: undefined });
        return { verified: true };
      }
      const compiled = compileMomentExpression(condition, namesOf[known.about]);
      if (!compiled.ok)
        return { verified: false, message: `The condition can't be read: ${compiled.message}` };
      active.push({ filter: known.filter, condition: compiled.value });
      return { verified: true };
    });
    this.#active = active;
    return answers;
  }

  /** What of a phase stops; of several exceptions the first whose filter is on and lets it pass. */
  find(report: PhaseReport, budget: Budget, tell: TellProblem): RunException | undefined {
    if (this.#active.length === 0) return undefined;
    for (const { exception, moment } of exceptionsOf(report, budget)) {
      if (this.#stops(exception, moment, tell)) return exception;
    }
    return undefined;
  }

  /** The same for a phase that failed. */
  findFailure(error: unknown, run: RunState, tell: TellProblem): RunException | undefined {
    if (!(error instanceof EnvironmentFailure)) return undefined;
    const exception: RunException = { filter: 'environment-error', message: error.message };
    const position = { run, underWay: false, partialReply: '', rejected: undefined, exhausted: false };
    const moment = { position, extra: { message: error.message } };
    return this.#stops(exception, moment, tell) ? exception : undefined;
  }

  #stops({ filter }: RunException, moment: Moment, tell: TellProblem): boolean {
    return this.#active.some((active) => {
      if (active.filter !== filter) return false;
      if (active.condition === undefined) return true;
      const verdict = holds(active.condition, moment);
      if (typeof verdict === 'boolean') return verdict;
      const label = filters.find((one) => one.filter === filter)?.label ?? filter;
      tell(active, `the exception filter "${label}"`, verdict.problem);
      return false;
    });
  }
}

function* exceptionsOf(
  report: PhaseReport,
  budget: Budget,
): Generator<{ readonly exception: RunException; readonly moment: Moment }> {
  const { rejection } = report;
  if (rejection !== undefined) {
    const moment = arrivalMoment(report, { rejection: rejectionValue(rejection) });
    if (isExhausted(report)) yield { exception: { filter: 'exhausted', rejection }, moment };
    yield { exception: { filter: 'rejected', rejection }, moment };
  }
  for (const record of report.records) {
    if (record.kind !== 'warning') continue;
    const warning: Warning = {
      class: record.class,
      message: record.message,
      ...(record.pointer !== undefined && { pointer: record.pointer }),
    };
    const moment = closingMoment(report, { warning: { ...warning } });
    yield { exception: { filter: filterOfWarning[warning.class], warning }, moment };
  }
  const spent = tokensOver(report, budget);
  if (spent !== undefined) {
    yield {
      exception: { filter: 'tokens-over-budget', message: spent },
      moment: closingMoment(report, { message: spent }),
    };
  }
}

/** Set where the run had not used up its budget before a phase, and has after it. */
function tokensOver({ before, after }: PhaseReport, { tokens }: Budget): string | undefined {
  if (tokens === undefined) return undefined;
  const spent = ({ totals }: RunState) => totals.promptTokens + totals.completionTokens;
  if (spent(before) >= tokens || spent(after) < tokens) return undefined;
  return `The run has spent ${spent(after)} tokens; its budget is ${tokens}.`;
}

/** A rejection as conditions and the console see it. */
export function rejectionValue({ class: rejectionClass, message, pointer }: Rejection): JsonObject {
  return { class: rejectionClass, message, pointer: pointer ?? null };
}
