/** Sends what a run says to the client: line by line while stepping, in batches while it runs fast. */

import { Event } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type StepProgress, stepEvent } from '../../../schemas/messages/debugMessages';
import { printable } from '../../../schemas/text/printable';
import type { Question } from '../runtime/asker';
import { questionLines } from './consoleAsker';
import type { Clock } from './debugHost';
import type { OutputLine } from './runOutput';
import type { Place } from './stackFrames';

/** Lines wait this many milliseconds for others before they are sent. */
const batchMilliseconds = 100;

/** With so many lines waiting they are sent at once. */
const batchLines = 500;

/** Where a line of output comes from, in the client's numbers. */
export type OutputOrigin = Pick<DebugProtocol.OutputEvent['body'], 'source' | 'line' | 'column'>;

type Body = DebugProtocol.OutputEvent['body'];

export class RunConsole {
  readonly #clock: Clock;
  readonly #send: (event: DebugProtocol.Event) => void;
  readonly #originOf: (place: Place) => OutputOrigin;
  #waiting: Body[] = [];
  readonly #progressOf: () => StepProgress | undefined;
  #showsStep = false;
  #lastStep = '';
  #cancelTimer: (() => void) | undefined;
  /** While the run goes on by itself, step lines are joined, and then have no place of their own. */
  batching = false;

  constructor({
    clock,
    send,
    originOf,
    progressOf,
  }: {
    readonly clock: Clock;
    readonly send: (event: DebugProtocol.Event) => void;
    readonly originOf: (place: Place) => OutputOrigin;
    /** Where the run stands, for the `skill-state/step` event. */
    readonly progressOf: () => StepProgress | undefined;
  }) {
    this.#clock = clock;
    this.#send = send;
    this.#originOf = originOf;
    this.#progressOf = progressOf;
  }

  write(lines: readonly OutputLine[], { joinable = false }: { readonly joinable?: boolean } = {}): void {
    for (const { text, category, place } of lines) {
      const output = `${printable(text)}\n`;
      const last = this.#waiting.at(-1);
      if (
        joinable &&
        this.batching &&
        last?.category === category &&
        last.source === undefined &&
        last.group === undefined
      ) {
        last.output += output;
      } else {
        const origin = place && !(joinable && this.batching) ? this.#originOf(place) : {};
        this.#waiting.push({ category, output, ...origin });
      }
    }
    if (this.#waiting.length >= batchLines) this.flush();
    else this.#schedule();
  }

  /** A line that a breakpoint writes, with the place of that breakpoint. */
  log(text: string, origin: OutputOrigin | undefined): void {
    this.#waiting.push({ category: 'console', output: `${printable(text)}\n`, ...origin });
    if (this.#waiting.length >= batchLines) this.flush();
    else this.#schedule();
  }

  /** The run stands elsewhere; of several `skill-state/step` events within a moment the last one is sent. */
  showStep(): void {
    this.#showsStep = true;
    this.#schedule();
  }

  ask(question: Question): void {
    const { title, about, how } = questionLines(question);
    if (about === '') this.#waiting.push({ category: 'console', output: `${printable(title)}\n` });
    else {
      this.#waiting.push({ category: 'console', output: `${printable(title)}\n`, group: 'startCollapsed' });
      this.#waiting.push({ category: 'console', output: `${printable(about)}\n` });
      this.#waiting.push({ category: 'console', output: '', group: 'end' });
    }
    this.#waiting.push({ category: 'console', output: `${how}\n` });
    this.flush();
  }

  /** Sends everything that waits. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const body of waiting) this.#send(new Event('output', body));
    this.#sendStep();
  }

  #sendStep(): void {
    const body = this.#showsStep ? this.#progressOf() : undefined;
    this.#showsStep = false;
    if (body === undefined) return;
    const text = JSON.stringify(body);
    if (text === this.#lastStep) return;
    this.#lastStep = text;
    this.#send(new Event(stepEvent, body));
  }

  #schedule(): void {
    this.#cancelTimer ??= this.#clock.after(batchMilliseconds, () => {
      this.#cancelTimer = undefined;
      this.flush();
    });
  }
}
