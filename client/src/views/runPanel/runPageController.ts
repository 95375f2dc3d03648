/** One page and what it shows: sends it the run as it grows, answers what it asks, and does what it wants done. */
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import {
  type ExportFormat,
  isPageMessage,
  type PageAction,
  type PanelMessage,
  type PictureFormat,
  type RunOverview,
} from '../../../../schemas/messages/runPanelMessages';
import type { TraceReader } from '../../runtime/traceReader';
import type { ExchangeDocuments } from '../exchanges/exchangeDocuments';
import type { RunActions } from './runActions';
import type { RunAnswers } from './runAnswers';
import { runOverview } from './runOverview';
import { runPageHtml } from './runPageHtml';
import type { RunSource, ShownRun } from './runSources';

export interface RunPageControllerOptions {
  readonly webview: vscode.Webview;
  readonly extensionUri: vscode.Uri;
  readonly source: RunSource;
  readonly place: 'panel' | 'editor';
  readonly actions: RunActions;
  /** What sessions keep of their requests. */
  readonly exchanges: Pick<ExchangeDocuments, 'requests'>;
  readonly log: vscode.LogOutputChannel;
}

/** At most so often, in milliseconds, a page is told of a run that goes on. */
const tellingInterval = 200;

/** The folder of the pages' files. */
function pagesFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

export class RunPageController implements vscode.Disposable {
  readonly #options: RunPageControllerOptions;
  /** What is to be exported once the page is there; a format that is left open is asked for. */
  #awaitedExport: { readonly format: ExportFormat | undefined } | undefined;
  readonly #subscriptions: vscode.Disposable[];
  #isReady = false;
  #telling: NodeJS.Timeout | undefined;
  #lastTold = 0;
  #answers: { readonly reader: TraceReader; readonly answers: Promise<RunAnswers> } | undefined;
  /** A step that is to be selected once the page is there. */
  #awaited: { readonly branch: number; readonly step: number } | undefined;

  constructor(options: RunPageControllerOptions) {
    this.#options = options;
    const { webview, extensionUri, source, place } = options;
    const folder = pagesFolder(extensionUri);
    webview.options = {
      enableScripts: true,
      enableCommandUris: false,
      enableForms: false,
      localResourceRoots: [folder],
    };
    this.#subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      source.onDidChange(() => this.#tellSoon()),
    ];
    const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
    webview.html = runPageHtml({
      script: address('runPanel.js'),
      style: address('runPanelStyle.css'),
      source: webview.cspSource,
      place,
      nonce: nonce(),
    });
  }

  dispose(): void {
    clearTimeout(this.#telling);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get shown(): ShownRun | undefined {
    return this.#options.source.shown;
  }

  /** Selects a step, as soon as there is a page. */
  select(place: { readonly branch: number; readonly step: number }): void {
    if (this.#isReady) void this.#tell({ type: 'select', ...place });
    else this.#awaited = place;
  }

  /** Asks the page for a picture of its graph; it comes as an action. */
  takePicture(format: PictureFormat): void {
    void this.#tell({ type: 'takePicture', format });
  }

  /** Lets the page export what it shows. False where there is no page that could. */
  async startExport(format: ExportFormat | undefined): Promise<boolean> {
    return this.shown?.reader !== undefined && this.#tell({ type: 'startExport', format });
  }

  /** Lets a page export that is just being shown, at once or as soon as it is there. */
  exportOnceReady(format: ExportFormat | undefined): void {
    if (this.#isReady) void this.startExport(format);
    else this.#awaitedExport = { format };
  }

  /** The page is hidden, and gone with it: it says when it is there again. */
  leave(): void {
    this.#isReady = false;
  }

  /** Says something to the user where they are looking. */
  notice(message: string): void {
    void this.#tell({ type: 'notice', message });
  }

  #receive(message: unknown): void {
    if (!isPageMessage(message)) {
      this.#options.log.warn('The Run panel sent a message that is none of its own.');
      return;
    }
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        if (message.run !== undefined) this.#options.source.restore(message.run);
        this.#tellNow();
        if (this.#awaited !== undefined) void this.#tell({ type: 'select', ...this.#awaited });
        this.#awaited = undefined;
        if (this.#awaitedExport !== undefined) void this.startExport(this.#awaitedExport.format);
        this.#awaitedExport = undefined;
        break;
      case 'ask':
        void this.#answer(message.id, message.ask);
        break;
      case 'act':
        void this.#act(message.action);
        break;
    }
  }

  async #answer(id: number, ask: Parameters<RunAnswers['answer']>[0]): Promise<void> {
    try {
      const reader = this.shown?.reader;
      if (reader === undefined) throw new RangeError('The trace is not open yet.');
      const answers = await this.#answersOf(reader);
      void this.#tell({ type: 'answer', id, answer: await answers.answer(ask) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!isForUser(error)) this.#options.log.error(error instanceof Error ? error : message);
      void this.#tell({ type: 'refusal', id, message });
    }
  }

  /** What answers is loaded with the first question. */
  #answersOf(reader: TraceReader): Promise<RunAnswers> {
    if (this.#answers?.reader !== reader) {
      const load = async () => {
        const [{ RunAnswers }, { ruleNames }] = await Promise.all([
          import('./runAnswers'),
          import('./rules'),
        ]);
        return new RunAnswers({
          reader,
          pause: () => setImmediate(),
          ruleNames: (branch, step) => ruleNames(reader, branch, step),
          requests: async (branch, step) => {
            const session = this.shown?.session?.id;
            return session === undefined ? [] : this.#options.exchanges.requests({ session, branch, step });
          },
        });
      };
      this.#answers = { reader, answers: load() };
    }
    return this.#answers.answers;
  }

  async #act(action: PageAction): Promise<void> {
    const { shown } = this;
    if (shown === undefined) return;
    try {
      await this.#options.actions.perform(action, shown, this);
    } catch (error) {
      this.notice(error instanceof Error ? error.message : String(error));
    }
  }

  /** A page that is hidden or gone takes no messages; it asks anew when it is there again. */
  async #tell(message: PanelMessage): Promise<boolean> {
    return this.#options.webview.postMessage(message);
  }

  #tellSoon(): void {
    if (!this.#isReady || this.#telling !== undefined) return;
    const wait = Math.max(this.#lastTold + tellingInterval - Date.now(), 0);
    this.#telling = setTimeout(() => this.#tellNow(), wait);
  }

  #tellNow(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#lastTold = Date.now();
    const { source } = this.#options;
    const { shown } = source;
    if (shown?.reader === undefined) {
      void this.#tell({
        type: 'empty',
        message: shown?.failure ?? (shown === undefined ? source.emptyMessage : 'Opening the trace…'),
      });
      return;
    }
    const { trace, reader, failure } = shown;
    void this.#tell({
      type: 'run',
      overview: runOverview({ trace, reader, failure, session: sessionOf(shown) }),
    });
  }
}

function sessionOf({ session }: ShownRun): RunOverview['session'] {
  if (session === undefined) return undefined;
  const { position, ended } = session;
  return {
    name: session.session.name,
    state: ended ? 'ended' : position?.stopped === false ? 'running' : 'stopped',
    position:
      ended || position === undefined
        ? undefined
        : { branch: position.branch, step: position.step, phase: position.phase },
  };
}

/** Errors whose message says what the matter is with the trace; anything else is a bug. */
function isForUser(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    (error instanceof Error && ['TraceGap', 'FileFailure'].includes(error.name))
  );
}

function nonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url');
}
