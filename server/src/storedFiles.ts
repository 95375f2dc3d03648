/** Where texts are stored, by URI: on a disk, or wherever the client's file systems have them. */
import type { FolderEntry } from './languageService/workspace';

/** Why a file that is there can't be read; the message is one sentence for the user. */
export class UnreadableFile extends Error {
  override readonly name: string = 'UnreadableFile';
  readonly uri: string;

  constructor(uri: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.uri = uri;
  }
}

/** Reads files of some schemes. */
export interface StoredFiles {
  /** The text; undefined where there is no such file. @throws UnreadableFile */
  read(uri: string): Promise<string | undefined>;
  /** What tells one content of a file from another without reading it; undefined where nothing does. */
  stamp(uri: string): Promise<string | undefined>;
  /** Sorted by name; empty where the folder can't be listed. Links count as what they lead to. */
  list(folderUri: string): Promise<readonly StoredEntry[]>;
}

/** An entry of a folder. */
export interface StoredEntry extends FolderEntry {
  /** For a link to a folder: the URI of what it leads to. */
  readonly target?: string;
}

/** The largest file that is read, in bytes: no skill needs more, and a mistaken path must not fill the memory. */
export const maxFileBytes = 32 * 1024 * 1024;

/** Files by the scheme of their URI; what no source reads isn't there. */
export function filesByScheme(
  sources: ReadonlyMap<string, StoredFiles>,
  others: StoredFiles | undefined,
): StoredFiles {
  const sourceOf = (uri: string) => sources.get(uri.slice(0, uri.indexOf(':'))) ?? others;
  return {
    read: async (uri) => sourceOf(uri)?.read(uri),
    stamp: async (uri) => sourceOf(uri)?.stamp(uri),
    list: async (folderUri) => (await sourceOf(folderUri)?.list(folderUri)) ?? [],
  };
}
