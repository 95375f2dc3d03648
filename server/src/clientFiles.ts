/** Files of schemes that only the client can read, asked for by requests of ours. */
import type { Connection } from 'vscode-languageserver';
import {
  type ReadFileParams,
  type ReadFileResult,
  type ReadFolderParams,
  type ReadFolderResult,
  readFileMethod,
  readFolderMethod,
} from '../../schemas/messages/messages';
import { type StoredFiles, UnreadableFile } from './storedFiles';

/** What the library puts before the message of a handler that has thrown. */
const requestFailed = /^Request \S+ failed with message: /;

export function clientFiles(connection: Connection): StoredFiles {
  return {
    async read(uri) {
      const params: ReadFileParams = { uri };
      try {
        const result = await connection.sendRequest<ReadFileResult>(readFileMethod, params);
        return typeof result?.text === 'string' ? result.text : undefined;
      } catch (cause) {
        const message = cause instanceof Error ? cause.message.replace(requestFailed, '') : String(cause);
        throw new UnreadableFile(uri, message, { cause });
      }
    },
    // The client tells of changes; without its word a text is asked for anew.
    stamp: async () => undefined,
    async list(folderUri) {
      const params: ReadFolderParams = { uri: folderUri };
      const result = await connection
        .sendRequest<ReadFolderResult>(readFolderMethod, params)
        .catch(() => undefined);
      return result?.entries ?? [];
    },
  };
}
