/** Opens traces for all that shows them: files on disk a piece at a time, those of other file systems as a whole. */
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { TraceBytes, TraceReader } from '../../runtime/traceReader';

/** The largest trace, in bytes, that is read from a file system that gives whole files alone. */
const wholeFileLimit = 256 * 1024 * 1024;

/** The text by which a trace is named: its path where it is on disk, else its URI. */
export function traceName(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.toString();
}

/** The URI of a trace that is named by its path on disk or by its URI's text. */
export function traceUri(trace: string): vscode.Uri {
  // The drives of Windows have one letter, schemes have more.
  return /^[a-z][a-z0-9+.-]+:/i.test(trace) ? vscode.Uri.parse(trace, true) : vscode.Uri.file(trace);
}

/**
 * A reader of a trace; nothing is read before it is asked to, and what reads is loaded with the first one.
 *
 * @param trace its path on disk, or its URI's text
 */
export async function openTrace(trace: string): Promise<TraceReader> {
  const [{ createTraceReader }, { sha256 }, bytes] = await Promise.all([
    import('../../runtime/traceReader'),
    import('../node/sha256'),
    traceBytes(traceUri(trace)),
  ]);
  return createTraceReader({ bytes, sha256 });
}

/** The bytes of a trace; nothing is read before they are asked for. Their methods throw what a user can be told. */
export async function traceBytes(uri: vscode.Uri): Promise<TraceBytes> {
  if (uri.scheme !== 'file') return bytesElsewhere(uri);
  const { openTraceBytes } = await import('../node/traceBytes');
  return openTraceBytes(uri.fsPath);
}

/** VS Code's file systems give whole files alone; one is kept as long as it stays as it is. */
function bytesElsewhere(uri: vscode.Uri): TraceBytes {
  let kept: { readonly mtime: number; readonly bytes: Uint8Array } | undefined;
  const current = async () => {
    const { mtime, size } = await vscode.workspace.fs.stat(uri);
    if (size > wholeFileLimit) {
      throw new Error(
        `The trace has ${size.toLocaleString('en-US')} bytes, and from ${uri.scheme} at most ${wholeFileLimit.toLocaleString('en-US')} are read: copy it to a disk.`,
      );
    }
    if (kept?.mtime !== mtime || kept.bytes.length !== size)
      kept = { mtime, bytes: await vscode.workspace.fs.readFile(uri) };
    return kept.bytes;
  };
  return {
    size: async () => (await current()).length,
    read: async (offset, length) => (kept?.bytes ?? (await current())).slice(offset, offset + length),
    pause: () => setImmediate(undefined),
  };
}
