/** What a run is, as its page is told. Free of VS Code. */
import { branchLimit, type RunOverview } from '../../../../schemas/messages/runPanelMessages';
import { printableLine } from '../../../../schemas/text/printable';
import type { TraceReader } from '../../runtime/traceReader';

/** How many problems a page is told of. */
const toldProblems = 100;

export interface OverviewInput {
  readonly trace: string;
  readonly reader: Pick<TraceReader, 'header' | 'branches' | 'progress' | 'problems' | 'problemsLeftOut'>;
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
    model: header && printableLine(header.model.name),
    environment: header && printableLine(header.environment.name),
    branches: branches.slice(0, branchLimit).map(({ id, steps, parent, end, skill }) => ({
      id,
      steps,
      parent,
      end: end?.outcome,
      changedSkill: skill !== undefined,
    })),
    ...progress,
    problems:
      failure === undefined ? told : [{ line: undefined, message: failure }, ...told].slice(0, toldProblems),
    problemsLeftOut: problemsLeftOut + Math.max(problems.length - toldProblems, 0),
    session,
  };
}
