/**
 * The runs of debug sessions as their traces tell them: for each session of ours a reader of the file that it writes or
 * replays, which reads on as the session says that it has moved. What shows runs looks here, live or ended alike.
 */
import * as vscode from 'vscode';
import { isStepProgress, type StepProgress, stepEvent } from '../../../schemas/messages/debugMessages';
import { debugType } from '../hosts/launchConfiguration';
import type { TraceReader } from '../runtime/traceReader';

/** A session's run. Its properties change as the session goes on; it stays the same object until the session ends. */
export interface TracedRun {
  /** The session's. */
  readonly id: string;
  readonly session: vscode.DebugSession;
  /** True once the session is over: what was read stays, and nobody can be asked to go anywhere. */
  readonly ended: boolean;
  /** Where the session stood when it last said so. */
  readonly position: StepProgress | undefined;
  /** Undefined where no trace is written, or as long as none is known. */
  readonly tracePath: string | undefined;
  /** Another one after the session was restarted, since each run has its own trace. */
  readonly reader: TraceReader | undefined;
  /** Why the trace can't be read, in a sentence; undefined where it can. */
  readonly failure: string | undefined;
}

export interface SessionTraces extends vscode.Disposable {
  /** The run that is looked at: the active session's, else the latest one. */
  readonly current: TracedRun | undefined;
  readonly runs: readonly TracedRun[];
  /** Another run is looked at, it has another reader, or it has ended. */
  readonly onDidChangeCurrent: vscode.Event<TracedRun | undefined>;
  /** A session has moved. */
  readonly onDidMove: vscode.Event<TracedRun>;
  /** More of a run's trace was read, or reading it has failed. */
  readonly onDidRead: vscode.Event<TracedRun>;
  /** The run of a session, ended or not, as long as it is kept. */
  of(session: vscode.DebugSession): TracedRun | undefined;
}

/** How a trace is opened; nothing is read before the reader is asked to. */
export type OpenTrace = (path: string) => Promise<TraceReader>;

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface Kept extends Mutable<TracedRun> {
  /** Ends the reading of the present trace. */
  reading: AbortController;
  stopListening: () => void;
  isReading: boolean;
  readAgain: boolean;
}

/** Follows the sessions until it is disposed. */
export function createSessionTraces({
  openTrace,
  log,
}: {
  readonly openTrace: OpenTrace;
  readonly log: vscode.LogOutputChannel;
}): SessionTraces {
  const runs = new Map<string, Kept>();
  let current: Kept | undefined;
  const changedCurrent = new vscode.EventEmitter<TracedRun | undefined>();
  const moved = new vscode.EventEmitter<TracedRun>();
  const read = new vscode.EventEmitter<TracedRun>();

  /** The run of a session, made if there is none; those that have ended are forgotten then. */
  function begin(session: vscode.DebugSession): Kept {
    const known = runs.get(session.id);
    if (known !== undefined) return known;
    for (const run of runs.values()) {
      if (!run.ended) continue;
      release(run);
      runs.delete(run.id);
    }
    const run: Kept = {
      id: session.id,
      session,
      ended: false,
      position: undefined,
      tracePath: undefined,
      reader: undefined,
      failure: undefined,
      reading: new AbortController(),
      stopListening: () => undefined,
      isReading: false,
      readAgain: false,
    };
    runs.set(session.id, run);
    look(run);
    return run;
  }

  function look(run: Kept | undefined): void {
    if (current === run) return;
    current = run;
    changedCurrent.fire(run);
  }

  function release(run: Kept): void {
    run.reading.abort();
    run.stopListening();
    run.reader = undefined;
  }

  async function open(run: Kept, path: string): Promise<void> {
    release(run);
    run.reading = new AbortController();
    const { signal } = run.reading;
    run.tracePath = path;
    run.failure = undefined;
    const reader = await openTrace(path);
    if (signal.aborted) return;
    run.reader = reader;
    run.isReading = false;
    run.stopListening = reader.onChange(() => read.fire(run));
    if (run === current) changedCurrent.fire(run);
    await readOn(run);
  }

  /** Reads what has been added; one reading at a time, and once more where the session has moved meanwhile. */
  async function readOn(run: Kept): Promise<void> {
    const { reader, reading } = run;
    if (reader === undefined) return;
    run.readAgain = true;
    if (run.isReading) return;
    run.isReading = true;
    try {
      while (run.readAgain && run.reader === reader) {
        run.readAgain = false;
        await reader.read(reading.signal);
        if (run.failure === undefined) continue;
        run.failure = undefined;
        read.fire(run);
      }
    } finally {
      if (run.reader === reader) run.isReading = false;
    }
  }

  function failed(run: Kept, reading: AbortController, error: unknown): void {
    if (reading.signal.aborted) return;
    run.failure = error instanceof Error ? error.message : `The trace can't be read: ${String(error)}.`;
    log.error(`${run.tracePath}: ${run.failure}`);
    read.fire(run);
  }

  function take(run: Kept, position: StepProgress): void {
    run.position = position;
    const { tracePath } = position;
    const work = tracePath !== undefined && tracePath !== run.tracePath ? open(run, tracePath) : readOn(run);
    const { reading } = run;
    work.catch((error: unknown) => failed(run, reading, error));
    moved.fire(run);
  }

  const subscriptions = [
    changedCurrent,
    moved,
    read,
    vscode.debug.onDidStartDebugSession((session) => {
      if (session.type === debugType) begin(session);
    }),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType || event !== stepEvent || !isStepProgress(body)) return;
      take(begin(session), body);
    }),
    vscode.debug.onDidChangeActiveDebugSession((session) => {
      if (session?.type === debugType) look(begin(session));
    }),
    vscode.debug.onDidTerminateDebugSession((session) => {
      const run = runs.get(session.id);
      if (run === undefined) return;
      run.ended = true;
      const { reading } = run;
      readOn(run).catch((error: unknown) => failed(run, reading, error));
      if (run === current) changedCurrent.fire(run);
    }),
  ];
  const active = vscode.debug.activeDebugSession;
  if (active?.type === debugType) begin(active);

  return {
    get current() {
      return current;
    },
    get runs() {
      return [...runs.values()];
    },
    onDidChangeCurrent: changedCurrent.event,
    onDidMove: moved.event,
    onDidRead: read.event,
    of: (session) => runs.get(session.id),
    dispose() {
      for (const run of runs.values()) release(run);
      runs.clear();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
