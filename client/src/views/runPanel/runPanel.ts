/**
 * Where runs are looked at: the Run view in the panel, the same in an editor of its own, and the editor of trace files.
 * View and editor show the run of the debug session that is looked at; a trace file's editor shows that file.
 */
import * as vscode from 'vscode';
import type { ExportFormat } from '../../../../schemas/messages/runPanelMessages';
import { contextKeys, runEditorType, runViewId, traceEditorType } from '../../hosts/contextKeys';
import { traceName, traceUri } from '../../hosts/vscode/openTrace';
import type { TraceDocuments } from '../documents/traceDocuments';
import type { ExchangeDocuments } from '../exchanges/exchangeDocuments';
import type { OpenTrace, SessionTraces } from '../sessionTraces';
import { RunActions } from './runActions';
import { RunPageController } from './runPageController';
import { createFileSource, createSessionSource, type RunSource } from './runSources';
import { parseRunText, runTextScheme } from './runTextAddress';

export interface RunViews extends vscode.Disposable {
  /** Shows the view in the panel, with a step selected where one is named. */
  openPanel(place?: { readonly branch: number; readonly step: number }): Promise<void>;
  /** Shows the run of the debug session in an editor of its own. */
  openEditor(): void;
  /** Exports the run of the page that was looked at last. */
  export(format?: ExportFormat): Promise<void>;
  /** Opens the trace of the page that was looked at last, or of a file, as text. */
  openText(file?: vscode.Uri): Promise<void>;
}

export interface RunViewsOptions {
  readonly extensionUri: vscode.Uri;
  readonly traces: SessionTraces;
  readonly documents: TraceDocuments;
  readonly openTrace: OpenTrace;
  readonly exchanges: ExchangeDocuments;
  readonly log: vscode.LogOutputChannel;
}

/** Registers view and editors until the returned object is disposed. */
export function createRunViews({
  extensionUri,
  traces,
  documents,
  openTrace,
  exchanges,
  log,
}: RunViewsOptions): RunViews {
  const actions = new RunActions({ documents });
  const pages = new Map<RunPageController, { readonly source: RunSource; isActive(): boolean }>();
  let last: RunPageController | undefined;
  let inView: RunPageController | undefined;
  /** What the view is to export as soon as VS Code has made it. */
  let awaitedExport: { readonly format: ExportFormat | undefined } | undefined;

  function makePage(
    host: { readonly webview: vscode.Webview; onDidDispose: vscode.Event<void> },
    source: RunSource,
    place: 'panel' | 'editor',
    isActive: () => boolean,
  ): RunPageController {
    const { webview } = host;
    const page = new RunPageController({ webview, extensionUri, source, place, actions, exchanges, log });
    pages.set(page, { source, isActive });
    last = page;
    host.onDidDispose(() => {
      pages.delete(page);
      if (last === page) last = undefined;
      if (inView === page) inView = undefined;
      page.dispose();
      source.dispose();
    });
    return page;
  }

  function inPanel(panel: vscode.WebviewPanel, source: RunSource): void {
    const page = makePage(panel, source, 'editor', () => panel.active);
    panel.onDidChangeViewState(() => {
      if (panel.active) last = page;
    });
  }

  function restoreEditor(panel: vscode.WebviewPanel): void {
    panel.iconPath = new vscode.ThemeIcon('graph');
    inPanel(panel, createSessionSource(traces, openTrace));
  }

  /** The page that a command is for: the active one, else the one that was there last. */
  function current(): RunPageController | undefined {
    for (const [page, { isActive }] of pages) if (isActive()) return page;
    return last ?? inView;
  }

  async function openPanel(place?: { readonly branch: number; readonly step: number }): Promise<void> {
    await vscode.commands.executeCommand('setContext', contextKeys.runIsWanted, true);
    await vscode.commands.executeCommand(`${runViewId}.focus`);
    if (place !== undefined) inView?.select(place);
  }

  const subscriptions = vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(runViewId, {
      resolveWebviewView(view) {
        const page = makePage(view, createSessionSource(traces, openTrace), 'panel', () => false);
        inView = page;
        if (awaitedExport !== undefined) page.exportOnceReady(awaitedExport.format);
        awaitedExport = undefined;
        view.onDidChangeVisibility(() => {
          if (view.visible) last = page;
          else page.leave();
        });
      },
    }),
    vscode.window.registerWebviewPanelSerializer(runEditorType, {
      async deserializeWebviewPanel(panel) {
        restoreEditor(panel);
      },
    }),
    vscode.window.registerCustomEditorProvider(
      traceEditorType,
      {
        openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
        async resolveCustomEditor({ uri }, panel) {
          inPanel(panel, createFileSource(traceName(uri), openTrace));
        },
      },
      { supportsMultipleEditorsPerDocument: true },
    ),
    vscode.workspace.registerTextDocumentContentProvider(runTextScheme, {
      async provideTextDocumentContent({ query }) {
        const text = parseRunText(query);
        if (text === undefined) throw new Error('This address names no text of a trace.');
        const { runText } = await import('./runTexts');
        return runText(await documents.reader(text.trace), text);
      },
    }),
  );

  return {
    openPanel,
    openEditor() {
      restoreEditor(vscode.window.createWebviewPanel(runEditorType, 'Skill Run', vscode.ViewColumn.Active));
    },
    async export(format) {
      if (await current()?.startExport(format)) return;
      if (await inView?.startExport(format)) return;
      // No page is to be seen: the session's run is shown first.
      if (traces.current?.reader !== undefined) {
        await openPanel();
        if (inView === undefined) awaitedExport = { format };
        else inView.exportOnceReady(format);
        return;
      }
      void vscode.window.showInformationMessage('Open a run or a trace first: there is nothing to export.');
    },
    async openText(file) {
      const trace = current()?.shown?.trace;
      const uri = file ?? (trace === undefined ? undefined : traceUri(trace));
      if (uri !== undefined) await vscode.commands.executeCommand('vscode.openWith', uri, 'default');
      else
        void vscode.window.showInformationMessage('Open a run or a trace first: there is no text to open.');
    },
    dispose() {
      subscriptions.dispose();
      for (const [page, { source }] of pages) {
        page.dispose();
        source.dispose();
      }
    },
  };
}
