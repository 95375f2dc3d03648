/** Commands about whole runs: debugging a recorded one, comparing two, going on with an edited skill. */
import * as vscode from 'vscode';
import { forkWithEditedSkillRequest } from '../../../schemas/messages/debugMessages';
import { traceConfigurationFor, traceSuffix } from '../hosts/launchConfiguration';
import { ownMember } from '../hosts/ownMember';
import { activeTrace, isTrace, openTraceFile } from '../hosts/vscode/traceFiles';
import type { ComparisonDocuments, RunPlace } from '../views/comparison/comparisonDocuments';
import { fileName } from '../views/documents/traceDocument';
import type { TraceDocuments } from '../views/documents/traceDocuments';
import type { SessionTraces } from '../views/sessionTraces';
import { fileArgument, uriAnswer } from './commandArguments';
import { tells } from './stepCommands';

/** How many traces of the workspace are offered. */
const maxTraces = 100;

export interface TraceCommandOptions {
  readonly traces: SessionTraces;
  readonly documents: TraceDocuments;
  readonly comparisons: ComparisonDocuments;
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
        `${steps} steps`,
        ...(end === undefined ? [] : [end.outcome]),
      ].join(' · '),
      branch: id,
    }));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Choose a branch' });
    return picked && { trace, branch: picked.branch };
  }

  type Source = vscode.QuickPickItem & { readonly place: RunPlace | { readonly trace: string } | undefined };

  /** One of the present run's branches, or another trace. */
  async function chooseRun(title: string, other: RunPlace | undefined): Promise<RunPlace | undefined> {
    const run = traces.current;
    const current = run?.tracePath;
    const branches = current === undefined ? [] : (run?.reader?.branches ?? []);
    const found = await vscode.workspace.findFiles(`**/*${traceSuffix}`, '**/node_modules/**', maxTraces);
    const sources: Source[] = [
      ...branches.flatMap(({ id, steps }): Source[] =>
        current === undefined || (other?.trace === current && other.branch === id)
          ? []
          : [
              {
                label: `Branch ${id} of the present run`,
                description: `${steps} steps`,
                detail: fileName(current),
                place: { trace: current, branch: id },
              },
            ],
      ),
      ...found
        .filter(({ fsPath }) => fsPath !== current)
        .map(
          (uri): Source => ({
            label: fileName(uri.fsPath),
            description: vscode.workspace.asRelativePath(uri),
            place: { trace: uri.fsPath },
          }),
        ),
      { label: 'Choose File…', description: 'a trace', place: undefined },
    ];
    const picked = await vscode.window.showQuickPick(sources, {
      title,
      placeHolder: 'Choose a run',
      matchOnDescription: true,
    });
    if (picked === undefined) return undefined;
    if (picked.place !== undefined && 'branch' in picked.place) return picked.place;
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
      if (trace === undefined) return;
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
