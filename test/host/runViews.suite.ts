/** Trace files in their editor, on disk and on a file system that gives whole files alone, and the Run panel's commands. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from './waiting';
import { workspaceFile } from './workspaceFiles';

const scheme = 'trace-test';

/** One file that can only be read as a whole, and a count of how often it was. */
class WholeFile implements vscode.FileSystemProvider {
  reads = 0;
  readonly #bytes: Uint8Array;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const folder = { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    return uri.path.endsWith('.jsonl')
      ? { type: vscode.FileType.File, ctime: 0, mtime: 1, size: this.#bytes.length }
      : folder;
  }

  readFile(): Uint8Array {
    this.reads += 1;
    return this.#bytes;
  }

  watch = () => new vscode.Disposable(() => undefined);
  readDirectory = () => [];
  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
  writeFile = this.createDirectory;
  delete = this.createDirectory;
  rename = this.createDirectory;
}

/** A trace that has lost most of its header: what it lacks, its editor says. */
const trace = new TextEncoder().encode(
  '{"kind":"run","id":0,"branch":0,"format":"skill-state-trace","version":1,"time":0}\n',
);

/** What the active tab shows. */
function activeInput(): unknown {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input;
}

const tabChanges = [vscode.window.tabGroups.onDidChangeTabs, vscode.window.tabGroups.onDidChangeTabGroups];

function traceEditor(uri: vscode.Uri): Promise<vscode.TabInputCustom> {
  return until('the editor of traces', tabChanges, () => {
    const input = activeInput();
    if (!(input instanceof vscode.TabInputCustom) || input.uri.toString() !== uri.toString())
      return undefined;
    return input.viewType === 'skill-state.trace' ? input : undefined;
  });
}

describe('runs', () => {
  after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('open in the editor of traces, and as text where that is wanted', async () => {
    const uri = workspaceFile('recorded.skilltrace.jsonl');
    await vscode.workspace.fs.writeFile(uri, trace);
    await vscode.commands.executeCommand('vscode.open', uri);
    await traceEditor(uri);
    await vscode.commands.executeCommand('skill-state.openTraceAsText', uri);
    const document = await until('the text', [vscode.window.onDidChangeActiveTextEditor], () => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.uri.toString() === uri.toString() ? editor.document : undefined;
    });
    assert.match(document.lineAt(0).text, /"kind":"run"/);
  });

  it('are read from a file system that gives whole files alone', async () => {
    const file = new WholeFile(trace);
    const registration = vscode.workspace.registerFileSystemProvider(scheme, file, { isReadonly: true });
    try {
      const uri = vscode.Uri.from({ scheme, path: '/remote.skilltrace.jsonl' });
      await vscode.commands.executeCommand('vscode.open', uri);
      await traceEditor(uri);
      await until('the trace to be read', [], () => (file.reads > 0 ? true : undefined));
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      // It was kept as long as it didn't change.
      assert.equal(file.reads, 1);
    } finally {
      registration.dispose();
    }
  });

  it('are shown in the panel, and in an editor beside it', async () => {
    await vscode.commands.executeCommand('skill-state.openRunPanel');
    await vscode.commands.executeCommand('skill-state.openRunInEditor');
    await until('the run in an editor', tabChanges, () => {
      const input = activeInput();
      return input instanceof vscode.TabInputWebview && input.viewType.endsWith('skill-state.runEditor')
        ? true
        : undefined;
    });
  });
});
