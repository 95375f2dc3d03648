/** The reading of a record that is gone through already, as the session sees it: its progress, and who waits for it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RecordPart } from '../runtime/journey';
import type { Clock, OpenedRun } from './debugHost';
import { failures } from './errors';
import { Progress, progressOfReading } from './progress';

export interface RunReadingOptions {
  readonly opened: OpenedRun;
  readonly clock: Clock;
  /** Takes events of progress. */
  readonly send: (event: DebugProtocol.Event) => void;
  /** Counts the stops of the run. */
  readonly stops: () => number;
  /** @throws RequestFailure where the run isn't stopped */
  readonly assertStopped: () => void;
  /** Nothing more will be read. @param isElsewhere whether something else is to be shown where the run stands */
  readonly onRead: (isElsewhere: boolean) => void;
  /** What has failed, for the user. */
  readonly onFailed: (error: unknown) => void;
}

export class RunReading {
  readonly #options: RunReadingOptions;
  readonly #progress: Progress;
  readonly #closing = new AbortController();

  constructor(options: RunReadingOptions) {
    this.#options = options;
    const { opened, clock, send } = options;
    const { reading, execution } = opened;
    this.#progress = new Progress({
      clock,
      send,
      name: 'reading',
      title: 'Reading the trace',
      state: () => (reading === undefined ? {} : progressOfReading(reading.progress)),
    });
    if (reading === undefined || !execution.isReading) return;
    this.#progress.begin();
    void reading.ended.then(() => this.#ended()).catch(options.onFailed);
  }

  /** Reads no further where an id is that of its progress; false where it is another's. */
  cancel(progressId: string): boolean {
    const isOwn = this.#progress.has(progressId);
    if (isOwn) this.#options.opened.reading?.stop();
    return isOwn;
  }

  /** Who waits is answered, and nothing is told any more. */
  close(): void {
    this.#closing.abort();
    this.#progress.end();
  }

  /**
   * Waits for a part of the record, while the run stays where it is.
   *
   * @throws RequestFailure where the run isn't stopped, or went on meanwhile
   */
  async wait(part: RecordPart): Promise<void> {
    const { opened, stops, assertStopped } = this.#options;
    const before = stops();
    const { signal } = this.#closing;
    try {
      await opened.execution.read(part, signal);
    } catch (error) {
      if (signal.aborted) throw failures.ended();
      throw error;
    }
    assertStopped();
    if (stops() !== before) throw failures.wentOn();
  }

  async #ended(): Promise<void> {
    this.#progress.end();
    const { execution } = this.#options.opened;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const { run } = execution;
    await execution.read('whole', signal);
    if (!signal.aborted) this.#options.onRead(execution.run !== run);
  }
}
