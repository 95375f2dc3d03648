/** Progress events for a run that goes on for longer than two seconds without stopping. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RunState } from '../runtime/runState';
import type { Clock } from './debugHost';

/** Milliseconds after which a person wants to know that something happens. */
const patience = 2_000;

/** Milliseconds between two updates. */
const updateEvery = 500;

export class RunProgress {
  readonly #clock: Clock;
  readonly #send: (event: DebugProtocol.Event) => void;
  readonly #title: string;
  readonly #horizon: number | undefined;
  readonly #current: () => RunState | undefined;
  #cancelTimer: (() => void) | undefined;
  #id: string | undefined;
  #count = 0;

  constructor({
    clock,
    send,
    title,
    horizon,
    current,
  }: {
    readonly clock: Clock;
    readonly send: (event: DebugProtocol.Event) => void;
    readonly title: string;
    /** T, where it is known: then there is a percentage. */
    readonly horizon: number | undefined;
    readonly current: () => RunState | undefined;
  }) {
    this.#clock = clock;
    this.#send = send;
    this.#title = title;
    this.#horizon = horizon;
    this.#current = current;
  }

  /** The run goes on. */
  begin(): void {
    this.end();
    this.#cancelTimer = this.#clock.after(patience, () => this.#start());
  }

  /** The run stopped or is over. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#id !== undefined) this.#send(new Event('progressEnd', { progressId: this.#id }));
    this.#id = undefined;
  }

  #start(): void {
    this.#count++;
    this.#id = `run-${this.#count}`;
    this.#send(
      new Event('progressStart', {
        progressId: this.#id,
        title: this.#title,
        cancellable: true,
        ...this.#state(),
      }),
    );
    this.#schedule();
  }

  #schedule(): void {
    this.#cancelTimer = this.#clock.after(updateEvery, () => {
      this.#send(new Event('progressUpdate', { progressId: this.#id, ...this.#state() }));
      this.#schedule();
    });
  }

  #state(): { readonly message?: string; readonly percentage?: number } {
    const run = this.#current();
    if (run === undefined) return {};
    const message = `step ${run.step}${this.#horizon === undefined ? '' : ` of ${this.#horizon}`}, ${run.phase}`;
    if (this.#horizon === undefined) return { message };
    return { message, percentage: Math.min(100, Math.floor((100 * run.step) / this.#horizon)) };
  }
}
