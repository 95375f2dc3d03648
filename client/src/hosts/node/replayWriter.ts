/** The writer of a trace that is gone through: it, or a copy of it, is opened when something is added. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RunFailure } from '../../runtime/runFailure';
import type { TraceReader } from '../../runtime/traceReader';
import { FileFailure } from './skillFolder';
import { continueTraceFile, copyTraceFile, type TraceFile } from './traceFile';
import { lockForWriting } from './writerLock';

/** The trace, and where a copy goes that branches are added to instead. */
export interface ReplayPaths {
  readonly replay: string;
  readonly trace?: string | undefined;
}

/** Adds to a trace, or to a copy of it; opened with the first record. */
export class ReplayWriter {
  readonly #request: ReplayPaths;
  readonly #reader: TraceReader;
  #file: TraceFile | undefined;

  constructor(request: ReplayPaths, reader: TraceReader) {
    this.#request = request;
    this.#reader = reader;
  }

  get path(): string {
    return this.#file?.path ?? this.#request.replay;
  }

  /** @throws RunFailure */
  async begin(): Promise<void> {
    try {
      this.#file ??= this.#open();
    } catch (error) {
      if (error instanceof FileFailure) throw new RunFailure(error.message, { cause: error });
      throw error;
    }
  }

  #open(): TraceFile {
    const { replay, trace } = this.#request;
    const { bytes } = this.#reader.progress;
    const torn = this.#reader.problems.find(({ code }) => code === 'trace.torn-record');
    const completeBytes = torn?.offset ?? bytes;
    if (trace !== undefined && resolve(trace) !== resolve(replay))
      return copyTraceFile(replay, completeBytes, trace);
    // Before it is looked at: what another run still writes can't be gone on with.
    const lock = lockForWriting(replay);
    try {
      if (statSync(replay).size !== bytes)
        throw new RunFailure(`The trace ${replay} has changed since it was opened: open it again.`);
      return continueTraceFile(replay, { completeBytes, lock });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  record(record: Parameters<TraceFile['record']>[0]): void {
    if (this.#file === undefined) throw new Error('Nothing has begun to be recorded');
    this.#file.record(record);
  }

  sync(): void {
    this.#file?.sync();
  }

  close(): void {
    this.#file?.close();
  }
}
