/** Choosing a recorded run: the traces of the workspace, with what each is of, and any other file. */
import * as vscode from 'vscode';
import { traceSuffix } from '../../hosts/launchConfiguration';
import { openTrace, traceName } from '../../hosts/vscode/openTrace';
import { openTraceFile } from '../../hosts/vscode/traceFiles';
import { type KnownTrace, recordedRunDetail, recordedRunText } from './recordedRunText';

/** How many traces are offered, and among how many the latest ones are looked for. */
const maxTraces = 100;
const maxFound = 2_000;

/** The largest trace, in bytes, that is read to its end for the list; of others only what stands at the beginning. */
const readLimit = 4 * 1024 * 1024;

interface TraceItem extends vscode.QuickPickItem {
  /** Undefined for any other file. */
  readonly uri: vscode.Uri | undefined;
}

/** Asks for a trace; undefined where none is chosen. */
export async function pickTraceFile(title: string): Promise<vscode.Uri | undefined> {
  const traces = await latestTraces();
  if (traces.length === 0) return openTraceFile(title);
  const picker = vscode.window.createQuickPick<TraceItem>();
  picker.title = title;
  picker.placeholder = 'Choose a recorded run, the latest one first';
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  picker.busy = true;
  const known = new Map<vscode.Uri, KnownTrace>();
  const reading = new AbortController();
  const show = () => {
    const active = picker.activeItems[0]?.uri;
    const items = traces.map((uri): TraceItem => {
      const path = vscode.workspace.asRelativePath(uri);
      const label = (uri.path.split('/').at(-1) ?? uri.path).replace(traceSuffix, '');
      const trace = known.get(uri);
      if (trace === undefined) return { label, detail: path, uri };
      return { label, description: recordedRunText(trace), detail: recordedRunDetail(trace, path), uri };
    });
    picker.items = [...items, { label: 'Choose File…', alwaysShow: true, uri: undefined }];
    const wanted = items.find(({ uri }) => uri === active);
    if (wanted !== undefined) picker.activeItems = [wanted];
  };
  const picked = await new Promise<TraceItem | undefined>((resolve) => {
    let accepted: TraceItem | undefined;
    picker.onDidAccept(() => {
      accepted = picker.selectedItems[0];
      if (accepted !== undefined) picker.hide();
    });
    picker.onDidHide(() => {
      reading.abort();
      picker.dispose();
      resolve(accepted);
    });
    show();
    picker.show();
    void (async () => {
      for (const uri of traces) {
        const trace = await look(uri, reading.signal);
        if (reading.signal.aborted) return;
        known.set(uri, trace);
        show();
      }
      picker.busy = false;
    })();
  });
  if (picked === undefined) return undefined;
  return picked.uri ?? openTraceFile(title);
}

/** The traces of the workspace, the one that was written last first. */
async function latestTraces(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(`**/*${traceSuffix}`, '**/node_modules/**', maxFound);
  const dated = await Promise.all(found.map(async (uri) => ({ uri, written: await writtenAt(uri) })));
  const latest = dated.sort((one, other) => other.written - one.written).slice(0, maxTraces);
  return latest.map(({ uri }) => uri);
}

async function writtenAt(uri: vscode.Uri): Promise<number> {
  return vscode.workspace.fs.stat(uri).then(
    ({ mtime }) => mtime,
    // It has just gone: choosing it says so.
    () => 0,
  );
}

/** What is known of a trace once it was looked at. */
async function look(uri: vscode.Uri, signal: AbortSignal): Promise<KnownTrace> {
  const enough = new AbortController();
  try {
    const [reader, { size }] = await Promise.all([openTrace(traceName(uri)), vscode.workspace.fs.stat(uri)]);
    const isLong = size > readLimit;
    reader.onChange(() => {
      if (isLong && reader.header !== undefined) enough.abort();
    });
    await reader.read(AbortSignal.any([signal, enough.signal])).catch((error: unknown) => {
      if (!enough.signal.aborted) throw error;
    });
    return { header: reader.header, branches: isLong ? undefined : reader.branches, bytes: size };
  } catch {
    // What can't be read is said to be that in the list; choosing it says why.
    return { header: undefined, branches: undefined, bytes: 0 };
  }
}
