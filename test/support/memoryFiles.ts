/** Files in memory for the language server, which change without being told of, as those on a disk do. */
import { URI, Utils } from 'vscode-uri';
import { type StoredEntry, type StoredFiles, UnreadableFile } from '../../server/src/storedFiles';

export interface MemoryFiles extends StoredFiles {
  /** URIs that were read, in order. */
  readonly reads: string[];
  set(uri: string, text: string | undefined): void;
  /** A file that is there and can't be read. */
  refuse(uri: string, message: string): void;
}

/** Files by their URI. */
export function memoryFiles(files: Readonly<Record<string, string>> = {}): MemoryFiles {
  const texts = new Map<string, { text: string | undefined; error?: string; stamp: number }>();
  let stamps = 0;
  const set = (uri: string, text: string | undefined, error?: string) => {
    const key = URI.parse(uri).toString();
    if (text === undefined && error === undefined) texts.delete(key);
    else texts.set(key, { text, stamp: ++stamps, ...(error !== undefined && { error }) });
  };
  for (const [uri, text] of Object.entries(files)) set(uri, text);
  const reads: string[] = [];
  return {
    reads,
    set: (uri, text) => set(uri, text),
    refuse: (uri, message) => set(uri, undefined, message),
    async read(uri) {
      reads.push(uri);
      const found = texts.get(uri);
      if (found?.error !== undefined) throw new UnreadableFile(uri, found.error);
      return found?.text;
    },
    stamp: async (uri) => String(texts.get(uri)?.stamp ?? 'missing'),
    async list(folderUri) {
      const folder = `${folderUri.replace(/\/$/, '')}/`;
      const entries = new Map<string, StoredEntry>();
      for (const uri of texts.keys()) {
        if (!uri.startsWith(folder)) continue;
        const [name = '', ...rest] = uri.slice(folder.length).split('/');
        const plain = Utils.basename(URI.parse(`${folder}${name}`));
        entries.set(plain, { name: plain, isFolder: rest.length > 0 });
      }
      return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
