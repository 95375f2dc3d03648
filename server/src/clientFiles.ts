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

export interface ClientFilesOptions {
  /** How long an answer is waited for, in milliseconds: a file system may be far away, but not for ever. */
  readonly deadline?: number;
  /** Told of a file that has come after all: its next reading is what came. */
  readonly arrived?: (uri: string) => void;
}

/** Files that the client reads; of one that it doesn't answer for in time it is said so until it does. */
export function clientFiles(
  connection: Pick<Connection, 'sendRequest'>,
  { deadline = 10_000, arrived }: ClientFilesOptions = {},
): StoredFiles {
  /** Methods and URIs that were asked for and not answered in time. */
  const late = new Set<string>();
  /** Files that have come too late, by URI, until they are read. */
  const come = new Map<string, ReadFileResult>();

  async function ask<Result>(
    method: string,
    params: ReadFileParams | ReadFolderParams,
    comeLate?: (result: Result) => void,
  ): Promise<Result> {
    const key = `${method} ${params.uri}`;
    const name = params.uri.slice(params.uri.lastIndexOf('/') + 1);
    const failure = () => new Error(`${name} can't be read: the editor has not sent it in time.`);
    if (late.has(key)) throw failure();
    // Where one file doesn't come, others may not come either: a skill reads a dozen, one after the other.
    const wait = late.size > 0 ? deadline / 10 : deadline;
    const answer = connection.sendRequest<Result>(method, params);
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late.add(key);
        answer
          .finally(() => late.delete(key))
          .then(comeLate)
          .catch(() => undefined); // whoever asks again is told why
        reject(failure());
      }, wait);
    });
    try {
      return await Promise.race([answer, end]);
    } finally {
      clearTimeout(timer);
    }
  }

  const keep = (uri: string) => (result: ReadFileResult) => {
    come.set(uri, result);
    // What nobody reads now will be out of date.
    setTimeout(() => come.delete(uri), deadline).unref();
    arrived?.(uri);
  };

  return {
    async read(uri) {
      try {
        const known = come.get(uri);
        come.delete(uri);
        const result =
          known === undefined ? await ask<ReadFileResult>(readFileMethod, { uri }, keep(uri)) : known;
        return typeof result?.text === 'string' ? result.text : undefined;
      } catch (cause) {
        const message = cause instanceof Error ? cause.message.replace(requestFailed, '') : String(cause);
        throw new UnreadableFile(uri, message, { cause });
      }
    },
    // The client tells of changes; without its word a text is asked for anew.
    stamp: async () => undefined,
    async list(folderUri) {
      const result = await ask<ReadFolderResult>(readFolderMethod, { uri: folderUri }).catch(() => undefined);
      return Array.isArray(result?.entries) ? result.entries : [];
    },
  };
}
