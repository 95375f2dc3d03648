/** The terminal as the commands see it, so that tests can stand in for one. */
import type { Readable, Writable } from 'node:stream';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborted when the user wants out (Ctrl-C) or nobody reads the output any more. */
  readonly signal: AbortSignal;
}

/** 0: completed, or a check that held. 1: could not complete, or a check that failed. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** Why a command is aborted whose reader has read enough, as `head` does: nobody is left to be told. */
export class OutputClosed extends Error {
  override readonly name: string = 'OutputClosed';
}

/** A command that was called wrongly: exit code 2. */
export class UsageFailure extends Error {
  override readonly name: string = 'UsageFailure';
}
