/**
 * What was thrown that nobody foresaw. A user sees its message as of any failure; its stack goes where the host keeps it,
 * for those who mend the debugger.
 */
import { TimeUsedUp } from '../runtime/budget';
import { EnvironmentFailure } from '../runtime/environment';
import { ModelFailure } from '../runtime/model';
import { TraceMismatch } from '../runtime/recorder';
import { RunFailure } from '../runtime/runFailure';
import { TraceGap } from '../runtime/traceGap';
import { type DebugHost, LaunchFailure } from './debugHost';
import { RequestFailure } from './errors';

/** What says by its message all that there is to know. */
const foreseen = [
  RequestFailure,
  LaunchFailure,
  RunFailure,
  ModelFailure,
  EnvironmentFailure,
  TraceGap,
  TraceMismatch,
  TimeUsedUp,
];

export class BugReports {
  readonly #host: Pick<DebugHost, 'onBug'>;
  /** An error may come by several ways. */
  readonly #told = new WeakSet<Error>();

  constructor(host: Pick<DebugHost, 'onBug'>) {
    this.#host = host;
  }

  /**
   * Hands an error to the host, once, unless it was foreseen.
   *
   * @param during what was done when it was thrown, such as `answering "variables"`
   */
  report(error: unknown, during: string): void {
    if (error === undefined || isAbort(error) || foreseen.some((Failure) => error instanceof Failure)) return;
    if (error instanceof Error) {
      if (this.#told.has(error)) return;
      this.#told.add(error);
    }
    this.#host.onBug?.(error, during);
  }
}

/** Whether something ended since nobody wanted it any more. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
