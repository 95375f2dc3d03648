/** Comparisons of two runs as read-only documents; their links open the states of both runs in a diff editor. */
import * as vscode from 'vscode';
import { onDocumentClosed } from '../../hosts/vscode/closedDocuments';
import { fileName } from '../documents/traceDocument';
import type { TraceDocuments } from '../documents/traceDocuments';
import { withLateProgress } from '../lateProgress';
import type { ComparisonLink } from './comparisonText';

/** A branch of a trace. */
export interface RunPlace {
  /** The trace's file, absolute. */
  readonly trace: string;
  readonly branch: number;
}

const scheme = 'skill-state-comparison';

/** The command that a link runs. */
const diffCommand = 'skill-state.diffSteps';

export interface ComparisonDocuments extends vscode.Disposable {
  open(left: RunPlace, right: RunPlace): Promise<void>;
}

/** Serves the documents until it is disposed. */
export function createComparisonDocuments(documents: TraceDocuments): ComparisonDocuments {
  const linksOf = new Map<string, readonly ComparisonLink[]>();
  const outdated = new vscode.EventEmitter<vscode.Uri>();

  async function text(uri: vscode.Uri, signal: AbortSignal): Promise<string> {
    const sides = sidesOf(uri);
    if (sides === undefined) throw new Error('This address names no runs to compare.');
    const [{ compareRuns }, { comparisonText }] = await Promise.all([
      import('./runComparison'),
      import('./comparisonText'),
    ]);
    const [left, right] = await Promise.all(
      [sides.left, sides.right].map(async ({ trace, branch }) => ({
        reader: await documents.reader(trace),
        branch,
      })),
    );
    if (left === undefined || right === undefined) throw new Error('A comparison has two sides.');
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const comparison = await compareRuns(left, right, { pause, signal });
    const made = comparisonText(comparison, { left: runName(sides.left), right: runName(sides.right) });
    linksOf.set(uri.toString(), made.links);
    return made.text;
  }

  const subscriptions = vscode.Disposable.from(
    outdated,
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: outdated.event,
      provideTextDocumentContent: (uri) => withLateProgress('Comparing runs', (signal) => text(uri, signal)),
    }),
    vscode.languages.registerDocumentLinkProvider(
      { scheme },
      {
        provideDocumentLinks: ({ uri }) => {
          const sides = sidesOf(uri);
          if (sides === undefined) return [];
          return (linksOf.get(uri.toString()) ?? []).map(({ line, start, end, step }) => {
            const query = JSON.stringify([{ from: { ...sides.left, step }, to: { ...sides.right, step } }]);
            const link = new vscode.DocumentLink(
              new vscode.Range(line, start, line, end),
              vscode.Uri.parse(`command:${diffCommand}?${encodeURIComponent(query)}`),
            );
            link.tooltip = `Compare Σ_${step} of both runs`;
            return link;
          });
        },
      },
    ),
    onDocumentClosed(({ uri }) => linksOf.delete(uri.toString())),
  );
  return {
    async open(left, right) {
      const query = new URLSearchParams({
        leftTrace: left.trace,
        leftBranch: String(left.branch),
        rightTrace: right.trace,
        rightBranch: String(right.branch),
      });
      const uri = vscode.Uri.from({ scheme, path: '/Comparison of Runs.md', query: query.toString() });
      // Runs go on: what an open document says is of the time at which it was asked for.
      const isOpen = vscode.workspace.textDocuments.some(
        (document) => document.uri.toString() === uri.toString(),
      );
      if (isOpen) outdated.fire(uri);
      await vscode.window.showTextDocument(uri, { preview: false });
    },
    dispose: () => subscriptions.dispose(),
  };
}

function sidesOf({ query }: vscode.Uri): { readonly left: RunPlace; readonly right: RunPlace } | undefined {
  const values = new URLSearchParams(query);
  const side = (name: string): RunPlace | undefined => {
    const trace = values.get(`${name}Trace`);
    const branch = values.get(`${name}Branch`);
    return trace && branch !== null && /^\d{1,15}$/.test(branch)
      ? { trace, branch: Number(branch) }
      : undefined;
  };
  const [left, right] = [side('left'), side('right')];
  return left && right && { left, right };
}

function runName({ trace, branch }: RunPlace): string {
  return `${fileName(trace)}, branch ${branch}`;
}
