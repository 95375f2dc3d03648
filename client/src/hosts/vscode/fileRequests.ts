/** Answers the server's requests for files: it runs beside the disk, but not beside the file systems of extensions. */
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import {
  type ReadFileParams,
  type ReadFileResult,
  type ReadFolderParams,
  type ReadFolderResult,
  readFileMethod,
  readFolderMethod,
} from '../../../../schemas/messages/messages';

/** The largest file that is read, in bytes: no skill needs more, and a mistaken path must not fill the memory. */
const maxFileBytes = 32 * 1024 * 1024;

/** Registers the answers until the returned object is disposed. */
export function answerFileRequests(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest(readFileMethod, ({ uri }: ReadFileParams) => readFile(vscode.Uri.parse(uri, true))),
    client.onRequest(readFolderMethod, ({ uri }: ReadFolderParams) =>
      readFolder(vscode.Uri.parse(uri, true)),
    ),
  );
}

async function readFile(uri: vscode.Uri): Promise<ReadFileResult> {
  const text = await readText(uri);
  return text === undefined ? null : { text };
}

/**
 * The text of a file as it is stored; undefined where there is no such file.
 *
 * @throws Error whose message says which file can't be read, and why.
 */
export async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) throw new Error('it is a folder');
    if (size > maxFileBytes) throw new Error(`it has ${size} bytes, and at most ${maxFileBytes} are read`);
    const bytes = await vscode.workspace.fs.readFile(uri);
    // The byte order mark is kept: the parsers report it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    const reason =
      error instanceof TypeError
        ? 'it is not UTF-8 text'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new Error(`${uri.path} can't be read: ${reason}.`, { cause: error });
  }
}

async function readFolder(uri: vscode.Uri): Promise<ReadFolderResult> {
  try {
    const entries = (await vscode.workspace.fs.readDirectory(uri)).map(([name, type]) => ({
      name,
      isFolder: (type & vscode.FileType.Directory) !== 0,
    }));
    return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch {
    // No folder, or none that may be listed: the server has nothing to offer from it either way.
    return { entries: [] };
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof vscode.FileSystemError &&
    (error.code === 'FileNotFound' || error.code === 'FileNotADirectory')
  );
}
