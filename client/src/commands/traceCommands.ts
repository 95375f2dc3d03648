/** Commands about whole runs: debugging a recorded one, comparing two, going on with an edited skill. */
import * as vscode from 'vscode';
import { forkWithEditedSkillRequest } from '../../../schemas/messages/debugMessages';
import { wholeNumber } from '../../../schemas/text/spending';
import { traceConfigurationFor, traceSuffix } from '../hosts/launchConfiguration';
import { ownMember } from '../hosts/ownMember';
import { activeTrace, isTrace, openTraceFile } from '../hosts/vscode/traceFiles';
import type { ComparisonDocuments, RunPlace } from '../views/comparison/comparisonDocuments';
import { type ChosenRun, runChoices } from '../views/comparison/runChoices';
import type { TraceDocuments } from '../views/documents/traceDocuments';
import type { SessionTraces, TracedRun } from '../views/sessionTraces';
import { fileArgument, isOnDisk, uriAnswer } from './commandArguments';
import { tells } from './stepCommands';

/** How many traces of the workspace are offered. */
const maxTraces = 100;

export interface TraceCommandOptions {
  readonly traces: SessionTraces;
  readonly documents: TraceDocuments;
  readonly comparisons: ComparisonDocuments;
}

function presentRun({ reader, ended }: TracedRun, trace: string) {
  return { trace, branches: reader?.branches ?? [], ended };
}

/** The handlers by the identifiers of their commands. */
export function traceCommands({ traces, documents, comparisons }: TraceCommandOptions) {
  /** The branches of a trace, of which one is chosen where there are several. */
  async function chooseBranch(trace: string, title: string): Promise<RunPlace | undefined> {
    const { branches } = await documents.reader(trace);
    if (branches.length <= 1) return { trace, branch: 0 };
    const items = branches.map(({ id, steps, parent, end }) => ({
      label: `Branch ${id}`,
      description: [
        parent === undefined ? 'the original run' : `from step ${parent.step} of branch ${parent.branch}`,
        `${wholeNumber(steps)} ${steps === 1 ? 'step' : 'steps'}`,
        ...(end === undefined ? [] : [end.outcome]),
      ].join(' · '),
      branch: id,
    }));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a branch' });
    return picked && { trace, branch: picked.branch };
  }

  /** One of the present run's branches, or another trace. */
  async function chooseRun(title: string, other: RunPlace | undefined): Promise<RunPlace | undefined> {
    const run = traces.current;
    const found = await vscode.workspace.findFiles(`**/*${traceSuffix}`, '**/node_modules/**', maxTraces);
    const choices = runChoices({
      current: run?.tracePath === undefined ? undefined : presentRun(run, run.tracePath),
      found: found.map((uri) => ({ trace: uri.fsPath, relative: vscode.workspace.asRelativePath(uri) })),
      open: activeTrace()?.fsPath,
      other,
    });
    const file = { label: 'Choose File…', description: 'a trace', place: undefined };
    const sources: readonly (vscode.QuickPickItem & { readonly place: ChosenRun | undefined })[] = [
      ...choices,
      file,
    ];
    const picked = await vscode.window.showQuickPick(sources, {
      title,
      placeHolder: 'Choose a run',
      matchOnDescription: true,
    });
    if (picked === undefined) return undefined;
    const { branch } = picked.place ?? {};
    if (picked.place !== undefined && branch !== undefined) return { trace: picked.place.trace, branch };
    const trace = picked.place?.trace ?? (await openTraceFile(title))?.fsPath;
    return trace === undefined ? undefined : chooseBranch(trace, title);
  }

  /** Of a branch in the Steps tree: it and the branch whose line of history is shown, the older one on the left. */
  function besideBranch(
    argument: unknown,
  ): { readonly left: RunPlace; readonly right: RunPlace } | undefined {
    const trace = traces.current?.tracePath;
    const branch = ownMember(argument, 'branch');
    if (ownMember(argument, 'kind') !== 'branch' || trace === undefined || typeof branch !== 'number')
      return undefined;
    const shown = traces.current?.position?.branch ?? 0;
    return {
      left: { trace, branch: Math.min(shown, branch) },
      right: { trace, branch: Math.max(shown, branch) },
    };
  }

  return {
    'skill-state.debugTrace': async (argument?: unknown) => {
      const given = fileArgument(argument) ?? uriAnswer(argument, 'trace') ?? activeTrace();
      const trace = given ?? (await openTraceFile('Debug a Trace'));
      if (trace === undefined || !isOnDisk(trace, 'debug')) return;
      const folder = vscode.workspace.getWorkspaceFolder(trace) ?? vscode.workspace.workspaceFolders?.[0];
      await vscode.debug.startDebugging(folder, {
        ...traceConfigurationFor(trace.fsPath, folder?.uri.fsPath),
      });
    },
    /** @param selected what is selected in the explorer */
    'skill-state.compareRuns': async (argument?: unknown, selected?: unknown) => {
      const given = [placeArgument(argument, 'left'), placeArgument(argument, 'right')];
      const [left, right] = given;
      if (left !== undefined && right !== undefined) return comparisons.open(left, right);
      const beside = besideBranch(argument);
      if (beside !== undefined) return comparisons.open(beside.left, beside.right);
      const files = Array.isArray(selected)
        ? selected.filter((one) => one instanceof vscode.Uri).filter(isTrace)
        : [];
      const [file = fileArgument(argument), otherFile] = files;
      const first =
        file !== undefined && isTrace(file)
          ? await chooseBranch(file.fsPath, 'Compare Runs (1/2)')
          : await chooseRun('Compare Runs (1/2)', undefined);
      if (first === undefined) return;
      const second =
        otherFile === undefined
          ? await chooseRun('Compare Runs (2/2)', first)
          : await chooseBranch(otherFile.fsPath, 'Compare Runs (2/2)');
      if (second !== undefined) await comparisons.open(first, second);
    },
    'skill-state.continueWithEditedSkill': async () => {
      const run = traces.current;
      if (run === undefined || run.ended) {
        void vscode.window.showInformationMessage(
          'No session is running. Debug the trace first, then continue it with the edited skill.',
        );
        return;
      }
      await tells(run.session.customRequest(forkWithEditedSkillRequest));
    },
  };
}

function placeArgument(argument: unknown, side: 'left' | 'right'): RunPlace | undefined {
  const place = ownMember(argument, side);
  const [trace, branch] = [ownMember(place, 'trace'), ownMember(place, 'branch')];
  return typeof trace === 'string' && typeof branch === 'number' ? { trace, branch } : undefined;
}
