/** The bytes of a trace file, read as they are asked for; a file that nobody reads for a while is closed. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { createTraceReader, type TraceBytes, type TraceReader } from '../../runtime/traceReader';
import { sha256 } from './sha256';
import { FileFailure, reasonOf } from './skillFolder';

/** How long a file stays open after it was read. */
const openMilliseconds = 1_000;

/** A reader of a trace file, with its hashes checked; nothing is read yet. */
export function openTraceReader(path: string, bytes = openTraceBytes(path)): TraceReader {
  return createTraceReader({ bytes, sha256 });
}

/**
 * The bytes of a file as it is now and as it grows.
 *
 * @throws FileFailure, from its methods, where it can't be read.
 */
export function openTraceBytes(path: string): TraceBytes {
  let opened: Promise<FileHandle> | undefined;
  let closing: NodeJS.Timeout | undefined;
  let readers = 0;

  async function withFile<Result>(use: (file: FileHandle) => Promise<Result>): Promise<Result> {
    clearTimeout(closing);
    readers += 1;
    try {
      opened ??= openFile(path);
      return await use(await opened);
    } catch (cause) {
      if (cause instanceof FileFailure) {
        opened = undefined;
        throw cause;
      }
      throw unreadable(path, cause);
    } finally {
      readers -= 1;
      if (readers === 0) closing = setTimeout(close, openMilliseconds).unref();
    }
  }

  function close(): void {
    if (readers > 0) return;
    const file = opened;
    opened = undefined;
    // Nothing was written: what closing could complain of concerns nobody.
    void file?.then((handle) => handle.close()).catch(() => undefined);
  }

  return {
    size: () => withFile(async (file) => (await file.stat()).size),
    read: (offset, length) =>
      withFile(async (file) => {
        const bytes = new Uint8Array(length);
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        return bytesRead === length ? bytes : bytes.subarray(0, bytesRead);
      }),
    pause: () => setImmediate(undefined),
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe waits for who writes to it, which may be nobody.
    const information = await stat(path);
    if (information.isDirectory()) throw new FileFailure(`The trace ${path} can't be read: it is a folder.`);
    if (!information.isFile()) throw new FileFailure(`The trace ${path} can't be read: it is not a file.`);
    return await open(path, 'r');
  } catch (cause) {
    throw cause instanceof FileFailure ? cause : unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): FileFailure {
  return new FileFailure(`The trace ${path} can't be read: ${reasonOf(cause)}.`, { cause });
}
