/** What a page shows a run of: the debug sessions' runs one after the other, or one file. */
import * as vscode from 'vscode';
import { traceSuffix } from '../../hosts/launchConfiguration';
import { traceUri } from '../../hosts/vscode/openTrace';
import type { TraceReader } from '../../runtime/traceReader';
import type { OpenTrace, SessionTraces, TracedRun } from '../sessionTraces';

/** A run as far as it is there. */
export interface ShownRun {
  /** The trace's path or URI. */
  readonly trace: string;
  /** Undefined while it is being opened. */
  readonly reader: TraceReader | undefined;
  /** Why it can't be read. */
  readonly failure: string | undefined;
  /** The debug session that the page follows and leads. */
  readonly session: TracedRun | undefined;
}

export interface RunSource extends vscode.Disposable {
  readonly shown: ShownRun | undefined;
  /** What to do, where there is nothing to show. */
  readonly emptyMessage: string;
  /** Another run, more of it, or the session has moved. */
  readonly onDidChange: vscode.Event<void>;
  /** A page that was shown before remembers a trace: it is shown again where nothing else is. */
  restore(trace: string): void;
}

/** The run of the debug session that is looked at; before there is one, the trace that a page remembers. */
export function createSessionSource(traces: SessionTraces, openTrace: OpenTrace): RunSource {
  const changed = new vscode.EventEmitter<void>();
  let restored: FileRun | undefined;
  const isCurrent = (run: TracedRun) => run === traces.current;
  const subscriptions = [
    changed,
    traces.onDidChangeCurrent(() => changed.fire()),
    traces.onDidMove((run) => isCurrent(run) && changed.fire()),
    traces.onDidRead((run) => isCurrent(run) && changed.fire()),
  ];
  return {
    get shown() {
      const session = traces.current;
      if (session === undefined) return restored?.shown;
      const { tracePath, reader, failure } = session;
      return tracePath === undefined ? undefined : { trace: tracePath, reader, failure, session };
    },
    get emptyMessage() {
      return traces.current === undefined
        ? 'Debug a skill (F5 in its SKILL.md) or a trace to see its run here.'
        : 'The debug session has not written a trace yet.';
    },
    onDidChange: changed.event,
    restore(trace) {
      if (traces.current !== undefined || restored !== undefined || !trace.endsWith(traceSuffix)) return;
      restored = new FileRun(trace, openTrace, () => changed.fire());
    },
    dispose() {
      restored?.dispose();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** One trace file, for as long as the source lives. */
export function createFileSource(trace: string, openTrace: OpenTrace): RunSource {
  const changed = new vscode.EventEmitter<void>();
  const run = new FileRun(trace, openTrace, () => changed.fire());
  return {
    get shown() {
      return run.shown;
    },
    emptyMessage: 'Opening the trace…',
    onDidChange: changed.event,
    restore: () => undefined,
    dispose() {
      run.dispose();
      changed.dispose();
    },
  };
}

/** A trace that is read here; the file is watched, and what is added to it is read on. */
class FileRun {
  readonly #trace: string;
  readonly #openTrace: OpenTrace;
  readonly #changed: () => void;
  readonly #reading = new AbortController();
  #reader: TraceReader | undefined;
  #failure: string | undefined;
  #stopListening: () => void = () => undefined;
  #watcher: vscode.Disposable | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(trace: string, openTrace: OpenTrace, changed: () => void) {
    this.#trace = trace;
    this.#openTrace = openTrace;
    this.#changed = changed;
    this.#queue(() => this.#open());
    this.#watch();
  }

  get shown(): ShownRun {
    return { trace: this.#trace, reader: this.#reader, failure: this.#failure, session: undefined };
  }

  dispose(): void {
    this.#reading.abort();
    this.#stopListening();
    this.#watcher?.dispose();
  }

  /** One thing at a time; what fails is what the page shows. */
  #queue(work: () => Promise<void>): void {
    this.#underWay = this.#underWay.then(work).catch((error: unknown) => {
      if (this.#reading.signal.aborted) return;
      this.#failure = `The trace can't be read: ${error instanceof Error ? error.message : String(error)}`;
      this.#changed();
    });
  }

  async #open(): Promise<void> {
    this.#stopListening();
    const reader = await this.#openTrace(this.#trace);
    if (this.#reading.signal.aborted) return;
    this.#reader = reader;
    this.#stopListening = reader.onChange(this.#changed);
    await this.#read(reader);
  }

  async #read(reader: TraceReader): Promise<void> {
    await reader.read(this.#reading.signal);
    this.#failure = undefined;
    this.#changed();
  }

  #watch(): void {
    const uri = traceUri(this.#trace);
    const folder = vscode.Uri.joinPath(uri, '..');
    const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
    // A pattern has no quotes: what would be a wildcard in the name stands for any character.
    const pattern = new vscode.RelativePattern(folder, name.replaceAll(/[?*[\]{}]/g, '?'));
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const readOn = () => this.#queue(() => this.#readOn(uri));
    watcher.onDidChange(readOn);
    watcher.onDidCreate(readOn);
    this.#watcher = watcher;
  }

  /** Traces are only added to: one that became shorter is another one. */
  async #readOn(uri: vscode.Uri): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined) return this.#open();
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size < reader.progress.bytesRead) return this.#open();
    await this.#read(reader);
  }
}
