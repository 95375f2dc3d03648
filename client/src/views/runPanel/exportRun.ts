/** Exports of a run: its graph as a picture, the numbers of all steps as CSV. */
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ExportFormat, PictureFormat } from '../../../../schemas/messages/runPanelMessages';
import { traceSuffix } from '../../hosts/launchConfiguration';
import { traceUri } from '../../hosts/vscode/openTrace';
import type { TraceReader } from '../../runtime/traceReader';
import { numbersCsv } from './numbersCsv';

const formats: readonly (vscode.QuickPickItem & { readonly format: ExportFormat })[] = [
  { format: 'svg', label: 'Graph as SVG', description: 'what is in view, in the colours of the theme' },
  { format: 'png', label: 'Graph as PNG', description: 'the same at twice its size' },
  { format: 'csv', label: 'Numbers as CSV', description: 'all steps of the branch' },
];

/** Asks what to export; undefined where nothing was chosen. */
export async function chooseExport(): Promise<ExportFormat | undefined> {
  const picked = await vscode.window.showQuickPick(formats, {
    title: 'Export Run',
    placeHolder: 'Choose what is written to a file',
    // Focus comes back to a page late, and must not close what was opened meanwhile.
    ignoreFocusOut: true,
  });
  return picked?.format;
}

/** @param data an SVG's text, or a PNG's bytes in base64 */
export async function savePicture(trace: string, format: PictureFormat, data: string): Promise<void> {
  const target = await chooseFile(trace, format);
  if (target === undefined) return;
  const bytes = Buffer.from(data, format === 'png' ? 'base64' : 'utf8');
  await vscode.workspace.fs.writeFile(target, bytes);
  saved(target);
}

/** Writes a line for each step of a branch; a file that is there is replaced once all of it is written. */
export async function saveNumbers(trace: string, reader: TraceReader, branch: number): Promise<void> {
  const target = await chooseFile(trace, 'csv');
  if (target === undefined) return;
  const written = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: 'Exporting the numbers of the run',
      cancellable: true,
    },
    async (_progress, token) => {
      const texts = numbersCsv(reader, branch);
      if (target.scheme === 'file') {
        const { writeWhole } = await import('../../hosts/node/wholeFile');
        return writeWhole(target.fsPath, texts, () => token.isCancellationRequested);
      }
      const parts: string[] = [];
      for (const text of texts) {
        if (token.isCancellationRequested) return false;
        parts.push(text);
        await setImmediate();
      }
      await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(parts.join('')));
      return true;
    },
  );
  if (written) saved(target);
}

async function chooseFile(trace: string, format: ExportFormat): Promise<vscode.Uri | undefined> {
  const uri = traceUri(trace);
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const base = name.endsWith(traceSuffix) ? name.slice(0, -traceSuffix.length) : name;
  return vscode.window.showSaveDialog({
    title: 'Export Run',
    defaultUri: vscode.Uri.joinPath(uri, '..', `${base}.tokens.${format}`),
    filters: { [format.toUpperCase()]: [format] },
  });
}

function saved(target: vscode.Uri): void {
  const open = 'Open';
  void vscode.window
    .showInformationMessage(`The run was exported to ${vscode.workspace.asRelativePath(target)}.`, open)
    .then((chosen) => (chosen === open ? vscode.commands.executeCommand('vscode.open', target) : undefined));
}
