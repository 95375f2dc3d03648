/** Progress events for what goes on for longer than two seconds. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RequestWait } from '../../../schemas/messages/debugMessages';
import { waitingText } from '../runtime/failureWords';
import type { RunState } from '../runtime/runState';
import type { TraceProgress } from '../runtime/traceReader';
import type { Clock } from './debugHost';

/** Milliseconds after which a person wants to know that something happens. */
const patience = 2_000;

/** Milliseconds between two updates. */
const updateEvery = 500;

/** How far something has come. */
export interface ProgressState {
  readonly message?: string;
  readonly percentage?: number;
}

export interface ProgressOptions {
  readonly clock: Clock;
  readonly send: (event: DebugProtocol.Event) => void;
  /** What the ids of its events begin with. */
  readonly name: string;
  readonly title: string;
  readonly state: () => ProgressState;
}

export class Progress {
  readonly #options: ProgressOptions;
  #cancelTimer: (() => void) | undefined;
  #id: string | undefined;
  #count = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** What is waited for goes on. */
  begin(): void {
    this.end();
    this.#cancelTimer = this.#options.clock.after(patience, () => this.#start());
  }

  /** It has come to an end. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#id !== undefined) this.#options.send(new Event('progressEnd', { progressId: this.#id }));
    this.#id = undefined;
  }

  /** Whether an id is that of its events. */
  has(progressId: string): boolean {
    return progressId === this.#id;
  }

  #start(): void {
    const { send, name, title, state } = this.#options;
    this.#count++;
    this.#id = `${name}-${this.#count}`;
    send(new Event('progressStart', { progressId: this.#id, title, cancellable: true, ...state() }));
    this.#schedule();
  }

  #schedule(): void {
    const { clock, send, state } = this.#options;
    this.#cancelTimer = clock.after(updateEvery, () => {
      send(new Event('progressUpdate', { progressId: this.#id, ...state() }));
      this.#schedule();
    });
  }
}

/**
 * How far a run has come.
 *
 * @param horizon T, where it is known: then there is a percentage
 * @param waiting what is waited for before a request is made again
 */
export function progressOfRun(
  run: RunState | undefined,
  horizon: number | undefined,
  waiting?: RequestWait,
): ProgressState {
  if (run === undefined) return {};
  const doing = waiting === undefined ? run.phase : waitingText(waiting);
  const message = `step ${run.step}${horizon === undefined ? '' : ` of ${horizon}`}, ${doing}`;
  if (horizon === undefined) return { message };
  return { message, percentage: Math.min(100, Math.floor((100 * run.step) / horizon)) };
}

/** How far the reading of a trace has come. */
export function progressOfReading({ bytesRead, bytes }: TraceProgress): ProgressState {
  const megabytes = (count: number) => (count / 1_000_000).toFixed(1);
  const message = `${megabytes(bytesRead)} of ${megabytes(bytes)} MB`;
  return { message, percentage: bytes === 0 ? 0 : Math.min(100, Math.floor((100 * bytesRead) / bytes)) };
}
