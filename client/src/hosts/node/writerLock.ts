/** One writer a trace: a lock file beside it names the process that writes, so that two runs never mix their records. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf, FileFailure, reasonOf } from './skillFolder';

export interface WriterLock {
  /** Gives the file to others; once more does nothing. */
  release(): void;
}

/**
 * Takes the lock of a file. What a killed process left is taken over.
 *
 * @throws FileFailure where a living process writes the file, or the lock can't be made.
 */
export function lockForWriting(path: string): WriterLock {
  const lock = `${path}.lock`;
  try {
    while (!create(lock)) removeAbandoned(lock, path);
  } catch (cause) {
    if (cause instanceof FileFailure) throw cause;
    throw new FileFailure(`The trace ${path} can't be locked: ${reasonOf(cause)}.`, { cause });
  }
  let held = true;
  return {
    release() {
      if (held) rmSync(lock, { force: true });
      held = false;
    },
  };
}

function create(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a lock away whose process has gone. Another process may be about to do the same, so it is moved first. */
function removeAbandoned(lock: string, path: string): void {
  const owner = ownerOf(lock);
  if (owner === undefined) return;
  if (isAlive(owner)) {
    throw new FileFailure(
      `The trace ${path} is being written by ${owner === '' ? 'another process' : `process ${owner}`}. Wait for it to end; if that is no run of a skill, delete ${lock}.`,
    );
  }
  const moved = `${lock}-abandoned-${process.pid}`;
  try {
    renameSync(lock, moved);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // What was moved may be the new lock of a process that was quicker: then it gets it back.
  if (ownerOf(moved) === owner) rmSync(moved, { force: true });
  else renameSync(moved, lock);
}

/** What the lock says, which for a moment after it was made is nothing; undefined where there is none any more. */
function ownerOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(owner: string): boolean {
  if (owner === '') return true;
  const identifier = Number(owner);
  if (!Number.isSafeInteger(identifier) || identifier <= 0) return false;
  try {
    process.kill(identifier, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
