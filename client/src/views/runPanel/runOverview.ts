/** What a run is, as its page is told. Free of VS Code. */
import { branchLimit, type RunOverview } from '../../../../schemas/messages/runPanelMessages';
import { printableLine } from '../../../../schemas/text/printable';
import { costText } from '../../../../schemas/text/spending';
import type { RunRecord } from '../../../../schemas/trace/trace';
import { modelStretches, modelTitle } from '../../runtime/acting';
import { chargedCost } from '../../runtime/freeModels';
import type { TraceReader } from '../../runtime/traceReader';

/** How many problems a page is told of. */
const toldProblems = 100;

/** Of how many branches it is said what was spent along their lines. */
const summedBranches = 100;

export interface OverviewInput {
  readonly trace: string;
  readonly reader: Pick<
    TraceReader,
    'header' | 'branches' | 'progress' | 'problems' | 'problemsLeftOut' | 'totals' | 'bins'
  >;
  readonly failure: string | undefined;
  readonly session: RunOverview['session'];
}

/** No text in it has control characters, and no list is longer than the page takes. */
export function runOverview({ trace, reader, failure, session }: OverviewInput): RunOverview {
  const { header, branches, progress, problems, problemsLeftOut } = reader;
  const told = problems.slice(0, toldProblems).map(({ line, message }) => ({
    line,
    message: printableLine(message),
  }));
  return {
    run: trace,
    trace: printableLine(trace.slice(Math.max(trace.lastIndexOf('/'), trace.lastIndexOf('\\')) + 1)),
    skill: header && printableLine(header.skill.name),
    model: header && printableLine(modelsText(header, branches)),
    environment: header && printableLine(header.environment.name),
    branches: branches.slice(0, branchLimit).map(({ id, steps, parent, end, skill }, index) => ({
      id,
      steps,
      parent,
      end: end?.outcome,
      changedSkill: skill !== undefined,
      spending: index < summedBranches && steps > 0 ? spendingOf(reader, id, steps) : undefined,
    })),
    ...progress,
    problems:
      failure === undefined ? told : [{ line: undefined, message: failure }, ...told].slice(0, toldProblems),
    problemsLeftOut: problemsLeftOut + Math.max(problems.length - toldProblems, 0),
    session,
  };
}

/** So many branches with models of their own are told of. */
const toldBranches = 5;

/** The run's model, and which others answered which steps. */
function modelsText(header: RunRecord, branches: OverviewInput['reader']['branches']): string {
  const others = branches.flatMap(({ id, ownFrom, acting = [] }) => {
    const own = modelStretches(header, acting).filter(
      ({ from, model }, index) => from >= ownFrom && (index > 0 || model !== header.model),
    );
    const where = branches.length > 1 ? ` of branch ${id}` : '';
    return own.map(({ from, model }) => `${modelTitle(model)} from step ${from}${where} on`);
  });
  const left = others.length - toldBranches;
  return [header.model.name, ...others.slice(0, toldBranches), ...(left > 0 ? [`${left} more`] : [])].join(
    '; ',
  );
}

function spendingOf(
  reader: OverviewInput['reader'],
  branch: number,
  steps: number,
): RunOverview['branches'][number]['spending'] {
  const totals = reader.totals(branch, steps);
  const { promptTokens, completionTokens, cachedTokens, thinkingTokens, tokenSource } = totals;
  const cost = tokenSource === undefined ? undefined : chargedCost(reader, branch, steps);
  return {
    spent: promptTokens + completionTokens,
    estimated: totals.estimatedTokens,
    byExtension: totals.extensionTokens,
    prompt: promptTokens,
    cached: cachedTokens,
    thinking: thinkingTokens,
    cost: cost && costText(cost, tokenSource),
  };
}
