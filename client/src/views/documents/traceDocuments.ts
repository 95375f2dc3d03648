/** Texts of traces as read-only documents, and states beside each other in VS Code's own diff editor. */
import * as vscode from 'vscode';
import type { TraceReader } from '../../runtime/traceReader';
import type { OpenTrace, SessionTraces } from '../sessionTraces';
import {
  diffTitle,
  documentAddress,
  fileName,
  parseDocumentQuery,
  type TraceDocument,
  traceScheme,
} from './traceDocument';

export interface TraceDocuments extends vscode.Disposable {
  open(document: TraceDocument): Promise<void>;
  /** Σ of two places, the older one on the left. */
  diffStates(from: Omit<TraceDocument, 'part'>, to: Omit<TraceDocument, 'part'>): Promise<void>;
  /** A trace's reader: that of its session, else one of its own, which has read the whole file. */
  reader(trace: string): Promise<TraceReader>;
}

/** How many traces without a session are kept open. */
const keptReaders = 4;

/** Serves the documents until it is disposed. */
export function createTraceDocuments({
  traces,
  openTrace,
}: {
  readonly traces: SessionTraces;
  readonly openTrace: OpenTrace;
}): TraceDocuments {
  const readers = new Map<string, Promise<TraceReader>>();
  const changed = new vscode.EventEmitter<vscode.Uri>();

  async function reader(trace: string): Promise<TraceReader> {
    const run = traces.runs.find(({ tracePath }) => tracePath === trace);
    if (run?.reader !== undefined) {
      // A session reads on by itself; what isn't read yet is waited for.
      if (!run.reader.progress.complete) await run.reader.read();
      return run.reader;
    }
    const known = readers.get(trace);
    const opened = known ?? openTrace(trace);
    readers.delete(trace);
    readers.set(trace, opened);
    for (const oldest of readers.keys()) {
      if (readers.size <= keptReaders) break;
      readers.delete(oldest);
    }
    try {
      const one = await opened;
      await one.read();
      return one;
    } catch (error) {
      readers.delete(trace);
      throw error;
    }
  }

  const subscriptions = vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(traceScheme, {
      onDidChange: changed.event,
      async provideTextDocumentContent({ query }) {
        const document = parseDocumentQuery(query);
        if (document === undefined) throw new Error('This address names no text of a trace.');
        const { traceText } = await import('./traceTexts');
        return traceText(await reader(document.trace), document);
      },
    }),
    traces.onDidRead((run) => {
      for (const { uri } of vscode.workspace.textDocuments) {
        if (uri.scheme !== traceScheme) continue;
        const document = parseDocumentQuery(uri.query);
        if (document === undefined || document.trace !== run.tracePath) continue;
        const steps = run.reader?.branches.find(({ id }) => id === document.branch)?.steps ?? 0;
        // Of what is recorded, only the step that is going on may change.
        if (document.step >= steps - 1) changed.fire(uri);
      }
    }),
  );

  return {
    reader,
    async open(document) {
      await vscode.window.showTextDocument(uriOf(document), { preview: true });
    },
    async diffStates(from, to) {
      const [left, right] = [from, to].map((place): TraceDocument => ({ ...place, part: 'state' }));
      if (left === undefined || right === undefined) return;
      for (const { trace, branch, step } of [left, right]) {
        if ((await reader(trace)).isStateCertain(branch, step)) continue;
        void vscode.window.showWarningMessage(
          `Σ_${step} may have been another one: lines of ${fileName(trace)} before it can't be read.`,
        );
        break;
      }
      await vscode.commands.executeCommand('vscode.diff', uriOf(left), uriOf(right), diffTitle(left, right), {
        preview: true,
      });
    },
    dispose: () => subscriptions.dispose(),
  };
}

function uriOf(document: TraceDocument): vscode.Uri {
  return vscode.Uri.from({ scheme: traceScheme, ...documentAddress(document) });
}
