/** A trace on disk: each record is written at once, so that it survives the process; syncing makes it survive the machine. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  formatRecord,
  readTrace,
  type TraceContent,
  type TraceRecord,
} from '../../../../schemas/trace/trace';
import { traceSuffix } from '../launchConfiguration';
import { codeOf, FileFailure, reasonOf } from './skillFolder';
import { lockForWriting, type WriterLock } from './writerLock';

export interface TraceFile {
  readonly path: string;
  /** Appends one record whole, or not at all. Throws FileFailure where the disk refuses it. */
  record(record: TraceRecord): void;
  /** Makes sure that everything written so far is on the disk. Throws FileFailure where the disk refuses it. */
  sync(): void;
  /**
   * Does so, and lets go of the file in any case; a new one to which nothing was written is removed. Throws FileFailure
   * where the disk refuses it.
   */
  close(): void;
}

export interface TraceFileOptions {
  /** Syncs after every record: a few milliseconds each, and nothing is lost when the machine stops. */
  readonly syncEveryRecord?: boolean;
}

/**
 * Starts a new trace. A file that exists is never overwritten.
 *
 * @throws FileFailure where it exists or can't be made.
 */
export function createTraceFile(path: string, options: TraceFileOptions = {}): TraceFile {
  return appendTo(createEmpty(path), options);
}

/** A trace that is open, and nobody else's. */
interface HeldFile {
  readonly descriptor: number;
  readonly path: string;
  readonly lock: WriterLock;
}

/** @throws FileFailure where it exists or can't be made. */
function createEmpty(path: string): HeldFile {
  try {
    makeFolder(dirname(path));
    const descriptor = openSync(path, 'wx');
    try {
      return { descriptor, path, lock: lockForWriting(path) };
    } catch (error) {
      closeSync(descriptor);
      rmSync(path);
      throw error;
    }
  } catch (cause) {
    if (cause instanceof FileFailure) throw cause;
    const advice =
      codeOf(cause) === 'EEXIST'
        ? ' A trace is never overwritten: name another file, or resume this one.'
        : '';
    throw new FileFailure(`The trace ${path} can't be written: ${reasonOf(cause)}.${advice}`, { cause });
  }
}

/**
 * Makes a folder and those around it. Node's own recursive way never ends where the system says ENOENT to a folder in
 * one that exists, as /proc does, and hides why a read-only disk refuses.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another run may have made it meanwhile.
    if (codeOf(cause) !== 'EEXIST') throw cause;
  }
}

/** Starts a new trace at `path`, or beside it with a number where that exists: `run.skilltrace.jsonl`, `run-2.skilltrace.jsonl`, … */
export function createNumberedTraceFile(path: string, options: TraceFileOptions = {}): TraceFile {
  return appendTo(createNumbered(path), options);
}

/** @throws FileFailure where it can't be made. */
function createNumbered(path: string): HeldFile {
  const stem = path.endsWith(traceSuffix) ? path.slice(0, -traceSuffix.length) : path;
  const suffix = path.endsWith(traceSuffix) ? traceSuffix : '';
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${stem}-${number}${suffix}`;
    try {
      return createEmpty(candidate);
    } catch (error) {
      if (!(error instanceof FileFailure) || codeOf(error.cause) !== 'EEXIST') throw error;
    }
  }
}

/** Where a trace goes when nobody says where: `.skill-state/<skill>.skilltrace.jsonl` under `folder`, numbered. */
export function defaultTracePath(folder: string, skillName: string): string {
  const name = skillName.replaceAll(/[^\p{Letter}\p{Number}._-]+/gu, '-').slice(0, 64) || 'skill';
  return join(folder, '.skill-state', `${name}${traceSuffix}`);
}

/**
 * Reads a trace file whole.
 *
 * @throws FileFailure where it can't be read.
 */
export function readTraceFile(path: string): TraceContent {
  try {
    // Devices and pipes may never end, and nothing can be added to them.
    const about = statSync(path);
    if (!about.isFile() && !about.isDirectory()) throw new Error('it is not a file');
    return readTrace(readFileSync(path));
  } catch (cause) {
    throw new FileFailure(`The trace ${path} can't be read: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * Opens a trace to go on with it, after cutting off a torn last record.
 *
 * @param completeBytes up to the end of the last complete line.
 * @param lock the trace's, taken before it was read; closing the trace releases it.
 */
export function continueTraceFile(
  path: string,
  { completeBytes, lock }: { readonly completeBytes: number; readonly lock: WriterLock },
  options: TraceFileOptions = {},
): TraceFile {
  try {
    const descriptor = openSync(path, 'r+');
    try {
      ftruncateSync(descriptor, completeBytes);
      return appendTo({ descriptor, path, lock }, options);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  } catch (cause) {
    throw new FileFailure(`The trace ${path} can't be continued: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * Copies the complete lines of a trace, to go on with the copy: at `path`, or beside it with a number where that exists.
 * What fails leaves no copy behind.
 *
 * @throws FileFailure where one can't be read or the other can't be made.
 */
export function copyTraceFile(
  from: string,
  completeBytes: number,
  path: string,
  options: TraceFileOptions = {},
): TraceFile {
  const copy = createNumbered(path);
  const { lock } = copy;
  try {
    closeSync(copy.descriptor);
    copyFileSync(from, copy.path);
    return continueTraceFile(copy.path, { completeBytes, lock }, options);
  } catch (cause) {
    // It was made here and is locked still: nobody has written anything of their own to it.
    removeUnused(copy.path);
    lock.release();
    if (cause instanceof FileFailure) throw cause;
    throw new FileFailure(`The trace ${from} can't be copied to ${copy.path}: ${reasonOf(cause)}.`, {
      cause,
    });
  }
}

function removeUnused(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Why nothing came of it is what the user has to know; what is left is in nobody's way.
  }
}

function appendTo(
  { descriptor, path, lock }: HeldFile,
  { syncEveryRecord = false }: TraceFileOptions,
): TraceFile {
  let open = true;
  /** Up to the end of the last whole record. */
  let end = fstatSync(descriptor).size;
  /** Whether a part of a record stands behind that. */
  let isTorn = false;

  const writing = (write: () => void): void => {
    try {
      write();
    } catch (cause) {
      throw new FileFailure(`The trace ${path} can't be written: ${reasonOf(cause)}.`, { cause });
    }
  };
  const cutOff = (): void => {
    ftruncateSync(descriptor, end);
    isTorn = false;
  };
  const append = (bytes: Uint8Array): void => {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(descriptor, bytes, written, bytes.length - written, end + written);
        isTorn = written < bytes.length;
      }
      end += bytes.length;
    } catch (error) {
      try {
        if (isTorn) cutOff();
      } catch {
        // Why it was torn is what the user has to know; it is tried again before another record is written.
      }
      throw error;
    }
  };

  return {
    path,
    record(record) {
      if (!open) throw new FileFailure(`The trace ${path} is closed already.`);
      const bytes = Buffer.from(formatRecord(record), 'utf8');
      writing(() => {
        if (isTorn) cutOff();
        append(bytes);
        if (syncEveryRecord) fdatasyncSync(descriptor);
      });
    },
    sync() {
      if (open) writing(() => fdatasyncSync(descriptor));
    },
    close() {
      if (!open) return;
      open = false;
      writing(() => {
        try {
          fdatasyncSync(descriptor);
        } finally {
          try {
            closeSync(descriptor);
            if (end === 0) removeUnused(path);
          } finally {
            lock.release();
          }
        }
      });
    },
  };
}
